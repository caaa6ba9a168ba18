"""The matches that a process has at hand: what it knows of each, only to save itself work.

A process trusts its memory only as far as the log bears it out. Every look at the log reads from
the commit that was seen last, and compares that commit's bytes: where a failover has rewritten
history, what was known is thrown away and the whole log read again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from types import TracebackType
from typing import Any, Final, Self

import structlog
from msgspec import Struct

from referee.archive import STRANGER, TooManyLookups
from referee.core.commit import Commit
from referee.core.match import Match
from referee.core.patterns import MATCH_ID
from referee.core.rules import BadLog, Rules
from referee.core.table.events import TakenBack
from referee.service.asking.requests import Bearer, no_match, vouched_for
from referee.service.logs import PAGE, Logs, folding
from referee.service.taking.keys import Keys
from referee.service.taking.past import Past
from referee.store import StoreAway

log = structlog.get_logger(__name__)


class Known(Struct, frozen=True, gc=False):
    """A match as it was last seen in its log.

    `tail`: the exact bytes of its last commit; `deadline`: when something is due, Unix ms.
    """

    rules: Rules
    match: Match
    tail: bytes
    deadline: int | None


def known_of(rules: Rules, match: Match, tail: bytes) -> Known:
    """What is known of a match that ends with the commit `tail`."""
    return Known(rules, match, tail, rules.deadline(match))


class Resident:
    """One match at hand, for one at a time: `async with` it to have it hold still.

    `known` is what was last seen of it, None before the first look and where that is not to be
    relied on any more; `keys` are those that were used up to there. Replicas may lack the end of
    it, which a failover then takes away: what a look tells is confirmed, so that nobody sees that.

    All that wait fail with one that finds the store away: otherwise each would wait for the store
    by itself, and the last of many for minutes.
    """

    __slots__ = (
        "_confirmed", "_failures", "_lock", "_logs", "_looks", "_past", "_residents", "id", "keys",
        "known",
    )  # fmt: skip

    def __init__(self, match_id: str, logs: Logs, residents: OrderedDict[str, Resident]) -> None:
        self.id: Final = match_id
        self.known: Known | None = None
        self._confirmed: Known | None = None
        self.keys: Final = Keys()
        self._logs = logs
        self._residents = residents
        self._lock = asyncio.Lock()
        self._failures = 0
        self._looks: dict[bool, asyncio.Task[Known | None]] = {}  # that have not begun
        self._past = Past(match_id, logs)

    @property
    def busy(self) -> bool:
        """Somebody has it hold still, or is about to."""
        return self._lock.locked() or bool(self._looks)

    async def __aenter__(self) -> Self:
        failures = self._failures
        await self._lock.acquire()
        if self._failures != failures:
            self._lock.release()
            raise StoreAway("the store went away while this waited for its turn")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(fault, StoreAway) and not isinstance(fault, TooManyLookups):
            self._failures += 1
        if self.known is None and self._residents.get(self.id) is self:
            del self._residents[self.id]
        self._lock.release()

    async def look(self, bearer: Bearer | None) -> Known:
        """The match as its log has it now: the very `known` where that is still so.

        Raises:
            Unauthorized, UnknownMatch: there is no such match.
            Unserved: the log cannot be read by this process.
            StoreAway: the store is away.
        """
        return self._found(await self._look(stranger=not vouched_for(self.id, bearer)), bearer)

    async def seen(self, bearer: Bearer | None) -> Known:
        """The same without holding still: one look serves all who wait for it to begin.

        Raises what `look` raises.
        """
        stranger = not vouched_for(self.id, bearer)
        look = self._looks.get(stranger)
        if look is None:
            look = self._looks[stranger] = asyncio.ensure_future(
                self._look_for_all(stranger=stranger)
            )
            look.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._found(await asyncio.shield(look), bearer)

    async def _look_for_all(self, *, stranger: bool) -> Known | None:
        async with contextlib.AsyncExitStack() as held:
            try:
                await held.enter_async_context(self)
            finally:
                del self._looks[stranger]  # whoever comes now may know of something later
            return await self._look(stranger=stranger)

    def _found(self, known: Known | None, bearer: Bearer | None) -> Known:
        if known is None:
            raise no_match(self.id, bearer)
        return known

    async def _look(self, *, stranger: bool) -> Known | None:
        STRANGER.set(stranger)
        while True:
            before = self.known
            known = self.known = await (self._load() if before is None else self._follow(before))
            if known is None or known is self._confirmed or await self._confirm(known):
                self._confirmed = known
                return known

    async def _confirm(self, known: Known) -> bool:
        """Whether it is what the log holds, for good."""
        return await self._logs.confirm(self.id, known.match.version, known.tail)

    async def _load(self) -> Known | None:
        self.known = None
        self.keys.clear()
        self._past.clear()
        commits = await self._logs.after(self.id, 0, PAGE)
        if not commits:
            return None
        self._logs.observer.counted("loaded")
        with folding(self.id):
            rules = self._logs.rules_of(self.id, commits[0])
            known = await self._read_on(rules, None, commits)
            setting = known.match.setting
            if (setting.match, setting.ruleset) != (self.id, rules.game.ruleset):
                raise BadLog(f"this is the log of {setting.match} by {setting.ruleset}")
        return known

    async def _follow(self, before: Known) -> Known | None:
        version = before.match.version
        # As many more as lead to where a state is kept: pages end at multiples of `PAGE`.
        tail, *more = await self._logs.after(self.id, version - 1, PAGE + 1 - version % PAGE) or [
            b""
        ]
        if tail != before.tail:
            log.warning("the log was rewritten", match=self.id, version=version)
            self._logs.observer.counted("rewritten")
            return await self._load()
        if not more:
            return before
        self.known = None  # until all of it is read
        try:
            return await self._read_on(before.rules, before.match, more)
        except StoreAway:
            raise
        except Exception:  # noqa: BLE001 - whatever the tail does not fit, the whole log will tell
            return await self._load()

    async def _read_on(self, rules: Rules, match: Match | None, commits: list[bytes]) -> Known:
        """What is known after one or more commits and all behind them, a page at a time."""
        found: dict[int, Match] = {}
        while True:
            tail = commits[-1]
            match = await self._past.fold(rules, match, commits, found, self._note)
            if match.version % PAGE:  # the page was not full: there are no more
                return known_of(rules, match, tail)
            commits = await self._logs.after(self.id, match.version, PAGE)
            if not commits:
                return known_of(rules, match, tail)

    def begin(self, known: Known) -> None:
        """The match was created, and this is known then, unless somebody has looked already."""
        if self.known is None:
            self.known = self._confirmed = known
            self._note(known.rules.read_commit(known.tail))

    def went_on(self, known: Known, commit: Commit[Any, Any]) -> None:
        """This commit was appended, and that is what is known then."""
        self.known = self._confirmed = known
        self._note(commit)
        back = [event.to for event in commit.ev if type(event) is TakenBack]
        if back or not commit.v % PAGE:
            self._past.went_on(known.match, back)

    def _note(self, commit: Commit[Any, Any]) -> None:
        if commit.key is not None:
            self.keys.add(commit.v, commit.by, commit.key)

    async def past(self, now: Known, version: int) -> Match:
        """The match as it stood after commit `version`, 1 to its present one.

        Raises what `look` raises.
        """
        if version == now.match.version:
            return now.match
        with folding(self.id):
            return await self._past.at(now.rules, version)


class Residents:
    """At most `capacity` matches, the least recently used leaving first."""

    def __init__(self, logs: Logs, capacity: int) -> None:
        self.logs: Final = logs
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
        if resident is not None:
            self._held.move_to_end(match_id)
            return resident
        if not MATCH_ID.fullmatch(match_id):
            raise no_match(match_id, bearer)
        resident = self._held[match_id] = Resident(match_id, self.logs, self._held)
        if len(self._held) > self._capacity:
            self._make_room()
        return resident

    def _make_room(self) -> None:
        """Let the eldest go that nobody uses: two of one match would be in each other's way."""
        for match_id, resident in self._held.items():
            if not resident.busy:
                del self._held[match_id]
                return
