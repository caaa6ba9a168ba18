"""How places are scored: which are due, and the event that says who gets what."""

from __future__ import annotations

from typing import Final, NamedTuple

from referee.core.game import Event, Outcome, Standing, Steps, ranked
from referee.games.giants_dance.folds import STREET_DANCED, tokens_at
from referee.games.giants_dance.types import (
    CATEGORIES,
    HOME,
    Bid,
    CardsDrawn,
    DancePlace,
    Place,
    PlaceBids,
    SquarePoints,
    SquareScored,
    State,
    StreetScored,
    TokensTurnedUp,
    TurnedChallenge,
    Winners,
)


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


# ---------------------------------------------------------------- what is due


def ground(state: State, field: int) -> DancePlace:
    """What field 0..20 is: "street", a square's name, or, at both ends, "market"."""
    return state.trail[field - 1] if 0 < field < HOME else "market"


def due(state: State) -> tuple[Place, ...]:
    """The places not scored yet that every giant still in has reached or passed, in trail order."""
    reached = state.fields[state.order[0]] if state.order else HOME
    squares: list[Place] = [place for place in state.trail[:reached] if place != "street"]
    market: list[Place] = [] if state.order else ["market"]
    return (*squares, *market)[len(state.scored) :]


def score_what_is_due(state: State) -> Steps[State]:
    """Each due place in trail order; once everyone is home, the street as well."""
    for place in due(state):
        state = yield score_square(state, place)
    if not state.order:
        state = yield score_street(state)
    return state


# ---------------------------------------------------------------- squares and the Market


def highest(bids: tuple[Bid, ...]) -> int:
    """The highest sum laid in a category so far, 0 where nobody has danced it."""
    best = 0
    for bid in bids:  # a plain loop: asked for every form of a legal list
        best = max(best, bid.sum)
    return best


def bids_at(state: State, place: str) -> PlaceBids:
    """The dances at one of the six places."""
    bids: PlaceBids = getattr(state.bids, place)
    return bids


def score_square(state: State, place: Place) -> SquareScored:
    """Who scores what at one of the six places (``score-square``, ``score-market``)."""
    bids = bids_at(state, place)
    winners = Winners(_winner(state, bids.rotate), _winner(state, bids.parade))
    turned = _challenges_won(state, place, winners)
    dancers = {bid.seat for bid in bids.rotate + bids.parade}
    points = (
        _points_of(seat, place, bids, winners, turned)
        for seat, field in enumerate(state.fields)
        if seat in dancers and field is not None
    )
    return SquareScored(place, tuple(points), winners, turned)


def _winner(state: State, bids: tuple[Bid, ...]) -> int | None:
    """The seat with the highest sum that overbid; nobody where that seat has withdrawn."""
    best = max((bid for bid in bids if bid.overbid), key=lambda bid: bid.sum, default=None)
    return None if best is None or state.fields[best.seat] is None else best.seat


def won_by(winners: Winners, kind: str) -> int | None:
    """Who won a category; None for nobody, and for the distraction, which cannot be won."""
    return {"rotate": winners.rotate, "parade": winners.parade}.get(kind)


def _challenges_won(state: State, place: Place, winners: Winners) -> tuple[TurnedChallenge, ...]:
    if place == "market":
        return ()
    return tuple(
        TurnedChallenge(token.seat, token.kind)
        for token in tokens_at(state.challenge_tokens, place)
        if token.kind != "distract" and won_by(winners, token.kind) == token.seat
    )


def _points_of(
    seat: int,
    place: Place,
    bids: PlaceBids,
    winners: Winners,
    turned: tuple[TurnedChallenge, ...],
) -> SquarePoints:
    tariff = MARKET if place == "market" else SQUARE
    own = [bid for bid in bids.rotate + bids.parade if bid.seat == seat]
    won = (winners.rotate, winners.parade).count(seat)
    return SquarePoints(
        seat=seat,
        dancing=sum(tariff.danced if bid.overbid else tariff.not_overbid for bid in own),
        winning=tariff.won * won,
        double=DOUBLE if won == len(CATEGORIES) else 0,
        challenge=CHALLENGE * sum(token.seat == seat for token in turned),
    )


# ---------------------------------------------------------------- the street


def score_street(state: State) -> StreetScored:
    """Points of the dances on the street (``score-street``); withdrawn seats count for nothing."""
    street = state.street_dance
    counted = {
        seat: total
        for seat, total in enumerate(street.sums)
        if street.danced[seat] and state.fields[seat] is not None
    }
    best = max(counted.values(), default=0)
    points = (
        STREET_DANCED + STREET_WON * (counted[seat] == best) if seat in counted else 0
        for seat in range(len(street.sums))
    )
    return StreetScored(street.sums, tuple(points))


# ---------------------------------------------------------------- the winner


def outcome(state: State) -> Outcome | None:
    """How the match ended, or None: by points and four tie-breaks (``winner``)."""
    if state.phase != "over":
        return None
    still_in = [seat for seat, field in enumerate(state.fields) if field is not None]
    scores = {seat: _tie_breaks(state, seat) for seat in still_in}
    rows: list[Standing] = ranked(scores, dict(enumerate(state.points)))
    return Outcome("withdrawal" if len(still_in) == 1 else "played-out", tuple(rows))


def _tie_breaks(state: State, seat: int) -> tuple[int, ...]:
    return (
        state.points[seat],
        state.challenges_won[seat],
        state.double_dances[seat],
        state.market_wins[seat],
        state.street_wins[seat],
    )


# ---------------------------------------------------------------- taking back


def reveals(event: Event) -> bool:
    """An event told a seat what it did not know, so that players alone cannot take it back.

    Tokens turned up, cards drawn, the street's sums, and a square that somebody won: whether or
    not the winner's challenge token there is turned up, it says something about that token.
    """
    if isinstance(event, SquareScored):
        won = event.winners.rotate is not None or event.winners.parade is not None
        return won and event.square != "market"
    return isinstance(event, TokensTurnedUp | CardsDrawn | StreetScored)
