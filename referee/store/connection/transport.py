"""A socket that redis-py connected and hiredis reads: bytes out, replies in, no tasks."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, cast

import hiredis
from redis.asyncio.connection import AbstractConnection

_UNFINISHED: Final = object()

# Its own types say that commands have one part.
pack: Final = cast("Callable[[tuple[str | int | bytes, ...]], bytes]", hiredis.pack_command)
"""A command's parts, name first, as bytes to send."""


class Wire(asyncio.Protocol):
    """Takes a ready connection over from redis-py.

    `on_replies` gets the replies that came in together, error replies as `hiredis.ReplyError`;
    `on_lost` the wire and the reason when the connection is gone, once.

    Raises:
        ConnectionResetError: the connection is gone already.
    """

    def __init__(
        self,
        connection: AbstractConnection,
        on_replies: Callable[[list[Any]], None],
        on_lost: Callable[["Wire", str], None],
    ) -> None:
        self._reader = hiredis.Reader(notEnoughData=_UNFINISHED)
        self._on_replies = on_replies
        self._on_lost: Callable[[Wire, str], None] | None = on_lost
        # The connection has done its work, and must not close the socket when it goes. The
        # stream writer is kept for the same reason: it would close it when nobody holds it.
        opened: Any = connection
        self._writer: Any = opened._writer  # noqa: SLF001 - redis-py has no public way to it
        opened._writer = opened._reader = None  # noqa: SLF001
        self._transport: Any = self._writer.transport
        self._transport.set_protocol(self)
        if self._transport.is_closing():
            raise ConnectionResetError("it closed the connection")

    def write(self, data: bytes) -> None:
        """Send packed commands."""
        self._transport.write(data)

    def data_received(self, data: bytes) -> None:
        """Bytes have come: hand on what replies they complete."""
        replies: list[Any] = []
        gets = self._reader.gets
        try:
            self._reader.feed(data)
            while (reply := gets()) is not _UNFINISHED:
                replies.append(reply)
        except hiredis.ProtocolError as error:
            self.cut(f"it does not speak the protocol: {error}")
            return
        if replies:
            self._on_replies(replies)

    def connection_lost(self, exc: Exception | None) -> None:
        """The other side, or the network, ended it."""
        self._end(str(exc or "it closed the connection"))

    def cut(self, reason: str) -> None:
        """End it from this side, at once."""
        self._transport.abort()
        self._end(reason)

    def _end(self, reason: str) -> None:
        on_lost, self._on_lost = self._on_lost, None
        if on_lost is not None:
            on_lost(self, reason)
