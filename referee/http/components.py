"""The schemas of all bodies, made by msgspec from the very types that are decoded and encoded.

What is shown and what is asked are made apart. Of what is shown every field is always there; of
what is asked those with defaults may be left out, and no schema names a default, for generators
of clients would take such a field for one that must be there. Where the two are not the same,
what is asked is named `New…`.

Each game has its own: a view and an order are told apart by `game`, commands and events by `type`.
What only one game has bears its name, `GiroGaloppoState`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from referee.catalogue import Catalogue
from referee.core.game import Between, ListOf, OneOf
from referee.core.rules import Rules
from referee.core.table import BEHIND_ROUTES, TABLE
from referee.core.table.events import MatchCreated, TakenBack
from referee.core.table.folds import TABLE_EVENTS
from referee.core.views import MatchView, view_of
from referee.core.visibility import SPECTATOR
from referee.http.problems import Problem
from referee.http.streams import websocket
from referee.schemas import any_of, plain, shown, shown_event
from referee.selfplay import Setup, Trial, chance_of
from referee.service.answers import CutCommand
from referee.service.asking.creating import NewMatch
from referee.service.following import CommitMessage, RewrittenMessage, TimeMessage

Json = dict[str, Any]

_REF: Final = "#/components/schemas/{name}"
_ALSO_SHOWN: Final = (
    MatchView,
    Problem,
    CutCommand,
    CommitMessage,
    RewrittenMessage,
    TimeMessage,
    *websocket.SENT,
)
_ALSO_ASKED: Final = (NewMatch, websocket.CommandFrame)
_CLOSED: Final = "additionalProperties"
_SLOTS: Final = (OneOf, Between, ListOf)
_TABLE_SENT: Final = tuple(of.command for of in TABLE if of.command not in BEHIND_ROUTES)

_REFERS: Final = {
    ("Accepted", "events"): "Event",
    ("SeenEvents", "events"): "Event",
    ("CommitMessage", "events"): "Event",
    ("LegalCommands", "commands"): "Command",
    ("RefusedCommand", "command"): "KeptCommand",
    ("CommandFrame", "command"): "Command",
}
"""Fields whose types say only that something stands there."""


def ref(name: str) -> Json:
    """A reference to a component."""
    return {"$ref": _REF.format(name=name)}


def component_schemas(games: Catalogue, answers: Iterable[type]) -> dict[str, Json]:
    """The schemas by name, of these answers and of whatever else is sent and shown."""
    _, shown_ones = _made(*dict.fromkeys([*answers, *_ALSO_SHOWN]))
    _, of_table = _made(*map(shown_event, (MatchCreated, TakenBack, *TABLE_EVENTS)))
    _, asked_ones = _made(*_ALSO_ASKED, *_TABLE_SENT, *_SLOTS)
    common = _merged(_shown(of_table | shown_ones), _asked(asked_ones))
    found = dict(common)
    for rules in games:
        found |= _of_game(rules, common)
    del found["MatchCreated"]  # each game has its own
    _refer(found)
    found |= _unions(games)
    return {name: {"title": name} | found[name] | {"title": name} for name in sorted(found)}


def _made(*kinds: Any) -> tuple[list[Json], dict[str, Json]]:
    """The schemas of these types, and the components that they refer to."""
    schemas, found = msgspec.json.schema_components(kinds, ref_template=_REF)
    return [_plain(schema) for schema in schemas], {name: _plain(found[name]) for name in found}


def _plain(schema: Any) -> Any:
    """A schema for generators of clients: they know no `false`, and miss what is left out."""
    made = plain(schema)
    for part in parts(made):
        if part.get("type") == "array":
            items = part.pop("items", {})
            part.update({} if items is False else {"items": items})
    return made


def parts(value: Any) -> Iterator[Json]:
    """Every object in a document."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from parts(inner)


def _shown(found: Mapping[str, Json]) -> dict[str, Json]:
    """Schemas of what is encoded: every field is there; and open, for others may come."""
    return {
        name: {key: value for key, value in _fields(schema).items() if key != _CLOSED}
        for name, schema in found.items()
    }


def _asked(found: Mapping[str, Json]) -> dict[str, Json]:
    """Schemas of what is decoded: fields with defaults may be left out."""
    return {name: _fields(schema, asked=True) for name, schema in found.items()}


def _fields(schema: Json, *, asked: bool = False) -> Json:
    if "properties" not in schema:
        return schema
    fields: dict[str, Json] = {name: dict(field) for name, field in schema["properties"].items()}
    needed = set(schema["required"])
    for name in [name for name, field in fields.items() if "default" in field]:
        default = msgspec.json.encode(fields[name].pop("default")).decode()
        if asked:
            about = f"{fields[name].get('description', '')} Left out: `{default}`."
            fields[name]["description"] = about.strip()
        else:
            needed.add(name)
    required = [name for name in fields if name in needed]
    return {**schema, "properties": fields, "required": required}


def _merged(shown_ones: dict[str, Json], asked: dict[str, Json]) -> dict[str, Json]:
    """Both together; what is asked otherwise than it is shown under a name of its own."""
    both = asked.keys() & shown_ones.keys()
    unlike = {name: f"New{name}" for name in both if asked[name] != shown_ones[name]}
    return shown_ones | {unlike.get(name, name): _renamed(asked[name], unlike) for name in asked}


