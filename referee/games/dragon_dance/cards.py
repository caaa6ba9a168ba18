"""The 52 cards and their faces.

A face is four colours in the order upper left, upper right, lower left, lower right. A half
turn reads it backwards::

    RYGB   R Y      turned   B G
           G B               Y R
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from referee.games.dragon_dance.types import Options

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
"""The four letters of each card as this referee prints it (house: the pictures are lost)."""

NO_FACE: Final = ""
"""What a name that is no card shows, so that rulings on faces stay quiet about it."""


def is_head(card: str) -> bool:
    """Whether the card bears a dragon's head; names begin with H for heads alone."""
    return card.startswith("H")


def is_egg(card: str) -> bool:
    """Whether the card is an egg; names begin with E for eggs alone."""
    return card.startswith("E")


def kind(card: str) -> str:
    """``"head"``, ``"egg"`` or ``"scale"``."""
    return "head" if is_head(card) else "egg" if is_egg(card) else "scale"


def face(options: Options, card: str) -> str:
    """The card's four letters unturned, an organizer's own printing before ours."""
    if options.faces is not None and card in options.faces:
        return options.faces[card]
    return FACES.get(card, NO_FACE)


def colour(options: Options, card: str) -> str:
    """The colour of an egg, or of a head's own end: the first letter of its face."""
    return face(options, card)[:1]


def really_turned(options: Options, card: str, *, turned: bool) -> bool:
    """Whether a card laid ``turned`` counts as turned: not a head or egg that looks the same."""
    if not turned or card[:1] not in "HE":
        return turned
    letters = face(options, card)
    return letters != letters[::-1]


def face_as_laid(options: Options, card: str, *, turned: bool) -> str:
    """The card's four letters as they lie on the field."""
    letters = face(options, card)
    return letters[::-1] if turned else letters


def orientations(options: Options, card: str) -> tuple[bool, ...]:
    """The different values of ``turned`` in which a card may lie, unturned first."""
    if options.turning == "none" or not really_turned(options, card, turned=True):
        return (False,)
    return (False, True)
