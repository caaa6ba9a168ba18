"""The clock: every seat that owes a command spends its own time; the log's stamps are the time.

Pure arithmetic over a `ClockFace`; whole milliseconds throughout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from referee.core.match import ClockFace, ClockSetting
from referee.core.seats import put

if TYPE_CHECKING:
    from collections.abc import Collection

SECOND = 1000


def start(setting: ClockSetting, seats: int, at: int) -> ClockFace:
    """A clock at the start of a match: `base_s` for every seat, read at `at`."""
    return ClockFace((setting.base_s * SECOND,) * seats, (False,) * seats, at)


def spend(face: ClockFace, to_act: Collection[int], at: int, excused: int = 0) -> ClockFace:
    """The clock at `at`, after those in `to_act` have spent the time since it was read.

    `excused` milliseconds of that time are charged to nobody.
    """
    spent = max(0, at - face.read_at - excused)
    left = tuple(max(0, ms - spent) if seat in to_act else ms for seat, ms in enumerate(face.left))
    return replace(face, left=left, read_at=max(at, face.read_at))


def stand(face: ClockFace, at: int) -> ClockFace:
    """The clock read at `at` without anybody having spent time: after a pause."""
    return replace(face, read_at=at)


def add(face: ClockFace, seat: int, ms: int) -> ClockFace:
    """The clock with `ms` more for one seat; a seat with time left is no longer flagged."""
    left = put(face.left, seat, face.left[seat] + ms)
    down = face.flagged[seat] and left[seat] <= 0
    return replace(face, left=left, flagged=put(face.flagged, seat, down))


def flag(face: ClockFace, seat: int) -> ClockFace:
    """The clock with that seat's flag down."""
    return replace(face, flagged=put(face.flagged, seat, value=True))


def left_at(face: ClockFace, seat: int, to_act: Collection[int], at: int) -> int:
    """Milliseconds that a seat has left at `at`, 0 where it has run out."""
    return spend(face, to_act, at).left[seat]


def first_flag(face: ClockFace, to_act: Collection[int]) -> int | None:
    """When, in Unix ms, the first clock that runs will have run out; None if none runs."""
    running = [face.left[seat] for seat in to_act if not face.flagged[seat]]
    return face.read_at + min(running) if running else None
