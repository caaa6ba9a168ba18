"""The rules of giro-galoppo: its rulings, and the story of each command."""

from collections.abc import Iterator, Sequence
from typing import Final

from referee.core.game import Asker, At, Outcome, Steps, ranked, rules_for
from referee.core.ruling import ruling
from referee.core.seats import still_in
from referee.games.giro_galoppo import events
from referee.games.giro_galoppo.course import after, last_natural, most, open_with
from referee.games.giro_galoppo.types import (
    GATE,
    OBSTACLES,
    ChooseCard,
    Course,
    PlaceObstacle,
    State,
)

LATE_OBSTACLES: Final = 2
"""So many of the five obstacles must stand after the last natural one."""


# ── Rulings on obstacles ────────────────────────────────────────────────────────────────────────


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


# ── Rulings on cards ────────────────────────────────────────────────────────────────────────────


@ruling("card-in-hand")
def from_the_hand(state: State, by: Asker, command: ChooseCard) -> str | None:
    """Only a card that is in the own hand."""
    hand = state.hands[by.own]
    if command.card in hand:
        return None
    return f"Card {command.card} is not in the hand, which holds {', '.join(map(str, hand))}."


# ── What could be commanded ─────────────────────────────────────────────────────────────────────


def obstacle_forms(state: State, _by: Asker) -> Iterator[PlaceObstacle]:
    """An obstacle on each space of the course, ascending."""
    return (PlaceObstacle(space) for space in range(1, state.course.length + 1))


def card_forms(state: State, by: Asker) -> Iterator[ChooseCard]:
    """Each card of the own hand, ascending."""
    return (ChooseCard(card) for card in state.hands[by.own])


# ── Stories ─────────────────────────────────────────────────────────────────────────────────────


def place_obstacle(at: At[State], command: PlaceObstacle) -> Steps[State]:
    """The obstacle is placed, and the next seat's turn comes, or the race begins."""
    return (yield events.ObstaclePlaced(at.seat, command.space))


def choose_card(at: At[State], command: ChooseCard) -> Steps[State]:
    """The card is laid face down; the last one laid starts the round."""
    state = yield events.CardChosen(at.seat, command.card)
    return (yield from play_if_all_chose(state))


def after_leaving(at: At[State]) -> Steps[State]:
    """A seat has gone: the round goes on when all the others have chosen."""
    return (yield from play_if_all_chose(at.state))


def play_if_all_chose(state: State) -> Steps[State]:
    """The round, once nobody in the race owes a card."""
    # Who is out of the race has neither a card nor a space.
    if state.phase == "race" and state.chosen.count(None) == state.spaces.count(None):
        return (yield from play_round(state))
    return state


def play_round(state: State) -> Steps[State]:
    """All cards are shown; horses move, lowest card first; the race ends, or hands come back."""
    cards = state.chosen
    state = yield events.CardsShown(cards)
    for card in sorted({card for card in cards if card is not None}):
        equal = [seat for seat, shown in enumerate(cards) if shown == card]
        state = yield from play_equal_cards(state, card, equal)
    if state.is_won:
        return (yield events.RaceOver())
    if not any(state.hands):
        return (yield events.HandsReturned())
    return state


def play_equal_cards(state: State, card: int, seats: list[int]) -> Steps[State]:
    """The seats with this card, rearmost first; in the variation only the first of them moves."""
    played = horse_moves
    while seats:
        seat = rearmost(state, seats) if len(seats) > 1 else seats[0]
        seats.remove(seat)
        state = yield played(state, seat, card)
        if state.options.ties == "rearmost-only":
            played = horse_is_held
    return state


def rearmost(state: State, seats: Sequence[int]) -> int:
    """Of ``seats`` the one whose horse is furthest behind; in the gate, the oldest player's."""
    age = state.options.age_order.index
    return min(seats, key=lambda seat: (state.space_of(seat), -age(seat)))


def horse_moves(state: State, seat: int, card: int) -> events.HorseMoved:
    """A horse goes its full number, if it does not end on an obstacle, river or moor."""
    space = state.space_of(seat)
    goal = space + card
    if state.course.blocks(goal):
        return events.HorseMoved(seat, card, space, space, "blocked", None)
    return events.HorseMoved(seat, card, space, goal, "moved", pushed_by(state, seat, goal))


def horse_is_held(state: State, seat: int, card: int) -> events.HorseMoved:
    """A horse misses its turn, in the variation, because of an equal card further behind."""
    space = state.space_of(seat)
    return events.HorseMoved(seat, card, space, space, "held", None)


def pushed_by(state: State, mover: int, goal: int) -> events.Push | None:
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
    return events.Push(state.spaces.index(goal), goal, back)


def _stands_another(state: State, mover: int, space: int) -> bool:
    return space in state.spaces and space != state.spaces[mover]


# ── Questions ───────────────────────────────────────────────────────────────────────────────────


def to_act(state: State) -> tuple[int, ...]:
    """The placing seat; in the race every seat that has not chosen."""
    if state.phase == "race":
        spaces, chose = state.spaces, enumerate(state.has_chosen)
        return tuple([seat for seat, has in chose if not has and spaces[seat] is not None])
    return () if state.placing is None else (state.placing,)


def outcome(state: State) -> Outcome | None:
    """Places by distance behind the line; the last seat left, if all others have gone."""
    if state.phase != "over":
        return None
    left, line, spaces = still_in(state.withdrawn), state.course.length, enumerate(state.spaces)
    alone = len(left) == 1
    placed = [seat for seat in left if alone or state.space_of(seat) > line]
    ranking = ranked({seat: state.space_of(seat) for seat in placed}, dict(spaces))
    return Outcome("withdrawal" if alone else "played-out", tuple(ranking))


PLACING: Final = (on_sand, one_a_space, with_a_gap, two_late, room_for_the_rest)
COMMANDS: Final = (
    rules_for(PlaceObstacle, "obstacles", place_obstacle, *PLACING, forms=obstacle_forms),
    rules_for(ChooseCard, "race", choose_card, from_the_hand, forms=card_forms),
)
