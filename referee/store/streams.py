"""The log in Redis Streams: one stream a match, one entry a commit, one script to append.

Works with Redis 6.2 and later, with Valkey, behind Sentinels and on clusters; see `addresses`
for the URLs, `scripts` for the keys.
"""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, NamedTuple

import structlog

from referee.core.table.commands import Outage
from referee.store.asking import NEWEST, Part, ask, meaning, run, unscripted, version_of
from referee.store.connection.faults import ErrorReply, TooFewReplicas
from referee.store.connection.pipeline import pack
from referee.store.connection.servers import Servers, servers_at
from referee.store.deadlines import Deadlines
from referee.store.examining import examine
from referee.store.feed import Feed
from referee.store.heartbeat import Heartbeat, Heartbeats
from referee.store.lists import Lists
from referee.store.log import (
    Conflict,
    CorruptLog,
    Cursor,
    Due,
    Entry,
    InLists,
    Listing,
    MatchStore,
    Primary,
    StoreAway,
    Subscription,
    WrongTime,
)
from referee.store.scripts import (
    APPEND,
    BEAT,
    CLAIM,
    NOTE,
    READ_MARKED,
    claim_key,
    live_channel,
    log_key,
    refusals_key,
    summary_key,
)
from referee.store.shards import Shards

log = structlog.get_logger(__name__)

SETTLE_S: Final = 5.0
"""Seconds in all for an append whose outcome is unknown, before it is given up as that."""
REFUSALS_KEPT: Final = 50
"""Refusals of each seat, and of organizers, that a match's side record holds."""
CLAIMED_S: Final = 24 * 3600
"""Seconds for which the key of a creation counts."""
_PAGE: Final = 256
_SETTLE: Final = b"settle"
_PAUSE_S: Final = (0.02, 0.5)


class _Append(NamedTuple):
    """One append, ready to be sent, and to be sent again.

    `before` and `after` are the script's keys and arguments around its mode: `settle` where it may
    find itself applied, else nothing. `deadline` is one that the script cannot set.
    """

    match: str
    version: int
    key: str
    deadline: int | None
    before: tuple[Part, ...]
    after: tuple[Part, ...]

    def packed(self) -> bytes:
        """The usual command: the script by its digest, no second thoughts."""
        return pack((b"EVALSHA", APPEND.digest, *self.before, b"", *self.after))

    def whole(self, mode: bytes) -> bytes:
        """The same with the script's source, in another mode."""
        return pack((b"EVAL", APPEND.source, *self.before, mode, *self.after))


