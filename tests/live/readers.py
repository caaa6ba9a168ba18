"""Who watches a match: a client of event streams that hides nothing of what came.

It speaks HTTP by itself, so that a test may stop reading, or vanish, as clients do.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct
from websockets.asyncio.client import ClientConnection

WAIT_S: Final = 60.0


class Message(Struct, frozen=True):
    """One message of an event stream; a comment has only `comment`, the time no id."""

    id: str = ""
    event: str = ""
    data: Any = None
    comment: str = ""

    @property
    def version(self) -> int:
        """The version that it is about."""
        return int(self.data["version"])


class Listener:
    """One open event stream."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._text = b""
        self.status = 0
        self.headers: dict[str, str] = {}
        self.comments: list[str] = []
        self.retry = ""
        """When to come back, as was last said."""

    async def open(self, host: str, path: str, headers: dict[str, str]) -> None:
        """Ask for the stream and read the head of the answer."""
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Accept: text/event-stream"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._writer.write("\r\n".join([*lines, "", ""]).encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        self.status = int(head[0].split()[1])
        pairs = (line.partition(": ") for line in head[1:] if line)
        self.headers = {name.lower(): value for name, _, value in pairs}

    async def _more(self) -> bool:
        """Read one chunk; whether there was one."""
        if self.headers.get("transfer-encoding") != "chunked":
            return False
        size = int(await self._reader.readuntil(b"\r\n"), 16)
        chunk = await self._reader.readexactly(size + 2)
        self._text += chunk[:-2]
        return size > 0

    async def any(self) -> Message | None:
        """The next message or comment; None at the stream's proper end.

        Raises `asyncio.IncompleteReadError` or `OSError` where it was cut.
        """
        async with asyncio.timeout(WAIT_S):
            while b"\n\n" not in self._text:
                if not await self._more():
                    assert self._text == b""
                    return None
        block, _, self._text = self._text.partition(b"\n\n")
        fields = {n: v for n, _, v in (line.partition(":") for line in block.decode().split("\n"))}
        self.retry = fields.get("retry", self.retry).strip()
        return _message(fields)

    async def next(self) -> Message | None:
        """The next message but for comments, which are kept, and the time."""
        while (message := await self.any()) is not None:
            if message.comment:
                self.comments.append(message.comment)
            elif message.event != "time":
                return message
        return None

    async def versions(self, count: int) -> list[int]:
        """The versions of the next so many commits."""
        messages = [await self.next() for _ in range(count)]
        assert all(one is not None and one.event == "commit" for one in messages)
        return [one.version for one in messages if one is not None]

    async def rest(self) -> list[Message]:
        """All messages up to the proper end."""
        messages = []
        while (message := await self.next()) is not None:
            messages.append(message)
        return messages

    async def problem(self) -> dict[str, Any]:
        """The body of an answer that is no stream."""
        body = await self._reader.readexactly(int(self.headers["content-length"]))
        found: dict[str, Any] = json.loads(body)
        return found

    def vanish(self) -> None:
        """End the connection without a word."""
        self._writer.transport.abort()


def _message(fields: dict[str, str]) -> Message:
    if "" in fields:
        return Message(comment=fields[""].strip())
    number = fields.get("id", "").strip()
    return Message(number, fields["event"].strip(), json.loads(fields["data"]))


@contextlib.asynccontextmanager
async def listening(
    url: str, token: str | None, *, last: str | None = None, limit: int = 1 << 16
) -> AsyncGenerator[Listener]:
    """An event stream at `url`, resumed from the message id `last`."""
    parts = urlsplit(url)
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    if last is not None:
        headers["Last-Event-ID"] = last
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=limit)
    listener = Listener(reader, writer)
    try:
        await listener.open(parts.netloc, f"{parts.path}?{parts.query}", headers)
        yield listener
    finally:
        listener.vanish()


async def received(ws: ClientConnection) -> Any:
    """The next frame of a socket but for the time."""
    while True:
        frame = json.loads(await asyncio.wait_for(ws.recv(decode=True), WAIT_S))
        if "time" not in frame:
            return frame
