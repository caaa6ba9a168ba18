"""Arguments and options that several commands share."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from referee.core.visibility import ORGANIZER, SPECTATOR, Viewer, seat_viewer

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_SEAT: Final = re.compile(r"(?:seat[ :]?)?([0-9]{1,4})")


def read_viewer(text: str) -> Viewer:
    """The viewer that a text names: a role, or a seat as `seat 0`, `seat:0` or `0`.

    Raises:
        click.BadParameter: it names none.

    >>> str(read_viewer("1")), str(read_viewer("Seat 1")), str(read_viewer("spectator"))
    ('seat 1', 'seat 1', 'spectator')
    """
    text = text.strip().lower()
    named = {"organizer": ORGANIZER, "spectator": SPECTATOR}.get(text)
    if named is not None:
        return named
    seat = _SEAT.fullmatch(text)
    if seat is None:
        raise click.BadParameter(f"{text!r} is no viewer: organizer, spectator or a seat's number")
    return seat_viewer(int(seat[1]))


one_source: Final = click.argument("source")
many_sources: Final = click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
as_json: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
as_viewer: Final = click.option(
    "--viewer",
    callback=lambda _context, _option, text: read_viewer(text),
    default="organizer",
    show_default=True,
    metavar="V",
    help='Who looks on: organizer, spectator or a seat ("seat 0", or 0).',
)
in_jobs: Final = click.option(
    "--jobs",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes to judge in; 0: one a core.",
)


def at_version(text: str, *, required: bool = False) -> Decorator:
    """`--at N`, a version from 1, with this help."""
    kind = click.IntRange(min=1)
    return click.option("--at", type=kind, metavar="N", required=required, help=text)


def output_file(text: str, *, required: bool = True) -> Decorator:
    """`-o FILE`, with this help; `-` is standard output."""
    kind = click.Path(dir_okay=False, readable=False, allow_dash=True, path_type=Path)
    return click.option("-o", "--output", type=kind, required=required, metavar="FILE", help=text)