def _renamed(schema: Any, names: Mapping[str, str]) -> Any:
    """A schema whose references lead to components under their new names."""
    if isinstance(schema, list):
        return [_renamed(inner, names) for inner in schema]
    if isinstance(schema, dict):
        return {key: _renamed(inner, names) for key, inner in schema.items()}
    if isinstance(schema, str) and schema.startswith(_REF.format(name="")):
        name = schema.rpartition("/")[2]
        return _REF.format(name=names.get(name, name))
    return schema


# ── Games ─────────────────────────────────────────────────────────────────────────────────────────


def _title(rules: Rules) -> str:
    return "".join(part.title() for part in rules.game.id.split("-"))


def _of_game(rules: Rules, common: Mapping[str, Json]) -> dict[str, Json]:
    """What only one game has: `common` is what all have."""
    game, prefix = rules.game, _title(rules)
    (state, events), shown_ones = _made(shown(game.state), any_of(map(shown_event, rules.events)))
    (options,), of_options = _made(game.options)
    (commands,), asked = _made(rules.sent)
    told = {"game": {"const": game.id}, "options": options}
    shown_ones = _shown(shown_ones | of_options)
    shown_ones["MatchCreated"] = _in_game(shown_ones["MatchCreated"], told)
    shown_ones["Match"] = _in_game(
        common["MatchView"], {**told, "state": {"anyOf": [state, {"type": "null"}]}}
    )
    for name, value in _example(rules).items():
        shown_ones["Match"]["properties"][name]["examples"] = [value]
    shown_ones["Event"] = {"description": f"An event of {game.title}, or of the table.", **events}
    asked = _asked(asked | of_options)
    asked["NewMatch"] = _in_game(common["NewMatch"], told)
    asked["Command"] = {"description": f"A command of {game.title}, or of the table.", **commands}
    found = _merged(shown_ones, asked)
    own = {name: _own_name(name, prefix) for name in found if found[name] != common.get(name)}
    return {own[name]: _renamed(found[name], own) for name in own}


def _example(rules: Rules) -> Json:
    """What is a game's own in the view of a match that has just begun."""
    setup = Setup(seats=rules.game.players[0], seed=bytes(32))
    view = view_of(rules, Trial(rules, setup, chance_of(rules.game.id)).match, SPECTATOR)
    told: Json = msgspec.to_builtins(view)
    return {name: told[name] for name in ("game", "ruleset", "options", "state")}


def _own_name(name: str, prefix: str) -> str:
    return f"New{prefix}{name.removeprefix('New')}" if name.startswith("New") else prefix + name


def _in_game(schema: Json, told: Mapping[str, Json]) -> Json:
    """A schema some of whose fields a game says more of."""
    fields = dict(schema["properties"])
    for name, field in told.items():
        about = {key: fields[name][key] for key in ("description",) if key in fields[name]}
        fields[name] = {**about, **field}
    return {**schema, "properties": fields}


def _refer(found: dict[str, Json]) -> None:
    """Say of what there are references to: msgspec has no unions of structs without tags."""
    slot, members = ref("Slot"), {"type": "object", "additionalProperties": ref("Slot")}
    found["Template"]["properties"]["fields"]["additionalProperties"] = slot
    found["ListOf"]["properties"]["list_of"] = {"anyOf": [slot, members]}
    for (name, field), target in _REFERS.items():
        schema = found[name]["properties"][field]
        if schema.get("type") == "array":
            schema["items"] = ref(target)
        else:
            schema.update(ref(target))


def _unions(games: Catalogue) -> dict[str, Json]:
    """What is of one game or another."""
    titles = {rules.game.id: _title(rules) for rules in games}
    return {
        "MatchView": _told_apart("A match as one viewer may see it.", titles, "{}Match"),
        "NewMatch": _told_apart("A request to create a match.", titles, "New{}Match"),
        "Command": _any("A command of the match's game, or of the table.", titles, "{}Command"),
        "Event": _any("An event as its viewer may see it.", titles, "{}Event"),
        "Slot": _alternatives(
            "What a field of a command may hold.", *(kind.__name__ for kind in _SLOTS)
        ),
        "KeptCommand": _alternatives(
            "A refused command, as it is kept: whole, or cut.", "Command", "CutCommand"
        ),
        "StreamMessage": _alternatives(
            "The data of a message of the event stream.",
            "TimeMessage",
            "CommitMessage",
            "RewrittenMessage",
        ),
        "SocketMessage": _alternatives(
            "A frame that comes on the WebSocket; one that goes on it is a `CommandFrame`.",
            "CommitMessage",
            *(kind.__name__ for kind in websocket.SENT),
        ),
    }


def _told_apart(about: str, titles: Mapping[str, str], name: str) -> Json:
    targets = {game: ref(name.format(title)) for game, title in titles.items()}
    mapping = {game: target["$ref"] for game, target in targets.items()}
    apart = {"propertyName": "game", "mapping": mapping}
    return {"description": about, "oneOf": [*targets.values()], "discriminator": apart}


def _any(about: str, titles: Mapping[str, str], name: str) -> Json:
    return _alternatives(about, *(name.format(title) for title in titles.values()))


def _alternatives(about: str, *names: str) -> Json:
    return {"description": about, "anyOf": [ref(name) for name in names]}
