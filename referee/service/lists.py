"""Lists of matches: what is written of a match beside its log, and pages of what was."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from referee.core.match import Match, Result, Status
from referee.core.views import SeatView
from referee.service.answers import MatchRow, Page
from referee.service.errors import BadRequest
from referee.store import Cursor, Listed, MatchStore

SCANNED: Final = 2_000
"""Matches that are looked at for one page: where few have the status that is asked for, a page
may be short and still lead to a next one."""


class Summary(Struct, frozen=True):
    """A row's changeable part, as it is stored."""

    game: str
    ruleset: str
    status: Status
    seats: tuple[SeatView, ...]
    tournament: str | None
    table: str | None
    public: bool
    result: Result | None


_PACK: Final = msgspec.msgpack.Encoder()
_READ: Final = msgspec.msgpack.Decoder(Summary)


def summary_of(match: Match) -> bytes:
    """The summary of a match, ready to be stored."""
    setting = match.setting
    return _PACK.encode(
        Summary(
            game=setting.game,
            ruleset=setting.ruleset,
            status=match.status,
            seats=tuple(SeatView(n, s.name, s.withdrawn) for n, s in enumerate(match.seats)),
            tournament=setting.tournament,
            table=setting.table,
            public=setting.public,
            result=match.result,
        )
    )


def read_summary(data: bytes) -> Summary | None:
    """A stored summary; None where it cannot be read (of another version, or none yet)."""
    try:
        return _READ.decode(data)
    except msgspec.DecodeError:
        return None


async def page_of(
    store: MatchStore,
    *,
    game: str | None,
    tournament: str | None,
    status: Status | None,
    cursor: str | None,
    limit: int,
) -> Page:
    """At most `limit` rows of what the store lists, newest first, after the page before's end.

    Raises:
        BadRequest: no page gave that cursor.
        StoreAway: the store is away.
    """
    before = None if cursor is None else _read_cursor(cursor)
    rows: list[MatchRow] = []
    for _ in range(max(1, SCANNED // limit)):
        found, before = await store.matches(
            game=game, tournament=tournament, before=before, limit=limit
        )
        for listed in found:
            row = _row(listed)
            if row is not None and _wanted(row, game, tournament, status):
                rows.append(row)
            if len(rows) == limit:
                more = before is not None or listed is not found[-1]
                return Page(rows, _write_cursor(listed) if more else None)
        if before is None:
            break
    return Page(rows, None if before is None else _write_cursor(before))


def _row(listed: Listed) -> MatchRow | None:
    summary = read_summary(listed.summary)
    if summary is None:
        return None
    match, version, created = listed.match, listed.version, listed.created_ms
    return MatchRow(match=match, version=version, created=created, **asdict(summary))


def _wanted(row: MatchRow, game: str | None, tournament: str | None, status: Status | None) -> bool:
    """Whether a row is what was asked for: the store's lists are only where to look."""
    return (
        game in (None, row.game)
        and tournament in (None, row.tournament)
        and status in (None, row.status)
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
