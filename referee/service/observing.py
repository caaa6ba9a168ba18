"""Who counts what happens here: metrics, or nobody."""

from collections.abc import Sequence
from typing import Literal

from referee.store import Primary

Occasion = Literal[
    "created",  # a match was
    "repeated",  # a command or a creation was answered as it had been before, by its key
    "conflict",  # another commit was quicker
    "loaded",  # a match was not at hand: its log was read from the beginning
    "rewritten",  # a log no longer holds what was known of it
]


class Observer:
    """Is told what happens, and takes no note of it: whoever counts overrides what it counts."""

    def appended(self, seconds: float) -> None:
        """The store took a commit, in so many seconds."""

    def accepted(self, game: str) -> None:
        """A command was accepted."""

    def refused(self, game: str, ruling: str, *, of_table: bool) -> None:
        """A command was refused, by a ruling of its game or of the table."""

    def counted(self, occasion: Occasion) -> None:
        """Something happened that is only counted."""

    def waiting(self, matches: int) -> None:
        """So many matches have something due that is not done yet."""

    def unserved(self, cause: str) -> None:
        """Something could not be served now, because of this."""

    def met(self, late_s: float) -> None:
        """Something was due, and was done so many seconds after its deadline."""

    def missed(self) -> None:
        """Something may be due in a match that cannot be served."""

    def store_examined(self, primaries: Sequence[Primary]) -> None:
        """The store was looked at."""

    def stream_opened(self, kind: str) -> None:
        """A live stream was opened."""

    def stream_ended(self, kind: str, reason: str) -> None:
        """A live stream has ended."""
