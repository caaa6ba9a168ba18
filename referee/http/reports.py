"""Whole matches judged and drawn while others are served: one at a time, a slice at a time."""

import asyncio
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from referee.core.audit import Audited, Word, audited
from referee.core.slices import Slices
from referee.core.verify import Dispute
from referee.http.context import Site
from referee.report.disputes import as_seen
from referee.report.json_values import plain
from referee.report.page import Look, page
from referee.report.words import all_called
from referee.service import Bearer
from referee.service.errors import Busy
from referee.service.logs import Evidence, folding
from referee.slicing import in_slices

STEPS: Final = 20_000
"""Commits that are drawn on a page; each takes some 5 kB of memory. `replay report` draws all."""


class Judgement(Struct, frozen=True):
    """What a log proves, in a word, and what is in dispute."""

    verdict: Word
    disputes: list[Dispute]


async def judged(site: Site, match: str, bearer: Bearer | None) -> Judgement:
    """The verdict on a match, as far as the bearer may know what is wrong.

    Raises what `Service.log` raises, and `Busy`.
    """
    async with _turn(site, match):
        evidence = await site.service.evidence(match, bearer)
        found = await in_slices(_audited(evidence))
    return Judgement(found.word, [_seen(evidence, dispute) for dispute in found.disputes])


async def reported(site: Site, match: str, bearer: Bearer | None) -> str:
    """The page of a match for the bearer's eyes. Raises what `judged` raises."""
    async with _turn(site, match):
        evidence = await site.service.evidence(match, bearer)
        refusals = await site.service.refused(match)
        found = await in_slices(_audited(evidence))
        with folding(match):
            names = all_called(_names(evidence))
            look = Look(evidence.viewer, names, refusals=refusals, most=STEPS)
            made = await in_slices(page(evidence.rules, evidence.file, found, look))
    return made.html


def _turn(site: Site, match: str) -> asyncio.Lock:
    if site.judging.locked():
        raise Busy(match)
    return site.judging


def _audited(evidence: Evidence) -> Slices[Audited]:
    return audited(evidence.rules, evidence.file, evidence.keys)


def _seen(evidence: Evidence, dispute: Dispute) -> Dispute:
    seen = as_seen(evidence.rules, dispute, evidence.file.commits, evidence.viewer)
    return replace(seen, expected=plain(seen.expected), found=plain(seen.found))


def _names(evidence: Evidence) -> Sequence[str]:
    first = evidence.rules.read_commit(evidence.file.commits[0])
    return [seat.name for seat in first.ev[0].seats]
