"""The API's description: an OpenAPI 3.1 document made of the very types that are decoded."""

from __future__ import annotations

import inspect
from importlib.metadata import version
from typing import Any, Final, get_args

import msgspec
from msgspec import Struct

from referee.catalogue import Catalogue
from referee.core.match import Status
from referee.core.rules import Rules
from referee.core.views import MatchView
from referee.http import shapes
from referee.http.negotiation import JSON, MSGPACK
from referee.http.problems import KINDS, PROBLEM_JSON, Problem
from referee.http.routes import games, matches, operations
from referee.service.answers import Judged, Page, Ruled
from referee.service.asking.creating import NewMatch

Json = dict[str, Any]

_REF: Final = "#/components/schemas/{name}"
_ANY_COMMAND: Final = {"$ref": _REF.format(name="Command")}


class _Operation(Struct, frozen=True, kw_only=True):
    """One operation: what it takes, and what it answers.

    ``takes`` and ``gives``: a type of body (``"Command"``: a command of any game; a media type:
    bytes of that type). ``fails``: the statuses of its problems. ``token``: whether there must
    be one, may be one (False), or none is looked at (None).
    """

    method: str
    path: str
    name: str
    tag: str
    about: str
    gives: Any
    status: int = 200
    takes: Any = None
    parameters: tuple[Json, ...] = ()
    fails: tuple[int, ...] = ()
    headers: Json = {}
    token: bool | None = True


def _parameter(where: str, name: str, schema: Json, about: str, *, needed: bool = False) -> Json:
    return {
        "in": where,
        "name": name,
        "required": needed or where == "path",
        "schema": schema,
        "description": about,
    }


_TEXT: Final = {"type": "string"}
_LENGTH: Final = {"type": "string", "minLength": 1}
_VERSION: Final = {"type": "integer", "minimum": 1}
_MATCH: Final = _parameter(
    "path", "match", {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}, "The match's id."
)
_GAME: Final = _parameter("path", "game", _LENGTH, "The game's id, such as `giro-galoppo`.")
_SEAT: Final = _parameter(
    "query",
    "seat",
    {"type": "integer"},
    "For an organizer: the seat to act for. A seat may name itself.",
)
_IF_MATCH: Final = _parameter(
    "header",
    "If-Match",
    {"type": "string", "pattern": r'^(\*|"[1-9][0-9]{0,17}"(, ?"[1-9][0-9]{0,17}")*)$'},
    'Take the command only at this version: `"12"`, several of them, or `*`.',
)
_KEY: Final = _parameter(
    "header",
    "Idempotency-Key",
    {"type": "string", "pattern": "^[!-~]{1,64}$"},
    "A repeat with the same key and body gets the first answer again, and is not taken twice.",
)
_NONE_MATCH: Final = _parameter(
    "header", "If-None-Match", _TEXT, "Versions that the client has: 304 if it is one of them."
)


def _within(name: str, least: int, most: int, default: int, about: str) -> Json:
    schema = {"type": "integer", "minimum": least, "maximum": most, "default": default}
    return _parameter("query", name, schema, about)


_LOOK: Final = (400, 401, 404, 503)
_ACT: Final = (400, 401, 403, 404, 413, 415, 422, 503)

