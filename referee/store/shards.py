"""The primaries of a store, by hash tags: what is kept beside matches lies with them.

The tag of a match is one at the primary that holds the match now, so that what is kept under it
needs no other primary. Slots move: whoever looks for something looks under all tags.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Final, Generic, NamedTuple, TypeVar

from referee.store.connection.servers import Servers
from referee.store.heartbeat import Heartbeats
from referee.store.log import StoreAway

T = TypeVar("T")


class Answers(NamedTuple, Generic[T]):
    """What primaries answered, by their tags; `whole`: all of them did."""

    by_tag: dict[str, T]
    whole: bool


class Shards:
    """The primaries of a store, and which of them are there, as far as is known.

    `one`: all keys are on one server; `tags`: of all primaries.
    """

    def __init__(self, servers: Servers, heartbeats: Heartbeats) -> None:
        self._servers = servers
        self._heartbeats = heartbeats
        self.one: Final = servers.together
        self.tags: Final = servers.tags

    def home(self, match: str) -> str:
        """The tag of a match."""
        return self._servers.tag(match)

    async def each(
        self, ask: Callable[[str], Awaitable[T]], patience: float | None = None
    ) -> Answers[T]:
        """Ask under every tag; but not where the primary is known to be away.

        After `patience` seconds those that have not answered are left out, if any has.

        Raises:
            StoreAway: none answered.
        """
        there = [tag for tag in self._servers.tags if not self._heartbeats[tag].away]
        asked = {tag: _heard(ask(tag)) for tag in there or self._servers.tags}
        try:
            await _enough(asked.values(), patience)
            found = {tag: answer.result() for tag, answer in asked.items() if _answered(answer)}
        finally:
            for answer in asked.values():
                answer.cancel()
        if not found:
            raise next(filter(None, (answer.exception() for answer in asked.values())))
        return Answers(found, len(found) == len(self._servers.tags))


def _heard(answer: Awaitable[T]) -> asyncio.Future[T]:
    """An answer that somebody has heard, whatever becomes of who waits for it."""
    hearing = asyncio.ensure_future(answer)
    hearing.add_done_callback(lambda done: done.cancelled() or done.exception())
    return hearing


def _answered(answer: asyncio.Future[T]) -> bool:
    """Whether there is an answer; whatever else is wrong than an absence counts as one."""
    return answer.done() and not isinstance(answer.exception(), StoreAway)


async def _enough(asked: Collection[asyncio.Future[T]], patience: float | None) -> None:
    """Wait for all, or for so long and then only until one answers."""
    _, waiting = await asyncio.wait(asked, timeout=patience)
    while waiting and not any(map(_answered, asked)):
        _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
