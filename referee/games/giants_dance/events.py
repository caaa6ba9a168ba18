"""The events of giants-dance, and what each changes: a recorded event is a fact.

Events carry outcomes, so folding draws nothing. A turn ends with `danced` or `no_dance`: that
fold already hands the turn on, and what follows in the commit (cards drawn, squares scored) does
not depend on whose turn it is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from referee.core.game import Event, EventRules, Events, SeatEvent, put
from referee.core.seats import still_in, without_first
from referee.core.visibility import (
    OwnEntry,
    Public,
    Scope,
    SecretEntries,
    ToSeat,
    ToSeatMasked,
    is_own,
    seen_if,
)
from referee.games.giants_dance.types import (
    CATEGORIES,
    HOME,
    Bid,
    Category,
    ChallengeToken,
    ChallengeTokens,
    DanceCard,
    DanceCards,
    DancePlace,
    Ground,
    Kind,
    Movement,
    Place,
    Square,
    State,
    Stock,
    StreetDance,
    StreetToken,
    Tokens,
    of,
)

Held = TypeVar("Held", Movement, DanceCards)

STREET_DANCED: Final = 1
"""Points for having danced on the street; whoever won there has more."""


# ── Hands, piles and stocks, each with its count ──────────────────────────────────────────────────


def held(cards: Held, hands: Sequence[Any], piles: Sequence[Any]) -> Held:
    """The cards with these hands and piles by seat."""
    return replace(
        cards,
        hands=tuple(hands),
        hand_counts=tuple(map(len, hands)),
        piles=tuple(piles),
        pile_counts=tuple(map(len, piles)),
    )


def stocked(stock: Stock, seat: int, rotate: int = 0, parade: int = 0) -> Stock:
    """The stock with so many tokens more of one seat."""
    had = stock.tokens[seat]
    tokens = Tokens(had.rotate + rotate, had.parade + parade)
    count = tokens.rotate + tokens.parade
    return Stock(put(stock.tokens, seat, tokens), put(stock.counts, seat, count))


# ── Set-up and challenges ─────────────────────────────────────────────────────────────────────────


class Cards(Struct, frozen=True, gc=False):
    """Movement and dance cards of one giant."""

    movement: Public[tuple[int, ...]]
    dance: Public[tuple[DanceCard, ...]]


class SetUp(Event, frozen=True):
    """The trail, the hands and piles by seat, and the tokens on the streets, as dealt."""

    trail: Public[tuple[Ground, ...]]
    hands: OwnEntry[tuple[Cards, ...]]
    piles: SecretEntries[tuple[Cards, ...]]
    street_tokens: Public[tuple[StreetToken, ...]]


def set_up(state: State, event: SetUp) -> State:
    """The trail is laid out, hands and piles are dealt, the tokens lie on the streets."""
    hands, piles = event.hands, event.piles
    return replace(
        state,
        trail=event.trail,
        movement=held(state.movement, [h.movement for h in hands], [p.movement for p in piles]),
        dance=held(state.dance, [h.dance for h in hands], [p.dance for p in piles]),
        street_tokens=event.street_tokens,
    )


class PilesShuffled(Event, frozen=True):
    """Piles lie in a new order, by seat, after a take-back; None: as it was."""

    movement: SecretEntries[tuple[tuple[int, ...] | None, ...]]
    dance: SecretEntries[tuple[tuple[DanceCard, ...] | None, ...]]


def piles_shuffled(state: State, event: PilesShuffled) -> State:
    """The same cards in another order, in those piles that are named."""
    return replace(
        state,
        movement=_piled_anew(state.movement, event.movement),
        dance=_piled_anew(state.dance, event.dance),
    )


def _piled_anew(cards: Held, piles: Sequence[Any]) -> Held:
    pairs = zip(cards.piles, piles, strict=True)
    return held(cards, cards.hands, [was if anew is None else anew for was, anew in pairs])


class ChallengePlaced(SeatEvent, frozen=True):
    """A challenge token was laid face down."""

    square: Public[Square]
    kind: ToSeat[Kind]


def challenge_placed(state: State, event: ChallengePlaced) -> State:
    """The token lies face down; after everyone's third the first move is due."""
    tokens = state.challenge_tokens
    laid = (*tokens.at(event.square), ChallengeToken(event.seat, event.kind, "down"))
    return move_when_placed(replace(state, challenge_tokens=tokens.put(event.square, laid)))


