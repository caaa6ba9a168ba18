"""Server-sent events: ``GET /v1/matches/{match}/events`` for who wants ``text/event-stream``."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Final

from litestar import Response

from referee.http.live import (
    LAST_S,
    Live,
    News,
    Place,
    Reader,
    holder_of,
    place_in,
)
from referee.http.negotiation import Query, headers_of
from referee.http.tokens import Tokens
from referee.http.trace import current

if TYPE_CHECKING:
    from litestar.types import Receive, Scope, Send

EVENT_STREAM: Final = "text/event-stream"
HEAD_ASKED: Final = "referee.head"
"""Set in the scope of a HEAD request that is served as a GET."""

_HEADERS: Final = [
    (b"content-type", EVENT_STREAM.encode()),
    (b"cache-control", b"no-store"),
    (b"vary", b"Authorization, Accept"),
    (b"x-accel-buffering", b"no"),
]
_BEGINNING: Final = Place(0)
_RETRY: Final = b"retry: 1000\n"
"""How long a browser waits, in ms, before it comes back."""
_QUIET: Final = b": still here\n\n"


class EventStream(Response[Any]):
    """The answer that goes on until the match is over."""

    def __init__(self, live: Live, tokens: Tokens, match: str) -> None:
        super().__init__(None)
        self._live = live
        self._tokens = tokens
        self._match = match

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        """What the framework calls to send it."""
        return self._serve

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw: Any = scope
        headers, query = headers_of(raw["headers"]), Query(raw["query_string"])
        place = place_in(headers, query)
        holder = holder_of(self._tokens, headers, query)
        if holder is not None:
            current().seat = holder.bearer.seat
        # Without a place it begins with the first commit, as the same address without a stream.
        reader = await self._live.reader(self._match, holder, place or _BEGINNING)
        # A browser comes back for ever, unless it is told that there is nothing any more.
        nothing = reader.all_told and b"last-event-id" in headers
        start: Any = {
            "type": "http.response.start",
            "status": 204 if nothing else 200,
            "headers": list(_HEADERS),
        }
        if nothing or raw.get(HEAD_ASKED):
            await reader.aclose()
            await send(start)
            await send(_last(b""))
        else:
            await self._stream(reader, start, receive, send)

    async def _stream(self, reader: Reader, start: Any, receive: Receive, send: Send) -> None:
        listening = asyncio.ensure_future(_listen(reader, receive))
        try:
            reason = await self._live.keep(reader, "sse", _tell(reader, start, send))
        finally:
            listening.cancel()
        if reason != "left":
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LAST_S):
                    await send(_last(b": ended: %s\n\n" % reason.encode()))


async def _listen(reader: Reader, receive: Receive) -> None:
    """Wait until the reader goes away."""
    while (await receive())["type"] != "http.disconnect":
        pass
    reader.stop("left")


async def _tell(reader: Reader, start: Any, send: Send) -> None:
    await send(start)
    await send(_part(b": live\n\n"))
    reader.heartbeat = lambda: send(_part(_QUIET))
    retry = _RETRY
    while True:
        news = await reader.next()
        await reader.say(send(_part(_message(news, retry))))
        retry = b""


def _message(news: News, retry: bytes) -> bytes:
    head = b"id: %s\nevent: %s\n" % (news.id.encode(), news.event.encode())
    return b"%b%bdata: %b\n\n" % (head, retry, news.data)


def _part(data: bytes) -> Any:
    return {"type": "http.response.body", "body": data, "more_body": True}


def _last(data: bytes) -> Any:
    return {"type": "http.response.body", "body": data, "more_body": False}
