"""giro-galoppo before the match: options, each error with its path, and what they make."""

from itertools import combinations, pairwise, permutations
from typing import Any

import msgspec
import pytest

from referee.core.game import BadOptions, complete_options
from referee.core.randomness import Chance
from referee.games.giro_galoppo import GAME
from referee.games.giro_galoppo.course import most, open_with
from referee.games.giro_galoppo.types import Course, Options
from tests.games.table import Table


def errors(options: dict[str, Any], seats: int = 2) -> dict[str, str]:
    """What is wrong with options: path → message, or nothing."""
    try:
        complete_options(GAME, msgspec.convert(options, Options), seats)
    except BadOptions as bad:
        return dict(bad.errors)
    return {}


def natural(*river: int, moor: tuple[int, ...] = (33,)) -> dict[str, Any]:
    """Options with other natural obstacles."""
    return {"natural_obstacles": {"river": list(river), "moor": list(moor)}}


def test_all_defaults_are_filled_in() -> None:
    """No options at all are the page's defaults, the age order that of the seats."""
    table = Table(GAME, seats=3)
    assert msgspec.to_builtins(table.options) == {
        "ties": "all-move",
        "length": 40,
        "natural_obstacles": {"river": (11, 24), "moor": (33,)},
        "age_order": (0, 1, 2),
    }


def test_completed_options_are_complete() -> None:
    """Completing twice changes nothing: a log's options can be read back."""
    once = GAME.complete(Options(age_order=(1, 0)), 2)
    assert GAME.complete(once, 2) == once


@pytest.mark.parametrize("length", [-(10**18), -1, 0, 19, 81, 10**18])
def test_a_length_out_of_range_is_refused(length: int) -> None:
    """20 to 80 spaces; natural obstacles that some course could have are not blamed."""
    assert list(errors({"length": length})) == ["options.length"]


@pytest.mark.parametrize("length", [37, 40, 80])
def test_lengths_from_37_do_with_the_default_obstacles(length: int) -> None:
    """The default moor on 33 wants four spaces behind it."""
    assert errors({"length": length}) == {}


@pytest.mark.parametrize(
    ("length", "paths"),
    [
        (36, ["options.natural_obstacles.moor[0]"]),
        (28, ["options.natural_obstacles.moor[0]"]),
        (20, ["options.natural_obstacles.river[1]", "options.natural_obstacles.moor[0]"]),
    ],
)
def test_a_short_course_needs_obstacles_of_its_own(length: int, paths: list[str]) -> None:
    """Below 37 the defaults are out of range, each with its path."""
    assert list(errors({"length": length})) == paths


@pytest.mark.parametrize(
    ("options", "path"),
    [
        (natural(0, 24), "options.natural_obstacles.river[0]"),
        (natural(11, 37), "options.natural_obstacles.river[1]"),
        (natural(11, -5), "options.natural_obstacles.river[1]"),
        (natural(11, 24, moor=(37,)), "options.natural_obstacles.moor[0]"),
        (natural(11, 24, moor=(0,)), "options.natural_obstacles.moor[0]"),
        (natural(11, 11), "options.natural_obstacles"),
        (natural(33, 24), "options.natural_obstacles"),
        ({"natural_obstacles": {"river": [11, 24]}}, "options.natural_obstacles"),
        ({"natural_obstacles": {"moor": [33]}}, "options.natural_obstacles"),
        (natural(11), "options.natural_obstacles.river"),
        (natural(), "options.natural_obstacles.river"),
        (natural(11, 20, 24), "options.natural_obstacles.river"),
        (natural(11, 24, moor=()), "options.natural_obstacles.moor"),
        (natural(11, 24, moor=(30, 33)), "options.natural_obstacles.moor"),
        ({"age_order": [0]}, "options.age_order"),
        ({"age_order": []}, "options.age_order"),
        ({"age_order": [0, 0]}, "options.age_order"),
        ({"age_order": [1, 2]}, "options.age_order"),
        ({"age_order": [0, 1, 2]}, "options.age_order"),
        ({"age_order": [-1, 0]}, "options.age_order"),
    ],
)
def test_each_wrong_option_is_refused_with_its_path(options: dict[str, Any], path: str) -> None:
    """One fault, one error, under the path of what is at fault."""
    assert list(errors(options)) == [path]