def move_when_placed(state: State) -> State:
    """The phase goes on to the first move once every seat still in has placed its tokens."""
    return replace(state, phase="move") if state.next_to_place() is None else state


# ── A move ────────────────────────────────────────────────────────────────────────────────────────


class GiantMoved(SeatEvent, frozen=True):
    """A giant moved by a card; `to` is 20 at most."""

    card: Public[int]
    from_: Public[int] = field(name="from")
    to: Public[int]


def giant_moved(state: State, event: GiantMoved) -> State:
    """The card is played face up, the giant stands behind all others there, and may dance."""
    seat, cards = event.seat, state.movement
    hands = put(cards.hands, seat, without_first(cards.hands[seat], event.card))
    played = put(cards.played, seat, (*cards.played[seat], event.card))
    return replace(
        state,
        phase="dance",
        dancing=seat,
        fields=put(state.fields, seat, event.to),
        order=queued(state, seat, event.to),
        movement=replace(cards, hands=hands, hand_counts=tuple(map(len, hands)), played=played),
    )


def queued(state: State, seat: int, to: int) -> tuple[int, ...]:
    """The order, last to first, once `seat` has come to field `to`: behind all who stand there."""
    others = tuple([other for other in state.order if other != seat])
    if to == HOME:
        return others
    behind = sum([state.field_of(other) < to for other in others])
    return (*others[:behind], seat, *others[behind:])


class TurnedToken(Struct, frozen=True, gc=False):
    """A dance token turned up: whose it is, and its category."""

    owner: Public[int]
    kind: Public[Category]


class TokensTurnedUp(Event, frozen=True):
    """The face-down tokens of a street were turned up for all to see."""

    field: Public[int]
    tokens: Public[tuple[TurnedToken, ...]]


def tokens_turned_up(state: State, event: TokensTurnedUp) -> State:
    """The tokens of the street lie face up."""
    tokens = [
        replace(token, face="up") if token.field == event.field else token
        for token in state.street_tokens
    ]
    return replace(state, street_tokens=tuple(tokens))


class TokensTaken(SeatEvent, frozen=True):
    """A giant took all tokens of its own colour that lay on a street: how many of either kind."""

    field: Public[int]
    rotate: Public[int]
    parade: Public[int]


def tokens_taken(state: State, event: TokensTaken) -> State:
    """The giant's own tokens go from the street to its stock."""
    own = (event.field, event.seat)
    left = [token for token in state.street_tokens if (token.field, token.owner) != own]
    stock = stocked(state.stock, event.seat, event.rotate, event.parade)
    return replace(state, street_tokens=tuple(left), stock=stock)


# ── A dance ───────────────────────────────────────────────────────────────────────────────────────


def _is_own_or_on_a_square(holder: Any, scope: Scope) -> bool:
    return is_own(holder, scope) or bool(holder.place != "street")


class Laid(Struct, frozen=True, gc=False):
    """What was laid of one category: values ascending; `overbid` is false on the street."""

    values: Public[tuple[int, ...]]
    tokens: Public[int]
    sum: Public[int]
    overbid: Public[bool]


LaidByKind = Sequence[tuple[Category, Laid]]


class Danced(SeatEvent, frozen=True):
    """A giant danced; what it laid on the street is its own knowledge."""

    place: Public[DancePlace]
    rotate: Annotated[Laid | None, seen_if(_is_own_or_on_a_square)]
    parade: Annotated[Laid | None, seen_if(_is_own_or_on_a_square)]


