"""What both pictures read from a view, and how wide its texts are on a screen."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from referee.games.dancing_villager.words import CALL_WORDS, called, many, sum_up

View = Mapping[str, Any]


def name(view: View, seat: int, columns: int = 20) -> str:
    """A seat's name for a picture: made safe, at most ``columns`` wide."""
    return cut(called(view["seats"][seat]["name"], seat), columns)


def head_line(view: View) -> str:
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
    return [f"{where}: {many(view['state'][where], 'dog')}" for where in ("village", "pack")]


def judged(view: View, seat: int) -> str:
    """What the last close said of a seat: wrong, safe, or nothing."""
    state = view["state"]
    wrong = "wrong" if state["mistakes"][seat] else ""
    safe = "safe" if state["bonfire_by"] == seat else ""
    return ", ".join(word for word in (wrong, safe) if word)


def waits(view: View, seat: int) -> str:
    """What a seat is doing: out, to act, ready, or nothing in particular."""
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


def width(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> width("red"), width("犬")
    (3, 2)
    """
    return sum(_columns(mark) for mark in text)


def _columns(mark: str) -> int:
    if unicodedata.category(mark) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(mark) in "WF" else 1


def cut(text: str, columns: int) -> str:
    """A text of at most so many columns, its end replaced by an ellipsis where it is longer.

    >>> cut("Rumpelstiltskin", 8), cut("Anna", 8)
    ('Rumpels…', 'Anna')
    """
    if width(text) <= columns:
        return text
    kept = ""
    for mark in text:
        if width(kept + mark) >= columns:
            break
        kept += mark
    return kept + "…"


def room(text: str, size: int) -> float:
    """About how much room a text takes in a picture in bold type of a size, rather more."""
    return size * sum(map(_ems, text))


def _ems(mark: str) -> float:
    if mark in "MWmw@%" or _columns(mark) > 1:
        return 1.1
    return 0.85 if mark.isupper() else 0.68


def narrowed(text: str, size: int, most: float) -> str:
    """A text that takes at most the room ``most``, its end replaced by an ellipsis if need be.

    >>> narrowed("Rumpelstiltskin", 10, 60), narrowed("WWWWWWWW", 10, 60), narrowed("Bo", 10, 60)
    ('Rumpel…', 'WWWW…', 'Bo')
    """
    if room(text, size) <= most:
        return text
    while text and room(text + "…", size) > most:
        text = text[:-1]
    return text + "…"


def pad(text: str, columns: int) -> str:
    """A text filled up with blanks to so many columns."""
    return text + " " * (columns - width(text))


def wrapped(items: Iterable[str], columns: int, between: str = " · ") -> Iterator[str]:
    """Lines of at most so many columns with the items one after another, none of them broken."""
    line = ""
    for item in items:
        longer = line + between + item if line else item
        if line and width(longer) > columns:
            yield line
            longer = item
        line = longer
    if line:
        yield line
