"""JSON Schemas (2020-12) of what is sent and shown, made from the types that the rules use.

A state and its events are described as the wire has them: fields that are in no view are absent,
and whatever its visibility can hide from somebody may be null.
"""

import inspect
import re
import types
import typing
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, Final, Union

import msgspec
from msgspec import UNSET, Struct, UnsetType

from referee.core.game import Event
from referee.core.rules import Rules
from referee.core.visibility import PUBLIC, Visibility, visibility_of

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
PLACE: Final = (("version", int), ("index", int), ("at", int))
"""What stands before an event's own fields wherever events are shown."""

Schema = dict[str, Any]


@cache
def game_schemas(rules: Rules) -> Schema:
    """The schemas of a game's `options`, `commands`, `events` and `state`.

    Commands and events are those that a match of the game can have: the table's are among them.
    Events are as they are shown, with `version`, `index` and `at`.
    """
    return {
        "options": schema_of(rules.game.options),
        "commands": schema_of(rules.sent),
        "events": events_schema(rules.events),
        "state": schema_of(shown(rules.game.state)),
    }


def events_schema(events: tuple[type[Event], ...]) -> Schema:
    """The schema of any one of these events, as it is shown."""
    return schema_of(any_of(map(shown_event, events)))


def schema_of(kind: Any) -> Schema:
    """The JSON Schema of a type that msgspec can encode, whole in itself."""
    return {"$schema": DIALECT, **plain(msgspec.json.schema(kind), without="discriminator")}


# ── types as the wire has them ────────────────────────────────────────────────────────────────────


@cache
def shown(kind: type[Struct]) -> type[Struct]:
    """The struct that views of `kind` are: without internal fields, nullable where hidden."""
    return _struct_like(kind, _shown_fields(kind))


@cache
def shown_event(kind: type[Event]) -> type[Struct]:
    """The struct that an event is shown as."""
    return _struct_like(kind, [*PLACE, *_shown_fields(kind)])


def _struct_like(kind: type[Struct], fields: list[Any]) -> type[Struct]:
    config = kind.__struct_config__
    renamed = {field.name: field.encode_name for field in msgspec.structs.fields(kind)}
    return msgspec.defstruct(
        kind.__name__,
        fields,
        tag=config.tag,
        tag_field=config.tag_field,
        rename=renamed,
        forbid_unknown_fields=True,
        module=kind.__module__,
        namespace={"__doc__": kind.__doc__},
    )


def _shown_fields(kind: type[Struct]) -> list[Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return [
        _shown_field(name, hints[name], visibility_of(kind, name))
        for name in kind.__struct_fields__
        if visibility_of(kind, name).kind != "internal"
    ]


def _shown_field(name: str, hint: Any, seen: Visibility) -> tuple[Any, ...]:
    wire = _nullable(_wire(hint), seen)
    return (name, wire, UNSET) if UnsetType in typing.get_args(wire) else (name, wire)


def _nullable(hint: Any, seen: Visibility) -> Any:
    if seen is PUBLIC or seen.kind == "listed":
        return hint
    return hint | None if seen.kind == "whole" else _entries_nullable(hint)


def _entries_nullable(hint: Any) -> Any:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return any_of(map(_entries_nullable, args))
    if origin in (tuple, list):
        return origin[tuple(arg if arg is Ellipsis else arg | None for arg in args)]
    return hint


def _wire(hint: Any) -> Any:
    """The type of a field's value with every struct in it replaced by the one that is shown."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return _remarked(_wire(args[0]), [arg for arg in args[1:] if isinstance(arg, msgspec.Meta)])
    if isinstance(hint, type) and issubclass(hint, Struct):
        return shown(hint)
    if origin in (Union, types.UnionType):
        return any_of(map(_wire, args))
    if origin in (tuple, list, dict):
        return origin[tuple(arg if arg is Ellipsis else _wire(arg) for arg in args)]
    return hint


def any_of(kinds: Iterable[Any]) -> Any:
    """The type of what is any one of these."""
    return Union[tuple(kinds)]  # noqa: UP007 -- made of types known only now


def _remarked(hint: Any, remarks: list[msgspec.Meta]) -> Any:
    for remark in remarks:
        hint = Annotated[hint, remark]
    return hint


# ── plain JSON Schema ─────────────────────────────────────────────────────────────────────────────


def plain(schema: Any, without: str | None = None) -> Any:
    """A schema of msgspec's, tags as `const`, docstrings as text, perhaps without a keyword."""
    if isinstance(schema, list):
        return [plain(inner, without) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: plain(inner, without) for key, inner in schema.items() if key != without}
    if isinstance(made.get("description"), str):
        made["description"] = _text(made["description"])
    if isinstance(made.get("enum"), list) and len(made["enum"]) == 1:
        made["const"] = made.pop("enum")[0]
    return made


def _text(docstring: str) -> str:
    """A docstring for readers of JSON: not indented, single ticks, null for None."""
    return re.sub(r"\bNone\b", "null", inspect.cleandoc(docstring).replace("``", "`"))
