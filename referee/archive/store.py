"""A store that falls through to an archive: a log that it does not hold is looked up there.

Whatever is asked of a match is asked of the store first, always. Only where it holds no log at all
may the match be archived: its file is read then, so many times a second at most, and what was
found out is remembered for a while.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

import msgspec

from referee.archive.archive import Archive, match_key, refusals_key
from referee.archive.memory import Memory
from referee.archive.places import Kept
from referee.archive.turns import STRANGER, Turns
from referee.core.commit import BadMatchFile, decoded, match_file_in
from referee.slicing import in_slices
from referee.store import CorruptLog, Entry, MatchStore, RedisStore, Rewritten, Subscription
from referee.store import open_store as open_redis_store
from referee.store.connection.servers import Servers, servers_at

LOOKUPS: Final = 20
"""Files that a process looks for in a second, at most."""
STRANGERS: Final = 10
"""Of these, look-ups for strangers: whoever makes up ids keeps nobody from a match of his."""
MET_S: Final = 3600.0
"""Seconds for which nobody is a stranger to a match that was found."""
MET_KEPT: Final = 10_000
MISSED_S: Final = 60.0
"""Seconds for which a match that is not in the archive is taken for not being there."""
FOUND_S: Final = 10.0
"""Seconds for which a file that was read is taken for the same: a match may be restored, go on and
be archived again."""
MISSED_KEPT: Final = 10_000
FOUND_BYTES: Final = 64 << 20
"""Bytes of files that a process has at hand; but of one, however long it is."""

Commits = Sequence[bytes]
_LINES: Final = msgspec.json.Decoder()


class Lookups:
    """Looks for logs in an archive."""

    def __init__(self, archive: Archive) -> None:
        self._archive: Final = archive
        self._found: Memory[Commits] = Memory(FOUND_S, FOUND_BYTES)
        self._missed: Memory[str] = Memory(MISSED_S, MISSED_KEPT)
        self._met: Memory[str] = Memory(MET_S, MET_KEPT)
        self._turns: Final = Turns(LOOKUPS)
        self._strangers: Final = Turns(STRANGERS)
        self._under_way: dict[tuple[str, bool], asyncio.Future[Commits | None]] = {}

    def seen(self, match: str) -> None:
        """The store holds a log of this match: what was known of the archive's may change."""
        self._found.forget(match)
        self._missed.forget(match)

    async def commits(self, match: str) -> Commits | None:
        """The commits of an archived match; None where it is not in the archive.

        Raises:
            ArchiveAway: the archive cannot be asked, or too many ask.
            CorruptLog: the file is none of this match.
        """
        found = self._found.get(match)
        if found is not None or self._missed.get(match) is not None:
            return found
        asked = (match, self._is_strange(match))
        if asked not in self._under_way:
            self._under_way[asked] = asyncio.ensure_future(self._look(match))
            self._under_way[asked].add_done_callback(lambda done: self._ended(asked, done))
        return await asyncio.shield(self._under_way[asked])

    def _ended(self, asked: tuple[str, bool], done: asyncio.Future[Commits | None]) -> None:
        del self._under_way[asked]
        _ = done.cancelled() or done.exception()  # somebody may have heard of it, or nobody

    def _is_strange(self, match: str) -> bool:
        return STRANGER.get() and self._met.get(match) is None

    async def refusals(self, match: str) -> list[bytes]:
        """The records of the refused commands of an archived match. Raises what `commits` does."""
        kept = await self._asked(self._archive.refusals, match)
        return [] if kept is None else records_in(match, kept.data)

    async def _look(self, match: str) -> Commits | None:
        kept = await self._asked(self._archive.match, match)
        if kept is None:
            self._missed.put(match, match)
            return None
        commits = await _commits_in(match, kept.data)
        self._found.put(match, commits, len(kept.data))
        self._met.put(match, match)
        return commits

    async def _asked(self, ask: Callable[[str], Kept | None], match: str) -> Kept | None:
        if self._is_strange(match):
            await self._strangers.wait()
        await self._turns.wait()
        return await self._archive.ask(partial(ask, match))


async def _commits_in(match: str, data: bytes) -> Commits:
    try:
        file = await in_slices(match_file_in(data))
    except BadMatchFile as fault:
        raise CorruptLog(match, match_key(match), str(fault)) from fault
    if file.header.match != match or not file.commits:
        raise CorruptLog(match, match_key(match), "it is the file of another match, or of none")
    return file.commits


