"""Disputes for people: as each of them may know them, and in words."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.core.commit import MatchFile, open_envelope
from referee.core.rules import Rules, read_asker
from referee.core.ruling import Ruling
from referee.core.told.safe import clean
from referee.core.told.words import Names
from referee.core.verify import Dispute
from referee.core.visibility import Viewer, events_seen
from referee.report.json_values import differences, plain
from referee.report.spoken import place, shown, spoken
from referee.report.words import tell, who

_OPEN: Final = frozenset({"chain", "version", "time", "form"})
"""Kinds that say nothing of what a commit holds; nor does what is wrong with a header."""
_PLAINLY: Final = {
    "flag": "commit {version} stands where the flag of a seat should",
    "illegal": "the command of commit {version} breaks a ruling, or is not for its sender",
    "event": "event {index} of commit {version} is not the one that its command yields",
    "ranking": "the result in commit {version} is not the one that follows",
    "unreadable": "commit {version} cannot be read, or not judged",
}


def as_seen(rules: Rules, dispute: Dispute, commits: Sequence[bytes], viewer: Viewer) -> Dispute:
    """A dispute as a viewer may know it: the organizer all of it.

    To others commands, and rulings that they break, are shown of their own commits alone; of
    events that are expected and found, what they see of events.
    """
    if viewer.role == "organizer" or dispute.version is None or dispute.kind in _OPEN:
        return dispute
    if dispute.kind == "illegal" and _sender(commits[dispute.version - 1]) == viewer.seat:
        return dispute
    message = _PLAINLY[dispute.kind].format(version=dispute.version, index=dispute.index)
    plain = replace(dispute, message=message, expected=None, found=None, ruling=None)
    if dispute.kind not in {"event", "ranking"}:
        return plain
    expected, found = (_seen(rules, event, viewer) for event in (dispute.expected, dispute.found))
    if expected == found:
        plain = replace(plain, message=f"{message}, in what the {viewer} may not see")
    return replace(plain, expected=expected, found=found)


def _sender(commit: bytes) -> int | None:
    """The seat whose command a commit is; -1 for nobody's, which is no viewer's seat."""
    seat = read_asker(open_envelope(commit).by, 0).seat
    return -1 if seat is None else seat


def _seen(rules: Rules, event: Any, viewer: Viewer) -> Any:
    """An event as a viewer sees it; nothing of one that the rules cannot read."""
    if event is None:
        return None
    try:
        events = rules.read_events(msgspec.msgpack.encode([event]))
        (seen,) = events_seen(0, 0, events, viewer)
    except (ValueError, msgspec.DecodeError):
        return None
    return {
        field: value for field, value in seen.items() if field not in {"version", "index", "at"}
    }


# ── In words ──────────────────────────────────────────────────────────────────────────────────────


class Whereabouts(Struct, frozen=True):
    """Of a commit at fault: whose it is, if it can be read, and its bytes in the match file."""

    by: str | None
    first: int
    last: int


def whereabouts(file: MatchFile, version: int) -> Whereabouts:
    """Where in its file a commit is, which may be one that cannot be read."""
    size = len(msgspec.msgpack.encode(file.header))
    size += sum(len(msgspec.msgpack.encode(one)) for one in file.commits[: version - 1])
    commit = file.commits[version - 1]
    first, last = size, size + len(msgspec.msgpack.encode(commit)) - 1
    try:
        return Whereabouts(open_envelope(commit).by, first, last)
    except msgspec.DecodeError:
        return Whereabouts(None, first, last)


def plainly(dispute: Dispute, file: MatchFile) -> str:
    """A dispute in a few words, where nobody has judged by the rules."""
    if dispute.kind == "unreadable" and dispute.version is not None:
        return f"{located(dispute.version, whereabouts(file, dispute.version))} cannot be read"
    return dispute.message


def located(version: int, where: Whereabouts | None) -> str:
    """A commit, and its bytes where these are known."""
    place = f" (bytes {where.first:,}–{where.last:,})" if where else ""
    return f"commit {version}{place}"


def in_words(rules: Rules, dispute: Dispute, where: Whereabouts | None, names: Names) -> str:
    """A dispute as a sentence or two, in the words of the game, with the ruling and its origin.

    Args:
        rules: those that judged.
        dispute: what is in dispute.
        where: the whereabouts of the commit at fault, if that is known.
        names: the seats' names, as sentences have them.
    """
    message = clean(dispute.message).rstrip(".")
    if dispute.version is None or (dispute.kind, dispute.version) == ("chain", 1):
        # What is said of a header, or of how a log begins, names the place.
        return f"{message[:1].upper()}{message[1:]}{_header(dispute)}."
    if dispute.kind == "chain":
        return f"{dispute.place.capitalize()}: {message}."
    if dispute.kind == "unreadable":
        what = (
            "cannot be read"
            if where is None or where.by is None
            else "cannot be judged: no rule knows what it says"
        )
        return f"{located(dispute.version, where).capitalize()} {what}."
    sender = f", by {who(where.by, names)}" if where and where.by is not None else ""
    rests = "".join(f" ({one.id}; {one.origin})" for one in _rulings(rules, dispute))
    return f"Commit {dispute.version}{sender}: {_said(rules, dispute, names)}{rests}."


def _header(dispute: Dispute) -> str:
    """What a header says, and what it should, where that is short."""
    if dispute.kind != "header":
        return ""
    return f": {clean(shown(dispute.found))} instead of {clean(shown(dispute.expected))}"


def _rulings(rules: Rules, dispute: Dispute) -> Sequence[Ruling]:
    """The ruling that is broken, or those on which the event that is due rests."""
    if dispute.ruling is not None or dispute.expected is None:
        return () if dispute.ruling is None else (dispute.ruling,)
    try:
        (event,) = rules.read_events(msgspec.msgpack.encode([dispute.expected]))
    except (ValueError, TypeError, msgspec.DecodeError):
        return ()
    return [rules.rulings[one] for one in rules.rests_on(event)]


def _said(rules: Rules, dispute: Dispute, names: Names) -> str:
    """What the log says, and what the rules do."""
    message = clean(dispute.message).rstrip(".")
    expected, found = plain(dispute.expected), plain(dispute.found)
    if dispute.kind in {"illegal", "flag"} and isinstance(found, dict):
        return f"“{_spoken(found)}”. {message[:1].upper()}{message[1:]}"
    if dispute.kind not in {"event", "ranking"} or expected == found:
        return message
    logs, due = (_event(rules, event, names) for event in (found, expected))
    if logs != due:
        return f"the log says “{logs}”, the rules say “{due}”"
    changes = ", ".join(
        clean(f"{place(one.path)} is {shown(one.b)} instead of {shown(one.a)}")
        for one in differences(expected, found)
    )
    return f"in what the log says (“{logs}”) {changes}"


def _event(rules: Rules, event: Any, names: Names) -> str:
    """An event in the game's words; in plain ones where these fail it, as one that is forged."""
    if not isinstance(event, dict):
        return "nothing more"
    try:
        return tell(rules.game, event, names).rstrip(".")
    except Exception:  # noqa: BLE001 - a forged event holds what no sentence expects
        return _spoken(event)


def _spoken(value: Any) -> str:
    return clean(spoken({"type": "nothing known", **value}))
