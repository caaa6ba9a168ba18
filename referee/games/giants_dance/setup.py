"""Before the match: options judged and completed, the first state, the deal, options for trials."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Final

from msgspec.structs import asdict

from referee.core.game import At, Piles, Steps
from referee.core.randomness import Chance
from referee.games.giants_dance import events
from referee.games.giants_dance.types import (
    CATEGORIES,
    DANCE_CARDS,
    HAND,
    HIGHEST_VALUE,
    HOME,
    LONGEST_MOVE,
    MOVEMENT_CARDS,
    SQUARES,
    STREETS,
    Category,
    Completed,
    DanceCard,
    DanceCards,
    Ground,
    Movement,
    Options,
    Square,
    State,
    Stock,
    StreetDance,
    StreetToken,
    Tokens,
    of,
)

GAPS: Final[tuple[tuple[int, ...], ...]] = tuple(
    gaps for gaps in product(range(1, 5), repeat=len(SQUARES) + 1) if sum(gaps) == STREETS
)
"""Every way to set the squares apart: streets before each of them and after the last, 1..4 each,
in lexicographic order."""

_EMPTY_STREETS: Final = {3: 2}
_DOUBLE_STREETS: Final = {2: 2, 4: 2, 5: 6}
"""By number of seats: how many of the first streets lie empty, how many of the last hold two."""


def faults(options: Options, _seats: int) -> Iterator[tuple[str, str]]:
    """A trail without each square once, and movement cards that never bring a giant home."""
    trail, walk = options.trail, sum(options.movement_deck)
    if isinstance(trail, tuple):
        for square in SQUARES:
            if trail.count(square) != 1:
                yield "options.trail", f"must have {square} once, not {trail.count(square)} times"
    if walk < HOME:
        yield "options.movement_deck", f"must sum to {HOME}, the way home, or more, not {walk}"


def complete(options: Options, seats: int) -> Completed:
    """The options with the order of height filled in: as the seats sit, where none is given."""
    order = options.height_order or tuple(range(seats))
    return Completed(**{**asdict(options), "height_order": order})


def start(options: Completed, seats: int) -> State:
    """The state before anything is dealt: all giants at the start, the biggest in last place."""
    no_cards, zeros = ((),) * seats, (0,) * seats
    return State(
        phase="challenge" if options.challenge else "move",
        token_value=options.token_value,
        fields=zeros,
        order=options.height_order[::-1],
        movement=Movement(no_cards, zeros, no_cards, zeros, no_cards),
        dance=DanceCards(no_cards, zeros, no_cards, zeros),
        stock=Stock((Tokens(0, 0),) * seats, zeros),
        street_dance=StreetDance(zeros, (False,) * seats),
        points=zeros,
        double_dances=zeros,
        challenges_won=zeros,
        market_wins=zeros,
        street_wins=zeros,
        options=options,
    )


# ── The deal ──────────────────────────────────────────────────────────────────────────────────────


def deal(at: At[State]) -> Steps[State]:
    """Chance in this order: the trail, by seat the movement and the dance pile, the tokens."""
    options, chance, seats = at.state.options, at.chance, len(at.state.fields)
    trail = shuffled_trail(chance) if options.trail == "shuffled" else options.trail
    dances = [
        DanceCard(kind, value) for kind in CATEGORIES for value in of(options.dance_deck, kind)
    ]
    decks = [
        events.Cards(
            chance.about("movement cards", seat).shuffle(options.movement_deck),
            chance.about("dance cards", seat).shuffle(dances),
        )
        for seat in range(seats)
    ]
    shuffled = chance.about("the dance tokens").shuffle(all_tokens(seats))
    tokens = zip(token_fields(trail, seats), shuffled, strict=True)
    return (
        yield events.SetUp(
            trail,
            tuple(events.Cards(deck.movement[:HAND], deck.dance[:HAND]) for deck in decks),
            tuple(events.Cards(deck.movement[HAND:], deck.dance[HAND:]) for deck in decks),
            tuple(StreetToken(field, "down", owner, kind) for field, (owner, kind) in tokens),
        )
    )


def _shuffled(piles: Sequence[Any]) -> events.PilesShuffled:
    seats = len(piles) // 2
    return events.PilesShuffled(movement=tuple(piles[:seats]), dance=tuple(piles[seats:]))


PILES: Final = Piles(
    of=lambda state: (*state.movement.piles, *state.dance.piles), shuffled=_shuffled
)


def shuffled_trail(chance: Chance) -> tuple[Ground, ...]:
    """The squares in drawn order, and one of all ways to set them apart."""
    squares = chance.about("the squares").shuffle(SQUARES)
    return spaced_trail(squares, chance.about("the streets between them").one_of(GAPS))


def spaced_trail(squares: Sequence[Square], gaps: Sequence[int]) -> tuple[Ground, ...]:
    """Fields 1..19: `gaps[i]` streets before square i, the last of the six gaps at the end."""
    street: tuple[Ground, ...] = ("street",)
    trail = street * gaps[0]
    for square, gap in zip(squares, gaps[1:], strict=True):
        trail += (square, *street * gap)
    return trail


def all_tokens(seats: int) -> list[tuple[int, Category]]:
    """Every dance token as (owner, category), before the shuffle: by seat, rotate then parade.

    Two of either category a seat; with two seats a second set of four each, as its own.
    """
    of_a_kind = 4 if seats == 2 else 2  # noqa: PLR2004 -- the rule for two
    return [(seat, kind) for seat in range(seats) for kind in CATEGORIES for _ in range(of_a_kind)]


def token_fields(trail: Sequence[str], seats: int) -> list[int]:
    """The fields on which the tokens go, ascending, a field twice where two lie on it."""
    streets = [field for field, ground in enumerate(trail, 1) if ground == "street"]
    doubled = streets[len(streets) - _DOUBLE_STREETS.get(seats, 0) :]
    return sorted(streets[_EMPTY_STREETS.get(seats, 0) :] + doubled)


# ── Options for trials ────────────────────────────────────────────────────────────────────────────


def vary(pick: Chance, seats: int) -> dict[str, Any]:
    """Random lawful options, as a client would send them: each one there or left out."""
    return {
        **({"trail": _some_trail(pick)} if pick.below(4) else {}),
        **({"movement_deck": _some_movement_deck(pick)} if pick.below(2) else {}),
        **({"dance_deck": _some_dance_deck(pick)} if pick.below(2) else {}),
        **({"token_value": pick.between(1, HIGHEST_VALUE)} if pick.below(2) else {}),
        **({"challenge": pick.one_of((False, True))} if pick.below(4) else {}),
        **({"height_order": list(pick.shuffle(range(seats)))} if pick.below(2) else {}),
    }


def _some_trail(pick: Chance) -> str | list[str]:
    if pick.below(2):
        return "shuffled"
    return list(pick.shuffle([*SQUARES, *["street"] * STREETS]))


def _some_movement_deck(pick: Chance) -> list[int]:
    deck = [pick.between(1, LONGEST_MOVE) for _ in range(MOVEMENT_CARDS)]
    while sum(deck) < HOME:
        deck[deck.index(min(deck))] += 1
    return deck


def _some_dance_deck(pick: Chance) -> dict[str, list[int]]:
    return {
        kind: [pick.between(1, HIGHEST_VALUE) for _ in range(DANCE_CARDS)] for kind in CATEGORIES
    }
