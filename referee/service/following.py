"""Following a match: what a reader gets of it, commit by commit, whatever carries it there.

A follower reads the log itself, through the store's feed, so that it sees what is in the log, in
order, without gaps, and nothing else. A commit is decoded once and encoded once for each kind of
viewer, however many followers there are. Whoever reads too slowly is cut and may come back with
the place where it stood; commits never wait for readers.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Literal

import msgspec
import structlog
from msgspec import Struct

from referee.core.commit import head_after, open_envelope
from referee.core.rules import BadLog, Rules
from referee.core.table.events import Adjudicated, MatchEnded, TokenReissued, Voided
from referee.core.visibility import Viewer, events_seen
from referee.service.asking.requests import Bearer, Place
from referee.service.errors import Leaving, ServiceError, Unauthorized, UnknownMatch, Unserved
from referee.service.observing import Observer
from referee.service.service import Service
from referee.store import CorruptLog, Entry, Rewritten, StoreAway, Subscription, TooSlow

log = structlog.get_logger(__name__)

TICK_S: Final = 2.0
"""Seconds between two looks at how the followers are."""
TIME_S: Final = 10.0
"""Seconds after which a stream tells the time again, at the next look."""
SEND_S: Final = 20.0
"""Seconds that a reader may take for one message before it counts as too slow."""
LAST_S: Final = 2.0
"""Seconds for the last message to a reader."""
GRACE_S: Final = 1.0
"""Seconds to finish judging a command that came on a stream which is to end."""
GOLDEN: Final = 0.6180339887
"""Its multiples, but for what is before the point, lie evenly, however many there are."""
TOGETHER: Final = 64
"""Messages that are told together: nobody else has a turn while they are made."""
KEPT: Final = 1024
"""Commits that are kept decoded for those who read the same."""

Reason = Literal[
    "finished",  # the match is over, and all of it was delivered
    "left",  # the reader went away
    "expired",  # its token has expired
    "reissued",  # its seat has a newer token
    "slow",  # it read too slowly
    "drained",  # the process is told to stop
    "away",  # the store is away
    "unreadable",  # the log cannot be read by this process
    "lost",  # the store has nothing of the match any more
    "flood",  # it sent too much that cannot be understood
    "failed",  # something went wrong here
]

_OVER: Final = frozenset({MatchEnded, Adjudicated, Voided})
_JSON: Final = msgspec.json.Encoder()


class CommitMessage(Struct, frozen=True):
    """A commit, as its reader may see it: `at` in Unix ms, `head` after it in hex."""

    version: int
    at: int
    events: list[dict[str, Any]]
    head: str


class RewrittenMessage(Struct, frozen=True):
    """The log no longer holds what was delivered: it ends with `version` now, and goes on."""

    version: int


class TimeMessage(Struct, frozen=True):
    """What time it is for the match, Unix ms: clocks are drawn by it."""

    now: int


class News:
    """A message for readers: its id (the time has none), what it is, and its data as JSON."""

    __slots__ = ("_forms", "data", "event", "id")

    def __init__(
        self, place: str, event: Literal["time", "commit", "rewritten"], data: bytes
    ) -> None:
        self.id = place
        self.event = event
        self.data = data
        self._forms: dict[Callable[[News], bytes], bytes] = {}

    def form(self, make: Callable[[News], bytes]) -> bytes:
        """It in the form of a protocol, made once for all its readers."""
        made = self._forms.get(make)
        if made is None:
            made = self._forms[make] = make(self)
        return made


class Ended(Exception):
    """Following has come to its end."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Final[Reason] = reason


class ShownCommit:
    """A commit, decoded once, and encoded once for each kind of viewer."""

    __slots__ = ("_commit", "_news", "head", "over", "reissued", "version")

    def __init__(self, rules: Rules, data: bytes) -> None:
        commit = rules.read_commit(data)
        self._commit = commit
        self._news: dict[Viewer, News] = {}
        self.version: int = commit.v
        self.head = head_after(commit.prev, data).hex()
        self.over = not _OVER.isdisjoint(map(type, commit.ev))
        self.reissued = tuple(event for event in commit.ev if type(event) is TokenReissued)

    def to(self, viewer: Viewer) -> News:
        """The message to a viewer."""
        news = self._news.get(viewer)
        if news is None:
            commit = self._commit
            seen = events_seen(commit.v, commit.at, commit.ev, viewer)
            data = _JSON.encode(CommitMessage(commit.v, commit.at, seen, self.head))
            news = self._news[viewer] = News(str(Place(commit.v, self.head)), "commit", data)
        return news


