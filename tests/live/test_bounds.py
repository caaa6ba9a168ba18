"""What one connection may cost: whoever sends too much is told so, and nobody else waits."""

from __future__ import annotations

import contextlib
import gc
import re
import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import Final

import pytest
from websockets.frames import Frame, Opcode

from referee.serving.connections import MOST_HEAD
from referee.serving.server import spare_garbage
from tests.clients import ORGANIZER, PATIENCE_S
from tests.live.servers import Server, Table, serving

MEGABYTE: Final = 1_000_000
GROWTH: Final = 24 * MEGABYTE
"""What a server's memory may grow by under any of this, whatever else it learns meanwhile."""
MUCH: Final = 24 * MEGABYTE
LINE: Final = b"GET /health/live HTTP/1.1\r\nHost: x\r\n"
UPGRADE: Final = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
CHUNKED: Final = (
    b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Authorization: Bearer " + ORGANIZER.encode() + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
)


@pytest.fixture(scope="module")
def server(lasting_redis_url: str) -> Iterator[Server]:
    """A server that has answered some requests: what it needs for that it has."""
    with serving(lasting_redis_url) as (server,):
        for _ in range(50):
            answered(server)
        yield server
        assert not [line for line in server.log if "error" in line], "".join(server.log)


@contextlib.contextmanager
def connected(server: Server) -> Iterator[socket.socket]:
    """A connection of our own."""
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as connection:
        yield connection


def pushed(connection: socket.socket, *parts: bytes) -> None:
    """Send it all, whatever the server thinks of it."""
    with contextlib.suppress(ConnectionError):
        for part in parts:
            connection.sendall(part)


def rest(connection: socket.socket) -> bytes:
    """Whatever comes, to the end."""
    data = bytearray()
    with contextlib.suppress(ConnectionResetError):
        while more := connection.recv(65536):
            data += more
    return bytes(data)


def answered(server: Server) -> bool:
    """Whether somebody else is answered."""
    return server.client.get(f"{server.url}/health/live").status_code == 200


# ── Collections ───────────────────────────────────────────────────────────────────────────────────


def test_no_collection_looks_through_much() -> None:
    """Nobody else has a turn meanwhile; that of all is so seldom that none is here."""
    looked_through, kept, before = list[int](), list[list[object]](), gc.get_threshold()

    def note(phase: str, told: dict[str, int]) -> None:
        if phase == "start":
            young = range(told["generation"] + 1)
            looked_through.append(sum(len(gc.get_objects(generation)) for generation in young))

    spare_garbage()
    gc.callbacks.append(note)
    try:
        kept += ([] for _ in range(100_000))
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*before)
        gc.unfreeze()
    assert 10_000 < max(looked_through) < 40_000


# ── Heads ─────────────────────────────────────────────────────────────────────────────────────────

