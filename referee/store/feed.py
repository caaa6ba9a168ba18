"""The live feed: one listening connection a process, however many watch however many matches.

An announcement only says that there is something to read. What watchers get is read from the
log, once for all watchers of a match, each time together with the entry that they got last: so
they see the log, in order and without gaps, and hear of it when the log was rewritten. What this
process has appended itself, onto the very entry that they got last, need not be read. Reading
also happens after every new connection and every few seconds, so that a lost announcement only
costs time.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from itertools import chain
from typing import Any, Final

import structlog
from hiredis import ReplyError

from referee.store.connection.faults import unreachable
from referee.store.connection.pipeline import CONNECT_S, Dial, Wire, pack
from referee.store.log import (
    CorruptLog,
    Entry,
    Rewritten,
    StoreAway,
    StoreError,
    Subscription,
    TooSlow,
)
from referee.store.scripts import live_channel

log = structlog.get_logger(__name__)

QUEUE: Final = 256
"""Entries that may wait for one watcher."""
PAGE: Final = 64
"""Entries that are read in one go; others have their turn before the next."""
CROWD: Final = 128
"""Entries that are handed to the watchers of one match in one turn of the event loop."""
SWEEP_S: Final = 5.0
"""Seconds between two looks at everything watched, announced or not."""
RETRY_S: Final = 0.5

ReadPage = Callable[[str, int, int], Awaitable[list[Entry]]]
ReadLast = Callable[[str], Awaitable[int]]


class Watcher:
    """A `Subscription`: one reader's place in a match, and what waits for it.

    Where it starts far from the end of the log it reads its own way there, at its reader's pace;
    from there on it is `live`, and the feed fills its queue.
    """

    __slots__ = (
        "_end", "_ended", "_fault", "_feed", "_hand", "_mark", "_queue", "_wake", "at", "live",
        "match",
    )  # fmt: skip

    def __init__(
        self, feed: "Feed", match: str, after: int, seen: bytes | None, end: int | None
    ) -> None:
        self._feed = feed
        self.match = match
        self.live = False
        self.at = after
        self._end = end
        self._mark = seen  # what stood at `at` when it was delivered
        self._queue: list[Entry | Rewritten] = []  # mostly empty, and then smaller than a deque
        self._hand: Callable[[Entry], bool] | None = None
        self._wake: asyncio.Future[None] | None = None
        self._ended = False
        self._fault: StoreError | None = None

    def __aiter__(self) -> "Watcher":
        return self

    async def __anext__(self) -> Entry | Rewritten:
        while not self._queue:
            if self._ended:
                raise self._fault or StopAsyncIteration
            if self.live:
                await self._sleep()
            else:
                await self._catch_up()
        return self._queue.pop(0)

    def at_hand(self) -> Entry | None:
        """See `Subscription.at_hand`."""
        first = self._queue[0] if self._queue else None
        if not isinstance(first, Entry):
            return None
        del self._queue[0]
        return first

    def hand_to(self, take: Callable[[Entry], bool]) -> None:
        """Offer each commit to `take` first while the reader waits for one."""
        self._hand = take

    async def _sleep(self) -> None:
        self._wake = asyncio.get_running_loop().create_future()
        try:
            await self._wake
        finally:
            self._wake = None

    async def _catch_up(self) -> None:
        """Go live, or first read a page of the log where it goes on for long."""
        if self._end is not None and self._end - self.at < PAGE:
            self._feed.go_live(self)
            return
        start = self.start
        try:
            page = await self._feed.read_in_turn(self.match, start - 1, PAGE)
            if not self.take(start, page):
                await self.start_over()
        except StoreAway:
            if self._ended:  # the store was closed meanwhile: that is no fault
                return
            raise
        if len(page) < PAGE:
            self._end = self.at

    @property
    def start(self) -> int:
        """From where it must read: the entry delivered last, to see that it still stands."""
        return max(self.at, 1)

    def take(self, start: int, page: list[Entry]) -> bool:
        """Deliver what is new in a page that was read from version `start` on, at most ours.

        Returns:
            False where the log is another than the one that was delivered.
        """
        place = self.at - start
        if not self._stands(place, page):
            return False
        if 0 <= place < len(page):
            self._mark = page[place].data
        for entry in page[place + 1 :]:
            self._push(entry)
            self.at, self._mark = entry
        return True

    def go_on(self, onto: Entry, entry: Entry) -> bool:
        """Deliver what was appended onto the entry that was delivered last; whether it is by now.

        It is `take` for a page of one, which there is at each commit for each who follows it.
        """
        at, mark = self.at, self._mark
        if at == onto.version and (mark is None or mark == onto.data):
            self._push(entry)
            self.at, self._mark = entry
        return self.at >= entry.version

    async def start_over(self) -> None:
        """Say that the log was rewritten, and go on from where it ends now."""
        stood, last = self.at, await self._feed.last(self.match)
        if self.at == stood:  # nothing was appended onto that meanwhile
            self.at, self._mark = last, None
            self._push(Rewritten(last))

    def _stands(self, place: int, page: list[Entry]) -> bool:
        """Whether the entry that was delivered last is still there, and the same."""
        if place < 0 or place >= PAGE:  # nothing was delivered; or this page ends before it
            return True
        return place < len(page) and self._mark in (None, page[place].data)

    def _push(self, item: Entry | Rewritten) -> None:
        if self._ended or self._is_handed(item):
            return
        if len(self._queue) >= QUEUE:
            self._queue.clear()
            self.end(TooSlow(f"match {self.match}: {QUEUE} entries waited for this reader"))
            return
        self._queue.append(item)
        self._rouse()

    def _is_handed(self, item: Entry | Rewritten) -> bool:
        """Whether the reader, who waits, has taken it without being woken."""
        waits = self._wake is not None and not self._queue
        return waits and self._hand is not None and isinstance(item, Entry) and self._hand(item)

    def _rouse(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def end(self, fault: StoreError | None = None) -> None:
        """No more after what waits: the iteration ends, or raises `fault`."""
        if not self._ended:
            self._ended = True
            self._fault = fault
            self._hand = None
            self._feed.leave(self)
            self._rouse()

    async def aclose(self) -> None:
        """Stop; what waits is dropped."""
        self._queue.clear()
        self.end()


class Feed:
    """Listens for announcements, and reads for those who watch.

    `dial` makes the connection to listen on; `read(match, after, limit)` and `last(match)` read
    the log, `read_in_turn` as `read` does, for those who have much to read.
    """

    def __init__(self, dial: Dial, read: ReadPage, read_in_turn: ReadPage, last: ReadLast) -> None:
        self._dial = dial
        self.read = read
        self.read_in_turn = read_in_turn
        self.last = last
        self.watched: Final[dict[str, dict[Watcher, None]]] = {}
        """Who watches, by match."""
        self._stale: dict[str, dict[Watcher, None]] = {}  # matches to read, in order, for whom
        self._own: dict[str, set[bytes]] = {}  # by match, ids of this process's entries
        self._wire: Wire | None = None
        self._heard = True  # since the last sweep
        self._sweeper: asyncio.TimerHandle | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._refreshing: asyncio.Task[None] | None = None
        self._closed = False

    # ── Who watches ───────────────────────────────────────────────────────────────────────────────

    def subscribe(
        self, match: str, after: int, seen: bytes | None, end: int | None = None
    ) -> Subscription:
        """A watcher of a match, from after a version on; needs a running event loop."""
        watcher = Watcher(self, match, after, seen, end)
        if self._closed:
            watcher.end()
            return watcher
        if match not in self.watched:
            self.watched[match] = {}
            self._tell("SUBSCRIBE", match)
        self.watched[match][watcher] = None
        if self._sweeper is None:
            self._sweep()
        return watcher

    def leave(self, watcher: Watcher) -> None:
        """A watcher has ended."""
        watchers = self.watched.get(watcher.match, {})
        watchers.pop(watcher, None)
        if not watchers and self.watched.pop(watcher.match, None) is not None:
            self._own.pop(watcher.match, None)
            self._tell("UNSUBSCRIBE", watcher.match)

    def go_live(self, watcher: Watcher) -> None:
        """A watcher has read to the log's end. What came since then was not for it: read."""
        watcher.live = True
        self._refresh(watcher.match, [watcher])

    async def aclose(self) -> None:
        """End every subscription and let go of the server."""
        self._closed = True
        for watcher in list(chain.from_iterable(self.watched.values())):
            watcher.end()
        if self._sweeper is not None:
            self._sweeper.cancel()
        tasks = [task for task in (self._connecting, self._refreshing) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._wire is not None:
            self._wire.cut("the store is closed")
            await asyncio.sleep(0)  # in which the event loop closes the socket

    # ── Listening ─────────────────────────────────────────────────────────────────────────────────

    def _tell(self, command: str, *matches: str) -> None:
        if self._wire is not None and matches:
            channels = [live_channel(match) for match in matches]
            self._wire.write(pack((command, *channels)))

    def _sweep(self) -> None:
        """Every few seconds: see that the connection lives, and read everything watched."""
        self._sweeper = None
        if self._closed or not self.watched:
            return
        self._sweeper = asyncio.get_running_loop().call_later(SWEEP_S, self._sweep)
        if self._wire is None:
            self._connect()
        elif self._heard:
            self._heard = False
            self._wire.write(pack(("PING",)))
        else:
            self._wire.cut("it did not answer")
        for match in self.watched:
            self._refresh(match)

    def _connect(self) -> None:
        if self._connecting is None or self._connecting.done():
            self._connecting = asyncio.ensure_future(self._listen())

    async def _listen(self) -> None:
        """Connect, and ask for the announcements of all that is watched."""
        while self.watched and self._wire is None:
            try:
                async with asyncio.timeout(CONNECT_S):
                    self._wire = Wire(await self._dial(), self._on_replies, self._on_lost)
            except Exception as error:  # noqa: BLE001 - whatever it was, watchers are still there
                log.warning("live feed not connected", error=str(unreachable(error)))
                await asyncio.sleep(RETRY_S)
        self._heard = True
        self._tell("SUBSCRIBE", *self.watched)

    def _on_replies(self, replies: list[Any]) -> None:
        self._heard = True
        for reply in replies:
            if isinstance(reply, ReplyError):
                log.warning("live feed refused", reply=str(reply))
            elif reply[0] in {b"message", b"subscribe"}:
                # A confirmed subscription counts too: something may have come before it.
                match = _match_of(reply[1])
                if reply[2] in (own := self._own.get(match, set())):
                    own.discard(reply[2])  # the next of that id is another's
                else:
                    self._refresh(match)

    def _on_lost(self, wire: Wire, reason: str) -> None:
        if wire is self._wire:
            self._wire = None
            self._own.clear()
            if self.watched and not self._closed:
                log.warning("live feed connection lost", reason=reason)
                self._connect()

    # ── Reading ───────────────────────────────────────────────────────────────────────────────────

    def appending(self, match: str, version: int) -> None:
        """This process is about to append to what is watched: it knows what will be announced."""
        self._own.setdefault(match, set()).add(b"%d-0" % version)

    def appended(self, match: str, onto: Entry, entry: Entry) -> None:
        """It has appended an entry onto another: hand it to all who had that one.

        A crowd reads it, and is told in turns: others wait for no more than one of them.
        """
        watchers = self._live(match)
        if len(watchers) > CROWD:
            self._refresh(match, watchers)
            return
        if [watcher for watcher in watchers if not watcher.go_on(onto, entry)]:
            self.look(match)

    def look(self, match: str) -> None:
        """Read a match, where it is watched, whatever is announced of it."""
        self._own.pop(match, None)
        if match in self.watched:
            self._refresh(match)

    def _live(self, match: str) -> list[Watcher]:
        return [watcher for watcher in self.watched.get(match, ()) if watcher.live]

    def _refresh(self, match: str, watchers: Iterable[Watcher] | None = None) -> None:
        """Read a match soon, for some or all live watchers, with what else is to be read then."""
        wanted = self._live(match) if watchers is None else watchers
        self._stale.setdefault(match, {}).update(dict.fromkeys(wanted))
        if not self._closed and (self._refreshing is None or self._refreshing.done()):
            self._refreshing = asyncio.ensure_future(self._refresh_all())

    async def _refresh_all(self) -> None:
        while self._stale:
            stale, self._stale = self._stale, {}
            done = await asyncio.gather(*(self._refresh_one(*one) for one in stale.items()))
            if not all(done):
                await asyncio.sleep(RETRY_S)

    async def _refresh_one(self, match: str, wanted: Iterable[Watcher]) -> bool:
        """Read on for live watchers of a match; whether the store answered."""
        present = self.watched.get(match, ())
        watchers = {watcher: watcher.at for watcher in wanted if watcher in present}
        if not watchers:
            return True
        start = min(watcher.start for watcher in watchers)
        try:
            page = await self.read(match, start - 1, PAGE)
            await self._deliver(match, watchers, start, page)
        except StoreAway:
            self._refresh(match, watchers)
            return False
        except CorruptLog as fault:
            for watcher in watchers:
                watcher.end(fault)
            return True
        if len(page) == PAGE:
            self._refresh(match, watchers)
        return True

    async def _deliver(
        self, match: str, stood: dict[Watcher, int], start: int, page: list[Entry]
    ) -> None:
        """Give live watchers, each with where it stood when the page was asked for, what is new."""
        handed = 0
        for watcher, at in stood.items():
            new = max(1, start + len(page) - 1 - watcher.start)
            if handed + new > CROWD:
                handed = 0
                await asyncio.sleep(0)
            handed += new
            if watcher.at != at:  # it was handed something meanwhile that the page may lack
                self._refresh(match, [watcher])
            elif not watcher.take(start, page):
                await watcher.start_over()


def _match_of(channel: bytes) -> str:
    """The match in `match:{<match>}:live`."""
    return channel[channel.index(b"{") + 1 : channel.index(b"}")].decode()
