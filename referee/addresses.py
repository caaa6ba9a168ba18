"""Addresses of stores: URLs that may name several hosts."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

_PARTS: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)(.*)", re.DOTALL)


def split_address(url: str) -> SplitResult:
    """The parts of a URL, like ``urlsplit``, also where it names several hosts.

    The library holds all of them for one, and some versions of it refuse a bracket that does not
    begin it: ``redis+sentinel://one:26379,[::1]:26379/name``. Raises ``ValueError`` as it does.

    >>> split_address("redis+sentinel://u:p@a,[::1]:2/main?x=1").netloc
    'u:p@a,[::1]:2'
    """
    found = _PARTS.fullmatch(url)
    if found is None or "," not in found[2]:
        return urlsplit(url)
    rest = urlsplit(f"//host{found[3]}")
    return SplitResult(found[1].lower(), found[2], rest.path, rest.query, rest.fragment)
