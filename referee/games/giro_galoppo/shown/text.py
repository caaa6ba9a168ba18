"""The race course of a view as text for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from referee.core.told.reading import View, names_of
from referee.core.told.safe import cut, fit
from referee.games.giro_galoppo.shown import reading

WIDEST: Final = 100

_SIGNS: Final = {"river": "≈≈", "moor": "▒▒", "obstacles": "▟▙"}
_LEGEND: Final = "  ≈≈ river   ▒▒ moor   ▟▙ obstacle   ▪ a card not shown"


def text(view: View) -> str:
    """The board of a view for a terminal, at most 100 columns wide."""
    foot = cut(f"  {reading.call(view)}", WIDEST)
    return "\n".join(
        [reading.headline(view), "", *_course(view), _LEGEND, "", *_seats(view), "", foot]
    )


def _course(view: View) -> Iterator[str]:
    state, length = view["state"], view["state"]["course"]["length"]
    in_gate = [_horse(seat) for seat, space in enumerate(state["spaces"]) if space == 0]
    yield f"  gate ▐ {' '.join(in_gate)}".rstrip()
    for first in range(1, length + 1, reading.PER_ROW):
        last = min(first + reading.PER_ROW - 1, length)
        yield from _row(state, first, last, " ▓ finish" if last == length else "")
    yield "  behind the line"
    yield from _row(state, length + 1, length + reading.BEHIND, "")


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


def _seats(view: View) -> Iterator[str]:
    for seat, name in enumerate(names_of(view, reading.NAME_WIDTH)):
        yield f"  {_horse(seat)}  {fit(name, reading.NAME_WIDTH)}  {_standing(view, seat)}".rstrip()


def _standing(view: View, seat: int) -> str:
    where = reading.space_named(view["state"]["spaces"][seat])
    if view["state"]["spaces"][seat] is None:
        return where
    cards = " ".join(
        "▪" if card is None else str(card) for card in reading.hand(view["state"], seat)
    )
    return f"{where:<9}  {f'cards {cards}'.rstrip():<17}  {reading.note(view, seat)}"
