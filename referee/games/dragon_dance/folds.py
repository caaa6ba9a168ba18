"""What each event does to the state: facts, never judged again.

An event that ends a turn also moves the turn on, so that every state says who is to act.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from sys import intern
from typing import Any, Final

from msgspec.structs import replace

from referee.core.game import Event
from referee.games.dragon_dance.cards import face_as_laid, is_egg
from referee.games.dragon_dance.tops import EMPTY, Tops, laid_on
from referee.games.dragon_dance.turns import clockwise, next_in, next_to_finish, seats_in, starter
from referee.games.dragon_dance.types import (
    Blocked,
    Dealt,
    Declined,
    Drew,
    FirstCard,
    GoingOut,
    Hand,
    HandReturned,
    Kept,
    Laid,
    LetStood,
    Options,
    Passed,
    Placed,
    RoundEnded,
    State,
    WentOut,
)


def start(options: Options, seats: int) -> State:
    """The state before any event: nothing is dealt, round 0."""
    nobody = (0,) * seats
    return State(
        phase="lay",
        round=0,
        turn=options.starter,
        hands=((),) * seats,
        hand_counts=nobody,
        pile=(),
        pile_count=0,
        field=(),
        points=nobody,
        rounds_won=nobody,
        total_points=nobody,
        point_honours=nobody,
        drawn=None,
        going_out=None,
        asked=(),
        passes=0,
        withdrawn=(False,) * seats,
        tops=EMPTY,
        options=options,
    )


def changed_at(entries: tuple[Any, ...], seat: int, entry: Any) -> tuple[Any, ...]:
    """The entries by seat, with another one for ``seat``."""
    return (*entries[:seat], entry, *entries[seat + 1 :])


def _added_at(numbers: tuple[int, ...], seats: Iterable[int], more: int) -> tuple[int, ...]:
    chosen = tuple(seats)
    return tuple(number + more * (seat in chosen) for seat, number in enumerate(numbers))


def _shared(cards: Hand) -> Hand:
    """The same cards, each name held once in memory however often it was decoded."""
    return tuple(map(intern, cards))


def _with_hand(state: State, seat: int, hand: Hand) -> State:
    return replace(
        state,
        hands=changed_at(state.hands, seat, hand),
        hand_counts=changed_at(state.hand_counts, seat, len(hand)),
    )


def _without(hand: Hand, card: str) -> Hand:
    return tuple(held for held in hand if held != card)


def _tops_with(state: State, placed: Placed) -> Tops:
    letters = face_as_laid(state.options, placed.card, turned=placed.turned)
    return laid_on(state.tops, placed.x, placed.y, letters, egg=is_egg(placed.card))


def _with_placed(state: State, placed: Placed) -> State:
    return replace(state, field=(*state.field, placed), tops=_tops_with(state, placed))


def _with_card_laid(state: State, seat: int, event: Laid | Blocked) -> State:
    """The card out of the hand, on the field, and paid for."""
    placed = Placed(intern(event.card), event.x, event.y, event.turned, seat)
    state = _with_hand(state, seat, _without(state.hands[seat], event.card))
    return replace(
        _with_placed(state, placed),
        points=_added_at(state.points, (seat,), event.points),
        drawn=None,
        passes=0,
    )


def dealt(state: State, event: Dealt) -> State:
    """A new round: everything of the last one is cleared away."""
    number = state.round + 1
    return replace(
        state,
        phase="lay",
        round=number,
        turn=starter(state, number),
        hands=tuple(map(_shared, event.hands)),
        hand_counts=tuple(map(len, event.hands)),
        pile=_shared(event.pile),
        pile_count=len(event.pile),
        field=(),
        tops=EMPTY,
        points=(0,) * len(state.points),
        drawn=None,
        going_out=None,
        asked=(),
        passes=0,
    )


def first_card(state: State, event: FirstCard) -> State:
    """The pile's top card is turned up at 0, 0."""
    pile = state.pile[1:]
    state = replace(state, pile=pile, pile_count=len(pile))
    return _with_placed(state, Placed(intern(event.card), 0, 0, turned=False, seat=None))


def laid(state: State, event: Laid) -> State:
    """The turn goes on, in the finish to who is still to lay; not after a seat's last card."""
    state = _with_card_laid(state, event.seat, event)
    if state.phase == "finish":
        return replace(state, turn=next_to_finish(state))
    if state.hands[event.seat]:
        return _next_turn(state, event.seat)
    return replace(state, phase="lay")