class ArchivedStore(RedisStore):
    """A `RedisStore` whose matches may be in an archive; writes it none, and nothing to it."""

    def __init__(self, servers: Servers, archive: Archive, *, min_replicas: int = 0) -> None:
        super().__init__(servers, min_replicas=min_replicas)
        self._lookups = Lookups(archive)
        self.turn: Final = asyncio.Lock()
        """Of those who follow what is archived: each has a page, and then the next."""

    async def archived(self, match: str) -> Commits | None:
        """The commits of a match of which the store holds no log, if the archive has it.

        Raises what `Lookups.commits` raises.
        """
        if await self.last(match):
            self._lookups.seen(match)
            return None
        return await self._lookups.commits(match)

    async def read(self, match: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        """See `MatchStore.read`."""
        entries = await super().read(match, after, limit)
        return entries if self._holds(match, entries) else await self._kept(match, after, limit)

    async def read_in_turn(self, match: str, after: int, limit: int) -> list[Entry]:
        """See `MatchStore.read_in_turn`; nobody's turn waits for the archive."""
        entries = await super().read_in_turn(match, after, limit)
        return entries if self._holds(match, entries) else await self._kept(match, after, limit)

    def _holds(self, match: str, entries: list[Entry]) -> bool:
        """Whether the store itself holds these entries, and so the match."""
        if entries:
            self._lookups.seen(match)
        return bool(entries)

    async def _kept(self, match: str, after: int, limit: int | None) -> list[Entry]:
        return list(_entries(await self.archived(match) or (), after, limit))

    async def confirm(self, match: str, entry: Entry) -> bool:
        """See `MatchStore.confirm`."""
        if await super().confirm(match, entry):
            return True
        commits = await self.archived(match) or ()
        return [*_entries(commits, entry.version - 1, 1)] == [entry]

    async def refusals(self, match: str) -> list[bytes]:
        """See `MatchStore.refusals`."""
        records = await super().refusals(match)
        if records or await self.archived(match) is None:
            return records
        return await self._lookups.refusals(match)

    def subscribe(
        self, match: str, after: int, *, seen: bytes | None = None, end: int | None = None
    ) -> Subscription:
        """See `MatchStore.subscribe`."""
        live = super().subscribe(match, after, seen=seen, end=end)
        return _FallingThrough(self, live, match, after, seen)


def _entries(commits: Commits, after: int, limit: int | None = None) -> Iterator[Entry]:
    wanted = commits[after : None if limit is None else after + limit]
    return (Entry(number, data) for number, data in enumerate(wanted, after + 1))


def records_in(match: str, lines: bytes) -> list[bytes]:
    """The store's records of refused commands, from an archive's lines.

    Raises:
        CorruptLog: they are none.
    """
    try:
        found = [decoded(_LINES, line) for line in lines.splitlines()]
    except msgspec.DecodeError as fault:
        raise CorruptLog(match, refusals_key(match), str(fault)) from fault
    return [msgspec.msgpack.encode(record) for record in found]


class _FallingThrough:
    """A live feed that goes on in the archive where the store holds no log (any more)."""

    def __init__(
        self, store: ArchivedStore, live: Subscription, match: str, after: int, seen: bytes | None
    ) -> None:
        self._store = store
        self._live = live
        self._match = match
        self._at, self._mark = after, seen  # the last commit that was delivered
        self._begun = False
        self._kept: Iterator[Entry | Rewritten] | None = None

    def __aiter__(self) -> _FallingThrough:
        return self

    async def __anext__(self) -> Entry | Rewritten:
        if not self._begun:
            await self._look()
            self._begun = True
        item = None if self._kept else await anext(self._live)
        if isinstance(item, Rewritten) and not item.last:
            await self._look()
        if self._kept is not None:
            async with self._store.turn:
                await asyncio.sleep(0)
            item = next(self._kept, None)
        if item is None:
            raise StopAsyncIteration
        return self._noted(item) if isinstance(item, Entry) else item

    def at_hand(self) -> Entry | None:
        """See `Subscription.at_hand`."""
        if self._kept is None:
            entry = self._live.at_hand()
        else:
            item = next(self._kept, None)
            entry = item if isinstance(item, Entry) else None  # a `Rewritten` is the first alone
        return None if entry is None else self._noted(entry)

    def _noted(self, entry: Entry) -> Entry:
        self._at, self._mark = entry
        return entry

    def hand_to(self, take: Callable[[Entry], bool]) -> None:
        """Offer each commit to `take` while the reader waits for one."""

        def taken(entry: Entry) -> bool:
            if took := take(entry):
                self._at, self._mark = entry
            return took

        self._live.hand_to(taken)

    async def _look(self) -> None:
        commits = await self._store.archived(self._match)
        if commits is not None:
            self._kept = self._rest(commits)

    def _rest(self, commits: Commits) -> Iterator[Entry | Rewritten]:
        """What follows in an archived log, which is over."""
        there = commits[self._at - 1 : self._at] if self._at else (self._mark,)
        if there and self._mark in (None, there[0]):
            yield from _entries(commits, self._at)
        else:
            yield Rewritten(len(commits))

    async def aclose(self) -> None:
        """Stop, and end the iteration."""
        self._kept = iter(())
        await self._live.aclose()


def open_archived_store(url: str, archive: Archive | None, *, min_replicas: int = 0) -> MatchStore:
    """The store at `url`, with an archive behind it if there is one.

    Raises:
        BadAddress: see `parse_address`.
    """
    if archive is None:
        return open_redis_store(url, min_replicas=min_replicas)
    return ArchivedStore(servers_at(url), archive, min_replicas=min_replicas)
