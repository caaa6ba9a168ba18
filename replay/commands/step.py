"""`replay step`: through a match in a terminal, forwards and backwards."""

import os
import sys

import click

from replay.exits import Disputed
from replay.judging.faults import noted
from replay.options import as_json, as_viewer, at_version, one_source
from replay.stepping.typed import by_lines
from replay.stepping.walk import Walk
from replay.telling.history import end_on, open_history
from replay.telling.times import in_zone


@click.command()
@one_source
@at_version("The version to begin at; the first where it is not given.")
@as_viewer
@in_zone
@as_json
def step(source: str, *, at: int | None, viewer: str, as_json: bool) -> None:
    """Step through a match: forwards, backwards, to a version, as another viewer.

    Fills the terminal; ? lists the keys. Where there is none, on one that is dumb and with
    --json, commands are read from standard input, a line each; h lists them. With --json the
    view is printed at each step, a line each. The exit status is 1 where anything that was
    looked at rests on a fault.
    """
    history = open_history(source)
    walk = Walk(history, 1 if at is None else history.version(at), history.viewer(viewer))
    lacking = None if as_json else _lacking()
    if lacking is None and not as_json:
        # Imported where it is needed: it takes longer than most commands do.
        from replay.stepping.screen import full_screen  # noqa: PLC0415

        full_screen(walk)
    else:
        if lacking is not None:
            click.echo(f"replay: no full screen, as {lacking}; h lists what can be typed", err=True)
        by_lines(walk, as_json=as_json)
    end_on(history.log)
    fault = walk.fault()
    if fault is not None:
        raise Disputed(noted(fault), history.log.source)


def _lacking() -> str | None:
    """Why there can be no full screen, if so."""
    if not sys.stdin.isatty():
        return "standard input is no terminal"
    if not sys.stdout.isatty():
        return "standard output is no terminal"
    if os.environ.get("TERM", "dumb") in ("", "dumb"):
        return "the terminal (TERM) is a dumb one"
    return None
