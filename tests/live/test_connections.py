"""Connections that are half open: a request that never comes, or never comes whole."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import time
from collections.abc import AsyncIterator, Coroutine
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
import uvicorn
import uvloop
from uvicorn.server import ServerState
from websockets.server import ServerProtocol

from referee.http.streams.sse import WRITE
from referee.http.turns import Turns
from referee.serving.connections import Guarded, HttpProtocol, SocketProtocol, notice_the_gone
from tests.clients import ORGANIZER, bearer
from tests.clients import PATIENCE_S as PATIENCE_LIMIT_S
from tests.live.servers import Server, Table, eventually
from tests.live.test_bounds import UPGRADE

PATIENCE_S = 0.3


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Reads a body, then answers in two parts, the second one much later; or with very much."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass
        return
    while (message := await receive())["type"] == "http.request" and message["more_body"]:
        pass
    if message["type"] == "http.disconnect":
        return
    if scope["path"] == "/whole":
        said = unquote_to_bytes(scope["query_string"])
        scope["extensions"][WRITE]["answer"](200, [(b"x-said", said)], b"")
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    if scope["path"] == "/much":
        await send({"type": "http.response.body", "body": b"x" * 50_000_000, "more_body": False})
        return
    await send({"type": "http.response.body", "body": b"first", "more_body": True})
    await asyncio.sleep(3 * PATIENCE_S)
    await send({"type": "http.response.body", "body": b"last", "more_body": False})


@pytest.fixture
def state() -> ServerState:
    """What the server knows of its connections."""
    return ServerState()


@pytest.fixture
async def port(monkeypatch: pytest.MonkeyPatch, state: ServerState) -> AsyncIterator[int]:
    """Where a server with little patience listens."""
    monkeypatch.setattr("referee.serving.connections.PATIENCE_S", PATIENCE_S)
    monkeypatch.setattr("referee.serving.connections.LOOK_S", PATIENCE_S / 3)
    monkeypatch.setattr("referee.serving.connections.UNREAD_S", PATIENCE_S)
    application.turns = Turns()  # type: ignore[attr-defined] # where it is asked for
    config = uvicorn.Config(
        application,
        http=HttpProtocol,
        ws=SocketProtocol,
        lifespan="off",
        log_config=None,
        proxy_headers=False,
        timeout_keep_alive=0,
    )
    config.load()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: HttpProtocol(config, state, app_state={}), "127.0.0.1", 0
    )
    yield server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()


async def lifetime(port: int, *parts: bytes) -> tuple[float, bytes]:
    """How long a connection lasts on which these parts are sent, and what comes on it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    started = time.monotonic()
    got = b""
    try:
        async with asyncio.timeout(10):
            for part in parts:
                writer.write(part)
                await asyncio.sleep(0.01)
            got = await reader.read()
    except ConnectionResetError:
        pass
    writer.close()
    return time.monotonic() - started, got


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (b"GET / HTTP/1.1\r\n",),
        (b"GET / HTTP/1.1\r\nHost: x\r\n", b"X: y\r\n"),
        (b"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n", b"12345"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"5\r\n12345\r\n"),
    ],
)
async def test_what_never_comes_whole_is_not_waited_for(port: int, parts: tuple[bytes]) -> None:
    """Nothing at all, half a head, half a body: the connection ends."""
    seconds, got = await lifetime(port, *parts)
    assert seconds >= PATIENCE_S - 0.05
    assert got == b""


