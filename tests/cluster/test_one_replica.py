"""A Cluster of three primaries with one replica each: what it stands, and what it cannot."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.crc import key_slot

from referee.store.scripts import log_key
from tests.clients import GAME, ORGANIZER
from tests.cluster.load import Load, repeated, under_load
from tests.cluster.nodes import ClusterNodes
from tests.live.readers import listening
from tests.live.servers import Server, Table, eventually, serving
from tests.store import machines
from tests.store.machines import move_slot, wait_until

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def nodes(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterNodes]:
    """The Cluster."""
    made = ClusterNodes(tmp_path_factory.mktemp("cluster"), program, replicas=1)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def careful(nodes: ClusterNodes) -> Iterator[list[Server]]:
    """Two services, for which a replica must have a commit before it counts."""
    with serving(nodes.url, 2, REFEREE_MIN_REPLICAS="1") as two:
        yield two


@pytest.fixture(scope="module")
def fast(nodes: ClusterNodes) -> Iterator[list[Server]]:
    """Two services that wait for no replica."""
    with serving(nodes.url, 2) as two:
        yield two


async def stands(load: Load, place: int) -> None:
    """Nothing counts at a table, and everybody is told; what replicas have is told again."""
    since, game = time.monotonic(), load.tables.at[place]

    def unknown() -> int:
        return sum(sent.unknown for sent in game.history.sent.values())

    before = unknown()
    await eventually(lambda: unknown() >= before + 3)
    assert game.taken < since


async def test_a_primary_that_is_killed_is_needed_back(
    nodes: ClusterNodes, careful: list[Server], tmp_path: Path
) -> None:
    """Its replica takes its place, but has none of its own: nothing counts until the dead one is.

    The other shards play on.
    """
    async with under_load(nodes, careful, tmp_path) as load:
        victim = await asyncio.to_thread(nodes.primary, load.match())
        with victim.away():
            await load.back([1, 2])
            await load.taken_over(victim)
            await stands(load, 0)
        await load.back()


async def test_a_replica_that_is_away_is_waited_for(
    nodes: ClusterNodes, careful: list[Server], tmp_path: Path
) -> None:
    """Nothing counts in its shard, and the others play on."""
    async with under_load(nodes, careful, tmp_path) as load:
        (replica,) = await asyncio.to_thread(nodes.replicas, load.match())
        with replica.paused():
            await stands(load, 0)
            await load.back([1, 2])
        await load.back()


async def test_a_slot_that_moves_in_the_midst_of_play(
    nodes: ClusterNodes, careful: list[Server], tmp_path: Path
) -> None:
    """Its match is played on in the other shard."""
    async with under_load(nodes, careful, tmp_path) as load:
        slot = key_slot(log_key(load.match()).encode())
        source, target = [
            await asyncio.to_thread(nodes.primary, load.match(place)) for place in (0, 1)
        ]
        await asyncio.to_thread(move_slot, slot, source, target)
        assert await asyncio.to_thread(nodes.primary, load.match()) is target
        await load.back()


async def test_a_primary_that_is_killed_is_not_missed_where_no_replica_is_waited_for(
    nodes: ClusterNodes, fast: list[Server], tmp_path: Path
) -> None:
    """Play goes on in its shard; what the replica had not received is lost, and whoever saw it
    is told.
    """  # noqa: D205 - one claim
    await asyncio.to_thread(wait_until, nodes.well)
    table = await repeated(lambda: Table(fast[0], GAME, 3))
    await repeated(table.move)
    primary = nodes.primary(table.match)
    (replica,) = nodes.replicas(table.match)
    counted = [service.metric("referee_logs_rewritten_total") for service in fast]
    async with listening(table.url("/events?after=2"), ORGANIZER) as stream:
        await asyncio.to_thread(move_alone, primary, replica, table)
        lost = await stream.next()  # before it is lost, or nobody has seen it
        assert lost is not None
        assert lost.version == 3
        await asyncio.to_thread(primary.stop)
        replica.resume()
        told = await stream.next()
        assert told is not None
        assert (told.event, told.data) == ("rewritten", {"version": 2})
    await eventually(lambda: nodes.primary(table.match) is replica)
    headers = {"If-Match": f'"{lost.id}"'}
    answer = table.send(ORGANIZER, {"type": "pause"}, fast[1], **headers)
    assert answer.status_code == 412
    assert table.send(ORGANIZER, {"type": "pause"}, fast[1]).json()["version"] == 3
    assert sum(one.metric("referee_logs_rewritten_total") for one in fast) > sum(counted)
    await asyncio.to_thread(primary.start)


def move_alone(primary: machines.Server, replica: machines.Server, table: Table) -> None:
    """Have a commit acknowledged that no replica has."""
    replica.pause()
    assert primary.client.execute_command("CLIENT", "KILL", "TYPE", "replica") > 0
    assert table.move()["version"] == 3
