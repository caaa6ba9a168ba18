"""One source examined, whatever comes of it: what ``verify``, ``stats`` and ``standings`` run.

An examination is plain data, so that another process can make it and hand it over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, field

from referee.core.match import Match, Result
from referee.core.rules import Rules
from replay.faults import Disputed, Stopped, Unusable
from replay.judging.audit import (
    Audited,
    Dispute,
    audit,
    chain,
    chain_dispute,
    header_disputes,
)
from replay.judging.rejudge import rejudge
from replay.sources.files import Log, Source, load
from replay.telling.json_values import plain
from replay.telling.rulebooks import rules_named

Verdict = Literal["fine", "disputed", "unusable"]


class Other(Struct, frozen=True):
    """The same log under another ruleset: the first commit that would come out differently."""

    ruleset: str
    differs: Dispute | None


class Played(Struct, frozen=True):
    """What a match was, as far as it is proven: its setting, its seats, how it went.

    ``started`` and ``last`` are Unix ms; ``options`` as in the view, every default filled in.
    """

    status: str
    seats: tuple[str, ...]
    options: Mapping[str, Any]
    tournament: str | None
    table: str | None
    started: int
    last: int
    result: Result | None


class Examined(Struct, frozen=True, omit_defaults=True):
    """What became of one source.

    ``commits`` is how many the log holds, ``proven`` how many of them are; ``head`` the last
    head of the chain, in hex; ``signed_by`` the public key whose signature holds. ``heads`` are
    all heads of the chain, where they were asked for. ``error`` says why a source is unusable.
    """

    source: str
    verdict: Verdict
    error: str | None = None
    match: str | None = None
    game: str | None = None
    ruleset: str | None = None
    commits: int | None = None
    proven: int | None = None
    head: str | None = None
    signed_by: str | None = None
    disputes: tuple[Dispute, ...] = ()
    other: Other | UnsetType = field(name="as", default=UNSET)
    played: Played | None = None
    heads: tuple[str, ...] = ()


class Wanted(Struct, frozen=True):
    """What is to be found out about each source.

    ``other``: the ruleset that judges instead of the log's own; ``key``: the public key that
    must have signed; ``heads``: whether to hand over all heads.
    """

    other: str | None = None
    key: str | None = None
    heads: bool = False


def examine(source: Source, wanted: Wanted) -> Examined:
    """Read a source and examine it. Never raises over what the source is or holds."""
    try:
        log = load(source)
        if wanted.other is not None:
            return _judged_by_another(log, wanted, wanted.other)
        return _judged(log, wanted)
    except Disputed as stopped:
        found = Dispute("unreadable", stopped.message)
        return Examined(source.name, "disputed", disputes=(found,))
    except Stopped as stopped:
        return Examined(source.name, "unusable", error=stopped.message)


def _judged(log: Log, wanted: Wanted) -> Examined:
    rules = rules_named(log.file.header.ruleset)
    audited = audit(rules, log.file, wanted.key)
    played = None if audited.match is None else _played(audited.match)
    return _examined(log, wanted, audited, played=played)


def _judged_by_another(log: Log, wanted: Wanted, ruleset: str) -> Examined:
    """The chain and the header by the log's own account, the rest by another ruleset."""
    header, commits = log.file.header, log.file.commits
    rules = rules_named(ruleset)
    _check_same_game(log, rules)
    heads = chain(header.match, header.ruleset, commits)
    broken = chain_dispute(log.file, heads)
    disputes = [broken] if broken else []
    disputes += header_disputes(log.file, heads, wanted.key)
    differs = rejudge(rules, commits[: len(heads)])
    proven = differs.version - 1 if differs and differs.version else len(heads)
    audited = Audited(proven, tuple(disputes), heads, None)
    return _examined(log, wanted, audited, other=Other(ruleset, differs))


def _check_same_game(log: Log, rules: Rules) -> None:
    game = log.file.header.ruleset.partition("/")[0]
    if game != rules.game.id:
        raise Unusable(f"a match of {game} is not judged by {rules.game.ruleset}")


def _examined(log: Log, wanted: Wanted, audited: Audited, **more: Any) -> Examined:
    header, heads = log.file.header, audited.heads
    signed = not isinstance(header.signature, UnsetType) and not any(
        one.kind == "signature" for one in audited.disputes
    )
    return Examined(
        log.source,
        "disputed" if audited.disputes else "fine",
        match=header.match,
        game=header.game,
        ruleset=header.ruleset,
        commits=len(log.file.commits),
        proven=audited.proven,
        head=heads[-1].hex() if heads else None,
        signed_by=header.public_key if signed and header.public_key is not UNSET else None,
        disputes=audited.disputes,
        heads=tuple(head.hex() for head in heads) if wanted.heads else (),
        **more,
    )


def _played(match: Match) -> Played:
    setting = match.setting
    return Played(
        status=match.status,
        seats=tuple(seat.name for seat in match.seats),
        options=plain(setting.options),
        tournament=setting.tournament,
        table=setting.table,
        started=setting.created,
        last=match.at,
        result=match.result,
    )
