"""Long work beside an event loop, in slices or aside: others have their turns meanwhile."""

import asyncio
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, Final, TypeVar

from referee.core.slices import Slices

T = TypeVar("T")
A = TypeVar("A")

SLICE_S: Final = 0.005
"""For so long others wait, and for one step more of each work that is under way."""

_UNDER_WAY: Final = set[Slices[Any]]()


async def in_slices(work: Slices[T]) -> T:
    """What work comes to; others have their turns in between, and works share a slice."""
    _UNDER_WAY.add(work)
    try:
        while True:
            until = time.monotonic() + SLICE_S / len(_UNDER_WAY)
            next(work)
            while time.monotonic() < until:
                next(work)
            await asyncio.sleep(0)
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        _UNDER_WAY.discard(work)


_ASIDE: Final = Lock()


async def aside(make: Callable[[A], T], of: A) -> T:
    """What is made once, by a library that knows no slices: in a thread, one thing at a time.

    A thread takes the interpreter for some milliseconds at a time: the right way for nothing that
    is made often. msgspec, of which this is, does not describe one type in two threads at a time.
    """

    def made() -> T:
        with _ASIDE:
            return make(of)

    return await asyncio.to_thread(made)
