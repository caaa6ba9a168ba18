"""The events of dragon-dance, and what each changes: a recorded event is a fact.

An event that ends a turn also moves the turn on, so that every state says who is to act.
"""

from sys import intern
from typing import Any, Final, Literal

from msgspec.structs import replace

from referee.core.game import Event, EventRules, Events, SeatEvent, put
from referee.core.seats import clockwise, next_in, still_in
from referee.core.visibility import Internal, OwnEntry, Public, SecretEntries, ToSeat
from referee.games.dragon_dance.cards import look
from referee.games.dragon_dance.tops import EMPTY, laid_on
from referee.games.dragon_dance.types import Hand, Placed, State

# ── Parts of a fold ─────────────────────────────────────────────────────────────────────────────


def _shared(cards: Hand) -> Hand:
    """The same cards, each name held once in memory however often it was decoded."""
    return tuple(map(intern, cards))


def _with_hand(state: State, seat: int, hand: Hand) -> State:
    return replace(
        state,
        hands=put(state.hands, seat, hand),
        hand_counts=put(state.hand_counts, seat, len(hand)),
    )


def _with_pile(state: State, pile: Hand) -> State:
    return replace(state, pile=pile, pile_count=len(pile))


def _with_points(state: State, seat: int, more: int) -> State:
    return replace(state, points=put(state.points, seat, state.points[seat] + more))


def _with_placed(state: State, placed: Placed) -> State:
    as_it_lies = look(placed.card, state.options.faces, turned=placed.turned)
    tops = laid_on(state.tops, placed.x, placed.y, as_it_lies)
    return replace(state, field=(*state.field, placed), tops=tops)


class Laid(SeatEvent, frozen=True, gc=False):
    """A card lies on `covers` boxes, for `points` in all."""

    card: Public[str]
    x: Public[int]
    y: Public[int]
    turned: Public[bool]
    covers: Public[int]
    points: Public[int]


class Blocked(Event, frozen=True, gc=False):
    """`by` laid an egg on the head of `seat`, which does not go out."""

    by: Public[int]
    seat: Public[int]
    card: Public[str]
    x: Public[int]
    y: Public[int]
    turned: Public[bool]
    covers: Public[int]
    points: Public[int]


def _with_card_laid(state: State, seat: int, event: Laid | Blocked) -> State:
    """The card out of the hand, on the field, and paid for."""
    hand = tuple([held for held in state.hands[seat] if held != event.card])
    placed = Placed(intern(event.card), event.x, event.y, event.turned, seat)
    return replace(
        _with_placed(state, placed),
        hands=put(state.hands, seat, hand),
        hand_counts=put(state.hand_counts, seat, len(hand)),
        points=put(state.points, seat, state.points[seat] + event.points),
        drawn=None,
        passes=0,
    )


def _next_turn(state: State, seat: int) -> State:
    """The turn of the next seat after `seat`; nobody goes out, or does no longer."""
    turn = next_in(state.withdrawn, seat)
    return replace(state, phase="lay", turn=turn, drawn=None, going_out=None, asked=())


def _to_finish(state: State, seats: tuple[int, ...]) -> State:
    """Those seats may still lay a card, the first of them now."""
    return replace(state, to_finish=seats, turn=seats[0] if seats else None)


