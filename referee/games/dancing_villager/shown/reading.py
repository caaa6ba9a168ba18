"""What both pictures of dancing-villager read from a view, and how lines are filled."""

from collections.abc import Iterable, Iterator

from referee.core.told.reading import View, names_of
from referee.core.told.safe import columns
from referee.core.told.words import count_of
from referee.games.dancing_villager.shown.words import CALL_WORDS, sum_up

NAME_WIDTH = 20
"""Columns that a name takes at most."""


def name(view: View, seat: int) -> str:
    """A seat's name for a picture: made safe, at most `NAME_WIDTH` columns wide."""
    return names_of(view, NAME_WIDTH)[seat]


def headline(view: View) -> str:
    """Where the match stands, in a line.

    A match that is over has no next round: where its last one ended, that one is named.
    """
    state = view["state"]
    if state["phase"] == "over" and state["roll"] == 0 and state["round"] > 1:
        return f"round {state['round'] - 1} · {_doing(view)}"
    return f"round {state['round']}, roll {state['roll']} · {_doing(view)}"


def _doing(view: View) -> str:
    if view["status"] in {"finished", "void"}:
        return str(view["status"])
    paused = "paused, " if view["status"] == "paused" else ""
    phases = {"ready": "before the roll", "grab": "the window is open", "over": "over"}
    return paused + phases[view["state"]["phase"]]


def roll_line(view: View) -> str:
    """What the last roll means, or that its viewer has to count."""
    state = view["state"]
    if state["last_roll"] is None:
        return "none yet"
    if state["count"] is None:
        return "count quickly: the answer comes with the close"
    return f"{sum_up(state['count'])} · {CALL_WORDS[state['call']]}"


def grab_lines(view: View) -> list[str]:
    """The grabs in the order of hands, numbered from 1."""
    return [
        f"{number} {name(view, grab['seat'])}: {grab['what']}"
        for number, grab in enumerate(view["state"]["grabs"], start=1)
    ]


def stick_lines(view: View) -> list[str]:
    """How many sticks are left of each kind."""
    state, options = view["state"], view["options"]
    return [f"{kind}: {state[kind]} of {options[kind]}" for kind in ("charcoal", "meat")]


def dog_lines(view: View) -> list[str]:
    """How many dogs nobody has yet."""
    return [f"{where}: {count_of(view['state'][where], 'dog')}" for where in ("village", "pack")]


def doing(view: View, seat: int) -> str:
    """What a seat does, and what the last close said of it: `ready, wrong, safe`, or nothing."""
    state = view["state"]
    said = {
        _waits(view, seat): True,
        "wrong": state["mistakes"][seat],
        "safe": state["bonfire_by"] == seat,
    }
    return ", ".join(word for word, holds in said.items() if word and holds)


def _waits(view: View, seat: int) -> str:
    if view["seats"][seat]["withdrawn"]:
        return "out"
    if seat in view["to_act"]:
        return "to act"
    return "ready" if view["state"]["ready"][seat] else ""


def result_lines(view: View) -> list[str]:
    """The ranking of a finished match, a line a seat."""
    result = view["result"]
    if result is None:
        return []
    return [
        f"{'–' if row['place'] is None else row['place']}. {name(view, row['seat'])}"
        + ("" if row["score"] is None else f" ({row['score']})")
        for row in result["ranking"]
    ]


def wrapped(items: Iterable[str], width: int, between: str = " · ") -> Iterator[str]:
    """Lines of at most so many columns with the items one after another, none of them broken."""
    line = ""
    for item in items:
        longer = line + between + item if line else item
        if line and columns(longer) > width:
            yield line
            longer = item
        line = longer
    if line:
        yield line
