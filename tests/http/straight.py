"""The application behind the server's own protocol, in this process; requests to it in parts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import Any, Final

import httpx
from uvicorn.server import ServerState

from referee.http.middleware import Middleware
from referee.serving.connections import HttpProtocol
from referee.serving.server import Server

END: Final = b"\r\n\r\n"
Hear = Callable[[HttpProtocol], None]


class Line:
    """A client's connection: `send` and `answer`; and how much the server has read on it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader: Final = reader
        self.writer: Final = writer
        self.read: Final = asyncio.Queue[int]()

    async def send(self, *parts: bytes) -> None:
        """Send parts, each when the server has read what went before it."""
        for part in parts:
            self.writer.write(part)
            missing = len(part)
            while missing > 0:
                missing -= await self.read.get()

    async def answer(self) -> httpx.Response:
        """The next answer."""
        head = await self.reader.readuntil(END)
        line, *fields = head.removesuffix(END).split(b"\r\n")
        headers = [(name, value) for name, _, value in (field.partition(b": ") for field in fields)]
        length = int(dict(headers).get(b"content-length", 0))
        content = await self.reader.readexactly(length)
        return httpx.Response(int(line.split()[1]), headers=headers, content=content)


@contextlib.asynccontextmanager
async def connected(front: Middleware, heard: Hear = lambda _: None) -> AsyncGenerator[Line]:
    """A connection to an application that was started, behind the server's protocol.

    `heard` is told of the server's end each time that it has read something.
    """
    config = Server(front, lambda: None).config
    config.date_header = False
    config.load()
    state, lines = ServerState(), list[Line]()

    class Telling(HttpProtocol):
        """The server's own, which tells what it has read."""

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            heard(self)
            lines[0].read.put_nowait(len(data))

    server = await asyncio.get_running_loop().create_server(
        lambda: Telling(config, state, app_state={}), "127.0.0.1", 0
    )
    async with server:
        line = Line(*await asyncio.open_connection(*server.sockets[0].getsockname()))
        lines.append(line)
        try:
            yield line
        finally:
            line.writer.close()
            with contextlib.suppress(OSError):
                await line.writer.wait_closed()


class Straight(httpx.AsyncBaseTransport):
    """Sends commands to the server's protocol, each in one write; all else to the application."""

    def __init__(self, front: Middleware) -> None:
        inside: Any = front  # litestar's types are not httpx's
        self._front = front
        self._else: Final = httpx.ASGITransport(inside)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer to a request."""
        if not request.url.path.rstrip("/").endswith("/commands"):
            return await self._else.handle_async_request(request)
        async with connected(self._front) as line:
            await line.send(as_sent(request, await request.aread()))
            return await line.answer()


def as_sent(request: httpx.Request, body: bytes) -> bytes:
    """A request as a client sends it in one piece."""
    head = [b"%b %b HTTP/1.1" % (request.method.encode(), request.url.raw_path)]
    head += [b"%b: %b" % pair for pair in request.headers.raw]
    if "transfer-encoding" in request.headers:
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    return b"\r\n".join(head) + END + body
