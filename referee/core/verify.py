"""The judge of logs: whether what stands in a log is what its rules yield.

First comes the chain, by no rules at all: each commit must lie on the head before it, and follow
in version and time. Then each commit is judged as it was when it was accepted: its command must be
lawful, and its events exactly those that the command yields under the match's seed. The first
commit that is not so is in dispute; everything before it is proven.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.core.commit import (
    HEAD_BYTES,
    LATEST,
    SALT_BYTES,
    Commit,
    Envelope,
    decoded,
    first_prev,
    head_after,
    open_envelope,
    written,
)
from referee.core.game import BadOptions
from referee.core.judging import Malformed, NotAllowed
from referee.core.match import Match
from referee.core.patterns import KEY
from referee.core.rules import BadLog, Rules, Unsealed, past_among, read_asker
from referee.core.ruling import Refusal, Ruling
from referee.core.slices import Slices, at_once
from referee.core.table.commands import CreateMatch

Kind = Literal[
    "unreadable", "chain", "version", "time", "illegal", "event", "ranking", "form",
    "flag", "count", "head", "header", "signature",
]  # fmt: skip


class Dispute(Struct, frozen=True, omit_defaults=True):
    """What is wrong with a log, at the first commit at fault or in a match file's header.

    `version` is the commit at fault, None for the header; `index` the event's place in the commit.
    `expected` and `found` are decoded MessagePack, None for what is not there.

    Kinds of a commit: `unreadable` (no commit that these rules can read or judge), `chain` (its
    `prev` is not the head after the commit before it: one of the two was changed), `version` (a gap
    or a repeat), `time` (before the commit before it), `flag` (a clock had run out by its stamp,
    and no flag stands before it), `illegal` (the command breaks `ruling`, or is not for its
    sender), `event` (not the event that the command yields), `ranking` (a result that does not
    follow), `form` (it reads alike, and is not the bytes that the command makes: a field twice, in
    another order, a longer number, a salt too many or missing, a key or time that none can be). Of
    a header: `form`, `count` (commits are missing or too many), `head` (the log ends elsewhere),
    `header` (it contradicts itself or the first commit), `signature` (it does not hold).
    """

    kind: Kind
    message: str
    version: int | None = None
    index: int | None = None
    expected: Any = None
    found: Any = None
    ruling: Ruling | None = None

    @property
    def place(self) -> str:
        """Where it is, in words; of a broken link both commits, as either may have been changed."""
        if self.version is None:
            return "the header"
        if self.kind == "chain" and self.version > 1:
            return f"commits {self.version - 1} and {self.version}"
        return f"commit {self.version}"


_AT_ONCE: Final = 64
"""Commits that are looked through in a slice, or read before the first of them is judged.

