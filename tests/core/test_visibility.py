"""Views fail closed: what no annotation shows is hidden, wherever it is nested."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Struct, field

from referee.core.game import Event
from referee.core.visibility import (
    ORGANIZER,
    SPECTATOR,
    Internal,
    OwnEntry,
    Public,
    Scope,
    Secret,
    SecretEntries,
    ToSeat,
    ToSeatMasked,
    Viewer,
    entries_seen_if,
    is_own,
    listed_if,
    masked_unless,
    redact,
    seat_viewer,
    seen_if,
    visibility_of,
)
from referee.schemas import schema_of, shown

ONE = seat_viewer(1)
TWO = seat_viewer(2)


def seen(value: Struct, viewer: Viewer, state: Any = None, *, finished: bool = False) -> Any:
    """The value as the viewer's JSON has it."""
    redacted = redact(value, Scope(viewer, state, finished))
    return msgspec.json.decode(msgspec.json.encode(redacted))


class Markers(Struct, frozen=True):
    """A field of every kind."""

    public: Public[int]
    own: OwnEntry[tuple[str, ...]]
    entries: SecretEntries[tuple[str, ...]]
    secret: Secret[str]
    internal: Internal[str]
    forgotten: str


MARKERS = Markers(7, ("a", "b", "c"), ("x", "y"), "hush", "notes", "unsaid")


@pytest.mark.parametrize(
    ("viewer", "own", "entries", "secret", "forgotten"),
    [
        (ORGANIZER, ["a", "b", "c"], ["x", "y"], "hush", "unsaid"),
        (ONE, [None, "b", None], [None, None], None, None),
        (SPECTATOR, [None, None, None], [None, None], None, None),
    ],
    ids=str,
)
def test_each_marker_shows_what_it_says(
    viewer: Viewer, own: Any, entries: Any, secret: Any, forgotten: Any
) -> None:
    """The organizer sees all but bookkeeping; a field that says nothing is the organizer's."""
    assert seen(MARKERS, viewer) == {
        "public": 7,
        "own": own,
        "entries": entries,
        "secret": secret,
        "forgotten": forgotten,
    }


def test_keys_stand_in_the_order_of_the_fields() -> None:
    """A view's keys follow the struct, for every viewer alike."""
    wanted = ["public", "own", "entries", "secret", "forgotten"]
    assert list(seen(MARKERS, ONE)) == list(seen(MARKERS, ORGANIZER)) == wanted


class Told(Event, frozen=True):
    """An event to one seat."""

    seat: Public[int]
    card: ToSeat[int]
    cards: ToSeatMasked[tuple[int, ...]]
    from_: Secret[int] = field(name="from", default=3)


@pytest.mark.parametrize(
    ("viewer", "card", "cards", "origin"),
    [
        (ORGANIZER, 4, [5, 6], 3),
        (ONE, 4, [5, 6], None),
        (TWO, None, [None, None], None),
        (SPECTATOR, None, [None, None], None),
    ],
    ids=str,
)
def test_an_event_to_a_seat_is_told_to_that_seat(
    viewer: Viewer, card: Any, cards: Any, origin: Any
) -> None:
    """The tag comes first, wire names are kept, a masked list keeps its length."""
    told = seen(Told(1, 4, (5, 6)), viewer)
    assert list(told.items()) == [
        ("type", "told"),
        ("seat", 1),
        ("card", card),
        ("cards", cards),
        ("from", origin),
    ]


class Card(Struct, frozen=True):
    """A card whose face only its owner knows."""

    seat: Public[int]
    face: Annotated[str, seen_if(is_own)]


class Pile(Struct, frozen=True):
    """Another struct, for unions."""

    size: Public[int]
    top: Secret[str]


