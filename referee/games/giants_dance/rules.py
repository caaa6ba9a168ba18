"""The rules of giants-dance: its rulings, and the story of each command.

    ┌────────┬───┬───┬───┬────────┬── … ──┬────┬────┬────────┐
    │ Market │ 1 │ 2 │ 3 │ Church │       │ 18 │ 19 │ Market │
    │   0    │   │   │   │   4    │       │    │    │   20   │
    └────────┴───┴───┴───┴────────┴── … ──┴────┴────┴────────┘

The last giant moves, may dance where it then stands, and refills its hands.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product, starmap
from typing import Final

from referee.core.game import Asker, At, Event, Outcome, Steps, ranked, rules_for
from referee.core.ruling import ruling
from referee.core.seats import still_in
from referee.games.giants_dance import events
from referee.games.giants_dance.scoring import score_what_is_due
from referee.games.giants_dance.types import (
    CATEGORIES,
    HAND,
    HOME,
    KINDS,
    PLACE_NAMES,
    SQUARES,
    Bid,
    Category,
    Dance,
    DanceCard,
    DancePlace,
    Move,
    PlaceChallenge,
    State,
    of,
)

# ── Rulings on challenges and moves ───────────────────────────────────────────────────────────────


@ruling("challenge-place")
def challenge_place(state: State, by: Asker, command: PlaceChallenge) -> str | None:
    """One token of each kind a seat, at most one at a square, none at the Market Square."""
    if command.square == "market":
        return "No challenge token may lie at the Market Square."
    placed = state.placed_by(by.own)
    if any(square == command.square for square, _kind in placed):
        return f"You have a challenge token at {PLACE_NAMES[command.square]} already."
    if any(kind == command.kind for _square, kind in placed):
        return f"Your {command.kind} challenge token is placed already."
    return None


@ruling("card-in-hand")
def card_in_hand(state: State, by: Asker, command: Move) -> str | None:
    """Only the value of a movement card in hand is played."""
    hand = state.movement.hands[by.own]
    if command.card in hand:
        return None
    held = ", ".join(map(str, sorted(hand))) or "none"
    return f"You hold no movement card of value {command.card}; your values are {held}."


# ── Rulings on dances ─────────────────────────────────────────────────────────────────────────────


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
    hand, stock = state.dance.hands[by.own], state.stock.tokens[by.own]
    for kind in CATEGORIES:
        values = of(command, kind)
        for value in values:
            asked, had = values.count(value), hand.count(DanceCard(kind, value))
            if asked > had:
                return f"{kind.title()} cards of value {value} in your hand: {had}, not {asked}."
    if not 0 <= command.rotate_tokens <= stock.rotate:
        return f"Rotate tokens in your stock: {stock.rotate}, not {command.rotate_tokens}."
    if not 0 <= command.parade_tokens <= stock.parade:
        return f"Parade tokens in your stock: {stock.parade}, not {command.parade_tokens}."
    return None


@ruling("overbid")
def overbid(state: State, by: Asker, command: Dance) -> str | None:
    """On the five squares each category danced must sum to more than the highest there."""
    place = state.place_of(by.own)
    if place == "market":
        return None
    for kind, laid, best in _too_low(state, place, command):
        return f"At {PLACE_NAMES[place]} {kind} stands at {best}: {laid} does not overbid it."
    return None


@ruling("market-exception")
def market_exception(state: State, by: Asker, command: Dance) -> str | None:
    """At the Market Square a category must be overbid only if all that is held of it could."""
    if state.place_of(by.own) != "market":
        return None
    for kind, laid, best in _too_low(state, "market", command):
        all_held = _holding(state, by.own, kind)
        if all_held > best:
            return (
                f"All your {kind} cards and tokens make {all_held} and would overbid the {best},"
                f" so {laid} is too little."
            )
    return None


def _too_low(
    state: State, place: DancePlace, command: Dance
) -> Iterator[tuple[Category, int, int]]:
    """Each category danced that does not overbid, with its sum and the highest there so far."""
    if place == "street":
        return
    bids = state.bids.at(place)
    for kind in CATEGORIES:
        laid = command.sum_of(kind, state.token_value)
        if laid and laid <= (best := highest(of(bids, kind))):
            yield kind, laid, best


def highest(bids: tuple[Bid, ...]) -> int:
    """The highest sum laid in a category so far, 0 where nobody has danced it."""
    best = 0
    for bid in bids:  # a plain loop: asked for every form of a legal list
        best = max(best, bid.sum)
    return best


def _holding(state: State, seat: int, kind: Category) -> int:
    """What all own cards and tokens of a category make together."""
    cards = sum(card.value for card in state.dance.hands[seat] if card.kind == kind)
    return cards + of(state.stock.tokens[seat], kind) * state.token_value


# ── What could be commanded ───────────────────────────────────────────────────────────────────────


def placements(_state: State, _by: Asker) -> Iterator[PlaceChallenge]:
    """Every square with every kind."""
    return starmap(PlaceChallenge, product(SQUARES, KINDS))


def moves(state: State, by: Asker) -> Iterator[Move]:
    """Each movement value in hand once, ascending."""
    return map(Move, sorted(set(state.movement.hands[by.own])))


def dances(state: State, by: Asker) -> Iterator[Dance]:
    """Every different choice of held cards and tokens, values ascending; none first."""
    hand, stock = state.dance.hands[by.own], state.stock.tokens[by.own]
    rotates, parades = (
        _choices(tuple(sorted(card.value for card in hand if card.kind == kind)))
        for kind in CATEGORIES
    )
    tokens = range(stock.rotate + 1), range(stock.parade + 1)
    return starmap(Dance, product(rotates, parades, *tokens))


@cache
def _choices(values: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every different part of some ascending values, in lexicographic order."""
    sizes = range(len(values) + 1)
    return tuple(sorted({part for size in sizes for part in combinations(values, size)}))


