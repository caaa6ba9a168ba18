"""Names that people give: of seats, tournaments and tables.

They are judged when a match is created and never again: what a letter is depends on the version of
Unicode, and a log must not.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

from msgspec import Meta

LONGEST: Final = 100
"""Characters of a name."""
Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST,
        # No control characters, separators of lines or paragraphs, marks of a direction of writing
        # or of an order of bytes.
        pattern=r"^[^\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]*$(?!\n)",
    ),
]
"""A name as it may be sent."""
_BLANKS: Final = "".join(
    sign for sign in map(chr, range(0x3001)) if unicodedata.category(sign) == "Zs"
)


def kept(name: str) -> str:
    """A name as it is kept: in NFC, without outer blanks.

    >>> kept(" Zoe\u0308 ") == "Zo\u00eb"
    True
    """
    return unicodedata.normalize("NFC", name).strip(_BLANKS)


def wrong(name: str) -> str | None:
    """What is wrong with a name as it is kept; None where nothing is."""
    if not any(unicodedata.category(sign)[0] in "LNPS" for sign in name):
        return "must have a letter, a number, a sign or a symbol"
    return f"must have at most {LONGEST} characters" if len(name) > LONGEST else None


def alike(names: Sequence[str]) -> Iterator[int]:
    """The places of those names that are like one before them, small and capital letters apart.

    >>> list(alike(["Ann", "Stra\u00dfe", "ann", "STRASSE"]))
    [2, 3]
    """
    seen = set[str]()
    for place, name in enumerate(names):
        folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())
        if folded in seen:
            yield place
        seen.add(folded)
