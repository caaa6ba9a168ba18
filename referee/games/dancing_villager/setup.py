"""Options of dancing-villager, judged and completed, and the table before the first roll."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import asdict, replace

from referee.core.game import BadOptions
from referee.games.dancing_villager.types import RANGES, WEIGHTS, Options, State

VILLAGERS_BY_SEATS: Final = {2: 6, 3: 4, 4: 3}
"""Villagers that each seat starts with, by the number of seats (rulebook, preparation)."""

_Errors = Iterator[tuple[str, str]]


def complete(options: Options, seats: int) -> Options:
    """The options with the start number of villagers filled in.

    Raises :class:`BadOptions` naming every option that is out of its range, and sets of options
    under which no match can be played (``options.dogs``: the village would run empty;
    ``options.pose_weights``: nobody could ever get a dog).
    """
    if options.villagers is None:
        options = replace(options, villagers=VILLAGERS_BY_SEATS[seats])
    errors = [*_out_of_range(options), *_bad_seats(options, seats)]
    errors += [*_too_few_dogs(options, seats), *_bad_weights(options)]
    if errors:
        raise BadOptions(errors)
    return options


def _out_of_range(options: Options) -> _Errors:
    for name, (least, most) in RANGES.items():
        value: int | None = getattr(options, name)
        if value is not None and not least <= value <= most:
            yield f"options.{name}", f"{value} is not within {least}..{most}"


def _bad_seats(options: Options, seats: int) -> _Errors:
    if not 0 <= options.first_dog_seat < seats:
        yield "options.first_dog_seat", f"{options.first_dog_seat} is not within 0..{seats - 1}"
    if options.scorer is None:
        return
    if options.mode == "virtual":
        yield "options.scorer", "nobody reports in virtual play: a scorer is for table mode"
    elif not 0 <= options.scorer < seats:
        yield "options.scorer", f"{options.scorer} is not within 0..{seats - 1}"


def _too_few_dogs(options: Options, seats: int) -> _Errors:
    needed = seats * (options.target - 1) + 1
    if 1 <= options.dogs < needed and options.target <= RANGES["target"][1]:
        message = f"with {options.dogs} the village can run empty: at least {needed} are needed"
        yield "options.dogs", message


def _bad_weights(options: Options) -> _Errors:
    least, most = WEIGHTS
    for pose, weight in asdict(options.pose_weights).items():
        if not least <= weight <= most:
            yield f"options.pose_weights.{pose}", f"{weight} is not within {least}..{most}"
    if options.pose_weights.up == options.pose_weights.standing == 0:
        yield "options.pose_weights", "up or standing must be above 0, or nobody ever gets a dog"


def start(options: Options, seats: int) -> State:
    """The table before the first roll: one dog in the village, every seat with its villagers.

    ``options`` are completed ones.
    """
    nobody = (False,) * seats
    return State(
        phase="ready",
        round=1,
        roll=0,
        villagers=(start_number(options),) * seats,
        dogs=(0,) * seats,
        village=1,
        pack=options.dogs - 1,
        dog_seat=options.first_dog_seat,
        charcoal=options.charcoal,
        meat=options.meat,
        ready=nobody,
        last_roll=None,
        count=None,
        call=None,
        grabs=(),
        bonfire_by=None,
        mistakes=nobody,
        window_ends=None,
        out=nobody,
        options=options,
    )


def start_number(options: Options) -> int:
    """The villagers that a seat starts with, 1..12; ``options`` are completed ones."""
    if options.villagers is None:
        raise ValueError("the options are not completed")
    return options.villagers