def _next_turn(state: State, seat: int) -> State:
    return replace(state, phase="lay", turn=next_in(state, seat), drawn=None)


def drew(state: State, event: Drew) -> State:
    """The pile's top card goes to a hand, last.

    Only after a block does a seat draw with an empty hand; then it is not its turn to lay it.
    """
    hand, pile = state.hands[event.seat], state.pile[1:]
    card = intern(event.card)
    state = _with_hand(state, event.seat, (*hand, card))
    state = replace(state, pile=pile, pile_count=len(pile), passes=0)
    return replace(state, phase="drawn", drawn=card) if hand else state


def kept(state: State, event: Kept) -> State:
    """The drawn card stays in the hand, and the turn goes on."""
    return _next_turn(state, event.seat)


def passed(state: State, event: Passed) -> State:
    """The turn goes on; one more has passed in a row."""
    return replace(_next_turn(state, event.seat), passes=state.passes + 1)


def going_out(state: State, event: GoingOut) -> State:
    """Every other seat still in is asked, clockwise from the left."""
    asked = clockwise(state, event.seat)
    return replace(state, phase="respond", going_out=event.seat, asked=asked)


def let_stood(state: State, event: LetStood) -> State:
    """One fewer is asked."""
    return replace(state, asked=tuple(seat for seat in state.asked if seat != event.seat))


def blocked(state: State, event: Blocked) -> State:
    """The egg lies on the head; play goes on at the left of who laid it."""
    state = _with_card_laid(state, event.by, event)
    return replace(_next_turn(state, event.by), going_out=None, asked=())


def went_out(state: State, event: WentOut) -> State:
    """The bonus is paid, and the finish begins at the left."""
    points = _added_at(state.points, (event.seat,), event.bonus)
    return replace(state, phase="finish", points=points, asked=(), turn=next_to_finish(state))


def declined(state: State, _event: Declined) -> State:
    """The finish goes on without a card."""
    return replace(state, turn=next_to_finish(state))


def round_ended(state: State, event: RoundEnded) -> State:
    """Points and honours are written down; the match may be over."""
    dragons = () if event.dragon is None else (event.dragon,)
    totals = zip(state.total_points, event.points, strict=True)
    state = replace(
        state,
        rounds_won=_added_at(state.rounds_won, dragons, 1),
        total_points=tuple(total + points for total, points in totals),
        point_honours=_added_at(state.point_honours, event.most_points, 1),
    )
    return _over(state) if _is_decided(state) else state


def _is_decided(state: State) -> bool:
    """Ruling ``match-win``: rounds enough are won by one seat, or played."""
    options = state.options
    return max(state.rounds_won) >= options.to_win or state.round >= options.max_rounds


def _over(state: State) -> State:
    return replace(state, phase="over", turn=None, drawn=None, going_out=None, asked=(), passes=0)


def hand_returned(state: State, event: HandReturned) -> State:
    """The cards go under the pile, the hand is empty."""
    pile = state.pile + _shared(event.cards)
    return replace(_with_hand(state, event.seat, ()), pile=pile, pile_count=len(pile))


def leave(state: State, seat: int) -> State:
    """The state at once after a withdrawal; its hand is returned by an event of its own."""
    gone = changed_at(state.withdrawn, seat, entry=True)
    state = replace(state, withdrawn=gone, passes=0)
    if len(seats_in(state)) == 1:
        return _over(state)
    if state.phase == "respond":
        return _leave_respond(state, seat)
    if seat != state.turn:
        return state
    if state.phase == "finish":
        return replace(state, turn=next_to_finish(state))
    return _next_turn(state, seat)


def _leave_respond(state: State, seat: int) -> State:
    """A going out lapses with its seat; a seat that was asked is struck out."""
    if seat == state.going_out:
        return replace(_next_turn(state, seat), going_out=None, asked=())
    return replace(state, asked=tuple(other for other in state.asked if other != seat))


FOLDS: Final[Mapping[type[Event], Callable[[Any, Any], State]]] = {
    Dealt: dealt,
    FirstCard: first_card,
    Laid: laid,
    Drew: drew,
    Kept: kept,
    Passed: passed,
    GoingOut: going_out,
    LetStood: let_stood,
    Blocked: blocked,
    WentOut: went_out,
    Declined: declined,
    RoundEnded: round_ended,
    HandReturned: hand_returned,
}
