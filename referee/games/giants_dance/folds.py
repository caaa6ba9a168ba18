"""How each event changes the state. Recorded events are facts: nothing here refuses.

Events carry outcomes, so folding draws nothing. A turn ends with ``danced`` or ``no_dance``:
that fold already hands the turn on, and what follows in the commit (cards drawn, squares
scored) does not depend on whose turn it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from referee.core.game import Event
from referee.games.giants_dance.types import (
    CATEGORIES,
    HOME,
    SQUARES,
    Bid,
    Bids,
    CardsDrawn,
    Category,
    ChallengePlaced,
    ChallengeToken,
    ChallengeTokens,
    DanceCard,
    DanceCards,
    Danced,
    GiantMoved,
    Laid,
    Movement,
    NoDance,
    SetUp,
    SquareScored,
    State,
    Stock,
    StreetDance,
    StreetScored,
    Tokens,
    TokensTaken,
    TokensTurnedUp,
)

T = TypeVar("T")

CHALLENGES: Final = 3
"""Challenge tokens a seat, and so rounds of placing."""
STREET_DANCED: Final = 1
"""Points for having danced on the street; whoever won there has more."""


def put(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """The tuple with ``item`` in place ``index``."""
    return (*items[:index], item, *items[index + 1 :])


def without_first(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    """The tuple without the first occurrence of ``item``, which must be in it."""
    index = items.index(item)
    return items[:index] + items[index + 1 :]


def _counts(hands: Sequence[Sequence[object]]) -> tuple[int, ...]:
    return tuple(map(len, hands))


# ---------------------------------------------------------------- set-up and challenges


def set_up(state: State, event: SetUp) -> State:
    """The trail is laid out, hands and piles are dealt, the tokens lie on the streets."""
    walking, dancing = zip(*((hand.movement, hand.dance) for hand in event.hands), strict=True)
    moves, dances = zip(*((pile.movement, pile.dance) for pile in event.piles), strict=True)
    return replace(
        state,
        trail=event.trail,
        movement=Movement(walking, _counts(walking), moves, _counts(moves), state.movement.played),
        dance=DanceCards(dancing, _counts(dancing), dances, _counts(dances)),
        street_tokens=event.street_tokens,
    )


def challenge_placed(state: State, event: ChallengePlaced) -> State:
    """The token lies face down; after everyone's third the first move is due."""
    token = ChallengeToken(event.seat, event.kind, "down")
    tokens = tokens_at(state.challenge_tokens, event.square)
    laid = _challenges_with(state.challenge_tokens, event.square, (*tokens, token))
    return move_when_placed(replace(state, challenge_tokens=laid))


def tokens_at(challenges: ChallengeTokens, square: str) -> tuple[ChallengeToken, ...]:
    """The challenge tokens on one of the five squares, in the order laid."""
    tokens: tuple[ChallengeToken, ...] = getattr(challenges, square)
    return tokens


def _challenges_with(
    challenges: ChallengeTokens, square: str, tokens: tuple[ChallengeToken, ...]
) -> ChallengeTokens:
    return replace(challenges, **{square: tokens})


def placed_by(state: State, seat: int) -> list[tuple[str, str]]:
    """The challenge tokens that a seat has laid, as (square, kind), in the order of squares."""
    return [
        (square, token.kind)
        for square in SQUARES
        for token in tokens_at(state.challenge_tokens, square)
        if token.seat == seat
    ]


def next_to_place(state: State) -> int | None:
    """The seat that places a challenge token now: the fewest laid, then the biggest; or None.

    On the Market Square ``order`` is from biggest to smallest, withdrawn seats left out.
    """
    laid = {seat: len(placed_by(state, seat)) for seat in state.order}
    seat = min(state.order, key=laid.__getitem__)
    return seat if laid[seat] < CHALLENGES else None


def move_when_placed(state: State) -> State:
    """The phase goes on to the first move once every seat still in has placed its tokens."""
    return replace(state, phase="move") if next_to_place(state) is None else state


# ---------------------------------------------------------------- a move


def giant_moved(state: State, event: GiantMoved) -> State:
    """The card is played face up, the giant stands behind all others there, and may dance."""
    seat, cards = event.seat, state.movement
    fields = put(state.fields, seat, event.to)
    hands = put(cards.hands, seat, without_first(cards.hands[seat], event.card))
    played = put(cards.played, seat, (*cards.played[seat], event.card))
    return replace(
        state,
        phase="dance",
        dancing=seat,
        fields=fields,
        order=queued(state.order, fields, seat),
        movement=replace(cards, hands=hands, hand_counts=_counts(hands), played=played),
    )


def queued(order: tuple[int, ...], fields: tuple[int | None, ...], seat: int) -> tuple[int, ...]:
    """The order, last to first, after ``seat`` came to its field: behind all who stand there."""
    others = tuple(other for other in order if other != seat)
    to = fields[seat]
    if to is None or to == HOME:
        return others
    place = sum((fields[other] or 0) < to for other in others)
    return (*others[:place], seat, *others[place:])


def tokens_turned_up(state: State, event: TokensTurnedUp) -> State:
    """The tokens of the street lie face up."""
    tokens = tuple(
        replace(token, face="up") if token.field == event.field else token
        for token in state.street_tokens
    )
    return replace(state, street_tokens=tokens)


def tokens_taken(state: State, event: TokensTaken) -> State:
    """The giant's own tokens go from the street to its stock."""
    own = (event.field, event.seat)
    left = tuple(token for token in state.street_tokens if (token.field, token.owner) != own)
    stock = _stocked(state.stock, event.seat, event.rotate, event.parade)
    return replace(state, street_tokens=left, stock=stock)


