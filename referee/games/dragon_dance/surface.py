"""What a picture shows of the field: for each box the card on top, its letter and its part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from referee.games.dragon_dance.cards import FACES, NO_FACE, kind

PARTS: Final = {
    "scale": ("scale",) * 4,
    "head": ("head", "head", "tail", "tail"),
    "egg": ("egg",) * 4,
}
"""What each box of an unturned card shows, in the order of a face."""


class Box(NamedTuple):
    """The topmost box of a cell: its card's place in laying order, its letter, its part."""

    card: int
    letter: str
    part: str


class Frame(NamedTuple):
    """The cells from ``left``, ``top`` to ``right``, ``bottom``, both included."""

    left: int
    top: int
    right: int
    bottom: int


def letters(view: Mapping[str, Any], card: str) -> str:
    """The card's four letters unturned, as this match prints it."""
    own: Mapping[str, str] = view["options"]["faces"] or {}
    return own.get(card, FACES.get(card, NO_FACE))


def face_of(view: Mapping[str, Any], card: str, *, turned: bool) -> list[tuple[str, str]]:
    """The letter and the part of each of the four boxes as they lie."""
    face = list(zip(letters(view, card), PARTS[kind(card)], strict=True))
    return face[::-1] if turned else face


def surface(view: Mapping[str, Any]) -> dict[tuple[int, int], Box]:
    """Each cell of the field that is covered, and what it shows."""
    shown: dict[tuple[int, int], Box] = {}
    for number, placed in enumerate(view["state"]["field"]):
        face = face_of(view, placed["card"], turned=placed["turned"])
        for index, (letter, part) in enumerate(face):
            cell = placed["x"] + index % 2, placed["y"] + index // 2
            shown[cell] = Box(number, letter, part)
    return shown


def frame(view: Mapping[str, Any]) -> Frame:
    """The smallest rectangle of cells that holds the field; the starting card's on an empty one."""
    field = view["state"]["field"] or ({"x": 0, "y": 0},)
    across, down = [placed["x"] for placed in field], [placed["y"] for placed in field]
    return Frame(min(across), min(down), max(across) + 1, max(down) + 1)
