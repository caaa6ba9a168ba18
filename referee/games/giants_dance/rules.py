"""The rules of a turn: what may be placed, played and danced, and what follows from it.

┌────────┬───┬───┬───┬────────┬── … ──┬────┬────┬────────┐
│ Market │ 1 │ 2 │ 3 │ Church │       │ 18 │ 19 │ Market │
│   0    │   │   │   │   4    │       │    │    │   20   │
└────────┴───┴───┴───┴────────┴── … ──┴────┴────┴────────┘
the last giant moves, may dance where it then stands, and refills its hands
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Final

from msgspec.structs import replace

from referee.core.game import Asker, CommandRules, Event, Steps, apart
from referee.core.randomness import Chance
from referee.core.ruling import ruling
from referee.games.giants_dance.folds import (
    move_when_placed,
    next_to_place,
    placed_by,
    put,
    turn_over,
)
from referee.games.giants_dance.scoring import bids_at, ground, highest, score_what_is_due
from referee.games.giants_dance.types import (
    CATEGORIES,
    HAND,
    HOME,
    KINDS,
    PLACE_NAMES,
    SQUARES,
    Bid,
    CardsDrawn,
    Category,
    ChallengePlaced,
    Dance,
    DanceCard,
    Danced,
    DancePlace,
    GiantMoved,
    Laid,
    Move,
    NoDance,
    PlaceChallenge,
    State,
    TokensTaken,
    TokensTurnedUp,
    TurnedToken,
)


def to_act(state: State) -> tuple[int, ...]:
    """The one seat that owes a command: it places, is last on the trail, or has just moved."""
    if state.phase == "move":
        return state.order[:1]
    seat = next_to_place(state) if state.phase == "challenge" else state.dancing
    return () if seat is None else (seat,)


def _seat(by: Asker) -> int:
    """The seat for which a command of the game is; the table lets nothing else through."""
    if by.seat is None:
        raise ValueError("a command of the game is always for a seat")
    return by.seat


# ---------------------------------------------------------------- challenge tokens


@ruling("challenge-place")
def challenge_place(state: State, by: Asker, command: PlaceChallenge) -> str | None:
    """One token of each kind a seat, at most one at a square, none at the Market Square."""
    if command.square == "market":
        return "No challenge token may lie at the Market Square."
    placed = placed_by(state, _seat(by))
    if any(square == command.square for square, _kind in placed):
        return f"You have a challenge token at {PLACE_NAMES[command.square]} already."
    if any(kind == command.kind for _square, kind in placed):
        return f"Your {command.kind} challenge token is placed already."
    return None


def place(_state: State, by: Asker, command: PlaceChallenge, _chance: Chance) -> Steps[State]:
    """The token is laid face down."""
    if command.square == "market":
        raise ValueError("challenge-place has refused this")
    return (yield ChallengePlaced(_seat(by), command.square, command.kind))


def placements(_state: State, _by: Asker) -> Iterator[PlaceChallenge]:
    """Every square with every kind."""
    return (PlaceChallenge(square, kind) for square in SQUARES for kind in KINDS)


# ---------------------------------------------------------------- moving


@ruling("card-in-hand")
def card_in_hand(state: State, by: Asker, command: Move) -> str | None:
    """Only the value of a movement card in hand is played."""
    hand = state.movement.hands[_seat(by)]
    if command.card in hand:
        return None
    held = ", ".join(map(str, sorted(hand))) or "none"
    return f"You hold no movement card of value {command.card}; your values are {held}."


def move(state: State, by: Asker, command: Move, _chance: Chance) -> Steps[State]:
    """The giant walks the exact value, though never past field 20, and takes what is its own.

    ``move-exact``, ``queue``, ``tokens``.
    """
    seat = _seat(by)
    start = state.fields[seat] or 0
    to = min(start + command.card, HOME)
    state = yield GiantMoved(seat, command.card, start, to)
    lying = [token for token in state.street_tokens if token.field == to]
    face_down = tuple(TurnedToken(one.owner, one.kind) for one in lying if one.face == "down")
    if face_down:
        state = yield TokensTurnedUp(to, face_down)
    own = [token.kind for token in lying if token.owner == seat]
    if own:
        state = yield TokensTaken(seat, to, own.count("rotate"), own.count("parade"))
    return state


def moves(state: State, by: Asker) -> Iterator[Move]:
    """Each movement value in hand once, ascending."""
    return map(Move, sorted(set(state.movement.hands[_seat(by)])))


# ---------------------------------------------------------------- dancing


@ruling("three-cards")
def three_cards(_state: State, _by: Asker, command: Dance) -> str | None:
    """At most three dance cards in a dance, both categories together."""
    cards = len(command.rotate) + len(command.parade)
    if cards <= HAND:
        return None
    return f"A dance has at most {HAND} dance cards of both categories together, not {cards}."


@ruling("cards-held")
def cards_held(state: State, by: Asker, command: Dance) -> str | None:
    """Only cards in hand and tokens in stock are danced with."""
    hand, stock = state.dance.hands[_seat(by)], state.stock.tokens[_seat(by)]
    return (
        _cards_short("rotate", hand, command.rotate)
        or _cards_short("parade", hand, command.parade)
        or _tokens_short("rotate", stock.rotate, command.rotate_tokens)
        or _tokens_short("parade", stock.parade, command.parade_tokens)
    )


def _cards_short(
    kind: Category, hand: tuple[DanceCard, ...], values: tuple[int, ...]
) -> str | None:
    if not values:
        return None
    held = [card.value for card in hand if card.kind == kind]
    for value in values:
        asked, had = values.count(value), held.count(value)
        if asked > had:
            return f"{kind.capitalize()} cards of value {value} in your hand: {had}, not {asked}."
    return None


def _tokens_short(kind: Category, had: int, asked: int) -> str | None:
    if 0 <= asked <= had:
        return None
    return f"{kind.capitalize()} tokens in your stock: {had}, not {asked}."


@ruling("overbid")
def overbid(state: State, by: Asker, command: Dance) -> str | None:
    """On the five squares each category danced must sum to more than the highest there."""
    place = _place(state, _seat(by))
    if place in ("street", "market"):
        return None
    rotate, parade = _sums(state, command)
    bids = bids_at(state, place)
    return _too_low("rotate", rotate, bids.rotate, place) or _too_low(
        "parade", parade, bids.parade, place
    )


def _too_low(kind: Category, laid: int, bids: tuple[Bid, ...], place: str) -> str | None:
    if laid == 0 or laid > (best := highest(bids)):
        return None
    return f"At {PLACE_NAMES[place]} {kind} stands at {best}: {laid} does not overbid it."


@ruling("market-exception")
def market_exception(state: State, by: Asker, command: Dance) -> str | None:
    """At the Market Square a category must be overbid only if all that is held of it could."""
    seat = _seat(by)
    if _place(state, seat) != "market":
        return None
    rotate, parade = _sums(state, command)
    bids = state.bids.market
    return _spared("rotate", rotate, bids.rotate, state, seat) or _spared(
        "parade", parade, bids.parade, state, seat
    )


def _spared(
    kind: Category, laid: int, bids: tuple[Bid, ...], state: State, seat: int
) -> str | None:
    if laid == 0 or laid > (best := highest(bids)):
        return None
    all_held = _holding(state, seat, kind)
    if all_held <= best:
        return None
    return (
        f"All your {kind} cards and tokens make {all_held} and would overbid the {best},"
        f" so {laid} is too little."
    )


def _holding(state: State, seat: int, kind: Category) -> int:
    """What all own cards and tokens of a category make together."""
    stock = state.stock.tokens[seat]
    tokens = stock.rotate if kind == "rotate" else stock.parade
    total = tokens * state.token_value
    for card in state.dance.hands[seat]:
        if card.kind == kind:
            total += card.value
    return total


def _place(state: State, seat: int) -> DancePlace:
    """What the seat's giant stands on."""
    return ground(state, state.fields[seat] or 0)


