"""Clusters, for real: several servers on this machine."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from redis.crc import key_slot

from referee.__main__ import main
from referee.archive import open_archive
from referee.service.lists import Wanted
from referee.store import Conflict, Due, Entry, InLists, Listed, MatchStore, StoreAway, heartbeat
from referee.store.scripts import TAGS, deadlines_key, log_key
from tests.archive.hall import Hall
from tests.clients import SECRET, order_of
from tests.service.desk import ORGANIZER, body, service_on
from tests.store.machines import (
    Server,
    eventually,
    minded,
    move_slot,
    opened,
    servers,
    wait_until,
)

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def nodes(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """A cluster of two primaries that share the slots."""
    folder = tmp_path_factory.mktemp("cluster")
    # `always`: under `everysec` a server answers before it writes while the last sync is slow,
    # and one that is killed then has lost what it acknowledged.
    kept = ("appendonly yes", "appendfsync always")
    coverage = "cluster-require-full-coverage no"  # or the others stop with one that is lost
    options = ("cluster-enabled yes", "cluster-node-timeout 5000", coverage, *kept)
    made = [Server(folder, *options, program=program) for _ in range(2)]
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
            await store.register(match, InLists(created, "g", "t"))
        watching = [store.subscribe(match, 0) for match in matches]
        following = [asyncio.ensure_future(anext(each)) for each in watching]
        await asyncio.gather(
            *(
                store.append(m, 1, m.encode(), summary=b"s", deadline=n)
                for n, m in enumerate(matches, 1)
            )
        )
        assert await asyncio.wait_for(asyncio.gather(*following), 30) == [
            Entry(1, match.encode()) for match in matches
        ]
        assert all(node.client.dbsize() > 0 for node in cluster)
        with pytest.raises(Conflict):
            await store.append("m0", 1, b"again")
        rows, more, whole = await store.matches(tournament="t", limit=3)
        assert rows == [Listed(f"m{n}", 1, b"s", n + 1, b"m%d" % n, 0) for n in (19, 18, 17)]
        assert more is not None
        assert whole
        assert [due.match for due in await store.due(3, 10)] == ["m0", "m1", "m2"]
        await store.set_deadline("m0", None, version=1)
        await store.set_deadline("m1", 99, version=1)
        await store.set_deadline("m2", 99, version=7)  # not its version
        assert [due.match for due in await store.due(3, 10)] == ["m2"]
        await store.append("m2", 2, b"2", deadline=50)  # there it is never raised
        assert [due.deadline for due in await store.due(10, 1)] == [3]
        keys = [f"key-{n}" for n in range(20)]
        assert [await store.claim(key, b"first") for key in keys] == [None] * 20
        assert [await store.claim(key, b"second") for key in keys] == [b"first"] * 20
        await store.note_refusal("m0", "0", b"r")
        assert await store.refusals("m0") == [b"r"]
        for match in matches:
            await store.append(match, await store.last(match) + 1, b"x", at=await store.time(match))


def test_a_node_that_would_stop_with_another_is_told_of(cluster: list[Server]) -> None:
    """By the doctor, which names it: a shard that is lost should stop no other."""
    environ = {"REFEREE_REDIS_URL": cluster_url(cluster), "REFEREE_SECRET": SECRET}
    for setting, status in (("yes", 1), ("no", 0)):
        cluster[1].client.config_set("cluster-require-full-coverage", setting)
        told = CliRunner().invoke(main, ["doctor"], env=environ)
        named = f"127.0.0.1:{cluster[1].port}: when another shard of the cluster is lost"
        assert (told.exit_code, named in told.stdout) == (status, bool(status)), told.stdout


async def test_matches_of_every_node_go_to_an_archive_and_come_back(
    cluster: list[Server], tmp_path: Path
) -> None:
    """With their rows in the lists of each primary."""
    matches = [f"m{n}" for n in range(6)]
    async with Hall(cluster_url(cluster), open_archive(str(tmp_path / "archive"))) as hall:
        for match in matches:
            await hall.over(match, tournament="T")
        assert sorted(await hall.archived()) == matches
        assert (await hall.moving.matches()).rows == []
        page = await hall.service.matches(ORGANIZER, Wanted(tournament="T"))
        assert sorted(row.match for row in page.matches) == matches
        for match in matches:
            assert await hall.restore(match)
        assert sorted(row.match for row in (await hall.moving.matches()).rows) == matches


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
        await asyncio.to_thread(move_slot, slot, source, target)
        await asyncio.sleep(0.1)
        stop.set()
        count = await writing
        assert target.client.xlen(log_key("m")) == count
        assert await store.read("m") == [Entry(v, b"%d" % v) for v in range(1, count + 1)]


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
        await store.ping()  # the other one takes its matches' commands
        await asyncio.to_thread(gone.start)
        await eventually(lambda: all(agreed(node, 2) for node in cluster))
        await store.append(mine, 2, b"2")
        assert await store.read(mine) == [Entry(1, b"1"), Entry(2, b"2")]


async def test_a_lost_primary_stops_its_own_matches_alone(cluster: list[Server]) -> None:
    """The others are listed, created and flagged as before, and with it back so are all."""
    async with opened(cluster_url(cluster)) as store, minded(store):
        first, second = ids_on_both(10)
        await eventually(
            lambda: store.now(first[0]) is not None and store.now(second[0]) is not None
        )
        for created, match in enumerate([*first, *second], 1):
            await store.register(match, InLists(created, "g", "t"))
            await store.append(match, 1, b"1", summary=b"s", deadline=created)
        cluster[1].stop()
        await eventually(lambda: store.away(second[0]))
        assert not store.away(first[0])
        rows, more, whole = await store.matches(tournament="t", limit=7)
        assert [row.match for row in rows] == first[:2:-1]
        assert not whole
        rest, more, whole = await store.matches(tournament="t", limit=7, before=more)
        assert [row.match for row in rest] == first[2::-1]
        assert (more, whole) == (None, False)
        assert [due.match for due in await store.due(99, 99)] == first
        service = service_on(store)
        made = [(await service.create(ORGANIZER, body(order_of(2)))).match for _ in range(12)]
        page = await service.matches(ORGANIZER, Wanted(), limit=12)
        assert ({row.match for row in page.matches}, page.incomplete) == ({*made}, True)
        times = [row.created for row in page.matches]  # several may be of one millisecond
        assert times == sorted(times, reverse=True)
        await store.append(first[0], 2, b"2", deadline=1)
        await asyncio.to_thread(cluster[1].start)
        async with asyncio.timeout(60):
            while not (await store.matches(tournament="t")).whole:  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(0.01)
        rows, more, _ = await store.matches(tournament="t")
        assert [row.match for row in rows] == [*second[::-1], *first[::-1]]
        assert more is None
        assert [due.match for due in await store.due(99, 99)] == [*first, *second]


async def test_crowds_of_another_primary_are_not_waited_for(cluster: list[Server]) -> None:
    """Who has much to read has it in turn, and a primary that hangs lets nobody have his."""
    async with opened(cluster_url(cluster)) as store:
        (here,), (there,) = ids_on_both(1)
        for match in (here, there):
            await store.append(match, 1, b"1")
        turns: Any = store
        async with turns.in_turn(there):
            waiting = asyncio.ensure_future(anext(store.subscribe(there, 0)))
            assert await anext(store.subscribe(here, 0)) == Entry(1, b"1")
            assert not waiting.done()
        assert await waiting == Entry(1, b"1")


def ids_on_both(count: int) -> tuple[list[str], list[str]]:
    """Ids of matches of the first primary, and of the second."""
    ids = [f"m{n}" for n in range(9 * count)]
    sides = ([m for m in ids if (key_slot(m.encode()) >= 8192) is side] for side in (False, True))
    first, second = (side[:count] for side in sides)
    return first, second


async def test_a_deadline_follows_its_match_to_another_primary(cluster: list[Server]) -> None:
    """Found where it was set before the slot moved, it is set once, where the match is now."""
    keys = map(deadlines_key, TAGS)
    there = next(key for key in keys if key_slot(key.encode()) >= 8192)
    (match, *_), _ = ids_on_both(1)
    async with opened(cluster_url(cluster)) as store:
        await store.append(match, 1, b"1")
        cluster[1].client.zadd(there, {match: 5})
        await eventually_due(store, match)
        assert cluster[1].client.zcard(there) == 0
        await store.set_deadline(match, None, version=1)
        assert await store.due(9, 9) == []


async def eventually_due(store: MatchStore, match: str) -> None:
    """Look until the match is due."""
    async with asyncio.timeout(60):
        while await store.due(9, 9) != [Due(match, 5)]:  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.01)


async def test_an_outage_is_that_of_one_primary(cluster: list[Server]) -> None:
    """While one is away the matches of the other are played on, and their clocks run."""
    async with opened(cluster_url(cluster)) as store, minded(store):
        ids = [f"m{n}" for n in range(99)]
        here, there = (
            next(m for m in ids if (key_slot(m.encode()) >= 8192) is second)
            for second in (False, True)
        )
        before = await store.time(there)
        assert before - 1000 < await store.time(here) < await store.time(there) + 1000
        await eventually(lambda: store.now(there) is not None)  # by the map of the cluster, too
        cluster[1].stop()
        stopped = await store.time(here)
        until = stopped + heartbeat.LONGEST_MS + 500
        while await store.time(here) < until:  # noqa: ASYNC110 - time is the event
            await asyncio.sleep(0.05)
        with pytest.raises(StoreAway):
            await store.time(there)
        await asyncio.to_thread(cluster[1].start)
        await eventually(lambda: bool(store.outages(there)))
        (outage,) = store.outages(there)
        assert before - 1000 < outage.from_ < stopped + 1000
        assert outage.until >= until
        assert store.outages(here) == ()


async def test_says_that_no_node_answers() -> None:
    """All nodes away is the store away, soon."""
    async with opened("redis+cluster://127.0.0.1:1,127.0.0.1:2") as store:
        async with asyncio.timeout(20):
            with pytest.raises(StoreAway, match="cannot be reached"):
                await store.append("m", 1, b"1")
