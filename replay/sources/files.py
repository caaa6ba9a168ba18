"""Where logs come from: match files, folders of them, a service's HTTP, a store's Redis.

A source's text is first expanded to single logs, which are read only when they are needed, in
whichever process needs them. Nothing here ever writes to a source.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from referee.addresses import SCHEMES
from referee.core.commit import MatchFile, read_match_file
from replay.faults import Unusable, reason
from replay.sources.http import LONGEST, HttpSource
from replay.sources.store import StoreSource

SUFFIX: Final = ".match"


class Source(Protocol):
    """One log that can be read."""

    @property
    def name(self) -> str:
        """What it is called in answers: the path or address, without passwords."""
        ...

    def read(self) -> bytes:
        """Its match file. Raises :class:`Unusable` where it cannot be had."""
        ...


@dataclass(frozen=True, slots=True)
class FileSource:
    """A match file on this machine."""

    path: Path

    @property
    def name(self) -> str:
        """Its path."""
        return str(self.path)

    def read(self) -> bytes:
        """Its bytes. Raises :class:`Unusable`."""
        try:
            mode = self.path.stat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
                raise Unusable("neither a file nor a pipe", self.name)
            with self.path.open("rb") as file:
                data = file.read(LONGEST + 1)
        except OSError as error:
            raise Unusable(str(error.strerror or error), self.name) from error
        if len(data) > LONGEST:
            raise Unusable(f"longer than {LONGEST} bytes", self.name)
        return data


@dataclass(frozen=True, slots=True)
class Log:
    """A log that was read: where from, and its match file."""

    source: str
    file: MatchFile


@dataclass(frozen=True, slots=True)
class LostSource:
    """A source that is not to be had: it says so when it is read, in its turn among others."""

    name: str
    error: str

    def read(self) -> bytes:
        """Raises :class:`Unusable`."""
        raise Unusable(self.error, self.name)


def expand(texts: Iterable[str]) -> list[Source]:
    """The single logs that these sources name, in their order, a folder's by path.

    A source of no known kind, one that is not there, and a folder without a match file are
    among them, and say what is wrong with them when they are read.
    """
    return [source for text in texts for source in _expanded(text)]


def _expanded(text: str) -> list[Source]:
    try:
        return list(_named(text))
    except Unusable as unusable:
        return [LostSource(unusable.source or "a source", unusable.message)]


def single(text: str) -> Source:
    """The one log that this source names. Raises :class:`Unusable`, also where it is several."""
    sources = list(_named(text))
    if len(sources) > 1:
        raise Unusable(f"holds {len(sources)} match files, and this command takes one", text)
    return sources[0]


def load(source: Source) -> Log:
    """Read a log. Raises what :meth:`Source.read` and :func:`parse` raise."""
    return parse(source.name, source.read())


def parse(name: str, data: bytes) -> Log:
    """The log that a match file's bytes are; ``name`` is what it is called in answers.

    Raises :class:`Unusable` where they are no match file, or one that is cut off or that holds
    no commit and says so.
    """
    try:
        file = read_match_file(data)
    except (ValueError, RecursionError) as error:
        raise Unusable(reason(error), name) from error
    if not file.commits and file.header.count == 0:
        raise Unusable("the match file holds no commits", name)
    return Log(name, file)


def _named(text: str) -> Iterator[Source]:
    scheme = text.partition("://")[0].lower() if "://" in text else ""
    if scheme in ("http", "https"):
        yield HttpSource.parse(text)
    elif scheme in SCHEMES:
        yield StoreSource.parse(text)
    elif scheme and not os.path.lexists(text):
        known = ", ".join(["http", "https", *SCHEMES])
        raise Unusable(f"a source is a path or one of {known}", _bare(text))
    else:
        yield from _on_disk(Path(text))


def _bare(text: str) -> str:
    """An address that could not be used, without what may be a password."""
    return f"{text.partition('://')[0]}://…"


def _on_disk(path: Path) -> Iterator[Source]:
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError) as error:
        raise Unusable(getattr(error, "strerror", None) or str(error), str(path)) from error
    if not is_folder:
        yield FileSource(path)
        return
    found = sorted(_match_files(path))
    if not found:
        raise Unusable(f"no file in this folder ends in {SUFFIX}", str(path))
    yield from map(FileSource, found)


def _match_files(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder, onerror=_unreadable):
        yield from (Path(parent, name) for name in names if name.endswith(SUFFIX))


def _unreadable(error: OSError) -> None:
    raise Unusable(f"{error.strerror}", error.filename) from error
