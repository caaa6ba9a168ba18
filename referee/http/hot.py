"""``POST /v1/matches/{match}/commands``: the one route on which much depends on speed.

The front door hands its requests over before the framework sees them, for the framework's own
handling costs more than judging and storing a command do. What it takes and answers, and how it
fails, is what the other routes would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from litestar.exceptions import MethodNotAllowedException

from referee.http.site import Site
from referee.http.trace import current
from referee.http.wire import (
    JSON,
    MSGPACK,
    Query,
    encode,
    headers_of,
    idempotency_key,
    if_match,
    read_body,
    wants_msgpack,
)

if TYPE_CHECKING:
    from litestar.types import Receive, Scope, Send

PATH: Final = "/v1/matches/{match}/commands"
_BEFORE, _AFTER = PATH.split("{match}")
_ALLOW: Final = "OPTIONS, POST"
_JSON_TYPE: Final = (b"content-type", JSON.encode())
_MSGPACK_TYPE: Final = (b"content-type", MSGPACK.encode())


def match_in(path: str) -> str | None:
    """The match to which a path of commands leads; None for any other path."""
    if not path.startswith(_BEFORE) or not path.endswith(_AFTER):
        return None
    match = path[len(_BEFORE) : -len(_AFTER)]
    return None if "/" in match or not match else match


async def take_command(site: Site, match: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request to the path of a match's commands.

    Raises what there is to answer as a problem.
    """
    raw: Any = scope
    if raw["method"] != "POST":
        await _other_method(raw["method"], send)
        return
    headers = headers_of(raw["headers"])
    trace = current()
    trace.match = match
    bearer = site.tokens.read(headers.get(b"authorization"))
    query = raw["query_string"]
    seat = Query(query).integer("seat") if query else None
    if bearer is not None:
        trace.seat = bearer.seat if seat is None else seat
    expected, key = if_match(headers), idempotency_key(headers)
    body = await read_body(headers, receive)
    accepted = await site.service.command(
        match, bearer, body, seat=seat, expected=expected, key=key
    )
    trace.version = accepted.version
    msgpack = wants_msgpack(headers)
    data = encode(accepted, msgpack=msgpack)
    fields = [_MSGPACK_TYPE if msgpack else _JSON_TYPE, (b"content-length", b"%d" % len(data))]
    start: Any = {"type": "http.response.start", "status": 200, "headers": fields}
    await send(start)
    await send({"type": "http.response.body", "body": data, "more_body": False})


async def _other_method(method: str, send: Send) -> None:
    if method != "OPTIONS":
        raise MethodNotAllowedException(headers={"allow": _ALLOW})
    fields = [(b"allow", _ALLOW.encode())]
    start: Any = {"type": "http.response.start", "status": 204, "headers": fields}
    await send(start)
    await send({"type": "http.response.body", "body": b"", "more_body": False})