def danced(state: State, event: Danced) -> State:
    """Cards and tokens leave hand and stock for the place; the turn is over."""
    seat, dance = event.seat, state.dance
    laid = [(kind, part) for kind in CATEGORIES if (part := of(event, kind)) is not None]
    hand = dance.hands[seat]
    for card in (DanceCard(kind, value) for kind, part in laid for value in part.values):
        hand = without_first(hand, card)
    tokens = {kind: -part.tokens for kind, part in laid}
    hands = put(dance.hands, seat, hand)
    left = replace(
        state,
        dance=replace(dance, hands=hands, hand_counts=tuple(map(len, hands))),
        stock=stocked(state.stock, seat, **tokens),
    )
    return turn_over(
        on_street(left, seat, laid)
        if event.place == "street"
        else on_square(left, seat, event.place, laid)
    )


def on_street(state: State, seat: int, laid: LaidByKind) -> State:
    """What a seat has laid is added to its one sum of the street."""
    street = state.street_dance
    sums = put(street.sums, seat, street.sums[seat] + sum(part.sum for _kind, part in laid))
    danced = put(street.danced, seat, value=True)
    return replace(state, street_dance=StreetDance(sums, danced))


def on_square(state: State, seat: int, place: Place, laid: LaidByKind) -> State:
    """What a seat has laid is a bid of either category at the place."""
    there = state.bids.at(place)
    for kind, part in laid:
        bid = Bid(seat, part.sum, part.overbid, part.values, part.tokens)
        there = replace(there, **{kind: (*of(there, kind), bid)})
    return replace(state, bids=state.bids.put(place, there))


class NoDance(SeatEvent, frozen=True):
    """A giant did not dance."""


def no_dance(state: State, _event: NoDance) -> State:
    """Nothing is laid; the turn is over."""
    return turn_over(state)


def turn_over(state: State) -> State:
    """The next turn begins, or none where nobody is left on the trail."""
    if not state.order:
        return replace(state, phase="over", dancing=None)
    return replace(state, phase="move", dancing=None, turn=state.turn + 1)


class CardsDrawn(SeatEvent, frozen=True):
    """A giant refilled its hands."""

    movement: ToSeatMasked[tuple[int, ...]]
    dance: ToSeatMasked[tuple[DanceCard, ...]]


def cards_drawn(state: State, event: CardsDrawn) -> State:
    """The cards go from the tops of the piles to the ends of the hands."""
    return replace(
        state,
        movement=drawn(state.movement, event.seat, event.movement),
        dance=drawn(state.dance, event.seat, event.dance),
    )


def drawn(cards: Held, seat: int, new: tuple[Any, ...]) -> Held:
    """The cards once a seat has drawn `new` from its pile."""
    if not new:
        return cards
    hands = put(cards.hands, seat, cards.hands[seat] + new)
    piles = put(cards.piles, seat, cards.piles[seat][len(new) :])
    return held(cards, hands, piles)


# ── Scoring ───────────────────────────────────────────────────────────────────────────────────────


class SquarePoints(Struct, frozen=True, gc=False):
    """The points of one seat at one place, by what they are for."""

    seat: Public[int]
    dancing: Public[int]
    winning: Public[int]
    double: Public[int]
    challenge: Public[int]


class Winners(Struct, frozen=True, gc=False):
    """Who won either category of a place; None where nobody did."""

    rotate: Public[int | None]
    parade: Public[int | None]


class TurnedChallenge(Struct, frozen=True, gc=False):
    """A challenge token turned up by its success."""

    seat: Public[int]
    kind: Public[Category]


class SquareScored(Event, frozen=True):
    """A square, or the Market Square, was scored; `points` lists the seats that score."""

    square: Public[Place]
    points: Public[tuple[SquarePoints, ...]]
    winners: Public[Winners]
    challenges_turned_up: Public[tuple[TurnedChallenge, ...]]


def square_scored(state: State, event: SquareScored) -> State:
    """Points are moved, won challenges lie face up, and the tie-breaks are counted."""
    rows, won = event.points, [token.seat for token in event.challenges_turned_up]
    points = {row.seat: row.dancing + row.winning + row.double + row.challenge for row in rows}
    at_market = CATEGORIES if event.square == "market" else ()
    return replace(
        state,
        scored=(*state.scored, event.square),
        points=raised(state.points, points),
        double_dances=raised(state.double_dances, {row.seat: row.double for row in rows}),
        challenges_won=raised(state.challenges_won, Counter(won)),
        market_wins=raised(
            state.market_wins, Counter(of(event.winners, kind) for kind in at_market)
        ),
        challenge_tokens=turned_up(state.challenge_tokens, event.square, won),
    )


