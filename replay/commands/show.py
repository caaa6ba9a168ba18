"""`replay show`: the board at a version, as somebody saw it."""

import sys
from shutil import get_terminal_size

import click

from referee.core.told.safe import columns
from replay.exits import DISPUTED, FINE, Disputed
from replay.judging.faults import Faults, noted
from replay.options import as_json, as_viewer, at_version, one_source
from replay.telling.history import end_on, open_history
from replay.telling.output import answer
from replay.telling.scenes import board, picture
from replay.telling.times import in_zone


@click.command()
@one_source
@at_version("The version to show; the last where it is not given.")
@as_viewer
@in_zone
@as_json
def show(source: str, *, at: int | None, viewer: str, as_json: bool) -> None:
    """Print the board and hands at a version, as a viewer saw them."""
    history = open_history(source)
    match = history.match(history.version(at))
    view = history.view(match, history.viewer(viewer))
    fault = Faults(history).until(match.version)
    notes = [] if fault is None else [noted(fault)]
    answer(view, picture(history, view, match.at, notes), as_json=as_json)
    if sys.stdout.isatty() and not as_json:
        _warn_of_width(board(history, view))
    end_on(history.log)
    if fault is not None and as_json:
        raise Disputed(noted(fault), history.log.source)
    sys.exit(FINE if fault is None else DISPUTED)


def _warn_of_width(drawn: str) -> None:
    """Say that a terminal breaks the board's lines, and what does not."""
    wide, room = max(map(columns, drawn.splitlines())), get_terminal_size().columns
    if wide > room:
        message = f"the board takes {wide} columns, the terminal has {room}: step scrolls it"
        click.echo(f"replay: {message}", err=True)
