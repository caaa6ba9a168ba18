"""One commit's worth of work: judged on a known state, again when that has moved on.

A turn says what is to happen to a match; `Taker.take` sees that it happens once, on the state
that the log really has. What a turn raises is final only where that state is known to be current.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from msgspec import Struct

from referee.core.commit import head_after, open_envelope
from referee.core.game import Asker, Command, Event
from referee.core.idempotency import key_version
from referee.core.judging import Malformed, NotAllowed
from referee.core.match import Match
from referee.core.rules import Decided, Rules, past_among
from referee.core.ruling import Refusal
from referee.core.table.commands import ExcuseOutage, ReissueToken
from referee.core.visibility import ORGANIZER, Viewer, seat_viewer
from referee.service.asking.access import Bearer, asker_of, no_match, organizer_only
from referee.service.asking.bodies import Body, read_command
from referee.service.errors import (
    BadRequest,
    Crowded,
    Forbidden,
    KeyReused,
    Refused,
    ServiceError,
    StaleVersion,
)
from referee.service.summaries import new_summary
from referee.service.taking.residents import Resident, Residents
from referee.service.taking.salts import salt
from referee.service.taking.shelf import Shelf, unreadable
from referee.service.timing.outages import Outages
from referee.store import Conflict, CorruptLog, MatchStore, StoreAway

TRIES: Final = 32
"""Conflicts that one command endures before it is told to come back."""

At = Callable[[Match], int]
"""The time of judging: now in Unix ms, and never before the match's last commit."""


class Commanded(Struct, frozen=True, gc=False):
    """What a commit is made of before it is decided."""

    by: Asker
    command: Command
    key: str | None = None


class Taken(Struct, frozen=True, gc=False):
    """An accepted command: the commit as it stands in the log, now or long since."""

    rules: Rules
    match: str
    version: int
    at: int
    by: Asker
    events: tuple[Event, ...]
    head: bytes

    @property
    def viewer(self) -> Viewer:
        """As whom the one who asked sees the events."""
        return ORGANIZER if self.by.seat is None else seat_viewer(self.by.seat)


class Repeated(Exception):
    """The command was taken before, under the same key, as commit ``version``."""

    def __init__(self, version: int, rules: Rules, commanded: Commanded) -> None:
        super().__init__(version)
        self.version: Final = version
        self.rules: Final = rules
        self.commanded: Final = commanded


class Turn(Protocol):
    """What somebody wants of a match."""

    @property
    def bearer(self) -> Bearer | None:
        """Who wants it."""
        ...

    def ask(self, rules: Rules, match: Match, at: int) -> Commanded:
        """The command, and whose it is, as things stand in ``match``.

        Raises `ServiceError`, `Refusal`, or `Repeated`.
        """
        ...


class SentCommand:
    """A command that came from outside, with its conditions.

    ``expected``: versions at which the sender wants it, None for any; ``seat``: for whom an
    organizer acts.
    """

    __slots__ = ("_body", "_command", "_expected", "_key", "_looked_up", "_seat", "bearer")

    def __init__(
        self,
        bearer: Bearer | None,
        body: Body,
        *,
        seat: int | None = None,
        expected: frozenset[int] | None = None,
        key: str | None = None,
    ) -> None:
        self.bearer = bearer
        self._body = body
        self._seat = seat
        self._expected = expected
        self._key = key
        self._looked_up = False
        self._command: Command | None = None

    def ask(self, rules: Rules, match: Match, at: int) -> Commanded:
        """Who may send it, what it is, whether it was taken before, whether it comes in time."""
        try:
            by = asker_of(match, self.bearer, self._seat, at)
        except Refusal:
            self._read(rules)  # what was refused is noted
            raise
        command = self._command or self._read(rules)
        key = self._key
        commanded = Commanded(by, command, key)
        if key is not None and not self._looked_up:
            before = key_version(match, by, key)
            if before is not None:
                raise Repeated(before, rules, commanded)
        if self._expected is not None and match.version not in self._expected:
            raise StaleVersion(match.setting.match, match.version)
        return commanded

    def _read(self, rules: Rules) -> Command:
        self._command = read_command(rules, self._body)
        return self._command

    def key_is_new(self) -> None:
        """Another key has the same digest, and this one was never used: look no more."""
        self._looked_up = True

    @property
    def command(self) -> Command | None:
        """The command, once it was read."""
        return self._command


class Reissue:
    """An organizer makes a seat's tokens so far void."""

    def __init__(self, bearer: Bearer | None, seat: int) -> None:
        self.bearer = bearer
        self._seat = seat

    def ask(self, rules: Rules, match: Match, at: int) -> Commanded:  # noqa: ARG002 - see Turn
        """The command that stands in the log."""
        organizer_only(self.bearer)
        return Commanded(Asker("organizer", None, at), ReissueToken(self._seat))


class NothingDue(Exception):
    """The service owes the match nothing now."""


class Overdue:
    """What the service itself owes a match: a flag that has fallen, a window that has closed."""

    bearer: Bearer | None = Bearer("organizer")

    def ask(self, rules: Rules, match: Match, at: int) -> Commanded:
        """The command that is due; raises `NothingDue`."""
        command = rules.overdue(match, at)
        if command is None:
            raise NothingDue
        return Commanded(Asker("service", None, at), command)


class Excuse:
    """Before anything else is judged: time in which nobody could move is charged to nobody."""

    bearer: Bearer | None = Bearer("organizer")

    def __init__(self, command: ExcuseOutage) -> None:
        self._command = command

    def ask(self, rules: Rules, match: Match, at: int) -> Commanded:  # noqa: ARG002 - see Turn
        """The command, stamped after the outages even where another process's clock is ahead."""
        return Commanded(
            Asker("service", None, max(at, self._command.outages[-1].until)), self._command
        )


