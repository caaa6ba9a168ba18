"""The fast routes of commands, creations and streams: they answer what the framework would."""

from __future__ import annotations

from typing import Any, Final

import httpx
import msgspec
import pytest

from referee.http import fast_routes
from tests.clients import ORGANIZER, order_of
from tests.http.site import Api, Table
from tests.http.straight import Straight

PLACE: Final = {"type": "place_obstacle", "space": 20}
MSGPACK: Final = "application/msgpack"

REQUESTS: Final[dict[str, dict[str, Any]]] = {
    "accepted, again": {"idempotency-key": "one"},
    "accepted, again, in MessagePack": {"idempotency-key": "one", "accept": MSGPACK},
    "nobody": {"authorization": ""},
    "a forged token": {"authorization": "Bearer x.y.z"},
    "a parameter that is not known": {"query": "?seta=0"},
    "a parameter twice": {"query": "?seat=0&seat=1"},
    "no number": {"query": "?seat=x"},
    "another seat": {"query": "?seat=1"},
    "no such seat": {"query": "?seat=7", "authorization": f"Bearer {ORGANIZER}"},
    "malformed condition": {"if-match": "x"},
    "stale": {"if-match": '"1"'},
    "malformed key": {"idempotency-key": "a b"},
    "key of another command": {"idempotency-key": "one", "body": {"type": "resign"}},
    "no media type": {"content-type": ""},
    "another media type": {"content-type": "text/plain"},
    "compressed": {"content-encoding": "gzip"},
    "too large": {"body": b"x" * 70_000},
    "no body": {"body": b""},
    "no JSON": {"body": b"{"},
    "no MessagePack": {"body": b"\xc1", "content-type": MSGPACK},
    "no command": {"body": {"type": "fly"}},
    "every field wrong": {"body": {"type": "place_obstacle", "space": "x", "y": 1}},
    "against a ruling": {"body": {"type": "place_obstacle", "space": 99}},
    "for an organizer": {"body": {"type": "pause"}},
    "with a slash behind": {"query": "/", "idempotency-key": "one"},
}


