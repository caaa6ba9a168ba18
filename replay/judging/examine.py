"""One source examined, whatever comes of it: what `verify`, `stats` and `standings` run.

An examination is plain data, so that another process can make it and hand it over.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from referee.core.audit import Audited, Word, audit
from referee.core.commit import Header, open_envelope
from referee.core.match import Match, Result
from referee.core.rules import Rules
from referee.core.table.events import EntropyAdded, TokenReissued
from referee.core.verify import Dispute, Verdict
from referee.report.disputes import Whereabouts, whereabouts
from referee.report.json_values import plain
from replay.exits import Disputed, Stopped, Unusable
from replay.judging.hearing import Heard, HearingRules, hearing
from replay.sources import Log, load
from replay.sources.http import Unreached
from replay.sources.keys import trusted
from replay.sources.source import NOT_ASKED, Source
from replay.telling.history import rules_named


class Rejudged(Struct, frozen=True):
    """The same log under another ruleset: the first commit that would come out differently."""

    ruleset: str
    differs: Dispute | None


class Played(Struct, frozen=True):
    """What a match was, as far as it is proven: its setting, its seats, how it went.

    `commits` is how many of them its log at `source` holds; `started` and `last` are Unix ms;
    `options` as in the view, every default filled in; `heard` what chance brought, where that was
    listened to.
    """

    source: str
    match: str
    ruleset: str
    commits: int
    status: str
    seats: tuple[str, ...]
    options: Mapping[str, Any]
    tournament: str | None
    round: int | None
    table: str | None
    started: int
    last: int
    result: Result | None
    heard: Heard = field(default_factory=Heard)


class Added(Struct, frozen=True):
    """What a seat added to the chance of a match: who sent it, in which commit, when, Unix ms.

    All None where nothing was added for the seat. `reissued` are the commits before it in which an
    organizer gave the seat a new token.
    """

    seat: int
    by: str | None = None
    version: int | None = None
    at: int | None = None
    reissued: tuple[int, ...] = ()


class Examined(Struct, frozen=True):
    """What became of one source.

    `commits` is how many the log holds, `proven` how many of them are; `head` the last head of
    the chain, in hex; `heads` all of them, one behind the other, where they were asked for;
    `signed_by` the public key whose signature holds, `trusted` whether that is one to trust;
    `entropy`, by seat, what else than the seed its chance depends on, if it does; `where` the
    whereabouts of commits at fault, by version; `seats` their names; `status` and `result` those
    at the last lawful commit; `senders` who each commit is by, where that was asked for. `error`
    says why a source is unusable.
    """

    source: str
    verdict: Word | Literal["unusable"]
    error: str | None = None
    match: str | None = None
    game: str | None = None
    ruleset: str | None = None
    commits: int | None = None
    proven: int | None = None
    head: str | None = None
    signed_by: str | None = None
    trusted: bool = False
    entropy: tuple[Added, ...] = ()
    disputes: tuple[Dispute, ...] = ()
    where: Mapping[int, Whereabouts] = field(default_factory=dict)
    seats: tuple[str, ...] = ()
    status: str | None = None
    result: Result | None = None
    another: Rejudged | None = None
    played: Played | None = None
    heads: bytes = b""
    senders: tuple[str, ...] = ()


def examine(  # noqa: PLR0913 - each a part of the answer by its name
    source: Source,
    another: str | None = None,
    keys: tuple[str, ...] | None = None,
    *,
    away: set[str] | None = None,
    hears: bool = False,
    with_heads: bool = False,
    with_senders: bool = False,
) -> Examined:
    """Read a source and examine it. Never raises over what the source is or holds.

    Args:
        source: what to read.
        another: the ruleset that judges instead of the log's own.
        keys: the public keys that are trusted; for None those of the service that it comes from.
        away: services that were not reached, of which nothing is asked; others are added.
        hears: whether to note every draw.
        with_heads: whether to note every head.
        with_senders: whether to note who each commit is by.
    """
    if away and source.service in away:
        return Examined(source.name, "unusable", error=NOT_ASKED)
    try:
        log = load(source)
        examined = _examined(log, another, trusted(source, keys), hears=hears)
        heads = examined.heads if with_heads else b""
        senders = tuple(_senders(log)) if with_senders else ()
        return replace(examined, heads=heads, senders=senders)
    except Disputed as stopped:
        dispute = Dispute("unreadable", stopped.message)
        return Examined(source.name, "in dispute", disputes=(dispute,))
    except Stopped as stopped:
        if away is not None and source.service and isinstance(stopped, Unreached):
            away.add(source.service)
        return Examined(source.name, "unusable", error=stopped.message)


def _examined(log: Log, another: str | None, keys: tuple[str, ...], *, hears: bool) -> Examined:
    rules = _judges(log.file.header, another)
    if hears:
        rules = hearing(rules)
    audited = audit(rules, log.file, keys, by_another=another is not None)
    examined, verdict = _found(log, audited, rules), audited.verdict
    if another:
        return replace(examined, another=Rejudged(another, verdict.differs))
    return _as_it_stands(examined, log, rules, verdict.match) if verdict.match else examined


def _judges(header: Header, another: str | None) -> Rules:
    """The rules that judge a log: its own, or other ones of its game."""
    rules, game = rules_named(another or header.ruleset), header.ruleset.partition("/")[0]
    if game != rules.game.id:
        raise Unusable(f"a match of {game} is not judged by {another}")
    return rules


def _found(log: Log, audited: Audited, rules: Rules) -> Examined:
    """What a log says it is, and how far that holds."""
    header, verdict = log.file.header, audited.verdict
    return Examined(
        log.source,
        audited.word,
        match=header.match,
        game=header.game,
        ruleset=header.ruleset,
        commits=len(log.file.commits),
        proven=verdict.proven,
        head=verdict.chain.head.hex() if len(verdict.chain) else None,
        heads=bytes(verdict.chain.heads),
        signed_by=audited.signed_by,
        trusted=audited.trusted,
        entropy=tuple(_entropy(log, rules, verdict)),
        disputes=audited.disputes,
        where=_where(log, audited),
        seats=tuple(seat.name for seat in verdict.match.seats) if verdict.match else (),
    )


def _where(log: Log, audited: Audited) -> dict[int, Whereabouts]:
    """The whereabouts of the commits at fault, by version."""
    faults = (*audited.disputes, audited.verdict.differs)
    versions = [fault.version for fault in faults if fault and fault.version]
    return {version: whereabouts(log.file, version) for version in versions}


def _as_it_stands(examined: Examined, log: Log, rules: Rules, match: Match) -> Examined:
    """An examination by the log's own rules, with the match at its last lawful commit."""
    played = _played(log, rules, match)
    return replace(examined, status=match.status, result=match.result, played=played)


