"""The service: everything that can be asked about matches. Knows no HTTP and no Redis.

Any process serves any match. What it remembers only saves it work: whatever it shows or refuses
is checked against the log first, and whatever it accepts is in the log before it is answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final

import msgspec
import structlog
from msgspec import UNSET, Struct

from referee.catalogue import Catalogue
from referee.core.commit import FORMAT, Header, head_after, open_envelope, write_match_file
from referee.core.game import Asker
from referee.core.judging import Malformed, NotAllowed
from referee.core.match import Match
from referee.core.randomness import commitment
from referee.core.rules import Rules
from referee.core.ruling import Refusal
from referee.core.visibility import Viewer
from referee.service.answers import (
    Accepted,
    Created,
    LegalCommands,
    Page,
    RefusedCommand,
    Reissued,
    SeenEvents,
    View,
)
from referee.service.asking import creating
from referee.service.asking.access import (
    Bearer,
    asker_of,
    may_read_log,
    no_match,
    organizer_only,
    viewer_of,
)
from referee.service.asking.bodies import Body, read_command
from referee.service.errors import (
    MatchTaken,
    Refused,
    UnknownMatch,
    UnknownVersion,
    Unserved,
)
from referee.service.lists import Lister, read_cursor
from referee.service.receipts import PublicKey, Signer
from referee.service.summaries import Status, summary_of
from referee.service.taking.residents import Resident, Residents
from referee.service.taking.shelf import Shelf, unreadable
from referee.service.taking.turns import (
    NothingDue,
    Observer,
    Overdue,
    Reissue,
    Repeated,
    SentCommand,
    Taken,
    Taker,
    as_answer,
)
from referee.service.timing.outages import Outages
from referee.store import Conflict, MatchStore, StoreError

log = structlog.get_logger(__name__)

CAPACITY: Final = 20_000
"""Matches at hand in a process."""
NOTES: Final = 256
"""Refusals on their way into the side record at once; more are not noted."""


def now_ms() -> int:
    """The time, Unix milliseconds."""
    return time.time_ns() // 1_000_000


class Nobody:
    """An `Observer` who counts nothing."""

    def appended(self, seconds: float) -> None:
        """Take no note."""

    def accepted(self, game: str) -> None:
        """Take no note."""

    def refused(self, game: str, ruling: str) -> None:
        """Take no note."""


class Audience(Struct, frozen=True):
    """A match as it stands, its rules, and as whom somebody may see it."""

    rules: Rules
    match: Match
    viewer: Viewer


class Service:
    """Takes commands and answers questions about matches.

    ``now`` gives Unix ms; ``signer`` signs receipts; ``allow_seed`` lets a creator choose seed
    and id; ``capacity`` is how many matches are kept at hand; ``outages`` knows the times in
    which nobody could move, and without it they are charged.
    """

    def __init__(  # noqa: PLR0913 - each by name, most with a default
        self,
        store: MatchStore,
        catalogue: Catalogue,
        *,
        now: Callable[[], int] = now_ms,
        signer: Signer | None = None,
        allow_seed: bool = False,
        capacity: int = CAPACITY,
        observer: Observer | None = None,
        outages: Outages | None = None,
    ) -> None:
        self.store = store
        self.catalogue = catalogue
        self._now = now
        self._signer = signer
        self._allow_seed = allow_seed
        self._observer: Observer = observer or Nobody()
        self._residents = Residents(capacity)
        self._shelf = Shelf(store, catalogue)
        self._taker = Taker(store, self._shelf, self._residents, now, self._observer, outages)
        self._lister = Lister(store)
        self._notes: set[asyncio.Task[None]] = set()

    @property
    def keys(self) -> list[PublicKey]:
        """The public keys of receipts: one, or none."""
        return [self._signer.public] if self._signer else []

    @property
    def residents(self) -> int:
        """How many matches are at hand."""
        return len(self._residents)

    # ── Creating ────────────────────────────────────────────────────────────────────────────

    async def create(self, bearer: Bearer | None, body: Body) -> Created:
        """Create a match as ordered in ``body`` (an `creating.NewMatch`).

        Raises:
            Unauthorized, Forbidden: only an organizer may.
            BadRequest, Misshapen: the order is not one that can be played.
            UnknownThing: there is no such game.
            SeedNotAllowed, MatchTaken: about a chosen seed or id.
            StoreAway: the store is away.
        """
        organizer_only(bearer)
        order = creating.read_order(body, self.catalogue)
        rules = creating.rules_for(order, self.catalogue, allow_seed=self._allow_seed)
        decided = creating.begun(order, rules, self._now())
        match = decided.match
        await self._begin(match, decided.data, rules, chosen=order.match is not None)
        setting = match.setting
        return Created(
            match=setting.match,
            game=rules.game.id,
            ruleset=setting.ruleset,
            version=match.version,
            seats=tuple(seat.name for seat in match.seats),
            seed_commitment=commitment(setting.seed),
            head=match.head,
        )

    async def _begin(self, match: Match, data: bytes, rules: Rules, *, chosen: bool) -> None:
        setting = match.setting
        name, game = setting.match, rules.game.id
        if chosen and await self.store.last(name):
            raise MatchTaken(name)
        created, tournament = setting.created, setting.tournament
        await self.store.register(name, created, game=game, tournament=tournament)
        summary, deadline = summary_of(match), rules.deadline(match)
        try:
            await self.store.append(name, 1, data, summary=summary, deadline=deadline)
        except Conflict:
            raise MatchTaken(name) from None

    # ── Commands ────────────────────────────────────────────────────────────────────────────

    async def command(
        self,
        match: str,
        bearer: Bearer | None,
        body: Body,
        *,
        seat: int | None = None,
        expected: frozenset[int] | None = None,
        key: str | None = None,
    ) -> Accepted:
        """Take a command, or repeat the answer that the same command got with the same key.

        ``seat``: the seat that an organizer acts for; ``expected``: versions at which alone the
        sender wants it taken; ``key``: 1 to 64 visible ASCII characters.

        Raises:
            Unauthorized, Forbidden, UnknownMatch: about who asks.
            BadRequest, Misshapen: it is no command.
            KeyReused, StaleVersion: about its conditions.
            Refused: it breaks a ruling; this is noted in the side record.
            Unserved, StoreAway: it cannot be taken now.
        """
        turn = SentCommand(bearer, body, seat=seat, expected=expected, key=key)
        try:
            taken = await self._taker.take(match, turn)
        except Refused as refused:
            self._observer.refused(refused.rules.game.id, refused.ruling)
            self._note(refused, turn, seat)
            raise
        except Repeated as repeated:
            return await self._repeat(match, turn, repeated)
        self._observer.accepted(taken.rules.game.id)
        return self._accepted(taken)

    async def _repeat(self, match: str, turn: SentCommand, repeated: Repeated) -> Accepted:
        before = await self._taker.repeat(match, repeated)
        if before is None:
            turn.key_is_new()
            before = await self._taker.take(match, turn)
            self._observer.accepted(before.rules.game.id)
        return self._accepted(before)

    def _accepted(self, taken: Taken) -> Accepted:
        match, version, head = taken.match, taken.version, taken.head
        return Accepted(
            match=match,
            version=version,
            events=taken.rules.seen(version, taken.at, taken.events, taken.viewer),
            head=head.hex(),
            receipt=self._signer.sign(match, version, head) if self._signer else UNSET,
        )

    def _note(self, refused: Refused, turn: SentCommand, seat: int | None) -> None:
        """Note a refusal beside the log, without anybody waiting for it."""
        if len(self._notes) >= NOTES:
            log.warning("a refusal was not noted: too many at once", match=refused.match)
            return
        bearer = turn.bearer
        own = bearer.seat if bearer else None
        record = RefusedCommand(
            at=self._now(),
            by=str(bearer),
            seat=own if seat is None else seat,
            version=refused.version,
            command=turn.command,
            ruling=refused.ruling,
            detail=str(refused),
        )
        task = asyncio.ensure_future(self._write_note(refused.match, record))
        self._notes.add(task)
        task.add_done_callback(self._notes.discard)

    async def _write_note(self, match: str, record: RefusedCommand) -> None:
        try:
            await self.store.note_refusal(match, record.packed())
        except StoreError as fault:
            log.warning("a refusal was not noted", match=match, fault=str(fault))

    async def check(
        self, match: str, bearer: Bearer | None, body: Body, *, seat: int | None = None
    ) -> None:
        """Return where a command would be taken; raises what `command` raises, notes nothing."""
        async with self._caught_up(match, bearer) as (rules, now):
            try:
                by = asker_of(now, bearer, seat, self._at(now))
                rules.judge(now, by, read_command(rules, body))
            except (Refusal, NotAllowed, Malformed) as fault:
                raise as_answer(fault, rules, now) from None

    async def reissue_token(self, match: str, bearer: Bearer | None, seat: int) -> Reissued:
        """Make a seat's tokens void and count up their generation, in the log.

        Raises:
            Refused: there is no such seat.
            Unauthorized, Forbidden, UnknownMatch, Unserved, StoreAway: as `command` does.
        """
        organizer_only(bearer)
        taken = await self._taker.take(match, Reissue(bearer, seat))
        generation: int = taken.events[0].generation  # type: ignore[attr-defined]
        return Reissued(match, seat, generation, taken.version)

    async def overdue(self, match: str) -> Accepted | None:
        """Do what the service itself owes a match by now; None where that is nothing.

        For whoever watches deadlines: any number of processes may call it, and one commit is
        made. Where nothing is due the store's deadline of the match is put right. Raises
        `Unserved`, `StoreAway`.
        """
        try:
            return self._accepted(await self._taker.take(match, Overdue()))
        except (NothingDue, UnknownMatch):
            await self._put_deadline_right(match)
            return None

    async def _put_deadline_right(self, match: str) -> None:
        deadline, version = None, 0
        with contextlib.suppress(UnknownMatch):
            async with self._caught_up(match, Overdue.bearer) as (rules, now):
                deadline, version = rules.deadline(now), now.version
        await self.store.set_deadline(match, deadline, version=version)

    # ── Looking ─────────────────────────────────────────────────────────────────────────────

    def _at(self, match: Match) -> int:
        return max(self._now(), match.at)

    @asynccontextmanager
    async def _current(self, match: str, bearer: Bearer | None) -> AsyncGenerator[Resident]:
        """A match as its log has it now, held still."""
        resident = self._residents.find(match, bearer)
        async with resident.lock:
            try:
                await self._shelf.catch_up(resident)
                if resident.match is None:
                    raise no_match(match, bearer)
                yield resident
            finally:
                if resident.match is None:
                    self._residents.drop(resident)

    @asynccontextmanager
    async def _caught_up(
        self, match: str, bearer: Bearer | None
    ) -> AsyncGenerator[tuple[Rules, Match]]:
        async with self._current(match, bearer) as resident:
            assert resident.rules is not None and resident.match is not None  # noqa: S101, PT018
            yield resident.rules, resident.match

    async def audience(self, match: str, bearer: Bearer | None) -> Audience:
        """A match as it stands now, and as whom the bearer may see it.

        What live streams begin with: they then follow ``store.subscribe`` and show each commit
        with ``rules.seen``. Raises what `view` raises.
        """
        async with self._caught_up(match, bearer) as (rules, now):
            return Audience(rules, now, viewer_of(now, bearer))

    async def view(self, match: str, bearer: Bearer | None, at: int | None = None) -> View:
        """A match as the bearer may see it, now or as it stood after commit ``at``.

        Raises:
            Unauthorized, UnknownMatch: about who asks.
            UnknownVersion: there is no commit ``at``.
            Unserved, StoreAway: it cannot be read now.
        """
        async with self._current(match, bearer) as resident:
            now, rules = resident.match, resident.rules
            assert now is not None and rules is not None  # noqa: S101, PT018 - it is current
            viewer = viewer_of(now, bearer)
            if at is not None and not 1 <= at <= now.version:
                raise UnknownVersion(match, at, now.version)
            shown = now if at is None else await self._shelf.past(resident, at)
            return View(shown.version, rules.view(shown, viewer))

    async def legal(
        self, match: str, bearer: Bearer | None, seat: int | None = None
    ) -> LegalCommands:
        """Every legal command of the bearer's seat, or of the seat an organizer acts for.

        Raises:
            Unauthorized, Forbidden, UnknownMatch, Unserved, StoreAway: as `command` does.
            Refused: the organizer names a seat that does not exist.
        """
        async with self._caught_up(match, bearer) as (rules, now):
            try:
                by = asker_of(now, bearer, seat, self._at(now))
            except Refusal as fault:
                raise as_answer(fault, rules, now) from None
            return _legal(rules, now, by)

    async def events(self, match: str, bearer: Bearer | None, after: int, limit: int) -> SeenEvents:
        """The events of at most ``limit`` commits after version ``after``, as the bearer may see.

        Raises what `view` raises, but no `UnknownVersion`: after the last there are none.
        """
        async with self._caught_up(match, bearer) as (rules, now):
            viewer = viewer_of(now, bearer)
            last = min(after + limit, now.version)
            commits = await self._shelf.commits_after(match, after, last)
            events = []
            for data in commits:
                commit = rules.read_commit(data)
                events += rules.seen(commit.v, commit.at, commit.ev, viewer)
            return SeenEvents(events, last if commits else now.version)

    async def log(self, match: str, bearer: Bearer | None) -> bytes:
        """The match file, as it stands now.

        Raises what `view` raises, and `Forbidden` where the bearer may not have it (yet).
        """
        async with self._caught_up(match, bearer) as (rules, now):
            may_read_log(now, bearer)
            commits = await self._shelf.commits(match, now.version)
        end = open_envelope(commits[-1])
        if head_after(end.prev, commits[-1]) != now.head:
            raise Unserved(match, "The log was rewritten this moment; ask again.", retry_after=1)
        signer = self._signer
        header = Header(
            format=FORMAT,
            match=match,
            game=rules.game.id,
            ruleset=now.setting.ruleset,
            head=now.head.hex(),
            count=now.version,
            public_key=signer.public.x if signer else UNSET,
            signature=signer.sign(match, now.version, now.head) if signer else UNSET,
        )
        return write_match_file(header, commits)

    async def refusals(self, match: str, bearer: Bearer | None) -> list[RefusedCommand]:
        """The refused commands of a match, the newest last (the last 500).

        Raises `Unauthorized`, `Forbidden`, `UnknownMatch`, `Unserved`, `StoreAway`.
        """
        organizer_only(bearer)
        async with self._caught_up(match, bearer):
            pass
        records = await self.store.refusals(match)
        try:
            return [msgspec.msgpack.decode(data, type=RefusedCommand) for data in records]
        except msgspec.DecodeError as fault:
            raise unreadable(match, fault) from fault

    async def matches(
        self,
        bearer: Bearer | None,
        *,
        game: str | None = None,
        tournament: str | None = None,
        status: Status | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """A page of matches, newest first; `cursor` is the one that the page before gave.

        Raises:
            Unauthorized, Forbidden: only an organizer may.
            BadRequest: no page gave that cursor.
            StoreAway: the store is away.
        """
        organizer_only(bearer)
        before = None if cursor is None else read_cursor(cursor)
        return await self._lister.page(
            game=game, tournament=tournament, status=status, before=before, limit=limit
        )

    async def ready(self) -> None:
        """Return if commands can be taken now: the store answers, and takes writes.

        Raises:
            StoreAway: they cannot.
        """
        await self.store.ping()

    async def settle(self) -> None:
        """Wait for the notes that are on their way."""
        if self._notes:
            await asyncio.wait(self._notes, timeout=5)


def _legal(rules: Rules, match: Match, by: Asker) -> LegalCommands:
    legal = rules.legal(match, by)
    templates = legal.templates if not legal.complete else UNSET
    return LegalCommands(match.version, by.seat, legal.commands, legal.complete, templates)
