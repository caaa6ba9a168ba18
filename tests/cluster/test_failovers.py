"""What befalls the servers of a store, and loses nothing: with replicas that must have each commit.

On a Cluster of three primaries with two replicas each, and on a primary with two replicas under
three Sentinels.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.cluster.load import under_load
from tests.cluster.nodes import ClusterNodes, Nodes, SentinelNodes
from tests.live.servers import Server, eventually, serving

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]


@pytest.fixture(scope="class")
def nodes(
    request: pytest.FixtureRequest, program: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Nodes]:
    """The servers, of the shape of the class."""
    made = request.cls.make(tmp_path_factory.mktemp("nodes"), program)
    yield made
    made.stop()


@pytest.fixture(scope="class")
def services(nodes: Nodes) -> Iterator[list[Server]]:
    """Two, for which one replica must have a commit before it counts."""
    with serving(nodes.url, 2, REFEREE_MIN_REPLICAS="1") as two:
        yield two


class Failovers:
    """What happens to servers, whatever their shape."""

    async def test_a_primary_that_is_killed(
        self, nodes: Nodes, services: list[Server], tmp_path: Path
    ) -> None:
        """A replica takes its place while it stays away, and it comes back as one."""
        async with under_load(nodes, services, tmp_path) as load:
            victim = await asyncio.to_thread(nodes.primary, load.match())
            with victim.away():
                await load.back()
            await load.back()

    async def test_a_primary_that_stands_still_and_is_back_as_an_old_one(
        self, nodes: Nodes, services: list[Server], tmp_path: Path
    ) -> None:
        """What it is told until it knows better counts for nothing."""
        async with under_load(nodes, services, tmp_path) as load:
            victim = await asyncio.to_thread(nodes.primary, load.match())
            with victim.paused():
                await load.back()
            await load.back()

    async def test_a_replica_that_is_away(
        self, nodes: Nodes, services: list[Server], tmp_path: Path
    ) -> None:
        """There is another one: nobody waits."""
        async with under_load(nodes, services, tmp_path) as load:
            victim, *_ = await asyncio.to_thread(nodes.replicas, load.match())
            with victim.away():
                await load.back()

    async def test_a_primary_that_is_full(
        self, nodes: Nodes, services: list[Server], tmp_path: Path
    ) -> None:
        """Nothing is taken to it, and all goes on when there is room."""
        async with under_load(nodes, services, tmp_path) as load:
            victim = await asyncio.to_thread(nodes.primary, load.match())
            victim.client.config_set("maxmemory", "1mb")
            full = 'referee_unserved_total{cause="error-reply-oom"}'
            await eventually(lambda: any(one.metric(full) for one in services))
            victim.client.config_set("maxmemory", "0")
            await load.back()


class TestCluster(Failovers):
    """Three primaries, each with two replicas."""

    make = partial(ClusterNodes, replicas=2)


class TestSentinels(Failovers):
    """A primary with two replicas, and three Sentinels of which two must agree."""

    make = SentinelNodes
