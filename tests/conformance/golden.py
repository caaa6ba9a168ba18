"""Golden matches: examples of every ruleset, and everything that anybody sees of them.

Beside each `examples/*.match` of a game stands a `.json` of the same name, a line a commit:
what was commanded and what came of it, also in words as the organizer reads them (`told`, and where
spectators read something else `told_to_spectators`), what changed in the view of spectators
(`public`), in what seats see otherwise than they do, and in what the organizer alone sees; at half
of it and at its end how the organizer's board is drawn in letters.
A match file is frozen with its ruleset; `make golden` writes those that are missing, and the
`.json` of all anew.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from referee.catalogue import catalogue
from referee.core.commit import Commit, MatchFile, read_match_file
from referee.core.game import NoOptions
from referee.core.match import Match, match_file
from referee.core.rules import Rules
from referee.core.told import drawn
from referee.core.views import view_of
from referee.core.visibility import ORGANIZER, SPECTATOR, events_seen, seat_viewer
from referee.report.words import all_called, tell
from referee.selfplay import Setup, chance_of, play, seed_of
from tests.conformance.matches import as_json, asker_of, numbers_of_seats

TRIALS: Final = 60
"""So many are tried."""

LONGEST: Final = 10_000
"""Bytes of a log that is not too long, where there is one."""

ALWAYS_NEW: Final = {"version", "head", "viewer"}
"""What differs in every view, so that saying it says nothing."""

Plain = dict[str, Any]
"""A JSON object."""


def folder(rules: Rules) -> Path:
    """Where the examples of a game lie: in its folder, beside the module that has its state."""
    return Path(inspect.getfile(rules.game.state)).parent / "examples"


def examples(rules: Rules) -> list[Path]:
    """The match files of a game's examples."""
    return sorted(folder(rules).glob("*.match"))


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """An example that a game must have; `options` None: varied at random; `entropy`: whose.

    `ruling`: the id of one on which some event of it rests.
    Of the trials whose log has at most `longest` bytes it is the shortest, or where it is to be
    `rich` the one with the most kinds of events.
    """

    name: str
    seats: int
    options: Plain | None
    entropy: Literal["seats"] | None = None
    ruling: str | None = None
    rich: bool = False
    longest: int = LONGEST


class Further(Struct, frozen=True, forbid_unknown_fields=True):
    """What `examples/further.toml` of a game holds: examples besides those that all have."""

    example: tuple[Example, ...]


def names(rules: Rules) -> Iterator[Example]:
    """The examples that a game must have.

    One for every number of seats, one for every other word or truth value that a single option
    may hold (the printed variants), one with all options varied where there are any, one whose
    seats add entropy, and what else it asks for.
    """
    for seats in numbers_of_seats(rules):
        yield Example(f"{seats}-seats", seats, {})
    fewest = rules.game.players[0]
    for option, value in variants(rules):
        yield Example(f"{option}-{as_word(value)}", fewest, {option: value})
    if rules.game.options is not NoOptions:
        yield Example("varied", fewest, None, rich=True)
    yield Example("entropy-seats", fewest, {}, entropy="seats")
    further = folder(rules) / "further.toml"
    if further.is_file():
        yield from msgspec.toml.decode(further.read_bytes(), type=Further).example


def variants(rules: Rules) -> Iterator[tuple[str, str | bool]]:
    """Options that are a word of a closed set or a truth value, with each value but the default."""
    hints = get_type_hints(rules.game.options)
    for option in msgspec.structs.fields(rules.game.options):
        kind = hints[option.name]
        values = (True, False) if kind is bool else get_args(kind) if _is_word(kind) else ()
        for value in values:
            if value != option.default:
                yield option.encode_name, value


def _is_word(kind: Any) -> bool:
    return get_origin(kind) is Literal


def as_word(value: object) -> str:
    """A value as a part of a file's name."""
    return str(value).lower()


def example(rules: Rules, wanted: Example) -> bytes:
    """A short match, played to its end, as a match file."""
    candidates = [_candidate(rules, wanted, number) for number in range(TRIALS)]
    played = [one for one in candidates if one[1].result and one[1].result.reason == "played-out"]
    if wanted.ruling is not None:
        played = [one for one in played if wanted.ruling in rested(rules, one[0])]

    def rank(one: tuple[list[bytes], Match]) -> tuple[bool, int, int]:
        size = sum(map(len, one[0]))
        return size > wanted.longest, -_kinds(rules, one[0]) if wanted.rich else 0, size

    log, match = min(played, key=rank)
    return match_file(match, log)


def rested(rules: Rules, log: Sequence[bytes]) -> set[str]:
    """The rulings on which events of a log rest."""
    events = [event for data in log for event in rules.read_commit(data).ev]
    return {ruling for event in events for ruling in rules.rests_on(event)}


def _kinds(rules: Rules, log: list[bytes]) -> int:
    """How many kinds of events stand in a log."""
    return len({type(event) for data in log for event in rules.read_commit(data).ev})


def _candidate(rules: Rules, wanted: Example, number: int) -> tuple[list[bytes], Match]:
    source = ("golden", rules.game.ruleset, wanted.name, number)
    pick = chance_of(*source)
    setup = Setup(
        match=f"{rules.game.id}-{wanted.name}",
        seats=wanted.seats,
        options=rules.game.vary(pick, wanted.seats) if wanted.options is None else wanted.options,
        seed=seed_of(*source),
        entropy=wanted.entropy,
        names=("Ada", "Bo", "Cleo", "Dov", "Eve")[: wanted.seats],
    )
    steps = list(play(rules, setup, pick))
    return [step.decided.data for step in steps], steps[-1].decided.match


