"""Re-judging a log: what ``replay verify`` and the service's own audit run.

Each commit must lie on the chain, follow in version and time, hold a command that was lawful
when it was accepted, and exactly the events that the command yields under the match's seed.
The first that does not is the fault; everything before it is proven.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from referee.core.commit import Envelope, first_prev, head_after, jsonable, open_envelope
from referee.core.game import BadOptions, Event
from referee.core.judging import Malformed, NotAllowed
from referee.core.match import Match
from referee.core.rules import BadLog, Decided, Rules, past_among, read_asker
from referee.core.ruling import Refusal
from referee.core.table.commands import CreateMatch
from referee.core.table.events import MatchEnded, TakenBack


class Fault(Struct, frozen=True, omit_defaults=True):
    """What is wrong with a log, at the first commit at fault.

    ``kind``: ``unreadable`` (no commit of this ruleset), ``chain`` (its ``prev`` is not the head
    before it), ``version`` (a gap or a repeat), ``time`` (before the commit before it),
    ``illegal`` (the command breaks ``ruling``), ``event`` (not the event that the command
    yields), ``ranking`` (a result that does not follow), ``head`` (the log ends elsewhere than
    it says). ``index`` is the event's place in its commit.
    """

    version: int
    kind: Literal["unreadable", "chain", "version", "time", "illegal", "event", "ranking", "head"]
    message: str
    expected: Any = None
    found: Any = None
    ruling: str | None = None
    index: int | None = None


class Verdict(Struct, frozen=True):
    """What a log's examination found: how far it is proven, and the fault, if there is one.

    ``match`` is the state at the last proven commit (None where there is none); ``heads`` the
    head after each proven commit, from version 1.
    """

    commits: int
    proven: int
    fault: Fault | None
    match: Match | None
    heads: tuple[bytes, ...]


class _Found(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def verify(rules: Rules, match_id: str, commits: Sequence[bytes]) -> Verdict:
    """Examine a whole log of ``match_id`` under ``rules``, commit by commit."""
    examination = _Examination(rules, match_id, commits)
    fault = None
    try:
        for data in commits:
            examination.examine(data)
    except _Found as found:
        fault = found.fault
    match, heads = examination.match, tuple(examination.heads)
    return Verdict(len(commits), len(heads), fault, match, heads)


def fold_log(rules: Rules, commits: Sequence[bytes]) -> Match:
    """The match that a whole log tells, its commits taken as facts.

    Raises :class:`~referee.core.rules.BadLog` where the log has a gap or cannot be read.
    """
    return fold_on(rules, None, commits, kept={})


def fold_on(
    rules: Rules, match: Match | None, commits: Sequence[bytes], kept: Mapping[int, Match]
) -> Match:
    """Fold commits onto a match (None: from the first); ``kept`` are matches gone by, by version.

    Raises :class:`~referee.core.rules.BadLog`, also for a take-back to a version not at hand.
    """
    wanted = _versions_gone_back_to(rules, commits)
    past = dict(kept)
    for data in commits:
        match = rules.fold(match, data, past=past_among(past))
        if match.version in wanted:
            past[match.version] = match
    if match is None:
        message = "the log is empty"
        raise BadLog(message)
    return match


def _versions_gone_back_to(rules: Rules, commits: Sequence[bytes]) -> frozenset[int]:
    """The versions whose states take-backs in these commits will want."""
    versions: set[int] = set()
    for data in commits:
        if b"taken_back" in data:
            versions.update(_gone_back_to(rules, data))
    return frozenset(versions)


def _gone_back_to(rules: Rules, data: bytes) -> list[int]:
    try:
        events = rules.read_events(open_envelope(data).ev)
    except msgspec.DecodeError:
        return []
    return [event.to for event in events if isinstance(event, TakenBack)]


class _Examination:
    """One log under examination: the match so far, its heads, and states that are wanted later."""

    def __init__(self, rules: Rules, match_id: str, commits: Sequence[bytes]) -> None:
        self.rules = rules
        self.match: Match | None = None
        self.heads: list[bytes] = []
        self._id = match_id
        self._commits = commits
        self._wanted = _versions_gone_back_to(rules, commits)
        self._kept: dict[int, Match] = {}
        self._head = first_prev(match_id, rules.game.ruleset)

    def examine(self, data: bytes) -> None:
        """Prove one more commit; raises ``_Found`` with the fault."""
        version = len(self.heads) + 1
        envelope = self._opened(data, version)
        self._check_place(envelope, version)
        decided = self._judged(envelope, version)
        if decided.data != data:
            self._compare(data, decided, version)
        # The stored bytes make the head, however another program may have encoded them.
        self._head = head_after(envelope.prev, data)
        match = decided.match
        if match.head != self._head:
            match = msgspec.structs.replace(match, head=self._head)
        self.match = match
        self.heads.append(self._head)
        if version in self._wanted:
            self._kept[version] = match

    def _past(self, version: int) -> Match:
        """A proven state: kept where the log says that it goes back there, folded where not."""
        return self._kept.get(version) or fold_log(self.rules, self._commits[:version])

    def _opened(self, data: bytes, version: int) -> Envelope:
        try:
            return open_envelope(data)
        except msgspec.DecodeError as error:
            raise _Found(Fault(version, "unreadable", f"not a commit: {error}")) from error

    def _check_place(self, envelope: Envelope, version: int) -> None:
        if envelope.prev != self._head:
            expected, found = self._head.hex(), envelope.prev.hex()
            message = f"commit {version} does not lie on the head before it"
            raise _Found(Fault(version, "chain", message, expected, found))
        if envelope.v != version:
            message = f"commit {version} calls itself {envelope.v}"
            raise _Found(Fault(version, "version", message, version, envelope.v))
        if self.match is not None and envelope.at < self.match.at:
            message = f"commit {version} is stamped before commit {version - 1}"
            raise _Found(Fault(version, "time", message, f"≥ {self.match.at}", envelope.at))

    def _judged(self, envelope: Envelope, version: int) -> Decided:
        try:
            return self._decided(envelope)
        except Refusal as refusal:
            found = _plain(envelope.cmd)
            raise _Found(
                Fault(version, "illegal", refusal.detail, None, found, refusal.ruling)
            ) from refusal
        except (msgspec.DecodeError, BadLog) as error:
            raise _Found(Fault(version, "unreadable", str(error))) from error
        except (NotAllowed, Malformed, BadOptions) as error:
            found = _plain(envelope.cmd)
            raise _Found(Fault(version, "illegal", str(error), None, found)) from error

    def _decided(self, envelope: Envelope) -> Decided:
        command = self.rules.read_stored_command(envelope.cmd)
        by = read_asker(envelope.by, envelope.at)
        if self.match is None:
            return self._created(command, envelope.at)
        if isinstance(command, CreateMatch):
            message = "a match is created once"
            raise BadLog(message)
        return self.rules.decide(self.match, by, command, key=envelope.key, past=self._past)

    def _created(self, command: Any, at: int) -> Decided:
        if not isinstance(command, CreateMatch):
            message = "the first commit does not create a match"
            raise BadLog(message)
        if (command.match, command.ruleset) != (self._id, self.rules.game.ruleset):
            message = (
                f"the first commit creates {command.match} of {command.ruleset}, "
                f"not {self._id} of {self.rules.game.ruleset}"
            )
            raise BadLog(message)
        return self.rules.create(command, at)

    def _compare(self, data: bytes, decided: Decided, version: int) -> None:
        """Find where a commit's events are not those that its command yields."""
        try:
            found = self.rules.read_commit(data).ev
        except BadLog as error:
            raise _Found(Fault(version, "unreadable", str(error))) from error
        expected = _as_stored(self.rules, decided)
        for index in range(max(len(expected), len(found))):
            due = expected[index] if index < len(expected) else None
            stands = found[index] if index < len(found) else None
            if due != stands:
                raise _Found(_event_fault(version, index, due, stands))


def _as_stored(rules: Rules, decided: Decided) -> tuple[Event, ...]:
    """A decided commit's events as they would be read back."""
    return rules.read_events(open_envelope(decided.data).ev)


def _event_fault(version: int, index: int, due: Event | None, stands: Event | None) -> Fault:
    is_result = isinstance(due, MatchEnded) or isinstance(stands, MatchEnded)
    message = f"event {index} of commit {version} is not the one that its command yields"
    return Fault(
        version,
        "ranking" if is_result else "event",
        message,
        None if due is None else msgspec.to_builtins(due),
        None if stands is None else msgspec.to_builtins(stands),
        index=index,
    )


def _plain(raw: msgspec.Raw) -> Any:
    return jsonable(msgspec.msgpack.decode(raw))
