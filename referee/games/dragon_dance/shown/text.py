"""The field and the seats of a view as text for a terminal.

Lines part the boxes of different cards, heavy ones go round the card laid last:

        0   1   2
      ┌───────┐
    0 │ R   Y │
      │   ┏━━━┷━━━┓
    1 │ G ┃<B> <B>┃
      └───┨       ┃
    2     ┃~R~ ~R~┃
          ┗━━━━━━━┛
"""

from collections.abc import Iterator, Sequence
from typing import Final

from referee.core.told.memoised import memoised
from referee.core.told.reading import View, names_of
from referee.core.told.safe import fit
from referee.games.dragon_dance.cards import Printing
from referee.games.dragon_dance.shown import reading

WIDEST: Final = 100
CELLS_ACROSS: Final = 22
"""Fields up to so many boxes wide are drawn with lines; wider ones as one letter a box."""
HANDS_ACROSS: Final = 11
MARGIN: Final = " " * 6

_SIGNS: Final = {"scale": " {} ", "head": "<{}>", "tail": "~{}~", "egg": "({})"}
_LEGEND: Final = " R  scale · <R> head · ~R~ its tail · (R) egg · heavy lines: laid last"
_PLAIN_LEGEND: Final = "one letter a box, small ones are eggs"

NONE: Final = 0
LIGHT: Final = 1
HEAVY: Final = 2
_UPRIGHT: Final = " │┃"
_LEVEL: Final = " ─━"
_JOINTS: Final = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋"
"""Where lines meet: by 27 * the weight of the line up, 9 * right, 3 * down, 1 * left."""


def text(view: View) -> str:
    """The board of a view for a terminal, at most 100 columns wide."""
    foot = fit(f"  {reading.call(view)}", WIDEST)
    field, printing = view["state"]["field"], view["options"]["faces"]
    lines = [
        reading.headline(view), "", *_field(field, printing), *_laid_last(view), "",
        *_seats(view), *_hands(view), "", foot,
    ]  # fmt: skip
    return "\n".join(line.rstrip() for line in lines)


# ── The field ───────────────────────────────────────────────────────────────────────────────────


@memoised
def _field(field: reading.Field, printing: Printing) -> list[str]:
    if not field:
        return ["  No card lies on the table yet."]
    (columns, rows), shown = reading.columns_and_rows(field), reading.surface(field, printing)
    if len(columns) <= CELLS_ACROSS:
        return list(_lined(columns, rows, _Lines(columns, shown, len(field) - 1)))
    return list(_plain(columns, rows, shown))


class _Lines:
    """The lines between boxes of different cards; `last` is the card that heavy ones go round.

    They are drawn at the left of each box and above it, and so for one column more.
    """

    def __init__(self, columns: range, shown: reading.Surface, last: int) -> None:
        self._columns: Final = range(columns.start, columns.stop + 1)
        self._shown: Final = shown
        self._cards: Final = {cell: box.card for cell, box in shown.items()}
        self._last: Final = last

    def through(self, y: int) -> str:
        """The boxes of row `y` with the lines at their sides."""
        return "".join(_UPRIGHT[self._left_of(x, y)] + self._sign(x, y) for x in self._columns)

    def above(self, y: int) -> str:
        """The lines above row `y`, with the joints at the boxes' corners."""
        return "".join(self._joint(x, y) + _LEVEL[self._over(x, y)] * 3 for x in self._columns)

    def _sign(self, x: int, y: int) -> str:
        box = self._shown.get((x, y))
        return "   " if box is None else _SIGNS[box.part].format(box.letter)

    def _joint(self, x: int, y: int) -> str:
        up, down = self._left_of(x, y - 1), self._left_of(x, y)
        left, right = self._over(x - 1, y), self._over(x, y)
        return _JOINTS[27 * up + 9 * right + 3 * down + left]

    def _left_of(self, x: int, y: int) -> int:
        return self._weight((x - 1, y), (x, y))

    def _over(self, x: int, y: int) -> int:
        return self._weight((x, y - 1), (x, y))

    def _weight(self, *cells: tuple[int, int]) -> int:
        one, other = map(self._cards.get, cells)
        if one == other:
            return NONE
        return HEAVY if self._last in (one, other) else LIGHT


def _lined(columns: range, rows: range, lines: _Lines) -> Iterator[str]:
    yield MARGIN + "".join(f"{x:>3} " for x in columns)
    for y in rows:
        yield MARGIN + lines.above(y)
        yield f"{y:>5} {lines.through(y)}"
    yield MARGIN + lines.above(rows.stop)
    yield MARGIN + _LEGEND


def _plain(columns: range, rows: range, shown: reading.Surface) -> Iterator[str]:
    for y in rows:
        yield f"{y:>5} " + "".join(_letter(shown.get((x, y))) for x in columns)
    yield f"{MARGIN}{_PLAIN_LEGEND}; the first column is x = {columns.start}"


def _letter(box: reading.Box | None) -> str:
    if box is None:
        return " "
    return box.letter.lower() if box.part == "egg" else box.letter


def _laid_last(view: View) -> Iterator[str]:
    if not view["state"]["field"]:
        return
    placed = view["state"]["field"][-1]
    seat, turned = placed["seat"], ", turned" if placed["turned"] else ""
    by = "turned up" if seat is None else f"laid by {names_of(view, reading.NAME_WIDTH)[seat]}"
    yield f"{MARGIN}last: {placed['card']} at {placed['x']}, {placed['y']}{turned}, {by}"


# ── The seats and their hands ───────────────────────────────────────────────────────────────────


def _seats(view: View) -> Iterator[str]:
    heads = ("dragon", "points", "total", "rounds", "honours", "cards")
    yield "  " + " " * (reading.NAME_WIDTH + 6) + "".join(f"{head:>9}" for head in heads)
    counts = ("points", "total_points", "rounds_won", "point_honours", "hand_counts")
    for seat, name in enumerate(names_of(view, reading.NAME_WIDTH)):
        sign = "►" if seat in view["to_act"] else " "
        numbers = [view["state"][count][seat] for count in counts]
        columns = "".join(f"{entry:>9}" for entry in (reading.dragon(view, seat), *numbers))
        whose = f"{sign} {seat} {fit(name, reading.NAME_WIDTH)}"
        yield f"  {whose}  {columns}  {reading.note(view, seat)}"


def _hands(view: View) -> Iterator[str]:
    for seat, hand in enumerate(view["state"]["hands"]):
        if hand:
            drawn = reading.just_drawn(view, seat)
            just = f" (just drawn: {drawn})" if drawn else ""
            yield from ("", f"  {names_of(view, reading.NAME_WIDTH)[seat]} holds{just}")
            for first in range(0, len(hand), HANDS_ACROSS):
                row = hand[first : first + HANDS_ACROSS]
                yield from _row_of_cards(row, view["options"]["faces"])


@memoised
def _row_of_cards(cards: Sequence[str], printing: Printing) -> list[str]:
    boxes = [reading.boxes_of(card, printing) for card in cards]
    rows = ([_signs(of[row]) for of in boxes] for row in (slice(0, 2), slice(2, 4)))
    ids = "".join(f"{card:^8}" for card in cards)
    return [f"   {ids}", *("   " + "  ".join(row) for row in rows)]


def _signs(boxes: Sequence[tuple[str, str]]) -> str:
    return "".join(_SIGNS[part].format(letter) for letter, part in boxes)