TOO_MUCH: Final = {
    "one line": (LINE + b"X: ", b"x", 431),
    "many lines": (LINE, b"x: y\r\n", 431),
    "a target": (b"GET /", b"x", 414),
    "a query": (b"GET /v1/games?", b"x=1&", 414),
    "empty lines": (b"", b"\r\n", 431),
    "a handshake": (LINE + UPGRADE, b"x: y\r\n", 431),
    "a handshake's line": (LINE + UPGRADE + b"X: ", b"x", 431),
    "trailers": (CHUNKED + b"2\r\n{}\r\n0\r\n", b"x: y\r\n", 431),
    "one trailer": (CHUNKED + b"2\r\n{}\r\n0\r\nX: ", b"x", 431),
    "a chunk's extension": (CHUNKED + b"2;", b"x", 431),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_what_has_no_end_is_refused_and_the_connection_closed(server: Server, what: str) -> None:
    """With a problem that any page may read, while others are answered, and none of it is kept."""
    begin, more, status = TOO_MUCH[what]
    flood = more * (MUCH // 2 // len(more))
    before = server.memory
    with connected(server) as connection:
        pushed(connection, begin, flood)
        assert answered(server)
        assert server.memory - before < GROWTH
        pushed(connection, flood)
        answer = rest(connection)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status), answer[:200]
    assert b"connection: close" in head
    assert b"application/problem+json" in head
    assert b"\r\naccess-control-allow-origin: *\r\n" in head
    assert re.search(rb"\r\naccess-control-expose-headers: [^\r]*Referee-Time", head)
    assert b'"status":%d' % status in body
    assert (b'"instance":' in body) is (status != 414 and begin != b"")
    assert answered(server)


@pytest.mark.parametrize(("size", "status"), [(MOST_HEAD, 200), (MOST_HEAD + 1, 431)])
@pytest.mark.parametrize("step", [10**9, 1000])
def test_a_head_may_have_64_kib(server: Server, size: int, status: int, step: int) -> None:
    """Not a byte more, in whatever pieces it comes, also behind another request."""
    first = LINE + b"\r\n"
    head = LINE + b"X: " + b"x" * (size - len(LINE) - 7) + b"\r\n\r\n"
    assert len(head) == size
    data = first + head
    with connected(server) as connection:
        pushed(connection, *(data[at : at + step] for at in range(0, len(data), step)))
        connection.shutdown(socket.SHUT_WR) if status == 431 else None
        answer = b""
        while answer.count(b"HTTP/1.1") < 2 and (more := connection.recv(65536)):
            answer += more
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 %d " % status in answer[9:]


@pytest.mark.parametrize(
    ("more", "status"),
    [
        (b"X: " + b"x" * 60_000 + b"\r\n", 401),
        (b"x: y\r\n" * 10_000, 401),
        (b"X: \x01\r\n", 400),
    ],
)
def test_a_handshake_may_have_as_much(server: Server, more: bytes, status: int) -> None:
    """In one line or in many; what is none is told so, and nothing is left without an answer."""
    path = b"GET /v1/matches/none/live HTTP/1.1\r\nHost: x\r\n"
    with connected(server) as connection:
        pushed(connection, path + UPGRADE + more + b"\r\n")
        assert rest(connection).startswith(b"HTTP/1.1 %d " % status)


@pytest.mark.parametrize(
    ("path", "more", "status"),
    [
        (b"/v1/matches/none/live", UPGRADE.replace(b"-Key:", b"-Kay:"), 400),
        (b"/v1/matches/none/live", UPGRADE.replace(b": 13", b": 8"), 400),
        (b"/v1/matches/none/live", UPGRADE + b"Sec-WebSocket-Protocol: \xff\r\n", 400),
        (b"/v1/matches/none", UPGRADE, 404),
        (b"/elsewhere", UPGRADE, 404),
    ],
)
def test_what_is_no_handshake_gets_a_problem(
    server: Server, path: bytes, more: bytes, status: int
) -> None:
    """So does one where there is no socket."""
    with connected(server) as connection:
        pushed(connection, b"GET %b HTTP/1.1\r\nHost: x\r\n" % path + more + b"\r\n")
        answer = rest(connection).lower()
    assert answer.startswith(b"http/1.1 %d " % status)
    assert b"content-type: application/problem+json\r\n" in answer
    assert b"cache-control: no-store\r\n" in answer
    assert b'"instance":"%b"' % path in answer


@pytest.mark.parametrize(
    ("rest_of_it", "status"),
    [
        (b"x" * (MOST_HEAD + 1), 414),
        (b" HTTP/1.1\r\nX: " + b"x" * (MOST_HEAD + 1), 431),
        (b" HTTP/1.1\r\nX: \0\r\n\r\n", 400),
        (b" HTTP/1.1\r\nHost: x\r\n" + UPGRADE.replace(b"-Key:", b"-Kay:") + b"\r\n", 400),
        (b"/none HTTP/1.1\r\nHost: x\r\n" + UPGRADE + b"\r\n", 404),
    ],
)
def test_the_time_is_told_also_where_a_request_gets_nowhere(
    server: Server, rest_of_it: bytes, status: int
) -> None:
    """Of matches; elsewhere there is no time to tell."""
    for path, told in ((b"/v1/matches", 1), (b"/v1/games/", 0)):
        with connected(server) as connection:
            pushed(connection, b"GET " + path + rest_of_it)
            answer = rest(connection)
        assert answer.startswith(b"HTTP/1.1 %d " % status)
        assert answer.count(b"\r\nreferee-time: ") == told


@pytest.mark.parametrize("token", ["", "nonsense"])
def test_what_comes_before_a_handshake_is_answered_waits(server: Server, token: str) -> None:
    """The client was to wait for that: whatever it is, it is no fault of the server's."""
    table = Table(server, "giro-galoppo", 2)
    path = f"{table.path}/live?access_token={token or table.tokens[0]}".encode()
    with connected(server) as connection:
        head = b"GET %b HTTP/1.1\r\nHost: x\r\n" % path + UPGRADE + b"\r\n"
        pushed(connection, head + b"\xff" * MEGABYTE)  # which is no frame
        with contextlib.suppress(ConnectionError):
            rest(connection)
    assert answered(server)


def test_trailers_may_have_as_much(server: Server) -> None:
    """And so may what surrounds each byte of a body in a chunk of its own."""
    body = b'{"game": "none", "seats": []}' + b" " * 40_000
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body)
    trailers = b"X: " + b"x" * 60_000 + b"\r\n\r\n"
    with connected(server) as connection:
        pushed(connection, CHUNKED, chunks, b"0\r\n", trailers, LINE, b"Connection: close\r\n\r\n")
        answer = rest(connection)
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"HTTP/1.1 200 " in answer


