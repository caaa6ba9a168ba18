"""Slow, silent and vanished clients: what uvicorn does for their connections, and does not."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

PATIENCE_S: Final = 20.0
"""Seconds for a request to arrive whole."""
LOOK_S: Final = 5.0
"""Seconds between two looks whether it has."""
UNHEARD_MS: Final = 30_000
"""How long a client may leave what was sent to it unacknowledged before it counts as gone."""
_ANSWER: Final = b"HTTP/1."
_KEEPALIVE: Final = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}


def notice_the_gone(listening: socket.socket) -> None:
    """Let the system find out which clients are gone without a word; connections inherit it."""
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    options = {**_KEEPALIVE, "TCP_USER_TIMEOUT": UNHEARD_MS}
    for name, value in options.items():
        if hasattr(socket, name):  # not every system has each
            listening.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class _OneWrite:
    """A transport that sends an answer's head together with the first of its body.

    uvicorn hands over the two one after the other, and each write is a call of the system: on a
    short answer the second costs more than judging the command did. A head whose body does not
    follow at once (a stream's) leaves with the event loop's next turn.
    """

    __slots__ = ("_head", "_loop", "_transport")

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head = b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send bytes; a head waits for what follows."""
        head = self._head
        if head:
            self._head = b""
            self._transport.write(head + data)
        elif data.startswith(_ANSWER):
            self._head = data
            self._loop.call_soon(self._flush)
        else:
            self._transport.write(data)

    def close(self) -> None:
        """Send what waits, and close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        head, self._head = self._head, b""
        if head:
            self._transport.write(head)


class HttpProtocol(HttpToolsProtocol):
    """uvicorn's HTTP, which answers in one write, and does not wait for ever for a request."""

    _since: float | None = None
    _looking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A client has come, to ask something."""
        super().connection_made(cast("asyncio.Transport", _OneWrite(transport, self.loop)))
        self._since = self.loop.time()
        self._looking = self.loop.call_later(LOOK_S, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        if self._looking is not None:
            self._looking.cancel()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._since = self.loop.time()
        super().on_message_begin()

    def on_message_complete(self) -> None:
        """It has arrived whole."""
        self._since = None
        super().on_message_complete()

    def _look(self) -> None:
        now = self.loop.time()
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return
        if self._since is not None and now - self._since > PATIENCE_S:
            self.transport.abort()
        else:
            self._looking = self.loop.call_later(LOOK_S, self._look)


class SocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSockets, which reads no more while its client does not read.

    Each ping is answered at once: from a client that only sends them the answers would gather
    in memory without end.
    """

    def pause_writing(self) -> None:
        """Too much waits to be sent."""
        super().pause_writing()
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        """Enough of it has been sent."""
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()
