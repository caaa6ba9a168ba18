"""Redis as operators run it: a Cluster, or servers under Sentinels, of child processes.

Every server is set, and the service's user may do, what `docs/operations.md` says and no more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import redis
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from referee.store.scripts import log_key
from tests.operations_page import GRANTS, settings
from tests.store.machines import Server, free_port, wait_until

NODE_TIMEOUT_MS: Final = 1000
HOST: Final = "127.0.0.1"
_RIGHTS: Final = [grant.removeprefix("ACL SETUSER referee ") for grant in (GRANTS[0], GRANTS[2])]
USER: Final = f"user referee {' '.join(_RIGHTS)}"
KEPT: Final = (USER, *settings("appendonly yes"))


Announced = Callable[[int], int]
"""By the port of a server another one that leads there."""


class Nodes(ABC):
    """The servers of one store; which of them are primaries is asked of them."""

    def __init__(self, servers: Sequence[Server]) -> None:
        self.servers: Final = servers

    @property
    @abstractmethod
    def url(self) -> str:
        """The store, for the service's user."""

    @abstractmethod
    def primary(self, match: str) -> Server:
        """Which server takes what is written to a match now."""

    def replicas(self, match: str) -> list[Server]:
        """Those that have a match's log besides."""
        primary = self.primary(match)
        return [one for one in self.running if _follows(one, primary)]

    @property
    def running(self) -> list[Server]:
        """Those that were neither stopped nor paused."""
        return [server for server in self.servers if server.running]

    @abstractmethod
    def well(self) -> bool:
        """Whether all run, and each has what its primary has."""

    def stop(self) -> None:
        """End all of it."""
        for server in self.servers:
            server.stop()


def started(
    folder: Path, program: Path, count: int, *options: str, announced: Announced | None = None
) -> list[Server]:
    """So many servers, started side by side."""

    def start(port: int) -> Server:
        own = [f"cluster-announce-port {announced(port)}"] if announced else []
        return Server(folder, *options, *own, port=port, program=program)

    ports: set[int] = set()
    while len(ports) < count:
        ports.add(free_port())
    with ThreadPoolExecutor(count) as starting:
        return list(starting.map(start, ports))


def _told(server: Server, section: str) -> dict[str, Any]:
    told: dict[str, Any] = server.client.info(section)
    return told


def _follows(server: Server, primary: Server) -> bool:
    told = _told(server, "replication")
    return bool(told["role"] == "slave" and told["master_port"] == primary.port)


def _linked(server: Server) -> bool:
    """Whether a server is a primary, or has all that its own has."""
    told = _told(server, "replication")
    return bool(told["role"] == "master" or told["master_link_status"] == "up")


# ── Clusters ──────────────────────────────────────────────────────────────────────────────────────


