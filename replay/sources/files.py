"""Logs on this machine: match files, pipes, and folders of match files."""

import os
import stat
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import click
import msgspec

from referee.core.commit import Stored
from referee.core.told.safe import clean
from replay.exits import Unusable
from replay.sources.source import RefusedCommand, Source

SUFFIX: Final = ".match"
LONGEST: Final = 1 << 28
"""Bytes that a match file may have, wherever it comes from."""


def file_source(path: Path) -> Source:
    """The match file at this path: not there, not readable or too long, it is `Unusable`."""
    return Source(str(path), partial(_read, path), path, refusals=partial(_refusals, path))


def refusals_beside(path: Path) -> Path:
    """The file of refused commands that belongs to a match file.

    >>> refusals_beside(Path("x.match")).name
    'x.refusals.jsonl'
    """
    return path.with_name(f"{path.name.removesuffix(SUFFIX)}.refusals.jsonl")


def _refusals(path: Path) -> list[RefusedCommand] | None:
    beside = refusals_beside(path)
    return refusals_in(_read(beside)[:], str(beside)) if beside.is_file() else None


def refusals_in(lines: bytes, name: str) -> list[RefusedCommand]:
    """The refused commands that these lines are; `name` is what they are called in answers.

    Raises:
        Unusable: they are none.
    """
    try:
        return msgspec.json.Decoder(RefusedCommand).decode_lines(lines)
    except (ValueError, RecursionError) as error:
        raise Unusable("no list of refused commands", name) from error


class OnDisk:
    """A file's bytes, read where they lie whenever a part is asked for; it must stay as it is.

    Raises:
        Unusable: here or later, that it cannot be read, or is another than it was.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._opened() as file:
            self._is = _identity(file)

    def __len__(self) -> int:
        return self._is.size

    def __getitem__(self, part: slice) -> bytes:
        first, last, _ = part.indices(len(self))
        with self._opened() as file:
            if _identity(file) != self._is:
                raise Unusable("was changed while it was read", str(self._path))
            file.seek(first)
            return file.read(max(0, last - first))

    @contextmanager
    def _opened(self) -> Generator[BinaryIO]:
        try:
            with self._path.open("rb", buffering=0) as file:
                yield file
        except OSError as error:
            raise Unusable(str(error.strerror or error), str(self._path)) from error


class _Identity(NamedTuple):
    """What tells a file, as it is, from another."""

    device: int
    inode: int
    size: int
    changed: int


def _identity(file: BinaryIO) -> _Identity:
    of = os.fstat(file.fileno())
    return _Identity(of.st_dev, of.st_ino, of.st_size, of.st_mtime_ns)


def _read(path: Path) -> Stored:
    """The bytes at this path: a file's stay there, what came through a pipe is kept."""
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise Unusable(f"is {_kind(mode)}, and neither a file nor a pipe", str(path))
        data = OnDisk(path) if stat.S_ISREG(mode) else _piped(path)
    except (OSError, ValueError) as error:
        raise Unusable(getattr(error, "strerror", None) or str(error), str(path)) from error
    return _short_enough(data, str(path))


def _short_enough(data: Stored, name: str) -> Stored:
    if len(data) > LONGEST:
        raise Unusable(f"longer than {LONGEST} bytes", name)
    return data


def _kind(mode: int) -> str:
    """What a path leads to that is no file."""
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


def _piped(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LONGEST + 1)


def read_whole(path: Path) -> bytes:
    """All of a file that is no log, or of what comes through a pipe; `-` is standard input.

    Raises:
        Unusable: it cannot be read, is neither, or has no end in reach.
    """
    if str(path) != "-":
        return _read(path)[:]
    data = sys.stdin.buffer.read(LONGEST + 1)
    return _short_enough(data, "-")[:]


def files_at(text: str) -> Iterator[Source]:
    """The file at this path, or every match file in the folder there and below, by path.

    Raises:
        Unusable: there is nothing, or no match file in the folder.
    """
    path = Path(text)
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError) as error:
        raise Unusable(getattr(error, "strerror", None) or str(error), str(path)) from error
    if not is_folder:
        yield file_source(path)
        return
    matches = sorted(filter(_is_read, _match_files(path)))
    if not matches:
        raise Unusable(f"no file in this folder ends in {SUFFIX}", str(path))
    yield from map(file_source, matches)


def _match_files(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder, onerror=_unreadable):
        yield from (Path(parent, name) for name in names if name.endswith(SUFFIX))


def _is_read(path: Path) -> bool:
    """Whether a folder's entry is read; what is there and no file is passed over with a word."""
    if path.is_file() or not path.exists():
        return True
    kind = _kind(path.stat().st_mode)
    named = ", which is read where it is named itself" if kind == "a pipe" else " and no file"
    click.echo(f"replay: {clean(str(path))}: passed over: it is {kind}{named}", err=True)
    return False


def _unreadable(error: OSError) -> None:
    raise Unusable(f"{error.strerror}", error.filename) from error
