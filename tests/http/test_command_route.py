"""The fast route of commands: what it answers is what the framework would."""

from __future__ import annotations

from typing import Any, Final

import httpx
import pytest

from referee.http import command_route
from tests.clients import ORGANIZER
from tests.http.site import Table

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
    "with a slash behind": {"path": "/commands/", "idempotency-key": "one"},
}


@pytest.mark.parametrize("name", REQUESTS)
async def test_answers_as_the_framework_would(
    table: Table, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Status, headers and body, of what is accepted and of every way to fail."""
    await table.play(0, PLACE, idempotency_key="one")

    fast = await asked(table, **REQUESTS[name])
    monkeypatch.setattr(command_route, "match_in", lambda _: None)
    slow = await asked(table, **REQUESTS[name])

    assert (fast.status_code, fast.content) == (slow.status_code, slow.content)
    assert told(fast) == told(slow)


async def asked(
    table: Table, *, body: Any = PLACE, query: str = "", path: str = "/commands", **headers: str
) -> httpx.Response:
    """The answer to a command of seat 0; an empty header is none."""
    sent = {"authorization": f"Bearer {table.tokens[0]}", "content-type": "application/json"}
    sent = {name: value for name, value in (sent | headers).items() if value}
    content = {"content": body} if isinstance(body, bytes) else {"json": body}
    return await table.api.http.post(table.path + path + query, headers=sent, **content)


def told(answer: httpx.Response) -> dict[str, str]:
    """Its headers, but for its own id and time, and what is said to caches: they keep no POST's."""
    own = ("x-request-id", "referee-time", "vary")
    return {name: value for name, value in answer.headers.items() if name not in own}
