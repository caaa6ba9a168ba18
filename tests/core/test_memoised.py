"""Drawings that are kept: as many as there is room for, whatever is drawn."""

from __future__ import annotations

import msgspec

from referee.core.told.memoised import Kept


def drawing_of(value: int) -> str:
    """A drawing of a thousand signs."""
    drawn.append(value)
    return f"{value}" * (1000 // len(f"{value}"))


drawn: list[int] = []


def asked(kept: Kept, *values: int) -> list[int]:
    """What had to be drawn anew of these, asked for in this order."""
    drawn.clear()
    for value in values:
        kept.of(drawing_of, msgspec.msgpack.encode([value]))
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
    """What they are given may be alike."""
    kept = Kept(10_000)
    packed = msgspec.msgpack.encode([[3, None]])
    assert (kept.of(len, packed), kept.of(str, packed), kept.of(len, packed)) == (
        2, "[3, None]", 2,
    )  # fmt: skip
