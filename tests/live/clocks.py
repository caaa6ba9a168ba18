"""Clocks that a test sets: libfaketime moves the wall clock of one process, while it runs.

The clock by which a process follows time goes on as it does where somebody sets a machine's clock.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_PLACES: Final = ("/usr/lib/*/faketime/libfaketime.so.1", "/usr/lib/faketime/libfaketime.so.1")


def _library() -> Path:
    found = [path for place in _PLACES for path in Path("/").glob(place.lstrip("/"))]
    assert found, "libfaketime is missing (Debian: faketime)"
    return found[0]


class MovedClock:
    """A clock so many seconds off, until it is set anew; `environ` puts a process under it."""

    def __init__(self, folder: Path, off: float = 0.0) -> None:
        self._file = folder / "faketime"
        self.set(off)
        self.environ: Final = {
            "LD_PRELOAD": str(_library()),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def set(self, off: float) -> None:
        """Let it be so many seconds ahead (behind, where below 0) from now on."""
        self._file.write_text(f"{off:+g}\n")
