"""``POST /v1/matches/{match}/commands``: the one route on which much depends on speed.

The front door hands its requests over before the framework sees them, for the framework's own
handling costs more than judging and storing a command do. What it takes and answers, and how it
fails, is what the other routes would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from referee.http.context import Site
from referee.http.negotiation import (
    Headers,
    Query,
    encode,
    idempotency_key,
    if_match,
    read_body,
    wants_msgpack,
)
from referee.http.trace import current

if TYPE_CHECKING:
    from litestar.types import Receive

PATH: Final = "/v1/matches/{match}/commands"
ALLOW: Final = "OPTIONS, POST"
_BEFORE, _AFTER = PATH.split("{match}")


def match_in(path: str) -> str | None:
    """The match to which a path of commands leads; None for any other path."""
    if path[-1:] == "/":
        path = path.rstrip("/")  # as the framework does
    if not path.endswith(_AFTER) or not path.startswith(_BEFORE):
        return None
    match = path[len(_BEFORE) : -len(_AFTER)]
    return None if "/" in match or not match else match


async def take_command(
    site: Site, match: str, headers: Headers, query: bytes, receive: Receive
) -> tuple[bytes, bool]:
    """The answer to a command: its bytes, and whether they are MessagePack.

    Raises what there is to answer as a problem.
    """
    trace = current()
    trace.match = match
    bearer = site.tokens.must(headers.get(b"authorization"))
    seat = Query(query).integer("seat") if query else None
    trace.seat = bearer.seat if seat is None else seat
    expected, key = if_match(headers), idempotency_key(headers)
    body = await read_body(headers, receive)
    accepted = await site.service.command(
        match, bearer, body, seat=seat, expected=expected, key=key
    )
    trace.version = accepted.version
    msgpack = wants_msgpack(headers)
    return encode(accepted, msgpack=msgpack), msgpack
