"""Every other way to write down what stands in MessagePack.

Bytes are read into a tree of values, one of which is then spelt another way: a longer number, a
longer length, a real for a whole number, text for bytes, a field once more, fields in another
order, one that may be missing left out, one that nobody knows put in. Whoever reads the result may
read the same as before.
"""

from __future__ import annotations

import base64
import itertools
import struct
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct

LONGEST: Final = 9
"""Bytes of the longest number."""


class Node(Struct, frozen=True):
    """A value and its bytes: a leaf, or a `map` or `list` of what stands below it.

    Below a map: name, value, name, value …
    """

    data: bytes
    kind: str = "leaf"
    value: Any = None
    below: tuple[Node, ...] = ()


def leaf(value: Any) -> Node:
    """A plain value."""
    return Node(msgspec.msgpack.encode(value), "leaf", value)


def branch(kind: str, below: tuple[Node, ...]) -> Node:
    """A map or list of these."""
    size = len(below) // 2 if kind == "map" else len(below)
    small, two = (0x80, 0xDE) if kind == "map" else (0x90, 0xDC)
    head = bytes([small | size]) if size < 16 else bytes([two]) + size.to_bytes(2, "big")
    return Node(head + b"".join(one.data for one in below), kind, None, below)


def tree_of(value: Any) -> Node:
    """Plain values as a tree that is written as msgspec writes them."""
    if isinstance(value, dict):
        pairs = itertools.chain.from_iterable(value.items())
        return branch("map", tuple(map(tree_of, pairs)))
    return branch("list", tuple(map(tree_of, value))) if isinstance(value, list) else leaf(value)


def places(data: bytes) -> list[tuple[int, Node]]:
    """Every value in `data`, which is one value of MessagePack, and where its bytes begin."""
    tree = tree_of(msgspec.msgpack.decode(data))
    assert tree.data == data
    return list(_places(0, tree))


def _places(start: int, node: Node) -> Iterator[tuple[int, Node]]:
    yield start, node
    start += len(node.data) - sum(len(one.data) for one in node.below)
    for one in node.below:
        yield from _places(start, one)
        start += len(one.data)


def ways(node: Node) -> list[tuple[str, bytes]]:
    """All other ways to write a value, each with what was done."""
    of_kind: Callable[[Node], Iterator[tuple[str, bytes]]]
    of_kind = {"map": _other_maps, "list": _other_lists, "leaf": _other_leaves}[node.kind]
    return [(what, data) for what, data in of_kind(node) if data != node.data]


def _longer_heads(node: Node) -> Iterator[tuple[str, bytes]]:
    size = len(node.below) // (2 if node.kind == "map" else 1)
    rest = b"".join(one.data for one in node.below)
    codes = (0xDE, 0xDF) if node.kind == "map" else (0xDC, 0xDD)
    for code, width in zip(codes, (2, 4), strict=True):
        yield (
            f"a {node.kind}'s length in {width}",
            bytes([code]) + size.to_bytes(width, "big") + rest,
        )


def _other_lists(node: Node) -> Iterator[tuple[str, bytes]]:
    yield from _longer_heads(node)
    yield "a list with nil behind", branch("list", (*node.below, NIL)).data
    yield "a list with its last entry twice", branch("list", (*node.below, *node.below[-1:])).data


def _other_maps(node: Node) -> Iterator[tuple[str, bytes]]:
    yield from _longer_heads(node)
    pairs = list(zip(node.below[::2], node.below[1::2], strict=True))
    for what, others in _other_pairs(pairs):
        yield what, branch("map", tuple(itertools.chain.from_iterable(others))).data


Pair = tuple[Node, Node]
NIL: Final = leaf(None)


def _other_pairs(pairs: list[Pair]) -> Iterator[tuple[str, list[Pair]]]:
    for index, (name, value) in enumerate(pairs):
        before, after = pairs[:index], pairs[index + 1 :]
        yield f"{name.value} left out", before + after
        yield f"{name.value} twice", [*before, (name, value), (name, value), *after]
        yield f"{name.value} nil before", [*before, (name, NIL), (name, value), *after]
        yield f"{name.value} once more at the end", [*pairs, (name, value)]
        yield f"{name.value} at the end", [*before, *after, (name, value)]
        yield f"{name.value} first", [(name, value), *before, *after]
        yield f"{name.value} in bytes", [*before, (leaf(name.value.encode()), value), *after]
    yield "a field that nobody knows", [*pairs, (leaf("more"), NIL)]
    yield "a field that nobody knows, first", [(leaf("more"), NIL), *pairs]
    yield "a field without a name", [*pairs, (leaf(""), NIL)]


# ── Leaves ────────────────────────────────────────────────────────────────────────────────────────


def _other_leaves(node: Node) -> Iterator[tuple[str, bytes]]:
    value = node.value
    if value is None or isinstance(value, bool):
        yield from _spelt_words(value)
    elif isinstance(value, int | float):
        yield from _spelt_numbers(value)
    elif isinstance(value, str):
        raw = value.encode()
        yield from _lengths("text", (0xD9, 0xDA, 0xDB), raw)
        yield from _lengths("text as bytes", (0xC4, 0xC5, 0xC6), raw)
    else:
        yield from _lengths("bytes", (0xC4, 0xC5, 0xC6), value)
        yield from _lengths("bytes as text", (0xD9, 0xDA, 0xDB), base64.b64encode(value))


def _spelt_words(value: bool | None) -> Iterator[tuple[str, bytes]]:  # noqa: FBT001 - it is a value
    yield "a word as 0", b"\x00"
    yield "a word as 1", b"\x01"
    yield "a word as text", msgspec.msgpack.encode(str(value).lower())
    yield "nothing", b"\xc0" if value is not None else b"\xc4\x00"
    yield "no text", b"\xa0"


def _spelt_numbers(value: float) -> Iterator[tuple[str, bytes]]:
    if isinstance(value, int):
        for code, width in zip((0xCC, 0xCD, 0xCE, 0xCF), (1, 2, 4, 8), strict=True):
            if 0 <= value < 1 << 8 * width:
                yield f"a number in {width} bytes", bytes([code]) + value.to_bytes(width, "big")
        for code, width in zip((0xD0, 0xD1, 0xD2, 0xD3), (1, 2, 4, 8), strict=True):
            if -(1 << 8 * width - 1) <= value < 1 << 8 * width - 1:
                signed = value.to_bytes(width, "big", signed=True)
                yield f"a signed number in {width} bytes", bytes([code]) + signed
    elif value.is_integer():
        yield "a real as a whole number", msgspec.msgpack.encode(int(value))
    yield "a long real", b"\xcb" + struct.pack(">d", value)
    yield "a short real", b"\xca" + struct.pack(">f", value)
    yield "a number as text", msgspec.msgpack.encode(str(value))


def _lengths(what: str, codes: tuple[int, int, int], raw: bytes) -> Iterator[tuple[str, bytes]]:
    for code, width in zip(codes, (1, 2, 4), strict=True):
        if len(raw) < 1 << 8 * width:
            yield (
                f"{what}, length in {width}",
                bytes([code]) + len(raw).to_bytes(width, "big") + raw,
            )
