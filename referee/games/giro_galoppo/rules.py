"""The rules of giro-galoppo: rulings, the story of each command, and what events change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast

from msgspec.structs import replace

from referee.core.game import Asker, Event, Outcome, Standing, Steps, ranked
from referee.core.ruling import ruling
from referee.games.giro_galoppo.course import after, last_natural, most, open_with
from referee.games.giro_galoppo.types import (
    GATE,
    OBSTACLES,
    RACING_CARDS,
    CardChosen,
    CardsShown,
    ChooseCard,
    Course,
    HandsReturned,
    HorseMoved,
    ObstaclePlaced,
    PlaceObstacle,
    Push,
    RaceOver,
    State,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.core.randomness import Chance

T = TypeVar("T")

LATE_OBSTACLES: Final = 2
"""So many of the five obstacles must stand after the last natural one."""


# ---------------------------------------------------------------- rulings on obstacles


@ruling("obstacle-sand")
def on_sand(state: State, _by: Asker, command: PlaceObstacle) -> str | None:
    """Only on a sand space: 1..length, no river, no moor."""
    course, space = state.course, command.space
    if not _on_course(course, space):
        return f"The course has spaces 1 to {course.length}, and {space} is not one of them."
    if space in course.river or space in course.moor:
        return f"Space {space} is {_terrain(course, space)}, not sand."
    return None


@ruling("obstacle-single")
def one_a_space(state: State, _by: Asker, command: PlaceObstacle) -> str | None:
    """One obstacle a space."""
    if command.space in state.course.obstacles:
        return f"An obstacle stands on space {command.space} already."
    return None


@ruling("obstacle-gap")
def with_a_gap(state: State, _by: Asker, command: PlaceObstacle) -> str | None:
    """At least one free space between two obstacles, the natural ones included."""
    for neighbour in (command.space - 1, command.space + 1):
        if state.course.blocks(neighbour):
            beside = f"{_terrain(state.course, neighbour)} on space {neighbour}"
            return f"Space {command.space} adjoins {beside}; one space between must stay free."
    return None


@ruling("obstacle-final-stretch")
def two_late(state: State, _by: Asker, command: PlaceObstacle) -> str | None:
    """At least two of the five can still stand after the last natural obstacle."""
    course, space = state.course, command.space
    if not _on_course(course, space):
        return None
    last = last_natural(course)
    late = sum(placed > last for placed in (*course.obstacles, space))
    fit = most(after(open_with(course, space), last), _still_to_place(course))
    if late + fit >= LATE_OBSTACLES:
        return None
    return (
        f"With an obstacle on space {space}, {late} of the five would stand after space {last} "
        f"and {fit} more could; {LATE_OBSTACLES} must."
    )


@ruling("obstacle-room")
def room_for_the_rest(state: State, _by: Asker, command: PlaceObstacle) -> str | None:
    """All obstacles still to come find a lawful space together."""
    course, space = state.course, command.space
    if not _on_course(course, space):
        return None
    rest = _still_to_place(course)
    fit = most(open_with(course, space), rest)
    if fit >= rest:
        return None
    return (
        f"With an obstacle on space {space} there is room for {fit} more, and {rest} have still "
        "to be placed."
    )


def _on_course(course: Course, space: int) -> bool:
    return 1 <= space <= course.length


def _terrain(course: Course, space: int) -> str:
    if space in course.river:
        return "a river"
    return "the moor" if space in course.moor else "an obstacle"


def _still_to_place(course: Course) -> int:
    """How many of the five are left after the one that is being placed."""
    return OBSTACLES - len(course.obstacles) - 1


# ---------------------------------------------------------------- rulings on cards


@ruling("card-in-hand")
def from_the_hand(state: State, by: Asker, command: ChooseCard) -> str | None:
    """Only a card that is in the own hand."""
    hand = state.hands[_seat(by)]
    if command.card in hand:
        return None
    return f"Card {command.card} is not in the hand, which holds {', '.join(map(str, hand))}."


def _seat(by: Asker) -> int:
    """The seat that commands: commands of this game are always a seat's."""
    return cast("int", by.seat)


# ---------------------------------------------------------------- what could be commanded


def obstacle_forms(state: State, _by: Asker) -> Iterator[PlaceObstacle]:
    """An obstacle on each space of the course, ascending."""
    return (PlaceObstacle(space) for space in range(1, state.course.length + 1))


