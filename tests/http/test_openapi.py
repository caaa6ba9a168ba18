"""The API's description: whole, true, and shown without reaching anybody else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec
import pytest
import schemathesis
from msgspec import Struct

from referee.catalogue import GameRow, catalogue
from referee.http.problems import Problem
from referee.http.routes.games import GamePage
from referee.http.routes.matches import NewToken
from referee.service.answers import Accepted, MatchRow
from tests.clients import accepted
from tests.http.described import ALL, QUICK, described, keeps_its_word
from tests.http.site import Api
from tests.live.servers import Server

api_of = described(every_keyword=False)
HIDDEN = {"/", "/desk", "/desk/{path}", "/schema", "/schema/openapi.json"}
"""What describes the API, leads there, or shows it, is no part of it."""


def parts(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a document."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from parts(inner)


def references(value: Any) -> Iterator[str]:
    """Every reference in a document."""
    for found in parts(value):
        yield from (at for at in [found.get("$ref")] if isinstance(at, str))
        yield from found.get("discriminator", {}).get("mapping", {}).values()


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
    served = {
        (method, re.sub(r":\w+}", "}", route.path))
        for route in api.front.app.routes
        for method in getattr(route, "methods", ())
        if method != "OPTIONS"
    }

    assert described == {one for one in served if one[1] not in HIDDEN}


@pytest.mark.parametrize("name", ["Command", "Event"])
def test_tells_commands_and_events_apart_by_their_type(name: str) -> None:
    """A generator of clients finds out which is which, in every game."""
    schemas = ALL["components"]["schemas"]

    assert len(schemas[name]["anyOf"]) == len(list(catalogue()))
    for reference in schemas[name]["anyOf"]:
        union = schemas[reference["$ref"].rpartition("/")[2]]
        assert union["discriminator"]["propertyName"] == "type"
        kinds = {one["$ref"] for one in union["anyOf"]}
        assert set(union["discriminator"]["mapping"].values()) == kinds
        for tag, target in union["discriminator"]["mapping"].items():
            schema = schemas[target.rpartition("/")[2]]
            assert schema["properties"]["type"] == {"const": tag}
            assert "type" in schema["required"]


def test_tells_what_is_of_a_game_apart_by_its_game() -> None:
    """Views and orders by `game`, with the options and states that are that game's."""
    schemas = ALL["components"]["schemas"]

    for name in ("MatchView", "NewMatch"):
        mapping = schemas[name]["discriminator"]["mapping"]
        assert schemas[name]["discriminator"]["propertyName"] == "game"
        assert [one["$ref"] for one in schemas[name]["oneOf"]] == list(mapping.values())
        assert list(mapping) == [rules.game.id for rules in catalogue()]
        for game, target in mapping.items():
            fields = schemas[target.rpartition("/")[2]]["properties"]
            assert fields["game"]["const"] == game
            assert "$ref" in fields["options"]
            if name == "MatchView":
                state, undealt = fields["state"]["anyOf"]
                assert ("$ref" in state, undealt) == (True, {"type": "null"})


@pytest.mark.parametrize("kind", [GameRow, GamePage, Problem, Accepted, MatchRow, NewToken])
def test_describes_every_field_of_an_answer(kind: type[Struct]) -> None:
    """Whatever the field is called, and whichever may be missing."""
    schema = ALL["components"]["schemas"][kind.__name__]

    assert tuple(schema["properties"]) == kind.__struct_fields__
    left_out = kind.__struct_fields__[len(schema["required"]) :]
    assert tuple(schema["required"]) + left_out == kind.__struct_fields__


def test_has_no_enum_of_one_word() -> None:
    """What can be one word alone is a `const`: generators make a type of it."""
    assert [found for found in parts(ALL) if len(found.get("enum", "two")) == 1] == []


def test_names_no_default_of_a_field_that_may_be_left_out() -> None:
    """For generators of clients a field with a default is always there."""
    sent = ["NewMatch", "Command", "CommandFrame"]
    reached: set[str] = set()
    while sent:
        reached.add(name := sent.pop())
        found = {at.rpartition("/")[2] for at in references(ALL["components"]["schemas"][name])}
        sent += found - reached

    for name in reached:
        for field in parts(ALL["components"]["schemas"][name].get("properties", {})):
            assert "default" not in field, name


def test_says_what_every_field_of_a_view_means() -> None:
    """Of a result and a standing too: each with examples, which are what its schema allows."""
    schemas = ALL["components"]["schemas"]
    shown = ["Result", "Standing", "SeatView", "ClockView", "DrawOffer", "PendingTakeback"]

    for name in (*shown, *schemas["MatchView"]["discriminator"]["mapping"].values()):
        for field, schema in schemas[name.rpartition("/")[2]]["properties"].items():
            assert "description" in schema, (name, field)
            assert schema["examples"], (name, field)
            for example in schema["examples"]:
                fits(f"{name.rpartition('/')[2]}/properties/{field}", example)


async def test_answers_fit_their_schemas_in_every_game(api: Api) -> None:
    """Views, events and legal commands, as they are described under the game's own names."""
    for rules in catalogue():
        table = await api.create(rules.game.players[0], game=rules.game.id, public=True)
        prefix = "".join(part.title() for part in rules.game.id.split("-"))
        fits(f"{prefix}Match", await table.view())
        for command in accepted(await table.get("/legal?seat=0"))["commands"]:
            fits(f"{prefix}Command", command)
        await table.rule({"type": "void", "reason": "a test"})  # so that the stream ends
        fits(f"{prefix}Match", await table.view(None))
        for event in accepted(await table.get("/events"))["events"]:
            fits(f"{prefix}Event", event)
        stream = await table.get("/events", table.spectator, accept="text/event-stream")
        for line in stream.text.splitlines():
            if line.startswith("data: "):
                fits("StreamMessage", msgspec.json.decode(line.removeprefix("data: ")))


def fits(name: str, value: Any) -> None:
    """Validate a value against a component."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": ALL["components"]}
    jsonschema_rs.Draft202012Validator(schema).validate(value)


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
    assert "`300.0` is refused where an integer is wanted" in served["info"]["description"]
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
def test_keeps_its_word(case: schemathesis.Case[Any], servers: list[Server], match: str) -> None:
    """Statuses, headers and bodies are the described ones, for good requests and bad."""
    keeps_its_word(case, servers[0], match)
