"""Two services on a store under load, while harm is done to it, and what must hold all the same."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from pathlib import Path
from typing import Final, TypeVar

from tests.cluster.nodes import ClusterNodes, Nodes
from tests.live.servers import Server
from tests.proof.tables import Tables
from tests.store import machines

Done = TypeVar("Done")

BACK_S: Final = 10.0
"""The service is back by itself in this, where a server starts in the usual time."""
ENOUGH: Final = 40
"""Commands before harm is done, and after it is mended."""
SHARDS: Final = 3


class Load:
    """Everybody at the tables, of which each plays in a shard of its own where there are some."""

    def __init__(self, nodes: Nodes, services: list[Server]) -> None:
        self.nodes, self.services = nodes, services
        self.tables: Final = Tables(self._urls, SHARDS, match_id=self._match_id)

    def _urls(self) -> list[str]:
        return [service.url for service in self.services]

    def _match_id(self, place: int) -> str:
        ids = (f"t{place}-{secrets.token_hex(8)}" for _ in itertools.count())
        nodes = self.nodes
        return next(
            one for one in ids if not isinstance(nodes, ClusterNodes) or nodes.shard(one) == place
        )

    def match(self, place: int = 0) -> str:
        """The match that is played at a table."""
        return self.tables.at[place].match

    async def back(self, places: Iterable[int] = range(SHARDS)) -> None:
        """Wait until each of the tables had a command taken that was sent from now on, in time."""
        since, took, waiting = time.monotonic(), 0.0, set(places)
        limit = BACK_S * max(service.slowness for service in self.services)
        while waiting:
            waiting = {place for place in waiting if self.tables.at[place].answered < since}
            took = time.monotonic() - since
            assert took < limit, (waiting, [service.log[-20:] for service in self.services])
            await asyncio.sleep(0.02)
        print(f"back after {took:.1f} s of {limit:.1f}")  # noqa: T201 - shown with -s

    async def taken_over(self, victim: machines.Server) -> None:
        """Wait until another server is the primary of what is played at the first table."""
        nodes = self.nodes
        async with asyncio.timeout(60):
            while await asyncio.to_thread(nodes.primary, self.match()) is victim:  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    async def well(self) -> None:
        """Wait until all servers run, and have what they should."""
        async with asyncio.timeout(120):
            while not await asyncio.to_thread(self.nodes.well):  # noqa: ASYNC110
                await asyncio.sleep(0.05)


async def repeated(attempt: Callable[[], Done], slowness: float = 1.0) -> Done:
    """What comes of it once it is taken, as clients go on trying while the store is away."""
    async with asyncio.timeout(60 * slowness):
        while True:
            with contextlib.suppress(AssertionError):
                return await asyncio.to_thread(attempt)
            await asyncio.sleep(0.1)


@contextlib.asynccontextmanager
async def under_load(nodes: Nodes, services: list[Server], folder: Path) -> AsyncGenerator[Load]:
    """Play while this lasts.

    In the end no acknowledged commit is lost and none doubled, no stream has a gap, and every log
    verifies.
    """
    load = Load(nodes, services)
    await load.well()
    async with load.tables.playing(folder.name):
        await load.tables.played(ENOUGH)
        yield load
        await load.tables.played(ENOUGH)
    await load.tables.end()
    load.tables.judge(folder)
    command = [sys.executable, "-m", "replay", "verify", str(folder)]
    verdict = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, check=False
    )
    assert verdict.returncode == 0, verdict.stdout[-3000:]