def _senders(log: Log) -> Iterator[str]:
    """Who each commit is by, up to the first that cannot be read."""
    with suppress(msgspec.DecodeError):
        for data in log.file.commits:
            yield open_envelope(data).by


def _entropy(log: Log, rules: Rules, verdict: Verdict) -> Iterator[Added]:
    """Who added to the chance, and when, if anybody was to: from commit 1 to the deal."""
    match = verdict.match
    if match is None or (match.dealt == 1 and not any(match.entropy)):
        return
    commits = map(rules.read_commit, log.file.commits[: match.dealt or match.version])
    first = next(commits)
    added = [Added(seat, first.by, 1, first.at) for seat in range(len(match.entropy))]
    reissued = defaultdict[int, list[int]](list)
    for commit in commits:
        for event in commit.ev:
            if isinstance(event, TokenReissued):
                reissued[event.seat].append(commit.v)
            elif isinstance(event, EntropyAdded):
                again = tuple(reissued[event.seat])
                added[event.seat] = Added(event.seat, commit.by, commit.v, commit.at, again)
    for one, entropy in zip(added, match.entropy, strict=True):
        yield one if entropy else Added(one.seat)


def _played(log: Log, rules: Rules, match: Match) -> Played:
    setting = match.setting
    return Played(
        source=log.source,
        match=setting.match,
        ruleset=setting.ruleset,
        commits=len(log.file.commits),
        status=match.status,
        seats=tuple(seat.name for seat in match.seats),
        options=plain(setting.options),
        tournament=setting.tournament,
        round=setting.round,
        table=setting.table,
        started=setting.created,
        last=match.at,
        result=match.result,
        heard=rules.heard if isinstance(rules, HearingRules) else Heard(),
    )
