"""Arguments and options that count_of commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from referee.core.visibility import ORGANIZER, SPECTATOR, Viewer, seat_viewer

F = TypeVar("F", bound=Callable[..., Any])

_SEAT: Final = re.compile(r"(?:seat[ :]?)?([0-9]{1,4})")


def _viewer(_ctx: click.Context, _param: click.Parameter, value: str) -> Viewer:
    try:
        return read_viewer(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def read_viewer(text: str) -> Viewer:
    """The viewer that a text names: a role, or a seat as `seat 0`, `seat:0` or `0`.

    Raises:
        ValueError: it names none.

    >>> str(read_viewer("1")), str(read_viewer("Seat 1")), str(read_viewer("spectator"))
    ('seat 1', 'seat 1', 'spectator')
    """
    text = text.strip().lower()
    named = {"organizer": ORGANIZER, "spectator": SPECTATOR}.get(text)
    if named is not None:
        return named
    seat = _SEAT.fullmatch(text)
    if seat is None:
        raise ValueError(f"{text!r} is no viewer: organizer, spectator or a seat's number")
    return seat_viewer(int(seat[1]))


def one_source(command: F) -> F:
    """The argument SOURCE."""
    return click.argument("source")(command)


def many_sources(command: F) -> F:
    """The arguments SOURCE…, one or more."""
    return click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)(command)


def as_json(command: F) -> F:
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")(
        command
    )


def at_version(text: str) -> Callable[[F], F]:
    """`--at N`, a version from 1, with this help."""
    return click.option("--at", type=click.IntRange(min=1), metavar="N", help=text)


def as_viewer(command: F) -> F:
    """`--viewer V`, the organizer where it is not given."""
    return click.option(
        "--viewer",
        callback=_viewer,
        default="organizer",
        show_default=True,
        metavar="V",
        help='Who looks on: organizer, spectator or a seat ("seat 0", or 0).',
    )(command)


def output_file(text: str, *, required: bool = True) -> Callable[[F], F]:
    """`-o FILE`, with this help."""
    kind = click.Path(dir_okay=False, path_type=Path)
    return click.option("-o", "--output", type=kind, required=required, metavar="FILE", help=text)


def in_jobs(command: F) -> F:
    """`--jobs N`."""
    return click.option(
        "--jobs",
        type=click.IntRange(min=0),
        default=1,
        show_default=True,
        metavar="N",
        help="Processes to judge in; 0: one a core.",
    )(command)
