"""The service: everything that can be asked about matches. Knows no HTTP and no Redis.

Any process serves any match. What it remembers only saves it work: whatever it shows or refuses
is checked against the log first, and whatever it accepts is in the log before it is answered.
"""

from collections.abc import AsyncIterator, Collection
from contextlib import suppress
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from referee.archive import Archive
from referee.catalogue import Catalogue
from referee.core.commit import Header, MatchFile, write_commits, write_match_file
from referee.core.judging import Malformed, NotAllowed
from referee.core.ruling import Refusal
from referee.core.views import MatchView, view_of
from referee.core.visibility import Viewer, events_seen
from referee.service.answers import (
    Accepted,
    Created,
    LegalCommands,
    Page,
    RefusedCommand,
    Reissued,
    SeenEvents,
)
from referee.service.asking.bodies import Body
from referee.service.asking.creating import Creation, Terms, create
from referee.service.asking.names import kept
from referee.service.asking.requests import (
    Bearer,
    CommandRates,
    NothingDue,
    Overdue,
    Place,
    Reissue,
    SentCommand,
    asker_of,
    check_place,
    may_read_log,
    organizer_only,
    read_command,
    viewer_of,
)
from referee.service.errors import (
    Refused,
    TooFast,
    UnknownMatch,
    UnknownThing,
    UnknownVersion,
)
from referee.service.lists import Wanted, page_of
from referee.service.logs import PIECE, Evidence, Logs, signed_header
from referee.service.observing import Observer
from referee.service.receipts import PublicKey, Signer
from referee.service.refusals import RefusalNotes
from referee.service.taking.at_hand import Known, Residents
from referee.service.taking.handling import CommandHandler, as_answer
from referee.store import MatchStore

CAPACITY: Final = 20_000
"""Matches at hand in a process."""


