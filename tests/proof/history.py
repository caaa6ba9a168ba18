"""What clients saw of a match, and whether its log can be what they saw.

Every answer is noted with when its request went out and when it came, on one clock, so that it
can be said which was over before which began. `faults` then compares all of it with the log as it
is in the end: nothing here knows how a service works, only what it promises.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from referee.core.commit import head_after

Plain = dict[str, Any]


class Seen(Struct, frozen=True, kw_only=True):
    """A place in a match as somebody was told it.

    `how`: `view` (as it stands), `past` (as it stood: `?at=`), `told` (a message of a live
    stream), `answer` (to a command). `body` is what was shown, without what names the reader.
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

    `answers`: every good one; `unknown`: some sending got no answer, or a 503.
    """

    by: str
    key: str
    command: Plain
    answers: list[Plain] = []
    refused: int = 0
    unknown: int = 0


class History:
    """All that was seen of one match, and all that was sent to it."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.sent: dict[tuple[str, str], Sent] = {}

    def faults(self, commits: Sequence[bytes]) -> list[str]:
        """Why this log cannot be what was seen; empty where it can."""
        heads = [head_after(plain["prev"], data).hex() for plain, data in _opened(commits)]
        log = [plain for plain, _ in _opened(commits)]
        return [
            *self._of_versions(log),
            *self._of_commands(log),
            *self._of_heads(heads),
            *self._of_order(),
            *self._of_what_is_shown(),
        ]

    def _of_versions(self, log: Sequence[Plain]) -> Iterator[str]:
        for number, commit in enumerate(log, 1):
            if commit["v"] != number:
                yield f"commit {number} says it is {commit['v']}"

    def _of_commands(self, log: Sequence[Plain]) -> Iterator[str]:
        """Each acknowledged command once, none refused, none that nobody sent."""
        found: dict[tuple[str, str], list[Plain]] = defaultdict(list)
        for commit in log[1:]:
            if commit["by"] != "service":
                found[commit["by"], commit["key"]].append(commit)
        for name in found.keys() - self.sent.keys():
            yield f"nobody sent {name}"
        for name, sent in self.sent.items():
            yield from _of_command(sent, found[name])

    def _of_heads(self, heads: Sequence[str]) -> Iterator[str]:
        for seen in self.seen:
            there = heads[seen.version - 1] if 0 < seen.version <= len(heads) else None
            if seen.head != there:
                yield f"{seen.who} got {seen.how} {seen.version}: {seen.head}, the log has {there}"

    def _of_order(self) -> Iterator[str]:
        """What is asked after something was told shows that or something later."""
        ends = sorted((seen.ended, seen.version) for seen in self.seen if seen.how != "past")
        newest, done = 0, 0
        for seen in sorted(self.seen, key=lambda one: one.begun):
            while done < len(ends) and ends[done][0] < seen.begun:
                newest, done = max(newest, ends[done][1]), done + 1
            if seen.how == "view" and seen.version < newest:
                yield f"{seen.who} saw version {seen.version} after {newest} had been told"

    def _of_what_is_shown(self) -> Iterator[str]:
        """One place is shown to one viewer in one way, now, later and looking back."""
        shown: dict[tuple[str, str, int], Any] = {}
        for seen in self.seen:
            kind = "view" if seen.how in {"view", "past"} else "events"
            first = shown.setdefault((kind, seen.who, seen.version), seen.body)
            if first != seen.body:
                yield f"{seen.who} got {kind} {seen.version} as {first} and as {seen.body}"


def _opened(commits: Iterable[bytes]) -> Iterator[tuple[Plain, bytes]]:
    for data in commits:
        yield msgspec.msgpack.decode(data), data


def _of_command(sent: Sent, found: Sequence[Plain]) -> Iterator[str]:
    name = f"{sent.by} {sent.key}"
    if len(found) > 1:
        yield f"{name} stands in the log {len(found)} times"
    if any(answer != sent.answers[0] for answer in sent.answers):
        yield f"{name} was answered in two ways: {sent.answers}"
    for commit in found:
        if not sent.command.items() <= commit["cmd"].items():
            yield f"{name} stands in the log as {commit['cmd']}, and was {sent.command}"
        if not (sent.answers or sent.unknown):
            yield f"{name} was refused, and stands in the log"
    if sent.answers and [commit["v"] for commit in found] != [sent.answers[0]["version"]]:
        yield f"{name} was acknowledged as {sent.answers[0]['version']}, and is not there"


def gaps(versions: Sequence[int]) -> list[tuple[int, int]]:
    """Where a live stream's versions do not follow on one another."""
    return [(a, b) for a, b in itertools.pairwise(versions) if b != a + 1]
