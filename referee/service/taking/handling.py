"""How a command becomes a commit: look, ask, decide, append, answer.

A request says what is to happen to a match; `CommandHandler.handle` sees that it happens once, on
the state that the log really has. It begins with the state at hand, which may be out of date: an
append on a state that has moved on is a conflict, and an objection counts only where a look at the
log shows that the state was the present one. In either case everything is asked again.
"""

import time
from collections.abc import Iterable
from secrets import token_bytes
from typing import Final

from msgspec import UNSET, UnsetType

from referee.core.commit import SALT_BYTES, head_after, receipt_text
from referee.core.game import Asker, Command, Event
from referee.core.judging import Malformed, NotAllowed
from referee.core.match import GOES_ON, Match
from referee.core.rules import Decided, past_among
from referee.core.ruling import Refusal
from referee.core.table.commands import ExcuseOutage
from referee.core.visibility import ORGANIZER, events_seen, seat_viewer
from referee.service.answers import Accepted
from referee.service.asking.requests import Asked, Bearer, Request, SentCommand, check_place
from referee.service.errors import (
    Archived,
    BadRequest,
    Crowded,
    Forbidden,
    KeyReused,
    Refused,
    ServiceError,
    Unserved,
)
from referee.service.lists import summary_of
from referee.service.logs import unreadable
from referee.service.observing import Observer
from referee.service.receipts import Signer
from referee.service.taking.at_hand import Known, Resident, Residents, known_of
from referee.store import Conflict, CorruptLog, MatchStore, Outage, StoreAway, WrongTime

TRIES: Final = 32
"""Times that a command is tried, while others are quicker, before it is told to come back."""

_OBJECTIONS = (Conflict, ServiceError, Refusal, NotAllowed, Malformed)


class CommandHandler:
    """Takes what is requested of a match into its log."""

    def __init__(
        self,
        store: MatchStore,
        residents: Residents,
        observer: Observer,
        signer: Signer | None,
    ) -> None:
        self._store = store
        self._residents = residents
        self._observer = observer
        self._signer = signer

    async def handle(self, match_id: str, request: Request) -> Accepted:
        """Make what is requested the match's next commit, or give the answer it had before.

        Raises:
            ServiceError: it cannot be; a `Refused` for a refusal.
            StoreAway: the store is away.
        """
        async with self._residents.find(match_id, request.bearer) as resident:
            known = resident.known or await resident.look(request.bearer)  # LOOK
            for _ in range(TRIES):
                try:
                    asked = request.ask(known.rules, known.match, await self.at(known))  # ASK
                    earlier = await self._earlier(resident, known, asked, request.bearer)
                    if earlier is not None:
                        self._observer.counted("repeated")
                        return earlier
                    await self.check_held(known)
                    first = self._before(known, asked.by, asked.command)
                    decided = await self._decide(resident, known, first or asked)  # DECIDE
                    after = await self._append(resident, known, decided)  # APPEND
                except Unserved:
                    raise
                except WrongTime:
                    continue  # asked again, at the time that it is
                except _OBJECTIONS as objection:
                    known = await _newer(resident, known, objection, request.bearer)
                else:
                    if first is None:
                        return self._done(request, asked.by, after, decided.events)  # ANSWER
                    known = after
        raise Crowded(match_id)

    async def at(self, known: Known) -> int:
        """The time of judging, Unix ms: the store's, and never before the match's last commit.

        Raises:
            StoreAway: the store does not tell.
        """
        return max(await self._store.time(known.match.setting.match), known.match.at)

    async def ahead(
        self, resident: Resident, known: Known, by: Asker, command: Command | None = None
    ) -> Known:
        """The match as a command would find it, with what stands before that command.

        Nothing of it is appended. Raises what `Resident.look` raises.
        """
        while first := self._before(known, by, command):
            decided = await self._decide(resident, known, first)
            known = known_of(known.rules, decided.match, decided.data)
        return known

    async def _earlier(
        self, resident: Resident, known: Known, asked: Asked, bearer: Bearer | None
    ) -> Accepted | None:
        """The first answer again, where the command was taken before under the same key.

        Raises:
            Conflict: the match has moved on, and with it perhaps what stood there.
            KeyReused: another command was.
            StaleVersion: none was, and the match is at no place at which this one is wanted.
            StoreAway: the store is away, or cannot say that it will keep the log so far.
        """
        match, key = known.match, asked.key
        version = None if key is None else resident.keys.version_of(str(asked.by), key)
        earlier = None if version is None else await self._taken_as(version, known, asked)
        if earlier is None:
            check_place(asked.expected, match)
        elif (present := await resident.look(bearer)) is not known:
            raise Conflict(resident.id, match.version + 1, present.match.version)
        return earlier

    async def check_held(self, known: Known) -> None:
        """Return where the store holds the match's log: what is over may be in the archive.

        Raises:
            Archived: it does not.
        """
        match_id = known.match.setting.match
        if known.match.status not in GOES_ON and not await self._store.last(match_id):
            raise Archived(match_id)

    async def _taken_as(self, version: int, known: Known, asked: Asked) -> Accepted | None:
        """The commit of that version as an answer; None where only the digests of keys agree."""
        match_id = known.match.setting.match
        commits = await self._residents.logs.after(match_id, version - 1, 1)
        commit = known.rules.read_commit(commits[0]) if commits else None
        if commit is None or (commit.key, commit.by) != (asked.key, str(asked.by)):
            return None
        if commit.cmd != asked.command:
            raise KeyReused(match_id, version)
        head = head_after(commit.prev, commits[0])
        return self._answer(match_id, asked.by, version, commit.at, commit.ev, head)

    def _before(self, known: Known, by: Asker, command: Command | None) -> Asked | None:
        """What stands before a command: outages that are owed, then each flag that has fallen."""
        if known.deadline is None and by.role != "service":
            return None
        match = known.match
        # Before the deal no time counts.
        owed = match.dealt and outages_since(match, self._store.outages(match.setting.match), by.at)
        first = owed or known.rules.flag_before(match, by.at, command)
        return None if first is None else Asked(Asker("service", None, by.at), first)

    async def _decide(self, resident: Resident, known: Known, asked: Asked) -> Decided:
        """Judge a command and let it happen; nothing of it is in the log yet."""
        rules, match, by, command = known.rules, known.match, asked.by, asked.command
        past: dict[int, Match] = {}
        if (to := rules.recalls(match, command)) is not None:
            rules.judge(match, by, command)  # no log is read for what is refused
            past[to] = await resident.past(known, to)
        salt = token_bytes(SALT_BYTES)
        try:
            return rules.decide(match, by, command, key=asked.key, salt=salt, past=past_among(past))
        except OverflowError:
            raise BadRequest("A number is beyond 64 bits.") from None

    async def _append(self, resident: Resident, known: Known, decided: Decided) -> Known:
        """Append what was decided on `known`; what is known of the match then."""
        after = known_of(known.rules, decided.match, decided.data)
        started = time.perf_counter()
        resident.known = None  # until it is certain what has become of it
        try:
            await self._store.append(
                resident.id,
                after.match.version,
                after.tail,
                at=None if after.match.at == known.match.at else after.match.at,
                onto=known.tail,
                summary=_newly_listed(known, after),
                deadline=_newly_awaited(known, after),
            )
        except CorruptLog as fault:
            raise unreadable(resident.id, fault) from fault
        except (Conflict, WrongTime, StoreAway) as fault:
            if isinstance(fault, Conflict):
                self._observer.counted("conflict")
            if not (isinstance(fault, StoreAway) and fault.outcome_unknown):
                resident.known = known
            raise
        resident.went_on(after, decided.commit)
        self._observer.appended(time.perf_counter() - started)
        return after

    def _done(self, request: Request, by: Asker, after: Known, events: Iterable[Event]) -> Accepted:
        if isinstance(request, SentCommand):
            self._observer.accepted(after.rules.game.id)
        match = after.match
        return self._answer(match.setting.match, by, match.version, match.at, events, match.head)

    def _answer(
        self, match_id: str, by: Asker, version: int, at: int, events: Iterable[Event], head: bytes
    ) -> Accepted:
        """The answer to a command: what it became, with its events as its sender sees them."""
        viewer = ORGANIZER if by.seat is None else seat_viewer(by.seat)
        return Accepted(
            match=match_id,
            version=version,
            events=events_seen(version, at, events, viewer),
            head=head.hex(),
            receipt=self._receipt(match_id, version, head),
        )

    def _receipt(self, match_id: str, version: int, head: bytes) -> str | UnsetType:
        if self._signer is None:
            return UNSET
        return self._signer.sign(receipt_text(match_id, version, head.hex()))


