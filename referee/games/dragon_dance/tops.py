"""What the field shows from above: the topmost box of each cell, as a grid of bytes.

A box is one byte: 0 nothing, 1 to 4 a colour in the order RYGB, 5 to 8 the same with an egg on
top. The grid keeps an empty border of one box all round::

    0 0 0 0
    0 1 2 0      RYGB at 0,0: left -1, top -1, width 4
    0 3 4 0
    0 0 0 0

so that a card of two by two that covers anything lies wholly inside it, and one that does not
lie wholly inside covers nothing.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from referee.games.dragon_dance.cards import COLOURS

if TYPE_CHECKING:
    from collections.abc import Iterator

EGG: Final = 4
"""Added to a box's colour where an egg is on top."""
NOTHING: Final = bytes(4)
"""Four boxes of which none is on the field."""
CODES: Final = {
    "".join(face): bytes(1 + COLOURS.index(letter) for letter in face)
    for face in product(COLOURS, repeat=4)
}
"""The boxes of every face: 1 to 4 by its letters."""
COLOUR_ALONE: Final = bytes(code - EGG if code > EGG else code for code in range(256))
"""A table for ``bytes.translate``: the colour of a box, whatever is on top."""


class Tops(Struct, frozen=True, gc=False):
    """A grid of boxes in rows of ``width``, its first at ``left``, ``top`` of the field."""

    left: int
    top: int
    width: int
    boxes: bytes


EMPTY: Final = Tops(left=-1, top=-1, width=4, boxes=bytes(16))
"""The grid before the first card, with room for it at 0, 0."""


def under(tops: Tops, x: int, y: int) -> bytes:
    """The four boxes that a card at ``x``, ``y`` would lie on, in the order of a face."""
    column, at = x - tops.left, (y - tops.top) * tops.width + x - tops.left
    if not 0 <= column < tops.width - 1 or not 0 <= at < len(tops.boxes) - tops.width:
        return NOTHING
    below = at + tops.width
    return tops.boxes[at : at + 2] + tops.boxes[below : below + 2]


def covered(tops: Tops, x: int, y: int) -> int:
    """How many boxes of the field a card at ``x``, ``y`` would cover, 0 to 4."""
    return 4 - under(tops, x, y).count(0)


def laid_on(tops: Tops, x: int, y: int, face: str, *, egg: bool) -> Tops:
    """The grid with a card on it that shows ``face`` as it lies."""
    grown = _with_room(tops, x, y)
    codes = bytes(code + EGG for code in CODES[face]) if egg else CODES[face]
    at = (y - grown.top) * grown.width + x - grown.left
    below = at + grown.width
    boxes = bytearray(grown.boxes)
    boxes[at : at + 2], boxes[below : below + 2] = codes[:2], codes[2:]
    return Tops(grown.left, grown.top, grown.width, bytes(boxes))


def _with_room(tops: Tops, x: int, y: int) -> Tops:
    """The grid grown so far that a card at ``x``, ``y`` leaves the border empty."""
    height = len(tops.boxes) // tops.width
    before, after = max(0, tops.left - x + 1), max(0, x + 3 - tops.left - tops.width)
    above, beneath = max(0, tops.top - y + 1), max(0, y + 3 - tops.top - height)
    if not before + after + above + beneath:
        return tops
    width = before + tops.width + after
    rows = b"".join(
        bytes(before) + tops.boxes[at : at + tops.width] + bytes(after)
        for at in range(0, len(tops.boxes), tops.width)
    )
    boxes = bytes(above * width) + rows + bytes(beneath * width)
    return Tops(tops.left - before, tops.top - above, width, boxes)


# ---------------------------------------------------------------- the search for places
#
# Every way to look is one bit of a number: bit 0 to 255 a face that is no egg, bit 256 to 259 an
# egg's colour. For the two upper boxes of a place, UPPER holds the bits that they let through,
# for the two lower ones LOWER: what fits a place is the bits that stand in both.

_PAIRS: Final = 9
_LOOKS: Final = [(face, False) for face in CODES] + [(letter * 4, True) for letter in COLOURS]
_BITS: Final = {look: 1 << index for index, look in enumerate(_LOOKS)}


def bit(face: str, *, egg: bool) -> int:
    """The bit of a card that shows ``face`` as it lies (an egg: four times one letter)."""
    return _BITS[face, egg]


def _lets(code: int, letter: str, *, egg: bool) -> bool:
    """Whether a box ``code`` may be covered by ``letter``, by an egg's or another card's."""
    if code == 0:
        return True
    return letter == COLOURS[(code - 1) % EGG] and not (egg and code > EGG)


def _pair_table(first: int) -> tuple[int, ...]:
    """By the codes of two boxes, 9 * left + right, the looks whose letters there may lie on it."""
    return tuple(
        sum(
            mask
            for (face, egg), mask in _BITS.items()
            if _lets(left, face[first], egg=egg) and _lets(right, face[first + 1], egg=egg)
        )
        for left in range(_PAIRS)
        for right in range(_PAIRS)
    )


UPPER: Final = _pair_table(0)
LOWER: Final = _pair_table(2)


def _pairs(boxes: bytes) -> bytes:
    """For each box 9 times it plus its right neighbour: two long numbers, a box a digit, added.

    The largest digit is 9 * 8 + 8: nothing is carried.
    """
    left, right = int.from_bytes(boxes, "big"), int.from_bytes(boxes[1:] + b"\0", "big")
    return (_PAIRS * left + right).to_bytes(len(boxes), "big")


def places(tops: Tops, wanted: int) -> Iterator[tuple[int, int, int]]:
    """Each place on the field where a look of ``wanted`` fits, by y, then x.

    Yields x, y and the bits of ``wanted`` that fit: every covered box shows the colour that the
    card has there, at least one is covered, and no egg lies on an egg.
    """
    pairs, width = _pairs(tops.boxes), tops.width
    for at, (upper, lower) in enumerate(zip(pairs, pairs[width:], strict=False)):
        if upper or lower:
            fits = UPPER[upper] & LOWER[lower] & wanted
            if fits:
                yield at % width + tops.left, at // width + tops.top, fits
