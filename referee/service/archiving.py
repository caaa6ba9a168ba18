"""Taking matches that are over from the store to the archive, and back.

A match is written to the archive, read back and judged before the store drops anything of it; and
is put back into the store whole before anything relies on it there. Whenever this stops, the match
is in one of the two, or in both. What stands in the archive is never replaced by anything but a log
that goes on from it.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from typing import Final, NamedTuple

import msgspec

from referee.archive import Archive, Changed, Kept
from referee.archive.archive import match_key, refusals_key, row_key
from referee.archive.store import records_in
from referee.catalogue import Catalogue, UnknownGame
from referee.core.audit import audit
from referee.core.commit import (
    BadMatchFile,
    MatchFile,
    creation_of,
    decoded,
    read_match_file,
    stamp_in,
    write_match_file,
)
from referee.core.match import Match, Result, Status
from referee.core.rules import Rules
from referee.core.verify import fold_log, reason
from referee.report.json_values import to_json
from referee.service.answers import RefusedCommand
from referee.service.lists import Summary, read_summary, row_of, summary_of
from referee.service.logs import signed_header
from referee.service.receipts import Signer
from referee.store import CorruptLog, Cursor, Entry, InLists, Interfered, Listed, MovingStore

AT_ONCE: Final = 8
"""Matches on their way at the same time: most of that is waiting for the archive."""
_PAGE: Final = 500


class Unmoved(Exception):
    """A match stays where it is; the text says why."""


class Overtaken(Unmoved):
    """Because something has come to it meanwhile, or somebody else is moving it: that is well."""


class Wanted(NamedTuple):
    """Which matches go: finished and certified, or void; `until`: with no commit after this time.

    `uncertified`: those too whose result is not certified.
    """

    until: int | None = None
    uncertified: bool = False

    def takes(self, status: Status, result: Result | None, updated: int) -> bool:
        """Whether a match like that goes."""
        if self.until is not None and updated > self.until:
            return False
        certified = result is not None and result.certified
        return status == "void" or (status == "finished" and (certified or self.uncertified))


# ── Out ───────────────────────────────────────────────────────────────────────────────────────────


class Candidate(NamedTuple):
    """A match that goes, as it is listed."""

    listed: Listed
    summary: Summary


class Archiver:
    """Moves matches from a store to an archive, their files signed where there is a `signer`."""

    def __init__(
        self, store: MovingStore, archive: Archive, games: Catalogue, signer: Signer | None
    ) -> None:
        self._store = store
        self._archive = archive
        self._games = games
        self._signer = signer

    async def candidates(self, wanted: Wanted) -> AsyncIterator[list[Candidate]]:
        """The matches that go, some at a time; in no order, so that several share the work.

        Raises:
            StoreAway: the store is away.
        """
        before: Cursor | None = None
        while True:
            found, before, _ = await self._store.matches(before=before, limit=_PAGE)
            random.shuffle(found)
            yield [each for listed in found if (each := _candidate(listed, wanted))]
            if before is None:
                return

    async def move(self, candidate: Candidate) -> None:
        """Move one match.

        Raises:
            Unmoved: it stays.
            StoreAway, CorruptLog: the store is away, or the archive, or the log is no log.
        """
        listed, summary = candidate
        name = listed.match
        row = row_key(name, listed.created_ms, summary.tournament)
        keys = (match_key(name), refusals_key(name), row)
        # Before the log is read: whoever writes newer files in between makes ours fail.
        there = [await self._get(key) for key in keys]
        commits = [entry.data for entry in await self._store.read(name)]
        _check_goes_on(there[0], commits)
        files = await self._files(listed, commits)
        for key, data, before in zip(keys, files, there, strict=True):
            await self._write(key, data, before)
        for key, data in zip(keys, files, strict=True):
            kept = await self._get(key)
            if kept is None or kept.data != data:
                raise Unmoved(f"{key} does not read as it was written")
        self._judge(files[0])
        await self._drop(candidate, Entry(len(commits), commits[-1]))

    async def _files(self, listed: Listed, commits: Sequence[bytes]) -> tuple[bytes, bytes, bytes]:
        """The match file, the lines of refused commands, and the row."""
        rules, match = _told(self._games, commits)
        setting = match.setting
        if (setting.match, setting.created) != (listed.match, listed.created_ms):
            raise Unmoved("the store lists it as another match, or of another time")
        header = signed_header(match, self._signer)
        records = map(msgspec.msgpack.decode, await self._store.refusals(listed.match))
        lines = "".join(f"{to_json(record)}\n" for record in records)
        row = msgspec.json.encode(row_of(rules, match, commits[-1], listed.refusals))
        return write_match_file(header, commits), lines.encode(), row

    async def _get(self, key: str) -> Kept | None:
        return await asyncio.to_thread(self._archive.place.get, key)

    async def _write(self, key: str, data: bytes, before: Kept | None) -> None:
        if before is not None and before.data == data:
            return
        try:
            await asyncio.to_thread(self._archive.place.put, key, data, before)
        except Changed:
            raise Overtaken("somebody else is archiving it") from None

    def _judge(self, data: bytes) -> None:
        keys = [self._signer.public.x] if self._signer else []
        _judged(self._games, read_match_file(data), keys)

    async def _drop(self, candidate: Candidate, last: Entry) -> None:
        """Drop it from the store, if it is still as it was archived; its list entries after it."""
        listed, summary = candidate
        name, game, tournament = listed.match, summary.game, summary.tournament
        if not await self._store.take_out(name, last, listed.refusals):
            raise Overtaken("something came to it meanwhile")
        await self._store.unlist(name, game=game, tournament=tournament)
        if await self._store.last(name):  # somebody has restored it meanwhile
            await self._store.register(name, InLists(listed.created_ms, game, tournament))


def _candidate(listed: Listed, wanted: Wanted) -> Candidate | None:
    summary, updated = read_summary(listed.summary), stamp_in(listed.beginning)
    if summary is None or updated is None:
        return None
    goes = wanted.takes(summary.status, summary.result, updated)
    return Candidate(listed, summary) if goes else None


def _check_goes_on(there: Kept | None, commits: Sequence[bytes]) -> None:
    """What is archived already must be how this log begins."""
    if not commits:
        raise Overtaken("somebody else has archived it")
    if there is None:
        return
    try:
        earlier = read_match_file(there.data).commits
    except BadMatchFile as fault:
        raise Unmoved(f"what the archive has of it is no match file: {fault}") from fault
    if tuple(commits[: len(earlier)]) != tuple(earlier):
        raise Unmoved("the archive has another log of a match of this id")


def _told(games: Catalogue, commits: Sequence[bytes]) -> tuple[Rules, Match]:
    """The rules of a log, and the match that it tells."""
    try:
        rules = games.rules(creation_of(commits[0]).ruleset)
        return rules, fold_log(rules, commits)
    except UnknownGame as unknown:
        raise Unmoved(f"its rules are not known here: {unknown}") from unknown
    except Exception as fault:  # whatever is wrong with a log
        raise Unmoved(f"its log cannot be read: {reason(fault)}") from fault


def _judged(games: Catalogue, file: MatchFile, keys: Sequence[str]) -> tuple[Rules, Match]:
    """The rules and the match of a file that is not in dispute."""
    rules, match = _told(games, file.commits)
    found = audit(rules, file, keys)
    for dispute in found.disputes:
        at = "" if dispute.version is None else f" at {dispute.place}"  # a header's names it
        raise Unmoved(f"it is in dispute{at}: {dispute.message}")
    if keys and not found.trusted:
        raise Unmoved("its file is not signed by our key")
    return rules, match


# ── Back ──────────────────────────────────────────────────────────────────────────────────────────


async def restore(store: MovingStore, archive: Archive, games: Catalogue, name: str) -> bool:
    """Put a match back into the store; what the archive has of it stays there.

    Returns:
        Whether it was put back: False where the store holds it already.

    Raises:
        Unmoved: it is not in the archive, or what is there is no match that could be put back.
        Overtaken: somebody else moves it just now.
        StoreAway, CorruptLog: the store is away, or the archive, or what is there is none of ours.
    """
    try:
        match_key(name)
        who = await store.begin_to_put_back(name)
        kept = await asyncio.to_thread(archive.match, name)
        if kept is None:
            raise Unmoved("the archive has no such match")
        file = read_match_file(kept.data)
    except ValueError as fault:  # no match's id, or no match file
        raise Unmoved(f"{fault}") from fault
    rules, match = _judged(games, file, ())
    setting = match.setting
    if setting.match != name:
        raise Unmoved(f"its file is that of match {setting.match}")
    refused = await asyncio.to_thread(_refused, archive, match)
    listed = InLists(setting.created, setting.game, setting.tournament)
    await store.register(name, listed)
    try:
        put = await store.put_back(name, who, file.commits, summary_of(rules, match), *refused)
    except Interfered:
        put = False
        if not await store.last(name):
            raise Overtaken("somebody else restores or archives it just now: try again") from None
    # Once more: as long as there was no log, the row might have been taken off.
    await store.register(name, listed)
    there = [entry.data for entry in await store.read(name, 0, len(file.commits))]
    if not there:
        raise Unmoved("it has gone to the archive again at once")
    if there != list(file.commits):
        raise Unmoved("the store holds another log of a match of this id")
    return put


def _refused(archive: Archive, match: Match) -> tuple[list[tuple[str, bytes]], int]:
    """The records of refused commands with whose they are, and how many there were in all."""
    setting = match.setting
    lines = archive.refusals(setting.match)
    row = archive.place.get(row_key(setting.match, setting.created, setting.tournament))
    try:
        records = [] if lines is None else records_in(setting.match, lines.data)
        told = [(_whose(record), record) for record in records]
        counted = 0 if row is None else decoded(_COUNTED, row.data).refusals
    except (CorruptLog, msgspec.DecodeError) as fault:
        raise Unmoved(f"its refused commands or its row cannot be read: {fault}") from fault
    return told, max(counted, len(records))


class _Counted(msgspec.Struct):
    """What is read of a row."""

    refusals: int


_COUNTED: Final = msgspec.json.Decoder(_Counted)


def _whose(record: bytes) -> str:
    """Among whose refusals a record is counted: a seat's own, or all organizers'."""
    sent = msgspec.msgpack.decode(record, type=RefusedCommand)
    kind, _, seat = sent.by.partition(":")
    return seat if kind == "seat" and seat.isdecimal() else "organizers"