@pytest.mark.parametrize(
    "options",
    [natural(1, 4), natural(4, 2), natural(1, 2, moor=(3,)), natural(29, 35, moor=(36,))],
)
def test_the_borders_of_the_range_and_any_order_will_do(options: dict[str, Any]) -> None:
    """1 and length-4 are in range, spaces may adjoin, their order is free."""
    assert errors(options) == {}


def test_everything_wrong_is_told_at_once() -> None:
    """All errors, not only the first."""
    wrong = {
        "length": 30,
        "natural_obstacles": {"river": [0, 27, 28], "moor": [28]},
        "age_order": [1, 1],
    }
    with pytest.raises(BadOptions) as bad:
        complete_options(GAME, msgspec.convert(wrong, Options), 2)
    assert bad.value.errors == (
        ("options.natural_obstacles.river", "must be 2 values, not 3"),
        ("options.age_order", "must name each seat from 0 to 1 once"),
        ("options.natural_obstacles.river[0]", "must be 1 to 26, not 0"),
        ("options.natural_obstacles.river[1]", "must be 1 to 26, not 27"),
        ("options.natural_obstacles.river[2]", "must be 1 to 26, not 28"),
        ("options.natural_obstacles.moor[0]", "must be 1 to 26, not 28"),
        ("options.natural_obstacles", "two of them are on the same space"),
    )


@pytest.mark.parametrize(
    ("options", "at"),
    [
        ({"ties": "nobody"}, "$.ties"),
        ({"length": "40"}, "$.length"),
        ({"length": 40.0}, "$.length"),
        ({"length": True}, "$.length"),
        ({"natural_obstacles": None}, "$.natural_obstacles"),
        (
            {"natural_obstacles": {"river": [11, None], "moor": [33]}},
            "$.natural_obstacles.river[1]",
        ),
        ({"natural_obstacles": {"river": [11, 24], "moor": 33}}, "$.natural_obstacles.moor"),
        ({"natural_obstacles": {"bog": [33]}}, "$.natural_obstacles"),
        ({"age_order": "01"}, "$.age_order"),
        ({"age_order": [0, 1.5]}, "$.age_order[1]"),
        ({"widht": 3}, "unknown field"),
    ],
)
def test_wrong_types_words_and_fields_do_not_decode(options: dict[str, Any], at: str) -> None:
    """The schema refuses them, naming the place."""
    with pytest.raises(msgspec.ValidationError) as wrong:
        msgspec.json.decode(msgspec.json.encode(options), type=Options)
    assert at in str(wrong.value)


def test_the_schema_tells_the_bounds_of_the_length() -> None:
    """A client reads 20 and 80 in the JSON Schema of the options."""
    schema = msgspec.json.schema(Options)["$defs"]["Options"]["properties"]["length"]
    assert (schema["minimum"], schema["maximum"], schema["default"]) == (20, 80, 40)


def test_the_first_state() -> None:
    """Horses in the gate, full hands, the youngest to place, river and moor as given."""
    natural_obstacles = {"river": [24, 11], "moor": [33]}
    options = {"age_order": [2, 0, 1], "natural_obstacles": natural_obstacles}
    state = Table(GAME, seats=3, options=options).state
    assert (state.phase, state.round, state.placing) == ("obstacles", 0, 2)
    assert state.course == Course(40, (24, 11), (33,), ())
    assert (state.spaces, state.hand_counts) == ((0, 0, 0), (6, 6, 6))
    assert GAME.to_act(state) == (2,)