class RedisStore:
    """A `MatchStore` over Redis; `min_replicas` replicas must have an append before it counts."""

    def __init__(self, servers: Servers, *, min_replicas: int = 0) -> None:
        self._servers = servers
        self._replicas = min_replicas
        self._writer = servers.router(replicas=min_replicas)
        self._reader = servers.router()
        # What is shown must be on the replicas too, so reads for that wait for them as well.
        self._shown = servers.router(replicas=min_replicas)
        self._turns = defaultdict[Heartbeat, asyncio.Lock](asyncio.Lock)
        self._feed = Feed(servers.dial, self._read_shown, self._show_in_turn, self.last)
        self._background: set[asyncio.Future[Any]] = set()
        beat = partial(run, self._writer, BEAT)
        self._heartbeats = Heartbeats(servers.tags, servers.tag, beat, min_replicas)
        self._shards = Shards(servers, self._heartbeats)
        self._lists = Lists(self._shards, self._heartbeats, self._reader, self._writer)
        self._deadlines = Deadlines(self._shards, self._reader, self._writer)

    # ── Append ────────────────────────────────────────────────────────────────────────────────────

    async def append(  # noqa: PLR0913 - each by name, all but the first with a default
        self,
        match: str,
        version: int,
        data: bytes,
        *,
        at: int | None = None,
        onto: bytes | None = None,
        summary: bytes | None = None,
        deadline: int | None = None,
        listed: InLists | None = None,
    ) -> None:
        """See `MatchStore.append`."""
        if listed is not None and not self._shards.one:
            await self.register(match, listed)
            listed = None
        asked = (digest_of(onto), _given(at))
        order = self._order(match, Entry(version, data), asked, summary, deadline, listed)
        if match in self._feed.watched:
            self._feed.appending(match, version)
        try:
            await self._append(order, at)
        except BaseException:
            self._feed.look(match)
            raise
        if match not in self._feed.watched:
            return
        if onto is None:
            self._feed.look(match)
        else:
            # After the task that waits for this: who sent the command is answered first.
            both = Entry(version - 1, onto), Entry(version, data)
            asyncio.get_running_loop().call_soon(self._feed.appended, match, *both)

    async def _append(self, order: _Append, at: int | None) -> None:
        match, version = order.match, order.version
        until = asyncio.get_running_loop().time() + SETTLE_S
        try:
            reply = await self._attempt(order, order.packed())
        except (asyncio.CancelledError, StoreAway) as fault:
            reply = await self._recover(order, fault, until)
        if isinstance(reply, bytes):
            raise Conflict(match, version, version_of(match, reply))
        if reply != 1:
            self._heartbeats.of(match).doubt()
            raise WrongTime(match, version, at, reply)
        if self._replicas:
            self._announce(order)

    def _order(
        self,
        match: str,
        entry: Entry,
        asked: tuple[Part, ...],
        summary: bytes | None,
        deadline: int | None,
        listed: InLists | None,
    ) -> _Append:
        key, (version, data) = log_key(match), entry
        keys: tuple[str, ...] = (key, summary_key(match))
        # With replicas it is announced when they have it.
        after = (*asked, "" if self._replicas else live_channel(match))
        if (summary, deadline, listed) != (None, None, None):
            keys += self._deadlines.beside
            after += (match, summary or b"", _given(deadline))
        if listed is not None:
            keys += tuple(self._lists.keys_of(match, listed))
            after += (listed.created_ms,)
        before: tuple[Part, ...] = (len(keys), *keys, f"{version - 1}-0", f"{version}-0", data)
        apart = None if self._shards.one else deadline
        return _Append(match, version, key, apart, before, after)

    async def _attempt(self, order: _Append, packed: bytes) -> Any:
        """Send an append once; its reply, also where a conflict lacks replicas.

        A deadline that is elsewhere goes to the same primary, in the same write, before it and
        after it: see `Deadlines.lower`.
        """
        self._lower(order)
        answer = self._writer.submit(order.key, packed)
        self._lower(order)
        try:
            return await answer
        except TooFewReplicas as short:
            if short.reply == 1:
                raise
            return short.reply

    def _lower(self, order: _Append) -> None:
        if order.deadline:
            _ignored(self._deadlines.lower(order.match, order.deadline))

    async def _recover(self, order: _Append, fault: BaseException, until: float) -> Any:
        """An append that brought no answer: what has become of it?

        It is settled, and goes on being settled when the caller is cancelled.

        Raises:
            StoreAway, CorruptLog: what has become of it is known.
        """
        mode = _mode_after(fault, order.match, b"")
        settling = self._in_background(self._settle(order, mode, until))
        if isinstance(fault, asyncio.CancelledError):
            raise fault
        return await asyncio.shield(settling)

    async def _settle(self, order: _Append, mode: bytes, until: float) -> Any:
        """Run the append again until the server says what stands at its place."""
        pause, longest = _PAUSE_S
        try:
            async with asyncio.timeout_at(until):
                while True:
                    try:
                        return await self._attempt(order, order.whole(mode))
                    except StoreAway as away:
                        mode = _mode_after(away, order.match, mode)
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, longest)
        except TimeoutError:
            log.warning("append not settled", match=order.match, version=order.version)
            raise StoreAway(
                "the store went away while it took this: it may have been recorded or not",
                outcome_unknown=True,
            ) from None

    def _announce(self, order: _Append) -> None:
        """Tell those who follow the match, now that enough replicas have it."""
        announced = pack(("PUBLISH", live_channel(order.match), f"{order.version}-0"))
        _ignored(self._reader.submit(order.key, announced))

    def _in_background(self, work: Coroutine[Any, Any, Any]) -> asyncio.Future[Any]:
        """Let work go on whatever becomes of its caller; `aclose` waits for it."""
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return _ignored(task)

    # ── Read ──────────────────────────────────────────────────────────────────────────────────────

    async def read(self, match: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        """See `MatchStore.read`."""
        entries: list[Entry] = []
        while limit is None or len(entries) < limit:
            size = _PAGE if limit is None else min(_PAGE, limit - len(entries))
            page = await self._page(match, after + len(entries), size)
            entries += page
            if len(page) < size:
                break
        return entries

    async def _page(self, match: str, after: int, limit: int) -> list[Entry]:
        if limit <= 0:
            return []
        key = log_key(match)
        command = ("XRANGE", key, f"{after + 1}-0", "+", "COUNT", limit)
        return _parse_entries(match, after, await ask(self._reader, match, key, *command))

    async def _read_shown(self, match: str, after: int, limit: int) -> list[Entry]:
        """As `read`, but only what may be shown: what enough replicas have."""
        if not self._replicas:
            return await self._page(match, after, limit)
        keys = (log_key(match), summary_key(match))
        reply = await run(self._shown, READ_MARKED, keys, f"{after + 1}-0", limit)
        return _parse_entries(match, after, reply)

    async def read_in_turn(self, match: str, after: int, limit: int) -> list[Entry]:
        """See `MatchStore.read_in_turn`."""
        async with self.in_turn(match):
            return await self._page(match, after, limit)

    async def _show_in_turn(self, match: str, after: int, limit: int) -> list[Entry]:
        async with self.in_turn(match):
            return await self._read_shown(match, after, limit)

    @asynccontextmanager
    async def in_turn(self, match: str) -> AsyncIterator[None]:
        """What a page for one of a crowd is read in, each from the same primary.

        Raises:
            StoreAway: the primary went away while this waited.
        """
        async with self._turns[self._heartbeats.of(match)]:
            if self.away(match):
                raise StoreAway("the store went away while this waited for its turn")
            yield

    async def last(self, match: str) -> int:
        """See `MatchStore.last`."""
        key = log_key(match)
        reply = await ask(self._reader, match, key, "XREVRANGE", key, *NEWEST)
        return version_of(match, reply[0][0]) if reply else 0

    # ── Lists ─────────────────────────────────────────────────────────────────────────────────────

    async def register(self, match: str, listed: InLists) -> None:
        """See `MatchStore.register`."""
        await self._lists.register(match, listed)

    async def claim(self, key: str, value: bytes) -> bytes | None:
        """See `MatchStore.claim`."""
        found: bytes | None = await run(self._writer, CLAIM, (claim_key(key),), value, CLAIMED_S)
        return found

    async def matches(
        self,
        *,
        game: str | None = None,
        tournament: str | None = None,
        before: Cursor | None = None,
        limit: int = 50,
    ) -> Listing:
        """See `MatchStore.matches`."""
        return await self._lists.page(game, tournament, before, limit)

    # ── Beside the log ────────────────────────────────────────────────────────────────────────────

    async def confirm(self, match: str, entry: Entry) -> bool:
        """See `MatchStore.confirm`."""
        return not self._replicas or await self._read_shown(match, entry.version - 1, 1) == [entry]

    async def note_refusal(self, match: str, whose: str, record: bytes) -> None:
        """See `MatchStore.note_refusal`."""
        keys = (refusals_key(match), log_key(match))
        await run(self._reader, NOTE, keys, whose, REFUSALS_KEPT, record)

    async def refusals(self, match: str) -> list[bytes]:
        """See `MatchStore.refusals`."""
        key = refusals_key(match)
        found = await ask(self._reader, match, key, "HVALS", key)
        numbered = [value.partition(b":") for value in found if b":" in value]
        return [record for _, _, record in sorted(numbered, key=lambda parts: int(parts[0]))]

    # ── Deadlines ─────────────────────────────────────────────────────────────────────────────────

    async def due(self, now_ms: int, limit: int, *, after: int | None = None) -> list[Due]:
        """See `MatchStore.due`."""
        return await self._deadlines.due(now_ms, limit, after)

    async def set_deadline(self, match: str, deadline: int | None, *, version: int) -> None:
        """See `MatchStore.set_deadline`."""
        await self._deadlines.put_right(match, deadline, version, partial(self.last, match))

    # ── Time ──────────────────────────────────────────────────────────────────────────────────────

    def now(self, match: str | None = None) -> int | None:
        """See `MatchStore.now`."""
        return self._heartbeats.now() if match is None else self._heartbeats.of(match).now()

    async def time(self, match: str) -> int:
        """See `MatchStore.time`."""
        return await self._heartbeats.time(match)

    def begins(self, match: str) -> bool:
        """See `MatchStore.begins`."""
        return self._heartbeats.first(match)

    def away(self, match: str) -> bool:
        """See `MatchStore.away`."""
        return self._heartbeats.of(match).away

    def outages(self, match: str) -> tuple[Outage, ...]:
        """See `MatchStore.outages`."""
        return self._heartbeats.of(match).outages

    async def keep_time(self) -> None:
        """See `MatchStore.keep_time`."""
        await self._heartbeats.keep()

    # ── The server ────────────────────────────────────────────────────────────────────────────────

    async def ping(self) -> None:
        """See `MatchStore.ping`."""
        await self._heartbeats.one()

    async def examine(self) -> list[Primary]:
        """See `MatchStore.examine`."""
        # By itself: redis-py may swallow a cancellation, and who looks again and again would
        # never end.
        return await asyncio.shield(self._in_background(examine(self._servers, self._replicas)))

    def subscribe(
        self, match: str, after: int, *, seen: bytes | None = None, end: int | None = None
    ) -> Subscription:
        """See `MatchStore.subscribe`."""
        return self._feed.subscribe(match, after, seen, end)

    def renew(self, url: str) -> None:
        """See `MatchStore.renew`."""
        self._servers.renew(url)

    async def aclose(self) -> None:
        """See `MatchStore.aclose`."""
        while self._background:
            await asyncio.wait(self._background)
        await self._feed.aclose()
        for router in (self._writer, self._reader, self._shown):
            await router.aclose()
        await self._servers.aclose()


def _mode_after(fault: BaseException, match: str, mode: bytes) -> bytes:
    """The mode in which to try an append again that failed in this one.

    Raises:
        StoreAway, CorruptLog: what has become of it is known.
    """
    if isinstance(fault, TooFewReplicas):
        raise fault
    meant = meaning(match, fault) if isinstance(fault, ErrorReply) else fault
    if isinstance(meant, CorruptLog):
        raise meant
    if mode == _SETTLE or not isinstance(meant, StoreAway) or meant.outcome_unknown:
        return _SETTLE
    if unscripted(fault):
        return mode
    raise meant


def digest_of(data: bytes | None) -> str:
    """A commit's name inside the server; nothing secret rests on its strength."""
    return "" if data is None else hashlib.sha1(data, usedforsecurity=False).hexdigest()


def _given(number: int | None) -> Part:
    """An argument of a script that may be none."""
    return b"" if number is None else number


def _parse_entries(match: str, after: int, reply: Any) -> list[Entry]:
    """The entries of an XRANGE that started right after version `after`.

    Raises:
        CorruptLog: a gap, a foreign id, or an entry that is not one field `c`.
    """
    entries: list[Entry] = []
    for version, (entry_id, fields) in enumerate(reply, after + 1):
        if entry_id != b"%d-0" % version:
            place = entry_id.decode(errors="replace")
            raise CorruptLog(match, place, f"{version}-0 should stand here")
        if len(fields) != 2 or fields[0] != b"c":  # noqa: PLR2004 - a name and a value
            raise CorruptLog(match, f"{version}-0", "not exactly one field c")
        entries.append(Entry(version, fields[1]))
    return entries


def _ignored(answer: asyncio.Future[Any]) -> asyncio.Future[Any]:
    """Nobody need look at how this ends."""
    answer.add_done_callback(lambda done: done.cancelled() or done.exception())
    return answer


def open_store(url: str, *, min_replicas: int = 0) -> MatchStore:
    """The store at `url`; connects when first used.

    `min_replicas` is how many replicas must have a commit before it counts (0: none).

    Raises:
        BadAddress: see `parse_address`.
    """
    return RedisStore(servers_at(url), min_replicas=min_replicas)


async def examined(url: str, min_replicas: int, *, rights: bool = False) -> list[Primary]:
    """What the primaries of the store at `url` are like; see `examine`."""
    servers = servers_at(url)
    try:
        return await examine(servers, min_replicas, rights=rights)
    finally:
        await servers.aclose()
