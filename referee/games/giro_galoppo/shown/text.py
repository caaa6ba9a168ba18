"""The race course of a view as text for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from referee.core.told.memoised import memoised
from referee.core.told.reading import View, names_of
from referee.core.told.safe import cut, fit
from referee.games.giro_galoppo.shown import reading

WIDEST: Final = 100

Course = Mapping[str, Any]
Spaces = Sequence[int | None]
"""Where each seat's horse is: 0 the gate, None one that is gone."""

_SIGNS: Final = {"river": "≈≈", "moor": "▒▒", "obstacles": "▟▙"}
_LEGEND: Final = "  ≈≈ river   ▒▒ moor   ▟▙ obstacle   ▪ a card not shown"


def text(view: View) -> str:
    """The board of a view for a terminal, at most 100 columns wide."""
    foot = cut(f"  {reading.call(view)}", WIDEST)
    course = _course(view["state"]["course"], view["state"]["spaces"])
    return "\n".join([reading.headline(view), "", *course, _LEGEND, "", *_seats(view), "", foot])


@memoised
def _course(course: Course, spaces: Spaces) -> list[str]:
    length = course["length"]
    in_gate = [_horse(seat) for seat, space in enumerate(spaces) if space == 0]
    lines = [f"  gate ▐ {' '.join(in_gate)}".rstrip()]
    for first in range(1, length + 1, reading.PER_ROW):
        last = min(first + reading.PER_ROW - 1, length)
        end = " ▓ finish" if last == length else ""
        lines += _row(course, spaces, range(first, last + 1), end)
    behind = range(length + 1, length + reading.BEHIND + 1)
    return [*lines, "  behind the line", *_row(course, spaces, behind, "")]


def _row(course: Course, spaces: Spaces, row: range, end: str) -> Iterator[str]:
    signs = "".join(f"{_sign(course, spaces, space):>4}" for space in row) + end
    yield f"  {signs}".rstrip()
    yield "  " + "".join(f"{space:>4}" for space in row)


def _sign(course: Course, spaces: Spaces, space: int) -> str:
    if space in spaces:
        return _horse(spaces.index(space))
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
