"""Drawings kept: a board is drawn again and again, for each viewer, and most of it as before."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar, cast

import msgspec

_Draw = TypeVar("_Draw", bound=Callable[..., object])
_MOST: Final = 1 << 10


def memoised(draw: _Draw) -> _Draw:
    """A function of JSON values that keeps what it made lately, and makes it once of equal ones.

    Values are equal where their MessagePack is, which tells 1 from 1.0 and from true; the function
    is given them as lists and dicts.

    >>> memoised(len)([3, None])
    2
    """

    @lru_cache(maxsize=_MOST)
    def drawn(packed: bytes) -> object:
        return draw(*msgspec.msgpack.decode(packed))

    @wraps(draw)
    def of(*values: object) -> object:
        return drawn(msgspec.msgpack.encode(values))

    return cast("_Draw", of)
