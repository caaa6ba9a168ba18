"""Long work that others may have their turns in: done at once, or a slice at a time."""

from collections.abc import Generator
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Slices: TypeAlias = Generator[None, None, T]
"""Work that pauses wherever others may go on; what it comes to is what it returns."""


def at_once(work: Slices[T]) -> T:
    """What work comes to, with nobody else's turn in between."""
    while True:
        try:
            next(work)
        except StopIteration as done:
            result: T = done.value
            return result
