"""`replay verify`: judge logs anew, and say where they do not hold."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
from msgspec import Struct
from msgspec.structs import asdict

from referee.core.audit import PROVES
from referee.core.commit import each_head
from referee.core.told.safe import clean
from referee.core.told.words import Names, count_of
from referee.core.verify import Dispute
from referee.report.json_values import plain
from referee.report.words import cited, lawful, who
from replay.exits import DISPUTED, FINE, UNUSABLE
from replay.judging.disputes import called, dispute_in_words
from replay.judging.examine import Added, Examined, Rejudged, examine
from replay.judging.parallel import each
from replay.judging.receipts import Held, Kept, read_answers
from replay.options import as_json, in_jobs, in_shard, many_sources, trusted_keys
from replay.sources import expand, share_of
from replay.sources.keys import trusted
from replay.sources.source import NOT_ASKED
from replay.telling.history import rules_named
from replay.telling.output import say_json
from replay.telling.people import people
from replay.telling.times import in_zone, when

SHORTEST_HEAD: Final = 16
_HEAD: Final = re.compile(rf"[0-9a-f]{{{SHORTEST_HEAD},64}}")
_VERDICTS: Final = (*PROVES, "unusable")
_TOKENS_ALONE: Final = (
    "that a seat's token sent it is proven, not who held that token: "
    "whoever has the service's secret can make one, and no log tells"
)


class Sought(Struct, frozen=True):
    """A head that was looked for: the version whose head it is, None where it is in no place."""

    head: str
    version: int | None


def _head(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    head = value.strip().lower()
    if not _HEAD.fullmatch(head):
        message = f"a head is 64 hex digits, or its first {SHORTEST_HEAD} and more"
        raise click.BadParameter(message)
    return head


@click.command()
@many_sources
@click.option("--as", "another", metavar="RULESET", help="Judge by this ruleset instead.")
@click.option("--head", callback=_head, metavar="HEX", help="Is this head in the chain, and where?")
@click.option(
    "--receipt",
    type=click.Path(allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Are these answers to commands signed, and do they stand in the log?",
)
@trusted_keys
@click.option("--all", "with_all", is_flag=True, help="Name of many logs those that hold too.")
@in_shard
@in_jobs
@in_zone
@as_json
def verify(  # noqa: PLR0913 - each an option by its name
    sources: tuple[str, ...],
    *,
    another: str | None,
    head: str | None,
    receipt: Path | None,
    keys: tuple[str, ...] | None,
    with_all: bool,
    shard: tuple[int, int] | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Judge logs anew: chain, signature, legality, events, chance, result.

    Says of each log whether it is signed, not signed or in dispute, and what that proves; of one
    in dispute the first commit at fault, what was expected there and what stands there. Ends with
    0 where every log holds; 1 where one is in dispute, or not signed by a key that was asked for,
    or lacks the head or receipt that was, or comes out differently under other rules; 2 where a
    source could not be used. Of many logs those at fault are named. With --receipt the
    keys are asked of the answers.
    """
    if another is not None:
        rules_named(another)
    logs = share_of(expand(sources), shard)
    if (head is not None or receipt is not None) and len(logs) != 1:
        raise click.UsageError("--head and --receipt are asked of one log")
    kept = None if receipt is None else Kept(read_answers(receipt), trusted(logs[0], keys))
    by_key = keys is not None and kept is None
    task = partial(
        examine,
        another=another,
        keys=keys,
        away=set(),
        with_heads=head is not None or kept is not None,
        with_senders=kept is not None,
    )
    with_all = with_all or len(logs) == 1
    findings = Findings(head, kept, brought=keys is not None, by_key=by_key, with_all=with_all)
    for examined in each(task, logs, jobs):
        findings.take(examined, public(examined))
        if not as_json:
            findings.say(examined)
    if as_json:
        say_json(findings.json() | ({"shard": "{}/{}".format(*shard)} if shard else {}))
    else:
        findings.say_end()
    sys.exit(findings.status)