def test_what_is_no_http_is_told_so(server: Server) -> None:
    """With a problem, as everything else."""
    with connected(server) as connection:
        pushed(connection, b"\x16\x03\x01 hello\r\n")
        answer = rest(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"/problems/bad-request" in answer


def test_whoever_sends_too_large_a_body_reads_the_answer(server: Server) -> None:
    """Though most of it is never looked at."""
    head = CHUNKED.replace(b"Transfer-Encoding: chunked", b"Content-Length: %d" % MUCH)
    before = server.memory
    with connected(server) as connection:
        pushed(connection, head, b"x" * MUCH)
        answer = rest(connection)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert server.memory - before < GROWTH


def test_whoever_is_gone_leaves_nothing_behind(server: Server) -> None:
    """However much there was in the head, and though the connection was reset."""
    before = server.memory
    for _ in range(100):
        with connected(server) as connection:
            pushed(connection, LINE + b"x: y\r\n" * 10_000 + b"\r\n")
            assert connection.recv(12) == b"HTTP/1.1 200"
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert answered(server)
    assert server.memory - before < GROWTH


def test_whoever_is_gone_while_too_much_is_read_holds_up_nobody(server: Server) -> None:
    """An answer meets a connection that was reset, and behind it waits a head without end."""
    for number in range(400):
        with connected(server) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            pushed(connection, (LINE + b"\r\n") * 3 + b"GET /" + b"x" * 66_000)
            time.sleep(number % 4 * 0.0005)
        if number % 50 == 0:
            assert answered(server)


# ── Pipelines ─────────────────────────────────────────────────────────────────────────────────────

SHORT: Final = b"GET /x HTTP/1.1\r\nA: b\r\n\r\n"


def test_of_requests_sent_ahead_little_is_read(server: Server) -> None:
    """Twenty clients that send half a megabyte of them and read nothing hold nobody up."""
    before = server.memory
    with contextlib.ExitStack() as stack:
        senders = [stack.enter_context(connected(server)) for _ in range(20)]
        for sender in senders:
            sender.setblocking(False)  # noqa: FBT003 - so it is called
        left = dict.fromkeys(senders, SHORT * 20_000)
        for _ in range(30):
            for sender, data in left.items():
                with contextlib.suppress(BlockingIOError):
                    left[sender] = data[sender.send(data) :]
            assert answered(server)
            assert server.memory - before < GROWTH
    assert answered(server)


def test_requests_sent_ahead_are_all_answered_in_their_order(server: Server) -> None:
    """Once somebody reads the answers, with bodies and without."""
    table = Table(server, "giro-galoppo", 2)
    token = table.tokens[0].encode()
    checks = [b'{"type": "place_obstacle", "space": %d}' % space for space in range(1, 400)]
    posts = [
        b"POST %b/check HTTP/1.1\r\nAuthorization: Bearer %b\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%b" % (table.path.encode(), token, len(body), body)
        for body in checks
    ]
    with connected(server) as connection:
        data = b"".join(post + SHORT for post in posts) + LINE + b"Connection: close\r\n\r\n"
        sending = threading.Thread(target=pushed, args=(connection, data))
        sending.start()
        answer = rest(connection)
        sending.join()
    statuses = [line[:3] for line in answer.split(b"HTTP/1.1 ")[1:]]
    assert statuses[1::2] == [b"404"] * len(posts)
    assert {*statuses[0:-1:2]} == {b"200", b"422"}
    assert statuses[-1] == b"200"


# ── Sockets ───────────────────────────────────────────────────────────────────────────────────────


@contextlib.contextmanager
def opened(server: Server) -> Iterator[socket.socket]:
    """A socket of a match, on which a client may write what it likes."""
    table = Table(server, "giro-galoppo", 2)
    path = f"{table.path}/live?access_token={table.tokens[0]}".encode()
    with connected(server) as connection:
        pushed(connection, b"GET %b HTTP/1.1\r\nHost: x\r\n" % path + UPGRADE + b"\r\n")
        assert connection.recv(12) == b"HTTP/1.1 101"
        yield connection


@pytest.mark.parametrize("opcode", [Opcode.TEXT, Opcode.CONT, Opcode.PING])
def test_of_frames_sent_ahead_little_is_read(server: Server, opcode: Opcode) -> None:
    """However small they are, and whatever they say."""
    frame = Frame(opcode, b"", fin=opcode is not Opcode.CONT).serialize(mask=True)
    flood = Frame(Opcode.TEXT, b"", fin=False).serialize(mask=True) if not frame[0] & 0xF else b""
    flood += frame * (MEGABYTE // len(frame))
    before = server.memory
    with contextlib.ExitStack() as stack:
        senders = [stack.enter_context(opened(server)) for _ in range(10)]
        for sender in senders:
            sender.setblocking(False)  # noqa: FBT003 - so it is called
        for _ in range(10):
            for sender in senders:
                with contextlib.suppress(BlockingIOError, ConnectionError):
                    sender.send(flood)
            assert answered(server)
            assert server.memory - before < GROWTH
