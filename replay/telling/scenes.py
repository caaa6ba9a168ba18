"""A match at a version, for people: what is shown, what happened, the board, the clocks."""

from collections.abc import Iterator, Sequence
from typing import Any

from referee.core.told import drawn
from referee.core.told.safe import clean, clean_lines
from referee.core.visibility import ORGANIZER, SPECTATOR, Viewer, seat_viewer
from referee.report.words import length, places
from replay.reading import reading
from replay.telling.history import History
from replay.telling.times import when


def picture(
    history: History, view: dict[str, Any], at: int, told: Sequence[str] = ()
) -> Iterator[str]:
    """A line that says what is shown, what happened in words, and the game's own picture."""
    shown = (*_match(view), *place(history, view, at), *ending(history, view))
    yield " · ".join(shown)
    running = " · ".join(clocks(history, view))
    if running:
        yield f"clocks {running}"
    yield from told
    yield ""
    yield board(history, view)


def board(history: History, view: dict[str, Any]) -> str:
    """The game's own picture, in lines."""
    with reading(history.log.source, view["version"]):
        return clean_lines(drawn.text(history.rules.game, view)).rstrip("\n")


def title(history: History, view: dict[str, Any]) -> str:
    """Which match it is, and how it stands."""
    return " · ".join((*_match(view), *ending(history, view)))


def place(history: History, view: dict[str, Any], at: int) -> tuple[str, str, str]:
    """Where in the match this is, and who looks on."""
    viewers = {str(viewer): history.called(viewer) for viewer in viewers_of(history)}
    version, viewer = view["version"], viewers[view["viewer"]]
    return f"version {version} of {history.last}", when(at), f"seen by {viewer}"


def clocks(history: History, view: dict[str, Any]) -> Iterator[str]:
    """What each seat has left, where there is a clock; ▸ stands before those that run."""
    clock = view.get("clock")
    if clock is None:
        return
    for seat, left in enumerate(clock["left_ms"]):
        runs = "▸" if seat in clock["running"] else ""
        fallen = ", flag down" if clock["flagged"][seat] else ""
        yield f"{runs}{history.names[seat]} {length(left)}{fallen}"


def to_act(history: History, view: dict[str, Any]) -> str | None:
    """Who owes a command, if anybody does, and may send it."""
    if view["status"] == "paused":
        return None
    owing = ", ".join(history.names[seat] for seat in view["to_act"])
    return f"to act {owing}" if owing else None


def viewers_of(history: History) -> list[Viewer]:
    """Everybody who can look on: the organizer, spectators, and each seat."""
    return [ORGANIZER, SPECTATOR, *map(seat_viewer, range(len(history.names)))]


def _match(view: dict[str, Any]) -> tuple[str, str]:
    return clean(view["match"]), view["ruleset"]


def ending(history: History, view: dict[str, Any]) -> Iterator[str]:
    """The status, and the result once there is one."""
    yield view["status"]
    result = view["result"]
    if result is not None:
        certified = "" if result["certified"] else ", provisional"
        yield f"{result['reason']}{certified}: {places(result['ranking'], history.names)}"
