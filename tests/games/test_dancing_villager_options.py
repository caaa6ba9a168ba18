"""dancing-villager's options: defaults, ranges, and sets under which no match can be played."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from referee.core.game import BadOptions, complete_options
from referee.core.randomness import Chance
from referee.games.dancing_villager import GAME
from referee.games.dancing_villager.types import Options, PoseWeights


def complete(seats: int = 2, **options: Any) -> Options:
    """The options as a match would have them."""
    asked = msgspec.convert(options, Options)
    completed: Options = complete_options(GAME, asked, seats)
    return completed


def paths(seats: int = 2, **options: Any) -> list[str]:
    """The paths of all errors of some options."""
    with pytest.raises(BadOptions) as caught:
        complete(seats, **options)
    return [path for path, _ in caught.value.errors]


def weights(**changed: int) -> dict[str, int]:
    """The default weights with some of them changed."""
    return {"flat": 46, "up": 30, "down": 16, "leaning": 5, "standing": 3} | changed


@pytest.mark.parametrize(("seats", "villagers"), [(2, 6), (3, 4), (4, 3)])
def test_the_seats_decide_how_many_villagers_each_has(seats: int, villagers: int) -> None:
    """The printed start numbers are filled in."""
    assert complete(seats).villagers == villagers
    assert GAME.start(complete(seats), seats).villagers == (villagers,) * seats


def test_the_defaults_are_the_pages() -> None:
    """Every default is filled in, in the page's order."""
    assert msgspec.to_builtins(complete(3)) == {
        "mode": "virtual",
        "scorer": None,
        "villagers": 4,
        "charcoal": 3,
        "meat": 5,
        "dogs": 25,
        "target": 7,
        "first_dog_seat": 0,
        "pose_weights": weights(),
        "on_top_weight": 4,
        "window_ms": 5000,
        "max_rounds": None,
    }


def test_what_is_asked_for_stays() -> None:
    """Given numbers are kept."""
    asked = {
        "mode": "table",
        "scorer": 1,
        "villagers": 12,
        "charcoal": 20,
        "meat": 1,
        "dogs": 99,
        "target": 24,
        "first_dog_seat": 3,
        "pose_weights": weights(up=0, flat=1000),
        "on_top_weight": 100,
        "window_ms": 600_000,
        "max_rounds": 1,
    }
    assert msgspec.to_builtins(complete(4, **asked)) == asked


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("villagers", 1, 12),
        ("charcoal", 1, 20),
        ("meat", 1, 20),
        ("on_top_weight", 0, 100),
        ("window_ms", 1, 600_000),
        ("first_dog_seat", 0, 1),
    ],
)
def test_a_number_out_of_its_range_is_named(name: str, least: int, most: int) -> None:
    """One below and one above are refused with their path, both ends are taken."""
    assert paths(**{name: least - 1}) == [f"options.{name}"]
    assert paths(**{name: most + 1}) == [f"options.{name}"]
    assert getattr(complete(**{name: least}), name) == least
    assert getattr(complete(**{name: most}), name) == most


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"target": 0}, "options.target"),
        ({"target": 25, "dogs": 99}, "options.target"),
        ({"dogs": 0}, "options.dogs"),
        ({"dogs": 100}, "options.dogs"),
        ({"max_rounds": 0}, "options.max_rounds"),
        ({"max_rounds": -1}, "options.max_rounds"),
        ({"mode": "table", "scorer": 2}, "options.scorer"),
        ({"mode": "table", "scorer": -1}, "options.scorer"),
        ({"scorer": 0}, "options.scorer"),
        ({"pose_weights": weights(flat=-1)}, "options.pose_weights.flat"),
        ({"pose_weights": weights(standing=1001)}, "options.pose_weights.standing"),
        ({"pose_weights": weights(up=0, standing=0)}, "options.pose_weights"),
    ],
)
def test_options_that_cannot_be_played_are_refused(options: dict[str, Any], path: str) -> None:
    """Each with its own path."""
    assert paths(**options) == [path]


@pytest.mark.parametrize(
    ("seats", "target", "least"), [(2, 7, 13), (4, 7, 25), (4, 24, 93), (3, 1, 1)]
)
def test_the_village_may_never_run_empty(seats: int, target: int, least: int) -> None:
    """One dog more than all seats can hold without winning; one fewer is refused."""
    assert complete(seats, target=target, dogs=least).dogs == least
    assert paths(seats, target=target, dogs=least - 1) == ["options.dogs"]


def test_the_dogs_of_the_box_may_be_too_few_for_a_target() -> None:
    """The default number of dogs is judged like any other."""
    assert paths(4, target=8) == ["options.dogs"]


def test_all_errors_are_told_at_once() -> None:
    """Not only the first."""
    assert paths(
        villagers=0,
        meat=21,
        dogs=5,
        first_dog_seat=2,
        scorer=0,
        pose_weights=weights(down=-5, leaning=1001),
    ) == [
        "options.villagers",
        "options.meat",
        "options.first_dog_seat",
        "options.pose_weights.down",
        "options.pose_weights.leaning",
        "options.scorer",
        "options.dogs",
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "paper"},
        {"villagers": "6"},
        {"villagers": 6.5},
        {"dogs": True},
        {"dogs": None},
        {"pose_weights": {"flat": 1, "up": 1, "down": 1, "leaning": 1}},
        {"pose_weights": {**weights(), "sitting": 1}},
        {"colour": "red"},
    ],
)
def test_the_schema_refuses_what_is_no_option(options: dict[str, Any]) -> None:
    """Other words, other types, a missing weight, an unknown field."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(options, Options)


def test_the_default_weights_are_a_hundred() -> None:
    """They read as chances in a hundred."""
    assert sum(msgspec.structs.astuple(Options().pose_weights)) == 100
    assert Options().pose_weights == PoseWeights(46, 30, 16, 5, 3)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_trials_use_every_option(seats: int) -> None:
    """Varied options are lawful, bounded by rounds, and leave no option and no mode out."""
    pick = Chance(bytes(32), "vary", [])
    varied = [GAME.vary(pick, seats) for _ in range(300)]
    for options in varied:
        assert complete(seats, **options).max_rounds is not None
    used = {name for options in varied for name in options}
    assert used == set(Options.__struct_fields__)
    modes = {options.get("mode", "virtual") for options in varied}
    assert modes == {"virtual", "table"}
    scorers = {options["scorer"] for options in varied if "scorer" in options}
    assert scorers == {None, *range(seats)}


BOUNDS = {
    "scorer": (0, 3),
    "villagers": (1, 12),
    "charcoal": (1, 20),
    "meat": (1, 20),
    "dogs": (1, 99),
    "target": (1, 24),
    "first_dog_seat": (0, 3),
    "on_top_weight": (0, 100),
    "window_ms": (1, 600_000),
    "max_rounds": (1, 1_000_000),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_the_schema_tells_the_ranges(name: str) -> None:
    """A client that reads it need not try them out; what depends on the seats is judged alone."""
    schema = msgspec.json.schema(Options)["$defs"]["Options"]["properties"][name]
    number = schema["anyOf"][0] if "anyOf" in schema else schema
    assert (number["type"], number["minimum"], number["maximum"]) == ("integer", *BOUNDS[name])


def test_the_schema_tells_the_range_of_every_weight() -> None:
    """The same for all poses."""
    weighed = msgspec.json.schema(Options)["$defs"]["PoseWeights"]["properties"]
    assert list(weighed) == ["flat", "up", "down", "leaning", "standing"]
    assert {(one["minimum"], one["maximum"]) for one in weighed.values()} == {(0, 1000)}
