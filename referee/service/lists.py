"""Lists of matches: what is written of a match beside its log, and pages of what was."""

from typing import Final

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from referee.core.commit import stamp_in
from referee.core.match import Match, Result, Status
from referee.core.rules import Rules
from referee.core.views import ClockView, SeatView, called_by, clock_view
from referee.service.answers import MatchRow, Page
from referee.service.errors import BadRequest
from referee.store import Cursor, Listed, MatchStore

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


def listed_alike(before: Match, after: Match) -> bool:
    """Whether lists say the same of both: of a tournament's match they say how it goes."""
    return (
        before.status == after.status
        and before.result is after.result
        and before.seats is after.seats
        and after.setting.tournament is None
    )


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
        return _READ.decode(data)
    except msgspec.DecodeError:
        return None


class Wanted(Struct, frozen=True, kw_only=True):
    """Which matches are asked for; None: of any. There is no archive yet for one to be in."""

    game: str | None = None
    tournament: str | None = None
    round: int | None = None
    status: Status | None = None
    archived: bool = False

    def has(self, row: MatchRow) -> bool:
        """Whether a row is what was asked for: the store's lists are only where to look."""
        return (
            self.game in (None, row.game)
            and self.tournament in (None, row.tournament)
            and self.round in (None, row.round)
            and self.status in (None, row.status)
        )


async def page_of(store: MatchStore, wanted: Wanted, *, cursor: str | None, limit: int) -> Page:
    """At most `limit` rows of what the store lists, newest first, after the page before's end.

    Raises:
        BadRequest: no page gave that cursor.
        StoreAway: all of the store is away.
    """
    before = None if cursor is None else _read_cursor(cursor)
    if wanted.archived:  # nothing goes to an archive yet
        return Page([], None)
    rows: list[MatchRow] = []
    incomplete: bool | UnsetType = UNSET
    for _ in range(max(1, SCANNED // limit)):
        found, before, whole = await store.matches(
            game=wanted.game, tournament=wanted.tournament, before=before, limit=limit
        )
        incomplete = incomplete if whole else True
        for listed in found:
            row = _row(listed, at_play=wanted.tournament is not None)
            if row is not None and wanted.has(row):
                rows.append(row)
            if len(rows) == limit:
                more = before is not None or listed is not found[-1]
                return Page(rows, _write_cursor(listed) if more else None, incomplete)
        if before is None:
            break
    return Page(rows, None if before is None else _write_cursor(before), incomplete)


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


def _write_cursor(at: Cursor | Listed) -> str:
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
