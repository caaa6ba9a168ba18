"""What befalls the servers of a store, and loses nothing: with replicas that must have each commit.

On a Cluster of three primaries with two replicas each, and on a primary with two replicas under
three Sentinels.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.load import under_load
from tests.cluster.nodes import ClusterNodes, Nodes, SentinelNodes
from tests.live.servers import Server, eventually, serving

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

SHAPES: dict[str, Callable[[Path, Path], Nodes]] = {
    "cluster": lambda folder, program: ClusterNodes(folder, program, replicas=2),
    "sentinels": SentinelNodes,
}


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in SHAPES],
)
def nodes(
    request: pytest.FixtureRequest, program: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Nodes]:
    """The servers of either shape."""
    made = SHAPES[request.param](tmp_path_factory.mktemp(request.param), program)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def services(nodes: Nodes) -> Iterator[list[Server]]:
    """Two, for which one replica must have a commit before it counts."""
    with serving(nodes.url, 2, REFEREE_MIN_REPLICAS="1") as two:
        yield two


async def test_a_primary_that_is_killed(
    nodes: Nodes, services: list[Server], tmp_path: Path
) -> None:
    """A replica takes its place while it stays away, and it comes back as one."""
    async with under_load(nodes, services, tmp_path) as load:
        victim = await asyncio.to_thread(nodes.primary, load.match())
        with victim.away():
            await load.taken_over(victim)
            await load.back()
        await load.back()


async def test_a_primary_that_stands_still_and_is_back_as_an_old_one(
    nodes: Nodes, services: list[Server], tmp_path: Path
) -> None:
    """What it is told until it knows better counts for nothing."""
    async with under_load(nodes, services, tmp_path) as load:
        victim = await asyncio.to_thread(nodes.primary, load.match())
        with victim.paused():
            await load.taken_over(victim)
            await load.back()
        await load.back()


async def test_a_replica_that_is_away(nodes: Nodes, services: list[Server], tmp_path: Path) -> None:
    """There is another one: nobody waits."""
    async with under_load(nodes, services, tmp_path) as load:
        victim, *_ = await asyncio.to_thread(nodes.replicas, load.match())
        with victim.away():
            await load.back()


async def test_a_primary_that_is_full(nodes: Nodes, services: list[Server], tmp_path: Path) -> None:
    """Nothing is taken to it, and all goes on when there is room."""
    async with under_load(nodes, services, tmp_path) as load:
        victim = await asyncio.to_thread(nodes.primary, load.match())
        victim.client.config_set("maxmemory", "1mb")
        full = 'referee_unserved_total{cause="error-reply-oom"}'
        await eventually(lambda: any(one.metric(full) for one in services))
        victim.client.config_set("maxmemory", "0")
        await load.back()
