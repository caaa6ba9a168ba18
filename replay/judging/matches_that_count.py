"""Matches that count: each judged and found fine, and once however often its log was given."""

from collections import defaultdict
from collections.abc import Sequence

import click
from msgspec import Struct
from msgspec.structs import replace

from referee.core.told.safe import clean
from replay.exits import DISPUTED, FINE, UNUSABLE
from replay.judging.examine import Examined, Played, examine
from replay.judging.parallel import each
from replay.sources import expand
from replay.telling.people import people


class LeftOut(Struct, frozen=True):
    """A source that does not count, and why: `disputed`, `unusable`."""

    source: str
    verdict: str
    why: str


class Counting(Struct, frozen=True):
    """Which matches count, each from the longest of its logs, and which sources do not."""

    matches: tuple[Played, ...]
    left_out: tuple[LeftOut, ...]

    def finish(self) -> int:
        """Say on standard error what was left out; returns the exit status."""
        for source in self.left_out:
            click.echo(f"replay: {clean(source.source)}: left out: {source.why}", err=True)
        verdicts = {source.verdict for source in self.left_out}
        if "disputed" in verdicts:
            return DISPUTED
        return UNUSABLE if verdicts else FINE


def count(sources: Sequence[str], jobs: int) -> Counting:
    """Judge all logs that these sources name, and keep those that count.

    Of several logs of one match the longest counts, if it begins as the others do; logs of one
    match that part are all in dispute.
    """
    left_out: list[LeftOut] = []
    by_match = defaultdict[tuple[str | None, str | None], list[Examined]](list)
    for log in each(examine, expand(sources), jobs):
        if log.verdict == "fine":
            by_match[log.match, log.ruleset].append(log)
        else:
            left_out.append(LeftOut(log.source, log.verdict, _why(log)))
    matches: list[Played | None] = []
    for logs in by_match.values():
        longest = max(logs, key=lambda log: len(log.heads))
        if all(longest.heads.startswith(log.heads) for log in logs):
            matches.append(longest.played and _named(longest.played))
        else:
            why = f"there are logs of match {clean(str(longest.match))} that part from each other"
            left_out += [LeftOut(log.source, "disputed", why) for log in logs]
    return Counting(tuple(filter(None, matches)), tuple(left_out))


def _named(match: Played) -> Played:
    """A match with its players called as they are to be called."""
    return replace(match, seats=tuple(map(people().player, match.seats)))


def _why(log: Examined) -> str:
    if log.error is not None:
        return log.error
    first = log.disputes[0]
    return f"{first.place} is in dispute: {clean(first.message)}"