def _without(seats: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return tuple(other for other in seats if other != seat)


def _cleared(state: State, **changes: Any) -> State:
    """Nothing of a turn or of a going out is left."""
    open_ = {"drawn": None, "going_out": None, "asked": (), "to_finish": (), "passes": 0}
    return replace(state, **open_, **changes)


# ── A round ─────────────────────────────────────────────────────────────────────────────────────


class Dealt(Event, frozen=True, gc=False):
    """A round begins: the hands by seat, and the pile in its order, the first card on top."""

    hands: OwnEntry[tuple[Hand, ...]]
    pile: SecretEntries[Hand]


def dealt(state: State, event: Dealt) -> State:
    """A new round: everything of the last one is cleared away."""
    state = _cleared(
        state,
        phase="lay",
        round=state.round + 1,
        turn=state.starter(state.round + 1),
        hands=tuple(map(_shared, event.hands)),
        hand_counts=tuple(map(len, event.hands)),
        field=(),
        tops=EMPTY,
        points=(0,) * len(state.points),
    )
    return _with_pile(state, _shared(event.pile))


class PilesShuffled(Event, frozen=True, gc=False):
    """The pile lies in a new order, the next card first, after a take-back."""

    pile: SecretEntries[Hand]


def piles_shuffled(state: State, event: PilesShuffled) -> State:
    """The same cards in another order."""
    return _with_pile(state, _shared(event.pile))


class FirstCard(Event, frozen=True, gc=False):
    """The pile's top card lies unturned at 0, 0."""

    card: Public[str]


def first_card(state: State, event: FirstCard) -> State:
    """The pile's top card is turned up at 0, 0."""
    placed = Placed(intern(event.card), 0, 0, turned=False, seat=None)
    return _with_placed(_with_pile(state, state.pile[1:]), placed)


def laid(state: State, event: Laid) -> State:
    """The turn goes on, in the finish to who is still to lay; not after a seat's last card."""
    state = _with_card_laid(state, event.seat, event)
    if state.phase == "finish":
        return _to_finish(state, state.to_finish[1:])
    return _next_turn(state, event.seat) if state.hands[event.seat] else replace(state, phase="lay")


class Drew(SeatEvent, frozen=True, gc=False):
    """A seat drew a card: in its turn, or because of a block."""

    card: ToSeat[str]


def drew(state: State, event: Drew) -> State:
    """The pile's top card goes to a hand, last.

    Only after a block does a seat draw with an empty hand; then it is not its turn to lay it.
    """
    hand, card = state.hands[event.seat], intern(event.card)
    state = _with_pile(_with_hand(state, event.seat, (*hand, card)), state.pile[1:])
    if not hand:
        return replace(state, passes=0)
    return replace(state, phase="drawn", drawn=card, passes=0)


class Kept(SeatEvent, frozen=True, gc=False):
    """A seat kept the card that it drew."""


def kept(state: State, event: Kept) -> State:
    """The drawn card stays in the hand, and the turn goes on."""
    return _next_turn(state, event.seat)


class Passed(SeatEvent, frozen=True, gc=False):
    """A seat could neither lay nor draw."""


def passed(state: State, event: Passed) -> State:
    """The turn goes on; one more has passed in a row."""
    return replace(_next_turn(state, event.seat), passes=state.passes + 1)


class RoundEnded(Event, frozen=True, gc=False):
    """A round is over: its points by seat, who takes it by the dragon, who by most points."""

    how: Public[Literal["dragon", "stuck"]]
    points: Public[tuple[int, ...]]
    dragon: Public[int | None]
    most_points: Public[tuple[int, ...]]


def round_ended(state: State, event: RoundEnded) -> State:
    """Points and honours are written down; the match may be over."""
    totals = zip(state.total_points, event.points, strict=True)
    honours = enumerate(state.point_honours)
    won, dragon = state.rounds_won, event.dragon
    state = replace(
        state,
        rounds_won=won if dragon is None else put(won, dragon, won[dragon] + 1),
        total_points=tuple(total + points for total, points in totals),
        point_honours=tuple(count + (seat in event.most_points) for seat, count in honours),
    )
    return _cleared(state, phase="over", turn=None) if _is_decided(state) else state


def _is_decided(state: State) -> bool:
    """Ruling `match-win`: rounds enough are won by one seat, or played."""
    options = state.options
    return max(state.rounds_won) >= options.to_win or state.round >= options.max_rounds


# ── Going out ───────────────────────────────────────────────────────────────────────────────────


class GoingOut(SeatEvent, frozen=True, gc=False):
    """A seat laid its last card, a head: the others may block it."""


def going_out(state: State, event: GoingOut) -> State:
    """Every other seat still in is asked, clockwise from the left."""
    asked = _without(clockwise(state.withdrawn, event.seat), event.seat)
    return replace(state, phase="respond", going_out=event.seat, asked=asked)


class LetStood(SeatEvent, frozen=True, gc=False):
    """A seat that was asked did not block."""


def let_stood(state: State, event: LetStood) -> State:
    """One fewer is asked."""
    return replace(state, asked=_without(state.asked, event.seat))


def blocked(state: State, event: Blocked) -> State:
    """The egg lies on the head; play goes on at the left of who laid it."""
    return _next_turn(_with_card_laid(state, event.by, event), event.by)


class WentOut(SeatEvent, frozen=True, gc=False):
    """The head stands: the seat is out, with `bonus` points."""

    bonus: Public[int]


def went_out(state: State, event: WentOut) -> State:
    """The bonus is paid, and the finish begins at the left."""
    others = _without(clockwise(state.withdrawn, event.seat), event.seat)
    state = replace(_with_points(state, event.seat, event.bonus), phase="finish", asked=())
    return _to_finish(state, others)


class Declined(SeatEvent, frozen=True, gc=False):
    """A seat laid no card in the finish."""


def declined(state: State, _event: Declined) -> State:
    """The finish goes on without a card."""
    return _to_finish(state, state.to_finish[1:])


# ── Leaving ─────────────────────────────────────────────────────────────────────────────────────


def leave(state: State, seat: int) -> State:
    """The state at once after a withdrawal; its hand is returned by an event of its own."""
    state = replace(state, withdrawn=put(state.withdrawn, seat, value=True), passes=0)
    if len(still_in(state.withdrawn)) == 1:
        return _cleared(state, phase="over", turn=None)
    if state.phase == "finish":
        return _to_finish(state, _without(state.to_finish, seat))
    if seat == state.turn:
        return _next_turn(state, seat)
    return replace(state, asked=_without(state.asked, seat))


class HandReturned(SeatEvent, frozen=True, gc=False):
    """The hand of a seat that withdrew lies under the pile, `cards` in its shuffled order."""

    count: Public[int]
    cards: Internal[Hand]


def hand_returned(state: State, event: HandReturned) -> State:
    """The cards go under the pile, the hand is empty."""
    return _with_pile(_with_hand(state, event.seat, ()), state.pile + _shared(event.cards))


def _why_ended(event: RoundEnded) -> tuple[str, ...]:
    return ("stuck", "round-honours") if event.how == "stuck" else ("round-honours",)


EVENTS: Final[Events] = {
    Dealt: EventRules(dealt, draws=1),
    PilesShuffled: EventRules(piles_shuffled, draws=1),
    FirstCard: EventRules(first_card, ("next-starter",)),
    Laid: EventRules(laid, ("turns", "same-spot", "points")),
    Drew: EventRules(drew, reveals=True),
    Kept: EventRules(kept),
    Passed: EventRules(passed, reveals=True),  # of a hand, in which nothing can be laid
    GoingOut: EventRules(going_out),
    LetStood: EventRules(let_stood),
    Blocked: EventRules(blocked, ("same-spot", "points", "after-block")),
    WentOut: EventRules(went_out, ("out-bonus",)),
    Declined: EventRules(declined),
    RoundEnded: EventRules(round_ended, _why_ended),
    HandReturned: EventRules(hand_returned, draws=1),
}