def _head_of(entry: Entry | None) -> str:
    """The head after an entry, in hex; empty where it is no commit."""
    if entry is None:
        return ""
    try:
        return head_after(open_envelope(entry.data).prev, entry.data).hex()
    except msgspec.DecodeError:
        return ""


class Following:
    """All who follow matches through this process.

    Args:
        service: whose matches they are.
        observer: counts streams.
        draining: once it is set, all of them end.
    """

    def __init__(self, service: Service, observer: Observer, draining: asyncio.Event) -> None:
        self.service = service
        self.observer = observer
        self._draining = draining
        self._leaving: float | None = None  # by the loop's time, when nobody is to follow any more
        self._told_to_go = 0
        self._warden: asyncio.Task[None] | None = None
        self._followers: dict[str, set[Follower]] = {}
        self._shown: OrderedDict[tuple[str, bytes], ShownCommit] = OrderedDict()

    @property
    def stopping(self) -> bool:
        """Whether the process is told to stop."""
        return self._draining.is_set()

    @property
    def leaving(self) -> bool:
        """Whether the process is told to stop, be it now or in a while."""
        return self._leaving is not None or self.stopping

    def leave(self, seconds: float) -> None:
        """End all within so many seconds, those too that begin meanwhile: one after another."""
        self._leaving = asyncio.get_running_loop().time() + seconds
        for follower in self._all():
            self._tell_to_go(follower)

    def _tell_to_go(self, follower: Follower) -> None:
        if self._leaving is not None:
            self._told_to_go += 1
            loop = asyncio.get_running_loop()
            left = max(0.0, self._leaving - loop.time())
            loop.call_later(left * (self._told_to_go * GOLDEN % 1), follower.stop, "drained")

    def _all(self) -> list[Follower]:
        return [each for group in self._followers.values() for each in group]

    async def follow(
        self, match: str, bearer: Bearer | None, place: Place | None, *, until: int | None = None
    ) -> Follower:
        """Follow a match from a place on (None: from its present version).

        Args:
            match: its id.
            bearer: who reads.
            place: what the reader has seen.
            until: Unix seconds at which the reader's token expires.

        Raises:
            Unauthorized, UnknownMatch: about who asks.
            Leaving, Unserved, StoreAway: it cannot be read now.
        """
        if self.stopping:
            raise Leaving
        follower = Follower(self, match, bearer, until)
        await follower.begin(place)
        return follower

    async def keep(self, follower: Follower, kind: str, work: Coroutine[Any, Any, None]) -> Reason:
        """Do a stream's work until it ends by itself or is stopped; returns why it did."""
        followers = self._followers.setdefault(follower.match, set())
        followers.add(follower)
        self.observer.stream_opened(kind)
        self._tell_to_go(follower)
        if self._warden is None or self._warden.done():
            self._warden = asyncio.ensure_future(self._watch())
        reason: Reason = "left"
        try:
            reason = await follower.until_stopped(work)
        except Exception:
            reason = "failed"
            log.exception("a live stream failed", match=follower.match)
        finally:
            followers.discard(follower)
            if not followers and self._followers.get(follower.match) is followers:
                del self._followers[follower.match]
            await follower.aclose()
            self.observer.stream_ended(kind, reason)
        return reason

    async def _watch(self) -> None:
        """Look after the followers while there are any; end them all when that is wanted."""
        while self._followers and not self._draining.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TICK_S):
                    await self._draining.wait()
            for follower in self._all():
                if self.stopping:
                    follower.stop("drained")
                else:
                    follower.look()

    def shown(self, match: str, rules: Rules, data: bytes) -> ShownCommit:
        """A commit of a match; ends the streams whose tokens it kills.

        Raises:
            BadLog: it cannot be read by these rules.
        """
        key = (match, data)
        shown = self._shown.get(key)
        if shown is None:
            shown = self._shown[key] = ShownCommit(rules, data)
            if len(self._shown) > KEPT:
                self._shown.popitem(last=False)
            for event in shown.reissued:
                self._kill(match, event)
        return shown

    def _kill(self, match: str, event: TokenReissued) -> None:
        for follower in list(self._followers.get(match, ())):
            if follower.is_killed_by(event):
                follower.stop("reissued")


