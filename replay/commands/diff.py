"""`replay diff`: where two logs part."""

import sys
from collections.abc import Iterator
from typing import Any, Final

import click
import msgspec
from msgspec import Struct

from referee.core.told.safe import clean
from referee.core.told.words import count_of
from referee.core.visibility import ORGANIZER
from referee.report.json_values import Difference, differences, plain
from referee.report.spoken import said, spoken
from referee.report.words import who
from replay.exits import DISPUTED, FINE, Disputed
from replay.options import as_json
from replay.telling.history import History, end_on, open_history
from replay.telling.output import answer
from replay.telling.people import people
from replay.telling.times import in_zone, when

MOST_TOLD: Final = 20
"""Differences that people are told of; programs are told of all."""
_BY_ITSELF: Final = frozenset({"prev", "head"})
"""What differs by itself once anything before it does."""
_OF_THE_SAME_PLAY: Final = _BY_ITSELF | {"at", "key"}
"""What need not be the same where a match was played again."""


class Parted(Struct, frozen=True):
    """How two logs compare.

    `version` is the first commit where they part, None where one begins as the whole other;
    `commit` where these two commits differ; `state` where the match differs after them, as the
    organizer sees it, None where one of the logs cannot be followed to there (`problem` says why).
    """

    version: int | None
    commits: tuple[int, int]
    commit: tuple[Difference, ...] = ()
    state: tuple[Difference, ...] | None = None
    problem: str | None = None


@click.command()
@click.argument("a")
@click.argument("b")
@in_zone
@as_json
def diff(a: str, b: str, *, as_json: bool) -> None:
    """Say at which commit two logs part, and how the match differs there.

    Two logs of one match are compared byte by byte. Of two matches the play is compared: who
    sent what, and what came of it, whenever it was. Ends with 1 where they part; a log that is
    the other's beginning does not part from it.
    """
    histories = open_history(a), open_history(b)
    parted = _compared(*histories)
    answer(parted, _lines(parted, histories), as_json=as_json)
    for history in histories:
        end_on(history.log)
    sys.exit(FINE if parted.version is None else DISPUTED)


def _compared(a: History, b: History) -> Parted:
    exact = a.log.identity == b.log.identity
    for version, (ours, theirs) in enumerate(zip(a.commits, b.commits, strict=False), 1):
        if ours == theirs:
            continue
        changed = tuple(differences(_content(ours, exact=exact), _content(theirs, exact=exact)))
        if exact or changed:
            return _parted(a, b, version, changed)
    return Parted(None, (a.last, b.last))


def _content(data: bytes, *, exact: bool) -> Any:
    """What a commit says, without what does not count as different."""
    try:
        commit = people().renamed(plain(msgspec.msgpack.decode(data)))
    except (ValueError, RecursionError):
        return {"bytes": data.hex()}
    if not isinstance(commit, dict):
        return commit
    dropped = _BY_ITSELF if exact else _OF_THE_SAME_PLAY
    kept = {key: value for key, value in commit.items() if key not in dropped}
    return kept if exact else _nameless(kept)


def _nameless(commit: dict[str, Any]) -> dict[str, Any]:
    """The same without the match's id, which only the creation holds."""
    events = commit.get("ev")
    for part in (commit.get("cmd"), *(events if isinstance(events, list) else ())):
        if isinstance(part, dict) and part.get("type") in ("create_match", "match_created"):
            part.pop("match", None)
    return commit


def _parted(a: History, b: History, version: int, commit: tuple[Difference, ...]) -> Parted:
    counts = (a.last, b.last)
    try:
        ours, theirs = _view(a, version), _view(b, version)
    except Disputed as disputed:
        problem = f"{disputed.source}: {disputed.message}"
        return Parted(version, counts, commit, None, problem)
    return Parted(version, counts, commit, tuple(differences(ours, theirs)))


def _view(history: History, version: int) -> dict[str, Any]:
    view = history.view(history.match(version), ORGANIZER)
    return {key: value for key, value in view.items() if key not in ("head", "match")}


def _lines(parted: Parted, histories: tuple[History, History]) -> Iterator[str]:
    a, b = parted.commits
    if parted.version is None:
        longer = "A" if a > b else "B"
        more = "" if a == b else f"; {longer} goes on to commit {max(a, b)}"
        yield f"the same for {count_of(min(a, b), 'commit')}{more}"
        return
    yield f"they part at commit {parted.version}"
    ours, theirs = (_told(history, parted.version) for history in histories)
    yield from (f"  A  {ours}", f"  B  {theirs}")
    if ours == theirs:
        yield "which say the same in words"
        yield from _difference_lines(parted.commit, "the commits hold the same in other bytes")
    if parted.state is None:
        yield f"the match there: {parted.problem}"
        return
    yield "the match after it"
    yield from _difference_lines(parted.state, "no difference")


def _told(history: History, version: int) -> str:
    """A commit in words: when, who, what was sent and what came of it."""
    try:
        commit = history.commit(version)
        told = history.told(version, history.seen(version, ORGANIZER))
    except Disputed as disputed:
        return disputed.message
    name, command = who(commit.by, history.names), spoken(people().renamed(plain(commit.cmd)))
    return f"{when(commit.at)}  {name}: {clean(command)}. {' '.join(told)}"


def _difference_lines(differences: tuple[Difference, ...], none: str) -> Iterator[str]:
    if not differences:
        yield f"  {none}"
    for one in differences[:MOST_TOLD]:
        yield f"  {clean(one.path)}: {_value(one.a)} in A, {_value(one.b)} in B"
    more = len(differences) - MOST_TOLD
    if more > 0:
        yield f"  and {count_of(more, 'difference')} more (--json tells all)"


def _value(value: Any) -> str:
    return "nothing" if value is None else clean(said(value))
