"""Printing: lines and JSON to standard output, files without half-written ones."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from referee.report.json_values import to_json
from replay.exits import Unusable
from replay.sources import load
from replay.sources.files import file_source


def answer(value: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """Print a command's answer: the value as JSON for programs, or the lines for people."""
    for line in [to_json(value)] if as_json else lines:
        click.echo(line)


def say_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    click.echo(to_json(value))


def write_file(path: Path, data: bytes) -> None:
    """Put a file in place whole: it is there with all of `data`, or as it was before.

    Raises:
        Unusable: that cannot be done.
    """
    try:
        made, name = tempfile.mkstemp(prefix=f".{path.name[:50]}.", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(made, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), 0o666 & ~_umask())
                os.fsync(file.fileno())
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise Unusable(error.strerror or str(error), str(path)) from error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def write_derived(path: Path, data: bytes) -> None:
    """Write what can be made again; an older one is replaced, a match file never is.

    Raises:
        Unusable: there is a match file, or nothing can be written there.
    """
    target = path.resolve()
    if target.is_file() and _is_match_file(target):
        raise Unusable("is a match file, and only pull writes those", str(path))
    write_file(target, data)


def _is_match_file(path: Path) -> bool:
    try:
        load(file_source(path))
    except Unusable:
        return False
    return True
