"""What clients saw of a match, and whether its log can be what they saw.

Every answer is noted with when its request went out and when it came, on one clock, so that it
can be said which was over before which began. `faults` then compares all of it with the log as it
is in the end: nothing here knows how a service works, only what it promises. Files and commits are
read, and heads computed, by what the contract says of them and by none of the service's code.

A store may come back with an older copy of its data. Then there are two logs of the match, which
begin alike: what was asked before may be of the first, what was told afterwards of the second.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgpack  # type: ignore[import-untyped]
from msgspec import Struct

Plain = dict[str, Any]

CHARGED_MS: Final = 2000
"""What a clock of the store that is set may cost a seat at most."""


class Seen(Struct, frozen=True, kw_only=True):
    """A place in a match as somebody was told it.

    `how`: `view` (as it stands), `past` (as it stood: `?at=`), `told` (a message of a live
    stream, which began at `begun`), `rewritten` (one that says so), `answer` (to a command).
    `body` is what was shown, without what names the reader.
    """

    how: str
    who: str
    version: int
    head: str
    begun: float = 0
    ended: float = 0
    body: Any = None


class Sent(Struct, kw_only=True):
    """A command under its key, and what came of it, however often it was sent.

    `answers`: every good one; `refused`: from when to when it was asked, each time that it was, or
    that there was no such match any more; `unknown`: some sending got no answer, or a 503.
    """

    by: str
    key: str
    command: Plain
    answers: list[Plain] = []
    refused: list[tuple[float, float]] = []
    unknown: int = 0

    def may_be_in(self, era: Era) -> bool:
        """Whether it may stand in that log: if not acknowledged, it is not known to be refused.

        What was appended to a log that was lost before it was answered is judged anew on the log
        that there is then, and may be refused on that.
        """
        lost = any(begun < era.ended < ended for begun, ended in self.refused)
        return bool(self.answers or self.unknown or lost)


def head_after(prev: bytes, data: bytes) -> bytes:
    """The head after a commit of these bytes."""
    return hashlib.sha256(prev + data).digest()


def commits_in(file: bytes) -> list[bytes]:
    """The commits of a match file, each its exact bytes."""
    unpacker = msgpack.Unpacker()
    unpacker.feed(file)
    commits: list[bytes]
    header, *commits = unpacker
    assert header["count"] == len(commits)
    return commits


class Era:
    """A match's log from one loss of the store's data to the next.

    Args:
        commits: the log as it was in the end.
        began, ended: from when to when, on the clock of what was seen.
        kept: how many commits of the era before were left when it began.
    """

    def __init__(
        self,
        commits: Sequence[bytes],
        began: float = float("-inf"),
        ended: float = float("inf"),
        kept: int = 0,
    ) -> None:
        self.commits, self.began, self.ended, self.kept = commits, began, ended, kept
        self.log: Final[list[Plain]] = [msgpack.unpackb(data) for data in commits]
        pairs = zip(self.log, commits, strict=True)
        self.heads: Final = [head_after(plain["prev"], data).hex() for plain, data in pairs]

    def may_show(self, seen: Seen) -> bool:
        """Whether it was there between question and answer."""
        return seen.begun < self.ended and seen.ended > self.began

    def holds(self, version: int, head: str) -> bool:
        """Whether the log leads to that head, or one that begins so, at that version.

        To version 0, of no head, leads a log that is lost as a whole.
        """
        if version == 0:
            return not (head or self.commits)
        there = self.heads[version - 1] if 0 < version <= len(self.heads) else ""
        return bool(head) and there.startswith(head)


class History:
    """All that was seen of one match, and all that was sent to it.

    `began`: when it was ordered; `missed`: versions that were asked for and not there, 1 where
    there was no such match.
    """

    def __init__(self, began: float = 0) -> None:
        self.began: Final = began
        self.seen: list[Seen] = []
        self.missed: list[Seen] = []
        self.sent: dict[tuple[str, str], Sent] = {}

    def faults(self, eras: Sequence[Era], leaps: Sequence[float] = ()) -> list[str]:
        """Why these logs cannot be what was seen; empty where they can.

        `leaps`: when the store's clock was set.
        """
        return [
            *_of_eras(eras),
            *self._of_commands(eras),
            *self._of_heads(eras),
            *itertools.chain.from_iterable(self._of_order(era, eras) for era in eras),
            *self._of_what_is_shown(),
            *self._of_clocks(leaps),
        ]

    def _of_commands(self, eras: Sequence[Era]) -> Iterator[str]:
        """Each acknowledged command once, none refused, none that nobody sent."""
        for era in eras:
            found: dict[tuple[str, str], list[Plain]] = defaultdict(list)
            for commit in era.log[1:]:
                if commit["by"] != "service":
                    found[commit["by"], commit["key"]].append(commit)
            for name in found.keys() - self.sent.keys():
                yield f"nobody sent {name}"
            for name in found.keys() & self.sent.keys():
                yield from _of_command(self.sent[name], found[name], era)
        for sent in self.sent.values():
            yield from _of_answers(sent, eras)

    def _of_heads(self, eras: Sequence[Era]) -> Iterator[str]:
        for seen in self.seen:
            if not any(era.may_show(seen) and era.holds(seen.version, seen.head) for era in eras):
                there = [era.heads[max(seen.version - 1, 0) : seen.version] for era in eras]
                yield f"{seen.who} got {seen.how} {seen.version}: {seen.head}, the log has {there}"
        for seen in self.missed:
            if not any(era.may_show(seen) and len(era.log) < seen.version for era in eras):
                yield f"{seen.who} was told that there is no version {seen.version}, and there is"

    def _of_order(self, era: Era, eras: Sequence[Era]) -> Iterator[str]:
        """What is asked after something was told shows that or something later.

        Views that may be of another era as well are left out.
        """
        others = [other for other in eras if other is not era]
        told = [one for one in self.seen if one.how != "past" and era.holds(one.version, one.head)]
        views = [
            one for one in self.seen
            if one.how == "view" and era.may_show(one)
            and not any(other.may_show(one) for other in others)
        ]  # fmt: skip
        ends = sorted((seen.ended, seen.version) for seen in told)
        newest, done = 0, 0
        for seen in sorted(views, key=lambda one: one.begun):
            while done < len(ends) and ends[done][0] < seen.begun:
                newest, done = max(newest, ends[done][1]), done + 1
            if seen.version < newest:
                yield f"{seen.who} saw version {seen.version} after {newest} had been told"

    def _of_what_is_shown(self) -> Iterator[str]:
        """One place is shown to one viewer in one way, now, later and looking back."""
        shown: dict[tuple[str, str, str], Any] = {}
        for seen in self.seen:
            kind = {"view": "view", "past": "view", "rewritten": "news"}.get(seen.how, "events")
            first = shown.setdefault((kind, seen.who, seen.head), seen.body)
            if first != seen.body:
                yield f"{seen.who} got {kind} {seen.version} as {first} and as {seen.body}"

    def _of_clocks(self, leaps: Sequence[float]) -> Iterator[str]:
        """No seat is charged time that did not pass."""
        for seen in self.seen:
            clock = seen.body.get("clock") if seen.how == "view" else None
            if clock is not None:
                set_ = sum(self.began < leap < seen.ended for leap in leaps)
                passed = 1000 * (seen.ended - self.began) + CHARGED_MS * set_
                least = 1000 * clock["base_s"] - passed
                if min(clock["left_ms"]) < least or (any(clock["flagged"]) and least > 0):
                    yield f"{seen.who} saw {clock} after {passed:.0f} ms"


def _of_eras(eras: Sequence[Era]) -> Iterator[str]:
    for era in eras:
        for number, commit in enumerate(era.log, 1):
            if commit["v"] != number:
                yield f"commit {number} says it is {commit['v']}"
            if number > 1 and commit["prev"].hex() != era.heads[number - 2]:
                yield f"commit {number} does not follow the one before"
    for before, after in itertools.pairwise(eras):
        if list(before.commits[: after.kept]) != list(after.commits[: after.kept]):
            yield f"of the first {after.kept} commits, which were kept, some are others"


def _of_command(sent: Sent, found: Sequence[Plain], era: Era) -> Iterator[str]:
    name = f"{sent.by} {sent.key}"
    if len(found) > 1:
        yield f"{name} stands in the log {len(found)} times"
    for commit in found:
        if not sent.command.items() <= commit["cmd"].items():
            yield f"{name} stands in the log as {commit['cmd']}, and was {sent.command}"
        if not sent.may_be_in(era):
            yield f"{name} was refused, and stands in the log"


def _of_answers(sent: Sent, eras: Sequence[Era]) -> Iterator[str]:
    """Each acknowledges this command, and one log knows only one of them."""
    name, own = f"{sent.by} {sent.key}", (sent.by, sent.key)
    for answer in sent.answers:
        version, head = answer["version"], answer["head"]
        there = [era.log[version - 1] for era in eras if era.holds(version, head)]
        if own not in {(commit["by"], commit["key"]) for commit in there}:
            yield f"{name} was acknowledged as {version}, and is not there"
    for one, other in itertools.combinations(sent.answers, 2):
        if one != other and not _of_different_eras(one, other, eras):
            yield f"{name} was answered in two ways: {one}, {other}"


def _of_different_eras(one: Plain, other: Plain, eras: Sequence[Era]) -> bool:
    held = [
        [era.holds(answer["version"], answer["head"]) for era in eras] for answer in (one, other)
    ]
    return all(map(any, held)) and not any(map(all, zip(*held, strict=True)))


def leaps_of(told: Sequence[Seen], eras: Sequence[Era]) -> Iterator[tuple[Seen, Seen]]:
    """Where a live stream's messages do not follow on one another.

    A commit follows on the one before in the same log; what says that the log was rewritten is
    true of the commit before.
    """
    for before, after in itertools.pairwise(told):
        here = [era for era in eras if era.holds(after.version, after.head)]
        held = [era for era in here if era.holds(before.version, before.head)]
        next_ = bool(held) and after.version == before.version + 1
        if not (len(held) < len(here) if after.how == "rewritten" else next_):
            yield before, after
