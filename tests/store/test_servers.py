"""Replicas, Sentinels and clusters, for real: several servers on this machine."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest
from redis.crc import key_slot

from referee.store import (
    Conflict,
    Entry,
    Listed,
    MatchStore,
    Outage,
    Rewritten,
    StoreAway,
    feed,
)
from referee.store import open_store as open_at
from referee.store.connection import pipeline
from referee.store.scripts import log_key
from tests.store.machines import CUT_AFTER, Server, eventually, once, proxy, servers, wait_until


@contextlib.asynccontextmanager
async def opened(url: str, min_replicas: int = 0) -> AsyncGenerator[MatchStore]:
    """A store, closed in the end."""
    store = open_at(url, min_replicas=min_replicas)
    try:
        yield store
    finally:
        await store.aclose()


def linked(primary: Server) -> bool:
    """Whether a replica has what is written to its primary (when just linked, not for a second)."""
    primary.client.set("written", "1")
    return bool(primary.client.wait(1, 500) == 1)


# ---- replicas


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Server, Server]]:
    """A primary and a replica that follows it."""
    primary = Server(tmp_path)
    replica = Server(tmp_path, f"replicaof 127.0.0.1 {primary.port}")
    with servers(primary, replica):
        wait_until(lambda: linked(primary))
        yield primary, replica


async def test_a_replica_has_what_was_acknowledged(pair: tuple[Server, Server]) -> None:
    """With `min_replicas`, whatever returned is on the replica at that moment."""
    primary, replica = pair
    async with opened(primary.url, 1) as store:
        for version in range(1, 21):
            await store.append("m", version, b"%d" % version)
            assert replica.client.xlen(log_key("m")) == version
        await asyncio.gather(*(store.append(f"n{n}", 1, b"1") for n in range(50)))
        assert all(replica.client.exists(log_key(f"n{n}")) for n in range(50))
        await store.confirm("m")


async def test_without_its_replica_an_append_is_unknown_and_not_shown(
    pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Applied but not safe: neither acknowledged nor shown live, until it is confirmed."""
    monkeypatch.setattr(pipeline, "WAIT_MS", 700)
    monkeypatch.setattr(feed, "SWEEP_S", 0.2)
    primary, replica = pair
    async with opened(primary.url, 1) as store:
        watching = store.subscribe("m", 0)
        await store.append("m", 1, b"1")
        assert await asyncio.wait_for(anext(watching), 2) == Entry(1, b"1")
        replica.pause()
        with pytest.raises(StoreAway) as away:
            await store.append("m", 2, b"2")
        assert away.value.outcome_unknown
        with pytest.raises(Conflict) as refused:
            await store.append("m", 2, b"other")
        assert refused.value.last == 2
        with pytest.raises(StoreAway, match="0 of 1 replicas"):
            await store.confirm("m")
        assert await store.read("m") == [Entry(1, b"1"), Entry(2, b"2")]
        following = asyncio.ensure_future(anext(watching))
        await asyncio.sleep(1)
        assert not following.done()
        replica.resume()
        assert await asyncio.wait_for(following, 5) == Entry(2, b"2")
        await store.confirm("m")


