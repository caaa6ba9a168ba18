"""The API's description: OpenAPI 3.1, made by the framework from the handlers themselves.

Here stands only what handlers do not say: the types of bodies, as msgspec describes them; that
whatever is JSON may be MessagePack; who has to show a token, by what a handler asks for; and the
forms of problems.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from litestar.openapi import OpenAPIConfig, ResponseSpec
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, License, Schema, SecurityScheme, Tag
from litestar.plugins import OpenAPISchemaPlugin, ReceiveRoutePlugin
from litestar.routes import HTTPRoute
from msgspec import Struct

from referee.catalogue import Catalogue
from referee.http.components import Json, component_schemas, ref
from referee.http.context import Holds
from referee.http.negotiation import JSON, MSGPACK
from referee.http.problems import KINDS, PROBLEM_JSON, Problem
from referee.http.responses import MATCHES
from referee.http.streams.sse import EVENT_STREAM

if TYPE_CHECKING:
    from litestar.handlers import HTTPRouteHandler
    from litestar.routes import BaseRoute
    from litestar.typing import FieldDefinition

_ABOUT: Final = (
    "Matches are created by an organizer, played by seats and watched by spectators; a bearer "
    "token says who asks. Bodies are JSON, or MessagePack of the same shapes. Whole numbers are "
    "written as such: `300.0` is refused where an integer is wanted, though JSON Schema takes it "
    "for one. Every error is a problem (RFC 9457); a refused command's `type` is the path of the "
    "ruling that it breaks. "
    "Pages of any origin may call: answers allow all, and no cookies are used."
)
_TAGS: Final = {
    "games": "What can be played, and by which rules.",
    "matches": "Creating and watching matches.",
    "play": "Playing.",
    "operations": "For operators and auditors.",
}
_STATUSES: Final = {
    "bearer": (401, 403, 503),
    "visitor": (401, 503),
    "match": (404,),
    "sent": (413, 415),
}
"""Statuses of problems that come with a parameter of a handler."""
_TEXT: Final = {"type": "string"}
_TIME: Final = {
    "description": "What time it is for the match, Unix ms; left out while that is not known.",
    "schema": {"type": "integer"},
}
_NULL: Final = {"type": "null"}
_UNSAID: Final = {"deprecated": False, "allowEmptyValue": False, "allowReserved": False}
"""What the framework writes that goes without saying."""


def problems(*statuses: int) -> dict[int, ResponseSpec]:
    """The problems that a handler has, beside those that come with its parameters."""
    return {status: ResponseSpec(Problem, media_type=PROBLEM_JSON) for status in statuses}


def _operation_id(handler: HTTPRouteHandler, *_: Any) -> str:
    """The name of a handler as programs in other languages write names: `createMatch`."""
    first, *others = handler.handler_name.split("_")
    return first + "".join(map(str.title, others))


class Description(OpenAPISchemaPlugin, ReceiveRoutePlugin):
    """Collects what an application's handlers take and answer, and finishes its document."""

    CONFIG: Final = OpenAPIConfig(
        title="referee",
        version=version("referee"),
        summary="A referee for board and card games.",
        description=_ABOUT,
        license=License(name="MIT", identifier="MIT"),
        tags=[Tag(name=name, description=about) for name, about in _TAGS.items()],
        components=Components(
            security_schemes={
                "bearer": SecurityScheme(type="http", scheme="bearer", bearer_format="JWT")
            }
        ),
        use_handler_docstrings=True,
        operation_id_creator=_operation_id,
        render_plugins=[JsonRenderPlugin()],
    )

    def __init__(self) -> None:
        self._answers: dict[type, None] = {}
        self._handlers: dict[tuple[str, str], HTTPRouteHandler] = {}

    @staticmethod
    def is_plugin_supported_type(value: Any) -> bool:
        """Whether msgspec describes this type."""
        return isinstance(value, type) and issubclass(value, Struct)

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: Any) -> Schema:  # noqa: ARG002
        """A reference to a type's component, which is made with all the others."""
        self._answers[field_definition.annotation] = None
        return _Reference(title=field_definition.annotation.__name__)

    def receive_route(self, route: BaseRoute) -> None:
        """Remember the handlers, by path and method."""
        for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
            for method in handler.http_methods:
                self._handlers[route.path_format, method.lower()] = handler

    def finish(self, document: Json, games: Catalogue) -> Json:
        """The framework's document, with what handlers do not say."""
        components = document["components"]
        components["schemas"] = component_schemas(games, self._answers)
        components["responses"] = _problem_responses()
        components["headers"] = {"RefereeTime": _TIME}
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                handler = self._handlers[path, method]
                _finish(operation, handler.parsed_fn_signature.parameters)
                if path.startswith(MATCHES):
                    _tell_time(operation["responses"])
        said: Json = _said(document)
        return said