def _sums(state: State, command: Dance) -> tuple[int, int]:
    """What a dance lays of rotate and of parade, cards and tokens together."""
    value = state.token_value
    return (
        sum(command.rotate) + command.rotate_tokens * value,
        sum(command.parade) + command.parade_tokens * value,
    )


def dance(state: State, by: Asker, command: Dance, _chance: Chance) -> Steps[State]:
    """The dance, the draw, and the scoring of what is due (``dance-once``, ``when-scored``)."""
    seat = _seat(by)
    state = yield _as_danced(state, seat, command)
    drawn = _refill(state, seat)
    if drawn is not None:
        state = yield drawn
    return (yield from score_what_is_due(state))


def _as_danced(state: State, seat: int, command: Dance) -> Event:
    place = _place(state, seat)
    rotate, parade = _sums(state, command)
    if not rotate and not parade:
        return NoDance(seat)
    rotate_overbid, parade_overbid = _overbids(state, place, rotate, parade)
    return Danced(
        seat,
        place,
        _laid(command.rotate, command.rotate_tokens, rotate, rotate_overbid),
        _laid(command.parade, command.parade_tokens, parade, parade_overbid),
    )


def _overbids(state: State, place: DancePlace, rotate: int, parade: int) -> tuple[bool, bool]:
    if place == "street":
        return False, False
    bids = bids_at(state, place)
    return rotate > highest(bids.rotate), parade > highest(bids.parade)


