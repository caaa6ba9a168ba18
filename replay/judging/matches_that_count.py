"""Matches that count: each judged and found fine, and once however often its log was given."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import click
from msgspec import Struct

from referee.core.told.safe import clean
from replay.faults import DISPUTED, FINE, UNUSABLE
from replay.judging.examine import Examined, Played, examine
from replay.judging.parallel import each
from replay.sources.files import expand


class Counted(Struct, frozen=True):
    """A match that counts, from the longest of its logs."""

    source: str
    match: str
    ruleset: str
    commits: int
    played: Played


class LeftOut(Struct, frozen=True):
    """A source that does not count, and why: ``disputed``, ``unusable``."""

    source: str
    verdict: str
    why: str


class Counting(Struct, frozen=True):
    """Which matches count, in the order of their sources, and which sources do not."""

    matches: tuple[Counted, ...]
    left_out: tuple[LeftOut, ...]

    def finish(self) -> int:
        """Say on standard error what was left out; returns the exit status."""
        for one in self.left_out:
            click.echo(f"replay: {clean(one.source)}: left out: {one.why}", err=True)
        verdicts = {one.verdict for one in self.left_out}
        if "disputed" in verdicts:
            return DISPUTED
        return UNUSABLE if verdicts else FINE


def count(sources: Sequence[str], jobs: int) -> Counting:
    """Judge all logs that these sources name, and keep those that count.

    Of several logs of one match the longest counts, if it begins as the others do; logs of one
    match that part are all in dispute.
    """
    examined = list(each(partial(examine, heads=True), expand(sources), jobs))
    left_out = [_left_out(one) for one in examined if one.verdict != "fine"]
    by_match: dict[tuple[str | None, str | None], list[Examined]] = {}
    for one in examined:
        if one.verdict == "fine":
            by_match.setdefault((one.match, one.ruleset), []).append(one)
    matches: list[Counted] = []
    for logs in by_match.values():
        longest = max(logs, key=lambda one: len(one.heads))
        if all(_begins_with(longest, one) for one in logs):
            matches.append(_counted(longest))
        else:
            left_out += [_parted(one) for one in logs]
    return Counting(tuple(matches), tuple(left_out))


def listed_options(matches: Sequence[Counted]) -> list[str]:
    """The names of all options that these matches have, in their first order."""
    return list(dict.fromkeys(key for one in matches for key in one.played.options))


def _begins_with(longest: Examined, other: Examined) -> bool:
    return longest.heads[: len(other.heads)] == other.heads


def _counted(one: Examined) -> Counted:
    if one.match is None or one.ruleset is None or one.played is None:
        raise AssertionError("what is fine was read whole")
    return Counted(one.source, one.match, one.ruleset, len(one.heads), one.played)


def _left_out(one: Examined) -> LeftOut:
    if one.error is not None:
        return LeftOut(one.source, one.verdict, one.error)
    first = one.disputes[0]
    place = "the header" if first.version is None else f"commit {first.version}"
    return LeftOut(one.source, one.verdict, f"{place} is in dispute: {clean(first.message)}")


def _parted(one: Examined) -> LeftOut:
    why = f"there are logs of match {clean(str(one.match))} that part from each other"
    return LeftOut(one.source, "disputed", why)
