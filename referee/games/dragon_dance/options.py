"""The options: which can be played, and random lawful ones for trials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from referee.core.game import BadOptions
from referee.core.randomness import Chance
from referee.games.dragon_dance.cards import COLOURS, DECK, is_egg, is_head
from referee.games.dragon_dance.types import Options

_BOUNDS: Final = (("hand", 3, 9), ("need", 0, 40), ("to_win", 1, 2), ("max_rounds", 1, 100))


def complete(options: Options, seats: int) -> Options:
    """The options as they are, no default of this game depending on the number of seats.

    Raises :class:`BadOptions` with every number out of its bounds and every face that cannot be
    printed on its card.
    """
    errors = [*_starter_errors(options, seats), *_bound_errors(options), *_face_errors(options)]
    if errors:
        raise BadOptions(errors)
    return options


def _starter_errors(options: Options, seats: int) -> Iterator[tuple[str, str]]:
    if not 0 <= options.starter < seats:
        yield "options.starter", f"must be a seat, 0 to {seats - 1}, not {options.starter}"


def _bound_errors(options: Options) -> Iterator[tuple[str, str]]:
    for name, low, high in _BOUNDS:
        value = getattr(options, name)
        if not low <= value <= high:
            yield f"options.{name}", f"must be {low} to {high}, not {value}"


def _face_errors(options: Options) -> Iterator[tuple[str, str]]:
    for card, face in (options.faces or {}).items():
        error = _face_error(card, face)
        if error is not None:
            yield f"options.faces.{card}", error


def _face_error(card: str, face: str) -> str | None:
    if card not in DECK:
        return "is no card of this game"
    if len(face) != len(COLOURS) or not set(face) <= set(COLOURS):
        return f"must be four letters of {COLOURS}, not {face!r}"
    if is_head(card) and face[0] != face[1]:
        return f"the first two letters of a head must be alike, not {face!r}"
    if is_egg(card) and face != face[0] * 4:
        return f"the four letters of an egg must be alike, not {face!r}"
    return None


def vary(pick: Chance, seats: int) -> dict[str, Any]:
    """Random lawful options, each left out now and then, as a client would send them.

    ``max_rounds`` is kept small most of the time, so that a trial takes a moment.
    """
    chosen: dict[str, Any] = {
        "starter": pick.below(seats),
        "hand": 3 + pick.below(7),
        "need": (0, 5, 10, 15, 20, 40)[pick.below(6)],
        "to_win": 1 + pick.below(2),
        "turning": ("half", "none")[pick.below(2)],
        "faces": (None, {}, _random_faces(pick))[pick.below(3)],
    }
    kept = {name: value for name, value in chosen.items() if pick.below(4)}
    rounds = (1, 2, 3, 5, None)[pick.below(5)]
    return kept if rounds is None else {**kept, "max_rounds": rounds}


def _random_faces(pick: Chance) -> dict[str, str]:
    """Other faces for up to eight cards."""
    cards = pick.shuffle(DECK)[: 1 + pick.below(8)]
    return {card: _random_face(pick, card) for card in cards}


def _random_face(pick: Chance, card: str) -> str:
    letters = [COLOURS[pick.below(4)] for _ in range(4)]
    if is_egg(card):
        return letters[0] * 4
    if is_head(card):
        letters[1] = letters[0]
    return "".join(letters)
