"""Long work beside an event loop, in slices or aside: others have their turns meanwhile."""

import asyncio
import time
from collections.abc import Callable
from threading import Lock
from typing import Final, TypeVar
from weakref import WeakKeyDictionary

from referee.core.slices import Slices

T = TypeVar("T")
A = TypeVar("A")

SLICE_S: Final = 0.005
"""For so long others wait, and for one step more of each work that is under way."""


class _Turn:
    """What all the long work beside an event loop takes of one of its turns."""

    def __init__(self) -> None:
        self.works = 0
        self._until: float | None = None

    def until(self) -> float:
        """When one of the works is to stand back: they share the slice."""
        now = time.monotonic()
        if self._until is None:
            self._until = now + SLICE_S
            asyncio.get_running_loop().call_soon(self._end)
        return min(self._until, now + SLICE_S / self.works)

    def _end(self) -> None:
        self._until = None


_TURNS: Final = WeakKeyDictionary[asyncio.AbstractEventLoop, _Turn]()


async def in_slices(work: Slices[T]) -> T:
    """What work comes to; others have their turns in between."""
    turn = _TURNS.setdefault(asyncio.get_running_loop(), _Turn())
    turn.works += 1
    try:
        while True:
            until = turn.until()
            while time.monotonic() < until:
                next(work)
            await asyncio.sleep(0)
            next(work)
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        turn.works -= 1


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
