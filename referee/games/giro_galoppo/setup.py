"""Before the match: options checked and completed, the first state, options for trials."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import UnsetType
from msgspec.structs import replace

from referee.core.game import BadOptions
from referee.games.giro_galoppo.types import (
    GATE,
    RACING_CARDS,
    Course,
    NaturalObstacles,
    Options,
    State,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.core.randomness import Chance

SHORTEST: Final = 20
LONGEST: Final = 80
FIRST_NATURAL: Final = 2
FINAL_STRETCH: Final = 4
"""At least so many spaces follow the last natural obstacle, so that two obstacles fit there."""

Error = tuple[str, str]


def complete(options: Options, seats: int) -> Options:
    """``options`` with the defaults that depend on the number of ``seats`` filled in.

    Raises :class:`BadOptions` with everything that is wrong with them.
    """
    errors = [*_length_errors(options), *_natural_errors(options), *_age_errors(options, seats)]
    if errors:
        raise BadOptions(errors)
    if options.age_order is not None:
        return options
    return replace(options, age_order=tuple(range(seats)))


def _length_errors(options: Options) -> Iterator[Error]:
    if not SHORTEST <= options.length <= LONGEST:
        yield "options.length", f"must be {SHORTEST} to {LONGEST}, not {options.length}"


def _natural_errors(options: Options) -> Iterator[Error]:
    path, natural = "options.natural_obstacles", options.natural_obstacles
    for key, wanted, spaces in (("river", 2, natural.river), ("moor", 1, natural.moor)):
        if isinstance(spaces, UnsetType):
            yield path, f"lacks `{key}`"
        elif len(spaces) != wanted:
            yield f"{path}.{key}", f"must name {wanted} of the spaces, not {len(spaces)}"
    last = _last_natural(options)
    yield from _out_of_range(f"{path}.river", spaces_of(natural.river), last)
    yield from _out_of_range(f"{path}.moor", spaces_of(natural.moor), last)
    yield from _too_close(path, natural)


def _out_of_range(path: str, spaces: tuple[int, ...], last: int) -> Iterator[Error]:
    for index, space in enumerate(spaces):
        if not FIRST_NATURAL <= space <= last:
            yield f"{path}[{index}]", f"must be {FIRST_NATURAL} to {last}, not {space}"


def _too_close(path: str, natural: NaturalObstacles) -> Iterator[Error]:
    spaces = sorted(spaces_of(natural.river) + spaces_of(natural.moor))
    for one, other in combinations(spaces, 2):
        if other - one <= 1:
            yield path, f"spaces {one} and {other} are the same or adjoin"


def _age_errors(options: Options, seats: int) -> Iterator[Error]:
    order = options.age_order
    if order is not None and sorted(order) != list(range(seats)):
        yield "options.age_order", f"must name each seat from 0 to {seats - 1} once"


def _last_natural(options: Options) -> int:
    """The last space that may be natural; of a wrong length, what no length would allow."""
    length = options.length if SHORTEST <= options.length <= LONGEST else LONGEST
    return length - FINAL_STRETCH


def spaces_of(kind: tuple[int, ...] | UnsetType) -> tuple[int, ...]:
    """The spaces of one kind of natural obstacle; none for a key left out."""
    return () if isinstance(kind, UnsetType) else kind


def start(options: Options, seats: int) -> State:
    """All horses in the gate, full hands, and the youngest about to place an obstacle.

    ``options`` must be complete.
    """
    natural = options.natural_obstacles
    return State(
        phase="obstacles",
        course=Course(options.length, spaces_of(natural.river), spaces_of(natural.moor)),
        placing=cast("tuple[int, ...]", options.age_order)[0],
        round=0,
        spaces=(GATE,) * seats,
        hands=(RACING_CARDS,) * seats,
        hand_counts=(len(RACING_CARDS),) * seats,
        chosen=(None,) * seats,
        has_chosen=(False,) * seats,
        options=options,
    )


def vary(pick: Chance, seats: int) -> dict[str, Any]:
    """Random lawful options, as a client would send them: each one there or left out.

    Every third course is as short as can be: only there room for obstacles runs out.
    """
    length = SHORTEST + pick.below(LONGEST - SHORTEST + 1) * (pick.below(3) > 0)
    course = {"length": length, "natural_obstacles": _vary_natural(pick, length)}
    return {
        **(course if pick.below(4) else {}),
        **({"ties": ("all-move", "rearmost-only")[pick.below(2)]} if pick.below(4) else {}),
        **({"age_order": list(pick.shuffle(range(seats)))} if pick.below(2) else {}),
    }


def _vary_natural(pick: Chance, length: int) -> dict[str, list[int]]:
    # Three of a course two spaces shorter, then spread apart by one more each: none adjoin.
    choice = sorted(pick.shuffle(range(FIRST_NATURAL, length - FINAL_STRETCH - 1))[:3])
    spaces = pick.shuffle([space + gap for gap, space in enumerate(choice)])
    return {"river": list(spaces[:2]), "moor": list(spaces[2:])}
