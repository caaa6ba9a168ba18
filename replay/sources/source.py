"""A log that can be read: what it is called, and how it is read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Source:
    """One log that can be read, by another process too.

    `name` is what it is called in answers: the path or address, without passwords. `read` gives
    its match file; it raises `Unusable` where that cannot be had, and `Disputed` where a store's
    entries are no log. `path` is that of a match file on this machine.
    """

    name: str
    read: Callable[[], bytes]
    path: Path | None = None
