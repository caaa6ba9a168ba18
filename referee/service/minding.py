"""Minding the store: what it is like is looked at again and again, and what is wrong is told."""

import asyncio
from collections.abc import Iterable
from typing import Final

import structlog

from referee.service.observing import Observer
from referee.store import MatchStore, Primary

log = structlog.get_logger(__name__)

LOOK_S: Final = 5.0
"""Seconds between two looks: servers are replaced, and set otherwise, while nobody looks."""


async def mind(store: MatchStore, observer: Observer) -> None:
    """Look for ever; each fault is warned of when it is found first, and when it is back."""
    warned: set[tuple[str, str]] = set()
    while True:
        try:
            primaries = await store.examine()
            observer.store_examined(primaries)
            warned = _warn(primaries, warned)
        except Exception:  # one bad look must not end all of them
            log.exception("a look at the store failed")
        await asyncio.sleep(LOOK_S)


def _warn(primaries: Iterable[Primary], warned: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Warn of what is new, at those that answer; what was found this time."""
    found = set()
    for primary in primaries:
        for finding in primary.findings if primary.reached else ():
            about = (primary.name, finding.problem)
            found.add(about)
            if about not in warned:
                told = {"at": primary.name, "problem": finding.problem, "remedy": finding.remedy}
                log.warning("the store is not as it should be", **told)
    return found
