"""The events of giro-galoppo, and what each changes: a recorded event is a fact."""

from typing import Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from referee.core.game import Event, EventRules, Events, SeatEvent, put
from referee.core.seats import next_in, still_in, without_first
from referee.core.visibility import Public, ToSeat
from referee.games.giro_galoppo.types import OBSTACLES, RACING_CARDS, State


class ObstaclePlaced(SeatEvent, frozen=True, gc=False):
    """An obstacle stands on the course."""

    space: Public[int]


def obstacle_placed(state: State, event: ObstaclePlaced) -> State:
    """One obstacle more; after the fifth the race begins."""
    obstacles = (*state.course.obstacles, event.space)
    course = replace(state.course, obstacles=obstacles)
    if len(obstacles) == OBSTACLES:
        return replace(state, phase="race", course=course, placing=None, round=1)
    return replace(state, course=course, placing=next_in(state.withdrawn, event.seat))


class CardChosen(SeatEvent, frozen=True, gc=False):
    """A card lies face down; only its seat knows which."""

    card: ToSeat[int]


def card_chosen(state: State, event: CardChosen) -> State:
    """The card lies face down and still counts as in the hand."""
    return replace(
        state,
        chosen=put(state.chosen, event.seat, event.card),
        has_chosen=put(state.has_chosen, event.seat, value=True),
    )


class CardsShown(Event, frozen=True, gc=False):
    """All cards of the round are turned over. `cards` by seat, None where there is none."""

    cards: Public[tuple[int | None, ...]]


def cards_shown(state: State, event: CardsShown) -> State:
    """The shown cards leave the hands."""
    pairs = zip(state.hands, event.cards, strict=True)
    hands = tuple([hand if card is None else without_first(hand, card) for hand, card in pairs])
    return replace(
        state,
        hands=hands,
        hand_counts=tuple(map(len, hands)),
        chosen=(None,) * len(hands),
        has_chosen=(False,) * len(hands),
        moves_left=len(event.cards) - event.cards.count(None),
    )


class Push(Struct, frozen=True, gc=False):
    """A horse sent back by another that ended on its space."""

    seat: Public[int]
    from_: Public[int] = field(name="from")
    to: Public[int]


class HorseMoved(SeatEvent, frozen=True, gc=False):
    """A shown card is used up.

    `outcome`: `moved`; `blocked`, it would have ended on an obstacle, a river or the
    moor; `held`, the variation's missed turn. In the last two `to` is `from_` and nobody is pushed.
    """

    card: Public[int]
    from_: Public[int] = field(name="from")
    to: Public[int]
    outcome: Public[Literal["moved", "blocked", "held"]]
    pushed: Public[Push | None]


def horse_moved(state: State, event: HorseMoved) -> State:
    """Horses stand where the event says; after the last move a new round begins, or none."""
    spaces = put(state.spaces, event.seat, event.to)
    if event.pushed is not None:
        spaces = put(spaces, event.pushed.seat, event.pushed.to)
    moved = replace(state, spaces=spaces, moves_left=state.moves_left - 1)
    if moved.moves_left or moved.is_won:
        return moved
    return replace(moved, round=state.round + 1)


class HandsReturned(Event, frozen=True, gc=False):
    """All six cards are played: every seat takes its own back."""


def hands_returned(state: State, _event: HandsReturned) -> State:
    """Every seat still in the race has all six cards again."""
    hands = tuple(() if space is None else RACING_CARDS for space in state.spaces)
    return replace(state, hands=hands, hand_counts=tuple(map(len, hands)))


class RaceOver(Event, frozen=True, gc=False):
    """The round is over and a horse stands behind the finishing line."""


def race_over(state: State, _event: RaceOver) -> State:
    """Nobody acts any more."""
    return replace(state, phase="over")


def leave(state: State, seat: int) -> State:
    """The horse, the hand and a card still face down go; its turn to place goes to the next.

    With one seat left the match is over.
    """
    left = replace(
        state,
        spaces=put(state.spaces, seat, None),
        hands=put(state.hands, seat, ()),
        hand_counts=put(state.hand_counts, seat, 0),
        chosen=put(state.chosen, seat, None),
        has_chosen=put(state.has_chosen, seat, value=False),
    )
    if len(still_in(left.withdrawn)) <= 1:
        return replace(left, phase="over", placing=None)
    return replace(left, placing=next_in(left.withdrawn, seat)) if state.placing == seat else left


def _why_moved(event: HorseMoved) -> tuple[str, ...]:
    if event.outcome == "held":
        return "move-order", "rearmost-only"
    if event.outcome == "blocked":
        return "move-order", "blocked"
    pushing = ("push-back",) if event.pushed else ()
    return "move-order", "move-full", *pushing, "behind-the-line"


EVENTS: Final[Events] = {
    ObstaclePlaced: EventRules(obstacle_placed, ("obstacle-order",)),
    CardChosen: EventRules(card_chosen, ("one-choice",)),
    CardsShown: EventRules(cards_shown, reveals=True),
    HorseMoved: EventRules(horse_moved, _why_moved),
    HandsReturned: EventRules(hands_returned, ("hands-back",)),
    RaceOver: EventRules(race_over, ("race-end",)),
}