class Nested(Struct, frozen=True):
    """Structs wherever a value can hold them."""

    one: Public[Card]
    maybe: Public[Card | None]
    none: Public[Card | None]
    many: Public[tuple[Card, ...]]
    pair: Public[tuple[int, Card]]
    deep: Public[tuple[tuple[Card, ...], ...]]
    named: Public[dict[str, Card]]
    either: Public[Card | Pile]
    lists: Public[list[Card]]


CARD = Card(1, "K")
NESTED = Nested(
    CARD, CARD, None, (CARD, CARD), (9, CARD), ((CARD,), ()), {"k": CARD}, Pile(3, "Q"), [CARD]
)


@pytest.mark.parametrize(("viewer", "face"), [(ONE, "K"), (TWO, None), (SPECTATOR, None)], ids=str)
def test_structs_are_redacted_wherever_they_are_nested(viewer: Viewer, face: str | None) -> None:
    """Optionals, tuples of one type and of several, tuples of tuples, maps, unions, lists."""
    card = {"seat": 1, "face": face}
    assert seen(NESTED, viewer) == {
        "one": card,
        "maybe": card,
        "none": None,
        "many": [card, card],
        "pair": [9, card],
        "deep": [[card], []],
        "named": {"k": card},
        "either": {"size": 3, "top": None},
        "lists": [card],
    }


class Hands(Struct, frozen=True):
    """Own entries that hold structs with secrets of their own."""

    hands: OwnEntry[tuple[tuple[Card, ...], ...]]


def test_what_a_seat_may_see_is_redacted_further_inside() -> None:
    """An own entry shows only what the structs in it show."""
    hands = Hands(((Card(0, "A"),), (Card(1, "B"), Card(2, "C"))))
    own = [{"seat": 1, "face": "B"}, {"seat": 2, "face": None}]
    assert seen(hands, ONE) == {"hands": [None, own]}
    assert seen(hands, ORGANIZER)["hands"][0] == [{"seat": 0, "face": "A"}]


class ByState(Struct, frozen=True):
    """Fields that depend on the state around them."""

    late: Annotated[int, seen_if(lambda _holder, scope: scope.finished)]
    open: Annotated[
        tuple[int, ...], entries_seen_if(lambda _holder, scope, index: scope.state[index])
    ]
    count: Annotated[tuple[int, ...], masked_unless(lambda _holder, scope: scope.finished)]


def test_a_rule_may_ask_the_state_and_whether_it_is_over() -> None:
    """The scope says how the match stands."""
    value = ByState(1, (2, 3), (4, 5))
    assert seen(value, SPECTATOR, (True, False)) == {
        "late": None,
        "open": [2, None],
        "count": [None, None],
    }
    assert seen(value, SPECTATOR, (False, False), finished=True) == {
        "late": 1,
        "open": [None, None],
        "count": [4, 5],
    }


def _is_own_or_open(holder: Any, scope: Scope, index: int) -> bool:
    return scope.viewer.seat == holder.cards[index].seat or bool(scope.finished)


class Table(Struct, frozen=True):
    """Cards that lie behind a screen: not even how many there are is known."""

    cards: Annotated[tuple[Card, ...], listed_if(_is_own_or_open)]


def test_a_list_may_leave_out_what_is_hidden() -> None:
    """Neither a null nor the length tells of it; what is there is redacted further inside."""
    table = Table((Card(1, "A"), Card(2, "B"), Card(1, "C")))
    own = [{"seat": 1, "face": "A"}, {"seat": 1, "face": "C"}]
    assert seen(table, ONE) == {"cards": own}
    assert seen(table, SPECTATOR) == {"cards": []}
    assert len(seen(table, ORGANIZER)["cards"]) == 3
    assert seen(table, ONE, finished=True)["cards"][1] == {"seat": 2, "face": None}


def test_a_list_that_leaves_out_has_no_nulls_in_its_schema() -> None:
    """A reader never has to think of an entry that is not there."""
    items = schema_of(shown(Table))["$defs"]["Table"]["properties"]["cards"]["items"]
    assert items == {"$ref": "#/$defs/Card"}


