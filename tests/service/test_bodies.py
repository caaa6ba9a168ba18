"""Bodies in MessagePack: what a decoder would let pass, whatever stands around it."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.rules import Rules
from referee.games.dancing_villager import GAME
from referee.service.asking.bodies import DEEPEST, Body, loosely, read_struct
from referee.service.asking.requests import read_command
from referee.service.errors import BadRequest

pack = msgspec.msgpack.encode

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=40)
    | st.binary(max_size=300)
    | st.datetimes(timezones=st.just(dt.UTC))
    | st.builds(msgspec.msgpack.Ext, st.integers(0, 127), st.binary(max_size=20)),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)


def doubled(key: Any, *between: Any) -> bytes:
    """A map in which a key stands first and last."""
    pairs = [(key, 0), *((f"between {n}", value) for n, value in enumerate(between)), (key, 1)]
    body = b"".join(pack(name) + pack(value) for name, value in pairs)
    return b"\xdf" + len(pairs).to_bytes(4, "big") + body


def twice(data: bytes) -> list[str]:
    """The keys that a body is refused for, because they stand twice."""
    with pytest.raises(BadRequest, match="A key stands twice") as refused:
        loosely(Body(data, msgpack=True))
    return [name for name, _ in refused.value.errors]


@given(PLAIN)
def test_takes_any_value_in_which_every_key_stands_once(value: Any) -> None:
    """Whatever an encoder writes is read as it was."""
    assert loosely(Body(pack(value), msgpack=True)) == value


@given(st.lists(PLAIN, max_size=3))
def test_finds_a_key_behind_anything(between: list[Any]) -> None:
    """However much stands between, and however deep the map does."""
    data = doubled("card", *between)
    assert twice(data) == ["card"]
    assert twice(b"\x92" + pack("before") + data) == ["card"]
    assert twice(b"\x81" + pack("in") + data) == ["card"]


@pytest.mark.parametrize("size", [1, 20, 300, 70_000])
def test_reads_texts_and_lists_of_every_length(size: int) -> None:
    """Their lengths are written in one, two or four bytes."""
    between = ["x" * size, b"x" * size, [0] * size, msgspec.msgpack.Ext(1, b"x" * size)]
    many = {str(number): number for number in range(size)}
    assert twice(doubled("k", *between, many)) == ["k"]
    assert loosely(Body(pack([*between, many]), msgpack=True)) == [*between, many]


def test_takes_one_key_for_itself_however_it_is_written() -> None:
    """A text with its length in the type, or in a byte of its own; and a number is none."""
    assert twice(b"\x82\xa1k\x00\xd9\x01k\x01") == ["k"]
    assert loosely(Body(b"\x82\xa11\x00\x01\x01", msgpack=True)) == {"1": 0, 1: 1}


def test_keeps_maps_apart() -> None:
    """The same key in two maps is no doubled one."""
    value = [{"k": 1}, {"k": {"k": 2}}]
    assert loosely(Body(pack(value), msgpack=True)) == value


@pytest.mark.parametrize("msgpack", [False, True])
def test_takes_no_body_that_nests_deeper_than_any_needs(msgpack: bool) -> None:  # noqa: FBT001
    """Far below what ends in a full stack, here or later."""
    encode = msgspec.msgpack.encode if msgpack else msgspec.json.encode
    nested: list[Any] = []
    for _ in range(DEEPEST - 1):
        nested = [nested]
    assert loosely(Body(encode(nested), msgpack=msgpack)) == nested
    with pytest.raises(BadRequest, match="nested too deeply"):
        loosely(Body(encode([nested]), msgpack=msgpack))


@pytest.mark.parametrize(
    "value",
    [b"x", msgspec.msgpack.Ext(5, b"x"), dt.datetime(2026, 1, 1, tzinfo=dt.UTC), float("nan")],
    ids=["bytes", "an extension", "a time", "no number"],
)
def test_names_where_a_value_stands_that_json_has_not(value: Any) -> None:
    """Also where any value is taken for now, as for a game's options."""
    data = pack({"options": {"river": [1, value]}})
    with pytest.raises(BadRequest) as refused:
        read_struct(Body(data, msgpack=True), dict[str, Any])
    assert [path for path, _ in refused.value.errors] == ["options.river[1]"]


def test_takes_no_map_for_a_key() -> None:
    """MessagePack could have one."""
    with pytest.raises(BadRequest, match="not MessagePack"):
        loosely(Body(b"\x81\x81\x01\x02\x03", msgpack=True))


def test_says_what_is_no_messagepack() -> None:
    """Also of the one byte that MessagePack never has."""
    with pytest.raises(BadRequest, match="not MessagePack: a byte begins no value"):
        loosely(Body(b"\xc1", msgpack=True))


RULES: Final = Rules(GAME)


@pytest.mark.parametrize("seat", [b"", b', "seat": 1'])
def test_finds_a_doubled_key_of_a_command_whether_or_not_it_has_all_it_may_have(
    seat: bytes,
) -> None:
    """A field that may be absent hides none that stands twice."""
    plain = b'{"type": "grab", "what": "dog"' + seat
    assert read_command(RULES, Body(plain + b"}")) == RULES.read_command(plain + b"}")

    for twice in (b', "what": "dog"', b', "type": "grab"', b', "seat": 2, "seat": 2'):
        with pytest.raises(BadRequest, match="A key stands twice"):
            read_command(RULES, Body(plain + twice + b"}"))
