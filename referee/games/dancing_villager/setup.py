"""Before the match: options judged and completed, the table before the first roll, trials."""

from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import asdict

from referee.core.randomness import Chance
from referee.games.dancing_villager.types import MOST_DOGS, Completed, Options, State

VILLAGERS_BY_SEATS: Final = {2: 6, 3: 4, 4: 3}
"""Villagers that each seat starts with, by the number of seats (rulebook, preparation)."""


def faults(options: Options, seats: int) -> Iterator[tuple[str, str]]:
    """What is wrong with options together: nobody could report, or play could not go on."""
    if options.scorer is not None and options.mode == "virtual":
        yield "options.scorer", "nobody reports in virtual play: a scorer is for table mode"
    needed = seats * (options.target - 1) + 1
    if options.dogs < needed <= MOST_DOGS:
        message = f"with {options.dogs} the village can run empty: at least {needed} are needed"
        yield "options.dogs", message
    if options.pose_weights.up == options.pose_weights.standing == 0:
        yield "options.pose_weights", "up or standing must be above 0, or nobody ever gets a dog"


def complete(options: Options, seats: int) -> Completed:
    """The options with the villagers that each seat starts with."""
    villagers = options.villagers or VILLAGERS_BY_SEATS[seats]
    return Completed(**{**asdict(options), "villagers": villagers})


def start(options: Completed, seats: int) -> State:
    """The table before the first roll: one dog in the village, every seat with its villagers."""
    nobody = (False,) * seats
    return State(
        villagers=(options.villagers,) * seats,
        dogs=(0,) * seats,
        pack=options.dogs - 1,
        dog_seat=options.first_dog_seat,
        charcoal=options.charcoal,
        meat=options.meat,
        ready=nobody,
        mistakes=nobody,
        out=nobody,
        options=options,
    )


def vary(pick: Chance, seats: int) -> dict[str, Any]:
    """Random lawful options as a client would send them, of either mode.

    `max_rounds` is always given, and a roll is never likely to move nothing: trials end.
    """
    options: dict[str, Any] = {"max_rounds": pick.between(1, 8)}
    if pick.below(3) == 0:
        options |= {"mode": "table", "scorer": pick.one_of([None, *range(seats)])}
    if pick.below(3) > 0:
        options |= _varied_numbers(pick, seats)
    if pick.below(2):
        options["pose_weights"] = _varied_weights(pick)
    return options


def _varied_numbers(pick: Chance, seats: int) -> dict[str, Any]:
    target = pick.between(1, 24)
    return {
        "villagers": pick.one_of([None, 1, 1, 2, 2, *range(1, 13)]),
        "charcoal": pick.between(1, 20),
        "meat": pick.between(1, 20),
        "dogs": pick.between(seats * (target - 1) + 1, 99),
        "target": target,
        "first_dog_seat": pick.below(seats),
        "on_top_weight": pick.one_of([0, 4, 50, 100]),
        "window_ms": pick.one_of([1, 5000, 600_000]),
    }


def _varied_weights(pick: Chance) -> dict[str, int]:
    """Hands-up always outweigh hands-down, so that a round's meat runs out before long."""
    down = pick.one_of([0, 5, 100])
    return {
        "flat": pick.one_of([0, 46, 1000]),
        "up": down + pick.between(100, 400),
        "down": down,
        "leaning": pick.one_of([0, 5, 50]),
        "standing": pick.one_of([0, 3, 30]),
    }
