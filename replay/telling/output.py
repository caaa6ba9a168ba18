"""Printing: lines and JSON to standard output, files without half-written ones."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

import click

from replay.faults import Unusable
from replay.sources.files import FileSource, load
from replay.telling.json_values import to_json


def say(line: str = "") -> None:
    """Print a line, whatever the output's encoding can take of it."""
    click.echo(line)


def say_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    click.echo(to_json(value))


def write_file(path: Path, data: bytes) -> None:
    """Put a file in place whole: it is there with all of ``data``, or as it was before.

    Raises :class:`Unusable` where that cannot be done.
    """
    try:
        made, name = tempfile.mkstemp(prefix=f".{path.name[:50]}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise Unusable(error.strerror or str(error), str(path)) from error
    try:
        with os.fdopen(made, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), 0o666 & ~_umask())
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError as error:
        raise Unusable(error.strerror or str(error), str(path)) from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def write_derived(path: Path, data: bytes) -> None:
    """Write what can be made again; an older one is replaced, a match file never is.

    Raises :class:`Unusable`.
    """
    target = path.resolve()
    if target.is_file() and _is_match_file(target):
        raise Unusable("is a match file, and only pull writes those", str(path))
    write_file(target, data)


def _is_match_file(path: Path) -> bool:
    try:
        load(FileSource(path))
    except Unusable:
        return False
    return True