# ── what is seen of a match ───────────────────────────────────────────────────────────────────────


def seen(rules: Rules, file: MatchFile) -> str:
    """The text beside a match file: what everybody sees at every step, a line a commit."""
    lines = [_line(step) for step in _steps(rules, file)]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _line(step: Plain) -> str:
    return json.dumps(step, ensure_ascii=False, separators=(",", ":"))


def _steps(rules: Rules, file: MatchFile) -> Iterator[Plain]:
    match: Match | None = None
    shown: dict[str, Plain] = {}
    for data in file.commits:
        match = rules.fold(match, data)
        commit = rules.read_commit(data)
        now = _everybodys(rules, match)
        step: Plain = {
            "version": commit.v,
            "at": commit.at,
            "by": commit.by,
            "command": as_json(commit.cmd)["type"] if commit.v == 1 else as_json(commit.cmd),
            "events": list(map(_without_place, as_json(events_seen(0, 0, commit.ev, SPECTATOR)))),
        }
        step |= _told(rules, commit, match)
        changes = {who: _changes(shown.get(who, {}), view) for who, view in now.items()}
        step |= {who: paths for who, paths in changes.items() if paths}
        step["legal"] = _legal(rules, match)
        if commit.v in {len(file.commits) // 2, len(file.commits)}:
            step["board"] = _board(rules, match)
        yield step
        shown = now


def _told(rules: Rules, commit: Commit[Any, Any], match: Match) -> Plain:
    """A commit's events in words: the organizer's, and the spectators' where they are others."""
    names = all_called([seat.name for seat in match.seats])
    told, public = (
        [tell(rules.game, event, names) for event in as_json(events_seen(0, 0, commit.ev, viewer))]
        for viewer in (ORGANIZER, SPECTATOR)
    )
    return {"told": told} | ({} if public == told else {"told_to_spectators": public})


def _without_place(event: Plain) -> Plain:
    """An event by its own fields: a game's page may use the word `at` for a cell."""
    own_at = {} if isinstance(event["at"], int) else {"at": event["at"]}
    return {k: v for k, v in event.items() if k not in ("version", "index", "at")} | own_at


def _everybodys(rules: Rules, match: Match) -> dict[str, Plain]:
    """The view of spectators, and of all others what is different in theirs, by path."""
    public = as_json(view_of(rules, match, SPECTATOR))
    viewers = [*map(seat_viewer, range(len(match.seats))), ORGANIZER]
    views = {str(viewer): as_json(view_of(rules, match, viewer)) for viewer in viewers}
    own = {who: dict(_parted(public, view, "")) for who, view in views.items()}
    told = [item for who, paths in own.items() if who != "organizer" for item in paths.items()]
    own["organizer"] = {k: v for k, v in own["organizer"].items() if (k, v) not in told}
    return {"public": public, **own}


def _changes(before: Plain, after: Plain) -> Plain:
    """What is new since the commit before, by path; what is different no longer, under `-`."""
    changes = {path: new for path, new in _parted(before, after, "") if path not in ALWAYS_NEW}
    gone = sorted(before.keys() - after.keys())
    return changes | ({"-": gone} if gone else {})


def _parted(before: Any, after: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Where two values part: `a.b[2]` and what stands there; `a.b+` what a list grew by.

    Of a list of things with ids: `a.b#17.c` of the one with that id, `a.b#-` the ids gone.
    """
    if before == after and type(before) is type(after):
        return  # most of what there is: it is not taken apart
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in after.items():
            inner = f"{path}.{key}" if path else key
            yield from _parted(before.get(key, ...), value, inner)
    elif _has_ids(before) and _has_ids(after):
        yield from _parted_by_id(before, after, path)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _parted(old, new, f"{path}[{index}]")
    elif isinstance(before, list) and isinstance(after, list) and after[: len(before)] == before:
        yield f"{path}+", after[len(before) :]
    else:
        yield path, after


def _has_ids(value: Any) -> bool:
    entries = value if isinstance(value, list) else ()
    return bool(entries) and all(isinstance(e, dict) and e.get("id") is not None for e in entries)


def _parted_by_id(before: list[Any], after: list[Any], path: str) -> Iterator[tuple[str, Any]]:
    old = {entry["id"]: entry for entry in before}
    for entry in after:
        yield from _parted(old.pop(entry["id"], None), entry, f"{path}#{entry['id']}")
    if old:
        yield f"{path}#-", list(old)


def _legal(rules: Rules, match: Match) -> list[int]:
    """How many commands each seat may choose from."""
    return [
        len(rules.legal(match, asker_of(seat_viewer(seat), match.at)).commands)
        for seat in range(len(match.seats))
    ]


def _board(rules: Rules, match: Match) -> list[str]:
    """The organizer's board in letters."""
    return drawn.text(rules.game, as_json(view_of(rules, match, ORGANIZER))).splitlines()


def write(rules: Rules) -> None:
    """Write the examples that a game lacks, and what is seen of all of them."""
    folder(rules).mkdir(exist_ok=True)
    for wanted in names(rules):
        path = folder(rules) / f"{wanted.name}.match"
        if not path.exists():
            path.write_bytes(example(rules, wanted))
    for path in examples(rules):
        text = seen(rules, read_match_file(path.read_bytes()))
        path.with_suffix(".json").write_text(text, "utf-8")


if __name__ == "__main__":
    for found in catalogue():
        if len(sys.argv) == 1 or found.game.id in sys.argv[1:]:
            write(found)
