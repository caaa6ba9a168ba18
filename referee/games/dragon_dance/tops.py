"""What the field shows from above, and where on it a card fits.

The field is a grid of boxes, a byte each: `.` nothing, a capital letter the colour on top, a
small one the colour of an egg on top. An empty border of one box goes all round, so that a card
that covers anything lies wholly inside the grid:

    . . . . .
    . R Y . .      RYGB at 0,0, and EB1 at 1,1 on its blue box:
    . G b b .      left -1, top -1, width 5
    . . b b .
    . . . . .
"""

from collections.abc import Iterator
from functools import reduce
from itertools import chain
from operator import or_
from struct import iter_unpack
from typing import Final

from msgspec import Struct

from referee.games.dragon_dance.cards import COLOURS

NOTHING: Final = b"."
BOXES: Final = 4
"""Boxes of a card."""


class Tops(Struct, frozen=True, gc=False):
    """A grid of boxes in rows of `width`, its first at `left`, `top` of the field."""

    left: int
    top: int
    width: int
    boxes: bytes


EMPTY: Final = Tops(left=-1, top=-1, width=4, boxes=NOTHING * 16)
"""The grid before the first card, with room for it at 0, 0."""


def under(tops: Tops, x: int, y: int) -> bytes:
    """The four boxes that a card at `x`, `y` would lie on, in the order of a face."""
    column, at = x - tops.left, (y - tops.top) * tops.width + x - tops.left
    if not 0 <= column < tops.width - 1 or not 0 <= at < len(tops.boxes) - tops.width:
        return NOTHING * BOXES
    below = at + tops.width
    return tops.boxes[at : at + 2] + tops.boxes[below : below + 2]


def covered(tops: Tops, x: int, y: int) -> int:
    """How many boxes of the field a card at `x`, `y` would cover, 0 to 4."""
    return BOXES - under(tops, x, y).count(NOTHING)


def laid_on(tops: Tops, x: int, y: int, look: str) -> Tops:
    """The grid with a card on it that looks so as it lies."""
    grown = _with_room(tops, x, y)
    at = (y - grown.top) * grown.width + x - grown.left
    below, letters = at + grown.width, look.encode()
    boxes = bytearray(grown.boxes)
    boxes[at : at + 2], boxes[below : below + 2] = letters[:2], letters[2:]
    return Tops(grown.left, grown.top, grown.width, bytes(boxes))


def _with_room(tops: Tops, x: int, y: int) -> Tops:
    """The grid grown so far that a card at `x`, `y` leaves the border empty."""
    height = len(tops.boxes) // tops.width
    before, after = max(0, tops.left - x + 1), max(0, x + 3 - tops.left - tops.width)
    above, beneath = max(0, tops.top - y + 1), max(0, y + 3 - tops.top - height)
    if not before + after + above + beneath:
        return tops
    width, boxes = before + tops.width + after, tops.boxes
    if before + after:
        rows = chain.from_iterable(iter_unpack(f"{tops.width}s", boxes))
        boxes = NOTHING * before + (NOTHING * (after + before)).join(rows) + NOTHING * after
    boxes = NOTHING * (above * width) + boxes + NOTHING * (beneath * width)
    return Tops(tops.left - before, tops.top - above, width, boxes)


# ── The search for places ───────────────────────────────────────────────────────────────────────
#
# A search looks at every place of the grid in one go. A grid of 0s and 1s is one long number, a
# byte a box, the first box lowest. Where may RYGB lie on RYGB alone?
#
#     the field      red may lie    yellow may     the same, moved by one
#     . . . .        1 1 1 1        1 1 1 1        1 1 1 1
#     . R Y .        1 1 0 1        1 0 1 1        0 1 1 1
#     . G B .        1 0 0 1        1 0 0 1        0 0 1 1
#     . . . .        1 1 1 1        1 1 1 1        1 1 1 0
#
# Moved by one, what is said of the yellow box stands at the place of the red one, to its left; the
# lower two boxes are moved by a row as well. (What runs over from row to row is border.) The card
# fits where all four say 1 and it covers anything: here at 0,0 alone.

_UNDER: Final = {
    **{colour: f".{colour}{colour.lower()}" for colour in COLOURS},
    **{colour.lower(): f".{colour}" for colour in COLOURS},
}
"""What may lie under a box: nothing or its colour, and no egg under an egg."""

_MAY_LIE: Final = {
    letter: bytes(chr(box) in boxes for box in range(256)) for letter, boxes in _UNDER.items()
}
"""Tables for `bytes.translate`, by letter: 1 for each box on which it may lie."""

_COVERED: Final = bytes(box != NOTHING[0] for box in range(256))


class Search:
    """Where on a field cards fit.

    Every box that a card covers shows the colour that it has there, at least one is covered,
    and no egg lies on an egg.
    """

    def __init__(self, tops: Tops) -> None:
        self._tops: Final = tops
        self._moves: Final = (0, 8, 8 * tops.width, 8 * tops.width + 8)
        self._may_lie: Final = {letter: self._number(table) for letter, table in _MAY_LIE.items()}
        covered = self._number(_COVERED)
        self._covers: Final = reduce(or_, [covered >> move for move in self._moves])

    def _number(self, table: bytes) -> int:
        return int.from_bytes(self._tops.boxes.translate(table), "little")

    def places(self, look: str) -> Iterator[tuple[int, int]]:
        """Each y and x where a card fits that looks so as it lies, ascending."""
        fits = self._covers
        for letter, move in zip(look, self._moves, strict=True):
            fits &= self._may_lie[letter] >> move
        while fits:
            lowest = fits & -fits
            row, column = divmod(lowest.bit_length() // 8, self._tops.width)
            yield row + self._tops.top, column + self._tops.left
            fits ^= lowest
