"""The API's description: whole, true, and shown without reaching anybody else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import schemathesis

from referee.catalogue import catalogue
from referee.http.command_route import PATH
from tests.http.described import ALL, QUICK, described, keeps_its_word
from tests.http.site import Api
from tests.live.servers import Server

api_of = described(every_keyword=False)
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


@api_of.parametrize()
@QUICK
def test_keeps_its_word(case: schemathesis.Case[Any], described_on: Server, match: str) -> None:
    """Statuses, headers and bodies are the described ones, for good requests and bad."""
    keeps_its_word(case, described_on, match)
