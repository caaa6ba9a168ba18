"""Matches that count: each judged, none in dispute, and once however often its log was given."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial

import click
from msgspec import Struct
from msgspec.structs import replace

from referee.core.audit import PROVES, Word
from referee.core.told.safe import clean
from referee.core.told.words import count_of
from replay.exits import DISPUTED, FINE, UNUSABLE
from replay.judging.disputes import told
from replay.judging.examine import Examined, Played, examine
from replay.judging.parallel import each
from replay.sources import expand
from replay.telling.people import people


class LeftOut(Struct, frozen=True):
    """A source that does not count, and why: `in dispute`, `unusable`."""

    source: str
    verdict: str
    why: str


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

    def finish(self) -> int:
        """Say on standard error what counts and what was left out; returns the exit status."""
        for word, logs in self.verdicts.items():
            if logs:
                click.echo(f"replay: {count_of(logs, 'match', 'matches')} {word}", err=True)
        for source in self.left_out:
            click.echo(f"replay: {clean(source.source)}: left out: {source.why}", err=True)
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
    task = partial(examine, keys=keys, hears=hears, with_heads=True)
    for log in each(task, expand(sources), jobs):
        if log.disputes or log.error is not None:
            left_out.append(LeftOut(log.source, log.verdict, _why(log)))
        else:
            by_match[log.match, log.ruleset].append(log)
    counting: list[Examined] = []
    for logs in by_match.values():
        longest = max(logs, key=lambda log: len(log.heads))
        if all(longest.heads.startswith(log.heads) for log in logs):
            counting.append(longest)
        else:
            why = f"there are logs of match {clean(str(longest.match))} that part from each other"
            left_out += [LeftOut(log.source, "in dispute", why) for log in logs]
    matches = tuple(_named(log.played) for log in counting if log.played)
    words = tuple(log.verdict for log in counting if log.verdict != "unusable")
    return Counting(matches, tuple(left_out), words)


def _named(match: Played) -> Played:
    """A match with its players called as they are to be called."""
    return replace(match, seats=tuple(map(people().player, match.seats)))


def _why(log: Examined) -> str:
    if log.error is not None:
        return log.error
    return f"in dispute: {told(log, log.disputes[0])}"