class Optional(Struct, frozen=True):
    """Hidden fields that can be None by themselves."""

    hand: Annotated[tuple[int, ...] | None, entries_seen_if(lambda *_: False)]
    masked: Annotated[tuple[int, ...] | None, masked_unless(lambda *_: False)]


def test_none_stays_none_and_is_not_counted() -> None:
    """A list that is not there has no entries to hide."""
    assert seen(Optional(None, None), ONE) == {"hand": None, "masked": None}
    assert seen(Optional((1,), (2, 3)), ONE) == {"hand": [None], "masked": [None, None]}


class Open(Struct, frozen=True):
    """Nothing to hide, at any depth."""

    number: Public[int]
    words: Public[tuple[str, ...]]
    named: Public[dict[str, int]]


def test_what_hides_nothing_is_handed_on_as_it_is() -> None:
    """A struct without a secret costs nothing."""
    value = Open(1, ("a",), {"k": 2})
    assert redact(value, Scope(SPECTATOR)) is value


class Mixed(Struct, frozen=True):
    """Members of a union that hide differently, or nothing."""

    some: Public[tuple[Card | Pile | Open | int | None, ...]]
    plain: Public[tuple[Open | int | None, ...]]
    maybe: Public[tuple[Card | None, ...]]


@pytest.mark.parametrize(("viewer", "face"), [(ONE, "K"), (TWO, None), (SPECTATOR, None)], ids=str)
def test_each_member_of_a_union_is_redacted_as_what_it_is(viewer: Viewer, face: str | None) -> None:
    """One hides its face, one its top, one nothing; numbers and null are no structs."""
    open_, card = Open(1, ("a",), {}), {"seat": 1, "face": face}
    mixed = Mixed((CARD, Pile(3, "Q"), open_, 7, None), (open_, 7, None), (CARD, None))
    shown_open = {"number": 1, "words": ["a"], "named": {}}
    assert seen(mixed, viewer) == {
        "some": [card, {"size": 3, "top": None}, shown_open, 7, None],
        "plain": [shown_open, 7, None],
        "maybe": [card, None],
    }


def test_a_forgotten_field_is_nobodys_even_beside_public_ones() -> None:
    """Adding a field and saying nothing about it never shows it."""
    assert visibility_of(Markers, "forgotten").shows(MARKERS, Scope(ONE)) is False
    assert "unsaid" not in msgspec.json.encode(redact(MARKERS, Scope(ONE))).decode()


class InASet(Struct, frozen=True):
    """A container that redact does not know."""

    cards: Public[frozenset[Card]]


class ListInAUnion(Struct, frozen=True):
    """Another."""

    cards: Public[tuple[Card, ...] | Card]


class EntriesOfAMap(Struct, frozen=True):
    """A map has no entries by place."""

    cards: OwnEntry[dict[str, int]]


class EntriesOfAListOrAMap(Struct, frozen=True):
    """Nor has what may be one."""

    cards: OwnEntry[tuple[int, ...] | dict[str, int]]


@pytest.mark.parametrize(
    "value",
    [InASet(frozenset()), ListInAUnion(()), EntriesOfAMap({}), EntriesOfAListOrAMap(())],
    ids=["set", "list in a union", "entries of a map", "entries of a list or a map"],
)
def test_what_cannot_be_redacted_is_an_error_and_never_shown(value: Struct) -> None:
    """A container of structs that nobody has taught it raises at once, for every viewer."""
    for viewer in (ORGANIZER, ONE, SPECTATOR):
        with pytest.raises(TypeError):
            redact(value, Scope(viewer))


def test_viewers_are_named_as_the_contract_names_them() -> None:
    """`organizer`, `seat N` and `spectator`."""
    assert [str(viewer) for viewer in (ORGANIZER, seat_viewer(0), SPECTATOR)] == [
        "organizer",
        "seat 0",
        "spectator",
    ]
