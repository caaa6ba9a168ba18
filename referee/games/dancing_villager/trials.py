"""Options and commands for trials: matches that play themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from referee.core.game import Asker, Command
from referee.core.randomness import Chance
from referee.games.dancing_villager.admission import may_report, seats_in, to_act
from referee.games.dancing_villager.counting import RIGHT, throw
from referee.games.dancing_villager.rules import grab_again
from referee.games.dancing_villager.types import (
    THINGS,
    Close,
    Grab,
    Ready,
    ReportRoll,
    State,
    Thing,
)

T = TypeVar("T")


def vary(pick: Chance, seats: int) -> dict[str, Any]:
    """Random lawful options as a client would send them, of either mode.

    ``max_rounds`` is always given, and a roll is never likely to move nothing: trials end.
    """
    options: dict[str, Any] = {"max_rounds": _between(pick, 1, 8)}
    if pick.below(3) == 0:
        options |= {"mode": "table", "scorer": _one_of(pick, [None, *range(seats)])}
    if pick.below(3) > 0:
        options |= _varied_numbers(pick, seats)
    if pick.below(2):
        options["pose_weights"] = _varied_weights(pick)
    return options


def _varied_numbers(pick: Chance, seats: int) -> dict[str, Any]:
    target = _between(pick, 1, 24)
    return {
        "villagers": _one_of(pick, [None, 1, 1, 2, 2, *range(1, 13)]),
        "charcoal": _between(pick, 1, 20),
        "meat": _between(pick, 1, 20),
        "dogs": _between(pick, seats * (target - 1) + 1, 99),
        "target": target,
        "first_dog_seat": pick.below(seats),
        "on_top_weight": _one_of(pick, [0, 4, 50, 100]),
        "window_ms": _one_of(pick, [1, 5000, 600_000]),
    }


def _varied_weights(pick: Chance) -> dict[str, int]:
    """Hands-up always outweigh hands-down, so that a round's meat runs out before long."""
    down = _one_of(pick, [0, 5, 100])
    return {
        "flat": _one_of(pick, [0, 46, 1000]),
        "up": down + _between(pick, 100, 400),
        "down": down,
        "leaning": _one_of(pick, [0, 5, 50]),
        "standing": _one_of(pick, [0, 3, 30]),
    }


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
    if late or by.seat not in seats_in(state):
        return None
    what = _nearly_always_right(state, pick)
    return None if what is None else _unless_done(state, by, Grab(what))


def _sample_report(state: State, by: Asker, pick: Chance) -> Command:
    """A grab, or the close: after four grabs on average, and wherever no hand would move."""
    what = _nearly_always_right(state, pick)
    if what is None or pick.below(5) == 0:
        return Close()
    return _unless_done(state, by, Grab(what, _one_of(pick, seats_in(state)))) or Close()


def _nearly_always_right(state: State, pick: Chance) -> Thing | None:
    right = RIGHT[state.call]
    if pick.below(10):
        return right
    return _one_of(pick, [thing for thing in THINGS if thing != right])


def _unless_done(state: State, by: Asker, command: Grab) -> Grab | None:
    return command if grab_again(state, by, command) is None else None


def _between(pick: Chance, least: int, most: int) -> int:
    return least + pick.below(most - least + 1)


def _one_of(pick: Chance, items: Sequence[T]) -> T:
    return items[pick.below(len(items))]