async def test_an_answer_may_take_as_long_as_it_takes(port: int) -> None:
    """Once a request is there, patience is no matter: a stream goes on for hours."""
    seconds, got = await lifetime(port, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert seconds > 3 * PATIENCE_S
    assert b"first" in got
    assert b"last" in got


async def test_who_asks_no_more_is_parted_from(port: int) -> None:
    """An answered request is followed by another one, or by the end."""
    _, got = await lifetime(port, b"GET / HTTP/1.1\r\n\r\nGET /whole?y HTTP/1.1\r\n\r\n")
    assert got.count(b"HTTP/1.1 200 ") == 2
    assert b"x-said: y\r\n" in got


@pytest.mark.parametrize("said", ["x%0D%0Ay:z", "x%0Ay:z", "x%0Dy:z"])
async def test_no_header_is_read_as_two(port: int, said: str) -> None:
    """Whatever an answer holds that a request put there."""
    _, good = await lifetime(port, b"GET /whole?x HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert b"x-said: x\r\n" in good
    asked = f"GET /whole?{said} HTTP/1.1\r\nConnection: close\r\n\r\n".encode()
    _, got = await lifetime(port, asked)
    assert got.startswith(b"HTTP/1.1 500 ")
    assert b"y:z" not in got


async def test_who_takes_nothing_of_an_answer_is_cut_off(port: int, state: ServerState) -> None:
    """What nobody reads is not kept for ever."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /much HTTP/1.1\r\nConnection: close\r\n\r\n")
    await eventually(lambda: state.connections)
    await eventually(lambda: not state.connections)
    with contextlib.suppress(ConnectionResetError):
        assert len(await reader.read()) < 50_000_000
    writer.close()


async def test_who_takes_an_answer_slowly_gets_it_all(port: int) -> None:
    """So long as something of it is taken now and then."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /much HTTP/1.1\r\nConnection: close\r\n\r\n")
    size = 0
    while more := await reader.read(5_000_000):
        size += len(more)
    assert size > 50_000_000
    writer.close()


async def test_a_socket_that_is_gone_leaves_its_handshake_at_once(
    port: int, state: ServerState
) -> None:
    """It does not wait for garbage to be collected: of many there would be much."""
    gc.collect()
    gc.disable()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n" + UPGRADE + b"\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
        writer.close()
        await eventually(lambda: not state.connections and not state.tasks)
        await eventually(lambda: not any(isinstance(o, ServerProtocol) for o in gc.get_objects()))
    finally:
        gc.enable()


def test_connections_notice_that_a_client_is_gone() -> None:
    """What a listening socket is told, the connections that it takes know."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        notice_the_gone(listening)
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as taken:
            assert taken.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 30_000


@pytest.mark.long
def test_a_server_lets_half_a_request_go(servers: list[Server]) -> None:
    """Within half a minute; a stream that was asked for properly outlives it."""
    table = Table(servers[0], "giro-galoppo", 3)
    with (
        socket.create_connection(("127.0.0.1", servers[0].port)) as half,
        table.client.stream(
            "GET",
            table.url("/events"),
            headers={**bearer(ORGANIZER), "Accept": "text/event-stream"},
        ) as answer,
    ):
        half.sendall(b"GET /v1/games HTTP/1.1\r\nHost: x\r\n")
        half.settimeout(40)
        with contextlib.suppress(ConnectionResetError):
            assert half.recv(100) == b""
        table.rule({"type": "void", "reason": "x"})
        assert b"ended: finished" in answer.read()


# ── An answer under way ─────────────────────────────────────────────────────────────────────────


async def guarded() -> tuple[Guarded, socket.socket]:
    """What an answer is written to, and the client's end of it."""
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    theirs.settimeout(0)
    transport, _ = await loop.create_unix_connection(asyncio.Protocol, sock=ours)
    return Guarded(transport, transport.close), theirs


async def received(theirs: socket.socket) -> bytes:
    """What comes next."""
    return await asyncio.get_running_loop().sock_recv(theirs, 100)


def on_the_servers_loop(work: Coroutine[Any, Any, None]) -> None:
    """Run it on the event loop that serves."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work)


ORDER = b'{"game": "giro-galoppo", "seats": [{"name": "a"}, {"name": "b"}]}'
CREATING = (
    b"POST /v1/matches HTTP/1.1\r\nAuthorization: Bearer %b\r\nContent-Type: application/json\r\n"
) % ORGANIZER.encode()
H2C = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
LAST = b"GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n"
LENGTH = b"Content-Length: %d\r\n\r\n" % len(ORDER)
CHUNKS = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(ORDER), ORDER)


def answers(server: Server, *parts: bytes) -> list[bytes]:
    """To what is sent, each from its status on, to the connection's end."""
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_LIMIT_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            connection.sendall(part)
        got = b""
        while more := connection.recv(65536):
            got += more
    return got.split(b"HTTP/1.1 ")[1:]


def statuses(server: Server, *parts: bytes) -> list[bytes]:
    """Of the answers to what is sent, to the connection's end."""
    return [answer[:3] for answer in answers(server, *parts)]


@pytest.mark.parametrize("content", [LENGTH + ORDER, CHUNKS], ids=["of a length", "in chunks"])
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "byte by byte"])
def test_who_would_rather_speak_http_2_is_served_by_this_one(
    servers: list[Server], content: bytes, *, whole: bool
) -> None:
    """As Java's own client would at its first request, content and all; and then the next."""
    order = CREATING + H2C + content
    reading = LAST.replace(b"Connection: close\r\n", H2C)
    sent = order + reading + order + LAST
    parts = [sent] if whole else [bytes([byte]) for byte in sent]
    assert statuses(servers[0], *parts) == [b"201", b"200", b"201", b"200"]


def test_whose_content_was_not_asked_for_is_parted_from(servers: list[Server]) -> None:
    """Nobody could tell whether what comes next is that, or another request."""
    strange = CREATING.replace(ORGANIZER.encode(), b"x") + b"Expect: 100-continue\r\n" + LENGTH
    (answer,) = answers(servers[0], strange)
    assert answer.startswith(b"401 ")
    assert b"\r\nconnection: close\r\n" in answer
    assert statuses(servers[0], strange + ORDER + LAST) == [b"401", b"200"]
    welcome = CREATING + b"Expect: 100-continue\r\n" + LENGTH
    assert statuses(servers[0], welcome + ORDER + LAST) == [b"100", b"201", b"200"]


def test_an_answer_to_who_has_just_gone_goes_nowhere() -> None:
    """Its connection is closed before the application hears of it: nothing breaks."""

    async def gone() -> None:
        answer, theirs = await guarded()
        answer.abort()
        for _ in range(3):
            await asyncio.sleep(0)
        answer.write(b"HTTP/1.1 200 OK")
        answer.write(b"more")
        assert await received(theirs) == b""
        theirs.close()

    on_the_servers_loop(gone())


def test_nothing_follows_the_end_of_what_was_sent() -> None:
    """Who was told why it is parted from hears no answer besides."""

    async def ended() -> None:
        answer, theirs = await guarded()
        answer.write(b"HTTP/1.1 400 ")
        answer.write_eof()
        answer.write(b"HTTP/1.1 200 OK")
        answer.write(b"more")
        assert (await received(theirs), await received(theirs)) == (b"HTTP/1.1 400 ", b"")
        answer.abort()
        theirs.close()

    on_the_servers_loop(ended())
