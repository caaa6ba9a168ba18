"""`replay step`: through a match in a terminal, forwards and backwards."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import click

from referee.core.visibility import Viewer
from replay.commands.show import picture
from replay.exits import Disputed
from replay.options import as_json, as_viewer, at_version, one_source
from replay.telling.history import History, end_on, open_history
from replay.telling.output import say_json
from replay.telling.times import in_zone

HELP: Final = """\
  Enter, n   forwards            p, b       backwards
  12         to version 12       f, l       to the first, the last
  v WHO      look on as organizer, spectator, or a seat (v 0)
  h          this                q          leave"""


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """The version that is shown, and who looks on."""

    version: int
    viewer: Viewer


@click.command()
@one_source
@at_version("The version to begin at; the first where it is not given.")
@as_viewer
@in_zone
@as_json
def step(source: str, *, at: int | None, viewer: str, as_json: bool) -> None:
    """Step through a match: forwards, backwards, to a version, as another viewer.

    Commands are read from standard input, a line each; h lists them. With --json the view is
    printed at each step, a line each.
    """
    history = open_history(source)
    here = Viewpoint(1 if at is None else history.version(at), history.viewer(viewer))
    draw = _json if as_json else _picture
    draw(history, here)
    for line in _typed():
        if line in ("q", "quit"):
            break
        moved = _moved(history, here, line)
        if isinstance(moved, str):
            click.echo(moved, err=as_json)
        else:
            here = moved
            draw(history, here)
    end_on(history.log)


def _typed() -> Iterator[str]:
    """The lines that are typed, until the input ends."""
    prompts = sys.stdin.isatty()
    while True:
        if prompts:
            click.echo("› ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line:
            return
        yield line.strip().lower()


def _moved(history: History, here: Viewpoint, line: str) -> Viewpoint | str:
    """Where a typed line leads to, or what to answer to it."""
    if line in ("h", "help", "?"):
        return HELP
    word, _, rest = line.partition(" ")
    if word in ("v", "viewer"):
        return _as_another(history, here, rest)
    if line.isascii() and line.isdecimal():
        return _to(history, here, int(line[:9]))
    steps = _STEPS.get(line)
    if steps is None:
        return f"{line!r} is none of these:\n{HELP}"
    return _to(history, here, steps(here.version, history.last))


_STEPS: Final[dict[str, Callable[[int, int], int]]] = {
    **dict.fromkeys(("", "n", "next"), lambda version, _last: version + 1),
    **dict.fromkeys(("p", "b", "back"), lambda version, _last: version - 1),
    **dict.fromkeys(("f", "first"), lambda _version, _last: 1),
    **dict.fromkeys(("l", "last"), lambda _version, last: last),
}


def _to(history: History, here: Viewpoint, version: int) -> Viewpoint | str:
    if version < 1:
        return "That is before the first commit."
    if version > history.last:
        return f"The last commit is {history.last}."
    return replace(here, version=version)


def _as_another(history: History, here: Viewpoint, name: str) -> Viewpoint | str:
    try:
        return replace(here, viewer=history.viewer(name))
    except click.ClickException as error:
        return error.message


def _picture(history: History, here: Viewpoint) -> None:
    """The headline, what the commit brought in words, and the board."""
    try:
        match = history.match(here.version)
        view = history.view(match, here.viewer)
        told = history.told(here.version, history.seen(here.version, here.viewer))
        lines = list(picture(history, view, match.at, told))
    except Disputed as disputed:
        lines = [f"version {here.version} cannot be shown: {disputed.message}"]
    if sys.stdout.isatty():
        click.clear()
    for line in lines:
        click.echo(line)


def _json(history: History, here: Viewpoint) -> None:
    say_json(history.view(history.match(here.version), here.viewer))
