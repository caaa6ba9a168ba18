"""Idempotency keys of one match: which commit took a command under which key of whom."""

import hashlib
from typing import Final

_DIGEST: Final = 8
_ENTRY: Final = 12
"""Bytes of an entry: eight of the key's digest, four of its version."""
_FEW: Final = 512
"""Entries that one bin takes: looking through them is quick, and most matches have no more."""
_BINS: Final = 1024
"""Bins of a match with more, by how digests begin: quick to look through to the 10^6th key."""


class Keys:
    """The keys that were used in a match, in twelve bytes each."""

    __slots__ = ("_bins", "_count")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget them all."""
        self._bins = [bytearray()]
        self._count = 0

    def add(self, version: int, by: str, key: str) -> None:
        """Add the key of one commit by `by`."""
        digest = _digest_of(by, key)
        self._bin_of(digest).extend(digest + version.to_bytes(_ENTRY - _DIGEST))
        self._count += 1
        if self._count == _FEW:
            self._spread()

    def version_of(self, by: str, key: str) -> int | None:
        """The version that was the first to use this key of `by`, or None.

        A digest stands for the key: compare the commit's own key before use.
        """
        digest = _digest_of(by, key)
        entries = self._bin_of(digest)
        at = entries.find(digest)
        while at > 0 and at % _ENTRY:  # the bytes of two entries together are no hit
            at = entries.find(digest, at + 1)
        return None if at < 0 else int.from_bytes(entries[at + _DIGEST : at + _ENTRY])

    def _bin_of(self, digest: bytes) -> bytearray:
        return self._bins[int.from_bytes(digest[:2]) % len(self._bins)]

    def _spread(self) -> None:
        (few,) = self._bins
        self._bins = [bytearray() for _ in range(_BINS)]
        for at in range(0, len(few), _ENTRY):
            entry = few[at : at + _ENTRY]
            self._bin_of(bytes(entry)).extend(entry)


def _digest_of(by: str, key: str) -> bytes:
    return hashlib.sha256(f"{by}|{key}".encode()).digest()[:_DIGEST]
