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

from referee.core.game import Asker, CommandRules, Event, Steps
from referee.core.randomness import Chance
from referee.core.ruling import ruling
from referee.games.giants_dance.folds import (
    move_when_placed,
    next_to_place,
    placed_by,
    put,
    turn_over,
)
from referee.games.giants_dance.scoring import ground, highest, score_what_is_due
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
    seat = _seat(by)
    hand, stock = state.dance.hands[seat], state.stock.tokens[seat]
    return (
        _cards_short("rotate", hand, command.rotate)
        or _cards_short("parade", hand, command.parade)
        or _tokens_short("rotate", stock.rotate, command.rotate_tokens)
        or _tokens_short("parade", stock.parade, command.parade_tokens)
    )


def _cards_short(
    kind: Category, hand: tuple[DanceCard, ...], values: tuple[int, ...]
) -> str | None:
    held = [card.value for card in hand if card.kind == kind] if values else []
    for value in values:
        asked, had = values.count(value), held.count(value)
        if asked > had:
            return f"You hold {had} {kind} cards of value {value}; this dance takes {asked}."
    return None


def _tokens_short(kind: Category, had: int, asked: int) -> str | None:
    if 0 <= asked <= had:
        return None
    return f"You have {had} {kind} tokens in stock; {asked} cannot be danced with."


@ruling("overbid")
def overbid(state: State, by: Asker, command: Dance) -> str | None:
    """On the five squares each category danced must sum to more than the highest there."""
    place = _place(state, _seat(by))
    if place in ("street", "market"):
        return None
    return _first(_too_low(state, place, command, kind) for kind in CATEGORIES)


def _too_low(state: State, place: str, command: Dance, kind: Category) -> str | None:
    laid, best = _total(state, command, kind), highest(_bids(state, place, kind))
    if laid == 0 or laid > best:
        return None
    return f"At {PLACE_NAMES[place]} {kind} stands at {best}: {laid} does not overbid it."


@ruling("market-exception")
def market_exception(state: State, by: Asker, command: Dance) -> str | None:
    """At the Market Square a category must be overbid only if all that is held of it could."""
    seat = _seat(by)
    if _place(state, seat) != "market":
        return None
    return _first(_could_overbid(state, seat, command, kind) for kind in CATEGORIES)


def _could_overbid(state: State, seat: int, command: Dance, kind: Category) -> str | None:
    laid, best = _total(state, command, kind), highest(_bids(state, "market", kind))
    if laid == 0 or laid > best:
        return None
    all_held = _holding(state, seat, kind)
    if all_held <= best:
        return None
    return (
        f"All your {kind} cards and tokens make {all_held} and would overbid the {best} at"
        f" the Market Square, so {laid} may not be laid."
    )


def _holding(state: State, seat: int, kind: Category) -> int:
    """What all own cards and tokens of a category make together."""
    stock = state.stock.tokens[seat]
    tokens = stock.rotate if kind == "rotate" else stock.parade
    cards = (card.value for card in state.dance.hands[seat] if card.kind == kind)
    return sum(cards) + tokens * state.token_value


def _first(details: Iterator[str | None]) -> str | None:
    return next((detail for detail in details if detail is not None), None)


def _place(state: State, seat: int) -> DancePlace:
    """What the seat's giant stands on."""
    return ground(state, state.fields[seat] or 0)


def _bids(state: State, place: str, kind: Category) -> tuple[Bid, ...]:
    bids: tuple[Bid, ...] = getattr(getattr(state.bids, place), kind)
    return bids


def _parts(command: Dance, kind: Category) -> tuple[tuple[int, ...], int]:
    """The values and the number of tokens that a command lays of one category."""
    if kind == "rotate":
        return command.rotate, command.rotate_tokens
    return command.parade, command.parade_tokens


def _total(state: State, command: Dance, kind: Category) -> int:
    values, tokens = _parts(command, kind)
    return sum(values) + tokens * state.token_value


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
    rotate, parade = (_laid(state, place, command, kind) for kind in CATEGORIES)
    return Danced(seat, place, rotate, parade) if rotate or parade else NoDance(seat)


def _laid(state: State, place: DancePlace, command: Dance, kind: Category) -> Laid | None:
    values, tokens = _parts(command, kind)
    total = _total(state, command, kind)
    if total == 0:
        return None
    overbids = place != "street" and total > highest(_bids(state, place, kind))
    return Laid(tuple(sorted(values)), tokens, total, overbids)


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
        decide=place,
        forms=placements,
    ),
    CommandRules(
        command=Move,
        phases=frozenset({"move"}),
        rulings=(card_in_hand,),
        decide=move,
        forms=moves,
    ),
    CommandRules(
        command=Dance,
        phases=frozenset({"dance"}),
        rulings=(three_cards, cards_held, overbid, market_exception),
        decide=dance,
        forms=dances,
    ),
)
"""Each command with its rulings in the page's order of judging."""
