"""Finding doubled keys in MessagePack, whatever stands between them."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.service.asking.packed import doubled_key

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


@given(PLAIN)
def test_finds_nothing_where_every_key_stands_once(value: Any) -> None:
    """Any value that an encoder writes, read to its end."""
    assert doubled_key(pack(value)) is None


@given(st.lists(PLAIN, max_size=3))
def test_finds_a_key_behind_anything(between: list[Any]) -> None:
    """However much stands between, and however deep the map does."""
    data = doubled("card", *between)
    assert doubled_key(data) == "card"
    assert doubled_key(b"\x92" + pack("before") + data) == "card"
    assert doubled_key(b"\x81" + pack("in") + data) == "card"


@pytest.mark.parametrize("size", [1, 20, 300, 70_000])
def test_skips_texts_and_lists_of_every_length(size: int) -> None:
    """Their lengths are written in one, two or four bytes."""
    between = ["x" * size, b"x" * size, [0] * size, msgspec.msgpack.Ext(1, b"x" * size)]
    many = {str(number): number for number in range(size)}
    assert doubled_key(doubled("k", *between, many)) == "k"
    assert doubled_key(pack([*between, many])) is None


def test_takes_one_key_for_itself_however_it_is_written() -> None:
    """A text with its length in the type, or in a byte of its own."""
    assert doubled_key(b"\x82\xa1k\x00\xd9\x01k\x01") == "k"


def test_keeps_maps_apart() -> None:
    """The same key in two maps is no doubled one."""
    assert doubled_key(pack([{"k": 1}, {"k": {"k": 2}}])) is None