class Observer(Protocol):
    """Who counts what happens."""

    def appended(self, seconds: float) -> None:
        """An append took so long."""
        ...

    def accepted(self, game: str) -> None:
        """A command was accepted."""
        ...

    def refused(self, game: str, ruling: str) -> None:
        """A command was refused."""
        ...


_FINAL_WHEN_CURRENT = (ServiceError, Refusal, Repeated, NotAllowed, Malformed, NothingDue)


class Taker:
    """Takes turns: loads, judges, appends."""

    def __init__(
        self,
        store: MatchStore,
        shelf: Shelf,
        residents: Residents,
        now: Callable[[], int],
        observer: Observer,
        outages: Outages | None,
    ) -> None:
        self._outages = outages
        self._store = store
        self._shelf = shelf
        self._residents = residents
        self._now = now
        self._observer = observer

    async def take(self, match_id: str, turn: Turn) -> Taken:
        """Make a turn the match's next commit.

        Raises:
            ServiceError: what the turn raised on the current state; a `Refused` for a refusal.
            Repeated: it was taken before.
            StoreAway: the store is away.
        """
        resident = self._residents.find(match_id, turn.bearer)
        async with resident.lock:
            try:
                current = resident.match is None
                if current:
                    await self._shelf.catch_up(resident)
                for _ in range(TRIES):
                    taken = await self._try(resident, turn, current=current)
                    if taken is not None:
                        return taken
                    current = True
            finally:
                if resident.match is None:
                    self._residents.drop(resident)
        raise Crowded(match_id)

    async def _try(self, resident: Resident, turn: Turn, *, current: bool) -> Taken | None:
        """One attempt on the state at hand; None where another is needed, on a current state.

        ``current``: the state is known to be the log's, so that what the turn raises is final.
        """
        match, rules = resident.match, resident.rules
        if match is None or rules is None:
            raise no_match(resident.id, turn.bearer)
        due = rules.deadline(match)
        excuse: Excuse | None = None
        try:
            asked = turn.ask(rules, match, max(self._now(), match.at))
            if due is not None and (excuse := await self._excuse(rules, match)) is not None:
                asked = excuse.ask(rules, match, max(self._now(), match.at))
            decided = await self._decide(resident, rules, match, asked)
            await self._append(resident, rules, match, decided, due)
        except _FINAL_WHEN_CURRENT as fault:
            if current or not await self._shelf.catch_up(resident):
                raise as_answer(fault, rules, match) from None
            return None
        except Conflict:
            await self._shelf.catch_up(resident)
            return None
        if excuse is not None:
            return None
        after, by = decided.match, asked.by
        return Taken(rules, resident.id, after.version, by.at, by, decided.events, after.head)

    async def _excuse(self, rules: Rules, match: Match) -> Excuse | None:
        owed = None if self._outages is None else await self._outages.owed(rules, match)
        return None if owed is None else Excuse(owed)

    async def _decide(
        self, resident: Resident, rules: Rules, match: Match, asked: Commanded
    ) -> Decided:
        by, command, key = asked.by, asked.command, asked.key
        salted = None if key is not None else salt()
        past: dict[int, Match] = {}
        if (to := rules.recalls(match, command)) is not None:
            rules.judge(match, by, command)  # no log is read for what is refused
            past[to] = await self._shelf.past(resident, to)
        try:
            return rules.decide(match, by, command, key=key, salt=salted, past=past_among(past))
        except OverflowError:
            raise BadRequest("A number is beyond 64 bits.") from None

    async def _append(
        self, resident: Resident, rules: Rules, before: Match, decided: Decided, due: int | None
    ) -> None:
        """Append what was decided on ``before``, whose deadline is ``due``."""
        after = decided.match
        now_due = rules.deadline(after)
        # For the store 0 means that there is none any more, and None that it is as it was.
        change = None if now_due == due else now_due or 0
        started = time.perf_counter()
        try:
            await self._store.append(
                resident.id,
                after.version,
                decided.data,
                onto=resident.tail,
                summary=new_summary(before, after),
                deadline=change,
            )
        except Conflict:
            raise
        except CorruptLog as fault:
            resident.forget()
            raise unreadable(resident.id, fault) from fault
        except StoreAway as away:
            if away.outcome_unknown:
                resident.forget()
            raise
        except BaseException:  # cancelled, say: it may be in the log or not
            resident.forget()
            raise
        resident.match, resident.tail = after, decided.data
        self._observer.appended(time.perf_counter() - started)

    async def repeat(self, match_id: str, repeated: Repeated) -> Taken | None:
        """The first answer again; None where another key only has the same digest.

        Raises:
            KeyReused: the first command was another one.
            StoreAway: the store is away, or cannot say that it will keep the commit.
        """
        version, rules, asked = repeated.version, repeated.rules, repeated.commanded
        data = await self._shelf.commit(match_id, version)
        commit = rules.read_commit(data)
        if (commit.key, commit.by) != (asked.key, str(asked.by)):
            return None
        if commit.cmd != asked.command:
            raise KeyReused(match_id, version)
        await self._store.confirm(match_id)
        head = head_after(open_envelope(data).prev, data)
        return Taken(rules, match_id, version, commit.at, asked.by, commit.ev, head)


def as_answer(fault: Exception, rules: Rules, match: Match) -> Exception:
    """What a turn raised, in the service's words."""
    if isinstance(fault, Refusal):
        return Refused(match.setting.match, match.version, rules, fault)
    if isinstance(fault, NotAllowed):
        return Forbidden(str(fault))
    if isinstance(fault, Malformed):
        return BadRequest("The command does not fit the match's options.", fault.errors)
    return fault
