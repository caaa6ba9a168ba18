"""Disputes as somebody may know them: what is hidden in an event is hidden in what is wrong."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from referee.core.commit import open_envelope
from referee.core.rules import Rules, read_asker
from referee.core.verify import Dispute
from referee.core.visibility import Viewer, events_seen

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