def card_forms(state: State, by: Asker) -> Iterator[ChooseCard]:
    """Each card of the own hand, ascending."""
    return (ChooseCard(card) for card in state.hands[_seat(by)])


# ---------------------------------------------------------------- stories


def place_obstacle(_state: State, by: Asker, command: PlaceObstacle, _: Chance) -> Steps[State]:
    """The obstacle is placed, and the next seat's turn comes, or the race begins."""
    return (yield ObstaclePlaced(seat=_seat(by), space=command.space))


def choose_card(_state: State, by: Asker, command: ChooseCard, _: Chance) -> Steps[State]:
    """The card is laid face down; the last one laid starts the round."""
    state = yield CardChosen(seat=_seat(by), card=command.card)
    return (yield from play_if_all_chose(state))


def after_leaving(state: State, _by: Asker, _chance: Chance) -> Steps[State]:
    """A seat has gone: the round goes on when all the others have chosen."""
    return (yield from play_if_all_chose(state))


def play_if_all_chose(state: State) -> Steps[State]:
    """The round, once nobody in the race owes a card."""
    if state.phase == "race" and not to_act(state):
        return (yield from play_round(state))
    return state


def play_round(state: State) -> Steps[State]:
    """All cards are shown; horses move, lowest card first; the race ends, or hands come back."""
    cards = state.chosen
    state = yield CardsShown(cards)
    for card in RACING_CARDS:
        equal = [seat for seat, shown in enumerate(cards) if shown == card]
        state = yield from play_equal_cards(state, card, equal)
    if anyone_behind_the_line(state):
        return (yield RaceOver())
    if not any(state.hands):
        return (yield HandsReturned())
    return state


def play_equal_cards(state: State, card: int, seats: list[int]) -> Steps[State]:
    """The seats with this card, rearmost first; in the variation only the first of them moves."""
    played = horse_moves
    while seats:
        seat = rearmost(state, seats)
        seats.remove(seat)
        state = yield played(state, seat, card)
        if state.options.ties == "rearmost-only":
            played = horse_is_held
    return state


def rearmost(state: State, seats: Sequence[int]) -> int:
    """Of ``seats`` the one whose horse is furthest behind; in the gate, the oldest player's."""
    age = cast("tuple[int, ...]", state.options.age_order).index
    return min(seats, key=lambda seat: (space_of(state, seat), -age(seat)))


def horse_moves(state: State, seat: int, card: int) -> HorseMoved:
    """A horse goes its full number, if it does not end on an obstacle, river or moor."""
    space = space_of(state, seat)
    goal = space + card
    if state.course.blocks(goal):
        return HorseMoved(seat, card, space, space, "blocked", None)
    return HorseMoved(seat, card, space, goal, "moved", pushed_by(state, seat, goal))


def horse_is_held(state: State, seat: int, card: int) -> HorseMoved:
    """A horse misses its turn, in the variation, because of an equal card further behind."""
    space = space_of(state, seat)
    return HorseMoved(seat, card, space, space, "held", None)


def pushed_by(state: State, mover: int, goal: int) -> Push | None:
    """Whom the mover sends back by ending on ``goal``, and to where; None where it is free.

    ::

        3 mover   4 obstacle   5 horse          the mover plays 2 and ends on 5:
        the horse passes the obstacle and stands on 3, which the mover has left
    """
    if goal not in state.spaces:
        return None
    back = goal - 1
    while back > GATE and (state.course.blocks(back) or _stands_another(state, mover, back)):
        back -= 1
    return Push(state.spaces.index(goal), goal, back)


def _stands_another(state: State, mover: int, space: int) -> bool:
    return space in state.spaces and space != state.spaces[mover]


# ---------------------------------------------------------------- what events change


def obstacle_placed(state: State, event: ObstaclePlaced) -> State:
    """One obstacle more; after the fifth the race begins."""
    obstacles = (*state.course.obstacles, event.space)
    course = replace(state.course, obstacles=obstacles)
    if len(obstacles) == OBSTACLES:
        return replace(state, phase="race", course=course, placing=None, round=1)
    return replace(state, course=course, placing=next_seat(state, event.seat))


