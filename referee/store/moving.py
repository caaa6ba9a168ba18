"""Taking whole matches out of a store, and putting them back: no service's user may do that."""

import asyncio
import secrets
from collections.abc import Iterator, Sequence

from referee.store.asking import Part, meaning, run
from referee.store.connection.faults import ErrorReply
from referee.store.connection.pipeline import pack
from referee.store.log import CorruptLog, Entry, StoreError
from referee.store.scripts import (
    PUT_BACK,
    TAKE_OUT,
    log_key,
    refusals_key,
    restored_key,
    restoring_key,
    summary_key,
)
from referee.store.streams import REFUSALS_KEPT, RedisStore, digest_of

_PAGE = 256
_RESTORING_S = 24 * 3600


class Interfered(StoreError):
    """Somebody else puts this match back, or archives it, just now."""


class MovingStore(RedisStore):
    """A `RedisStore` that takes matches out and puts them back."""

    async def take_out(self, match: str, last: Entry, refusals: int) -> bool:
        """Drop all of a match, if it still ends with this commit and so many refusals were noted.

        Returns:
            Whether it was dropped.
        """
        keys = (log_key(match), summary_key(match), refusals_key(match), restoring_key(match))
        told = (f"{last.version}-0", digest_of(last.data), refusals)
        return bool(await run(self._writer, TAKE_OUT, keys, *told))

    async def unlist(self, match: str, *, game: str, tournament: str | None) -> None:
        """Take a match off the lists and the deadlines; again does no harm."""
        await asyncio.gather(
            self._lists.unregister(match, game=game, tournament=tournament),
            self._deadlines.drop(match),
        )

    async def begin_to_put_back(self, match: str) -> str:
        """Whoever begins before he reads what he puts back puts nothing old over something newer.

        Returns:
            What `put_back` takes, until somebody else begins or the match is taken out.
        """
        key, who = restoring_key(match), secrets.token_hex(8)
        await self._writer.submit(key, pack(("SET", key, who, "EX", _RESTORING_S)))
        return who

    async def put_back(
        self,
        match: str,
        who: str,
        commits: Sequence[bytes],
        summary: bytes,
        refusals: Sequence[tuple[str, bytes]],
        refused: int,
    ) -> bool:
        """Put back a match of which the store holds no log, whole or not at all.

        Args:
            match: its id.
            who: what `begin_to_put_back` gave.
            commits: all of them.
            summary: what lists show of it.
            refusals: its refused commands, the newest last, each with whose it is.
            refused: how many there have been.

        Returns:
            Whether it was put back: False where there is a log of that match already.

        Raises:
            Interfered: somebody else moves it just now.
            StoreAway: the store is away.
        """
        await self._put_together(match, commits)
        held = (log_key(match), summary_key(match), refusals_key(match))
        keys = (restored_key(match), *held, restoring_key(match))
        told = (len(commits), digest_of(commits[-1]), summary, who, *_ring(refusals, refused))
        answer = await run(self._writer, PUT_BACK, keys, *told)
        if answer < 0:
            raise Interfered
        return bool(answer)

    async def _put_together(self, match: str, commits: Sequence[bytes]) -> None:
        key = restored_key(match)
        await self._writer.submit(key, pack(("DEL", key)))
        for begin in range(0, len(commits), _PAGE):
            page = enumerate(commits[begin : begin + _PAGE], begin + 1)
            added = [pack(("XADD", key, f"{version}-0", "c", data)) for version, data in page]
            try:
                await asyncio.gather(*(self._writer.submit(key, packed) for packed in added))
            except ErrorReply as refused:
                if isinstance(meaning(match, refused), CorruptLog):
                    raise Interfered from refused
                raise


def _ring(refusals: Sequence[tuple[str, bytes]], refused: int) -> Iterator[Part]:
    """The fields of a match's side record, as `NOTE` would have left them."""
    counts: dict[str, int] = {}
    for number, (whose, record) in enumerate(refusals, 1 + refused - len(refusals)):
        counts[whose] = counts.get(whose, 0) + 1
        yield f"{whose}:{counts[whose] % REFUSALS_KEPT}"
        yield b"%d:%s" % (number, record)
    for whose, count in ({"all": refused} | counts).items() if refused else ():
        yield from (whose, count)
