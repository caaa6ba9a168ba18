"""The one fast route: `POST /v1/matches/{match}/commands`, served before the framework sees it.

Through the framework a command costs its process 1.6 times as much. So the middleware hands these
requests over here. What they are answered is what the route's handler, `routes.play.send_command`,
would answer; a test sends the same requests both ways.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from referee.http.negotiation import (
    Headers,
    encode,
    idempotency_key,
    if_match,
    read_body,
    text_of,
    wants_msgpack,
)
from referee.http.parameters import read_query, whole, whole_number

if TYPE_CHECKING:
    from litestar.types import Receive

    from referee.http.context import Site
    from referee.http.logs import Trace

PATH: Final = "/v1/matches/{match}/commands"
_BEFORE, _AFTER = PATH.split("{match}")
_QUERY: Final = {"seat": whole}


def match_in(path: str) -> str | None:
    """The match to which a path of commands leads; None for any other path."""
    if path[-1:] == "/":
        path = path.rstrip("/")  # as the framework does
    if not path.endswith(_AFTER) or not path.startswith(_BEFORE):
        return None
    match = path[len(_BEFORE) : -len(_AFTER)]
    return None if "/" in match or not match else match


async def take_command(
    site: Site, trace: Trace, headers: Headers, query: bytes, receive: Receive
) -> tuple[bytes, bool]:
    """The answer to a command: its bytes, and whether they are MessagePack.

    `trace.match` names the match. Raises what there is to answer as a problem.
    """
    match = trace.match or ""
    bearer = site.tokens.must(headers.get(b"authorization"))
    seat = whole_number(read_query(query, _QUERY), "seat") if query else None
    trace.seat = bearer.seat if seat is None else seat
    expected = if_match(text_of(headers, b"if-match"))
    key = idempotency_key(text_of(headers, b"idempotency-key"))
    body = await read_body(headers, receive)
    accepted = await site.service.command(
        match, bearer, body, seat=seat, expected=expected, key=key
    )
    trace.version = accepted.version
    msgpack = wants_msgpack(headers)
    return encode(accepted, msgpack=msgpack), msgpack
