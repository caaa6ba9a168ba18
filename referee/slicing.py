"""Long work beside an event loop, in slices or aside: others have their turns meanwhile."""

import asyncio
import time
from collections.abc import Callable
from threading import Lock
from typing import Final, TypeVar

from referee.core.slices import Slices

T = TypeVar("T")
A = TypeVar("A")

SLICE_S: Final = 0.005
"""For so long others wait, and for one step of the work more."""


async def in_slices(work: Slices[T]) -> T:
    """What work comes to; others have their turns in between."""
    while True:
        until = time.monotonic() + SLICE_S
        try:
            while time.monotonic() < until:
                next(work)
        except StopIteration as done:
            result: T = done.value
            return result
        await asyncio.sleep(0)


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
