"""The matches that a process has at hand: bounded, and only an optimisation."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from types import TracebackType
from typing import Final

from referee.core.match import Match
from referee.core.rules import Rules
from referee.service.asking.access import Bearer, no_match
from referee.store import StoreAway

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Turnstile(asyncio.Lock):
    """A lock: one after another, but all that wait fail with one that finds the store away.

    Otherwise each would wait for the store by itself, and the last of many for minutes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._failures = 0

    async def __aenter__(self) -> None:
        failures = self._failures
        await self.acquire()
        if self._failures != failures:
            self.release()
            raise StoreAway("the store went away while this waited for its turn")

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(fault, StoreAway):
            self._failures += 1
        self.release()


class Resident:
    """One match at hand: the state that was last seen in its log, None before the first look.

    Whoever changes it, or needs it to hold still, has its ``lock``. ``tail`` is the commit that
    the state ends with, in its exact bytes; ``past`` holds states gone by, by version.
    """

    __slots__ = ("id", "lock", "match", "past", "rules", "tail")

    def __init__(self, match_id: str) -> None:
        self.id = match_id
        self.lock = Turnstile()
        self.match: Match | None = None
        self.tail: bytes | None = None
        self.rules: Rules | None = None
        self.past: OrderedDict[int, Match] | None = None

    def forget(self) -> None:
        """What was known is not to be relied on: the next look reads the whole log."""
        self.match = self.tail = self.past = None


class Residents:
    """At most ``capacity`` matches, the least recently used leaving first."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._held: OrderedDict[str, Resident] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def find(self, match_id: str, bearer: Bearer | None) -> Resident:
        """The resident of that id, new where it is not at hand.

        Raises:
            Unauthorized, UnknownMatch: no match can have that id.
        """
        resident = self._held.get(match_id)
        if resident is None:
            if not _ID.fullmatch(match_id):
                raise no_match(match_id, bearer)
            resident = self._held[match_id] = Resident(match_id)
            if len(self._held) > self._capacity:
                self._make_room()
        else:
            self._held.move_to_end(match_id)
        return resident

    def drop(self, resident: Resident) -> None:
        """Let one go, unless somebody waits for it."""
        if self._held.get(resident.id) is resident:
            del self._held[resident.id]

    def _make_room(self) -> None:
        """Let the eldest go that nobody uses: two of one match would be in each other's way."""
        for match_id, resident in self._held.items():
            if not resident.lock.locked():
                del self._held[match_id]
                return
