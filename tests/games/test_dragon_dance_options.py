"""Dragon Dance: its options, each error with its path, and what trials choose."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from referee.core.game import BadOptions, complete_options
from referee.core.randomness import Chance
from referee.games.dragon_dance import GAME
from referee.games.dragon_dance.types import Block, Draw, Lay, Options


def errors(options: dict[str, Any], seats: int = 3) -> dict[str, str]:
    """The errors of these options by path; none where they can be played."""
    try:
        complete_options(GAME, msgspec.convert(options, Options), seats)
    except BadOptions as bad:
        return dict(bad.errors)
    return {}


def test_without_a_word_the_options_are_those_of_the_page() -> None:
    """Every default filled in."""
    assert msgspec.to_builtins(complete_options(GAME, Options(), 2)) == {
        "starter": 0,
        "hand": 7,
        "need": 15,
        "to_win": 2,
        "max_rounds": 12,
        "turning": "half",
        "faces": None,
    }


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("starter", 0, 2),
        ("hand", 3, 9),
        ("need", 0, 40),
        ("to_win", 1, 2),
        ("max_rounds", 1, 100),
    ],
)
def test_each_number_has_bounds(name: str, low: int, high: int) -> None:
    """Both ends can be played; one beyond is refused with its path and what it may be."""
    for value in (low, high):
        assert errors({name: value}) == {}
    for value in (low - 1, high + 1):
        assert list(errors({name: value})) == [f"options.{name}"]
        assert str(value) in errors({name: value})[f"options.{name}"]


def test_the_starter_is_a_seat_of_the_match() -> None:
    """Its bound follows from the number of seats."""
    assert errors({"starter": 4}, seats=5) == {}
    assert list(errors({"starter": 4}, seats=4)) == ["options.starter"]


def test_turning_is_one_of_two_words_and_unknown_options_are_refused() -> None:
    """The schema says so, with the path."""
    for options in ({"turning": "quarter"}, {"colour": "R"}, {"hand": "7"}, {"hand": True}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(options, Options)


@pytest.mark.parametrize(
    ("card", "face", "said"),
    [
        ("XYZ", "RRRR", "no card"),
        ("HRX", "RRYY", "no card"),
        ("ER4", "RRRR", "no card"),
        ("", "RRRR", "no card"),
        ("RYGB", "RYG", "four letters"),
        ("RYGB", "RYGBB", "four letters"),
        ("RYGB", "RYGX", "four letters"),
        ("RYGB", "rygb", "four letters"),
        ("HRY", "RYRY", "first two"),
        ("EB1", "BBBY", "alike"),
    ],
)
def test_faces_that_cannot_be_printed_on_their_cards_are_refused(
    card: str, face: str, said: str
) -> None:
    """With the path of the card."""
    found = errors({"faces": {card: face}})
    assert list(found) == [f"options.faces.{card}"]
    assert said in found[f"options.faces.{card}"]


def test_faces_of_every_kind_can_be_printed_otherwise() -> None:
    """A head with any tail, an egg of another colour, a scale with any letters."""
    assert errors({"faces": {"HRY": "GGRB", "EB1": "RRRR", "RYGB": "RRRY"}}) == {}
    assert errors({"faces": {}}) == {}


def test_all_errors_are_told_at_once() -> None:
    """Not only the first."""
    wrong = {"starter": 9, "hand": 99, "to_win": 0, "faces": {"EB1": "BBBY", "Q": "RRRR"}}
    assert set(errors(wrong)) == {
        "options.starter",
        "options.hand",
        "options.to_win",
        "options.faces.EB1",
        "options.faces.Q",
    }


def test_the_schema_tells_the_bounds() -> None:
    """A form made from it shows what numbers may be."""
    schema = msgspec.json.schema(Options)["$defs"]["Options"]["properties"]
    assert (schema["hand"]["minimum"], schema["hand"]["maximum"]) == (3, 9)


def test_trials_choose_lawful_options_and_every_variant_of_each() -> None:
    """Over a few hundred picks every word and every form of faces comes up, and each is absent."""
    pick = Chance(bytes(32), "vary", [])
    chosen = [GAME.vary(pick, 2 + number % 4) for number in range(400)]
    for number, options in enumerate(chosen):
        assert errors(options, 2 + number % 4) == {}
    for name, values in {
        "turning": {"half", "none"},
        "to_win": {1, 2},
        "hand": set(range(3, 10)),
        "starter": set(range(5)),
    }.items():
        assert {options[name] for options in chosen if name in options} == values
        assert any(name not in options for options in chosen)
    printed = [options["faces"] for options in chosen if "faces" in options]
    assert None in printed
    assert {} in printed
    assert any(map(bool, printed))


@pytest.mark.parametrize(
    "command",
    [
        {"type": "lay", "card": "RYGB", "x": 0, "y": 0},
        {"type": "lay", "card": "RYGBX", "x": 0, "y": 0, "turned": False},
        {"type": "lay", "card": "RYGB", "x": 101, "y": 0, "turned": False},
        {"type": "lay", "card": "RYGB", "x": 0, "y": -101, "turned": False},
        {"type": "lay", "card": "RYGB", "x": 0.5, "y": 0, "turned": False},
        {"type": "lay", "card": "RYGB", "x": 0, "y": 0, "turned": 1},
        {"type": "draw", "card": "RYGB"},
    ],
)
def test_commands_of_another_shape_are_no_commands(command: dict[str, Any]) -> None:
    """Each field is required, names have four characters at most, places are within 100."""
    kinds = Lay | Draw | Block
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(command, kinds)
    sound = {"type": "block", "card": "EB1", "x": -100, "y": 100, "turned": True}
    assert msgspec.convert(sound, kinds) == Block("EB1", -100, 100, turned=True)