class ClusterNodes(Nodes):
    """A Cluster of so many primaries, each with its replicas; the slots lie evenly.

    `announced`: the port at which each is to be reached; `node_timeout_ms`: after how long one
    counts as lost.
    """

    def __init__(
        self,
        folder: Path,
        program: Path,
        replicas: int,
        primaries: int = 3,
        *,
        announced: Announced | None = None,
        node_timeout_ms: int = NODE_TIMEOUT_MS,
    ) -> None:
        options = (
            *KEPT,
            *settings("cluster-enabled yes"),
            f"cluster-node-timeout {node_timeout_ms}",
            # With so short a one a slow machine would soon have no replica that may take over.
            "cluster-replica-validity-factor 0",
        )
        count = primaries * (1 + replicas)
        super().__init__(started(folder, program, count, *options, announced=announced))
        self._primaries: Final = primaries
        self._replicas: Final = replicas
        self._share()
        self._meet()

    @property
    def url(self) -> str:
        """See `Nodes.url`."""
        hosts = ",".join(f"{HOST}:{server.port}" for server in self.servers)
        return f"redis+cluster://referee:PASSWORD@{hosts}"

    def _share(self) -> None:
        """Each primary takes its part of the slots."""
        for number, server in enumerate(self.servers):
            server.client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
            if number < self._primaries:
                slots = range(self._bound(number), self._bound(number + 1))
                server.client.execute_command("CLUSTER ADDSLOTS", *slots)

    def _bound(self, number: int) -> int:
        return REDIS_CLUSTER_HASH_SLOTS * number // self._primaries

    def _meet(self) -> None:
        """All get to know each other, and the others follow the primaries."""
        first, *others = self.servers
        for server in others:
            first.client.execute_command("CLUSTER MEET", HOST, server.port)
        wait_until(lambda: all(self._knows_all(server) for server in self.servers))
        for number, server in enumerate(self.servers[self._primaries :]):
            leader = self.servers[number % self._primaries].client.execute_command("CLUSTER MYID")
            server.client.execute_command("CLUSTER REPLICATE", leader)
        wait_until(self.well)

    def _knows_all(self, server: Server) -> bool:
        info = server.client.execute_command("CLUSTER INFO")
        all_known = int(info["cluster_known_nodes"]) == len(self.servers)
        return bool(info["cluster_state"] == "ok" and all_known)

    def well(self) -> bool:
        """See `Nodes.well`."""
        try:
            known = all(self._knows_all(one) and _linked(one) for one in self.servers)
            return known and all(
                _told(one, "replication")["connected_slaves"] == self._replicas
                for one in self.servers
                if _told(one, "replication")["role"] == "master"
            )
        except redis.RedisError:
            return False

    def shard(self, match: str) -> int:
        """Which part of the slots a match lies in: 0 to the number of primaries less one."""
        return key_slot(log_key(match).encode()) * self._primaries // REDIS_CLUSTER_HASH_SLOTS

    def primary(self, match: str) -> Server:
        """See `Nodes.primary`: as those that run agree."""
        slot = key_slot(log_key(match).encode())
        found: set[int | None] = set()

        def agreed() -> bool:
            found.clear()
            found.update(self._holder(one, slot) for one in self.running)
            return len(found) == 1 and None not in found

        wait_until(agreed)
        (port,) = found
        return next(server for server in self.servers if server.port == port)

    def _holder(self, asked: Server, slot: int) -> int | None:
        """The port of the primary that holds a slot and is well, as one of them says."""
        nodes = asked.client.execute_command("CLUSTER NODES")
        for place, node in nodes.items():
            flags = node["flags"].split(",")
            held = any(int(a) <= slot <= int(b) for a, b, *_ in map(_ends, node["slots"]))
            if held and "master" in flags and "fail" not in flags:
                return int(place.rpartition(":")[2])
        return None


def _ends(slots: Sequence[str]) -> tuple[str, str]:
    """The first and the last of a range, which may be of one; a slot on its way is none."""
    first, *last = slots
    return (first, last[0] if last else first) if first.isdigit() else ("1", "0")


# ── Sentinels ─────────────────────────────────────────────────────────────────────────────────────


class SentinelNodes(Nodes):
    """A primary and two replicas, watched by three Sentinels of which two must agree."""

    def __init__(self, folder: Path, program: Path) -> None:
        super().__init__(started(folder, program, 3, *KEPT))
        first, *others = self.servers
        for server in others:
            server.client.replicaof(HOST, first.port)
        watch = (
            f"sentinel monitor main {HOST} {first.port} 2",
            f"sentinel down-after-milliseconds main {NODE_TIMEOUT_MS}",
            "sentinel failover-timeout main 2000",
            "sentinel parallel-syncs main 2",
        )
        wait_until(lambda: all(_linked(server) for server in self.servers))
        self._sentinels: Final = started(folder, program, 3, "--sentinel", *watch)
        wait_until(self.well)

    @property
    def url(self) -> str:
        """See `Nodes.url`."""
        hosts = ",".join(f"{HOST}:{server.port}" for server in self._sentinels)
        return f"redis+sentinel://referee:PASSWORD@{hosts}/main"

    def well(self) -> bool:
        """See `Nodes.well`: and the Sentinels know of it."""
        try:
            told = [sentinel.client.sentinel_master("main") for sentinel in self._sentinels]
            following = [
                one for one in self.servers if _told(one, "replication")["role"] == "slave"
            ]
            return (
                len(following) == len(self.servers) - 1
                and all(map(_linked, following))
                and all(one["num-slaves"] == one["num-other-sentinels"] == 2 for one in told)
                and all(one["flags"] == "master" for one in told)
            )
        except redis.RedisError:
            return False

    def primary(self, match: str) -> Server:  # noqa: ARG002 - all are there
        """See `Nodes.primary`: as the Sentinels agree."""
        found: set[int] = set()

        def agreed() -> bool:
            found.clear()
            found.update(
                one.client.sentinel_get_master_addr_by_name("main")[1] for one in self._sentinels
            )
            return len(found) == 1

        wait_until(agreed)
        (port,) = found
        return next(server for server in self.servers if server.port == port)

    def stop(self) -> None:
        """See `Nodes.stop`."""
        for sentinel in self._sentinels:
            sentinel.stop()
        super().stop()