class Findings:
    """What is found: each log in lines as it comes, what all come to at the end, the status."""

    def __init__(
        self,
        head: str | None = None,
        kept: Kept | None = None,
        *,
        brought: bool,
        by_key: bool,
        with_all: bool,
    ) -> None:
        self._brought = brought
        self._by_key = by_key
        self._with_all = with_all
        self._head = head
        self._kept = kept
        self._held: list[Held] = []
        self._names: Names = ()
        self._sought: Sought | None = None
        self._logs: list[dict[str, Any]] = []
        self._counts = Counter[str]()
        self._differing = 0

    def take(self, log: Examined, as_json: dict[str, Any]) -> None:
        """Count a log in, which is this in JSON."""
        self._counts[log.verdict] += 1
        self._differing += bool(log.another and log.another.differs)
        self._logs.append(as_json)
        if self._head is not None:
            self._sought = _sought(log, self._head)
        if self._kept is not None and log.error is None:
            self._held, self._names = self._kept.against(log), called(log)

    def say(self, log: Examined) -> None:
        """Print a log's lines, where it is at fault or all are asked for."""
        if log.error == NOT_ASKED:
            return
        good = log.verdict == "signed" or (log.verdict == "not signed" and not self._by_key)
        if self._with_all or not good or (log.another and log.another.differs):
            for line in _lines(log, brought=self._brought):
                click.echo(line)

    def json(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        summary = {verdict: self._counts[verdict] for verdict in _VERDICTS}
        sought = {"sought": self._sought} if self._sought else {}
        by_key = {"by_key": True} if self._by_key else {}
        held = {"receipts": self._held} if self._kept else {}
        return {"logs": self._logs, "summary": summary} | sought | by_key | held

    @property
    def status(self) -> int:
        """The exit status."""
        if self._counts["in dispute"] or self._differing:
            return DISPUTED
        if self._by_key and self._counts["not signed"]:
            return DISPUTED
        if self._counts["unusable"]:
            return UNUSABLE
        lost = self._sought is not None and self._sought.version is None
        return DISPUTED if lost or not all(held.good for held in self._held) else FINE

    def say_end(self) -> None:
        """Print what all logs come to: the last line counts them."""
        self._say_unasked()
        if self._sought is not None and not self._counts["unusable"]:
            where = "not in the chain"
            if self._sought.version is not None:
                where = f"that of commit {self._sought.version}"
            click.echo(f"head {self._sought.head} is {where}")
        if self._kept is not None and self._held:
            for line in _held_lines(self._held, self._kept, self._names):
                click.echo(line)
        for word, proof in PROVES.items():
            if self._counts[word]:
                click.echo(f"{word}: {proof}")
        total = self._counts.total()
        if total != 1:
            counts = ", ".join(f"{self._counts[verdict]} {verdict}" for verdict in _VERDICTS)
            changed = f", {self._differing} would come out differently" if self._differing else ""
            click.echo(f"{count_of(total, 'log')}: {counts}{changed}")

    def _say_unasked(self) -> None:
        unasked = sum(log["error"] == NOT_ASKED for log in self._logs)
        if unasked:
            click.echo(f"{count_of(unasked, 'match', 'matches')} {NOT_ASKED}")


def _sought(log: Examined, head: str) -> Sought:
    heads = enumerate(each_head(log.heads), 1)
    versions = (version for version, other in heads if other.hex().startswith(head))
    return Sought(head, next(versions, None))


def _held_lines(held: Sequence[Held], kept: Kept, names: Names) -> Iterator[str]:
    """Each answer in words, and how many of them the log keeps to."""
    for one in held:
        yield _held_line(one, names, by_keys=bool(kept.keys))
    good, others = sum(one.good for one in held), kept.of_others(held[0].match)
    passed = f"; {others} of other matches left out" if others else ""
    said = f"{good} hold, {len(held) - good} do not"
    if not kept.keys:
        said = f"{good} stand in the log, 0 of them vouched for"
    yield f"{count_of(len(held), 'answer')}: {said}{passed}"


def _held_line(held: Held, names: Names, *, by_keys: bool) -> str:
    """An answer in words: is it signed, and does it stand in the log?"""
    signed = "signed" if held.signed_by else "NOT signed by a trusted key"
    if not by_keys:
        signed = "signed by nobody knows whom (no key is trusted)"
    where = "stands in the log"
    if held.found is None:
        where = "does NOT stand in the log"
    elif held.found != held.version:
        where = f"stands in the log as commit {held.found}"
    by = "" if held.by is None else f" (by {who(held.by, names)})"
    head = held.head[:SHORTEST_HEAD]
    return f"answer to commit {held.version}{by}, head {head}: {signed}, {where}"


def public(log: Examined) -> dict[str, Any]:
    """An examination as `--json` prints it."""
    fields = asdict(log)
    another = fields.pop("another")
    del fields["played"], fields["heads"], fields["senders"]
    fields["seats"] = people().seats(log.seats)
    fields["disputes"] = people().renamed(plain(log.disputes))
    return {**fields, "as": another} if another else fields


def _lines(log: Examined, *, brought: bool) -> Iterator[str]:
    source = clean(log.source)
    if log.verdict == "unusable":
        yield f"unusable    {source}: {log.error}"
        return
    yield f"{log.verdict:<10}  {source}: {_summary(log, brought=brought)}"
    if log.entropy:
        told = [_added(added, called(log)[added.seat]) for added in log.entropy]
        yield f"            entropy: {'; '.join(told)}"
        if any(added.by == f"seat:{added.seat}" for added in log.entropy):
            yield f"            {_TOKENS_ALONE}"
    for dispute in log.disputes:
        yield from _dispute_lines(log, dispute)
    if log.another:
        yield from _rejudged_lines(log, log.another)


def _summary(log: Examined, *, brought: bool) -> str:
    if log.match is None:
        return "the log cannot be read"
    parts = [clean(log.match), clean(str(log.ruleset))]
    parts.append(lawful(log.proven or 0, log.commits or 0))
    if log.status:
        parts.append(log.status)
    if log.head:
        parts.append(f"head {log.head[:SHORTEST_HEAD]}")
    return " · ".join([*parts, _signature(log, brought=brought)])


def _signature(log: Examined, *, brought: bool) -> str:
    """Who vouches for the log; `brought` says that whoever asks named the keys to be trusted."""
    if log.signed_by is None:
        fails = any(dispute.kind == "signature" for dispute in log.disputes)
        return "its signature does not hold" if fails else "no signature"
    if log.trusted:
        whose = "the key that you brought" if brought else "the key of the service that has it"
        return f"signed by {clean(log.signed_by)} ({whose})"
    return f"its header's own key {clean(log.signed_by)} has signed it, which alone proves nothing"


def _added(added: Added, name: str) -> str:
    """What a seat added to the chance of the match, and when; by whom, where not by itself."""
    if added.at is None:
        return f"{name} none"
    by = "" if added.by == f"seat:{added.seat}" else f" by {clean(str(added.by))}"
    again = " and ".join(map(str, added.reissued))
    new = f", after a new token for it in commit {again}" if again else ""
    return f"{name}{by} in commit {added.version}, {when(added.at)}{new}"


def _rejudged_lines(log: Examined, rejudged: Rejudged) -> Iterator[str]:
    if rejudged.differs is None:
        yield f"            under {rejudged.ruleset} every commit comes out the same"
        return
    yield f"            under {rejudged.ruleset} this would come out differently:"
    yield from _dispute_lines(log, rejudged.differs)


def _dispute_lines(log: Examined, dispute: Dispute) -> Iterator[str]:
    yield f"            {dispute_in_words(log, dispute)}"
    if dispute.ruling is not None:
        yield f"            {cited(dispute.ruling)}"
