"""Before the match: options judged and completed, the first state, options for trials."""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import asdict

from referee.core.randomness import Chance
from referee.games.giro_galoppo.types import GATE, RACING_CARDS, Completed, Course, Options, State

SHORTEST: Final = 20
LONGEST: Final = 80
KINDS: Final = ("river", "moor")
FINAL_STRETCH: Final = 4
"""At least so many spaces follow the last natural obstacle, so that two obstacles fit there."""


def faults(options: Options, _seats: int) -> Iterator[tuple[str, str]]:
    """What is wrong with the natural obstacles: left out, out of the course, two on one space."""
    path, natural = "options.natural_obstacles", options.natural_obstacles
    # Of a wrong length only what no length would allow is said.
    length = options.length if SHORTEST <= options.length <= LONGEST else LONGEST
    last = length - FINAL_STRETCH
    for kind in KINDS:
        if getattr(natural, kind) is UNSET:
            yield path, f"lacks `{kind}`"
        for index, space in enumerate(natural.of(kind)):
            if not 1 <= space <= last:
                yield f"{path}.{kind}[{index}]", f"must be 1 to {last}, not {space}"
    spaces = natural.of("river") + natural.of("moor")
    if len(set(spaces)) < len(spaces):
        yield path, "two of them are on the same space"


def complete(options: Options, seats: int) -> Completed:
    """The options with the order of age filled in: as the seats sit, where none is given."""
    chosen = asdict(options)
    return Completed(**{**chosen, "age_order": options.age_order or tuple(range(seats))})


def start(options: Completed, seats: int) -> State:
    """All horses in the gate, full hands, and the youngest about to place an obstacle."""
    natural = options.natural_obstacles
    return State(
        course=Course(options.length, natural.of("river"), natural.of("moor")),
        placing=options.age_order[0],
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
        **({"ties": pick.one_of(("all-move", "rearmost-only"))} if pick.below(4) else {}),
        **({"age_order": list(pick.shuffle(range(seats)))} if pick.below(2) else {}),
    }


def _vary_natural(pick: Chance, length: int) -> dict[str, list[int]]:
    spaces = pick.shuffle(range(1, length - FINAL_STRETCH + 1))
    return {"river": list(spaces[:2]), "moor": list(spaces[2:3])}
