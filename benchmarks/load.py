"""A load of HTTP clients in one event loop, each on its own connection, keep-alive.

It sends prepared bytes and reads just enough of the answer to know its status and its end, so
that it costs a fraction of what any server costs. Event streams may be open meanwhile.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

_LENGTH: Final = b"content-length:"
_COMMIT: Final = re.compile(rb'id: (\S+)\nevent: commit\ndata: \{"version":(\d+),"at":(\d+)')
OPEN_S: Final = 60.0
"""Seconds for all readers to have their first messages."""
AT_ONCE: Final = 500
"""Readers that connect at once: a backlog takes some more."""


class Load(Struct, frozen=True):
    """What a load measured: answers by status, their bytes, seconds, and each answer's delay in s.

    `delivered`: messages of commits that readers got meanwhile.
    """

    statuses: dict[int, int]
    size: int
    seconds: float
    delays: list[float]
    delivered: int = 0

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
        return 1000 * quantile(self.delays, share)


def quantile(delays: Sequence[float], share: float) -> float:
    """The delay below which this share (0..1) of them lies."""
    ordered = sorted(delays)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class _Client(asyncio.Protocol):
    """One connection: requests one after another until there are none, or time is up."""

    def __init__(self, requests: Iterator[bytes], until: float) -> None:
        self._requests, self._until = requests, until
        self._buffer = bytearray()
        self.statuses: dict[int, int] = {}
        self.size = 0
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
        self.size += len(self._buffer)
        self.delays.append(time.perf_counter() - self._sent)
        self._buffer.clear()
        self._send()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 -- asyncio's own
        if not self.done.done():
            self.done.set_result(None)


class Reader(asyncio.Protocol):
    """An event stream that notes what comes, and how many ms after its commit's stamp."""

    def __init__(self, match: str, token: str) -> None:
        self._request = (
            f"GET /v1/matches/{match}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Accept: text/event-stream\r\nAuthorization: Bearer {token}\r\n"
        )
        self.versions: list[int] = []
        self.delays: list[float] = []
        self._last = ""
        self._rest = b""
        self.begun = False

    def cut(self) -> None:
        """Part at once, to come back."""
        self.transport.abort()
        self._rest = b""
        self.begun = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream, from where it was left, as a browser does."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 -- what a TCP connection has
        self.transport = transport
        at = f"Last-Event-ID: {self._last}\r\n" if self._last else ""
        transport.write(f"{self._request}{at}\r\n".encode())

    def data_received(self, data: bytes) -> None:
        """Note every commit in it."""
        now = time.time()
        whole, end, self._rest = (self._rest + data).rpartition(b"\n\n")
        self.begun = self.begun or bool(end)
        for place, version, at in _COMMIT.findall(whole + end):
            self._last = place.decode()
            self.versions.append(int(version))
            self.delays.append(1000 * now - int(at))


def _same(protocol: asyncio.Protocol) -> asyncio.Protocol:
    return protocol


async def open_streams(port: int, readers: Sequence[Reader]) -> float:
    """Let all of them connect, and wait until each has its first message: seconds."""
    loop, began = asyncio.get_running_loop(), time.perf_counter()
    for start in range(0, len(readers), AT_ONCE):
        some = readers[start : start + AT_ONCE]
        made = (loop.create_connection(partial(_same, one), "127.0.0.1", port) for one in some)
        await asyncio.gather(*made)
    async with asyncio.timeout(OPEN_S):
        while not all(reader.begun for reader in readers):  # noqa: ASYNC110 -- no event says so
            await asyncio.sleep(0.02)
    return time.perf_counter() - began


async def _drive(
    port: int,
    clients: Iterable[Iterator[bytes]],
    seconds: float,
    readers: Sequence[Reader],
    begin: Callable[[], None],
) -> Load:
    loop = asyncio.get_running_loop()
    await open_streams(port, readers)
    begin()
    before = sum(len(reader.versions) for reader in readers)
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
    for reader in readers:
        reader.transport.close()
    return Load(
        statuses,
        sum(client.size for client in protocols),
        took,
        [delay for client in protocols for delay in client.delays],
        sum(len(reader.versions) for reader in readers) - before,
    )


def drive(
    port: int,
    clients: Iterable[Iterator[bytes]],
    seconds: float,
    readers: Sequence[Reader] = (),
    begin: Callable[[], None] = lambda: None,
) -> Load:
    """Let each client send its requests to 127.0.0.1:`port` for at most `seconds`.

    `begin` is called when all readers have their first messages.
    """
    return asyncio.run(_drive(port, clients, seconds, readers, begin))


def request(method: str, path: str, token: str, body: bytes = b"") -> bytes:
    """The bytes of one HTTP/1.1 request with a JSON body."""
    return (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body
