"""An archive's layout: which file holds what of a match.

    matches/<id>.match              its match file, signed as the service signs one
    matches/<id>.refusals.jsonl     its refused commands, a line each
    index/<tournament>/<10^15 − created, Unix ms>-<id>.json     its row in lists

A tournament is percent-encoded; `-` stands for none. So a folder's files, as they are listed, are
its matches, newest first.
"""

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, groupby
from operator import attrgetter
from typing import Final, NamedTuple, TypeVar
from urllib.parse import quote

from referee.archive.memory import Memory
from referee.archive.places import ArchiveAway, Kept, Place, open_place
from referee.core.patterns import MATCH_ID
from referee.store import Cursor

T = TypeVar("T")

MATCHES: Final = "matches"
INDEX: Final = "index"
SUFFIX: Final = ".match"
REFUSALS: Final = ".refusals.jsonl"
NO_TOURNAMENT: Final = "-"
AT_ONCE: Final = 16
"""Rows, and folders of rows, that are read at the same time."""
ROWS_S: Final = 60.0
"""Seconds for which a row that was read is taken for the same: only restoring changes one."""
ROWS_KEPT: Final = 10_000
PATIENCE_S: Final = 30.0
"""Seconds for which a service waits for an answer: a disk may be one that never gives any."""
_LONGEST: Final = 200
"""Characters of a folder's name; file systems take 255."""
_ROW: Final = re.compile(rf"([0-9]{{15}})-({MATCH_ID.pattern})\.json")
_END: Final = 10**15


def match_key(match: str) -> str:
    """Where a match's file is."""
    return f"{MATCHES}/{_checked(match)}{SUFFIX}"


def refusals_key(match: str) -> str:
    """Where its refused commands are."""
    return f"{MATCHES}/{_checked(match)}{REFUSALS}"


def row_key(match: str, created_ms: int, tournament: str | None) -> str:
    """Where its row is; later ones come first.

    >>> row_key("m", 1_700_000_000_000, "Spring Cup")
    'index/Spring%20Cup/998300000000000-m.json'
    """
    return f"{INDEX}/{folder_of(tournament)}/{_before(created_ms)}{_checked(match)}.json"


def _before(created_ms: int) -> str:
    """How the names of all rows of a time begin."""
    return f"{_END - max(1, created_ms):015d}-"


def folder_of(tournament: str | None) -> str:
    """The folder of a tournament's rows; of a name too long for one, how it begins and a digest.

    >>> folder_of(None), folder_of("-"), folder_of(".."), folder_of("Pokal/Süd")
    ('-', '%2D', '%2E%2E', 'Pokal%2FS%C3%BCd')
    """
    if tournament is None:
        return NO_TOURNAMENT
    name = quote(tournament, safe="")
    if name.strip(".") in {"", NO_TOURNAMENT}:
        return name.replace(".", "%2E").replace("-", "%2D")
    if len(name) <= _LONGEST:
        return name
    digest = hashlib.sha256(tournament.encode()).hexdigest()
    return f"{name[: _LONGEST - len(digest)]}{digest}"


def _checked(match: str) -> str:
    if not MATCH_ID.fullmatch(match):
        raise ValueError(f"{match!r} is no match's id")
    return match


class Row(NamedTuple):
    """A match's row: where it stands in lists, and what it says (JSON), or why nobody can tell."""

    at: Cursor
    data: bytes | ArchiveAway


class Found(NamedTuple):
    """A row's place in lists, and its key."""

    at: Cursor
    key: str


class Archive:
    """The files of an archive. Every method waits for the place, and raises `ArchiveAway`.

    A service, which must not wait, lets it `ask` them.
    """

    def __init__(self, place: Place) -> None:
        self.place: Final = place
        self._rows: Memory[bytes] = Memory(ROWS_S, ROWS_KEPT)
        self._askers: Final = ThreadPoolExecutor(AT_ONCE, "archive")
        self._readers: Final = ThreadPoolExecutor(AT_ONCE, "archive-rows")

    @property
    def name(self) -> str:
        """Where it is."""
        return self.place.name

    def check(self) -> None:
        """Return if it can be read."""
        self.place.folders(INDEX)

    async def ask(self, question: Callable[[], T]) -> T:
        """What is answered by a thread of ours: those of the process are not left waiting.

        Raises:
            ArchiveAway: there is no answer.
        """
        answer = asyncio.get_running_loop().run_in_executor(self._askers, question)
        try:
            return await asyncio.wait_for(answer, PATIENCE_S)
        except TimeoutError:
            raise ArchiveAway(f"the archive {self.name} does not answer") from None

    def match(self, match: str) -> Kept | None:
        """A match's file, if it is here."""
        return self.place.get(match_key(match))

    def refusals(self, match: str) -> Kept | None:
        """Its refused commands."""
        return self.place.get(refusals_key(match))

    def matches(self) -> Iterator[str]:
        """The ids of all matches, in the order of their characters."""
        for name in self.place.names(MATCHES):
            match = name.removesuffix(SUFFIX)
            if match != name and MATCH_ID.fullmatch(match):
                yield match

    # ── Rows ──────────────────────────────────────────────────────────────────────────────────────

    def rows(
        self, tournament: str | None, before: Cursor | None, limit: int
    ) -> tuple[list[Row], bool]:
        """At most `limit` rows behind `before`, newest first, and whether there are more.

        `tournament`: of this one alone; None: of all, and of none. Where they are of one time, the
        ids stand backwards, as in the store's lists.
        """
        every = self.place.folders(INDEX) if tournament is None else [folder_of(tournament)]
        by_folder = self._readers.map(lambda name: self._older(name, before, limit + 1), every)
        found = sorted(chain.from_iterable(by_folder), reverse=True)
        return list(self._readers.map(self._row, found[:limit])), len(found) > limit

    def _older(self, folder: str, before: Cursor | None, count: int) -> list[Found]:
        """The next rows of a folder; a few more, where the last are of one time."""
        path = f"{INDEX}/{folder}"
        # Those of the cursor's own time are among them.
        after = "" if before is None else _before(before.created_ms)
        named = filter(None, map(_ROW.fullmatch, self.place.names(path, after)))
        rows = (Found(Cursor(_END - int(n[1]), n[2]), f"{path}/{n[0]}") for n in named)
        behind = (row for row in rows if before is None or row.at < before)
        found: list[Found] = []
        for _, of_one_time in groupby(behind, key=attrgetter("at.created_ms")):
            found += of_one_time
            if len(found) >= count:
                break
        return found

    def _row(self, found: Found) -> Row:
        try:
            return Row(found.at, self._rows.get(found.key) or self._read_row(found.key))
        except ArchiveAway as fault:
            return Row(found.at, fault)

    def _read_row(self, key: str) -> bytes:
        kept = self.place.get(key)
        if kept is None:
            raise ArchiveAway(f"{key} is gone")
        self._rows.put(key, kept.data)
        return kept.data


def open_archive(url: str) -> Archive:
    """The archive at `url`; see `open_place`."""
    return Archive(open_place(url))
