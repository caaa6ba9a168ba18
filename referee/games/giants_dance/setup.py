"""Options and set-up: from what an organizer enters to the first hands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from msgspec.structs import replace

from referee.core.game import Asker, BadOptions, Event, Steps
from referee.core.randomness import Chance
from referee.games.giants_dance.types import (
    CATEGORIES,
    HAND,
    HOME,
    SQUARES,
    TRAIL_FIELDS,
    Bids,
    Cards,
    Category,
    ChallengeTokens,
    DanceCard,
    DanceCards,
    Ground,
    Movement,
    Options,
    SetUp,
    Square,
    State,
    Stock,
    StreetDance,
    StreetToken,
    Tokens,
)

MOVEMENT_CARDS: Final = 10
DANCE_CARDS: Final = 6
"""Dance cards of one category."""
STREETS: Final = 14
LONGEST_MOVE: Final = 6
HIGHEST_VALUE: Final = 9

GAPS: Final[tuple[tuple[int, ...], ...]] = tuple(
    gaps for gaps in product(range(1, 5), repeat=len(SQUARES) + 1) if sum(gaps) == STREETS
)
"""Every way to set the squares apart: streets before each of them and after the last, 1..4 each,
in lexicographic order."""

_EMPTY_STREETS: Final = {3: 2}
_DOUBLE_STREETS: Final = {2: 2, 4: 2, 5: 6}
"""By number of seats: how many of the first streets lie empty, how many of the last hold two."""


# ---------------------------------------------------------------- options


def complete(options: Options, seats: int) -> Options:
    """The options with every default filled in; ``seats``: 2..5.

    Raises ``BadOptions`` with every error and its path.
    """
    order = tuple(range(seats)) if options.height_order is None else options.height_order
    errors = [
        *_trail_errors(options.trail),
        *_movement_errors(options.movement_deck),
        *_values_errors("options.dance_deck.rotate", options.dance_deck.rotate, DANCE_CARDS),
        *_values_errors("options.dance_deck.parade", options.dance_deck.parade, DANCE_CARDS),
        *_value_errors("options.token_value", options.token_value, HIGHEST_VALUE),
        *_order_errors(order, seats),
    ]
    if errors:
        raise BadOptions(errors)
    return replace(options, height_order=order)


_Errors = Iterator[tuple[str, str]]


def _trail_errors(trail: tuple[Ground, ...] | str) -> _Errors:
    if isinstance(trail, str):
        return
    if len(trail) != TRAIL_FIELDS:
        yield "options.trail", f"has {len(trail)} fields; a trail has {TRAIL_FIELDS}"
    yield from (
        ("options.trail", f"lacks the square {square}") for square in SQUARES if square not in trail
    )
    yield from (
        (f"options.trail[{index}]", f"the square {ground} stands on the trail already")
        for index, ground in enumerate(trail)
        if ground != "street" and ground in trail[:index]
    )


def _movement_errors(deck: tuple[int, ...]) -> _Errors:
    path = "options.movement_deck"
    yield from _values_errors(path, deck, MOVEMENT_CARDS, LONGEST_MOVE)
    if sum(deck) < HOME:
        yield path, f"sums to {sum(deck)}; a giant needs at least {HOME} to arrive"


def _values_errors(
    path: str, values: tuple[int, ...], count: int, highest: int = HIGHEST_VALUE
) -> _Errors:
    if len(values) != count:
        yield path, f"has {len(values)} values; it needs {count}"
    for index, value in enumerate(values):
        yield from _value_errors(f"{path}[{index}]", value, highest)


def _value_errors(path: str, value: int, highest: int) -> _Errors:
    if not 1 <= value <= highest:
        yield path, f"is {value}; it may be 1 to {highest}"


def _order_errors(order: tuple[int, ...], seats: int) -> _Errors:
    path = "options.height_order"
    if len(order) != seats:
        yield path, f"names {len(order)} seats; there are {seats}"
    for index, seat in enumerate(order):
        if not 0 <= seat < seats:
            yield f"{path}[{index}]", f"there is no seat {seat}"
        elif seat in order[:index]:
            yield f"{path}[{index}]", f"names seat {seat} a second time"


# ---------------------------------------------------------------- the state before the deal


def start(options: Options, seats: int) -> State:
    """The state before anything is dealt: all giants at the start, the biggest in last place."""
    no_cards, zeros = ((),) * seats, (0,) * seats
    return State(
        phase="challenge" if options.challenge else "move",
        turn=1,
        dancing=None,
        token_value=options.token_value,
        trail=(),
        fields=zeros,
        order=tuple(reversed(options.height_order or ())),
        movement=Movement(no_cards, zeros, no_cards, zeros, no_cards),
        dance=DanceCards(no_cards, zeros, no_cards, zeros),
        stock=Stock((Tokens(0, 0),) * seats, zeros),
        street_tokens=(),
        bids=Bids(),
        street_dance=StreetDance(zeros, (False,) * seats),
        challenge_tokens=ChallengeTokens(),
        scored=(),
        points=zeros,
        double_dances=zeros,
        challenges_won=zeros,
        market_wins=zeros,
        street_wins=zeros,
        options=options,
    )


# ---------------------------------------------------------------- the deal


def deal(state: State, _by: Asker, chance: Chance) -> Steps[State]:
    """Chance in this order: the trail, by seat the movement and the dance pile, the tokens."""
    seats, options = len(state.fields), state.options
    trail = _shuffled_trail(chance) if options.trail == "shuffled" else options.trail
    decks = [_shuffled_decks(options, chance) for _seat in range(seats)]
    tokens = chance.shuffle(all_tokens(seats))
    hands = tuple(Cards(deck.movement[:HAND], deck.dance[:HAND]) for deck in decks)
    piles = tuple(Cards(deck.movement[HAND:], deck.dance[HAND:]) for deck in decks)
    return (yield SetUp(trail, hands, piles, _laid_out(tokens, token_fields(trail, seats))))


def draws(state: State, event: Event) -> int:
    """How many draw numbers an event used up: only the set-up draws."""
    if not isinstance(event, SetUp):
        return 0
    return 2 * len(state.fields) + 1 + 2 * (state.options.trail == "shuffled")


def _shuffled_trail(chance: Chance) -> tuple[Ground, ...]:
    squares = chance.shuffle(SQUARES)
    return spaced_trail(squares, GAPS[chance.below(len(GAPS))])


def spaced_trail(squares: Sequence[Square], gaps: Sequence[int]) -> tuple[Ground, ...]:
    """Fields 1..19: ``gaps[i]`` streets before square i, the last of the six gaps at the end."""
    trail: list[Ground] = ["street"] * gaps[0]
    for square, gap in zip(squares, gaps[1:], strict=True):
        trail += [square, *["street"] * gap]  # type: ignore[list-item]
    return tuple(trail)


def _shuffled_decks(options: Options, chance: Chance) -> Cards:
    deck = options.dance_deck
    movement = chance.shuffle(options.movement_deck)
    rotates = [DanceCard("rotate", value) for value in deck.rotate]
    parades = [DanceCard("parade", value) for value in deck.parade]
    return Cards(movement, chance.shuffle([*rotates, *parades]))


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


def _laid_out(
    tokens: Sequence[tuple[int, Category]], fields: Sequence[int]
) -> tuple[StreetToken, ...]:
    return tuple(
        StreetToken(field, "down", owner, kind)
        for field, (owner, kind) in zip(fields, tokens, strict=True)
    )


# ---------------------------------------------------------------- options for trials


def vary(pick: Chance, seats: int) -> dict[str, object]:
    """Random lawful options, as the JSON object a client would send; ``seats``: 2..5."""
    options: dict[str, object] = {}
    if pick.below(4):
        options["trail"] = _some_trail(pick)
    if pick.below(2):
        options["movement_deck"] = _some_movement_deck(pick)
    if pick.below(2):
        options["dance_deck"] = {kind: _some_values(pick) for kind in CATEGORIES}
    if pick.below(2):
        options["token_value"] = 1 + pick.below(HIGHEST_VALUE)
    if pick.below(4):
        options["challenge"] = bool(pick.below(2))
    if pick.below(2):
        options["height_order"] = list(pick.shuffle(range(seats)))
    return options


def _some_trail(pick: Chance) -> str | list[str]:
    if pick.below(2):
        return "shuffled"
    return list(pick.shuffle([*SQUARES, *["street"] * STREETS]))


def _some_movement_deck(pick: Chance) -> list[int]:
    deck = [1 + pick.below(LONGEST_MOVE) for _card in range(MOVEMENT_CARDS)]
    while sum(deck) < HOME:
        deck[deck.index(min(deck))] += 1
    return deck


def _some_values(pick: Chance) -> list[int]:
    return [1 + pick.below(HIGHEST_VALUE) for _card in range(DANCE_CARDS)]
