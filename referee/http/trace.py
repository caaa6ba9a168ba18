"""What is known of the request in hand, for every line that is logged on its way."""

from __future__ import annotations

from contextvars import ContextVar
from itertools import count
from secrets import token_hex
from typing import Any, Final


class Trace:
    """A request: its id, and the match, version and seat that it is about, once known."""

    __slots__ = ("match", "request_id", "seat", "version")

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        self.match: str | None = None
        self.version: int | None = None
        self.seat: int | None = None

    def fields(self) -> dict[str, Any]:
        """What is known, by name."""
        known = ((name, getattr(self, name)) for name in ("match", "version", "seat"))
        return {"request_id": self.request_id} | {k: v for k, v in known if v is not None}


CURRENT: Final[ContextVar[Trace | None]] = ContextVar("request", default=None)
"""The request in hand."""

_PREFIX: Final = token_hex(6)
_NUMBERS: Final = count(1)


def new_request_id() -> str:
    """An id that no other request has, of this process or another."""
    return f"{_PREFIX}-{next(_NUMBERS):x}"


def current() -> Trace:
    """The request in hand; outside of any, one that nobody looks at."""
    return CURRENT.get() or Trace("")
