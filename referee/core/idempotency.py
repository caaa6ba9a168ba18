"""Idempotency keys: which commit a key was used for, in eight bytes a commit."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from referee.core.commit import Commit
from referee.core.game import Asker
from referee.core.match import Match

KEY_BYTES: Final = 8
_NO_KEY: Final = bytes(KEY_BYTES)


def key_version(match: Match, by: Asker, key: str) -> int | None:
    """The version that ``by`` was answered with this idempotency key, or None.

    Eight bytes of a digest stand for each key: compare the commit's own key before use.
    """
    digest = _key_digest(str(by), key)
    at = match.keys.find(digest)
    while at > 0 and at % KEY_BYTES:
        at = match.keys.find(digest, at + 1)
    return None if at < 0 else at // KEY_BYTES + 1


def key_mark(commit: Commit[Any, Any]) -> bytes:
    """A commit's eight bytes in :attr:`~referee.core.match.Match.keys`."""
    return _NO_KEY if commit.key is None else _key_digest(commit.by, commit.key)


def _key_digest(by: str, key: str) -> bytes:
    return hashlib.sha256(f"{by}|{key}".encode()).digest()[:KEY_BYTES]
