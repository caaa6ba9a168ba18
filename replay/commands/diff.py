"""`replay diff`: where two logs part."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

import click
import msgspec
from msgspec import Struct

from referee.core.told.safe import clean
from referee.core.told.words import count_of, listed
from referee.core.visibility import ORGANIZER
from referee.report.json_values import Difference, differences, plain
from referee.report.words import who
from replay.exits import DISPUTED, FINE, Disputed
from replay.options import as_json
from replay.telling.history import History, end_on, open_history
from replay.telling.output import answer
from replay.telling.people import people
from replay.telling.scenes import board, clocks, ending, to_act
from replay.telling.times import in_zone, when

_MARK: Final = "≠"
_PARTS: Final = {
    "at": "the time",
    "by": "the sender",
    "key": "the sender's own mark on it",
    "salt": "the salt",
    "v": "the number",
    "bytes": "the bytes, which cannot be read",
}
"""Parts of a commit that say nothing of the game."""
_BY_ITSELF: Final = frozenset({"prev", "head"})
"""What differs by itself once anything before it does."""
_OF_THE_SAME_PLAY: Final = _BY_ITSELF | {"at", "key", "salt"}
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


# ── In words ──────────────────────────────────────────────────────────────────────────────────────


def _lines(parted: Parted, histories: tuple[History, History]) -> Iterator[str]:
    a, b = (history.log.identity for history in histories)
    if a != b:
        yield f"A is match {_match(*a)}, B is match {_match(*b)}"
    if a[1] != b[1]:
        yield "they are played by different rules: there is nothing to compare"
    elif parted.version is None:
        yield _alike(*parted.commits)
    elif parted.version == 1:
        are = f"both are called {clean(a[0])}, and are" if a == b else "they are two"
        yield f"{are} different matches from their creation on"
        yield _parts(parted.commit, _of_creation)
    else:
        yield f"they part at commit {parted.version}"
        yield from _of_commit(parted.version, parted.commit, histories)
        yield from _of_match(parted, parted.version, histories)


def _match(match: str, ruleset: str) -> str:
    return f"{clean(match)} ({clean(ruleset)})"


def _alike(a: int, b: int) -> str:
    longer = "A" if a > b else "B"
    more = "" if a == b else f"; {longer} goes on to commit {max(a, b)}"
    return f"the same for {count_of(min(a, b), 'commit')}{more}"


def _of_commit(
    version: int, commit: tuple[Difference, ...], histories: tuple[History, History]
) -> Iterator[str]:
    """Both commits in words, and what differs where these are the same."""
    ours, theirs = (_told(history, version) for history in histories)
    yield from (f"  A  {ours}", f"  B  {theirs}")
    if ours == theirs:
        yield "which say the same in words"
        yield _parts(commit, _part)


def _told(history: History, version: int) -> str:
    """A commit in words: when, who, and what came of it."""
    try:
        commit = history.commit(version)
        told = history.told(version, history.seen(version, ORGANIZER))
    except Disputed as disputed:
        return disputed.message
    return f"{when(commit.at)}  {who(commit.by, history.names)}: {' '.join(told)}"


def _parts(differences: tuple[Difference, ...], named: Callable[..., str]) -> str:
    """What differs, each part once; `named` says what it is to which a path leads."""
    parts = dict.fromkeys(named(*re.findall(r"[^.[\]]+", one.path)) for one in differences)
    if not parts:
        return "  they hold the same in other bytes"
    return f"  what differs: {clean(listed(list(parts)))}"


def _part(part: str, *within: str) -> str:
    """A part of a commit."""
    if part == "cmd":
        return " ".join(["what was sent", *_in_parentheses(within[:1])])
    if part == "ev":
        return " ".join(["what came of it", *_in_parentheses(within[1:2])])
    return _PARTS.get(part, "something that is no part of a commit")


def _in_parentheses(names: Sequence[str]) -> Iterator[str]:
    yield from (f"({'kind' if name == 'type' else name.replace('_', ' ')})" for name in names)


def _of_creation(part: str, *within: str) -> str:
    """A part of the commit that creates a match: what was ordered, or what was dealt."""
    if part == "ev" and within[:1] != ("0",):
        return "the deal"
    if part not in ("cmd", "ev"):
        return _part(part, *within)
    name, *of_it = within if part == "cmd" else within[1:]
    name = name.removesuffix("_commitment").replace("_", " ")
    return " ".join(["the", name, *_in_parentheses(of_it[:1] if name == "options" else ())])


# ── The match after it ────────────────────────────────────────────────────────────────────────────


def _of_match(parted: Parted, version: int, histories: tuple[History, History]) -> Iterator[str]:
    """How the match differs: both pictures of it, with a mark at each line that does."""
    if parted.state is None:
        yield f"the match there: {parted.problem}"
        return
    ours, theirs = (list(_shown(history, version)) for history in histories)
    if ours != theirs:
        yield from (f"the match after it ({_MARK} is at what differs)", "", "A")
        yield from _marked(ours, theirs)
        yield from ("", "B")
        yield from _marked(theirs, ours)
        return
    unseen = dict.fromkeys(_field(one.path) for one in parted.state)
    hidden = f"; what they do not show is not: {clean(listed(list(unseen)))}" if unseen else ""
    yield f"the match after it is the same in its pictures{hidden}"


def _field(path: str) -> str:
    """The part of a view, or of its state, to which a path leads."""
    return re.split(r"[.[]", path.removeprefix("state."), maxsplit=1)[0].replace("_", " ")


def _shown(history: History, version: int) -> Iterator[str]:
    """The match in lines: how it stands, who is to act, the clocks, the board."""
    view = history.view(history.match(version), ORGANIZER)
    yield " · ".join(ending(history, view))
    yield from filter(None, [to_act(history, view)])
    yield from clocks(history, view)
    yield from board(history, view).splitlines()


def _marked(lines: Sequence[str], others: Sequence[str]) -> Iterator[str]:
    """Lines, those with a mark that the others lack."""
    for kind, start, stop, _, _ in SequenceMatcher(
        None, lines, others, autojunk=False
    ).get_opcodes():
        for line in lines[start:stop]:
            yield f"  {' ' if kind == 'equal' else _MARK} {line}".rstrip()
