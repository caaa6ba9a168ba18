"""What both pictures of giants-dance read from a view.

The trail runs clockwise around the scoreboard, the Market Square at both its ends:

     0  1  2  3  4  5  6
    19                 7
    18                 8
    17                 9
    16 15 14 13 12 11 10
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from referee.core.told.reading import View, at_rest, waited_for
from referee.games.giants_dance.types import HOME, PLACE_NAMES

State = Mapping[str, Any]

COLUMNS: Final = 7
"""Fields in the upper and the lower row of the ring; field 20 is drawn as field 0."""
ROWS: Final = 5
NAME_WIDTH: Final = 16
"""Columns of a name in the middle of the board."""


ON_TRAIL: Final = (
    "trail", "order", "fields", "street_tokens", "bids", "challenge_tokens", "scored",
)  # fmt: skip
"""The fields of a state on which hangs what stands on the trail."""


def part(state: State, *fields: str) -> State:
    """Of a state these fields alone: whatever is drawn of them hangs on nothing else."""
    return {field: state[field] for field in fields}


def ground_of(state: State, field: int) -> str:
    """What field 0..19 is: "street", a square's name, or "market"."""
    return str(state["trail"][field - 1]) if field else "market"


def titled(field: int, ground: str) -> str:
    """A field's number, and its name if it is a square."""
    return f"{field or ''} {'' if ground == 'street' else ground.capitalize()}".strip()


def giants_at(state: State, field: int) -> list[int]:
    """The seats on field 0..19, the first to arrive in front; on 0 then those home, by seat."""
    walking = [seat for seat in reversed(state["order"]) if state["fields"][seat] == field]
    home = [seat for seat, at in enumerate(state["fields"]) if at == HOME and not field]
    return walking + home


def tokens_at(state: State, field: int) -> list[Mapping[str, Any]]:
    """The dance tokens on a street."""
    return [token for token in state["street_tokens"] if token["field"] == field]


def best_of(state: State, place: str, kind: str) -> int | None:
    """The highest sum of a category at a place, None where nobody has danced it."""
    return max((bid["sum"] for bid in state["bids"][place][kind]), default=None)


def challenges_at(state: State, place: str) -> Sequence[Mapping[str, Any]]:
    """The challenge tokens at a place; none ever lie at the Market Square."""
    tokens: Sequence[Mapping[str, Any]] = state["challenge_tokens"].get(place, ())
    return tokens


def street_sums(state: State) -> list[tuple[int, str]]:
    """The seats that have danced on the street, with what each laid there: `?` where hidden."""
    sums, danced = state["street_dance"]["sums"], state["street_dance"]["danced"]
    laid = ["?" if total is None else str(total) for total in sums]
    return [(seat, laid[seat]) for seat, has in enumerate(danced) if has]


def counted(state: State, seat: int) -> list[str]:
    """Of a seat, as the scoreboard has them: points, field, moves, dances, tokens.

    Cards are counted in the hand and in the pile: `3+7`.
    """
    field = state["fields"][seat]
    cards = (
        f"{state[of]['hand_counts'][seat]}+{state[of]['pile_counts'][seat]}"
        for of in ("movement", "dance")
    )
    at, tokens = "out" if field is None else field, state["stock"]["counts"][seat]
    return [str(state["points"][seat]), str(at), *cards, str(tokens)]


def headline(view: View) -> str:
    """What the table waits for, in a sentence, or why it waits for nobody."""
    return at_rest(view, NAME_WIDTH) or (
        f"Turn {view['state']['turn']}: {waited_for(view, NAME_WIDTH)} {_owed(view['state'])}."
    )


def _owed(state: State) -> str:
    if state["phase"] == "challenge":
        return "is to lay a challenge token"
    if state["phase"] == "move":
        return "is last and is to move"
    ground = ground_of(state, state["fields"][state["dancing"]] % HOME)
    return f"may dance {'on' if ground == 'street' else 'at'} {PLACE_NAMES[ground]}"
