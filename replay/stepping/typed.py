"""Stepping by lines: where a terminal has no full screen, and for programs."""

import sys
from collections.abc import Iterator
from typing import Final, Literal, get_args

import click

from replay.exits import Stopped
from replay.judging.weighing import lines
from replay.stepping.walk import Sought, Walk
from replay.telling.output import say_json

HELP: Final = """\
  Enter, n   forwards            p, b       backwards
  12         to version 12       f, l       to the first, the last
  s, c, r    to the next score, capture, ruling; S, C, R: to the one before
  v WHO      look on as organizer, spectator, or a seat (v 0)
  if WORDS   what if that were sent here: words, a line of the list (#5), or JSON, with "SEAT: "
             before it for another seat; if alone lists what may be sent
  h          this                q          leave"""

_SOUGHT: Final[dict[str, tuple[Sought, Literal[1, -1]]]] = {
    **{kind[0]: (kind, 1) for kind in get_args(Sought)},
    **{kind[0].upper(): (kind, -1) for kind in get_args(Sought)},
}


def by_lines(walk: Walk, *, as_json: bool) -> None:
    """Do what is typed, a line each, until the input ends."""
    _draw(walk, as_json=as_json)
    for line in _typed():
        word, _, rest = line.partition(" ")
        if line.lower() in ("q", "quit"):
            return
        complaint = _what_if(walk, rest, as_json=as_json) if word == "if" else _gone(walk, line)
        if complaint is not None:
            click.echo(complaint, err=as_json)
        elif word != "if":
            _draw(walk, as_json=as_json)


def _typed() -> Iterator[str]:
    """The lines that are typed, until the input ends."""
    prompts = sys.stdin.isatty()
    while True:
        if prompts:
            click.echo("› ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line:
            return
        yield line.strip()


def _gone(walk: Walk, line: str) -> str | None:
    """Go where a line leads to; None, or what to answer to it."""
    word, _, rest = line.partition(" ")
    if word.lower() in ("v", "viewer"):
        return walk.look_as(rest)
    if line in _SOUGHT:
        return walk.seek(*_SOUGHT[line])
    if line.isascii() and line.isdecimal():
        return walk.to(int(line[:9]))
    goals = {
        **dict.fromkeys(("", "n", "next"), walk.version + 1),
        **dict.fromkeys(("p", "b", "back"), walk.version - 1),
        **dict.fromkeys(("f", "first"), 1),
        **dict.fromkeys(("l", "last"), walk.history.last),
    }
    if line.lower() in goals:
        return walk.to(goals[line.lower()])
    return HELP if line.lower() in ("h", "help", "?") else f"{line!r} is none of these:\n{HELP}"


def _what_if(walk: Walk, text: str, *, as_json: bool) -> str | None:
    """Print what a command would come to, or with none what may be sent; or what is wrong."""
    try:
        if not text.strip():
            return "\n".join(walk.may_be_sent())
        explained = walk.what_if(text)
    except Stopped as stopped:
        return stopped.message
    if as_json:
        say_json(explained)
    else:
        click.echo("\n".join(lines(explained, asked=True)))
    return None


def _draw(walk: Walk, *, as_json: bool) -> None:
    """The match there in words, and its picture."""
    if as_json:
        say_json(walk.view())
        return
    scene = walk.scene()
    for line in (scene.title, scene.status, *scene.told, "", scene.board):
        click.echo(line)