def card_chosen(state: State, event: CardChosen) -> State:
    """The card lies face down and still counts as in the hand."""
    return replace(
        state,
        chosen=_with(state.chosen, event.seat, event.card),
        has_chosen=_with(state.has_chosen, event.seat, value=True),
    )


def cards_shown(state: State, event: CardsShown) -> State:
    """The shown cards leave the hands."""
    hands = tuple(
        tuple(card for card in hand if card != shown)
        for hand, shown in zip(state.hands, event.cards, strict=True)
    )
    return replace(
        state,
        hands=hands,
        hand_counts=tuple(map(len, hands)),
        chosen=(None,) * len(hands),
        has_chosen=(False,) * len(hands),
        moves_left=sum(card is not None for card in event.cards),
    )


def horse_moved(state: State, event: HorseMoved) -> State:
    """Horses stand where the event says; after the last move a new round begins, or none."""
    spaces = _with(state.spaces, event.seat, event.to)
    if event.pushed is not None:
        spaces = _with(spaces, event.pushed.seat, event.pushed.to)
    moved = replace(state, spaces=spaces, moves_left=state.moves_left - 1)
    if moved.moves_left or anyone_behind_the_line(moved):
        return moved
    return replace(moved, round=state.round + 1)


def hands_returned(state: State, _event: HandsReturned) -> State:
    """Every seat still in the race has all six cards again."""
    hands = tuple(() if space is None else RACING_CARDS for space in state.spaces)
    return replace(state, hands=hands, hand_counts=tuple(map(len, hands)))


def race_over(state: State, _event: RaceOver) -> State:
    """Nobody acts any more."""
    return replace(state, phase="over")


def leave(state: State, seat: int) -> State:
    """The horse, the hand and a card still face down go; its turn to place goes to the next.

    With one seat left the match is over.
    """
    left = replace(
        state,
        spaces=_with(state.spaces, seat, None),
        hands=_with(state.hands, seat, ()),
        hand_counts=_with(state.hand_counts, seat, 0),
        chosen=_with(state.chosen, seat, None),
        has_chosen=_with(state.has_chosen, seat, value=False),
    )
    if len(riding(left)) <= 1:
        return replace(left, phase="over", placing=None)
    return replace(left, placing=next_seat(left, seat)) if state.placing == seat else left


def _with(by_seat: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    return (*by_seat[:seat], value, *by_seat[seat + 1 :])


# ---------------------------------------------------------------- questions


def space_of(state: State, seat: int) -> int:
    """The space of the horse of a seat that is still in the race."""
    return cast("int", state.spaces[seat])


def riding(state: State) -> tuple[int, ...]:
    """The seats that have not withdrawn, ascending."""
    return tuple(seat for seat, space in enumerate(state.spaces) if space is not None)


def next_seat(state: State, seat: int) -> int:
    """The next seat clockwise after ``seat`` that has not withdrawn."""
    seats = len(state.spaces)
    clockwise = ((seat + step) % seats for step in range(1, seats + 1))
    return next(other for other in clockwise if state.spaces[other] is not None)


def anyone_behind_the_line(state: State) -> bool:
    """Whether a horse stands behind the finishing line."""
    line = state.course.length
    return any(space is not None and space > line for space in state.spaces)


def reveals(event: Event) -> bool:
    """Whether the event told a seat something new: cards laid face down were turned over."""
    return isinstance(event, CardsShown)


def to_act(state: State) -> tuple[int, ...]:
    """The placing seat; in the race every seat that has not chosen."""
    if state.phase == "race":
        has_chosen = state.has_chosen
        return tuple(
            seat
            for seat, space in enumerate(state.spaces)
            if space is not None and not has_chosen[seat]
        )
    return () if state.placing is None else (state.placing,)


def outcome(state: State) -> Outcome | None:
    """Places by distance behind the line; the last seat left, if all others have gone."""
    if state.phase != "over":
        return None
    left = riding(state)
    if len(left) == 1:
        return Outcome("withdrawal", _only(state, left[0]))
    line, spaces = state.course.length, dict(enumerate(state.spaces))
    arrived = {seat: space_of(state, seat) for seat in left if space_of(state, seat) > line}
    return Outcome("played-out", tuple(ranked(arrived, spaces)))


def _only(state: State, winner: int) -> tuple[Standing, ...]:
    return tuple(
        Standing(seat, 1 if seat == winner else None, space)
        for seat, space in enumerate(state.spaces)
    )
