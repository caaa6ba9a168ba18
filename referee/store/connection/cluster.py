"""A cluster: a pipeline to each node that holds matches.

redis-py learns which node holds which slot; commands go over our own pipelines, so that nothing
is sent twice unless the node said that it did not carry it out.
"""

import asyncio
import random
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot
from redis.exceptions import RedisClusterException, RedisError

from referee.addresses import Host
from referee.store.connection.faults import ErrorReply, unreachable
from referee.store.connection.pipeline import Connector, Dial, Pipeline, connected, pack
from referee.store.log import StoreAway
from referee.store.scripts import TAGS, alive_key

_ASKING: Final = pack(("ASKING",))
_TURNS: Final = 8
"""How often a command follows a cluster that is rearranging itself."""
_PAUSE_S: Final = 0.1


class Cluster:
    """What is known of a cluster, and the ways to its nodes."""

    together = False
    tags = TAGS
    renew: Callable[[str], None]
    """See `SingleServer.renew`."""

    def __init__(
        self, hosts: Iterable[Host], connector: Connector, arguments: dict[str, Any]
    ) -> None:
        self._connector = connector
        self._map = RedisCluster(
            startup_nodes=[ClusterNode(host, port) for host, port in hosts],
            require_full_coverage=False,
            retry=Retry(NoBackoff(), 0),
            **arguments,
        )
        self._doubted: set[Host] = set()  # nodes of which the map has turned out to be wrong
        self._learning: asyncio.Future[None] | None = None
        self._tags: dict[Host | None, str] = {}  # by a node, the first of those that lie there

    def doubt(self, address: Host) -> None:
        """A node is not what it was: learn the map anew before it is sent anything else.

        Only then: nobody who is on the way to another one waits for that.
        """
        self._doubted.add(address)

    async def learn(self) -> None:
        """Ask for the cluster's map; all who wait for it share one answer.

        Raises:
            StoreAway: no node answers.
        """
        if self._learning is None or self._learning.done():
            self._learning = asyncio.ensure_future(self._ask_for_map())
            self._learning.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(self._learning)

    async def _ask_for_map(self) -> None:
        try:
            await self._map.aclose()  # makes the next line ask again
            await self._map.initialize()
        except (RedisError, RedisClusterException, OSError) as error:
            raise unreachable(error) from None
        self._tags = {self._holder(alive_key(tag)): tag for tag in reversed(TAGS)}
        self._doubted.clear()

    def _holder(self, key: str) -> Host | None:
        """The primary that holds a key, as far as is known."""
        nodes = self._map.nodes_manager.slots_cache.get(key_slot(key.encode()))
        return _host(nodes[0]) if nodes else None

    def tag(self, hashed: str) -> str:
        """See `SingleServer.tag`; of a primary that holds none, the nearest one."""
        near = key_slot(hashed.encode()) * len(TAGS) // REDIS_CLUSTER_HASH_SLOTS
        return self._tags.get(self._holder(hashed), TAGS[near])

    async def address(self, key: str) -> Host:
        """Where the primary is that holds `key`.

        Raises:
            StoreAway: no node answers, or none holds it.
        """
        holder = self._holder(key)
        if holder is None or holder in self._doubted:
            await self.learn()
            holder = self._holder(key)
        if holder is None:
            raise StoreAway("no node of the cluster holds this match")
        return holder

    async def primaries(self) -> list[Host]:
        """All nodes that take writes."""
        if self._doubted or not self._tags:
            await self.learn()
        return [_host(node) for node in self._map.get_primaries()]

    async def ways(self) -> dict[str, Dial]:
        """See `SingleServer.ways`."""
        found = await self.primaries()
        return {f"{host}:{port}": partial(self.connect, (host, port)) for host, port in found}

    def router(self, *, replicas: int = 0) -> "ClusterRouter":
        """See `SingleServer.router`."""
        return ClusterRouter(self, replicas)

    async def connect(self, address: Host) -> AbstractConnection:
        """A connection to one node."""
        return await connected(self._connector(host=address[0], port=address[1]))

    async def dial(self) -> AbstractConnection:
        """A connection to any node that answers: announcements reach them all."""
        fault: Exception = StoreAway("the cluster has no nodes")
        primaries = await self.primaries()
        random.shuffle(primaries)  # one that does not answer is not asked first each time
        for address in primaries:
            try:
                return await self.connect(address)
            except (RedisError, OSError) as error:
                self.doubt(address)
                fault = error
        raise unreachable(fault)

    async def aclose(self) -> None:
        """Let go of what was needed to find the nodes."""
        await self._map.aclose()


def _host(node: ClusterNode) -> Host:
    return str(node.host), int(node.port)


class ClusterRouter:
    """Commands on their way to the node that holds their key, by one pipeline a node."""

    def __init__(self, cluster: Cluster, replicas: int) -> None:
        self._cluster = cluster
        self._replicas = replicas
        self._pipelines: dict[Host, Pipeline] = {}

    def submit(self, key: str, packed: bytes) -> asyncio.Future[Any]:
        """Send a packed command that concerns `key`; see `Pipeline.submit`."""
        return asyncio.ensure_future(self._follow(key, packed))

    def _pipeline(self, address: Host) -> Pipeline:
        pipeline = self._pipelines.get(address)
        if pipeline is None:
            pipeline = Pipeline(lambda: self._cluster.connect(address), replicas=self._replicas)
            self._pipelines[address] = pipeline
        return pipeline

    async def _follow(self, key: str, packed: bytes) -> Any:
        """Send a command to where its key is, and after it where the key has moved."""
        for turn in range(1, _TURNS):
            try:
                return await self._once(key, packed)
            except ErrorReply as refused:
                if refused.code not in {"MOVED", "TRYAGAIN"}:
                    raise
            await asyncio.sleep(_PAUSE_S * (turn - 1))
        return await self._once(key, packed)

    async def _once(self, key: str, packed: bytes) -> Any:
        address = await self._cluster.address(key)
        try:
            return await self._pipeline(address).submit(key, packed)
        except ErrorReply as refused:
            if refused.code == "ASK":
                return await self._ask(refused, key, packed)
            if refused.code == "MOVED":
                self._cluster.doubt(address)
            raise
        except StoreAway:
            self._cluster.doubt(address)
            raise

    async def _ask(self, refused: ErrorReply, key: str, packed: bytes) -> Any:
        """The slot is on its way: this one command goes to where it is going."""
        host, _, port = refused.reply.rpartition(" ")[2].rpartition(":")
        pipeline = self._pipeline((host, int(port)))
        # Given together they travel together, with nothing in between.
        asked = pipeline.submit(key, _ASKING), pipeline.submit(key, packed)
        return (await asyncio.gather(*asked))[1]

    async def aclose(self) -> None:
        """Let go of the nodes."""
        await asyncio.gather(*(pipeline.aclose() for pipeline in self._pipelines.values()))
