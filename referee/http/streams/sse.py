"""Server-sent events: `GET /v1/matches/{match}/events` for who wants `text/event-stream`.

The middleware hands these requests over before the framework sees them: through that a reader who
comes back costs half as much again, and thousands may come at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from litestar.utils import normalize_path

from referee.http.negotiation import Headers, text_of, wants
from referee.http.parameters import Judge, any_text, read_query, whole
from referee.http.streams.places import holder_of, place_in
from referee.service.following import LAST_S, Follower, Following, News, Reason

if TYPE_CHECKING:
    from litestar.types import Receive, Send

    from referee.http.context import Site
    from referee.http.logs import Trace

EVENT_STREAM: Final = "text/event-stream"
TEMPLATE: Final = "/v1/matches/{match}/events"
WRITE: Final = "referee.write"
"""The extension by which a server takes an answer, or part of one, without being waited for."""
Write = Callable[[bytes], bool]
"""Writes to a client at once; False, and nothing written, where that does not keep up."""
WhenGone = Callable[[Callable[[], None] | None], None]
"""Calls somebody, or nobody any more, when the client has gone."""

_PATH: Final = re.compile(TEMPLATE.replace("{match}", "([^/]+)"))
_QUERY: Final[dict[str, Judge]] = {
    "after": any_text, "limit": partial(whole, least=1, most=500), "access_token": any_text,
}  # fmt: skip
_HEADERS: Final = [
    (b"content-type", EVENT_STREAM.encode()),
    (b"cache-control", b"no-store"),
    (b"vary", b"Authorization, Accept"),
    (b"x-accel-buffering", b"no"),
]
_RETRY: Final = b"retry: 1000\n"
"""How long a browser waits, in ms, before it comes back."""
_RETRIES_MS: Final = (1000, 5000)
"""The same where many are sent away at once: somewhere between."""


def match_in(method: str, path: str, headers: Headers) -> str | None:
    """The match of which a request wants an event stream; None for any other request."""
    if method not in ("GET", "HEAD") or not wants(headers, EVENT_STREAM):
        return None
    found = _PATH.fullmatch(normalize_path(path))
    return None if found is None else found[1]


async def begin(site: Site, trace: Trace, headers: Headers, query: bytes) -> EventStream:
    """The stream that a request wants.

    Raises:
        Unauthorized, UnknownMatch: about who asks.
        BadRequest: a parameter is not what it may be.
        Leaving, Unserved, StoreAway: it cannot be served now.
    """
    site.tokens.read(headers.get(b"authorization"))
    asked = read_query(query, _QUERY)
    last_event_id = text_of(headers, b"last-event-id")
    place = place_in(last_event_id, asked.get("after", "0"))
    bearer, until = holder_of(site.tokens, headers, asked.get("access_token"))
    follower = await site.following.follow(trace.match or "", bearer, place, until=until)
    return EventStream(site.following, follower, resumed=last_event_id is not None)


class EventStream:
    """The answer that goes on until the match is over.

    Args:
        following: who follow matches here.
        follower: one that has begun.
        resumed: whether the client says what it has seen already.
    """

    __slots__ = ("_follower", "_following", "_resumed", "_send", "_write")

    def __init__(self, following: Following, follower: Follower, *, resumed: bool) -> None:
        self._following = following
        self._follower = follower
        self._resumed = resumed

    async def serve(self, scope: Any, receive: Receive, send: Send) -> None:
        """Send it, to the stream's end."""
        follower = self._follower
        # A browser comes back for ever, unless it is told that there is nothing any more.
        nothing = self._resumed and follower.all_told
        if nothing or scope.get("method") == "HEAD":
            await follower.aclose()
            await send(_start(204 if nothing else 200))
            await send(_last(b""))
            return
        server = scope.get("extensions", {}).get(WRITE, {})
        self._send = send
        self._write: Write | None = server.get("write")
        listening = _hear(follower, receive, server.get("when_gone"))
        try:
            reason = await self._following.keep(follower, "sse", self._tell())
        finally:
            listening()
        if reason != "left":
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LAST_S):
                    await send(_last(_farewell(reason)))

    async def _tell(self) -> None:
        follower = self._follower
        await self._send(_start(200))
        follower.tell = self._told
        await follower.say(self._send(_part(_message(await follower.next(), _RETRY))))
        if self._write is not None:
            follower.write_by(self._write, _message)
        while True:
            some = await follower.some()
            await follower.say(self._send(_part(b"".join(each.form(_message) for each in some))))

    def _told(self, news: News) -> Awaitable[None]:
        return self._send(_part(news.form(_message)))


def _hear(follower: Follower, receive: Receive, when_gone: WhenGone | None) -> Callable[[], object]:
    """Stop when the reader goes away, which the server tells, or else is waited for.

    Returns what ends the waiting.
    """
    if when_gone is None:
        return asyncio.ensure_future(_listen(follower, receive)).cancel
    when_gone(partial(follower.stop, "left"))
    return partial(when_gone, None)


def _farewell(reason: Reason) -> bytes:
    retry = b"retry: %d\n" % random.randint(*_RETRIES_MS) if reason == "drained" else b""  # noqa: S311
    return b"%b: ended: %s\n\n" % (retry, reason.encode())


async def _listen(follower: Follower, receive: Receive) -> None:
    """Wait until the reader goes away."""
    while (await receive())["type"] != "http.disconnect":
        pass
    follower.stop("left")


def _message(news: News, retry: bytes = b"") -> bytes:
    head = b"id: %s\n" % news.id.encode() if news.id else b""
    return b"%bevent: %s\n%bdata: %b\n\n" % (head, news.event.encode(), retry, news.data)


def _start(status: int) -> Any:
    return {"type": "http.response.start", "status": status, "headers": list(_HEADERS)}


def _part(data: bytes) -> Any:
    return {"type": "http.response.body", "body": data, "more_body": True}


def _last(data: bytes) -> Any:
    return {"type": "http.response.body", "body": data, "more_body": False}
