"""A load of HTTP clients in one event loop, each on its own connection, keep-alive.

It sends prepared bytes and reads just enough of the answer to know its status and its end, so
that it costs a fraction of what any server costs.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from msgspec import Struct

_LENGTH: Final = b"content-length:"


class Load(Struct, frozen=True):
    """What a load measured: answers by status, seconds, and each answer's delay in seconds."""

    statuses: dict[int, int]
    seconds: float
    delays: list[float]

    @property
    def accepted(self) -> int:
        """How many answers were 200 or 201."""
        return self.statuses.get(200, 0) + self.statuses.get(201, 0)

    @property
    def per_second(self) -> float:
        """Accepted answers a second."""
        return self.accepted / self.seconds

    def delay_ms(self, share: float) -> float:
        """The delay in ms below which this share (0..1) of the answers came."""
        ordered = sorted(self.delays)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class _Client(asyncio.Protocol):
    """One connection: requests one after another until there are none, or time is up."""

    def __init__(self, requests: Iterator[bytes], until: float) -> None:
        self._requests, self._until = requests, until
        self._buffer = bytearray()
        self.statuses: dict[int, int] = {}
        self.delays: list[float] = []
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 -- what a TCP connection has
        self._transport = transport
        self._send()

    def _send(self) -> None:
        request = next(self._requests, None)
        self._sent = time.perf_counter()
        if request is None or self._sent >= self._until:
            self._transport.close()
        else:
            self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        start = self._buffer.lower().find(_LENGTH, 0, head) + len(_LENGTH)
        length = int(self._buffer[start : self._buffer.find(b"\r", start)])
        if len(self._buffer) < head + 4 + length:
            return
        status = int(self._buffer[9:12])
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.delays.append(time.perf_counter() - self._sent)
        self._buffer.clear()
        self._send()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 -- asyncio's own
        if not self.done.done():
            self.done.set_result(None)


def _same(client: _Client) -> _Client:
    return client


async def _drive(port: int, clients: Iterable[Iterator[bytes]], seconds: float) -> Load:
    loop = asyncio.get_running_loop()
    started = time.perf_counter()
    protocols: list[_Client] = []
    for own in clients:
        client = _Client(own, started + seconds)
        await loop.create_connection(partial(_same, client), "127.0.0.1", port)
        protocols.append(client)
    await asyncio.gather(*(client.done for client in protocols))
    took = time.perf_counter() - started
    statuses: dict[int, int] = {}
    for client in protocols:
        for status, count in client.statuses.items():
            statuses[status] = statuses.get(status, 0) + count
    return Load(statuses, took, [delay for client in protocols for delay in client.delays])


def drive(port: int, clients: Iterable[Iterator[bytes]], seconds: float) -> Load:
    """Let each client send its requests to 127.0.0.1:`port` for at most `seconds`."""
    return asyncio.run(_drive(port, clients, seconds))


def request(method: str, path: str, token: str, body: bytes = b"") -> bytes:
    """The bytes of one HTTP/1.1 request with a JSON body."""
    return (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body
