"""`replay log`: a line a commit, in the game's words."""

from collections.abc import Iterator
from typing import Any

import click

from referee.core.told.safe import columns, fit
from referee.core.visibility import ORGANIZER, Viewer
from referee.report.json_values import plain
from referee.report.words import who
from replay.options import as_json, as_viewer, one_source
from replay.telling.history import History, end_on, open_history
from replay.telling.output import say_json
from replay.telling.people import people
from replay.telling.times import in_zone, when

NAME_COLUMNS = 24


@click.command()
@one_source
@as_viewer
@in_zone
@as_json
def log(source: str, *, viewer: str, as_json: bool) -> None:
    """Print a line a commit: number, time, who, and what happened."""
    history = open_history(source)
    looking = history.viewer(viewer)
    for row in rows(history, looking):
        say_json(row) if as_json else click.echo(_line(history, row))
    end_on(history.log)


def rows(history: History, viewer: Viewer) -> Iterator[dict[str, Any]]:
    """Every commit as a viewer saw it, ready for JSON; its command only for the organizer."""
    for version in range(1, history.last + 1):
        commit, events = history.commit(version), history.seen(version, viewer)
        row = {
            "version": version,
            "at": commit.at,
            "time": when(commit.at),
            "by": commit.by,
            "name": who(commit.by, history.names),
            "text": " ".join(history.told(version, events)),
            "events": events,
        }
        yield row | (
            {"command": people().renamed(plain(commit.cmd))} if viewer == ORGANIZER else {}
        )


def _line(history: History, row: dict[str, Any]) -> str:
    digits = len(str(history.last))
    widest = max(columns(name) for name in (*history.names, "organizer"))
    name = fit(row["name"], min(widest, NAME_COLUMNS))
    return f"{row['version']:>{digits}}  {row['time']}  {name}  {row['text']}".rstrip()
