"""What is sent and shown in real matches fits the schemas that programs are given."""

from __future__ import annotations

import typing
from typing import Any

import jsonschema_rs
import msgspec

from referee.core.rules import Rules
from referee.core.views import view_of
from referee.core.visibility import ORGANIZER, PUBLIC, events_seen, visibility_of
from referee.schemas import game_schemas
from tests.conformance import sweep
from tests.conformance.matches import all_played, as_json, some_of, viewers

Validator = jsonschema_rs.Draft202012Validator


def validator(rules: Rules, part: str) -> Any:
    """The validator of one of a game's schemas."""
    return Validator(game_schemas(rules)[part])


def test_every_state_that_anybody_sees_fits(rules: Rules) -> None:
    """Of every viewer, all along every match."""
    fits = validator(rules, "state")
    for one in all_played(rules):
        for match in some_of(one.steps, 8):
            for viewer in viewers(match) if match.dealt else ():
                fits.validate(as_json(view_of(rules, match, viewer))["state"])


def test_every_event_that_anybody_is_told_fits(rules: Rules) -> None:
    """The game's and the table's, with their place in the log."""
    fits = validator(rules, "events")
    for one in all_played(rules):
        for step in one.steps:
            for viewer in viewers(step.decided.match):
                for event in as_json(events_seen(3, 4, step.decided.events, viewer)):
                    fits.validate(event)


def test_every_command_that_was_taken_or_could_be_sent_fits(rules: Rules) -> None:
    """Lawful or not: a schema says what is well-formed."""
    fits = validator(rules, "commands")
    sent = {kind.__struct_config__.tag for kind in rules.commands}
    for one in all_played(rules):
        for step in one.steps[1:]:
            plain = as_json(step.command)
            if plain["type"] in sent - {"reissue_token", "excuse_outage"}:
                fits.validate(plain)
    for command in sweep.pool(rules):
        fits.validate(as_json(command))


def test_what_is_malformed_does_not_fit(rules: Rules) -> None:
    """The schema and the reader refuse alike: fields unknown, missing, or of another type."""
    fits = validator(rules, "commands")
    for command in sweep.pool(rules)[:60]:
        plain = as_json(command)
        for broken in _broken(plain):
            assert _is_read(rules, broken) == fits.is_valid(broken), broken


def _broken(plain: dict[str, Any]) -> list[dict[str, Any]]:
    broken = [plain | {"more": 1}, plain | {"type": "fly"}, plain | {"type": None}]
    others: tuple[Any, ...] = (None, "x", [], {}, 1.5, True, [[1]])
    for name in plain:
        broken += [plain | {name: other} for other in others]
        broken.append({key: value for key, value in plain.items() if key != name})
    return broken


def _is_read(rules: Rules, plain: dict[str, Any]) -> bool:
    try:
        rules.read_command(msgspec.json.encode(plain))
    except msgspec.DecodeError:
        return False
    return True


def test_options_that_are_played_fit(rules: Rules) -> None:
    """As a client sends them, and as the view shows them with every default filled in."""
    fits = validator(rules, "options")
    for one in all_played(rules):
        fits.validate(as_json(one.setup.options))
        fits.validate(as_json(one.end.setting.options))


def test_hidden_values_may_be_null_and_public_ones_may_not(rules: Rules) -> None:
    """The schema of the state allows null exactly where something can be hidden or absent."""
    fits = validator(rules, "state")
    match = next(some_of(all_played(rules)[0].steps, 1))
    view = as_json(view_of(rules, match, ORGANIZER))["state"]
    hints = typing.get_type_hints(rules.game.state)
    for field in msgspec.structs.fields(rules.game.state):
        seen = visibility_of(rules.game.state, field.name)
        if seen.kind == "internal":
            assert field.encode_name not in view
            continue
        hides = seen.kind == "whole" and seen is not PUBLIC
        absent = type(None) in typing.get_args(hints[field.name])
        assert fits.is_valid(view | {field.encode_name: None}) == (hides or absent), field.name


def test_no_event_has_a_field_that_its_place_would_overwrite(rules: Rules) -> None:
    """`version` and `index` say where an event stands in the log.

    `at` says when; a page that uses the word for a cell has it mean that, for the commit tells
    the time too.
    """
    for kind in rules.events:
        names = {field.encode_name for field in msgspec.structs.fields(kind)}
        assert not names & {"version", "index", "type"}, kind.__name__
