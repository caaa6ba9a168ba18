"""The field and the seats of a view as text for a terminal, at most 100 columns wide.

Drawn from the view alone: what the viewer may not know is None there and is drawn as hidden.
Lines part the boxes of different cards, heavy ones go round the card laid last::

        0   1   2
      ┌───────┐
    0 │ R   Y │
      │   ┏━━━┷━━━┓
    1 │ G ┃<B> <B>┃
      └───┨       ┃
    2     ┃~R~ ~R~┃
          ┗━━━━━━━┛
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from referee.core.told.safe import fit
from referee.games.dragon_dance.drawing import svg
from referee.games.dragon_dance.surface import Box, Frame, face_of, frame, surface
from referee.games.dragon_dance.words import NAME_WIDTH, call, dragon, note, short, stage

__all__ = ["svg", "text"]

WIDTH: Final = 100
CELLS_ACROSS: Final = 22
"""Fields up to so many boxes wide are drawn with lines; wider ones as one letter a box."""
HANDS_ACROSS: Final = 11

_SIGNS: Final = {"scale": " {} ", "head": "<{}>", "tail": "~{}~", "egg": "({})"}
_LEGEND: Final = " R  scale · <R> head · ~R~ its tail · (R) egg · heavy lines: laid last"
_PLAIN_LEGEND: Final = "one letter a box, small ones are eggs"

NONE: Final = 0
LIGHT: Final = 1
HEAVY: Final = 2
_JOINTS: Final = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋"
"""Where lines meet: by 27 * the weight of the line up, 9 * right, 3 * down, 1 * left."""

Shown = Mapping[tuple[int, int], Box]


def text(view: Mapping[str, Any]) -> str:
    """The board of a view (the JSON object of a match) for a terminal, at most 100 columns wide."""
    parts = (
        [stage(view), ""],
        _field(view),
        [""],
        _seats(view),
        _hands(view),
        ["", fit("  " + call(view), WIDTH)],
    )
    return "\n".join(line.rstrip() for part in parts for line in part)


# ---------------------------------------------------------------- the field


def _field(view: Mapping[str, Any]) -> Iterator[str]:
    if not view["state"]["field"]:
        yield "  No card lies on the table yet."
        return
    around, shown = frame(view), surface(view)
    if around.right - around.left < CELLS_ACROSS:
        yield from _lined(view, around, shown)
    else:
        yield from _plain(around, shown)
    yield f"      {_laid_last(view)}"


def _lined(view: Mapping[str, Any], around: Frame, shown: Shown) -> Iterator[str]:
    lines = _Lines(shown, len(view["state"]["field"]) - 1)
    yield "      " + "".join(f"{x:>3} " for x in range(around.left, around.right + 1))
    for y in range(around.top, around.bottom + 1):
        yield "      " + lines.between(around, y)
        yield f"{y:>5} " + lines.through(around, y)
    yield "      " + lines.between(around, around.bottom + 1)
    yield f"      {_LEGEND}"


class _Lines:
    """The lines between boxes of different cards; ``last`` is the card that heavy ones go round."""

    def __init__(self, shown: Shown, last: int) -> None:
        self._shown: Final = shown
        self._last: Final = last

    def through(self, around: Frame, y: int) -> str:
        """The boxes of row ``y`` with the lines at their sides."""
        cells = range(around.left, around.right + 1)
        parts = [_UPRIGHT[self._left_of(x, y)] + self._sign(x, y) for x in cells]
        return "".join(parts) + _UPRIGHT[self._left_of(around.right + 1, y)]

    def between(self, around: Frame, y: int) -> str:
        """The lines above row ``y``, with the joints at the boxes' corners."""
        cells = range(around.left, around.right + 1)
        parts = [self._joint(x, y) + _LEVEL[self._above(x, y)] * 3 for x in cells]
        return "".join(parts) + self._joint(around.right + 1, y)

    def _sign(self, x: int, y: int) -> str:
        box = self._shown.get((x, y))
        return "   " if box is None else _SIGNS[box.part].format(box.letter)

    def _joint(self, x: int, y: int) -> str:
        up, down = self._left_of(x, y - 1), self._left_of(x, y)
        left, right = self._above(x - 1, y), self._above(x, y)
        return _JOINTS[27 * up + 9 * right + 3 * down + left]

    def _left_of(self, x: int, y: int) -> int:
        return self._weight((x - 1, y), (x, y))

    def _above(self, x: int, y: int) -> int:
        return self._weight((x, y - 1), (x, y))

    def _weight(self, one: tuple[int, int], other: tuple[int, int]) -> int:
        cards = {self._shown[cell].card if cell in self._shown else None for cell in (one, other)}
        if len(cards) == 1:
            return NONE
        return HEAVY if self._last in cards else LIGHT


