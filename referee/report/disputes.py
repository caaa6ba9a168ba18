"""Disputes for people: as each of them may know them, and in words."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from referee.core.commit import MatchFile, open_envelope, write_match_file
from referee.core.rules import Rules, read_asker
from referee.core.told.safe import clean
from referee.core.told.words import Names
from referee.core.verify import Dispute
from referee.core.visibility import Viewer, events_seen
from referee.report.json_values import differences, plain
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


def in_words(rules: Rules, file: MatchFile, dispute: Dispute, names: Names) -> str:
    """A dispute as a sentence or two, in the words of the game, with the ruling and its origin.

    `names` as sentences have them.
    """
    if dispute.version is None or dispute.kind == "chain":
        return f"{dispute.place.capitalize()}: {clean(dispute.message)}."
    if dispute.kind == "unreadable":
        return _unread(file, dispute.version)
    said = _said(rules, dispute, names)
    ruling = f" ({dispute.ruling.id}; {dispute.ruling.origin})" if dispute.ruling else ""
    return f"Commit {dispute.version}{_whose(file, dispute.version, names)}: {said}{ruling}."


def _unread(file: MatchFile, version: int) -> str:
    """Where in the file the bytes of a commit are that cannot be read, or not be judged."""
    start = len(write_match_file(file.header, file.commits[: version - 1]))
    end = len(write_match_file(file.header, file.commits[:version])) - 1
    place = f"Commit {version} (bytes {start:,}–{end:,})"
    try:
        open_envelope(file.commits[version - 1])
    except msgspec.DecodeError:
        return f"{place} cannot be read."
    return f"{place} says what no rule of this game knows."


def _whose(file: MatchFile, version: int, names: Names) -> str:
    try:
        return f", by {who(open_envelope(file.commits[version - 1]).by, names)}"
    except (IndexError, msgspec.DecodeError):
        return ""


def _said(rules: Rules, dispute: Dispute, names: Names) -> str:
    """What the log says, and what the rules do."""
    message = clean(dispute.message).rstrip(".")
    expected, found = plain(dispute.expected), plain(dispute.found)
    if dispute.kind == "illegal" and isinstance(found, dict):
        return f"{_command(found)}. {message}"
    if dispute.kind not in {"event", "ranking"} or expected == found:
        return message
    logs, due = (_event(rules, event, names) for event in (found, expected))
    if logs != due:
        return f"the log says “{logs}”, the rules say “{due}”"
    changes = [
        f"{_named(one.path)} {worded(one.b)}, not {worded(one.a)}"
        for one in differences(expected, found)
    ]
    return f"“{due}” is what follows; in the log it has {'; '.join(changes)}"


def _event(rules: Rules, event: Any, names: Names) -> str:
    """An event in the game's words; in its own where these fail it, as one that is forged."""
    if not isinstance(event, dict):
        return "nothing more"
    try:
        return tell(rules.game, event, names).rstrip(".")
    except Exception:  # noqa: BLE001 - a forged event holds what no sentence expects
        return _command(event)


def _command(command: dict[str, Any]) -> str:
    """A command in plain words: its type, and what it says.

    >>> _command({"type": "place_obstacle", "space": 0})
    'place obstacle (space 0)'
    """
    fields = {name: value for name, value in command.items() if name != "type"}
    said = ", ".join(f"{_named(name)} {worded(value)}" for name, value in fields.items())
    return _named(str(command.get("type"))) + (f" ({said})" if said else "")


def _named(name: str) -> str:
    return clean(name.replace("_", " "))


def worded(value: Any) -> str:
    """A value out of a log for people.

    >>> worded(True), worded([1, None]), worded({"seat": 1, "at": "x"})
    ('yes', '1/none', 'seat 1 at x')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "/".join(map(worded, value)) or "none"
    if isinstance(value, dict):
        return " ".join(f"{_named(name)} {worded(entry)}" for name, entry in value.items())
    return "none" if value is None else clean(str(value))
