"""The deadlines of all matches: with each match's primary, so that no match needs another's."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any, Final

from referee.store.asking import Part, ask, run
from referee.store.connection.pipeline import pack
from referee.store.connection.servers import Router
from referee.store.log import Due, StoreAway
from referee.store.scripts import CORRECT, deadlines_key, log_key
from referee.store.shards import Shards

PATIENCE_S: Final = 0.5
"""Seconds for which a look waits for one primary while others have answered."""
_FAR: Final = 10**15 - 1
"""Beyond every time in milliseconds."""


class Deadlines:
    """Sorted sets of matches by deadline, one at each primary."""

    def __init__(self, shards: Shards, reader: Router, writer: Router) -> None:
        self._shards = shards
        self._reader = reader
        self._writer = writer
        # The key of every match's deadline, where the script that appends may touch it.
        self.beside: Final = tuple(map(deadlines_key, shards.tags)) if shards.one else ()

    def lower(self, match: str, deadline: int) -> asyncio.Future[Any]:
        """Set a match's deadline where that is earlier than what is set.

        On a cluster it is elsewhere than the log. So it is set before and after an append: before,
        so that it is not lost when this process dies in between; after, for `put_right` may have
        raised it meanwhile. Too early is put right when it comes, too late would never be.
        """
        key = deadlines_key(self._shards.home(match))
        return self._writer.submit(key, pack(("ZADD", key, "LT", deadline, match)))

    async def drop(self, match: str) -> None:
        """Nothing is due in a match any more, wherever that was noted."""
        keys = map(deadlines_key, self._shards.tags)
        dropped = [self._writer.submit(key, pack(("ZREM", key, match))) for key in keys]
        await asyncio.gather(*dropped)

    async def due(self, now_ms: int, limit: int, after: int | None = None) -> list[Due]:
        """See `MatchStore.due`."""
        since = "-inf" if after is None else f"({after}"

        async def at(tag: str) -> list[Due]:
            key = deadlines_key(tag)
            span = (since, now_ms, "WITHSCORES", "LIMIT", 0, limit)
            reply = await ask(self._reader, "", key, "ZRANGEBYSCORE", key, *span)
            return [Due(*pair) for pair in scores(reply)]

        by_tag, _ = await self._shards.each(at, PATIENCE_S)
        found = [(tag, due) for tag, some in by_tag.items() for due in some]
        strays = [each for each in found if self._shards.home(each[1].match) != each[0]]
        await asyncio.gather(*(self._bring_home(tag, due) for tag, due in strays))
        there = [due for tag, due in found if (tag, due) not in strays]
        return sorted(there, key=lambda due: (due.deadline, due.match))[:limit]

    async def _bring_home(self, tag: str, due: Due) -> None:
        """A match has moved to another primary since its deadline was set: let this follow it."""
        away = deadlines_key(tag)
        with suppress(StoreAway):
            await self.lower(due.match, due.deadline)
            await self._writer.submit(away, pack(("ZREM", away, due.match)))

    async def put_right(
        self, match: str, deadline: int | None, version: int, last: Callable[[], Awaitable[int]]
    ) -> None:
        """See `MatchStore.set_deadline`; `last` asks for the log's last version."""
        key = deadlines_key(self._shards.home(match))
        if self._shards.one:
            wanted = b"" if deadline is None else deadline
            keys = (log_key(match), key)
            await run(self._reader, CORRECT, keys, f"{version}-0", wanted, match)
        elif await last() == version:
            change: tuple[Part, ...] = ("ZREM", key, match)
            if deadline is not None:
                change = ("ZADD", key, deadline, match)
            await self._writer.submit(key, pack(change))
            if await last() != version:
                await self.lower(match, 0)  # looked at again, at once


def scores(reply: list[bytes]) -> Iterable[tuple[str, int]]:
    """The pairs of a reply to WITHSCORES; our scores are whole milliseconds, our names ASCII.

    Whatever else somebody has put there must not keep anybody from the rest.
    """
    return [
        (name.decode(errors="replace"), int(max(-_FAR, min(float(ms), _FAR))))
        for name, ms in zip(reply[::2], reply[1::2], strict=True)
    ]
