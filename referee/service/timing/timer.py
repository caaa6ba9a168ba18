"""Time-outs: each match has a process that begins with what is due in it; any other may.

A loop a process looks a little ahead into the store's deadlines and then sleeps until each to
the millisecond, by the clock of the match's primary. What is due becomes a commit like any other:
where another process was quicker, the append refuses ours, and there is nothing left to do. So
that they seldom are in each other's way, a process does what another is to begin with only when
that is late. A second loop looks further ahead, and has the matches at hand when their time comes.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from typing import Final

import structlog
from msgspec import Struct

from referee.service.answers import Accepted
from referee.service.observing import Observer
from referee.service.service import Service
from referee.store import Due, MatchStore, StoreAway, StoreError

log = structlog.get_logger(__name__)

AWAY_S: Final = 0.5
"""Seconds before a store that is away is asked again."""
LOOK_S: Final = 0.05
"""Seconds between two looks at the deadlines: a new one that is nearer is found that late."""
AHEAD_MS: Final = 100
"""How far ahead a look goes, so that whatever was there before is done in time."""
LATE_MS: Final = 250
"""How late what another process is to begin with has to be, before it is done here."""
AT_ONCE: Final = 256
"""Matches that are being dealt with at the same time, chosen from four times as many."""
LOAD_S: Final = 1.0
"""Seconds between two looks for matches to have at hand."""
LOAD_MS: Final = 5_000
"""How far ahead these go."""
LOADED_AT_ONCE: Final = 8
"""Matches that are loaded between two turns of others."""
LEAST_REST_S: Final = 1.0
MOST_REST_S: Final = 60.0
"""Seconds before a match that cannot be served is tried again: more each time, up to the most."""
MANY: Final = 200
"""Matches at rest that make the looks, which have to read past them, twice as rare."""


class _Rest(Struct, frozen=True):
    """A match that cannot be served, or is not due yet: how long it is left alone, until when."""

    seconds: float
    until: float


class Timer:
    """Does what falls due, and keeps the time for its process."""

    def __init__(self, store: MatchStore, service: Service, observer: Observer) -> None:
        self._store = store
        self._service = service
        self._observer = observer
        self._held: dict[str, asyncio.Task[None]] = {}
        self._resting: dict[str, _Rest] = {}
        self._expected = 0  # deadlines up to there were looked at to have their matches at hand

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Run while the context lasts."""
        work = (self._store.keep_time, self._look_on, self._load_on)
        loops = [asyncio.ensure_future(loop()) for loop in work]
        try:
            yield
        finally:
            tasks = [*loops, *self._held.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # ── Looking ─────────────────────────────────────────────────────────────────────────────

    async def _look_on(self) -> None:
        while True:
            pause = LOOK_S * (1 + len(self._resting) / MANY)
            try:
                await self._look()
            except StoreError:
                pause = AWAY_S
            except Exception:  # one bad look must not end all of them
                log.exception("a look at the deadlines failed")
                pause = AWAY_S
            await asyncio.sleep(pause)

    async def _look(self) -> None:
        """Take on what is due soon, and is not under way or resting."""
        self._observer.waiting(len(self._held) + len(self._resting))
        room = AT_ONCE - len(self._held)
        now = self._store.now()
        if room <= 0 or now is None:
            return
        most = 4 * AT_ONCE + len(self._held) + len(self._resting)
        found = await self._store.due(now + AHEAD_MS, most)
        new = [due for due in found if due.match not in self._held and not self._rests(due.match)]
        own = [due for due in new if self._store.begins(due.match)]
        late = [
            due for due in new if due.deadline < now - LATE_MS and not self._store.begins(due.match)
        ]
        # Whoever is to begin with those begins with the earliest.
        for due in [*own, *reversed(late)][:room]:
            self._hold(due)

    def _rests(self, match: str) -> bool:
        rest = self._resting.get(match)
        return rest is not None and time.monotonic() < rest.until

    def _hold(self, due: Due) -> None:
        task = asyncio.ensure_future(self._deal_with(due))
        self._held[due.match] = task
        task.add_done_callback(lambda _: self._held.pop(due.match, None))

    # ── Having matches at hand ──────────────────────────────────────────────────────────────

    async def _load_on(self) -> None:
        while True:
            try:
                await self._load()
            except StoreError:
                pass  # the other loop's to tell of
            except Exception:  # one bad look must not end all of them
                log.exception("matches that are soon due could not be loaded")
            await asyncio.sleep(LOAD_S)

    async def _load(self) -> None:
        """Have at hand, in time, those matches that this process is to begin with."""
        now = self._store.now()
        if now is None:
            return
        until, most = now + LOAD_MS, self._service.capacity // 2 + 1
        found = await self._store.due(until, most, after=max(self._expected, now))
        self._expected = found[-1].deadline if len(found) == most else until
        own = [due.match for due in found if self._store.begins(due.match)]
        for start in range(0, len(own), LOADED_AT_ONCE):
            some = map(self._service.expect, own[start : start + LOADED_AT_ONCE])
            await asyncio.gather(*some, return_exceptions=True)  # what cannot be is found out then

    # ── Dealing with one match ──────────────────────────────────────────────────────────────

    async def _deal_with(self, due: Due) -> None:
        while (left := self._left(due)) > 0:
            if left > 2 * AHEAD_MS:
                self._rest(due.match, min(left / 1000, LEAST_REST_S))
                return
            await asyncio.sleep(left / 1000)
        try:
            done = await self._service.overdue(due.match)
            if done is not None:
                self._met(due, done)
        except StoreAway:
            return  # the next look will find it again
        except Exception as fault:  # noqa: BLE001 - one match must not stop the others
            self._let_rest(due.match, fault)
        else:
            self._resting.pop(due.match, None)

    def _met(self, due: Due, done: Accepted) -> None:
        """One thing is done; where more is due in the match, the next look finds that."""
        late = round(-self._left(due) / 1000, 3)
        self._observer.met(late)
        log.info("met a deadline", match=due.match, version=done.version, late_s=late)

    def _left(self, due: Due) -> int:
        """Milliseconds until a deadline, by the clock of the match's primary, which may be behind.

        Where that clock is not known yet it is left to what is done then.
        """
        now = self._store.now(due.match)
        return 0 if now is None else due.deadline - now

    def _let_rest(self, match: str, fault: Exception) -> None:
        before = self._resting.get(match)
        seconds = LEAST_REST_S if before is None else min(2 * before.seconds, MOST_REST_S)
        log.error("what is due in a match cannot be done", match=match, fault=str(fault))
        self._observer.missed()
        self._rest(match, seconds)

    def _rest(self, match: str, seconds: float) -> None:
        self._resting[match] = _Rest(seconds, time.monotonic() + seconds)
