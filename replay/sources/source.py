"""A log that can be read: what it is called, how it is read, and what was refused beside it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from referee.core.commit import Stored

NOT_ASKED: Final = "not asked for"
"""What is said of a match whose service was not reached for another one before."""


class RefusedCommand(Struct, frozen=True):
    """A refused command, as `GET …/refusals` gives it: `at` Unix ms, `seat` for whom it was."""

    at: int
    by: str
    seat: int | None
    version: int
    command: Any
    ruling: str
    detail: str


def _none_kept() -> None:
    """What is known of refusals where none are kept beside a log."""


@dataclass(frozen=True, slots=True)
class Source:
    """One log that can be read, by another process too.

    `name` is what it is called in answers: the path or address, without passwords. `read` gives
    its match file; it raises `Unusable` where that cannot be had, and `Disputed` where a store's
    entries are no log. `path` is that of a match file on this machine, `service` the address of
    the service that gives it, `match` the match's id where its address tells it. `refusals` gives
    what was refused, newest last; None where that is not known, or not for whoever reads. `ends_at`
    says whether the log still ends with this version and head, where that can be had for less than
    reading it.
    """

    name: str
    read: Callable[[], Stored]
    path: Path | None = None
    service: str | None = None
    match: str | None = None
    refusals: Callable[[], Sequence[RefusedCommand] | None] = _none_kept
    ends_at: Callable[[int, str], bool] | None = None
