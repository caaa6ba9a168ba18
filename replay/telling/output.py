"""Printing: lines and JSON to standard output, files without half-written ones."""

import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from referee.report.json_values import to_json
from replay.exits import Unusable
from replay.sources import load
from replay.sources.files import file_source

_DESCRIPTORS: Final = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR: Final = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,6})")
_MODE_OF_NEW: Final = 0o666


def answer(value: Any, lines: Iterable[str], *, as_json: bool, beside: Path | None = None) -> None:
    """Print a command's answer: the value as JSON for programs, or the lines for people.

    It is printed on standard error where what was written to `beside` went to standard output.
    """
    for line in [to_json(value)] if as_json else lines:
        click.echo(line, err=beside is not None and _descriptor(beside) == 1)


def say_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    click.echo(to_json(value))


def _descriptor(path: Path) -> int | None:
    """The open file of this process that a path names, as `-`, `/dev/stdout` or `/dev/fd/3`."""
    found = _DESCRIPTOR.fullmatch(str(path))
    return int(found[1]) if found else _DESCRIPTORS.get(str(path))


def written_to(path: Path | str) -> str:
    """What people call a place that was written to."""
    return "standard output" if _descriptor(Path(path)) == 1 else str(path)


def replaced_by(path: Path) -> Path | None:
    """The plain file that writing to this path replaces or makes; None: it is written to.

    >>> replaced_by(Path("-")), replaced_by(Path("/dev/fd/3")), replaced_by(Path("/dev/null"))
    (None, None, None)
    """
    if _descriptor(path) is not None:
        return None
    target = path.resolve()
    return None if target.exists() and not target.is_file() else target


def write_file(path: Path, data: bytes) -> None:
    """Put a file in place whole: it is there with all of `data`, or as it was before.

    What is there and no plain file (a device, a pipe) is written to, never replaced; `-` is
    standard output.

    Raises:
        Unusable: that cannot be done.
    """
    try:
        target = replaced_by(path)
        if target is None:
            with _opened(path) as stream:
                stream.write(data)
                stream.flush()
        else:
            _replace(target, data)
    except BrokenPipeError:  # whoever reads has read enough
        raise
    except OSError as error:
        raise Unusable(error.strerror or str(error), str(path)) from error


def _opened(path: Path) -> AbstractContextManager[BinaryIO]:
    number = _descriptor(path)
    if number is None:
        return path.open("wb")
    if number == 1:
        return nullcontext(sys.stdout.buffer)
    return os.fdopen(os.dup(number), "wb")


def _replace(target: Path, data: bytes) -> None:
    made, name = tempfile.mkstemp(prefix=f".{target.name[:50]}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(made, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), _mode(target))
            os.fsync(file.fileno())
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)


def _mode(target: Path) -> int:
    """The permissions of the file that is there, or those that the process gives new ones."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return _MODE_OF_NEW & ~_umask()


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def write_derived(path: Path, data: bytes) -> None:
    """Write what can be made again; an older one is replaced, a match file never is.

    Raises:
        Unusable: there is a match file, or nothing can be written there.
    """
    target = replaced_by(path)
    if target is not None and target.exists() and _is_match_file(target):
        raise Unusable("is a match file, and only pull writes those", str(path))
    write_file(path, data)


def _is_match_file(path: Path) -> bool:
    try:
        load(file_source(path))
    except Unusable:
        return False
    return True