async def test_time_without_its_replica_is_an_outage(
    pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A beat that only the primary has is none: no append was acknowledged either."""
    monkeypatch.setattr(pipeline, "WAIT_MS", 200)
    primary, replica = pair
    async with opened(primary.url, 1) as store:
        for now in (1000, 1500):
            assert await store.beat(now, longest_ms=2000) == ()
        replica.pause()
        for now in (2000, 2500, 3000):
            with pytest.raises(StoreAway, match="0 of 1 replicas"):
                await store.beat(now, longest_ms=2000)
        replica.resume()
        assert await store.beat(9000, longest_ms=2000) == (Outage(1500, 9000),)


async def test_a_settled_append_waits_for_the_replicas_as_well(
    pair: tuple[Server, Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finding itself in the log is not enough where replicas must have it too."""
    monkeypatch.setattr(pipeline, "WAIT_MS", 700)
    primary, replica = pair
    async with proxy(tmp_path, primary.url) as wire, opened(wire.url, 1) as store:
        wire.judge = once(CUT_AFTER, b"one")
        await store.append("m", 1, b"one")
        assert CUT_AFTER in wire.seen
        assert replica.client.xlen(log_key("m")) == 1
        replica.pause()
        wire.judge = once(CUT_AFTER, b"two")
        with pytest.raises(StoreAway, match="0 of 1 replicas") as away:
            await store.append("m", 2, b"two")
        assert away.value.outcome_unknown
        replica.resume()
        await store.confirm("m")
        assert replica.client.xlen(log_key("m")) == 2


async def test_a_failover_that_lost_commits_is_seen(
    pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new primary never had the last commit: appends and watchers are told."""
    monkeypatch.setattr(feed, "SWEEP_S", 0.1)
    primary, replica = pair
    async with opened(primary.url) as before, opened(replica.url) as after:
        watching = after.subscribe("m", 0)
        for version in (1, 2):
            await before.append("m", version, b"%d" % version)
        assert await asyncio.wait_for(anext(watching), 2) == Entry(1, b"1")
        assert await asyncio.wait_for(anext(watching), 2) == Entry(2, b"2")
        with pytest.raises(StoreAway, match="replica"):
            await after.append("m", 3, b"3")
        replica.client.replicaof("NO", "ONE")
        await before.append("m", 3, b"3")  # too late: nobody follows any more
        with pytest.raises(Conflict) as refused:
            await after.append("m", 4, b"4")
        assert refused.value.last < 3
        replica.client.delete(log_key("m"))
        replica.client.xadd(log_key("m"), {"c": b"1"}, id="1-0")
        assert await asyncio.wait_for(anext(watching), 2) == Rewritten(1)


# ---- Sentinels


async def test_follows_the_primary_that_the_sentinels_name(tmp_path: Path) -> None:
    """The primary dies, a replica is promoted: appends go on there, by themselves."""
    primary = Server(tmp_path)
    replica = Server(tmp_path, f"replicaof 127.0.0.1 {primary.port}")
    watch = (
        f"sentinel monitor main 127.0.0.1 {primary.port} 1",
        "sentinel down-after-milliseconds main 500",
        "sentinel failover-timeout main 2000",
    )
    sentinel = Server(tmp_path, "--sentinel", *watch)
    with servers(primary, replica, sentinel):
        wait_until(lambda: linked(primary))
        wait_until(lambda: sentinel.client.sentinel_master("main")["num-slaves"] == 1)
        url = f"redis+sentinel://127.0.0.1:1,127.0.0.1:{sentinel.port}/main"
        async with opened(url, 1) as store, opened(url) as lax:
            watching = lax.subscribe("m", 0)
            await store.append("m", 1, b"1")
            assert await asyncio.wait_for(anext(watching), 2) == Entry(1, b"1")
            primary.stop()
            version = await _append_when_possible(lax, "m", 2)
            assert version == 2
            assert await lax.read("m") == [Entry(1, b"1"), Entry(2, b"2")]
            assert replica.client.xlen(log_key("m")) == 2
            assert await asyncio.wait_for(anext(watching), 10) == Entry(2, b"2")


async def _append_when_possible(store: MatchStore, match: str, version: int) -> int:
    """Append as a client would, again and again while the store is away."""
    until = time.monotonic() + 20
    while True:
        try:
            await store.append(match, version, b"%d" % version)
        except StoreAway:
            assert time.monotonic() < until
            await asyncio.sleep(0.2)
        except Conflict as conflict:
            return conflict.last  # an attempt that was in doubt was applied after all
        else:
            return version


async def test_says_that_no_sentinel_answers(tmp_path: Path) -> None:
    """All Sentinels away is the store away, soon."""
    async with opened("redis+sentinel://127.0.0.1:1,127.0.0.1:2/main") as store:
        async with asyncio.timeout(4):
            with pytest.raises(StoreAway, match="main"):
                await store.append("m", 1, b"1")


# ---- clusters


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """A cluster of two primaries that share the slots."""
    folder = tmp_path_factory.mktemp("cluster")
    options = ("cluster-enabled yes", "cluster-node-timeout 1000", "appendonly yes")
    made = [Server(folder, *options), Server(folder, *options)]
    with servers(*made):
        for node, slots in zip(made, [range(8192), range(8192, 16384)], strict=True):
            node.client.execute_command("CLUSTER ADDSLOTS", *slots)
        made[1].client.execute_command("CLUSTER MEET", "127.0.0.1", made[0].port)
        yield made


@pytest.fixture
def cluster(nodes: list[Server]) -> list[Server]:
    """That cluster, well and empty."""
    wait_until(lambda: all(agreed(node, len(nodes)) for node in nodes))
    for node in nodes:
        node.client.flushall()
    return nodes


def agreed(node: Server, count: int) -> bool:
    """Whether a node knows so many, and that all slots are held."""
    info = node.client.execute_command("CLUSTER INFO")
    return bool(info["cluster_state"] == "ok" and int(info["cluster_known_nodes"]) == count)


def cluster_url(nodes: list[Server]) -> str:
    """A URL that names a node that is not there, and one that is."""
    return f"redis+cluster://127.0.0.1:1,127.0.0.1:{nodes[0].port}"


async def test_a_cluster_keeps_the_whole_contract(cluster: list[Server]) -> None:
    """Logs on all nodes, lists, deadlines, refusals and live feeds, as on one server."""
    async with opened(cluster_url(cluster)) as store:
        await store.ping()
        matches = [f"m{n}" for n in range(20)]
        for created, match in enumerate(matches, 1):
            await store.register(match, created, game="g", tournament="t")
        watching = [store.subscribe(match, 0) for match in matches]
        following = [asyncio.ensure_future(anext(one)) for one in watching]
        await asyncio.gather(
            *(
                store.append(m, 1, m.encode(), summary=b"s", deadline=n)
                for n, m in enumerate(matches, 1)
            )
        )
        assert await asyncio.wait_for(asyncio.gather(*following), 5) == [
            Entry(1, match.encode()) for match in matches
        ]
        assert all(node.client.dbsize() > 0 for node in cluster)
        with pytest.raises(Conflict):
            await store.append("m0", 1, b"again")
        rows, more = await store.matches(tournament="t", limit=3)
        assert rows == [Listed(f"m{n}", 1, b"s", n + 1) for n in (19, 18, 17)]
        assert more is not None
        assert [one.match for one in await store.due(3, 10)] == ["m0", "m1", "m2"]
        await store.set_deadline("m0", None, version=1)
        await store.set_deadline("m1", 99, version=1)
        await store.set_deadline("m2", 99, version=7)  # not its version
        assert [one.match for one in await store.due(3, 10)] == ["m2"]
        await store.append("m2", 2, b"2", deadline=50)  # there it is never raised
        assert [due.deadline for due in await store.due(10, 1)] == [3]
        await store.note_refusal("m0", b"r")
        assert await store.refusals("m0") == [b"r"]
        await store.beat(1000, longest_ms=2000)
        assert await store.beat(9000, longest_ms=2000) == (Outage(1000, 9000),)


async def test_follows_a_match_that_moves_to_another_node(cluster: list[Server]) -> None:
    """While its slot moves and after it has: not one append fails or is lost."""
    async with opened(cluster_url(cluster)) as store:
        slot = key_slot(log_key("m").encode())
        source, target = cluster if slot < 8192 else cluster[::-1]
        stop = asyncio.Event()

        async def write() -> int:
            version = 0
            while not stop.is_set():
                version += 1
                await store.append("m", version, b"%d" % version)
                await asyncio.sleep(0.001)
            return version

        writing = asyncio.ensure_future(write())
        await asyncio.sleep(0.1)
        await asyncio.to_thread(move, slot, source, target)
        await asyncio.sleep(0.1)
        stop.set()
        count = await writing
        assert target.client.xlen(log_key("m")) == count
        assert await store.read("m") == [Entry(v, b"%d" % v) for v in range(1, count + 1)]


def move(slot: int, source: Server, target: Server) -> None:
    """Move one slot as an administrator would."""
    ids = [str(node.client.execute_command("CLUSTER MYID"), "ascii") for node in (source, target)]
    target.client.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", ids[0])
    source.client.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", ids[1])
    time.sleep(0.05)
    keys = source.client.execute_command("CLUSTER GETKEYSINSLOT", slot, 100)
    where = ("127.0.0.1", target.port, "", 0, 1000)
    source.client.execute_command("MIGRATE", *where, "KEYS", *keys)
    time.sleep(0.05)
    for node in (target, source):
        node.client.execute_command("CLUSTER SETSLOT", slot, "NODE", ids[1])


async def test_a_cluster_without_one_of_its_nodes_is_away_and_comes_back(
    cluster: list[Server],
) -> None:
    """Away while it lasts, and well again afterwards."""
    async with opened(cluster_url(cluster)) as store:
        gone = cluster[1]
        mine = next(f"m{n}" for n in range(99) if key_slot(log_key(f"m{n}").encode()) >= 8192)
        await store.append(mine, 1, b"1")
        gone.stop()
        await asyncio.sleep(0.05)
        with pytest.raises(StoreAway):
            await store.append(mine, 2, b"2")
        with pytest.raises(StoreAway):
            await store.ping()
        await asyncio.to_thread(gone.start)
        await eventually(lambda: all(agreed(node, 2) for node in cluster))
        await store.append(mine, 2, b"2")
        assert await store.read(mine) == [Entry(1, b"1"), Entry(2, b"2")]
