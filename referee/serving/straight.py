"""Commands straight from a connection to the service.

Most of what a server reads is a command of usual form: a request that came whole, and alone, in one
read. What a request goes through that may be anything, and may come in pieces, costs such a one
almost half of what judging it does. So it is read, taken and answered here.

Whatever is unusual about a request, it goes the ordinary way, from its first byte: `connections`,
`http.middleware`, `http.fast_routes`. It is answered alike there; tests send commands both ways.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final, NamedTuple

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from referee.http.fast_routes import COMMANDS
from referee.http.logs import CURRENT, Trace
from referee.http.middleware import (
    JSON_TYPE,
    MSGPACK_TYPE,
    Answered,
    problem_of,
    request_id,
    with_common,
)
from referee.http.negotiation import (
    Headers,
    encode,
    idempotency_key,
    if_match,
    is_msgpack,
    text_of,
    wants_msgpack,
)
from referee.http.responses import MATCHES
from referee.service import Body

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from referee.http.context import Site
    from referee.http.middleware import Middleware, RawHeaders

LARGEST: Final = 64 * 1024
"""Bytes of a request: neither its head nor its body can have too many then."""

_LINE: Final = re.compile(rb"POST (%b/([A-Za-z0-9_-]+)/commands) HTTP/1\.1\r\n" % MATCHES.encode())
_END: Final = b"\r\n\r\n"
_UNUSUAL: Final = frozenset({b"expect", b"transfer-encoding"})
"""Headers by which there is more to read than a body of a known length, or to say before it."""


class Whole(NamedTuple):
    """A request that sends a command: its path, the match in it, its headers and its body."""

    path: str
    match: str
    headers: Headers
    body: bytes


class Reader:
    """Takes requests apart by the server's own parser.

    One serves all connections: a request is there whole, or is none here.
    """

    def __init__(self) -> None:
        self._headers: list[tuple[bytes, bytes]] = []
        self._goes_on = False
        self._parser = HttpRequestParser(self)

    def on_header(self, name: bytes, value: bytes) -> None:
        """The parser has found a header."""
        self._headers.append((name.lower(), value))

    def on_message_complete(self) -> None:
        """The parser has found the end of a request: does its connection go on as it is?"""
        self._goes_on = self._parser.should_keep_alive() and not self._parser.should_upgrade()

    def read(self, data: bytes) -> Whole | None:
        """The command that a connection has read; None where it is anything else."""
        line, body = _LINE.match(data), data.partition(_END)[2]
        if line is None or not body or len(data) > LARGEST:
            return None
        self._headers.clear()
        self._goes_on = False
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            self._goes_on = False
        headers = dict(self._headers)
        if (
            self._goes_on
            and len(headers) == len(self._headers)  # none of them twice
            and headers.get(b"content-length") == b"%d" % len(body)  # and nothing stands behind it
            and _UNUSUAL.isdisjoint(headers)
        ):
            return Whole(line[1].decode(), line[2].decode(), headers, body)
        self._parser = HttpRequestParser(self)  # the old one may be in the midst of something
        return None


READER: Final = Reader()


class Unheard:
    """An event that nobody waits for: one for waiting has a queue of 760 bytes."""

    __slots__ = ()

    def set(self) -> None:
        """It has happened."""


UNHEARD: Final = Unheard()


class Exchange:
    """A request and its answer, as far as the connection must know: what uvicorn calls a cycle."""

    __slots__ = ("disconnected", "keep_alive", "response_complete", "response_started")

    message_event: Final = UNHEARD
    waiting_for_100_continue: Final = False

    def __init__(self) -> None:
        self.keep_alive = True
        self.disconnected = self.response_started = self.response_complete = False


async def serve(
    front: Middleware,
    site: Site,
    sent: Whole,
    answer: Callable[[int, RawHeaders, bytes], Awaitable[None]],
) -> None:
    """Have a command taken or refused, and say so by `answer`, given a status, headers, a body."""
    started = time.perf_counter()
    path, match, headers, data = sent
    trace = Trace(request_id(headers))
    trace.match = match
    CURRENT.set(trace)
    try:
        bearer = site.tokens.must(headers.get(b"authorization"))
        trace.seat = bearer.seat
        expected = if_match(text_of(headers, b"if-match"))
        key = idempotency_key(text_of(headers, b"idempotency-key"))
        body = Body(data, is_msgpack(headers))
        accepted = await site.service.command(match, bearer, body, expected=expected, key=key)
        trace.version = accepted.version
        packed = wants_msgpack(headers)
        status, head = 200, [MSGPACK_TYPE if packed else JSON_TYPE]
        text = encode(accepted, msgpack=packed)
    except Exception as fault:  # noqa: BLE001 - nobody else is left to answer
        status, head, text = problem_of(fault, path)
    head = with_common(head, trace, site, crosses=b"origin" in headers)
    head.append((b"content-length", b"%d" % len(text)))
    await answer(status, head, text)
    seconds = time.perf_counter() - started
    front.count(Answered("POST", COMMANDS, path, status, seconds), headers, trace)
