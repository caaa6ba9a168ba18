"""A log judged by another version of the rules: what would have come out differently.

The log's commands are given to the other rules one after another, at their recorded times and
with the match's own seed. Until the first commit that comes out differently both tell the same
match. What only names the ruleset (the creation's own field, and the chain that begins with it)
does not count, nor does an option that the log does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from referee.core.commit import Envelope, open_envelope
from referee.core.game import BadOptions
from referee.core.judging import Malformed, NotAllowed
from referee.core.match import Match
from referee.core.rules import BadLog, Decided, Rules, past_among, read_asker
from referee.core.ruling import Refusal
from referee.core.table.commands import CreateMatch
from replay.faults import reason
from replay.judging.audit import Dispute, Kind
from replay.telling.json_values import plain

Events = list[dict[str, Any]]


def rejudge(rules: Rules, commits: Sequence[bytes]) -> Dispute | None:
    """The first commit that comes out differently under ``rules``, or None.

    ``expected`` is what these rules yield, ``found`` what stands in the log.
    """
    wanted = frozenset(to for data in commits for to in _gone_back_to(data))
    past: dict[int, Match] = {}
    match: Match | None = None
    for version, data in enumerate(commits, 1):
        outcome = _judged(rules, match, version, data, past)
        if isinstance(outcome, Dispute):
            return outcome
        match = outcome.match
        if version in wanted:
            past[version] = match
    return None


def _gone_back_to(data: bytes) -> Iterator[int]:
    if b"taken_back" not in data:
        return
    for event in _events(data):
        if event.get("type") == "taken_back":
            yield event["to"]


def _events(data: bytes) -> Events:
    try:
        return msgspec.msgpack.decode(open_envelope(data).ev, type=Events)
    except (ValueError, RecursionError):
        return []


def _judged(
    rules: Rules, match: Match | None, version: int, data: bytes, past: dict[int, Match]
) -> Decided | Dispute:
    try:
        envelope = open_envelope(data)
        decided = _decided(rules, match, envelope, past)
    except Refusal as refusal:
        ruling = rules.rulings.get(refusal.ruling)
        return Dispute("illegal", refusal.detail, version, found=_command(data), ruling=ruling)
    except (NotAllowed, Malformed, BadOptions) as error:
        return Dispute("illegal", str(error), version, found=_command(data))
    except Exception as error:  # noqa: BLE001 - a log may hold anything
        return Dispute("unreadable", reason(error), version)
    return _first_difference(version, _events(decided.data), _events(data)) or decided


def _command(data: bytes) -> Any:
    return plain(msgspec.msgpack.decode(open_envelope(data).cmd))


def _decided(
    rules: Rules, match: Match | None, envelope: Envelope, past: dict[int, Match]
) -> Decided:
    command = rules.read_stored_command(envelope.cmd)
    if match is None or isinstance(command, CreateMatch):
        if match is not None or not isinstance(command, CreateMatch):
            raise BadLog("a match is created by its first commit, and once")
        return rules.create(replace(command, ruleset=rules.game.ruleset), envelope.at)
    by = read_asker(envelope.by, envelope.at)
    return rules.decide(match, by, command, key=envelope.key, past=past_among(past))


def _first_difference(version: int, expected: Events, found: Events) -> Dispute | None:
    for index in range(max(len(expected), len(found))):
        due = expected[index] if index < len(expected) else None
        stands = found[index] if index < len(found) else None
        if due != stands and not _same_creation(due, stands):
            kind: Kind = "ranking" if _ends(due) or _ends(stands) else "event"
            message = f"event {index} of commit {version} would be another one"
            return Dispute(kind, message, version, index, plain(due), plain(stands))
    return None


def _ends(event: dict[str, Any] | None) -> bool:
    return event is not None and event.get("type") == "match_ended"


def _same_creation(due: dict[str, Any] | None, stands: dict[str, Any] | None) -> bool:
    """Both create the same match but for the ruleset's name and options that one does not have."""
    if due is None or stands is None or {due.get("type"), stands.get("type")} != {"match_created"}:
        return False
    new, old = due.get("options"), stands.get("options")
    if not isinstance(new, dict) or not isinstance(old, dict):
        return False
    shared = {**due, "ruleset": stands.get("ruleset"), "options": old}
    return shared == stands and all(new.get(key, entry) == entry for key, entry in old.items())
