"""The lists of matches: a match stands in those of its primary, and a page is made of them all."""

import asyncio
from itertools import chain
from typing import Final, NamedTuple

import structlog

from referee.store.asking import ask, meaning, run, version_of
from referee.store.connection.faults import ErrorReply
from referee.store.connection.pipeline import pack
from referee.store.connection.servers import Router
from referee.store.deadlines import scores
from referee.store.heartbeat import Heartbeats
from referee.store.log import CorruptLog, Cursor, InLists, Listed, Listing, StoreAway
from referee.store.scripts import DROP, TAIL, list_key, log_key, refusals_key, summary_key
from referee.store.shards import Shards

log = structlog.get_logger(__name__)

BEGINNING: Final = 32
"""Bytes of a commit that hold its version and its time."""
KEPT_MS: Final = 24 * 3600 * 1000
"""For how long a match without a log stays in the lists: no append can follow by then."""


class _Row(NamedTuple):
    """A match in a list, and the list's key."""

    at: Cursor
    key: str


class Lists:
    """Sorted sets of matches by their creation: of all, of each game, tournament and both."""

    def __init__(
        self, shards: Shards, heartbeats: Heartbeats, reader: Router, writer: Router
    ) -> None:
        self._shards = shards
        self._heartbeats = heartbeats
        self._reader = reader
        self._writer = writer

    def keys_of(self, match: str, listed: InLists) -> list[str]:
        """The keys of the lists in which a match stands."""
        tag, (_, game, tournament) = self._shards.home(match), listed
        games = (None, game)
        tournaments = (None,) if tournament is None else (None, tournament)
        return [list_key(tag, g, t) for g in games for t in tournaments]

    async def register(self, match: str, listed: InLists) -> None:
        """See `MatchStore.register`."""
        entered = [
            self._writer.submit(key, pack(("ZADD", key, listed.created_ms, match)))
            for key in self.keys_of(match, listed)
        ]
        await asyncio.gather(*entered)

    async def unregister(self, match: str, *, game: str, tournament: str | None) -> None:
        """Take a match off every list in which it may stand: its primary may have been another."""
        of = [(g, t) for g in {None, game} for t in {None, tournament}]
        keys = [list_key(tag, g, t) for tag in self._shards.tags for g, t in of]
        commands = [(key, pack(("ZREM", key, match))) for key in keys]
        await asyncio.gather(*(self._writer.submit(key, packed) for key, packed in commands))

    async def page(
        self, game: str | None, tournament: str | None, before: Cursor | None, limit: int
    ) -> Listing:
        """See `MatchStore.matches`."""
        rows: list[Listed] = []
        whole = True
        while True:
            found, reached = await self._older(game, tournament, before, limit + 1)
            read = await self._read(found)
            rows += [row for row in read if isinstance(row, Listed)]
            whole = whole and reached and not any(isinstance(row, StoreAway) for row in read)
            if len(rows) > limit:
                end = Cursor(rows[limit - 1].created_ms, rows[limit - 1].match)
                return Listing(rows[:limit], end, whole)
            if len(found) <= limit:
                return Listing(rows, None, whole)
            before = found[-1].at

    async def _older(
        self, game: str | None, tournament: str | None, before: Cursor | None, count: int
    ) -> tuple[list[_Row], bool]:
        """The next `count` rows after `before`, newest first, and whether all primaries told."""

        async def at(tag: str) -> list[_Row]:
            key = list_key(tag, game, tournament)
            return [_Row(found, key) for found in await self._older_in(key, before, count)]

        by_tag, whole = await self._shards.each(at)
        return sorted(chain.from_iterable(by_tag.values()), reverse=True)[:count], whole

    async def _older_in(self, key: str, before: Cursor | None, count: int) -> list[Cursor]:
        found: list[Cursor] = []
        skip = 0
        while len(found) < count:
            top = "+inf" if before is None else before.created_ms
            span = (top, "-inf", "WITHSCORES", "LIMIT", skip, count)
            reply = await ask(self._reader, "", key, "ZREVRANGEBYSCORE", key, *span)
            page = [Cursor(ms, match) for match, ms in scores(reply)]
            # Of one time, the server's order is that of the ids, backwards: so is ours.
            found += [row for row in page if before is None or row < before]
            if len(page) < count:
                break
            skip += count
        return found[:count]

    # ── Rows ──────────────────────────────────────────────────────────────────────────────────────

    async def _read(self, found: list[_Row]) -> list[Listed | StoreAway | None]:
        return await asyncio.gather(*map(self._row, found))

    async def _row(self, row: _Row) -> Listed | StoreAway | None:
        """A match as it is listed; else None, or that its primary is away: the others are listed.

        Raises:
            StoreAway: the one server is away.
        """
        try:
            listed = await self._listed(row.at)
        except StoreAway as away:
            if self._shards.one:
                raise
            return away
        except CorruptLog as corrupt:
            fault = str(corrupt)
        else:
            if not listed.version:
                await self._drop_old(row)
            return listed if listed.version else None
        log.error("a match is not listed", match=row.at.match, fault=fault)
        return None

    async def _listed(self, at: Cursor) -> Listed:
        match, created = at.match, at.created_ms
        keys = (log_key(match), summary_key(match), refusals_key(match))
        try:
            reply = await run(self._reader, TAIL, keys, BEGINNING)
        except ErrorReply as refused:
            raise meaning(match, refused) from None
        last, beginning, summary, refusals = reply
        return Listed(match, version_of(match, last), summary, created, beginning, refusals)

    async def _drop_old(self, row: _Row) -> None:
        """Whoever was creating this match has died long ago: take it off the list."""
        now = self._heartbeats.now()
        if now is not None and row.at.created_ms < now - KEPT_MS:
            await run(self._reader, DROP, (row.key,), row.at.match, row.at.created_ms)
