"""``replay verify``: judge logs anew, and say where they do not hold."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Final

import click
from msgspec import UNSET, Struct

from referee.core.told.safe import clean
from referee.core.verify import Dispute
from replay.faults import DISPUTED, FINE, UNUSABLE
from replay.judging.audit import from_base64url
from replay.judging.examine import Examined, Rejudged, examine
from replay.judging.parallel import each
from replay.options import as_json, in_jobs, many_sources
from replay.sources.files import expand
from replay.telling.json_values import Difference, differences, to_json
from replay.telling.output import say, say_json
from replay.telling.rulebooks import rules_named
from replay.telling.words import several

SHORTEST_HEAD: Final = 16
_HEAD: Final = re.compile(rf"[0-9a-f]{{{SHORTEST_HEAD},64}}")
_KEY_BYTES: Final = 32


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


def _key(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    key = value.strip().rstrip("=")
    try:
        if len(from_base64url(key)) == _KEY_BYTES:
            return key
    except ValueError:
        pass
    raise click.BadParameter("a public key is the base64url of 32 bytes, as in GET /v1/keys")


@click.command()
@many_sources
@click.option("--as", "another", metavar="RULESET", help="Judge by this ruleset instead.")
@click.option("--head", callback=_head, metavar="HEX", help="Is this head in the chain, and where?")
@click.option("--key", callback=_key, metavar="KEY", help="The public key that must have signed.")
@in_jobs
@as_json
def verify(
    sources: tuple[str, ...],
    *,
    another: str | None,
    head: str | None,
    key: str | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Judge logs anew: chain, signature, legality, events, chance, result.

    Says the first commit at fault, what was expected there and what stands there. Ends with 0
    where every log holds, 1 where one is in dispute, 2 where a source could not be used.
    """
    if another is not None:
        rules_named(another)
    found = expand(sources)
    if head is not None and len(found) != 1:
        raise click.UsageError("--head is asked of one log")
    task = partial(examine, another=another, key=key, heads=head is not None)
    answer = _Answer(head, as_json=as_json)
    for examined in each(task, found, jobs):
        answer.take(examined)
    sys.exit(answer.finish())


class _Answer:
    """The answer as it forms: lines at once, JSON at the end, and the exit status."""

    def __init__(self, head: str | None, *, as_json: bool) -> None:
        self._as_json = as_json
        self._head = head
        self._sought: Sought | None = None
        self._logs: list[Examined] = []
        self._counts: Counter[str] = Counter()
        self._differing = 0

    def take(self, one: Examined) -> None:
        self._counts[one.verdict] += 1
        self._differing += _differs(one) is not None
        if self._head is not None:
            self._sought = _sought(one, self._head)
        if self._as_json:
            self._logs.append(one)
            return
        for line in _lines(one):
            say(line)

    def finish(self) -> int:
        """Print what comes at the end; returns the exit status."""
        if self._as_json:
            say_json(self._whole())
        else:
            self._say_end()
        lost = self._sought is not None and self._sought.version is None
        if self._counts["disputed"] or self._differing or (lost and not self._counts["unusable"]):
            return DISPUTED
        return UNUSABLE if self._counts["unusable"] else FINE

    def _whole(self) -> dict[str, Any]:
        kinds = ("fine", "disputed", "unusable")
        sought = {"sought": self._sought} if self._sought else {}
        logs = [_public(one) for one in self._logs]
        return {"logs": logs, "summary": {kind: self._counts[kind] for kind in kinds}} | sought

    def _say_end(self) -> None:
        if self._sought is not None and not self._counts["unusable"]:
            say(_said_of(self._sought))
        total = self._counts.total()
        if total > 1:
            counted = ", ".join(
                f"{self._counts[kind]} {kind}" for kind in ("fine", "disputed", "unusable")
            )
            changed = f", {self._differing} would come out differently" if self._differing else ""
            say(f"{several(total, 'log')}: {counted}{changed}")


def _public(one: Examined) -> dict[str, Any]:
    """An examination as ``--json`` prints it."""
    return {
        "source": one.source,
        "verdict": one.verdict,
        "error": one.error,
        "match": one.match,
        "game": one.game,
        "ruleset": one.ruleset,
        "commits": one.commits,
        "proven": one.proven,
        "head": one.head,
        "signed_by": one.signed_by,
        "status": one.played.status if one.played else None,
        "result": one.played.result if one.played else None,
        "disputes": one.disputes,
    } | ({} if one.another is UNSET else {"as": one.another})


def _differs(one: Examined) -> Dispute | None:
    return one.another.differs if isinstance(one.another, Rejudged) else None


def _sought(one: Examined, head: str) -> Sought:
    found = (version for version, each in enumerate(one.heads, 1) if each.startswith(head))
    return Sought(head, next(found, None))


def _said_of(sought: Sought) -> str:
    if sought.version is None:
        return f"head {sought.head} is not in the chain"
    return f"head {sought.head} is that of commit {sought.version}"


def _lines(one: Examined) -> Iterator[str]:
    name = clean(one.source)
    if one.verdict == "unusable":
        yield f"unusable  {name}: {one.error}"
        return
    yield f"{one.verdict:<8}  {name}: {_summary(one)}"
    for dispute in one.disputes:
        yield from _dispute_lines(dispute)
    if isinstance(one.another, Rejudged):
        yield from _rejudged_lines(one.another)


def _summary(one: Examined) -> str:
    if one.match is None:
        return "the log cannot be read"
    parts = [clean(one.match), clean(str(one.ruleset)), _proven(one)]
    if one.played:
        parts.append(one.played.status)
    if one.head:
        parts.append(f"head {one.head[:SHORTEST_HEAD]}")
    if one.signed_by:
        parts.append(f"signed by {clean(one.signed_by)}")
    return " · ".join(parts)


def _proven(one: Examined) -> str:
    if one.proven == one.commits:
        return several(one.commits or 0, "commit")
    return f"{one.proven} of {several(one.commits or 0, 'commit')} proven"


def _rejudged_lines(rejudged: Rejudged) -> Iterator[str]:
    if rejudged.differs is None:
        yield f"          under {rejudged.ruleset} every commit comes out the same"
        return
    yield f"          under {rejudged.ruleset} this would come out differently:"
    yield from _dispute_lines(rejudged.differs)


def _dispute_lines(dispute: Dispute) -> Iterator[str]:
    place = "the header" if dispute.version is None else f"commit {dispute.version}"
    yield f"          {place} ({dispute.kind}): {clean(dispute.message)}"
    if dispute.expected is not None:
        yield f"            expected  {_value(dispute.expected)}"
    if dispute.expected is not None or dispute.found is not None:
        yield f"            found     {_value(dispute.found)}"
    yield from _changes(differences(dispute.expected, dispute.found), dispute)
    if dispute.ruling is not None:
        ruling = dispute.ruling
        yield f"            ruling    {ruling.id}: {ruling.text} ({ruling.origin})"


def _changes(found: Iterable[Difference], dispute: Dispute) -> Iterator[str]:
    """Of two events of one kind, also where they differ: they can be long."""
    both = (dispute.expected, dispute.found)
    if all(isinstance(value, dict) for value in both):
        for path, due, stands in found:
            yield f"            {clean(path)}: expected {_value(due)}, found {_value(stands)}"


def _value(value: Any) -> str:
    return "nothing" if value is None else to_json(value)
