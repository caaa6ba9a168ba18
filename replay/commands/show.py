"""`replay show`: the board at a version, as somebody saw it."""

from collections.abc import Iterator, Sequence
from typing import Any

import click

from referee.core.told import drawn
from referee.core.told.safe import clean, clean_lines
from referee.report.words import places
from replay.exits import reading
from replay.options import as_json, as_viewer, at_version, one_source
from replay.telling.history import History, end_on, open_history
from replay.telling.output import answer
from replay.telling.times import in_zone, when


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
    answer(view, picture(history, view, match.at), as_json=as_json)
    end_on(history.log)


def picture(
    history: History, view: dict[str, Any], at: int, told: Sequence[str] = ()
) -> Iterator[str]:
    """A line that says what is shown, what happened in words, and the game's own picture."""
    yield _headline(history, view, at)
    yield from told
    yield ""
    with reading(history.log.source, view["version"]):
        yield clean_lines(drawn.text(history.rules.game, view)).rstrip("\n")


def _headline(history: History, view: dict[str, Any], at: int) -> str:
    """What is shown: match, ruleset, version, time, viewer, status and result."""
    parts = [
        clean(view["match"]),
        view["ruleset"],
        f"version {view['version']} of {history.last}",
        when(at),
        f"seen by {view['viewer']}",
        view["status"],
    ]
    result = view["result"]
    if result is not None:
        certified = "" if result["certified"] else ", provisional"
        ranking = places(result["ranking"], history.names)
        parts.append(f"{result['reason']}{certified}: {ranking}")
    return " · ".join(parts)
