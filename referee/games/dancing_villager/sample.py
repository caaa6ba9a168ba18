"""A trial's commands: what players who are nearly always right would do."""

from referee.core.game import Asker, Command
from referee.core.randomness import Chance
from referee.core.seats import still_in
from referee.games.dancing_villager.counting import RIGHT, throw
from referee.games.dancing_villager.course_of_play import to_act
from referee.games.dancing_villager.rules import grab_again, may_report
from referee.games.dancing_villager.types import (
    THINGS,
    Close,
    Grab,
    Ready,
    ReportRoll,
    State,
    Thing,
)


def sample(state: State, by: Asker, pick: Chance) -> Command | None:
    """A lawful command of somebody who gets it right nine times in ten, or None to hold still.

    In virtual play a seat grabs what is right and nothing where nothing is; in table mode who
    reports makes up rolls, and grabs of all seats, until it closes the window.
    """
    if state.options.mode == "virtual":
        return _sample_of_seat(state, by, pick)
    if not may_report(state, by):
        return None
    if state.phase == "ready":
        return ReportRoll(throw(state, pick))
    return _sample_report(state, by, pick)


def _sample_of_seat(state: State, by: Asker, pick: Chance) -> Command | None:
    if by.seat in to_act(state):
        return Ready()
    late = state.window_ends is None or by.at >= state.window_ends
    if late or by.seat not in still_in(state.out):
        return None
    what = _nearly_always_right(state, pick)
    return None if what is None else _unless_done(state, by, Grab(what))


def _sample_report(state: State, by: Asker, pick: Chance) -> Command:
    """A grab, or the close: after four grabs on average, and wherever no hand would move."""
    what = _nearly_always_right(state, pick)
    if what is None or pick.below(5) == 0:
        return Close()
    return _unless_done(state, by, Grab(what, pick.one_of(still_in(state.out)))) or Close()


def _nearly_always_right(state: State, pick: Chance) -> Thing | None:
    right = RIGHT[state.call]
    if pick.below(10):
        return right
    return pick.one_of([thing for thing in THINGS if thing != right])


def _unless_done(state: State, by: Asker, command: Grab) -> Grab | None:
    return command if grab_again(state, by, command) is None else None
