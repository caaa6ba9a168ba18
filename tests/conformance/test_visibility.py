"""Who may see what is said field by field, and nobody sees more than is said."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Struct

from referee.core.rules import Rules
from referee.core.views import view_of
from referee.core.visibility import (
    ORGANIZER,
    SPECTATOR,
    Visibility,
    events_seen,
    seat_viewer,
    visibility_of,
)
from tests.conformance.matches import all_played, as_json, hints_of, some_of, viewers

Hidden = Iterator[tuple[str, Any, Any]]


def structs_in(hint: Any) -> Iterator[type[Struct]]:
    """Every struct that a value of this type can hold."""
    if isinstance(hint, type) and issubclass(hint, Struct):
        yield hint
        return
    for arg in typing.get_args(hint):
        if isinstance(arg, type) or typing.get_origin(arg) is not None:
            yield from structs_in(arg)


def shown_structs(roots: tuple[type[Struct], ...]) -> dict[type[Struct], dict[str, Any]]:
    """The roots and every struct that views of them show, with the hints of their fields."""
    found: dict[type[Struct], dict[str, Any]] = {}
    waiting = list(roots)
    while waiting:
        kind = waiting.pop()
        if kind in found:
            continue
        found[kind] = hints_of(kind)
        for name, hint in found[kind].items():
            if visibility_of(kind, name).kind != "internal":
                waiting += structs_in(hint)
    return found


def test_every_field_says_who_may_see_it(rules: Rules) -> None:
    """Of the state, of events, and of whatever stands in them; none is hidden by oversight."""
    for kind, hints in shown_structs((rules.game.state, *rules.events)).items():
        for name in kind.__struct_fields__:
            assert typing.get_origin(hints[name]) is Annotated, f"{kind.__name__}.{name}"
            marks = typing.get_args(hints[name])[1:]
            assert any(isinstance(mark, Visibility) for mark in marks), f"{kind.__name__}.{name}"


def test_state_and_events_hold_nothing_that_changes(rules: Rules) -> None:
    """No list, set or dict: a state of the past stays what it was."""
    for kind, hints in shown_structs((rules.game.state, *rules.game.events)).items():
        assert kind.__struct_config__.frozen, kind.__name__
        for name, hint in hints.items():
            assert not set(_origins(hint)) & {list, set, dict}, f"{kind.__name__}.{name}"


def _origins(hint: Any) -> Iterator[Any]:
    origin = typing.get_origin(hint)
    if origin is not None and origin not in (Annotated, typing.Union, types.UnionType):
        yield origin
    for arg in typing.get_args(hint):
        if typing.get_origin(arg) is not None:
            yield from _origins(arg)


def test_the_organizers_view_hides_nothing(rules: Rules) -> None:
    """What it says of the state is the state, bookkeeping left out."""
    for one in all_played(rules):
        for match in some_of(one.steps, 8):
            shown = as_json(view_of(rules, match, ORGANIZER).state)
            assert shown == (as_json(_plain(match.state)) if match.dealt else None), one


def _plain(value: Any) -> Any:
    """A value whole, but for internal fields."""
    if isinstance(value, Struct):
        kind = type(value)
        tag = kind.__struct_config__
        plain: dict[str, Any] = {tag.tag_field: tag.tag} if tag.tag_field else {}
        for field in msgspec.structs.fields(kind):
            if visibility_of(kind, field.name).kind != "internal":
                plain[field.encode_name] = _plain(getattr(value, field.name))
        return plain
    return [_plain(entry) for entry in value] if isinstance(value, (tuple, list)) else value


def test_the_organizer_is_told_every_event_whole(rules: Rules) -> None:
    """Bookkeeping left out."""
    for one in all_played(rules)[:4]:
        for step in one.steps:
            events = step.decided.events
            seen = as_json(events_seen(1, 2, events, ORGANIZER))
            place = {"version": 1, "at": 2}
            assert seen == [
                place | {"index": index} | as_json(_plain(event))
                for index, event in enumerate(events)
            ]


def test_every_view_has_the_same_shape(rules: Rules) -> None:
    """The same keys at every depth, lists of the same length: only values become null.

    But where a field says that hidden entries are left out, the others stand as they are.
    """
    for one in all_played(rules):
        for match in some_of(one.steps, 8):
            whole = as_json(view_of(rules, match, ORGANIZER))
            for viewer in viewers(match)[1:]:
                view = as_json(view_of(rules, match, viewer))
                for path, full, seen in _differences(whole, view, "", left_out(rules)):
                    assert seen is None, (str(one), viewer, path, full, seen)


def left_out(rules: Rules) -> frozenset[str]:
    """The paths of the lists of a state whose hidden entries are left out of views."""
    return frozenset(
        f".state.{field.encode_name}"
        for field in msgspec.structs.fields(rules.game.state)
        if visibility_of(rules.game.state, field.name).kind == "listed"
    )


def _shown_ones(full: list[Any], seen: list[Any]) -> list[Any]:
    """Of the entries in full, in order, those whose like is among the seen ones."""
    rest, shown = list(seen), []
    for entry in full:
        if rest and not any(seen is not None for *_, seen in _differences(entry, rest[0], "")):
            shown.append(entry)
            del rest[0]
    return shown


def _differences(full: Any, seen: Any, path: str, lists: frozenset[str] = frozenset()) -> Hidden:
    """Where two JSON values differ; the viewer's name differs of course.

    `lists`: the paths of lists that leave hidden entries out.
    """
    if isinstance(full, dict) and isinstance(seen, dict):
        assert list(full) == list(seen), path
        for key in full:
            if (path, key) != ("", "viewer"):
                yield from _differences(full[key], seen[key], f"{path}.{key}", lists)
    elif isinstance(full, list) and isinstance(seen, list):
        full = _shown_ones(full, seen) if path in lists else full
        assert len(full) == len(seen), path
        for index, (one, other) in enumerate(zip(full, seen, strict=True)):
            yield from _differences(one, other, f"{path}[{index}]", lists)
    elif full != seen or type(full) is not type(seen):
        yield path, full, seen


def test_a_seat_sees_at_least_what_spectators_see(rules: Rules) -> None:
    """Whoever sits at the table is not told less, of states or of events."""
    for one in all_played(rules):
        for step in one.steps[:: max(1, len(one.steps) // 8)]:
            match = step.decided.match
            public = as_json(view_of(rules, match, SPECTATOR))
            told = as_json(events_seen(1, 2, step.decided.events, SPECTATOR))
            for seat in range(len(match.seats)):
                own = as_json(view_of(rules, match, seat_viewer(seat)))
                also = as_json(events_seen(1, 2, step.decided.events, seat_viewer(seat)))
                for path, full, seen in _differences(own, public, "", left_out(rules)):
                    assert seen is None, (str(one), seat, path, full, seen)
                for path, full, seen in _differences(also, told, ""):
                    assert seen is None, (str(one), seat, path, full, seen)


def test_every_event_of_a_match_can_be_seen_by_everybody(rules: Rules) -> None:
    """With its type, version, index and time first."""
    for one in all_played(rules)[:4]:
        for step in one.steps:
            for viewer in viewers(step.decided.match):
                seen = as_json(events_seen(7, 8, step.decided.events, viewer))
                for index, event in enumerate(seen):
                    assert list(event)[:4] == ["version", "index", "at", "type"]
                    assert (event["version"], event["index"]) == (7, index)
                    assert event["at"] == 8 or "at" in step.decided.events[index].__struct_fields__