@pytest.mark.parametrize("name", REQUESTS)
async def test_answers_as_the_framework_would(
    table: Table, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Status, headers and body, of what is accepted and of every way to fail."""
    await table.play(0, PLACE, idempotency_key="one")
    by_the_server = Table(Api(table.api.front, Straight(table.api.front)), table.made)

    straight = await asked(by_the_server, **REQUESTS[name])
    fast = await asked(table, **REQUESTS[name])
    monkeypatch.setattr(fast_routes, "route_of", lambda *_: None)
    slow = await asked(table, **REQUESTS[name])

    for quick in (fast, straight):
        assert (quick.status_code, quick.content) == (slow.status_code, slow.content)
        assert told(quick) == told(slow)


ORDER: Final = order_of(2)
ORDERS: Final[dict[str, dict[str, Any]]] = {
    "created": {},
    "created, in MessagePack": {"accept": MSGPACK},
    "created, in a tournament": {"body": {**ORDER, "tournament": "cup"}},
    "with a slash behind": {"path": "/v1/matches/"},
    "from another origin": {"origin": "https://there.test"},
    "nobody": {"authorization": ""},
    "a forged token": {"authorization": "Bearer x.y.z"},
    "no organizer": {"authorization": "seat"},
    "a parameter that is not known": {"query": "?seat=0"},
    "malformed key": {"idempotency-key": "a b"},
    "key of another order": {"idempotency-key": "one", "body": {**ORDER, "public": True}},
    "no media type": {"content-type": ""},
    "too large": {"body": b"x" * 70_000},
    "no JSON": {"body": b"{"},
    "no such game": {"body": {**ORDER, "game": "chess"}},
    "every field wrong": {"body": {"game": 1, "seats": [{}], "round": "x"}},
    "a seat too few": {"body": order_of(1)},
    "an id that is taken": {"body": {**ORDER, "match": "taken"}},
}


@pytest.mark.parametrize("name", ORDERS)
async def test_creates_as_the_framework_would(
    table: Table, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Status, headers and body likewise; of two new matches, all but what each has of its own."""
    sent = {"path": "/v1/matches", "body": ORDER, "authorization": f"Bearer {ORGANIZER}"}
    if (asks := sent | ORDERS[name])["authorization"] == "seat":
        asks["authorization"] = f"Bearer {table.tokens[0]}"
    await table.api.post("/v1/matches", ORDER, ORGANIZER, idempotency_key="one")
    await table.api.post("/v1/matches", {**ORDER, "match": "taken"}, ORGANIZER)

    fast = await asked(table, **asks)
    monkeypatch.setattr(fast_routes, "route_of", lambda *_: None)
    slow = await asked(table, **asks)

    assert fast.status_code == slow.status_code
    if fast.status_code == 201:
        assert shape(fast) == shape(slow)
    else:
        assert (fast.content, told(fast)) == (slow.content, told(slow))


STREAMS: Final[dict[str, dict[str, str]]] = {
    "nobody": {"authorization": ""},
    "a forged token": {"authorization": "Bearer x.y.z"},
    "no bearer": {"authorization": "Basic eA=="},
    "a parameter that is not known": {"query": "?afetr=1"},
    "and nobody": {"query": "?afetr=1", "authorization": ""},
    "and a forged token": {"query": "?afetr=1", "authorization": "Bearer x.y.z"},
    "a parameter twice": {"query": "?after=1&after=2"},
    "no number": {"query": "?limit=x"},
    "a number out of range": {"query": "?limit=501"},
    "several faults": {"query": "?limit=0&after=1&after=2&x=%ff"},
    "no such match": {"path": "/v1/matches/none/events"},
    "no id of a match": {"path": "/v1/matches/a.b/events"},
    "with slashes": {"path": "//v1//matches/none/events/"},
    "another resource": {"path": "/v1/matches/none/event"},
    "from another origin": {"path": "/v1/matches/none/events", "origin": "https://there.test"},
}


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("name", STREAMS)
async def test_refuses_a_stream_as_the_framework_refuses_a_list(
    table: Table, method: str, name: str
) -> None:
    """Only `Accept` tells the two apart, and the framework sees no stream."""
    headers = {"authorization": f"Bearer {table.tokens[0]}"} | STREAMS[name]
    path = headers.pop("path", f"{table.path}/events") + headers.pop("query", "")
    headers = {header: value for header, value in headers.items() if value}
    fast, slow = [
        await table.api.http.request(method, path, headers={**headers, "accept": accept})
        for accept in ("text/event-stream", "application/json")
    ]
    assert 400 <= fast.status_code == slow.status_code < 500
    assert (fast.content, told(fast)) == (slow.content, told(slow))
    assert fast.headers.get("vary") == slow.headers.get("vary")


def shape(made: httpx.Response) -> tuple[dict[str, str], Any]:
    """An answer that created a match, its id, tokens and digests left out."""
    packed = made.headers["content-type"] == MSGPACK
    body = msgspec.msgpack.decode(made.content) if packed else made.json()
    headers = told(made) | {"location": made.headers["location"].replace(body["match"], "")}
    names = [*body, *(list(seat) for seat in body["seats"])]
    same = {name: body[name] for name in ("game", "ruleset", "version")}
    return headers, (names, same)


async def asked(
    table: Table, *, body: Any = PLACE, query: str = "", path: str = "", **headers: str
) -> httpx.Response:
    """The answer to a command of seat 0, or another POST; an empty header is none."""
    sent = {"authorization": f"Bearer {table.tokens[0]}", "content-type": "application/json"}
    sent = {name: value for name, value in (sent | headers).items() if value}
    content = {"content": body} if isinstance(body, bytes) else {"json": body}
    path = path or f"{table.path}/commands"
    return await table.api.http.post(path + query, headers=sent, **content)


def told(answer: httpx.Response) -> dict[str, str]:
    """Its headers, but for its own id and time, and what is said to caches: they keep no POST's."""
    own = ("x-request-id", "referee-time", "vary")
    return {name: value for name, value in answer.headers.items() if name not in own}
