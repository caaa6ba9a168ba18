"""Salt: random text that keeps what a commit hides from being guessed by its head.

The system's random bytes are fetched for many commits at a time: each fetch is a call of the
system, and costs more than all else that is done for a salt.
"""

from __future__ import annotations

import os
from base64 import urlsafe_b64encode
from typing import Final

SALT_BYTES: Final = 12
"""Random bytes of one salt: 96 bits, in 16 characters."""
_LENGTH: Final = 16
_AT_ONCE: Final = 256

_drawn: list[str] = []


def salt() -> str:
    """Sixteen characters of ``A-Za-z0-9-_`` that nobody can guess, new at every call."""
    if not _drawn:
        text = urlsafe_b64encode(os.urandom(SALT_BYTES * _AT_ONCE)).decode()
        _drawn.extend(text[at : at + _LENGTH] for at in range(0, len(text), _LENGTH))
    return _drawn.pop()


# A copy of this process would hand out the same ones again.
os.register_at_fork(after_in_child=_drawn.clear)
