"""Seats in a circle, and hands of cards."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def without_first(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    """The items without the first one that equals `item`; `ValueError` where none does.

    >>> without_first((1, 3, 1), 1)
    (3, 1)
    """
    place = items.index(item)
    return items[:place] + items[place + 1 :]


def still_in(out: Iterable[bool]) -> tuple[int, ...]:
    """The seats that are not `out`, ascending; `out` has an entry a seat.

    >>> still_in((False, True, False))
    (0, 2)
    """
    return tuple([seat for seat, gone in enumerate(out) if not gone])


def clockwise(out: Sequence[bool], seat: int) -> tuple[int, ...]:
    """The seats that are not `out`, clockwise from the one after `seat`, which itself is last.

    >>> clockwise((False, True, False, False), 2)
    (3, 0, 2)
    """
    first = (seat + 1) % len(out)
    around = (*range(first, len(out)), *range(first))
    return tuple([other for other in around if not out[other]])


def next_in(out: Sequence[bool], seat: int) -> int:
    """The next seat clockwise that is not `out`: `seat` itself where it is the only one.

    >>> next_in((False, True, False), 0), next_in((False, True, True), 0)
    (2, 0)

    Raises:
        IndexError: all seats are out.
    """
    for other in range(seat + 1, seat + 1 + len(out)):
        if not out[other % len(out)]:
            return other % len(out)
    raise IndexError("all seats are out")
