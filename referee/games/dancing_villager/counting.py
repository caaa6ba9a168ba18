r"""Rolling the villagers, and what a roll adds up to.

The poses, and what a villager in one of them counts for::

    \o/   /o\   -o-   o/    |o|       one of them on another: twice the sticks, once
    up    down  flat  leans stands
    meat  coal  0     0     not counted: tames a dog
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

from referee.core.randomness import Chance
from referee.games.dancing_villager.types import (
    POSES,
    Call,
    Count,
    Kind,
    Pose,
    Roll,
    State,
    Thing,
    Villager,
)

HUNDRED: Final = 100

RIGHT: Final[Mapping[Call | None, Thing | None]] = {
    "tame": "dog",
    "assault": "bonfire",
    None: None,
}
"""What it is right to grab."""


def throw(state: State, chance: Chance) -> Roll:
    """Roll every seat's villagers, by seat, as the page fixes the draws."""
    fall = _falls(state, chance)
    return tuple(tuple(next(fall) for _ in range(number)) for number in state.villagers)


def _falls(state: State, chance: Chance) -> Iterator[Villager]:
    """The villagers one by one, by seat: a pose, then whether it lies on another one."""
    poses: dict[Pose, int] = {pose: getattr(state.options.pose_weights, pose) for pose in POSES}
    piles = {"on another": state.options.on_top_weight}
    piles["on the table"] = HUNDRED - piles["on another"]
    seats = (seat for seat, number in enumerate(state.villagers) for _ in range(number))
    for place, seat in enumerate(seats):
        pose = chance.about("how a villager falls", seat).weighted(poses)
        where = "on the table"  # for the first: nothing lies there yet to lie on
        if place and _may_pile(pose):
            where = chance.about("where it comes to lie", seat).weighted(piles)
        yield Villager(pose, on_top=where == "on another")


def _may_pile(pose: Pose) -> bool:
    return pose in {"flat", "up", "down"}


def draws_of(roll: Roll) -> int:
    """How many draw numbers rolling `roll` took: one a villager, one more where it may pile."""
    villagers = tuple(chain.from_iterable(roll))
    return len(villagers) + sum(_may_pile(villager.pose) for villager in villagers[1:])


def counted(roll: Roll) -> Count:
    """What a roll adds up to (rulings `net-count`, `pile-doubles`, `leaning-zero`).

    Hands-up less hands-down takes meat, the other way round charcoal; one on another doubles.
    """
    villagers = tuple(chain.from_iterable(roll))
    poses = [villager.pose for villager in villagers]
    up, down = poses.count("up"), poses.count("down")
    doubled = any(villager.on_top for villager in villagers)
    sticks = abs(up - down) * (2 if doubled else 1)
    removes: Kind | None = None if up == down else "meat" if up > down else "charcoal"
    return Count(up, down, doubled, removes, sticks)


def call_of(count: Count, *, charcoal: int, meat: int) -> Call | None:
    """What a count calls for with so many sticks left (ruling `runs-out`).

    A kind runs out when the sticks to remove are at least those left of it: then `tame` or
    `assault`.
    """
    if count.removes == "meat":
        return "tame" if count.sticks >= meat else None
    if count.removes == "charcoal":
        return "assault" if count.sticks >= charcoal else None
    return None


def standing(roll: Roll) -> tuple[int, ...]:
    """How many villagers of each seat stand (ruling `standing-tames`)."""
    return tuple([[villager.pose for villager in own].count("standing") for own in roll])


def all_flat(roll: Roll) -> bool:
    """Whether every villager lies flat, in piles or not (ruling `all-flat`)."""
    return all(villager.pose == "flat" for villager in chain.from_iterable(roll))