A processor goes through one kind of work in a row faster than through many by turns.
"""
_Plain = dict[str, Any]
_PLAIN_EVENTS: Final = msgspec.msgpack.Decoder(list[_Plain])


def _some_at_once(commits: Iterable[bytes]) -> Iterator[tuple[bytes, ...]]:
    unread = iter(commits)
    while some := tuple(islice(unread, _AT_ONCE)):
        yield some


def reason(error: Exception) -> str:
    """An exception in one line, with its type where its text alone says nothing."""
    text = str(error)
    if isinstance(error, ValueError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


# ── The chain ─────────────────────────────────────────────────────────────────────────────────────


class Link(Struct, frozen=True, gc=False):
    """A commit that lies on the head before it, and the head after it."""

    data: bytes
    envelope: Envelope
    head: bytes


class Chain(Struct):
    """A log of `match` followed commit by commit, as long as each lies on the head before it.

    `head` is the last; `heads` are those after each commit, one behind the other; `at` the last
    stamp. `dispute` is about the first commit that does not lie there, or whose version or time
    does not follow.
    """

    match: str
    head: bytes
    heads: bytearray = msgspec.field(default_factory=bytearray)
    at: int | None = None
    dispute: Dispute | None = None

    def __len__(self) -> int:
        return len(self.heads) // HEAD_BYTES

    @property
    def sound(self) -> int:
        """How many commits stand before the one in dispute, or are linked by now."""
        fault = self.dispute
        return len(self) if fault is None or fault.version is None else fault.version - 1

    def links(self, commits: Iterable[bytes]) -> list[Link]:
        """The next commits, as far as each lies on the head before it."""
        links: list[Link] = []
        for data in commits:
            try:
                envelope = open_envelope(data)
            except msgspec.DecodeError as error:
                message = f"not a commit: {error}"
                self.dispute = self.dispute or Dispute("unreadable", message, len(self) + 1)
                break
            if self.dispute is None:
                self.dispute = self._out_of_place(len(self.heads) // HEAD_BYTES + 1, envelope)
            if envelope.prev != self.head:
                break
            # The stored bytes make the head, however another program may have encoded them.
            self.head, self.at = head_after(self.head, data), envelope.at
            self.heads += self.head
            links.append(Link(data, envelope, self.head))
        return links

    def _out_of_place(self, version: int, envelope: Envelope) -> Dispute | None:
        said, stamped = envelope.v, envelope.at
        if envelope.prev != self.head:
            return self._unlinked(version, envelope.prev)
        if said != version:
            message = f"commit {version} calls itself {said}"
            return Dispute("version", message, version, expected=version, found=said)
        if self.at is not None and stamped < self.at:
            message = f"commit {version} is stamped before commit {version - 1}"
            return Dispute("time", message, version, expected=f"≥ {self.at}", found=stamped)
        return None

    def _unlinked(self, version: int, prev: bytes) -> Dispute:
        if version == 1:
            begins = f"as a log of match {self.match} begins"
            message = f"the log does not begin {begins}: its beginning was exchanged"
        else:
            place = f"commit {version} does not lie on the head after commit {version - 1}"
            message = f"{place}: one of the two is not as it was"
        return Dispute("chain", message, version, expected=self.head.hex(), found=prev.hex())


def chain_of(match_id: str, ruleset: str, commits: Iterable[bytes]) -> Chain:
    """The chain of a log that says to be of this match and ruleset."""
    chain = Chain(match_id, first_prev(match_id, ruleset))
    for some in _some_at_once(commits):
        if len(chain.links(some)) < len(some):
            break
    return chain


# ── Judging ───────────────────────────────────────────────────────────────────────────────────────


class Verdict(Struct, frozen=True):
    """How far a log is proven, and what is in dispute behind that.

    `match` is the match at the last proven commit, None where there is none; `differs` the first
    commit in its place that the rules judge otherwise.
    """

    proven: int
    match: Match | None
    chain: Chain
    differs: Dispute | None = None

    @property
    def dispute(self) -> Dispute | None:
        """The first commit at fault, whatever is wrong with it."""
        return self.differs or self.chain.dispute


def verify(
    rules: Rules, match_id: str, commits: Sequence[bytes], *, played_under: str | None = None
) -> Verdict:
    """Examine a whole log, commit by commit. Never raises, whatever the log holds.

    `played_under` is the ruleset that the log names, where `rules` are to tell what they would have
    made of it: what only names the ruleset, and options that the log does not know, are then no
    differences.
    """
    return at_once(verified(rules, match_id, commits, played_under=played_under))


def verified(
    rules: Rules, match_id: str, commits: Sequence[bytes], *, played_under: str | None = None
) -> Slices[Verdict]:
    """As `verify`, a commit at a time: none is kept."""
    chain = Chain(match_id, first_prev(match_id, played_under or rules.game.ruleset))
    back_to = yield from gone_back_to(commits)
    other = played_under is not None
    examination = _Examination(rules, match_id, commits, back_to, other=other)
    proven, differs = 0, None
    for some in _some_at_once(commits):
        links, sound = chain.links(some), chain.sound
        for link in links:
            if differs is None and proven < sound:
                differs = examination.differs(link)
                proven += differs is None
            yield
        if len(links) < len(some):
            break
    return Verdict(proven, examination.match, chain, differs)


class _FlagFirst(Exception):
    """A command stands where the flag of a seat should."""


class _Examination:
    """A log whose commits are judged one after another; `match` is how far it has come."""

    def __init__(
        self,
        rules: Rules,
        match_id: str,
        commits: Sequence[bytes],
        back_to: set[int],
        *,
        other: bool,
    ) -> None:
        self.match: Match | None = None
        self._rules, self._other = rules, other
        self._id, self._commits = match_id, commits
        self._gone_back_to = back_to
        self._kept: dict[int, Match] = {}

    def differs(self, link: Link) -> Dispute | None:
        """What the rules judge otherwise in the next commit; None proves it."""
        version = link.envelope.v
        try:
            return self._judged(link)
        except (msgspec.DecodeError, BadLog) as error:
            return Dispute("unreadable", str(error), version)
        except Exception as error:  # noqa: BLE001 - a forged log holds what no rule expects
            message = f"the rules cannot judge commit {version}: {reason(error)}"
            return Dispute("unreadable", message, version)

    def _judged(self, link: Link) -> Dispute | None:
        try:
            unsealed = self._unsealed(link.envelope)
        except _FlagFirst as first:
            return _unflagged(link, *first.args)
        except Refusal as refusal:
            return _illegal(link, refusal.detail, self._rules.rulings.get(refusal.ruling))
        except (NotAllowed, Malformed, BadOptions) as error:
            return _illegal(link, str(error))
        data = written(unsealed.commit)
        if data != link.data and (differs := self._difference(data, link)):
            return differs
        if misshapen := self._misshapen(unsealed.commit, data, link):
            return misshapen
        self._go_on(self._rules.counted(unsealed, link.head))
        return None

    def _go_on(self, match: Match) -> None:
        self.match = match
        if match.version in self._gone_back_to:
            self._kept[match.version] = match

    def _unsealed(self, envelope: Envelope) -> Unsealed:
        command = self._rules.read_stored_command(envelope.cmd)
        by = read_asker(envelope.by, envelope.at)
        if self.match is None:
            return self._first(command, envelope)
        if isinstance(command, CreateMatch):
            raise BadLog("a match is created once")
        flag = self._rules.flag_before(self.match, envelope.at, command)
        if flag is not None:
            raise _FlagFirst(flag.seat)
        key, salt = envelope.key, envelope.salt or b""
        return self._rules.unsealed(self.match, by, command, key=key, salt=salt, past=self._past)

    def _past(self, version: int) -> Match:
        """A proven state: kept where the log says that it goes back there, folded where not."""
        return self._kept.get(version) or fold_log(self._rules, self._commits[:version])

    def _first(self, command: Any, envelope: Envelope) -> Unsealed:
        game, ruleset = self._rules.game, self._rules.game.ruleset
        if not isinstance(command, CreateMatch):
            raise BadLog("the first commit does not create a match")
        if read_asker(envelope.by, 0).role != "organizer":
            raise NotAllowed("A match is created by an organizer.")
        if self._other:
            command = replace(command, ruleset=ruleset)
        elif (command.match, command.game, command.ruleset) != (self._id, game.id, ruleset):
            created = f"{command.match} of {command.game}, {command.ruleset}"
            raise BadLog(f"the first commit creates {created}, not {self._id} of {ruleset}")
        by, key, salt = envelope.by, envelope.key, envelope.salt or b""
        return self._rules.unsealed_first(command, envelope.at, by=by, key=key, salt=salt)

    def _misshapen(self, due: Commit[Any, Any], data: bytes, link: Link) -> Dispute | None:
        """What is wrong with a commit that reads as it should, and is not so written."""
        envelope = link.envelope
        if len(envelope.salt or b"") != (0 if due.salt is None else SALT_BYTES):
            some = "no salt" if due.salt is None else f"{SALT_BYTES} bytes of salt"
            said = f"commit {envelope.v} must have {some}"
        elif not 0 <= envelope.at <= LATEST:
            said = f"commit {envelope.v} is stamped at a time that is none"
        elif envelope.key is not None and not KEY.fullmatch(envelope.key):
            said = f"commit {envelope.v} has a key that is none: 1 to 64 visible ASCII characters"
        elif data != link.data and not self._other:
            said = f"commit {envelope.v} reads as it should, and is written in other bytes"
        else:
            return None
        return Dispute("form", said, envelope.v)

    def _difference(self, data: bytes, link: Link) -> Dispute | None:
        """The first event that is not the one that the command yields."""
        expected = _plain_events(open_envelope(data).ev)
        pairs = zip_longest(expected, self._events_of(link))
        for index, (due, stands) in enumerate(pairs):
            if due != stands and not (self._other and _same_creation(due, stands)):
                return _wrong_event(link.envelope.v, index, due, stands)
        return None

    def _events_of(self, link: Link) -> list[_Plain]:
        if self._other:  # which need not know every event that the log's own rules yield
            return _plain_events(link.envelope.ev)
        return _plain_events(msgspec.msgpack.encode(self._rules.read_commit(link.data).ev))


def _plain_events(data: bytes | msgspec.Raw) -> list[_Plain]:
    return decoded(_PLAIN_EVENTS, data)


def _unflagged(link: Link, seat: int) -> Dispute:
    version = link.envelope.v
    message = f"by the stamp of commit {version} seat {seat} had no time left: its flag comes first"
    expected = {"type": "claim_timeout", "seat": seat}
    found = msgspec.msgpack.decode(link.envelope.cmd)
    return Dispute("flag", message, version, expected=expected, found=found)


def _illegal(link: Link, message: str, ruling: Ruling | None = None) -> Dispute:
    command = msgspec.msgpack.decode(link.envelope.cmd)
    return Dispute("illegal", message, link.envelope.v, found=command, ruling=ruling)


def _wrong_event(version: int, index: int, due: _Plain | None, stands: _Plain | None) -> Dispute:
    is_result = any(event and event.get("type") == "match_ended" for event in (due, stands))
    kind: Kind = "ranking" if is_result else "event"
    message = f"event {index} of commit {version} is not the one that its command yields"
    return Dispute(kind, message, version, index, expected=due, found=stands)


def _same_creation(due: _Plain | None, stands: _Plain | None) -> bool:
    """Both create the same match but for the ruleset's name and options that one does not have."""
    if not due or not stands or not due.get("type") == stands.get("type") == "match_created":
        return False
    new, old = due.get("options"), stands.get("options")
    if not isinstance(new, dict) or not isinstance(old, dict):
        return False
    shared = {**due, "ruleset": stands.get("ruleset"), "options": old}
    return shared == stands and all(new.get(key, entry) == entry for key, entry in old.items())


