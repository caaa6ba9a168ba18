"""The race course of a view as text for a terminal.

Drawn from the view alone: what the viewer may not know is None there and is drawn as hidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from referee.core.told.safe import called, cut, fit
from referee.games.giro_galoppo.drawing import BEHIND, PER_ROW, svg
from referee.games.giro_galoppo.words import NAME_WIDTH, call, place, stage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["svg", "text"]

WIDEST: Final = 100

_SIGNS: Final = {"river": "≈≈", "moor": "▒▒", "obstacles": "▟▙"}
_LEGEND: Final = "  ≈≈ river   ▒▒ moor   ▟▙ obstacle   ▪ a card not shown"


def text(view: Mapping[str, Any]) -> str:
    """The board of a view (the JSON object of a match) for a terminal, at most 100 columns wide."""
    foot = cut(f"  {call(view)}", WIDEST)
    return "\n".join([stage(view), "", *_course(view), _LEGEND, "", *_seats(view), "", foot])


def _course(view: Mapping[str, Any]) -> Iterator[str]:
    state, length = view["state"], view["state"]["course"]["length"]
    in_gate = [_horse(seat) for seat, space in enumerate(state["spaces"]) if space == 0]
    yield f"  gate ▐ {' '.join(in_gate)}".rstrip()
    for first in range(1, length + 1, PER_ROW):
        last = min(first + PER_ROW - 1, length)
        yield from _row(state, first, last, " ▓ finish" if last == length else "")
    yield "  behind the line"
    yield from _row(state, length + 1, length + BEHIND, "")


def _row(state: Mapping[str, Any], first: int, last: int, end: str) -> Iterator[str]:
    spaces = range(first, last + 1)
    signs = "".join(f"{_sign(state, space):>4}" for space in spaces) + end
    yield f"  {signs}".rstrip()
    yield "  " + "".join(f"{space:>4}" for space in spaces)


def _sign(state: Mapping[str, Any], space: int) -> str:
    if space in state["spaces"]:
        return _horse(state["spaces"].index(space))
    course = state["course"]
    return next((sign for kind, sign in _SIGNS.items() if space in course[kind]), "· ")


def _horse(seat: int) -> str:
    return f"♞{seat}"


def _seats(view: Mapping[str, Any]) -> Iterator[str]:
    for seat in view["seats"]:
        number = seat["seat"]
        name = fit(called(seat["name"], number), NAME_WIDTH)
        yield f"  {_horse(number)}  {name}  {_standing(view, number)}".rstrip()


def _standing(view: Mapping[str, Any], seat: int) -> str:
    space = view["state"]["spaces"][seat]
    if space is None:
        return "has left the race"
    return f"{place(space):<9}  {_hand(view['state'], seat):<17}  {_note(view, seat)}"


def _hand(state: Mapping[str, Any], seat: int) -> str:
    hand, count = state["hands"][seat], state["hand_counts"][seat]
    if hand is None:
        return f"cards {'▪ ' * count}".rstrip()
    return f"cards {' '.join(map(str, hand))}".rstrip()


def _note(view: Mapping[str, Any], seat: int) -> str:
    """What else there is to say of a seat: its place at the end, or the card that it has laid."""
    for row in (view["result"] or {"ranking": ()})["ranking"]:
        if row["seat"] == seat and row["place"] is not None:
            return f"place {row['place']}"
    if not view["state"]["has_chosen"][seat]:
        return "to act" if seat in view["to_act"] else ""
    card = view["state"]["chosen"][seat]
    return "a card face down" if card is None else f"{card} face down"
