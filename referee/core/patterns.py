"""How match ids, idempotency keys and organizers' names are spelled, each from end to end."""

import re
from typing import Final

from msgspec import Meta

MATCH_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
KEY: Final = re.compile(r"[!-~]{1,64}")
"""An idempotency key: visible ASCII characters."""
ORGANIZER_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
"""What an organizer may be called in tokens and logs."""


def spelled(pattern: re.Pattern[str]) -> Meta:
    """Holds a field to a pattern; `$` alone would let a line's end pass behind it."""
    return Meta(pattern=rf"^{pattern.pattern}$(?!\n)")
