"""Whatever one client does, another one is answered in time: p99 under a tenth of a second.

Each attack comes from a process of its own, as fast as it may; meanwhile a client that asks for
nothing unusual sends a command every few milliseconds and notes how long each took.
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import selectors
import socket
import time
from collections.abc import Callable, Iterator
from typing import Final

import pytest
import redis

from benchmarks.long import lay, log_of
from referee.catalogue import catalogue
from tests.clients import ORGANIZER, bearer
from tests.live.servers import Server, Table, serving

P99_S: Final = 0.1
SECONDS: Final = 60.0
PAUSE_S: Final = 0.01
LONG: Final = 20_000
"""Commits of the match whose past is asked for."""
CROWD: Final = 500
_AUTHORIZED: Final = f"Host: x\r\nAuthorization: Bearer {ORGANIZER}\r\n".encode()
UNREAD_S: Final = 15.0
"""Seconds after which a crowd that reads nothing is another one."""
_LOG: Final = b"GET /v1/matches/long/log HTTP/1.1\r\n%b\r\n" % _AUTHORIZED
_STREAM: Final = (
    b"GET /v1/matches/long/events?after=0 HTTP/1.1\r\n%bAccept: text/event-stream\r\n\r\n"
) % _AUTHORIZED
_SOCKET: Final = (
    b"GET /v1/matches/long/live?after=0 HTTP/1.1\r\n%bConnection: Upgrade\r\n"
    b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
) % _AUTHORIZED


def _open(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.settimeout(5)
    return connection


def _pour(port: int, begin: bytes, more: bytes) -> None:
    """Send what has no end, on one connection after another."""
    while True:
        with contextlib.suppress(OSError), _open(port) as connection:
            connection.sendall(begin)
            for _ in range(200):
                connection.sendall(more)


def _heads(port: int) -> None:
    _pour(port, b"GET / HTTP/1.1\r\nX: ", b"x" * 65_536)


def _headers(port: int) -> None:
    _pour(port, b"GET / HTTP/1.1\r\n", b"x: y\r\n" * 8192)


def _targets(port: int) -> None:
    _pour(port, b"GET /", b"x" * 65_536)


def _trailers(port: int) -> None:
    chunked = b"POST /v1/matches HTTP/1.1\r\n" + _AUTHORIZED + b"Transfer-Encoding: chunked\r\n\r\n"
    _pour(port, chunked + b"0\r\n", b"x: y\r\n" * 8192)


def _pipelines(port: int) -> None:
    """Twenty connections that ask, and read nothing."""
    asked = b"GET /health/live HTTP/1.1\r\n\r\n" * 4096
    while True:
        with contextlib.ExitStack() as stack:
            connections = [stack.enter_context(_open(port)) for _ in range(20)]
            for connection, _ in itertools.product(connections, range(5)):
                connection.settimeout(0.05)
                with contextlib.suppress(OSError):
                    connection.sendall(asked)


def _asking(port: int, paths: Callable[[int], str]) -> None:
    """One request after another, each answer read."""
    with _open(port) as connection:
        for number in itertools.count():
            connection.sendall(f"GET {paths(number)} HTTP/1.1\r\n".encode() + _AUTHORIZED + b"\r\n")
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65_536)
            head, _, body = head.partition(b"\r\n\r\n")
            (length,) = (
                int(line.split(b":")[1])
                for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length:")
            )
            while len(body) < length:
                body += connection.recv(65_536)


def _past(port: int) -> None:
    """A spectator that asks for another state of a long match each time."""
    _asking(port, lambda number: f"/v1/matches/long?at={1 + number * 7919 % LONG}")


def _lists(port: int) -> None:
    _asking(port, lambda _: "/v1/matches?limit=500&tournament=hall")


def _pages(port: int) -> None:
    _asking(port, lambda number: f"/v1/matches/long/events?limit=500&after={number % 39 * 500}")


def _returns(port: int) -> None:
    """Crowds of readers that come back to the end of the long match, and are gone at once."""
    asked = f"GET /v1/matches/long/events?after={LONG} HTTP/1.1\r\n".encode()
    asked += b"Accept: text/event-stream\r\n" + _AUTHORIZED + b"\r\n"
    while True:
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            connections = [stack.enter_context(_open(port)) for _ in range(CROWD)]
            for connection in connections:  # which were all there before the first of them asks
                connection.sendall(asked)


def _opened(port: int, asked: bytes) -> list[socket.socket]:
    """A crowd of connections which were all there before the first of them asks."""
    connections = [_open(port) for _ in range(CROWD)]
    for connection in connections:
        connection.sendall(asked)
    return connections


def _unread(asked: bytes) -> Callable[[int], None]:
    """Crowds that ask for the whole of the long match, and read nothing."""

    def attack(port: int) -> None:
        while True:
            with contextlib.ExitStack() as stack:
                for connection in _opened(port, asked):
                    stack.enter_context(connection)
                time.sleep(UNREAD_S)

    return attack


def _read(asked: bytes, *, size: int = 65_536, pause_s: float = 0.0) -> Callable[[int], None]:
    """A crowd that asks for it, and reads so much at a time; who has it all, or is cut, is back."""

    def attack(port: int) -> None:
        with selectors.DefaultSelector() as ready:
            for connection in _opened(port, asked):
                ready.register(connection, selectors.EVENT_READ, connection)
            while True:
                for key, _ in ready.select():
                    with contextlib.suppress(OSError):
                        if key.data.recv(size):
                            continue
                    ready.unregister(key.data)
                    key.data.close()
                    connection = _open(port)
                    connection.sendall(asked)
                    ready.register(connection, selectors.EVENT_READ, connection)
                time.sleep(pause_s)

    return attack


def _silence(port: int) -> None:
    """Crowds that say nothing."""
    while True:
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            for _ in range(CROWD):
                stack.enter_context(_open(port))


ATTACKS: Final = {
    "heads": _heads, "headers": _headers, "targets": _targets, "trailers": _trailers,
    "pipelines": _pipelines, "the past": _past, "lists": _lists, "pages": _pages,
    "returns": _returns, "silence": _silence,
    "unread streams": _unread(_STREAM), "unread sockets": _unread(_SOCKET),
    "unread logs": _unread(_LOG), "streams by bytes": _read(_STREAM, size=1, pause_s=1.0),
    "streams": _read(_STREAM), "sockets": _read(_SOCKET),
}  # fmt: skip


@contextlib.contextmanager
def attacked(what: str, port: int) -> Iterator[None]:
    """While a process of its own attacks, at the lowest priority: this machine is the server's."""
    process = multiprocessing.get_context("fork").Process(
        target=lambda: (os.nice(19), ATTACKS[what](port)), daemon=True
    )
    process.start()
    yield
    still = process.is_alive()
    process.kill()
    process.join()
    assert still, "the attack ended before its time"


