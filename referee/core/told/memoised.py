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
    """What was drawn, by what it was drawn of; what was asked for least lately makes room.

    All of it is text or bytes: of these none is looked through when garbage is collected.
    """

    def __init__(self, room: int) -> None:
        self.taken = 0
        """Bytes, about."""
        self._room: Final = room
        self._drawn: OrderedDict[bytes, str | bytes] = OrderedDict()

    def of(self, draw: Draw, packed: bytes) -> object:
        """What a function draws of values: a list of its own name and of these, packed."""
        kept = self._drawn.get(packed)
        if kept is None:
            return self._put(packed, draw(*msgspec.msgpack.decode(packed)[1:]))
        self._drawn.move_to_end(packed)
        return kept if isinstance(kept, str) else msgspec.msgpack.decode(kept)

    def _put(self, packed: bytes, drawing: object) -> object:
        kept = drawing if isinstance(drawing, str) else msgspec.msgpack.encode(drawing)
        self._drawn[packed] = kept
        self.taken += len(packed) + len(kept)
        while self.taken > self._room:
            gone = self._drawn.popitem(last=False)
            self.taken -= sum(map(len, gone))
        return drawing


_KEPT: Final = Kept(ROOM)


def memoised(draw: _Draw) -> _Draw:
    """A function of JSON values that keeps what it made lately, and makes it once of equal ones.

    What it makes is text, or JSON values. Values are equal where their MessagePack is, which tells
    1 from 1.0 and from true; the function is given them as lists and dicts.

    >>> memoised(len)([3, None])
    2
    """
    name = f"{draw.__module__}.{draw.__qualname__}"

    @wraps(draw)
    def of(*values: object) -> object:
        return _KEPT.of(draw, msgspec.msgpack.encode((name, *values)))

    return cast("_Draw", of)
