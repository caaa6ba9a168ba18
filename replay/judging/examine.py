"""One source examined, whatever comes of it: what `verify`, `stats` and `standings` run.

An examination is plain data, so that another process can make it and hand it over.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from referee.core.match import Match, Result
from referee.core.verify import Dispute
from replay.exits import Disputed, Stopped, Unusable
from replay.judging.audit import audit
from replay.sources import Log, load
from replay.sources.source import Source
from replay.telling.history import rules_named
from replay.telling.json_values import plain

HEAD_BYTES: Final = 32


class Rejudged(Struct, frozen=True):
    """The same log under another ruleset: the first commit that would come out differently."""

    ruleset: str
    differs: Dispute | None


class Played(Struct, frozen=True):
    """What a match was, as far as it is proven: its setting, its seats, how it went.

    `commits` is how many of them its log at `source` holds; `started` and `last` are Unix ms;
    `options` as in the view, every default filled in.
    """

    source: str
    match: str
    ruleset: str
    commits: int
    status: str
    seats: tuple[str, ...]
    options: Mapping[str, Any]
    tournament: str | None
    table: str | None
    started: int
    last: int
    result: Result | None


class Examined(Struct, frozen=True):
    """What became of one source.

    `commits` is how many the log holds, `proven` how many of them are; `head` the last head of
    the chain, in hex; `heads` all of them, one behind the other; `signed_by` the public key whose
    signature holds. `error` says why a source is unusable.
    """

    source: str
    verdict: Literal["fine", "disputed", "unusable"]
    error: str | None = None
    match: str | None = None
    game: str | None = None
    ruleset: str | None = None
    commits: int | None = None
    proven: int | None = None
    head: str | None = None
    signed_by: str | None = None
    disputes: tuple[Dispute, ...] = ()
    another: Rejudged | None = None
    played: Played | None = None
    heads: bytes = b""


def examine(source: Source, another: str | None = None, key: str | None = None) -> Examined:
    """Read a source and examine it. Never raises over what the source is or holds.

    Args:
        source: what to read.
        another: the ruleset that judges instead of the log's own.
        key: the public key that must have signed.
    """
    try:
        return _examined(load(source), another, key)
    except Disputed as stopped:
        dispute = Dispute("unreadable", stopped.message)
        return Examined(source.name, "disputed", disputes=(dispute,))
    except Stopped as stopped:
        return Examined(source.name, "unusable", error=stopped.message)


def _examined(log: Log, another: str | None, key: str | None) -> Examined:
    header = log.file.header
    rules, game = rules_named(another or header.ruleset), header.ruleset.partition("/")[0]
    if game != rules.game.id:
        raise Unusable(f"a match of {game} is not judged by {another}")
    audited = audit(rules, log.file, key, by_another=another is not None)
    verdict = audited.verdict
    return Examined(
        log.source,
        "disputed" if audited.disputes else "fine",
        match=header.match,
        game=header.game,
        ruleset=header.ruleset,
        commits=len(log.file.commits),
        proven=verdict.proven,
        head=verdict.heads[-1].hex() if verdict.heads else None,
        signed_by=audited.signed_by,
        disputes=audited.disputes,
        another=Rejudged(another, verdict.differs) if another else None,
        played=None if another or verdict.match is None else _played(log, verdict.match),
        heads=b"".join(verdict.heads),
    )


def _played(log: Log, match: Match) -> Played:
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
        table=setting.table,
        started=setting.created,
        last=match.at,
        result=match.result,
    )