def waits(table: Table, seconds: float) -> list[float]:
    """How long each command of a client took that is like any other, in seconds, ascending."""
    took, version = list[float](), table.view()["version"]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        begun = time.monotonic()
        version = table.rule({"type": ("resume", "pause")[version % 2]})["version"]
        took.append(time.monotonic() - begun)
        time.sleep(PAUSE_S)
    return sorted(took)


@pytest.fixture(scope="module")
def server(lasting_redis_url: str) -> Iterator[Server]:
    """A server with a long match, `long`, and a tournament of 500 matches."""
    rules = catalogue().current("giro-galoppo")
    with redis.Redis.from_url(lasting_redis_url) as client:
        lay(client, "long", log_of(rules, "long", LONG))
    with serving(lasting_redis_url) as (server,):
        for _ in range(500):
            Table(server, "giro-galoppo", 2, tournament="hall")
        server.client.get(f"{server.url}/v1/matches/long", headers=bearer(ORGANIZER))
        yield server


@pytest.mark.prove
@pytest.mark.timeout(0)
@pytest.mark.parametrize("what", ATTACKS)
def test_another_client_hardly_notices(server: Server, share: float, what: str) -> None:
    """Its p99 stays under a tenth of a second, and the server's memory what it was."""
    table = Table(server, "giro-galoppo", 2)
    quiet = waits(table, 2)
    memory = server.memory
    with attacked(what, server.port):
        pressed = waits(table, max(5.0, SECONDS * share))
    p50, p99 = pressed[len(pressed) // 2], pressed[len(pressed) * 99 // 100]
    alone = quiet[len(quiet) * 99 // 100]
    print(f"{what}: p50 {p50 * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms; alone p99 {alone * 1e3:.1f} ms")
    assert p99 < P99_S
    assert server.memory < memory + (48 << 20)
