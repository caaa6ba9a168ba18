"""Matches that count: each judged, none in dispute, and once however often its log was given."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Final

import click
from msgspec import Struct
from msgspec.structs import replace

from referee.core.audit import PROVES, Word
from referee.core.told.safe import clean
from referee.core.told.words import count_of
from replay.exits import DISPUTED, FINE, UNUSABLE
from replay.judging.disputes import dispute_in_words
from replay.judging.examine import Examined, Played, examine
from replay.judging.parallel import each
from replay.sources import expand
from replay.sources.source import NOT_ASKED
from replay.telling.people import people

NAMED: Final = 5
"""Of how many sources that do not count is told why beside what others come to."""


class LeftOut(Struct, frozen=True):
    """A source that does not count, and why: `in dispute`, `unusable`.

    `match` is the match whose log it is, where that is known.
    """

    source: str
    verdict: str
    why: str
    match: str | None = None


class Counting(Struct, frozen=True):
    """Which matches count, each from the longest of its logs, and which sources do not.

    `words` is what the logs of those that count are: signed, or not.
    """

    matches: tuple[Played, ...]
    left_out: tuple[LeftOut, ...]
    words: tuple[Word, ...]

    @property
    def verdicts(self) -> dict[Word, int]:
        """How many of those that count are signed, and how many not."""
        counts = Counter(self.words)
        return {word: counts[word] for word in PROVES if word != "in dispute"}

    def missing(self) -> list[str]:
        """What is to stand beside figures that lack matches: how many, which first, and why."""
        if not self.left_out:
            return []
        matches = len({one.match or one.source for one in self.left_out})
        lines = [f"{count_of(matches, 'match', 'matches')} left out:"]
        lines += [f"{clean(one.source)}: {one.why}" for one in self._asked[:NAMED]]
        if len(self._asked) > NAMED:
            lines.append(f"and {len(self._asked) - NAMED} more")
        return lines + self._unasked

    @property
    def _asked(self) -> list[LeftOut]:
        return [one for one in self.left_out if one.why != NOT_ASKED]

    @property
    def _unasked(self) -> list[str]:
        """One line for all that were not asked for, as their service is away."""
        unasked = len(self.left_out) - len(self._asked)
        return [f"{count_of(unasked, 'match', 'matches')} {NOT_ASKED}"] if unasked else []

    def finish(self) -> int:
        """Say on standard error what counts and what was left out; returns the exit status."""
        for word, logs in self.verdicts.items():
            if logs:
                click.echo(f"replay: {count_of(logs, 'match', 'matches')} {word}", err=True)
        for source in self._asked:
            click.echo(f"replay: {clean(source.source)}: left out: {source.why}", err=True)
        for line in self._unasked:
            click.echo(f"replay: {line}", err=True)
        verdicts = {source.verdict for source in self.left_out}
        if "in dispute" in verdicts:
            return DISPUTED
        return UNUSABLE if verdicts else FINE


def count(
    sources: Sequence[str],
    jobs: int,
    keys: tuple[str, ...] | None = None,
    *,
    hears: bool = False,
) -> Counting:
    """Judge all logs that these sources name by the keys trusted, and keep those that count.

    Of several logs of one match the longest counts, if it begins as the others do; logs of one
    match that part are all in dispute. With `hears` every draw is noted.
    """
    left_out: list[LeftOut] = []
    by_match = defaultdict[tuple[str | None, str | None], list[Examined]](list)
    task = partial(examine, keys=keys, away=set(), hears=hears, with_heads=True)
    for log in each(task, expand(sources), jobs):
        if log.disputes or log.error is not None:
            left_out.append(LeftOut(log.source, log.verdict, _why(log), log.match))
        else:
            by_match[log.match, log.ruleset].append(log)
    counting: list[Examined] = []
    for logs in by_match.values():
        longest = max(logs, key=lambda log: len(log.heads))
        if all(longest.heads.startswith(log.heads) for log in logs):
            counting.append(longest)
        else:
            why = f"there are logs of match {clean(str(longest.match))} that part from each other"
            left_out += [LeftOut(log.source, "in dispute", why, log.match) for log in logs]
    matches = tuple(_named(log.played) for log in counting if log.played)
    words = tuple(log.verdict for log in counting if log.verdict != "unusable")
    return Counting(matches, tuple(left_out), words)


def _named(match: Played) -> Played:
    """A match with its players called as they are to be called."""
    return replace(match, seats=tuple(map(people().player, match.seats)))


def _why(log: Examined) -> str:
    if log.error is not None:
        return log.error
    return f"in dispute: {dispute_in_words(log, log.disputes[0])}"
