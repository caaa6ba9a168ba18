"""Times in which nobody could move: what a process knows of them, and what a match is owed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from referee.core.match import Match
from referee.core.table.commands import ExcuseOutage, Outage
from referee.store import MatchStore

LONGEST_MS: Final = 2000
"""The longest silence of all processes together that is no outage."""
FRESH_S: Final = 1.0
"""How long a heartbeat says that there was no outage since: well below the longest silence."""


class Outages:
    """Beats for this process, and keeps what the store tells of outages.

    `now` gives Unix ms.
    """

    def __init__(self, store: MatchStore, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._known: tuple[Outage, ...] = ()
        self._fresh_until = 0.0
        self._beating: asyncio.Task[None] | None = None

    async def beat(self) -> None:
        """Say that this process can write, and learn of outages; all who wait share one beat.

        Raises:
            StoreAway: it cannot.
        """
        if self._beating is None or self._beating.done():
            self._beating = asyncio.ensure_future(self._beat())
        await asyncio.shield(self._beating)

    async def _beat(self) -> None:
        asked = time.monotonic()
        self._known = await self._store.beat(self._now(), longest_ms=LONGEST_MS)
        self._fresh_until = asked + FRESH_S

    async def owed(self, match: Match) -> ExcuseOutage | None:
        """The command by which the match is excused the outages since its last commit.

        None where there was none. Raises `StoreAway`.
        """
        if time.monotonic() >= self._fresh_until:
            await self.beat()
        since = tuple(
            Outage(max(outage.from_, match.at), outage.until)
            for outage in self._known
            if outage.until > match.at
        )
        return ExcuseOutage(since) if since else None
