"""Lists of matches: what is written of a match beside its log, and pages of what was."""

import asyncio
from functools import partial
from itertools import zip_longest
from operator import itemgetter
from typing import Final, NamedTuple

import msgspec
import structlog
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from referee.archive import Archive, ArchiveAway, Row
from referee.core.commit import decoded, stamp_in
from referee.core.match import Match, Result, Status
from referee.core.rules import Rules
from referee.core.views import ClockView, SeatView, called_by, clock_view
from referee.service.answers import MatchRow, Page
from referee.service.errors import BadRequest
from referee.store import Cursor, Listed, MatchStore, StoreAway

log = structlog.get_logger(__name__)

SCANNED: Final = 2_000
"""Matches that are looked at for one page: where few have the status that is asked for, a page
may be short and still lead to a next one."""


class Summary(Struct):
    """A row's changeable part, as it is stored; the last four of a tournament's match alone."""

    game: str
    ruleset: str
    status: Status
    seats: tuple[SeatView, ...]
    tournament: str | None
    round: int | None
    table: str | None
    public: bool
    result: Result | None
    to_act: tuple[int, ...] | UnsetType = UNSET
    deadline: int | UnsetType | None = UNSET
    clock: ClockView | UnsetType = UNSET
    called: int | UnsetType | None = UNSET


_AT_PLAY: Final = ("to_act", "deadline", "clock", "called")
_PACK: Final = msgspec.msgpack.Encoder()
_READ: Final = msgspec.msgpack.Decoder(Summary)
_ROWS: Final = msgspec.json.Decoder(MatchRow)


def summary_of(rules: Rules, match: Match) -> bytes:
    """The summary of a match, ready to be stored."""
    setting = match.setting
    summary = Summary(
        game=setting.game,
        ruleset=setting.ruleset,
        status=match.status,
        seats=tuple(SeatView(n, s.name, s.withdrawn) for n, s in enumerate(match.seats)),
        tournament=setting.tournament,
        round=setting.round,
        table=setting.table,
        public=setting.public,
        result=match.result,
    )
    if setting.tournament is not None:
        summary.to_act = match.owed
        summary.deadline = rules.deadline(match)
        summary.clock = clock_view(match)
        summary.called = called_by(match)
    return _PACK.encode(summary)


def read_summary(data: bytes) -> Summary | None:
    """A stored summary; None where it cannot be read (of another version, or none yet)."""
    try:
        return decoded(_READ, data)
    except msgspec.DecodeError:
        return None


class Wanted(Struct, frozen=True, kw_only=True):
    """Which matches are asked for; None: of any. `archived`: only those that are, or are not."""

    game: str | None = None
    tournament: str | None = None
    round: int | None = None
    status: Status | None = None
    archived: bool | None = None

    def has(self, row: MatchRow) -> bool:
        """Whether a row is what was asked for: the store's lists are only where to look."""
        return (
            self.game in (None, row.game)
            and self.tournament in (None, row.tournament)
            and self.round in (None, row.round)
            and self.status in (None, row.status)
        )


class _Slice(NamedTuple):
    """What follows in a list, newest first, None for what is no row; and whether more does.

    `whole`: nothing was left out because where it is was away, or could not be read.
    """

    rows: list[tuple[Cursor, MatchRow | None]]
    more: bool
    whole: bool


