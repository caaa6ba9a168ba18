"""The clock: every seat that owes a command spends its own time; the log's stamps are the time.

Pure arithmetic over a `ClockFace`; whole milliseconds throughout.
"""

from collections.abc import Collection

from msgspec.structs import replace

from referee.core.game import put
from referee.core.match import ClockFace, ClockSetting

SECOND = 1000


def start(setting: ClockSetting, seats: int, at: int) -> ClockFace:
    """A clock at the start of a match: `base_s` for every seat, read at `at`."""
    return ClockFace((setting.base_s * SECOND,) * seats, (False,) * seats, at)


def spend(face: ClockFace, to_act: Collection[int], at: int, excused: int = 0) -> ClockFace:
    """The clock at `at`, after those in `to_act` have spent the time since it was read.

    `excused` milliseconds of that time are charged to nobody. Time that a seat has overrun is kept
    (below 0) until its flag falls: flags fall in the order in which the clocks ran out.
    """
    spent = max(0, at - face.read_at - excused)
    left = tuple(
        _down_to_flag(face, seat, spent) if seat in to_act else ms
        for seat, ms in enumerate(face.left)
    )
    return replace(face, left=left, read_at=max(at, face.read_at))


def _down_to_flag(face: ClockFace, seat: int, spent: int) -> int:
    left = face.left[seat] - spent
    return max(0, left) if face.flagged[seat] else left


def stand(face: ClockFace, at: int) -> ClockFace:
    """The clock read at `at` without anybody having spent time: after a pause."""
    return replace(face, read_at=at)


def add(face: ClockFace, seat: int, ms: int) -> ClockFace:
    """The clock with `ms` more for one seat; a flag that is down stays down."""
    return replace(face, left=put(face.left, seat, face.left[seat] + ms))


def grant(face: ClockFace, seat: int, ms: int) -> ClockFace:
    """The clock with `ms` more for one seat, whose flag stands again."""
    return replace(add(face, seat, ms), flagged=put(face.flagged, seat, value=False))


def flag(face: ClockFace, seat: int) -> ClockFace:
    """The clock with that seat's flag down, and nothing left to it."""
    left = put(face.left, seat, max(0, face.left[seat]))
    return replace(face, left=left, flagged=put(face.flagged, seat, value=True))


def left_at(face: ClockFace, seat: int, to_act: Collection[int], at: int) -> int:
    """Milliseconds that a seat has left at `at`, 0 where it has run out."""
    return max(0, spend(face, to_act, at).left[seat])


def first_flag(face: ClockFace, to_act: Collection[int]) -> tuple[int, int] | None:
    """When, in Unix ms, the first clock that runs will have run out, and whose it is.

    Of several at once the first seat's; None where none runs, or their flags are down already.
    """
    running = [(face.read_at + face.left[seat], seat) for seat in to_act if not face.flagged[seat]]
    return min(running, default=None)