def _stocked(stock: Stock, seat: int, rotate: int, parade: int) -> Stock:
    had = stock.tokens[seat]
    tokens = Tokens(had.rotate + rotate, had.parade + parade)
    return Stock(
        put(stock.tokens, seat, tokens), put(stock.counts, seat, tokens.rotate + tokens.parade)
    )


# ---------------------------------------------------------------- a dance


def danced(state: State, event: Danced) -> State:
    """Cards and tokens leave hand and stock for the place; the turn is over."""
    laid: list[tuple[Category, Laid | None]] = [(kind, of_kind(event, kind)) for kind in CATEGORIES]
    cards = tuple(DanceCard(kind, value) for kind, part in laid if part for value in part.values)
    rotate, parade = (part.tokens if part else 0 for _kind, part in laid)
    shown = _on_street(state, event) if event.place == "street" else _on_square(state, event)
    return turn_over(
        replace(
            shown,
            dance=_hand_without(state.dance, event.seat, cards),
            stock=_stocked(state.stock, event.seat, -rotate, -parade),
        )
    )


def of_kind(event: Danced, kind: Category) -> Laid | None:
    """What a dance laid of one category."""
    return event.rotate if kind == "rotate" else event.parade


def _hand_without(dance: DanceCards, seat: int, cards: tuple[DanceCard, ...]) -> DanceCards:
    hand = dance.hands[seat]
    for card in cards:
        hand = without_first(hand, card)
    hands = put(dance.hands, seat, hand)
    return replace(dance, hands=hands, hand_counts=_counts(hands))


def _on_street(state: State, event: Danced) -> State:
    street, seat = state.street_dance, event.seat
    laid = sum(part.sum for part in (event.rotate, event.parade) if part)
    sums = put(street.sums, seat, street.sums[seat] + laid)
    return replace(state, street_dance=StreetDance(sums, put(street.danced, seat, True)))  # noqa: FBT003


def _on_square(state: State, event: Danced) -> State:
    place = getattr(state.bids, event.place)
    for kind in CATEGORIES:
        part = of_kind(event, kind)
        if part is not None:
            bid = Bid(event.seat, part.sum, part.overbid, part.values, part.tokens)
            place = replace(place, **{kind: (*getattr(place, kind), bid)})
    bids: Bids = replace(state.bids, **{event.place: place})
    return replace(state, bids=bids)


def no_dance(state: State, _event: NoDance) -> State:
    """Nothing is laid; the turn is over."""
    return turn_over(state)


def turn_over(state: State) -> State:
    """The next turn begins, or none where nobody is left on the trail."""
    if not state.order:
        return replace(state, phase="over", dancing=None)
    return replace(state, phase="move", dancing=None, turn=state.turn + 1)


def cards_drawn(state: State, event: CardsDrawn) -> State:
    """The cards go from the tops of the piles to the ends of the hands."""
    return replace(
        state,
        movement=_drawn(state.movement, event.seat, event.movement),
        dance=_drawn(state.dance, event.seat, event.dance),
    )


_Held = TypeVar("_Held", Movement, DanceCards)


def _drawn(cards: _Held, seat: int, drawn: tuple[Any, ...]) -> _Held:
    hands: tuple[Any, ...] = put(cards.hands, seat, cards.hands[seat] + drawn)
    piles: tuple[Any, ...] = put(cards.piles, seat, cards.piles[seat][len(drawn) :])
    return replace(
        cards, hands=hands, hand_counts=_counts(hands), piles=piles, pile_counts=_counts(piles)
    )


# ---------------------------------------------------------------- scoring


def _raised(counts: tuple[int, ...], rows: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """The counts by seat with each (seat, by how much) added."""
    raised = list(counts)
    for seat, more in rows:
        raised[seat] += more
    return tuple(raised)


def square_scored(state: State, event: SquareScored) -> State:
    """Points are moved, won challenges lie face up, and the tie-breaks are counted."""
    rows, won = event.points, event.challenges_turned_up
    points = [(row.seat, row.dancing + row.winning + row.double + row.challenge) for row in rows]
    return replace(
        state,
        scored=(*state.scored, event.square),
        points=_raised(state.points, points),
        double_dances=_raised(state.double_dances, [(row.seat, row.double) for row in rows]),
        challenges_won=_raised(state.challenges_won, [(token.seat, 1) for token in won]),
        market_wins=_raised(state.market_wins, _market_wins(event)),
        challenge_tokens=_with_won(state.challenge_tokens, event)
        if won
        else state.challenge_tokens,
    )


def _market_wins(event: SquareScored) -> list[tuple[int, int]]:
    winners = (event.winners.rotate, event.winners.parade)
    return [(seat, 1) for seat in winners if seat is not None and event.square == "market"]


def _with_won(challenges: ChallengeTokens, event: SquareScored) -> ChallengeTokens:
    won = {token.seat for token in event.challenges_turned_up}
    tokens = tuple(
        replace(token, face="up") if token.seat in won else token
        for token in tokens_at(challenges, event.square)
    )
    return _challenges_with(challenges, event.square, tokens)


def street_scored(state: State, event: StreetScored) -> State:
    """The last points are moved, and the match is over."""
    rows = tuple(enumerate(event.points))
    return replace(
        state,
        phase="over",
        points=_raised(state.points, rows),
        street_wins=tuple(int(points > STREET_DANCED) for points in event.points),
    )


FOLDS: Final[Mapping[type[Event], Callable[[Any, Any], State]]] = {
    SetUp: set_up,
    ChallengePlaced: challenge_placed,
    GiantMoved: giant_moved,
    TokensTurnedUp: tokens_turned_up,
    TokensTaken: tokens_taken,
    Danced: danced,
    NoDance: no_dance,
    CardsDrawn: cards_drawn,
    SquareScored: square_scored,
    StreetScored: street_scored,
}
"""Each event with the function that folds it."""
