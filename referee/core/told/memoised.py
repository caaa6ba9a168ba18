"""Drawings kept: a board is drawn again and again, for each viewer, and most of it as before."""

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar, cast

import msgspec

Draw = Callable[..., object]
_Draw = TypeVar("_Draw", bound=Draw)

ROOM: Final = 16 << 20
"""Bytes, about, of all drawings that are kept: some are a whole board's ground."""


class Kept:
    """What functions drew, by what they were given; what was asked for least lately makes room."""

    def __init__(self, room: int) -> None:
        self.taken = 0
        """Bytes, about."""
        self._room: Final = room
        self._drawn: OrderedDict[tuple[Draw, bytes], tuple[object, int]] = OrderedDict()

    def of(self, draw: Draw, packed: bytes) -> object:
        """What a function draws of values, which are packed as a list."""
        key = draw, packed
        found = self._drawn.get(key)
        if found is None:
            found = self._put(key, draw(*msgspec.msgpack.decode(packed)))
        else:
            self._drawn.move_to_end(key)
        return found[0]

    def _put(self, key: tuple[Draw, bytes], drawing: object) -> tuple[object, int]:
        size = len(drawing) if isinstance(drawing, str) else len(msgspec.msgpack.encode(drawing))
        self._drawn[key] = drawing, len(key[1]) + size
        self.taken += len(key[1]) + size
        while self.taken > self._room:
            _, (_, gone) = self._drawn.popitem(last=False)
            self.taken -= gone
        return drawing, size


_KEPT: Final = Kept(ROOM)


def memoised(draw: _Draw) -> _Draw:
    """A function of JSON values that keeps what it made lately, and makes it once of equal ones.

    Values are equal where their MessagePack is, which tells 1 from 1.0 and from true; the function
    is given them as lists and dicts.

    >>> memoised(len)([3, None])
    2
    """

    @wraps(draw)
    def of(*values: object) -> object:
        return _KEPT.of(draw, msgspec.msgpack.encode(values))

    return cast("_Draw", of)