# ── Folding ───────────────────────────────────────────────────────────────────────────────────────

Seen = Callable[[Commit[Any, Any]], object]
"""Is told of commits."""


def fold_log(rules: Rules, commits: Iterable[bytes], onto: Match | None = None) -> Match:
    """The match that a log tells, its commits taken as facts.

    Args:
        rules: the ruleset that the log is under.
        commits: all of them, or those that follow `onto`.
        onto: the match that the commits before these tell.

    Raises:
        BadLog: the log is empty, has a gap, cannot be read, or goes back to what is not at hand.
    """
    return at_once(folded(rules, list(commits), onto))


def folded(
    rules: Rules,
    commits: Sequence[bytes],
    onto: Match | None = None,
    states: dict[int, Match] | None = None,
    *,
    wanted: Container[int] = (),
    seen: Seen | None = None,
) -> Slices[Match]:
    """As `fold_log`, a commit at a time; `seen` is told of each that has been folded in.

    `states`, by version, are those to which these commits go back; it adds those after `wanted`
    versions, and to which the others go back.
    """
    back_to = yield from gone_back_to(commits)
    match, kept = onto, {} if states is None else states
    if onto is not None:
        kept[onto.version] = onto
    past = past_among(kept)
    for data in commits:
        commit = rules.read_commit(data)
        match = rules.fold_commit(match, commit, data, past=past)
        if match.version in back_to or match.version in wanted:
            kept[match.version] = match
        if seen is not None:
            seen(commit)
        yield
    if match is None:
        raise BadLog("the log is empty")
    return match


def gone_back_to(commits: Sequence[bytes]) -> Slices[set[int]]:
    """The versions to whose states a log goes back, some of its commits at a time."""
    return {to for _, to in (yield from all_take_backs(commits))}


def all_take_backs(commits: Sequence[bytes]) -> Slices[list[tuple[int, int]]]:
    """As `take_backs`, some commits at a time."""
    found: list[tuple[int, int]] = []
    for first in range(0, len(commits), _AT_ONCE):
        found += take_backs(commits[first : first + _AT_ONCE])
        yield
    return found


def take_backs(commits: Iterable[bytes]) -> Iterator[tuple[int, int]]:
    """Which commits go back, by version, and to which version's state, which is to be kept."""
    for data in commits:
        if b"taken_back" in data:
            yield from _gone_back(data)


def _gone_back(data: bytes) -> list[tuple[int, int]]:
    try:
        envelope = open_envelope(data)
        events = _plain_events(envelope.ev)
    except msgspec.DecodeError:
        return []
    back = [event.get("to") for event in events if event.get("type") == "taken_back"]
    return [(envelope.v, to) for to in back if isinstance(to, int)]
