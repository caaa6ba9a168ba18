"""How many commands a seat may send: a bucket of tokens for each bearer, in memory."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from referee.service.asking.requests import Bearer
from referee.service.errors import TooFast

BURST_S: Final = 3
"""A bucket holds what flows into it in so many seconds."""
_SECOND: Final = 1_000_000_000


class CommandRates:
    """Counts what seats send to this process, whatever becomes of it.

    A bucket is kept as the moment at which it will be full again, so that one that has been full
    since is the same as none. A seat's new token begins with a bucket of its own: whoever has got
    hold of the old one cannot use up the seat's.

    `rate` is how many a second, 0 for no limit; `clock` gives monotonic nanoseconds.
    """

    def __init__(self, rate: int, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._one = _SECOND // rate if rate else 0
        self._all = self._one * rate * BURST_S
        self._clock = clock
        self._full_at: OrderedDict[Bearer, int] = OrderedDict()

    @property
    def kept(self) -> int:
        """How many buckets are not known to be full."""
        return len(self._full_at)

    def take(self, match: str, bearer: Bearer | None) -> None:
        """Count a command, or a check, of a seat's; others may send as many as they like.

        Raises:
            TooFast: there have been too many.
        """
        if not self._one or bearer is None or bearer.seat is None:
            return
        now = self._clock()
        full_at = max(self._full_at.get(bearer, 0), now) + self._one
        if full_at > now + self._all:
            raise TooFast(match, (full_at - self._all - now) / _SECOND)
        self._full_at[bearer] = full_at
        self._full_at.move_to_end(bearer)
        self._forget(now)

    def _forget(self, now: int) -> None:
        """Let buckets go that are full, the least recently used first."""
        while self._full_at[oldest := next(iter(self._full_at))] <= now:
            del self._full_at[oldest]
