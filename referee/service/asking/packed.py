"""Reading MessagePack for keys that stand twice, of which a decoder takes the last.

Only what a decoder has read is looked at here, so that all of it is known to be well-formed.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

_SMALL_MAP: Final = range(0x80, 0x90)
_SMALL_LIST: Final = range(0x90, 0xA0)
_SHORT_TEXT: Final = range(0xA0, 0xC0)
_SMALL_NUMBER: Final = frozenset((*range(0x80), *range(0xE0, 0x100)))
# Of the other types, by their first byte, how many bytes say how much follows …
_MAP: Final = {0xDE: 2, 0xDF: 4}
_LIST: Final = {0xDC: 2, 0xDD: 4}
_TEXT_OR_BIN: Final = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_EXTENSION: Final = {0xC7: 1, 0xC8: 2, 0xC9: 4}
# … or how much does.
_FIXED: Final = {
    **dict.fromkeys((0xC0, 0xC2, 0xC3), 0),
    **dict.fromkeys((0xCC, 0xD0), 1),
    **dict.fromkeys((0xCD, 0xD1, 0xD4), 2),
    0xD5: 3,
    **dict.fromkeys((0xCA, 0xCE, 0xD2), 4),
    0xD6: 5,
    **dict.fromkeys((0xCB, 0xCF, 0xD3), 8),
    0xD7: 9,
    0xD8: 17,
}


class _Level:
    """A map or a list that is being read: values yet to come, and of a map the keys so far."""

    __slots__ = ("keys", "left")

    def __init__(self, left: int, keys: set[Any] | None) -> None:
        self.left = left
        self.keys = keys

    @property
    def before_a_key(self) -> bool:
        return self.keys is not None and self.left % 2 == 0


def doubled_key(data: bytes) -> str | None:
    """The first key that stands twice in a map of these bytes, as text; None where none does."""
    at, levels = 0, [_Level(1, None)]
    while levels:
        level = levels[-1]
        if level.left == 0:
            levels.pop()
            continue
        is_key, opened = level.before_a_key, _opened(data, at)
        level.left -= 1
        if opened is not None:
            at, deeper = opened
            levels.append(deeper)
            continue
        start, at = at, _end(data, at)
        if is_key and level.keys is not None:
            key = msgspec.msgpack.decode(data[start:at])
            if key in level.keys:
                return str(key)
            level.keys.add(key)
    return None


def _opened(data: bytes, at: int) -> tuple[int, _Level] | None:
    """Where a map or a list that begins here has its first value, and its level."""
    kind = data[at]
    if kind in _SMALL_MAP:
        return at + 1, _Level(2 * (kind - _SMALL_MAP.start), set())
    if kind in _SMALL_LIST:
        return at + 1, _Level(kind - _SMALL_LIST.start, None)
    size = _MAP.get(kind) or _LIST.get(kind)
    if size is None:
        return None
    count, start = _number(data, at + 1, size), at + 1 + size
    return start, _Level(2 * count, set()) if kind in _MAP else _Level(count, None)


def _end(data: bytes, at: int) -> int:
    """Where any other value that begins here ends."""
    kind = data[at]
    if kind in _SMALL_NUMBER:
        return at + 1
    if kind in _SHORT_TEXT:
        return at + 1 + kind - _SHORT_TEXT.start
    if kind in _FIXED:
        return at + 1 + _FIXED[kind]
    extension = _EXTENSION.get(kind)
    size = extension or _TEXT_OR_BIN[kind]
    # An extension has a byte more, its type.
    return at + 1 + size + _number(data, at + 1, size) + (extension is not None)


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "big")