class _Reference(Schema):
    """A reference to the component of its title, whatever the framework adds to it."""

    def to_schema(self) -> Json:
        return ref(str(self.title))


# ── Operations ────────────────────────────────────────────────────────────────────────────────────


def _said(value: Any) -> Any:
    """A document without what goes without saying."""
    if isinstance(value, list):
        return [_said(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    return {k: _said(inner) for k, inner in value.items() if (k, inner) not in _UNSAID.items()}


def _finish(operation: Json, signature: Mapping[str, FieldDefinition]) -> None:
    """What the parameters of its handler say of an operation, and what all have."""
    about: str = operation["description"]
    operation["summary"] = about.partition(". ")[0].partition("\n")[0].rstrip(".")
    if "bearer" in signature or "visitor" in signature:
        operation["security"] = [{"bearer": []}, *([{}] if "visitor" in signature else [])]
    if operation.get("parameters"):
        operation["parameters"] = [_parameter(found) for found in operation["parameters"]]
    if "sent" in signature:
        (kind,) = (held.kind for held in signature["sent"].metadata if isinstance(held, Holds))
        operation["requestBody"] = {"required": True, "content": _either(ref(kind))}
    # Any request may have a query that is not known, and anything may go wrong.
    statuses = {*map(int, operation["responses"]), 400, 500}
    statuses.update(*(_STATUSES[name] for name in _STATUSES.keys() & signature.keys()))
    operation["responses"] = {
        str(status): _response(status, operation) for status in sorted(statuses)
    }


def _tell_time(responses: Json) -> None:
    for response in responses.values():
        if "$ref" not in response:  # those of problems have it anyway
            header = {"$ref": "#/components/headers/RefereeTime"}
            response["headers"] = response.get("headers", {}) | {"Referee-Time": header}


def _parameter(found: Json) -> Json:
    """A parameter; one that may be left out is never null."""
    schema = found.pop("schema")
    schema.pop("description", None)
    others = [kind for kind in schema.pop("oneOf", ()) if kind != _NULL]
    schema |= others[0] if len(others) == 1 else {"oneOf": others} if others else {}
    if "enum" in schema:
        schema |= {"type": "string", "enum": [word for word in schema["enum"] if word is not None]}
    whole = {key: int(value) for key, value in schema.items() if isinstance(value, float)}
    return {**found, "schema": schema | whole}


def _either(schema: Json) -> Json:
    return {JSON: {"schema": schema}, MSGPACK: {"schema": schema}}


def _response(status: int, operation: Json) -> Json:
    if status >= 400:  # noqa: PLR2004
        return {"$ref": f"#/components/responses/Problem{status}"}
    response: Json = operation["responses"][str(status)]
    content, headers = response.get("content", {}), response.pop("headers", {})
    if JSON in content:
        content |= _either(content[JSON]["schema"])
        response["description"] = operation["summary"]
    if operation["operationId"] == "listEvents":
        content[EVENT_STREAM] = {"schema": {**_TEXT, "contentSchema": ref("StreamMessage")}}
    told = {name: {**headers[name], "schema": _TEXT, "required": True} for name in sorted(headers)}
    return response | ({"headers": told} if told else {})


# ── Problems ──────────────────────────────────────────────────────────────────────────────────────


def _problem_responses() -> Json:
    """A response for each status that a problem may have."""
    responses: Json = {}
    for kind in KINDS.values():
        response = responses.setdefault(f"Problem{kind.status}", _problem_response(kind.status))
        response["description"] = f"{response['description']} {kind.title}: {kind.about}".strip()
    refused = responses["Problem422"]
    refused["description"] = (
        "Refused: the command breaks a ruling, which `type` leads to and `ruling` names. "
        + refused["description"]
    )
    return responses


def _problem_response(status: int) -> Json:
    name = {401: "WWW-Authenticate", 405: "Allow", 429: "Retry-After", 503: "Retry-After"}
    headers: Json = {"Referee-Time": {"$ref": "#/components/headers/RefereeTime"}}
    if status in name:
        headers[name[status]] = {"schema": _TEXT, "required": True}
    content = {PROBLEM_JSON: {"schema": ref("Problem")}}
    return {"description": "", "headers": headers, "content": content}
