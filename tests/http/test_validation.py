"""Finding all that is wrong with a body, each by its path."""

from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

from referee.http.validation import faults
from referee.service.asking.bodies import MOST
from referee.service.errors import Part


class Inner(Struct, forbid_unknown_fields=True):
    """A nested struct."""

    seat: int
    place: Annotated[int, Meta(ge=1)] | None = None


class Outer(Struct, forbid_unknown_fields=True):
    """Everything that bodies are made of."""

    name: Annotated[str, Meta(min_length=1, max_length=3)]
    deck: tuple[int, ...] | UnsetType = UNSET
    pair: tuple[int, str] | None = None
    rows: tuple[Inner, ...] = ()
    kind: Literal["a", "b"] = "a"
    inner: Inner | None = None
    scores: dict[str, int] = {}
    from_: int = msgspec.field(default=0, name="from")


class Red(Struct, tag_field="type", tag="red", forbid_unknown_fields=True):
    """One of two tagged structs."""

    card: int


class Blue(Struct, tag_field="type", tag="blue", forbid_unknown_fields=True):
    """The other."""

    cards: tuple[int, ...]


def found(value: Any, wanted: Any = Outer, path: str = "") -> list[str]:
    """The paths at which something is wrong."""
    return [at for at, _ in faults((Part(value, wanted, path),), "Expected something")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, ["name"]),
        ({"name": ""}, ["name"]),
        ({"name": "abcd"}, ["name"]),
        ({"name": 1, "deck": [1, "x", 3, None]}, ["name", "deck[1]", "deck[3]"]),
        ({"name": "a", "deck": "x"}, ["deck"]),
        ({"name": "a", "deck": None}, ["deck"]),
        ({"name": "a", "pair": [1, 2]}, ["pair[1]"]),
        ({"name": "a", "pair": [1]}, ["pair"]),
        ({"name": "a", "pair": 5}, ["pair"]),
        (
            {"name": "a", "rows": [{"seat": 0}, {"seat": "x", "z": 1}]},
            ["rows[1].seat", "rows[1].z"],
        ),
        ({"name": "a", "rows": [{"seat": 0, "place": 0}]}, ["rows[0].place"]),
        ({"name": "a", "rows": {}}, ["rows"]),
        ({"name": "a", "kind": "c"}, ["kind"]),
        ({"name": "a", "inner": {}}, ["inner.seat"]),
        ({"name": "a", "inner": [1]}, ["inner"]),
        ({"name": "a", "scores": {"x": 1, "y": "z"}}, ["scores.y"]),
        ({"name": "a", "from": "x", "from_": 1, "more": 1}, ["from", "from_", "more"]),
        ([], [""]),
        (None, [""]),
    ],
)
def test_names_every_field_that_is_wrong(value: Any, expected: list[str]) -> None:
    """All the faults are named, in the order of the type's fields, and none that is not there."""
    assert found(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"type": "red", "card": "x"}, ["card"]),
        ({"type": "blue", "cards": [1, []], "card": 1}, ["cards[1]", "card"]),
        ({"type": "green"}, ["type"]),
        ({"type": 5}, ["type"]),
        ({"card": 1}, ["type"]),
        ("red", [""]),
    ],
)
def test_takes_a_tagged_value_at_its_word(value: Any, expected: list[str]) -> None:
    """Of several commands the one that the value names is what it is held to."""
    assert found(value, Red | Blue) == expected


def test_begins_paths_where_the_value_stands() -> None:
    """Options are walked by themselves, and named with where they are."""
    assert found({"deck": ["x"]}, Outer, "options") == ["options.name", "options.deck[0]"]
    assert found(7, Outer, "options") == ["options"]


def test_falls_back_on_the_decoders_word() -> None:
    """Where the walk finds nothing, what the decoder said is passed on, with its path."""
    told = faults((), "Expected `int`, got `str` - at `$.a[0].b`")

    assert told == [("a[0].b", "expected `int`, got `str`")]


def test_names_only_so_many() -> None:
    """An answer stays small, however much is wrong."""
    assert len(found({"name": "a", "deck": ["x"] * 1000})) == MOST


@pytest.mark.parametrize(
    "value",
    [
        {"name": "a"},
        {"name": "a", "deck": [1], "rows": [{"seat": 1, "place": None}], "inner": None},
    ],
)
def test_agrees_with_the_decoder_about_good_values(value: Any) -> None:
    """What decodes has no faults, but for the decoder's own that it was called for."""
    msgspec.convert(value, Outer)

    assert found(value) == [""]