async def page_of(
    store: MatchStore, archive: Archive | None, wanted: Wanted, *, cursor: str | None, limit: int
) -> Page:
    """At most `limit` rows of what is listed, newest first, after the page before's end.

    Raises:
        BadRequest: no page gave that cursor.
        StoreAway: all of the store is away, or all that is asked for is in the archive, which is.
    """
    before = None if cursor is None else _read_cursor(cursor)
    rows: list[MatchRow] = []
    incomplete: bool | UnsetType = UNSET
    for _ in range(max(1, SCANNED // limit)):
        found, more, whole = await _next(store, archive, wanted, before, limit)
        incomplete = incomplete if whole else True
        for at, row in found:
            if row is not None and wanted.has(row):
                rows.append(row)
            if len(rows) == limit:
                goes_on = more or at != found[-1][0]
                return Page(rows, _write_cursor(at) if goes_on else None, incomplete)
        if not (more and found):
            return Page(rows, None, incomplete)
        before = found[-1][0]
    return Page(rows, before and _write_cursor(before), incomplete)


async def _next(
    store: MatchStore, archive: Archive | None, wanted: Wanted, before: Cursor | None, limit: int
) -> _Slice:
    """The next of the store's rows and the archive's: whatever is in both is the store's.

    The store is asked first. What leaves it is in the archive before, and is there for good: so
    nothing that is on its way, in either direction, is in neither.
    """
    asked = []
    if wanted.archived is not True:
        asked.append(partial(_in_store, store))
    if wanted.archived is not False and archive is not None:
        asked.append(partial(_in_archive, store, archive))
    slices, away = [], None
    for ask in asked:
        try:
            slices.append(await ask(wanted, before, limit))
        except StoreAway as fault:
            away = fault
    if away is not None and not slices:
        raise away
    merged = {at: row for part in reversed(slices) for at, row in part.rows}
    rows = sorted(merged.items(), key=itemgetter(0), reverse=True)
    more = len(rows) > limit or any(part.more for part in slices)
    whole = away is None and all(part.whole for part in slices)
    return _Slice(rows[:limit], more, whole)


async def _in_store(store: MatchStore, wanted: Wanted, before: Cursor | None, limit: int) -> _Slice:
    found, then, whole = await store.matches(
        game=wanted.game, tournament=wanted.tournament, before=before, limit=limit
    )
    at_play = wanted.tournament is not None
    rows = [(Cursor(each.created_ms, each.match), _row(each, at_play=at_play)) for each in found]
    return _Slice(rows, then is not None, whole)


async def _in_archive(
    store: MatchStore, archive: Archive, wanted: Wanted, before: Cursor | None, limit: int
) -> _Slice:
    """Rows of the archive; alone, those of matches that the store holds (again) are none."""
    older = partial(archive.rows, wanted.tournament, before, limit)
    found, more = await archive.ask(older)
    asked = (store.last(row.at.match) for row in found if wanted.archived)
    held = await asyncio.gather(*asked, return_exceptions=True)
    read = [_kept_row(row, at_play=wanted.tournament is not None) for row in found]
    whole = None not in read and all(isinstance(last, int) for last in held)
    rows = [
        (kept.at, None if isinstance(last, int) and last else row)
        for kept, row, last in zip_longest(found, read, held)
    ]
    return _Slice(rows, more, whole)


def _kept_row(kept: Row, *, at_play: bool) -> MatchRow | None:
    """A row as it was archived; None where it cannot be read, which is said in our log."""
    try:
        if isinstance(kept.data, ArchiveAway):
            raise kept.data
        row = decoded(_ROWS, kept.data)
    except (ArchiveAway, msgspec.DecodeError) as fault:
        log.error("a match is not listed", match=kept.at.match, fault=str(fault))  # noqa: TRY400 - no traceback: it is a file that is wrong
        return None
    return row if at_play else replace(row, **dict.fromkeys((*_AT_PLAY, "refusals"), UNSET))


def row_of(rules: Rules, match: Match, tail: bytes, refusals: int) -> MatchRow:
    """The row of a match that ends with the commit `tail`, as lists show it."""
    setting, summary = match.setting, summary_of(rules, match)
    listed = Listed(setting.match, match.version, summary, setting.created, tail, refusals)
    row = _row(listed, at_play=True)
    assert row is not None  # noqa: S101 - it was made just now
    return row


def _row(listed: Listed, *, at_play: bool) -> MatchRow | None:
    """A row; `at_play`: with how the match goes."""
    summary, updated = read_summary(listed.summary), stamp_in(listed.beginning)
    if summary is None or updated is None:
        return None
    told = asdict(summary) | (
        {"refusals": listed.refusals} if at_play else dict.fromkeys(_AT_PLAY, UNSET)
    )
    return MatchRow(
        match=listed.match,
        version=listed.version,
        created=listed.created_ms,
        updated=updated,
        **told,
    )


def _write_cursor(at: Cursor) -> str:
    """A page's end as text for its reader."""
    return f"{at.created_ms}.{at.match}"


def _read_cursor(text: str) -> Cursor:
    """The page's end that a text names.

    Raises:
        BadRequest: it names none.
    """
    created, dot, match = text.partition(".")
    if not dot or not (created.isascii() and created.isdecimal()) or len(created) > 15:  # noqa: PLR2004
        fault = ("cursor", "must be one that a page gave")
        raise BadRequest("A parameter is not what it may be.", [fault])
    return Cursor(int(created), match)
