"""Connections of clients who do not keep to their part: half open, half said, half read."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

PATIENCE_S: Final = 20.0
"""Seconds for a request to arrive whole."""
LOOK_S: Final = 5.0
"""Seconds between two looks whether it has."""
UNHEARD_MS: Final = 30_000
"""How long a client may leave what was sent to it unacknowledged before it counts as gone."""
_KEEPALIVE: Final = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}


def notice_the_gone(listening: socket.socket) -> None:
    """Let the system find out which clients are gone without a word; connections inherit it."""
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    options = {**_KEEPALIVE, "TCP_USER_TIMEOUT": UNHEARD_MS}
    for name, value in options.items():
        if hasattr(socket, name):  # not every system has each
            listening.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class HttpProtocol(HttpToolsProtocol):
    """uvicorn's HTTP, which does not wait for ever for the rest of a request."""

    _since: float | None = None
    _looking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A client has come, to ask something."""
        super().connection_made(transport)
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
