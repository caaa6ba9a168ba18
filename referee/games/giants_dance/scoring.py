"""How places are scored: which are due, and the event that says who gets what."""

from typing import Final, NamedTuple

from referee.core.game import Steps
from referee.core.seats import still_in
from referee.games.giants_dance import events
from referee.games.giants_dance.types import CATEGORIES, HOME, Bid, Place, PlaceBids, State, of


class Tariff(NamedTuple):
    """Points for one category: danced, danced without overbidding, and more for winning it."""

    danced: int
    not_overbid: int
    won: int


SQUARE: Final = Tariff(danced=1, not_overbid=0, won=2)
MARKET: Final = Tariff(danced=2, not_overbid=1, won=3)
DOUBLE: Final = 1
"""For winning both categories of a place."""
CHALLENGE: Final = 2
"""For a category won on which the own challenge token of that category lies."""
STREET_WON: Final = 3
"""For the highest sum on the street, besides the point for dancing there."""


# ── What is due ───────────────────────────────────────────────────────────────────────────────────


def due(state: State) -> tuple[Place, ...]:
    """The places not scored yet that every giant still in has reached or passed, in trail order."""
    reached = state.field_of(state.order[0]) if state.order else HOME
    squares: list[Place] = [ground for ground in state.trail[:reached] if ground != "street"]
    market: list[Place] = [] if state.order else ["market"]
    return (*squares, *market)[len(state.scored) :]


def score_what_is_due(state: State) -> Steps[State]:
    """Each due place in trail order; once everyone is home, the street as well."""
    for place in due(state):
        state = yield score_square(state, place)
    if not state.order:
        state = yield score_street(state)
    return state


# ── Squares and the Market ────────────────────────────────────────────────────────────────────────


def score_square(state: State, place: Place) -> events.SquareScored:
    """Who scores what at one of the six places (`score-square`, `score-market`)."""
    bids = state.bids.at(place)
    winners = events.Winners(winner(state, bids.rotate), winner(state, bids.parade))
    turned = challenges_won(state, place, winners)
    tariff = MARKET if place == "market" else SQUARE
    dancers = {bid.seat for bid in bids.rotate + bids.parade}
    points = (
        points_of(seat, tariff, bids, winners, turned)
        for seat in still_in(state.withdrawn)
        if seat in dancers
    )
    return events.SquareScored(place, tuple(points), winners, turned)


def winner(state: State, bids: tuple[Bid, ...]) -> int | None:
    """The seat with the highest sum that overbid; nobody where that seat has withdrawn."""
    best = max((bid for bid in bids if bid.overbid), key=lambda bid: bid.sum, default=None)
    return None if best is None or state.withdrawn[best.seat] else best.seat


def challenges_won(
    state: State, place: Place, winners: events.Winners
) -> tuple[events.TurnedChallenge, ...]:
    """The challenge tokens at a place whose category their owner has won, in the order laid."""
    if place == "market":
        return ()
    return tuple(
        events.TurnedChallenge(token.seat, token.kind)
        for token in state.challenge_tokens.at(place)
        if token.kind != "distract" and of(winners, token.kind) == token.seat
    )


def points_of(
    seat: int,
    tariff: Tariff,
    bids: PlaceBids,
    winners: events.Winners,
    turned: tuple[events.TurnedChallenge, ...],
) -> events.SquarePoints:
    """The points of one seat at a place where it has danced."""
    own = [bid for bid in bids.rotate + bids.parade if bid.seat == seat]
    won = (winners.rotate, winners.parade).count(seat)
    return events.SquarePoints(
        seat=seat,
        dancing=sum(tariff.danced if bid.overbid else tariff.not_overbid for bid in own),
        winning=tariff.won * won,
        double=DOUBLE if won == len(CATEGORIES) else 0,
        challenge=CHALLENGE * sum(token.seat == seat for token in turned),
    )


# ── The street ────────────────────────────────────────────────────────────────────────────────────


def score_street(state: State) -> events.StreetScored:
    """Points of the dances on the street (`score-street`); withdrawn seats count for nothing."""
    street = state.street_dance
    counted = {seat: street.sums[seat] for seat in still_in(state.withdrawn) if street.danced[seat]}
    best = max(counted.values(), default=0)
    points = (
        events.STREET_DANCED + STREET_WON * (counted[seat] == best) if seat in counted else 0
        for seat in range(len(street.sums))
    )
    return events.StreetScored(street.sums, tuple(points))