def test_varied_options_are_lawful_and_vary_everything() -> None:
    """Trials see both ways of ties, the borders of the length, defaults, rivers in any order."""
    seen: set[tuple[str, Any]] = set()
    pick = Chance(bytes(32), "vary", [])
    for trial in range(600):
        options = GAME.vary(pick, 2 + trial % 4)
        assert errors(options, 2 + trial % 4) == {}
        seen |= {("has", key) for key in options} | {("lacks", key) for key in _KEYS - set(options)}
        seen |= {("ties", options.get("ties")), ("length", options.get("length"))}
        river = options.get("natural_obstacles", {}).get("river")
        seen.add(("river", river and river[0] < river[1]))
    wanted: set[tuple[str, Any]] = {(word, key) for word in ("has", "lacks") for key in _KEYS}
    wanted |= {("ties", "all-move"), ("ties", "rearmost-only"), ("length", 20), ("length", 80)}
    assert wanted | {("river", True), ("river", False)} <= seen


_KEYS = {"ties", "length", "natural_obstacles", "age_order"}


# ── There is always room ──────────────────────────────────────────────────────────────────────────


def apart(spaces: tuple[int, ...]) -> bool:
    """No two of these spaces (ascending) are the same or adjoin."""
    return all(high - low > 1 for low, high in pairwise(spaces))


def test_five_obstacles_two_of_them_late_fit_every_course() -> None:
    """Over every choice of natural obstacles of the three shortest courses."""
    for length in (20, 21, 22):
        for trio in combinations(range(1, length - 3), 3):
            course = Course(length, trio[:2], trio[2:])
            free = open_with(course, trio[0])
            assert most(free, 9) >= 5
            assert most(free >> trio[2], 9) >= 2


def test_most_is_the_largest_set_of_spaces_with_gaps() -> None:
    """Against trying every set, for every pattern of nine spaces."""
    for pattern in range(1 << 9):
        spaces = [space for space in range(9) if pattern >> space & 1]
        largest = max(
            size
            for size in range(6)
            if any(apart(chosen) for chosen in combinations(spaces, size)) or size == 0
        )
        assert most(pattern, 9) == largest
        assert most(pattern, 2) == min(largest, 2)


def completions(course: Course, space: int) -> bool:
    """Whether, by trying everything, the rest can be placed lawfully after one on `space`."""
    placed = (*course.obstacles, space)
    natural_spaces = (*course.river, *course.moor)
    fixed = (*placed, *natural_spaces)
    last, rest = max(natural_spaces), 5 - len(placed)
    free = [one for one in range(1, course.length + 1) if all(abs(one - x) > 1 for x in fixed)]
    return any(
        apart(more) and sum(one > last for one in (*placed, *more)) >= 2
        for more in combinations(free, rest)
    )


@pytest.mark.parametrize("trial", range(30))
def test_exactly_those_placings_are_lawful_after_which_the_rest_can_be_placed(trial: int) -> None:
    """`legal` against trying every completion, along random placings on short courses."""
    play_against_completions(f"completions {trial}")


@pytest.mark.long
def test_lawful_placings_at_length() -> None:
    """The same, many more times."""
    for trial in range(1500):
        play_against_completions(f"completions at length {trial}")


def play_against_completions(name: str) -> None:
    """Place five obstacles at random, comparing what is legal with what can be completed."""
    pick = Chance(bytes(32), name, [])
    length = 20 + pick.below(4)
    trios = list(combinations(range(1, length - 3), 3))
    trio = pick.shuffle(trios[pick.below(len(trios))])
    options = {"length": length, **natural(*trio[:2], moor=trio[2:])}
    table = Table(GAME, seats=2, options=options)
    while table.state.phase == "obstacles":
        (seat,) = GAME.to_act(table.state)
        course, legal = table.state.course, table.legal(seat)
        held = (*course.river, *course.moor, *course.obstacles)
        assert [form.space for form in legal] == [  # type: ignore[attr-defined]
            space
            for space in range(1, length + 1)
            if all(abs(space - other) > 1 for other in held) and completions(course, space)
        ], (name, course)
        table.when(seat, legal[pick.below(len(legal))])


def test_age_orders_of_three_seats() -> None:
    """Every order of the seats is lawful, and the first of it places first."""
    for order in permutations(range(3)):
        state = Table(GAME, seats=3, options={"age_order": list(order)}).state
        assert state.placing == order[0]