async def _newer(
    resident: Resident, known: Known, objection: Exception, bearer: Bearer | None
) -> Known:
    """The match as it is now, where an objection was made to how it was before.

    Raises:
        ServiceError: the objection, made to the present state.
    """
    present = await resident.look(bearer)
    try:
        if present is known and not isinstance(objection, Conflict):
            raise as_answer(objection, known) from None
    finally:
        del objection  # its traceback leads here: in a ring it would wait for garbage collection
    return present


def _newly_listed(before: Known, after: Known) -> bytes | None:
    """What lists are to say of a match; None where they say it already.

    Of a tournament's match they say how it goes, which each commit changes.
    """
    was, match = before.match, after.match
    if (
        was.status == match.status
        and was.result is match.result
        and was.seats is match.seats
        and match.setting.tournament is None
    ):
        return None
    return summary_of(after.rules, match)


def _newly_awaited(before: Known, after: Known) -> int | None:
    """The store's deadline, when the service is to look: 0 for never, None that it is as it was.

    Each commit puts off when a match will have been idle for too long. Of that alone the store is
    not told: it looks too early, and is put right then.
    """
    if before.deadline == after.deadline and before.match.status == after.match.status:
        return None
    return after.rules.awaited(after.match) or 0


def outages_since(match: Match, known: Iterable[Outage], at: int) -> ExcuseOutage | None:
    """The command that excuses a match, at `at`, the outages since its last commit, if any."""
    since = tuple(
        Outage(max(outage.from_, match.at), min(outage.until, at))
        for outage in known
        if outage.until > match.at and outage.from_ < at
    )
    return ExcuseOutage(since) if since and match.at < at else None


def as_answer(objection: Exception, known: Known) -> Exception:
    """What is said against a command, in the service's words."""
    if isinstance(objection, Refusal):
        match = known.match
        return Refused(match.setting.match, match.version, known.rules, objection)
    if isinstance(objection, NotAllowed):
        return Forbidden(str(objection))
    if isinstance(objection, Malformed):
        return BadRequest("The command does not fit the match's options.", objection.errors)
    return objection
