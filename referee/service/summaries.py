"""What a list says of a match: written beside its log with each commit that changes it."""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec
from msgspec import Struct

from referee.core.match import Match, Result
from referee.core.views import SeatView

Status = Literal["active", "paused", "finished", "void"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)


class Summary(Struct, frozen=True):
    """A row's changeable part, as it is stored."""

    game: str
    ruleset: str
    status: Status
    seats: tuple[SeatView, ...]
    tournament: str | None
    table: str | None
    public: bool
    result: Result | None


_PACK: Final = msgspec.msgpack.Encoder()
_READ: Final = msgspec.msgpack.Decoder(Summary)


def summary_of(match: Match) -> bytes:
    """The summary of a match, ready to be stored."""
    setting = match.setting
    return _PACK.encode(
        Summary(
            game=setting.ruleset.rpartition("/")[0],
            ruleset=setting.ruleset,
            status=match.status,
            seats=tuple(SeatView(n, s.name, s.withdrawn) for n, s in enumerate(match.seats)),
            tournament=setting.tournament,
            table=setting.table,
            public=setting.public,
            result=match.result,
        )
    )


def new_summary(before: Match, after: Match) -> bytes | None:
    """The summary of ``after``, or None where it is that of ``before``."""
    same = (
        before.status == after.status
        and before.result is after.result
        and before.seats is after.seats
    )
    return None if same else summary_of(after)


def read_summary(data: bytes) -> Summary | None:
    """A stored summary; None where it cannot be read (of another version, or none yet)."""
    try:
        return _READ.decode(data)
    except msgspec.DecodeError:
        return None