_UPRIGHT: Final = " │┃"
_LEVEL: Final = " ─━"


def _plain(around: Frame, shown: Shown) -> Iterator[str]:
    for y in range(around.top, around.bottom + 1):
        row = [shown.get((x, y)) for x in range(around.left, around.right + 1)]
        yield f"{y:>5} " + "".join(map(_letter, row))
    yield f"      {_PLAIN_LEGEND}; the first column is x = {around.left}"


def _letter(box: Box | None) -> str:
    if box is None:
        return " "
    return box.letter.lower() if box.part == "egg" else box.letter


def _laid_last(view: Mapping[str, Any]) -> str:
    placed = view["state"]["field"][-1]
    seat = placed["seat"]
    by = "turned up" if seat is None else f"laid by {short(view, seat)}"
    turned = ", turned" if placed["turned"] else ""
    return f"last: {placed['card']} at {placed['x']}, {placed['y']}{turned}, {by}"


# ---------------------------------------------------------------- the seats


def _seats(view: Mapping[str, Any]) -> Iterator[str]:
    heads = ("dragon", "points", "total", "rounds", "honours", "cards")
    yield "  " + " " * (NAME_WIDTH + 6) + "".join(f"{head:>9}" for head in heads)
    for seat in view["seats"]:
        yield _seat(view, seat["seat"])


def _seat(view: Mapping[str, Any], seat: int) -> str:
    state = view["state"]
    sign = "►" if seat in view["to_act"] else " "
    numbers = (
        dragon(state["rounds_won"][seat]),
        state["points"][seat],
        state["total_points"][seat],
        state["rounds_won"][seat],
        state["point_honours"][seat],
        state["hand_counts"][seat],
    )
    columns = "".join(f"{number:>9}" for number in numbers)
    return f"  {sign} {seat} {fit(short(view, seat), NAME_WIDTH)}  {columns}  {note(view, seat)}"


# ---------------------------------------------------------------- the hands


def _hands(view: Mapping[str, Any]) -> Iterator[str]:
    for seat, hand in enumerate(view["state"]["hands"]):
        if hand:
            yield ""
            yield f"  {short(view, seat)} holds{_drawn(view, seat)}"
            for first in range(0, len(hand), HANDS_ACROSS):
                yield from _row_of_cards(view, hand[first : first + HANDS_ACROSS])


def _drawn(view: Mapping[str, Any], seat: int) -> str:
    state = view["state"]
    drew = state["drawn"] is not None and seat == state["turn"]
    return f" (just drawn: {state['drawn']})" if drew else ""


def _row_of_cards(view: Mapping[str, Any], cards: Sequence[str]) -> Iterator[str]:
    yield "   " + "".join(f"{card:^8}" for card in cards)
    faces = [face_of(view, card, turned=False) for card in cards]
    for row in (slice(0, 2), slice(2, 4)):
        yield "   " + "  ".join(_signs(face[row]) for face in faces)


def _signs(boxes: Sequence[tuple[str, str]]) -> str:
    return "".join(_SIGNS[part].format(letter) for letter, part in boxes)
