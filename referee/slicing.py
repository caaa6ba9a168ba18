"""Long work on the event loop, a slice at a time: others have their turns in between."""

import asyncio
import time
from typing import Final, TypeVar

from referee.core.slices import Slices

T = TypeVar("T")

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