# ── Stories ───────────────────────────────────────────────────────────────────────────────────────


def place(at: At[State], command: PlaceChallenge) -> Steps[State]:
    """The token is laid face down."""
    square = next(square for square in SQUARES if square == command.square)
    return (yield events.ChallengePlaced(at.seat, square, command.kind))


def move(at: At[State], command: Move) -> Steps[State]:
    """The giant walks the exact value, though never past field 20, and takes what is its own.

    `move-exact`, `queue`, `tokens`.
    """
    seat = at.seat
    start = at.state.field_of(seat)
    to = min(start + command.card, HOME)
    state = yield events.GiantMoved(seat, command.card, start, to)
    lying = [token for token in state.street_tokens if token.field == to]
    down = [events.TurnedToken(token.owner, token.kind) for token in lying if token.face == "down"]
    if down:
        state = yield events.TokensTurnedUp(to, tuple(down))
    own = [token.kind for token in lying if token.owner == seat]
    if own:
        state = yield events.TokensTaken(seat, to, own.count("rotate"), own.count("parade"))
    return state


def dance(at: At[State], command: Dance) -> Steps[State]:
    """The dance, the draw, and the scoring of what is due (`dance-once`, `when-scored`)."""
    seat = at.seat
    state = yield as_danced(at.state, seat, command)
    drawn = refill(state, seat)
    if drawn is not None:
        state = yield drawn
    return (yield from score_what_is_due(state))


def as_danced(state: State, seat: int, command: Dance) -> Event:
    """What is laid where the giant stands; of nothing at all it is no dance."""
    ground = state.place_of(seat)
    laid = [laid_of(state, ground, kind, command) for kind in CATEGORIES]
    return events.Danced(seat, ground, *laid) if any(laid) else events.NoDance(seat)


def laid_of(state: State, ground: DancePlace, kind: Category, command: Dance) -> events.Laid | None:
    """What a dance lays of one category, None where that is nothing."""
    total = command.sum_of(kind, state.token_value)
    if not total:
        return None
    overbids = ground != "street" and total > highest(of(state.bids.at(ground), kind))
    tokens = command.rotate_tokens if kind == "rotate" else command.parade_tokens
    return events.Laid(tuple(sorted(of(command, kind))), tokens, total, overbids)


def refill(state: State, seat: int) -> events.CardsDrawn | None:
    """What fills both hands up to three, as far as the piles go (`refill`, `home`)."""
    if state.fields[seat] == HOME:
        return None
    movement, dancing = state.movement, state.dance
    walks = movement.piles[seat][: HAND - movement.hand_counts[seat]]
    steps = dancing.piles[seat][: HAND - dancing.hand_counts[seat]]
    return events.CardsDrawn(seat, walks, steps) if walks or steps else None


def after_leaving(at: At[State]) -> Steps[State]:
    """What falls due by a withdrawal: at once if no turn is running, else at the turn's end."""
    if at.state.phase == "dance" or len(still_in(at.state.withdrawn)) == 1:
        return at.state
    return (yield from score_what_is_due(at.state))


# ── Questions ─────────────────────────────────────────────────────────────────────────────────────


def to_act(state: State) -> tuple[int, ...]:
    """The one seat that owes a command: it places, is last on the trail, or has just moved."""
    if state.phase == "move":
        return state.order[:1]
    seat = state.next_to_place() if state.phase == "challenge" else state.dancing
    return () if seat is None else (seat,)


def outcome(state: State) -> Outcome | None:
    """How the match ended, or None: by points and four tie-breaks (`winner`)."""
    if state.phase != "over":
        return None
    left = still_in(state.withdrawn)
    counts = (
        state.points,
        state.challenges_won,
        state.double_dances,
        state.market_wins,
        state.street_wins,
    )
    scores = {seat: tuple(count[seat] for count in counts) for seat in left}
    ranking = ranked(scores, dict(enumerate(state.points)))
    return Outcome("withdrawal" if len(left) == 1 else "played-out", tuple(ranking))


DANCING: Final = (three_cards, cards_held, overbid, market_exception)
COMMANDS: Final = (
    rules_for(PlaceChallenge, "challenge", place, challenge_place, forms=placements),
    rules_for(Move, "move", move, card_in_hand, forms=moves),
    rules_for(Dance, "dance", dance, *DANCING, forms=dances),
)