OPERATIONS: Final = (
    _Operation(
        method="get",
        path="/v1/games",
        name="listGames",
        tag="games",
        about="The catalogue of games.",
        gives=games.Games,
        token=None,
    ),
    _Operation(
        method="get",
        path="/v1/games/{game}",
        name="getGame",
        tag="games",
        about="A game: the JSON Schemas of its options, commands, events and state; its rulings.",
        gives=games.GamePage,
        parameters=(_GAME,),
        fails=(404,),
        token=None,
    ),
    _Operation(
        method="get",
        path="/v1/games/{game}/rulings/{ruling}",
        name="getRuling",
        tag="games",
        about="One ruling: a numbered clause of a game's ruleset, or of the table's.",
        gives=Ruled,
        parameters=(_GAME, _parameter("path", "ruling", _LENGTH, "The ruling's id.")),
        fails=(404,),
        token=None,
    ),
    _Operation(
        method="post",
        path="/v1/matches",
        name="createMatch",
        tag="matches",
        about="Create a match. For organizers.",
        takes=NewMatch,
        gives=matches.NewMatchAnswer,
        status=201,
        fails=(400, 401, 403, 404, 409, 413, 415, 422, 503),
        headers={"Location": {"schema": _TEXT, "description": "The match's path."}},
    ),
    _Operation(
        method="get",
        path="/v1/matches",
        name="listMatches",
        tag="matches",
        about="The matches there are, newest first. For organizers.",
        gives=Page,
        parameters=(
            _parameter("query", "game", _TEXT, "Only matches of this game."),
            _parameter("query", "tournament", _TEXT, "Only matches of this tournament."),
            _parameter(
                "query",
                "status",
                {"type": "string", "enum": list(get_args(Status))},
                "Only matches of this status. A page may then be short and still have a cursor.",
            ),
            _parameter(
                "query",
                "cursor",
                {"type": "string", "pattern": r"^[0-9]{1,15}\.[A-Za-z0-9_-]{1,64}$"},
                "The `cursor` of the page before; what it is made of may change.",
            ),
            _within("limit", 1, matches.LARGEST_PAGE, matches.PAGE, "Matches on the page."),
        ),
        fails=(400, 401, 403, 503),
    ),
    _Operation(
        method="get",
        path="/v1/matches/{match}",
        name="getMatch",
        tag="matches",
        about="The match as the bearer may see it.",
        gives=MatchView,
        parameters=(
            _MATCH,
            _parameter("query", "at", {"type": "integer"}, "As it stood after this commit."),
            _NONE_MATCH,
        ),
        fails=_LOOK,
        headers={"ETag": {"schema": _TEXT, "description": "The version, in quotation marks."}},
        token=False,
    ),
    _Operation(
        method="get",
        path="/v1/matches/{match}/legal",
        name="listLegalCommands",
        tag="play",
        about="Every legal command of the bearer's seat, or of the one an organizer acts for.",
        gives=shapes.LegalList,
        parameters=(_MATCH, _SEAT),
        fails=(400, 401, 403, 404, 422, 503),
    ),
    _Operation(
        method="post",
        path="/v1/matches/{match}/commands",
        name="sendCommand",
        tag="play",
        about="Send a command. What breaks a ruling is refused (422), and nothing is recorded.",
        takes="Command",
        gives=shapes.AcceptedCommand,
        parameters=(_MATCH, _SEAT, _IF_MATCH, _KEY),
        fails=(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503),
    ),
    _Operation(
        method="post",
        path="/v1/matches/{match}/check",
        name="checkCommand",
        tag="play",
        about="Judge a command without taking it.",
        takes="Command",
        gives=Judged,
        parameters=(_MATCH, _SEAT),
        fails=_ACT,
    ),
    _Operation(
        method="get",
        path="/v1/matches/{match}/events",
        name="listEvents",
        tag="matches",
        about="The events after a version, as the bearer may see them, commit by whole commit. "
        "With `Accept: text/event-stream` a live stream of them, one message a commit: resumed "
        "by `Last-Event-ID`, ended after the match, and taking its token from "
        "`?access_token=` too, for browsers. The same messages come over a WebSocket at "
        "`/v1/matches/{match}/live`.",
        gives=shapes.EventPage,
        parameters=(
            _MATCH,
            _within("after", 0, matches.FAR, 0, "The version after which to begin."),
            _within("limit", 1, matches.LARGEST_EVENTS, matches.EVENTS, "Commits at most."),
        ),
        fails=_LOOK,
        token=False,
    ),
    _Operation(
        method="get",
        path="/v1/matches/{match}/log",
        name="getLog",
        tag="matches",
        about="The match file: the whole log, for `replay`. The organizer's until the match has "
        "finished.",
        gives=matches.MATCH_FILE,
        parameters=(_MATCH,),
        fails=(401, 403, 404, 503),
        token=False,
    ),
    _Operation(
        method="get",
        path="/v1/matches/{match}/refusals",
        name="listRefusals",
        tag="matches",
        about="The refused commands of the match, the last 500. For organizers.",
        gives=matches.Refusals,
        parameters=(_MATCH,),
        fails=(401, 403, 404, 503),
    ),
    _Operation(
        method="post",
        path="/v1/matches/{match}/seats/{seat}/token",
        name="reissueToken",
        tag="matches",
        about="A new token for a seat; the old ones are dead at once. For organizers.",
        gives=matches.NewToken,
        parameters=(
            _MATCH,
            _parameter("path", "seat", {"type": "integer", "minimum": 0}, "The seat."),
        ),
        fails=(401, 403, 404, 422, 429, 503),
    ),
    _Operation(
        method="get",
        path="/v1/keys",
        name="listKeys",
        tag="operations",
        about="The public keys that receipts and match files are signed with.",
        gives=operations.Keys,
        token=None,
    ),
    _Operation(
        method="get",
        path="/problems/{name}",
        name="getProblem",
        tag="operations",
        about="What a problem's type means.",
        gives=operations.ProblemPage,
        parameters=(_parameter("path", "name", _LENGTH, "The end of the problem's `type`."),),
        fails=(404,),
        token=None,
    ),
    _Operation(
        method="get",
        path="/health/live",
        name="isLive",
        tag="operations",
        about="Whether the process runs.",
        gives=operations.Health,
        token=None,
    ),
    _Operation(
        method="get",
        path="/health/ready",
        name="isReady",
        tag="operations",
        about="Whether the process can take commands: its store is there, and takes writes.",
        gives=operations.Health,
        fails=(503,),
        token=None,
    ),
    _Operation(
        method="get",
        path="/metrics",
        name="getMetrics",
        tag="operations",
        about="Metrics for Prometheus.",
        gives="text/plain",
        token=None,
    ),
)


