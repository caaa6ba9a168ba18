"""The two fast routes: commands, and creating matches, served before the framework sees them.

Through the framework a command costs its process 1.6 times as much, a creation 1.3 times. So the
middleware hands these requests over here. What they are answered is what the routes' handlers,
`routes.play.send_command` and `routes.matches.create_match`, would answer; a test sends the same
requests both ways.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from referee.http.negotiation import Headers, idempotency_key, if_match, read_body, text_of
from referee.http.parameters import read_query, whole, whole_number
from referee.http.responses import MATCHES
from referee.http.routes.matches import new_match

if TYPE_CHECKING:
    from litestar.types import Receive

    from referee.http.context import Site
    from referee.http.logs import Trace

COMMANDS: Final = f"{MATCHES}/{{match}}/commands"
_BEFORE, _AFTER = COMMANDS.split("{match}")
_QUERY: Final = {"seat": whole}


class Taken(NamedTuple):
    """An answer: its status, what headers it has of its own, and a value to be encoded."""

    status: int
    headers: list[tuple[bytes, bytes]]
    value: Any


class FastRoute(NamedTuple):
    """A route's template, and what takes its requests; it raises what is answered as a problem."""

    template: str
    take: Callable[[Site, Trace, Headers, bytes, Receive], Awaitable[Taken]]


def route_of(path: str, trace: Trace) -> FastRoute | None:
    """The route of a POST to this path, with the match that it names noted; None for others."""
    if path[-1:] == "/":
        path = path.rstrip("/")  # as the framework does
    if path == MATCHES:
        return _CREATING
    if not path.endswith(_AFTER) or not path.startswith(_BEFORE):
        return None
    match = path[len(_BEFORE) : -len(_AFTER)]
    if "/" in match or not match:
        return None
    trace.match = match
    return _COMMANDING


async def _take_command(
    site: Site, trace: Trace, headers: Headers, query: bytes, receive: Receive
) -> Taken:
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
    return Taken(200, [], accepted)


async def _create_match(
    site: Site, trace: Trace, headers: Headers, query: bytes, receive: Receive
) -> Taken:
    bearer = site.tokens.must(headers.get(b"authorization"))
    trace.seat = bearer.seat
    read_query(query, {})
    body = await read_body(headers, receive)
    made = await new_match(site, bearer, body, text_of(headers, b"idempotency-key"))
    trace.match, trace.version = made.match, made.version
    return Taken(201, [(b"location", made.path.encode())], made)


_COMMANDING: Final = FastRoute(COMMANDS, _take_command)
_CREATING: Final = FastRoute(MATCHES, _create_match)