def raised(counts: tuple[int, ...], more: Mapping[Any, int]) -> tuple[int, ...]:
    """The counts by seat, each raised by what `more` has for the seat."""
    return tuple([count + more.get(seat, 0) for seat, count in enumerate(counts)])


def turned_up(tokens: ChallengeTokens, place: Place, won: Sequence[int]) -> ChallengeTokens:
    """The challenge tokens once those of the seats that won theirs at a place lie face up."""
    if place == "market" or not won:
        return tokens
    there = (
        replace(token, face="up") if token.seat in won else token for token in tokens.at(place)
    )
    return tokens.put(place, tuple(there))


class StreetScored(Event, frozen=True):
    """The dances on the street were shown and scored, by seat; with that the match is over."""

    sums: Public[tuple[int, ...]]
    points: Public[tuple[int, ...]]


def street_scored(state: State, event: StreetScored) -> State:
    """The last points are moved, and the match is over."""
    return replace(
        state,
        phase="over",
        points=raised(state.points, dict(enumerate(event.points))),
        street_wins=tuple(int(points > STREET_DANCED) for points in event.points),
    )


# ── Withdrawal ────────────────────────────────────────────────────────────────────────────────────


def leave(state: State, seat: int) -> State:
    """The giant leaves the trail; bids, cards and tokens stay as they are.

    Its own turn ends at once. With one seat left the match is over and nothing more is scored.
    """
    left = replace(
        state,
        fields=put(state.fields, seat, None),
        order=tuple(other for other in state.order if other != seat),
    )
    if len(still_in(left.withdrawn)) == 1:
        return replace(left, phase="over", dancing=None)
    if state.phase == "challenge":
        return move_when_placed(left)
    acting = state.order[0] if state.phase == "move" else state.dancing
    return turn_over(left) if seat == acting else left


# ── What the rules say of each ────────────────────────────────────────────────────────────────────


def _why_moved(event: GiantMoved) -> tuple[str, ...]:
    return "last-first", "queue", "move-exact", *(("home",) if event.to == HOME else ())


def _why_danced(event: Danced) -> tuple[str, ...]:
    return "dance-once", *(("street-dance",) if event.place == "street" else ())


def _why_scored(event: SquareScored) -> tuple[str, ...]:
    points = "score-market" if event.square == "market" else "score-square"
    return "when-scored", points, "distract"


def _tells_of_a_token(event: SquareScored) -> bool:
    """Turned up or not, the challenge token of who won a square: by that something is known."""
    won = event.winners.rotate is not None or event.winners.parade is not None
    return won and event.square != "market"


def _piles_drawn(_state: State, event: PilesShuffled) -> int:
    return sum(pile is not None for pile in (*event.movement, *event.dance))


def _set_up_drawn(state: State, _event: SetUp) -> int:
    return 2 * len(state.fields) + 1 + 2 * (state.options.trail == "shuffled")


EVENTS: Final[Events] = {
    SetUp: EventRules(set_up, draws=_set_up_drawn),
    PilesShuffled: EventRules(piles_shuffled, draws=_piles_drawn),
    ChallengePlaced: EventRules(challenge_placed),
    GiantMoved: EventRules(giant_moved, _why_moved),
    TokensTurnedUp: EventRules(tokens_turned_up, ("tokens",), reveals=True),
    TokensTaken: EventRules(tokens_taken, ("tokens",)),
    Danced: EventRules(danced, _why_danced),
    NoDance: EventRules(no_dance, ("dance-once",)),
    CardsDrawn: EventRules(cards_drawn, ("refill",), reveals=True),
    SquareScored: EventRules(square_scored, _why_scored, _tells_of_a_token),
    StreetScored: EventRules(street_scored, ("score-street",), reveals=True),
}