def document(catalogue: Catalogue) -> Json:
    """The OpenAPI document of the API that plays these games."""
    paths: dict[str, Json] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _described(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "referee",
            "version": version("referee"),
            "summary": "A referee for board and card games.",
            "description": _ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": about} for name, about in _TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": _schemas(catalogue),
            "responses": _problem_responses(),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
            },
        },
    }


_ABOUT: Final = (
    "Matches are created by an organizer, played by seats and watched by spectators; a bearer "
    "token says who asks. Bodies are JSON, or MessagePack of the same shapes. Every error is a "
    "problem (RFC 9457); a refused command's `type` is the path of the ruling that it breaks. "
    "Pages of any origin may call: answers allow all, and no cookies are used."
)
_TAGS: Final = {
    "games": "What can be played, and by which rules.",
    "matches": "Creating and watching matches.",
    "play": "Playing.",
    "operations": "For operators and auditors.",
}


def _described(operation: _Operation) -> Json:
    described: Json = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.about.partition(". ")[0].rstrip("."),
        "description": operation.about,
        "responses": _responses(operation),
    }
    if operation.parameters:
        described["parameters"] = list(operation.parameters)
    if operation.takes is not None:
        described["requestBody"] = {"required": True, "content": _content(operation.takes)}
    if operation.token is not None:
        described["security"] = [{"bearer": []}, *([] if operation.token else [{}])]
    return described


def _content(kind: Any) -> Json:
    if isinstance(kind, str) and "/" in kind:
        schema = _TEXT if kind.startswith("text/") else {}
        return {kind: {"schema": schema}}
    schema = {"$ref": _REF.format(name=kind if isinstance(kind, str) else kind.__name__)}
    return {JSON: {"schema": schema}, MSGPACK: {"schema": schema}}


def _responses(operation: _Operation) -> Json:
    good: Json = {"description": operation.about, "content": _content(operation.gives)}
    if operation.headers:
        good["headers"] = operation.headers
    responses = {str(operation.status): good}
    if _NONE_MATCH in operation.parameters:
        responses["304"] = {"description": "The client has this version."}
    if operation.name == "listEvents":
        good["content"]["text/event-stream"] = {"schema": _TEXT}
    for status in (*operation.fails, 500):
        responses[str(status)] = {"$ref": f"#/components/responses/Problem{status}"}
    return responses


def _problem_responses() -> Json:
    """A response for each status that a problem may have."""
    responses: Json = {}
    for kind in KINDS.values():
        response = responses.setdefault(f"Problem{kind.status}", _problem_response())
        response["description"] = f"{response['description']} {kind.title}: {kind.about}".strip()
        response.get("headers", {}).update(_problem_headers(kind.status))
    refused = responses["Problem422"]
    refused["description"] = (
        "Refused: the command breaks a ruling, which `type` leads to and `ruling` names. "
        + refused["description"]
    )
    return responses


def _problem_response() -> Json:
    schema = {"$ref": _REF.format(name="Problem")}
    return {"description": "", "headers": {}, "content": {PROBLEM_JSON: {"schema": schema}}}


def _problem_headers(status: int) -> Json:
    name = {401: "WWW-Authenticate", 405: "Allow", 429: "Retry-After", 503: "Retry-After"}
    if status not in name:
        return {}
    return {name[status]: {"schema": _TEXT, "required": True}}


def _schemas(catalogue: Catalogue) -> Json:
    """The schemas of all bodies; every game's commands are one component."""
    answers = [one.gives for one in OPERATIONS if not isinstance(one.gives, str)]
    kinds: list[Any] = [*dict.fromkeys([*answers, NewMatch, Problem])]
    rules = list(catalogue)
    found, schemas = msgspec.json.schema_components(
        [*(one.sent for one in rules), *kinds], ref_template=_REF
    )
    for one, schema in zip(rules, found, strict=False):
        schemas[_command_name(one)] = {"title": f"A command of {one.game.title}", **schema}
    refs = [{"$ref": _REF.format(name=_command_name(one))} for one in rules]
    schemas["Command"] = {
        "description": "A command of the match's game, or of the table.",
        "anyOf": refs,
    }
    schemas["LegalList"]["properties"]["commands"]["items"] = _ANY_COMMAND
    schemas["RefusedCommand"]["properties"]["command"] = _ANY_COMMAND
    return {name: _cleaned(schema) for name, schema in sorted(schemas.items())}


def _command_name(rules: Rules) -> str:
    return "".join(part.title() for part in rules.game.id.split("-")) + "Command"


def _cleaned(schema: Any) -> Any:
    """A schema whose descriptions, taken from docstrings, read as Markdown."""
    if isinstance(schema, list):
        return [_cleaned(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    cleaned = {name: _cleaned(one) for name, one in schema.items()}
    about = cleaned.get("description")
    if isinstance(about, str):
        cleaned["description"] = inspect.cleandoc(about).replace("``", "`")
    return cleaned
