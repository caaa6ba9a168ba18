"""What both pictures read from a view: the ring of fields, who stands where, what lies where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from referee.core.told.safe import called, cut
from referee.games.giants_dance.types import HOME, PLACE_NAMES
from referee.games.giants_dance.words import listed

View = Mapping[str, Any]

COLUMNS: Final = 7
ROWS: Final = 5
SHORT: Final = 16
"""Columns of a name in the middle of the board."""
SHORT_NAMES: Final = {
    "street": "street",
    "church": "Church",
    "sluice": "Sluice",
    "justice": "Justice",
    "heroes": "Heroes",
    "flax": "Flax",
    "market": "Market",
}


def _spots() -> tuple[tuple[int, int], ...]:
    # The trail runs clockwise around the scoreboard, the Market Square at both its ends:
    #
    #    0  1  2  3  4  5  6
    #   19                 7
    #   18                 8
    #   17                 9
    #   16 15 14 13 12 11 10
    right, bottom = COLUMNS - 1, ROWS - 1
    top_row = [(0, column) for column in range(COLUMNS)]
    right_side = [(row, right) for row in range(1, ROWS)]
    bottom_row = [(bottom, column) for column in range(right - 1, -1, -1)]
    left_side = [(row, 0) for row in range(bottom - 1, 0, -1)]
    return (*top_row, *right_side, *bottom_row, *left_side)


SPOTS: Final = _spots()
"""(row, column) of fields 0..19 on the ring; field 20 is field 0 again."""


def names_of(view: View, columns: int = 24) -> list[str]:
    """The players' names by seat, fit for printing in so many columns."""
    return [cut(called(seat["name"], seat["seat"]), columns) for seat in view["seats"]]


def place_of(state: Mapping[str, Any], field: int) -> str:
    """What the spot of field 0..19 is: "street", a square's name, or "market"."""
    return str(state["trail"][field - 1]) if field else "market"


def giants_at(state: Mapping[str, Any], field: int) -> list[int]:
    """The seats on a spot of the ring, the first to arrive in front; those home by seat."""
    walking = [seat for seat in reversed(state["order"]) if state["fields"][seat] == field]
    home = [seat for seat, at in enumerate(state["fields"]) if at == HOME and not field]
    return walking + home


def tokens_at(state: Mapping[str, Any], field: int) -> list[Mapping[str, Any]]:
    """The dance tokens on a street."""
    return [token for token in state["street_tokens"] if token["field"] == field]


def best_of(state: Mapping[str, Any], place: str, kind: str) -> int | None:
    """The highest sum of a category at a place, None where nobody has danced it."""
    return max((bid["sum"] for bid in state["bids"][place][kind]), default=None)


def challenges_at(state: Mapping[str, Any], place: str) -> Sequence[Mapping[str, Any]]:
    """The challenge tokens at a place; none ever lie at the Market Square."""
    tokens: Sequence[Mapping[str, Any]] = state["challenge_tokens"].get(place, ())
    return tokens


def headline(view: View) -> str:
    """What the table waits for, in a sentence: who is to act, or who has won."""
    if view["status"] == "finished":
        return _result(view)
    if view["status"] != "active":
        return {"paused": "The match is paused.", "void": "The match is void."}[view["status"]]
    turn, names = view["state"]["turn"], names_of(view, SHORT)
    acting = listed([names[seat] for seat in view["to_act"]])
    return f"Turn {turn}: {acting} {_task(view)}." if acting else f"Turn {turn}."


def _task(view: View) -> str:
    state = view["state"]
    if state["phase"] == "challenge":
        return "is to lay a challenge token"
    if state["phase"] == "move":
        return "is last and is to move"
    field = state["fields"][state["dancing"]]
    place = place_of(state, field % HOME)
    where = "on the street" if place == "street" else f"at {PLACE_NAMES[place]}"
    return f"may dance {where}"


def _result(view: View) -> str:
    names = names_of(view, SHORT)
    winners = [names[seat] for seat in view["result"]["winners"]]
    if len(winners) == 1:
        return f"{winners[0]} wins."
    return f"{listed(winners)} share the first place." if winners else "Nobody wins."
