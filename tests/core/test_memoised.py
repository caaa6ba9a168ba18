"""Drawings that are kept: as many as there is room for, whatever is drawn."""

from __future__ import annotations

import gc

import msgspec

from referee.core.told.memoised import Kept, memoised


def drawing_of(value: int) -> str:
    """A drawing of a thousand signs."""
    drawn.append(value)
    return f"{value}" * (1000 // len(f"{value}"))


drawn: list[int] = []


def asked(kept: Kept, *values: int) -> list[int]:
    """What had to be drawn anew of these, asked for in this order."""
    drawn.clear()
    for value in values:
        kept.of(drawing_of, msgspec.msgpack.encode(["drawing_of", value]))
    return list(drawn)


def test_keeps_what_there_is_room_for() -> None:
    """In bytes, for a drawing may be a whole board; the last that were asked for stay."""
    kept = Kept(10_000)
    assert asked(kept, 1, 2, 1, 2) == [1, 2]
    assert len(asked(kept, *range(3, 1000), 1)) == 998
    assert 8_000 < kept.taken <= 10_000
    assert asked(kept, 999, 998, 1, 2) == [2]


def test_keeps_nothing_that_is_larger_than_all_room() -> None:
    """It is drawn all the same, each time."""
    kept = Kept(500)
    assert asked(kept, 1, 1) == [1, 1]
    assert kept.taken == 0


def test_two_functions_keep_apart_what_they_draw_of_the_same() -> None:
    """What they are given may be alike; and each time it is as it was drawn."""
    count, told, doubled = memoised(len), memoised(repr), memoised(twice)
    for _ in range(2):
        assert (count([3, None]), told([3, None])) == (2, "[3, None]")
        assert doubled([3, "ä"]) == [[3, "ä"], [3, "ä"]]


def twice(value: list[object]) -> list[list[object]]:
    """A drawing in lines."""
    return [value, value]


def test_nothing_of_it_is_looked_through_for_garbage() -> None:
    """However much is kept, and in how many lines."""
    kept = Kept(10_000_000)
    gc.collect()
    before = len(gc.get_objects())
    for value in range(1000):
        kept.of(twice, msgspec.msgpack.encode(["twice", [value]]))
    gc.collect()
    assert len(gc.get_objects()) < before + 100