class Service:
    """Takes commands and answers questions about matches.

    `signer` signs receipts; `allow_seed` lets a creator choose seed and id;
    `idle_s` is after how many seconds without a commit a match is void whose order says nothing of
    it (0: never); `capacity` is how many matches are kept at hand; `rates` limits what seats send;
    `observer` is told what happens, for metrics; `archive` is what the store falls through to, if
    it does: its matches are listed too.
    """

    def __init__(  # noqa: PLR0913 - each by name, most with a default
        self,
        store: MatchStore,
        catalogue: Catalogue,
        *,
        signer: Signer | None = None,
        allow_seed: bool = False,
        idle_s: int = 0,
        capacity: int = CAPACITY,
        rates: CommandRates | None = None,
        observer: Observer | None = None,
        archive: Archive | None = None,
    ) -> None:
        self.store: Final = store
        self._archive = archive
        self.catalogue: Final = catalogue
        self._signer = signer
        self._terms = Terms(allow_seed, idle_s)
        self._observer = observer or Observer()
        self._logs = Logs(store, catalogue, self._observer)
        self._residents = Residents(self._logs, capacity)
        self.capacity: Final = capacity
        self._handler = CommandHandler(store, self._residents, self._observer, signer)
        self._refusals = RefusalNotes(store)
        self._rates = rates or CommandRates(0)

    @property
    def keys(self) -> list[PublicKey]:
        """The public keys of receipts, the one that signs first; none without a signer."""
        return self._signer.keys if self._signer else []

    def now(self, match: str | None = None) -> int | None:
        """What time it is for a match (None: for none in particular), Unix ms; None: not known."""
        return self.store.now(match)

    @property
    def residents(self) -> int:
        """How many matches are at hand."""
        return len(self._residents)

    async def settle(self) -> None:
        """Wait for what is still on its way into the store."""
        await self._refusals.settle()

    # ── Commands ────────────────────────────────────────────────────────────────────────────

    async def create(self, bearer: Bearer | None, body: Body, key: str | None = None) -> Created:
        """Create a match as ordered in `body` (a `creating.NewMatch`).

        With `key`, 1 to 64 visible ASCII characters, the same order makes one match in 24 h, and
        is answered with it again.

        Raises:
            Unauthorized, Forbidden: only an organizer may.
            BadRequest, Misshapen: the order is not one that can be played.
            UnknownThing: there is no such game.
            SeedNotAllowed, MatchTaken: about a chosen seed or id.
            OrderKeyReused: another order was given with this key.
            StoreAway: the store is away.
        """
        creation = Creation(organizer_only(bearer).organizer, key)
        match, begun = await create(self.store, self.catalogue, self._terms, body, creation)
        self._observer.counted("repeated" if begun is None else "created")
        async with self._residents.find(match, bearer) as resident:
            if begun is not None:
                resident.begin(begun)
                return Created(begun.match, begun.match.seats)
            known = await resident.look(bearer)
            return Created(await resident.past(known, 1), known.match.seats)

    async def command(
        self,
        match: str,
        bearer: Bearer | None,
        body: Body,
        *,
        seat: int | None = None,
        expected: Collection[Place] | None = None,
        key: str | None = None,
    ) -> Accepted:
        """Take a command, or repeat the answer that the same command got with the same key.

        `seat`: the seat that an organizer acts for; `expected`: places at which alone the
        sender wants it taken; `key`: 1 to 64 visible ASCII characters.

        Raises:
            Unauthorized, Forbidden, UnknownMatch: about who asks.
            BadRequest, Misshapen: it is no command.
            KeyReused, StaleVersion: about its conditions.
            Archived: the match is in the archive.
            TooFast: it is one of too many of this seat's.
            Refused: it breaks a ruling; this is noted in the side record.
            Unserved, StoreAway: it cannot be taken now.
        """
        await self._count(match, bearer, seat)
        sent = SentCommand(bearer, body, seat, expected, key)
        try:
            return await self._handler.handle(match, sent)
        except Refused as refused:
            of_table = refused.rules.rulings[refused.ruling].origin == "table"
            self._observer.refused(refused.rules.game.id, refused.ruling, of_table=of_table)
            self._refusals.note(refused, sent, self.now(match) or 0)
            raise

    async def _count(self, match: str, bearer: Bearer | None, seat: int | None) -> None:
        """Count a command or a check; who may not send any is told that, and not that it is fast.

        Raises:
            TooFast: it is one of too many of this seat's.
            Unauthorized, Forbidden, UnknownMatch, Unserved, StoreAway: as `command` does.
        """
        try:
            self._rates.take(match, bearer)
        except TooFast:
            asker_of((await self._look(match, bearer)).match, bearer, seat, at=0)
            raise

    async def check(
        self,
        match: str,
        bearer: Bearer | None,
        body: Body,
        *,
        seat: int | None = None,
        expected: Collection[Place] | None = None,
    ) -> None:
        """Return where a command would be taken; raises what `command` raises, notes nothing."""
        await self._count(match, bearer, seat)
        async with self._residents.find(match, bearer) as resident:
            known = await resident.look(bearer)
            try:
                by = asker_of(known.match, bearer, seat, await self._handler.at(known))
                command = read_command(known.rules, body)
                ahead = await self._handler.ahead(resident, known, by, command)
                check_place(expected, ahead.match)
                await self._handler.check_held(known)
                known.rules.judge(ahead.match, by, command)
            except (Refusal, NotAllowed, Malformed) as objection:
                raise as_answer(objection, known) from None

    async def reissue_token(self, match: str, bearer: Bearer | None, seat: int) -> Reissued:
        """Make a seat's tokens void and count up their generation, in the log.

        Raises:
            UnknownThing: there is no such seat.
            Unauthorized, Forbidden, UnknownMatch, Unserved, StoreAway: as `command` does.
        """
        organizer_only(bearer)
        known = await self._look(match, bearer)
        if not 0 <= seat < len(known.match.seats):
            raise UnknownThing(f"The match has no seat {seat}.")
        accepted = await self._handler.handle(match, Reissue(bearer, seat))
        return Reissued(match, seat, accepted.events[0]["generation"], accepted.version)

    async def overdue(self, match: str) -> Accepted | None:
        """Do what the service itself owes a match by now; None where that is nothing.

        For whoever watches deadlines: any number of processes may call it, and one commit is
        made. Where nothing is due the store's deadline of the match is put right. Raises
        `Unserved`, `StoreAway`.
        """
        try:
            return await self._handler.handle(match, Overdue())
        except (NothingDue, UnknownMatch):
            await self._put_deadline_right(match)
            return None

    async def expect(self, match: str) -> None:
        """Have a match at hand, for something is due in it soon. Raises what `overdue` raises."""
        with suppress(UnknownMatch):
            async with self._residents.find(match, Overdue().bearer) as resident:
                if resident.known is None:
                    await resident.look(Overdue().bearer)

    async def _put_deadline_right(self, match: str) -> None:
        try:
            known = await self._look(match, Overdue().bearer)
        except UnknownMatch:
            await self.store.set_deadline(match, None, version=0)
        else:
            version = known.match.version if await self.store.last(match) else 0  # 0: archived
            await self.store.set_deadline(match, known.rules.awaited(known.match), version=version)

    # ── Looking ─────────────────────────────────────────────────────────────────────────────

    async def _look(self, match: str, bearer: Bearer | None) -> Known:
        """A match as its log has it now."""
        return await self._residents.find(match, bearer).seen(bearer)

    async def audience(self, match: str, bearer: Bearer | None) -> tuple[Known, Viewer]:
        """A match as it stands now, and as whom the bearer may see it.

        What live streams begin with. Raises what `view` raises.
        """
        known = await self._look(match, bearer)
        return known, viewer_of(known.match, bearer)

    async def view(
        self,
        match: str,
        bearer: Bearer | None,
        at: int | None = None,
        *,
        expected: Collection[Place] | None = None,
    ) -> MatchView:
        """A match as the bearer may see it, now or as it stood after commit `at`.

        Raises:
            Unauthorized, UnknownMatch: about who asks.
            UnknownVersion: there is no commit `at`.
            StaleVersion: what is shown is not at a place that is `expected`.
            Unserved, StoreAway: it cannot be read now.
        """
        async with self._residents.find(match, bearer) as resident:
            known = await resident.look(bearer)
            viewer, shown = viewer_of(known.match, bearer), known.match
            if at is not None:
                if not 1 <= at <= shown.version:
                    raise UnknownVersion(match, at, shown.version)
                shown = await resident.past(known, at)
        check_place(expected, shown)
        return view_of(known.rules, shown, viewer)

    async def legal(
        self, match: str, bearer: Bearer | None, seat: int | None = None
    ) -> LegalCommands:
        """Every legal command of the bearer's seat, or of the seat an organizer acts for.

        Raises:
            Unauthorized, Forbidden, UnknownMatch, Unserved, StoreAway: as `command` does.
            Refused: the organizer names a seat that does not exist.
        """
        async with self._residents.find(match, bearer) as resident:
            known = await resident.look(bearer)
            try:
                by = asker_of(known.match, bearer, seat, await self._handler.at(known))
            except Refusal as refusal:
                raise as_answer(refusal, known) from None
            ahead = await self._handler.ahead(resident, known, by)
        legal = known.rules.legal(ahead.match, by)
        templates = UNSET if legal.complete else legal.templates
        return LegalCommands(
            known.match.version, by.seat, legal.commands, legal.complete, templates
        )

    async def events(self, match: str, bearer: Bearer | None, after: int, limit: int) -> SeenEvents:
        """The events of at most `limit` commits after version `after`, as the bearer may see.

        Raises what `view` raises, but no `UnknownVersion`: after the last there are none.
        """
        known = await self._look(match, bearer)
        rules, viewer = known.rules, viewer_of(known.match, bearer)
        last = min(after + limit, known.match.version)
        events = []
        for data in await self._logs.span(match, after, last):
            commit = rules.read_commit(data)
            events += events_seen(commit.v, commit.at, commit.ev, viewer)
        return SeenEvents(events, last if last > after else known.match.version)

    async def log(self, match: str, bearer: Bearer | None) -> AsyncIterator[bytes]:
        """The match file, as it stands now, in pieces: each is read once the one before is taken.

        Raises what `view` raises, and `Forbidden` where the bearer may not have it (yet); a later
        piece `Unserved`, `StoreAway`.
        """
        known = await self._look(match, bearer)
        may_read_log(known.match, bearer)
        pages = self._logs.pages(match, known.match.version, known.tail, PIECE)
        first = await anext(pages)
        return _pieces(signed_header(known.match, self._signer), first, pages)

    async def evidence(self, match: str, bearer: Bearer | None) -> Evidence:
        """The match file, as it stands now, and what to judge it by. Raises what `log` raises."""
        known = await self._look(match, bearer)
        may_read_log(known.match, bearer)
        pages = self._logs.pages(match, known.match.version, known.tail)
        commits = tuple([data async for page in pages for data in page])
        file = MatchFile(signed_header(known.match, self._signer), commits)
        keys = tuple(key.x for key in self.keys)
        return Evidence(known.rules, file, keys, viewer_of(known.match, bearer))

    async def refusals(self, match: str, bearer: Bearer | None) -> list[RefusedCommand]:
        """The refused commands of a match, the newest last (the last 50 of each who sent some).

        Raises `Unauthorized`, `Forbidden`, `UnknownMatch`, `Unserved`, `StoreAway`.
        """
        organizer_only(bearer)
        await self._look(match, bearer)
        return await self.refused(match)

    async def refused(self, match: str) -> list[RefusedCommand]:
        """The same, whoever asks: for pages that tell each reader of his own alone.

        Raises `Unserved`, `StoreAway`.
        """
        return await self._refusals.of(match)

    async def matches(
        self,
        bearer: Bearer | None,
        wanted: Wanted,
        *,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """A page of matches, newest first; `cursor` is the one that the page before gave.

        Raises:
            Unauthorized, Forbidden: only an organizer may.
            BadRequest: no page gave that cursor.
            StoreAway: all of the store is away.
        """
        organizer_only(bearer)
        if wanted.tournament is not None:
            wanted = replace(wanted, tournament=kept(wanted.tournament))
        return await page_of(self.store, self._archive, wanted, cursor=cursor, limit=limit)

    async def ready(self) -> None:
        """Return if commands can be taken now: the store answers, and takes writes.

        Raises:
            StoreAway: they cannot.
        """
        await self.store.ping()


async def _pieces(
    header: Header, first: list[bytes], pages: AsyncIterator[list[bytes]]
) -> AsyncIterator[bytes]:
    """A match file, a page of commits after the other."""
    yield write_match_file(header, first)
    async for page in pages:
        yield write_commits(page)
