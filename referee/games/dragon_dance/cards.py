"""The 52 cards, and how each looks.

A face is four colours in the order upper left, upper right, lower left, lower right; a half turn
reads it backwards. A look is a face as it lies, in small letters for an egg.

    RYGB   R Y      turned   B G      EB1   b b
           G B               Y R            b b
"""

from collections.abc import Mapping
from itertools import permutations
from typing import Final

COLOURS: Final = "RYGB"
SCALES: Final = tuple("".join(order) for order in permutations(COLOURS))
HEADS: Final = tuple(f"H{head}{tail}" for head in COLOURS for tail in COLOURS)
EGGS: Final = tuple(f"E{colour}{copy}" for colour in COLOURS for copy in "123")
DECK: Final = SCALES + HEADS + EGGS
"""All cards in the order in which they go into a shuffle."""

FACES: Final = {
    **{card: card for card in SCALES},
    **{card: card[1] * 2 + card[2] * 2 for card in HEADS},
    **{card: card[1] * 4 for card in EGGS},
}
"""The face of each card as this referee prints it (house: the pictures are lost)."""

NO_FACE: Final = ""
"""The face of a name that is no card, so that rulings on faces stay quiet about it."""

Printing = Mapping[str, str] | None
"""The faces that an organizer's own printing has instead of ours, by card."""


def is_head(card: str) -> bool:
    """Whether the card bears a dragon's head; names begin with H for heads alone."""
    return card.startswith("H")


def is_egg(card: str) -> bool:
    """Whether the card is an egg; names begin with E for eggs alone."""
    return card.startswith("E")


def kind(card: str) -> str:
    """`"head"`, `"egg"` or `"scale"`."""
    return "head" if is_head(card) else "egg" if is_egg(card) else "scale"


def face(card: str, printing: Printing) -> str:
    """The card's four letters unturned, an organizer's own printing before ours."""
    if printing and card in printing:
        return printing[card]
    return FACES.get(card, NO_FACE)


def look(card: str, printing: Printing, *, turned: bool) -> str:
    """The card's four letters as they lie, small ones for an egg."""
    letters = face(card, printing)
    as_it_lies = letters[::-1] if turned else letters
    return as_it_lies.lower() if is_egg(card) else as_it_lies


def has_two_looks(card: str, printing: Printing) -> bool:
    """Whether a half turn counts: for every scale, and for what looks different then."""
    letters = face(card, printing)
    return not (is_head(card) or is_egg(card)) or letters != letters[::-1]
