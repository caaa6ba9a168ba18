"""The API's description: whole, true, and shown without reaching anybody else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, reject, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance

from referee.catalogue import catalogue
from referee.http.command_route import PATH
from referee.http.openapi import document
from tests.http.site import Api
from tests.live.servers import ORGANIZER, Server, Table, bearer, serving

ALL = document(catalogue())
HIDDEN = {"/schema", "/schema/openapi.json"}
"""What describes the API is no part of it."""


def references(value: Any) -> Iterator[str]:
    """Every reference in a document."""
    if isinstance(value, dict):
        yield from (one for one in [value.get("$ref")] if isinstance(one, str))
        yield from value.get("discriminator", {}).get("mapping", {}).values()
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from references(inner)


def test_refers_to_nothing_that_is_not_there() -> None:
    """Every reference leads to a component of the document."""
    found = set(references(ALL))

    assert found
    for reference in found:
        kind, name = re.fullmatch(r"#/components/(\w+)/(\w+)", reference).groups()  # type: ignore[union-attr]
        assert name in ALL["components"][kind]


async def test_describes_every_route_there_is(api: Api) -> None:
    """And no other; the live socket is none that OpenAPI could describe."""
    described = {(method.upper(), path) for path, one in ALL["paths"].items() for method in one}
    front: Any = api.front
    served = {("POST", PATH)} | {
        (method, re.sub(r":\w+}", "}", route.path))
        for route in front._app.routes
        for method in getattr(route, "methods", ())
        if method != "OPTIONS"
    }

    assert described == {one for one in served if one[1] not in HIDDEN}


def test_tells_commands_apart_by_their_type() -> None:
    """A generator of clients finds out which command is which, in every game."""
    schemas = ALL["components"]["schemas"]

    assert len(schemas["Command"]["anyOf"]) == len(list(catalogue()))
    for reference in schemas["Command"]["anyOf"]:
        union = schemas[reference["$ref"].rpartition("/")[2]]
        assert union["discriminator"]["propertyName"] == "type"
        kinds = {one["$ref"] for one in union["anyOf"]}
        assert set(union["discriminator"]["mapping"].values()) == kinds
        for tag, target in union["discriminator"]["mapping"].items():
            schema = schemas[target.rpartition("/")[2]]
            assert schema["properties"]["type"] == {"enum": [tag]}
            assert "type" in schema["required"]


def test_names_no_two_things_alike() -> None:
    """Operations by their ids, components also where case is not told apart."""
    names = [one["operationId"] for path in ALL["paths"].values() for one in path.values()]
    schemas = [name.lower() for name in ALL["components"]["schemas"]]

    assert len(set(names)) == len(names)
    assert len(set(schemas)) == len(schemas)


async def test_serves_the_document_and_a_page_that_loads_nothing(api: Api) -> None:
    """The page names every operation and shape, and reaches no host, not even this one."""
    served = (await api.get("/schema/openapi.json")).json()
    answer = await api.get("/schema")

    assert served == msgspec.json.decode(msgspec.json.encode(ALL))
    html = answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert not re.search(r"<(script|link|img|iframe|object|embed)\b|https?:|url\(|@import", html)
    for path, methods in ALL["paths"].items():
        assert f"<code>{path}</code>" in html
        for one in methods.values():
            assert f'id="{one["operationId"]}"' in html
    assert "`" not in re.sub(r"<pre>.*?</pre>", "", html, flags=re.DOTALL)
    assert '<div id="shape-Problem">' in html  # inside what is folded: a link to it opens that
    anchors = set(re.findall(r'href="#([^"]+)"', html))
    assert anchors <= set(re.findall(r'id="([^"]+)"', html))


# ── The server against its word ─────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def server(redis_server_url: str) -> Iterator[Server]:
    """A real server."""
    with serving(redis_server_url) as servers:
        yield servers[0]


@pytest.fixture(scope="module")
def match(server: Server) -> str:
    """A public match."""
    return Table(server, "giro-galoppo", 3, public=True).match


@schemathesis.serializer("application/msgpack")
def _msgpack(_context: Any, value: Any) -> bytes:
    try:
        return msgspec.msgpack.encode(value)
    except OverflowError:  # MessagePack has no such number
        reject()


@schemathesis.deserializer("application/msgpack")
def _from_msgpack(_context: Any, response: Any) -> Any:
    return msgspec.msgpack.decode(response.content)


# Parameters that nobody asks for are ignored, so none are made up.
CONFIG = SchemathesisConfig.from_dict({"generation": {"allow-extra-parameters": False}})
api_of = schemathesis.openapi.from_dict(ALL, config=CONFIG)

JUDGED = {"createMatch", "sendCommand", "checkCommand", "listLegalCommands", "reissueToken"}
"""What is judged by what this document does not tell: a game's options, rulings, the version."""


def keeps_its_word(case: schemathesis.Case[Any], server: Server, match: str) -> None:
    """One request, made up from the description, is answered as it says."""
    good = case.meta is None or case.meta.generation.mode is schemathesis.GenerationMode.POSITIVE
    if good and "match" in case.path_parameters:
        case.path_parameters["match"] = match
    excluded: list[Any] = []
    if case.operation.definition.raw["operationId"] in JUDGED:
        excluded.append(positive_data_acceptance)
    case.call_and_validate(base_url=server.url, headers=bearer(ORGANIZER), excluded_checks=excluded)


quick = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@api_of.parametrize()  # pyright: ignore[reportUntypedFunctionDecorator] - the library's
@quick
def test_keeps_its_word(case: schemathesis.Case[Any], server: Server, match: str) -> None:
    """Statuses, headers and bodies are the described ones, for good requests and bad."""
    keeps_its_word(case, server, match)


@pytest.mark.long
@api_of.parametrize()  # pyright: ignore[reportUntypedFunctionDecorator] - the library's
@settings(quick, max_examples=400, derandomize=False)
def test_keeps_its_word_at_length(case: schemathesis.Case[Any], server: Server, match: str) -> None:
    """The same with many more requests, other ones each time."""
    keeps_its_word(case, server, match)