def _laid(values: tuple[int, ...], tokens: int, total: int, overbids: bool) -> Laid | None:  # noqa: FBT001
    return Laid(tuple(sorted(values)), tokens, total, overbids) if total else None


def _refill(state: State, seat: int) -> CardsDrawn | None:
    """What fills both hands up to three, as far as the piles go (``refill``, ``home``)."""
    if state.fields[seat] == HOME:
        return None
    movement, dancing = state.movement, state.dance
    walks = movement.piles[seat][: HAND - movement.hand_counts[seat]]
    dances = dancing.piles[seat][: HAND - dancing.hand_counts[seat]]
    return CardsDrawn(seat, walks, dances) if walks or dances else None


def dances(state: State, by: Asker) -> Iterator[Dance]:
    """Every different choice of held cards and tokens, values ascending; none first."""
    hand, stock = state.dance.hands[_seat(by)], state.stock.tokens[_seat(by)]
    rotates, parades = (
        _choices(tuple(sorted(card.value for card in hand if card.kind == kind)))
        for kind in CATEGORIES
    )
    return (
        Dance(rotate, parade, rotate_tokens, parade_tokens)
        for rotate in rotates
        for parade in parades
        for rotate_tokens in range(stock.rotate + 1)
        for parade_tokens in range(stock.parade + 1)
    )


@cache
def _choices(values: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every different part of some ascending values, in lexicographic order."""
    sizes = range(len(values) + 1)
    return tuple(sorted({part for size in sizes for part in combinations(values, size)}))


# ---------------------------------------------------------------- withdrawal


def leave(state: State, seat: int) -> State:
    """The giant leaves the trail; bids, cards and tokens stay as they are.

    Its own turn ends at once. With one seat left the match is over and nothing more is scored.
    """
    acting = to_act(state) == (seat,)
    left = replace(
        state,
        fields=put(state.fields, seat, None),
        order=tuple(other for other in state.order if other != seat),
    )
    if seats_left(left) == 1:
        return replace(left, phase="over", dancing=None)
    if left.phase == "challenge":
        return move_when_placed(left)
    return turn_over(left) if acting else left


def seats_left(state: State) -> int:
    """How many seats have not withdrawn."""
    return len(state.fields) - state.fields.count(None)


def after_leaving(state: State, _by: Asker, _chance: Chance) -> Steps[State]:
    """What falls due by a withdrawal: at once if no turn is running, else at the turn's end."""
    if state.phase == "dance" or seats_left(state) == 1:
        return state
    return (yield from score_what_is_due(state))


# ---------------------------------------------------------------- the commands

COMMANDS: Final = (
    CommandRules(
        command=PlaceChallenge,
        phases=frozenset({"challenge"}),
        rulings=(challenge_place,),
        decide=apart(place),
        forms=placements,
    ),
    CommandRules(
        command=Move,
        phases=frozenset({"move"}),
        rulings=(card_in_hand,),
        decide=apart(move),
        forms=moves,
    ),
    CommandRules(
        command=Dance,
        phases=frozenset({"dance"}),
        rulings=(three_cards, cards_held, overbid, market_exception),
        decide=apart(dance),
        forms=dances,
    ),
)
"""Each command with its rulings in the page's order of judging."""
