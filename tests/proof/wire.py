"""A client of HTTP as small as can be: a hundred thousand requests are not to take an hour."""

from __future__ import annotations

import asyncio
from typing import Any, Final
from urllib.parse import urlsplit

import msgpack  # type: ignore[import-untyped]
import msgspec
from msgspec import Struct

BREAK: Final = b"\r\n"
JSON: Final = "application/json"
MSGPACK: Final = "application/msgpack"


class Got(Struct, frozen=True):
    """An answer: its status, its header lines as they came, names in lower case, and its body."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        """The first header of that name."""
        return next((value for this, value in self.headers if this == name), None)

    def plain(self) -> Any:
        """The body, read in the form in which it came."""
        packed = self.header("content-type") == MSGPACK
        return msgpack.unpackb(self.body) if packed else msgspec.json.decode(self.body)


class Lines:
    """Connections that are kept open, one to each service: for one request after another.

    `packed`: in MessagePack, else in JSON.
    """

    def __init__(self, *, packed: bool = False) -> None:
        self._packed = packed
        self._open: dict[str, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}

    async def ask(self, method: str, url: str, headers: dict[str, str], body: Any = None) -> Got:
        """The answer to a request.

        Raises:
            OSError, EOFError, ValueError: there is none, or a part of one.
            TimeoutError: it does not come.
        """
        parts = urlsplit(url)
        encode, kind = (msgpack.packb, MSGPACK) if self._packed else (msgspec.json.encode, JSON)
        data = b"" if body is None else encode(body)
        lines = [f"{method} {url.removeprefix(f'http://{parts.netloc}')} HTTP/1.1"]
        lines += [
            f"Host: {parts.netloc}",
            f"Content-Length: {len(data)}",
            f"Content-Type: {kind}",
            f"Accept: {kind}",
        ]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        try:
            reader, writer = await self._line(parts.netloc)
            writer.write("\r\n".join([*lines, "", ""]).encode() + data)
            async with asyncio.timeout(20):
                return await read(reader, method)
        except BaseException:
            self._drop(parts.netloc)
            raise

    async def _line(self, netloc: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if netloc not in self._open:
            host, _, port = netloc.partition(":")
            self._open[netloc] = await asyncio.open_connection(host, int(port), limit=1 << 22)
        return self._open[netloc]

    def _drop(self, netloc: str) -> None:
        _, writer = self._open.pop(netloc, (None, None))
        if writer is not None:
            writer.transport.abort()

    def close(self) -> None:
        """End all connections."""
        for netloc in list(self._open):
            self._drop(netloc)


async def read(reader: asyncio.StreamReader, method: str) -> Got:
    """One answer. Raises what `Lines.ask` raises."""
    head = (await reader.readuntil(BREAK * 2)).decode("latin-1").split("\r\n")
    pairs = [line.partition(":") for line in head[1:] if line]
    headers = [(name.lower(), value.strip()) for name, _, value in pairs]
    length = next((int(value) for name, value in headers if name == "content-length"), 0)
    status = int(head[0].split()[1])
    bare = method == "HEAD" or status in {204, 304}
    return Got(status, headers, b"" if bare else await reader.readexactly(length))