class Follower:
    """One reader's way through a match's log, and why it ends."""

    __slots__ = (
        "_at", "_expiry", "_fault", "_feed", "_first", "_following", "_form", "_gone", "_last",
        "_limit", "_loop", "_lost", "_rules", "_saying", "_told_time", "_until", "_viewer",
        "_write", "bearer", "busy", "match", "reason", "tell",
    )  # fmt: skip

    def __init__(
        self, following: Following, match: str, bearer: Bearer | None, until: int | None
    ) -> None:
        self.match = match
        self.bearer = bearer
        self.reason: Reason | None = None
        self.busy = False
        """A command of this reader's is being judged."""
        self.tell: Callable[[News], Awaitable[None]] | None = None
        """Sends a message in the form of its protocol, once that may be."""
        self._write: Callable[[bytes], bool] | None = None
        self._following = following
        self._until = until
        self._loop = asyncio.get_running_loop()
        self._told_time: float | None = None
        self._saying: float | None = None  # since when, while a message is on its way
        self._limit: asyncio.Timeout | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._lost: Rewritten | None = None  # news that is yet to be told
        self._first: News | None = None
        self._gone = False
        self._fault: BadLog | Ended | None = None  # that ends it, once all before it is told
        self._last: int | None = None  # the version that ends the stream, once it is known
        self._at = 0

    # ── Reading ───────────────────────────────────────────────────────────────────────────────────

    async def begin(self, place: Place | None) -> None:
        """Find the place in the log, and follow it from there."""
        last = await self._look_up()
        place = Place(last.version) if place is None else place
        at_end = place.version == last.version
        seen = last if at_end else await self._commit(place.version)
        stands = place.version == 0 or (
            seen is not None and place.is_at(place.version, _head_of(seen))
        )
        if not stands:
            seen = last
            self._first = _rewritten(last.version, seen)
        self._at = place.version if stands else last.version
        data = None if seen is None else seen.data
        store = self._following.service.store
        await store.time(self.match)
        self._feed: Subscription = store.subscribe(
            self.match, self._at, seen=data, end=last.version
        )

    async def _look_up(self) -> Entry:
        """The match's last commit; how it is to be shown, and whether it is over."""
        known, self._viewer = await self._following.service.audience(self.match, self.bearer)
        self._rules, match = known.rules, known.match
        self._last = match.version if match.over else None
        return Entry(match.version, known.tail)

    async def _commit(self, version: int) -> Entry | None:
        if version == 0:
            return None
        try:
            found = await self._following.service.store.read(self.match, version - 1, 1)
        except CorruptLog as fault:
            raise Unserved(self.match, "The match's log cannot be read.") from fault
        return found[0] if found else None

    @property
    def all_told(self) -> bool:
        """Whether the match is over and there is nothing left to tell."""
        told = self._first is None and self._lost is None
        return told and self._last is not None and self._at >= self._last

    async def next(self) -> News:
        """The next message; cancelling the wait for it loses nothing.

        Raises:
            Ended: there is none.
        """
        beginning = self._beginning()
        if beginning is not None:
            return beginning
        if self.all_told or self._gone:
            raise Ended("lost" if self._gone else "finished")
        try:
            return await self._follow()
        except StopAsyncIteration:
            raise Ended(self.reason or "drained") from None
        except TooSlow:
            raise Ended("slow") from None
        except StoreAway:
            raise Ended("away") from None
        except Unauthorized:
            raise Ended("reissued") from None
        except (CorruptLog, BadLog, ServiceError):
            log.exception("a live stream cannot go on", match=self.match)
            raise Ended("unreadable") from None

    async def some(self) -> list[News]:
        """The next message, and what has come together with it. Raises what `next` raises."""
        some = [await self.next()]
        try:
            while not self.all_told and len(some) < TOGETHER and (entry := self._feed.at_hand()):
                some.append(self._show(entry))
        except (BadLog, Ended) as fault:
            self._fault = fault  # once these are told
        return some

    def _beginning(self) -> News | None:
        """What is told before anything in the log: the time, then whether the log is another."""
        if self._told_time is None:
            return self._time()
        first, self._first = self._first, None
        return first

    def _time(self) -> News:
        self._told_time = self._loop.time()
        now = self._following.service.now(self.match)
        return News("", "time", _JSON.encode(TimeMessage(now or 0)))

    async def _follow(self) -> News:
        if self._fault is not None:
            raise self._fault
        if self._lost is None:
            item = await anext(self._feed)
            if isinstance(item, Entry):
                return self._show(item)
            self._lost = item
        last = self._lost.last
        seen = await self._commit(last)
        await self._look_again(last)
        self._at, self._lost = last, None
        return _rewritten(last, seen)

    async def _look_again(self, last: int) -> None:
        """Look the match up; where nothing is left of it that is news, and the last."""
        try:
            await self._look_up()
        except (Unauthorized, UnknownMatch):
            if last:
                raise
            self._gone = True

    def _show(self, entry: Entry) -> News:
        shown = self._following.shown(self.match, self._rules, entry.data)
        if any(self.is_killed_by(event) for event in shown.reissued):
            raise Ended("reissued")
        self._at = shown.version
        if shown.over and self._last is None:
            self._last = shown.version
        return shown.to(self._viewer)

    def write_by(self, write: Callable[[bytes], bool], form: Callable[[News], bytes]) -> None:
        """Give each commit to `write` where the reader has all before it, and waits for no task.

        It gets each in this form, and returns False where the reader does not keep up: then the
        message waits for it, as those do which end a stream.
        """
        self._write, self._form = write, form
        self._feed.hand_to(self._written)

    def _written(self, entry: Entry) -> bool:
        write = self._write
        try:
            shown = self._following.shown(self.match, self._rules, entry.data)
            ends = shown.over or shown.reissued or self._last is not None
            if ends or self.reason is not None or write is None:
                return False
            if not write(shown.to(self._viewer).form(self._form)):
                return False
        except Exception:  # noqa: BLE001 - its own task will find the same, and others wait here
            return False
        self._at = shown.version
        return True

    def is_killed_by(self, event: TokenReissued) -> bool:
        """Whether a seat's new token makes this reader's an old one."""
        bearer = self.bearer
        return (
            bearer is not None
            and bearer.match == self.match
            and bearer.seat == event.seat
            and bearer.generation < event.generation
        )

    async def aclose(self) -> None:
        """Let go of the log, and of the protocol, which holds this follower."""
        self.tell = self._write = None
        await self._feed.aclose()

    # ── Telling, and stopping ─────────────────────────────────────────────────────────────────────

    async def until_stopped(self, work: Coroutine[Any, Any, None]) -> Reason:
        """Do the stream's work until it ends, or is stopped; returns why it did."""
        self._watch_expiry()
        try:
            async with asyncio.timeout(None) as self._limit:
                if self.reason is not None or self._following.stopping:
                    self.stop("drained")
                await work
        except Ended as ended:
            return self.reason or ended.reason
        except TimeoutError:
            return self.reason or "slow"
        except OSError:
            return "left"
        finally:
            self._limit = None
            if self._expiry is not None:
                self._expiry.cancel()
        return self.reason or "left"

    def _watch_expiry(self) -> None:
        """Have the stream end with its token, where that is before the next look."""
        if self._until is not None and self._expiry is None:
            left = self._until - time.time()
            if left < 2 * TICK_S:
                self._expiry = self._loop.call_later(max(0.0, left), self.stop, "expired")

    def stop(self, reason: Reason) -> None:
        """End the stream, whatever it is waiting for; a command that is judged is answered."""
        if self.reason is None:
            self.reason = reason
        if self._limit is not None and not self._limit.expired():
            now = self._loop.time()
            self._limit.reschedule(now + GRACE_S if self.busy else now)

    async def say(self, message: Awaitable[None]) -> None:
        """Send something to the reader, and note how long that takes."""
        self._saying = self._loop.time()
        await message
        self._saying = None

    def look(self) -> None:
        """Cut a reader that takes too long for a message; tell the others the time."""
        self._watch_expiry()
        now = self._loop.time()
        if self._saying is not None:
            if now - self._saying > SEND_S:
                self.stop("slow")
        elif self.tell and self._told_time is not None and now - self._told_time > TIME_S:
            _in_background(self.say(self.tell(self._time())))


_BACKGROUND: Final[set[asyncio.Future[None]]] = set()


def _in_background(work: Coroutine[Any, Any, None]) -> None:
    """Send something without waiting for it: if that fails, the stream will end of it."""
    task = asyncio.ensure_future(work)
    _BACKGROUND.add(task)
    task.add_done_callback(_BACKGROUND.discard)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())


def _rewritten(version: int, seen: Entry | None) -> News:
    data = _JSON.encode(RewrittenMessage(version))
    return News(str(Place(version, _head_of(seen))), "rewritten", data)
