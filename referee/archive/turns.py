"""Turns at looking something up: so many a second, and strangers have only a share of them."""

import asyncio
import time
from collections import deque
from contextvars import ContextVar
from typing import Final

from referee.archive.places import ArchiveAway

STRANGER: Final[ContextVar[bool]] = ContextVar("stranger", default=False)
"""Whether whoever asks now shows nothing by which the match that he asks for is his to know of."""
WAITING: Final = 20
"""Those that wait for a turn; more are told to come back."""


class TooManyLookups(ArchiveAway):
    """More is looked up in the archive than is allowed at once."""

    def __init__(self) -> None:
        super().__init__("too much is looked up in the archive at once")


class Turns:
    """At most so many begin within any second; the next wait, and are served as they came."""

    def __init__(self, most: int) -> None:
        self._begun: Final[deque[float]] = deque(maxlen=most)
        self._one: Final = asyncio.Lock()
        self._waiting = 0

    async def wait(self) -> None:
        """Wait for one's turn.

        Raises:
            TooManyLookups: enough wait already.
        """
        if self._waiting >= WAITING:
            raise TooManyLookups
        self._waiting += 1
        try:
            async with self._one:
                if len(self._begun) == self._begun.maxlen:
                    await asyncio.sleep(max(0.0, self._begun[0] + 1.0 - time.monotonic()))
                self._begun.append(time.monotonic())
        finally:
            self._waiting -= 1
