"""Lists of matches: pages of rows, filtered."""

from __future__ import annotations

from typing import Final

from referee.service.answers import Page, Row
from referee.service.errors import BadRequest
from referee.service.summaries import Status, read_summary
from referee.store import Cursor, Listed, MatchStore

SCANNED: Final = 2_000
"""Matches that are looked at for one page: where few have the status that is asked for, a page
may be short and still lead to a next one."""


class Lister:
    """Makes pages of what the store lists."""

    def __init__(self, store: MatchStore) -> None:
        self._store = store

    async def page(
        self,
        *,
        game: str | None,
        tournament: str | None,
        status: Status | None,
        before: Cursor | None,
        limit: int,
    ) -> Page:
        """At most ``limit`` rows, newest first, older than ``before``."""
        rows: list[Row] = []
        for _ in range(max(1, SCANNED // limit)):
            found, before = await self._store.matches(
                game=game, tournament=tournament, before=before, limit=limit
            )
            for listed in found:
                row = _row(listed)
                if row is not None and _wanted(row, game, tournament, status):
                    rows.append(row)
                if len(rows) == limit:
                    more = before is not None or listed is not found[-1]
                    return Page(rows, write_cursor(listed) if more else None)
            if before is None:
                break
        return Page(rows, None if before is None else write_cursor(before))


def _row(listed: Listed) -> Row | None:
    summary = read_summary(listed.summary)
    if summary is None:
        return None
    return Row(
        match=listed.match,
        game=summary.game,
        ruleset=summary.ruleset,
        version=listed.version,
        status=summary.status,
        seats=summary.seats,
        tournament=summary.tournament,
        table=summary.table,
        public=summary.public,
        created=listed.created_ms,
        result=summary.result,
    )


def _wanted(row: Row, game: str | None, tournament: str | None, status: Status | None) -> bool:
    """Whether a row is what was asked for: the store's lists are only where to look."""
    return (
        game in (None, row.game)
        and tournament in (None, row.tournament)
        and status in (None, row.status)
    )


def write_cursor(at: Cursor | Listed) -> str:
    """A page's end as text for its reader."""
    return f"{at.created_ms}.{at.match}"


def read_cursor(text: str) -> Cursor:
    """The page's end that a text names.

    Raises:
        BadRequest: it names none.
    """
    created, dot, match = text.partition(".")
    if not dot or not (created.isascii() and created.isdecimal()) or len(created) > 15:  # noqa: PLR2004
        fault = ("cursor", "must be one that a page gave")
        raise BadRequest("A parameter is not what it may be.", [fault])
    return Cursor(int(created), match)
