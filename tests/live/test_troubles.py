"""Readers in trouble, and readers who make some."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import socket as sockets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import redis
from websockets.asyncio.client import connect

from referee.catalogue import catalogue
from referee.http.metrics import Metrics
from referee.http.streams.sse import WRITE, EventStream
from referee.http.streams.websocket import serve_socket
from referee.service import Bearer, Body, Following, Service
from referee.service.asking.requests import Place
from referee.service.following import TOGETHER, Follower
from referee.store import MatchStore
from referee.store.embedded.server import EmbeddedRedis
from referee.store.scripts import live_channel, log_key
from tests.clients import ORGANIZER, TOKENS, bearer
from tests.live.readers import listening, received
from tests.live.servers import Server, Table, eventually, serving, wait_until

GAME = "giro-galoppo"


# ── Coming back ───────────────────────────────────────────────────────────────────────────────────


async def test_who_reconnects_all_the_time_misses_nothing(servers: list[Server]) -> None:
    """While commits are made, also in the middle of one: every version once, in order."""
    table = Table(servers[0], GAME, 3)

    async def rule() -> None:
        url = table.url("/live", servers[1]).replace("http", "ws", 1)
        async with connect(url, additional_headers=bearer(ORGANIZER)) as ws:
            for number in range(300):
                kind = ("pause", "resume")[number % 2]
                await ws.send(f'{{"id": {number}, "command": {{"type": "{kind}"}}}}')
                while "id" not in await received(ws):
                    pass

    got: list[int] = []
    last = "0"
    ruling = asyncio.create_task(rule())
    connections = 0
    while len(got) < 301:
        connections += 1
        server = servers[connections % 2]
        async with listening(table.url("/events", server), ORGANIZER, last=last) as stream:
            for _ in range(min(1 + connections % 7, 301 - len(got))):
                message = await stream.next()
                assert message is not None
                got.append(message.version)
                last = message.id
    await ruling
    assert got == list(range(1, 302))
    assert connections > 60


async def test_a_stream_outlives_an_outage_of_the_store(embedded: EmbeddedRedis) -> None:
    """It waits, and goes on with what is committed afterwards; so does a socket."""
    with serving(embedded.url, 2, REFEREE_LOG_LEVEL="critical") as servers:
        table = Table(servers[0], GAME, 3)
        url = table.url("/live?after=0", servers[1]).replace("http", "ws", 1)
        async with (
            listening(table.url("/events"), ORGANIZER) as stream,
            connect(url, additional_headers=bearer(table.tokens[0])) as ws,
        ):
            assert await stream.versions(1) == [1]
            assert (await received(ws))["version"] == 1
            assert embedded.pid is not None
            os.kill(embedded.pid, signal.SIGKILL)
            await asyncio.to_thread(embedded.stop)
            await ws.send('{"id": "c", "command": {"type": "resign"}}')
            answer = await received(ws)
            assert (answer["id"], answer["refused"]["status"]) == ("c", 503)
            await asyncio.to_thread(embedded.start)
            wait_until(lambda: table.send(ORGANIZER, {"type": "pause"}).status_code == 200)
            assert await stream.versions(1) == [2]
            assert (await received(ws))["version"] == 2


async def test_who_saw_commits_that_were_lost_is_told_at_once(
    servers: list[Server], lasting_redis_url: str
) -> None:
    """A failover has lost the log's end, and others go on from there: whoever watches hears of it,
    and then of what the log holds now.
    """  # noqa: D205 - one claim
    table = Table(servers[0], GAME, 3)
    for _ in range(5):
        table.move()
    counted = servers[0].metric("referee_logs_rewritten_total")
    url = table.url("/live?after=5", servers[1]).replace("http", "ws", 1)
    async with (
        listening(table.url("/events?after=5"), table.tokens[0]) as stream,
        connect(url, additional_headers=bearer(table.spectator)) as ws,
    ):
        lost = await stream.next()
        assert lost is not None
        assert (await received(ws))["version"] == lost.version == 6
        client: Any = redis.Redis.from_url(lasting_redis_url)
        entries = client.xrange(log_key(table.match))
        with client.pipeline() as together:
            together.delete(log_key(table.match))
            for entry_id, fields in entries[:3]:
                together.xadd(log_key(table.match), fields, id=entry_id)
            together.publish(live_channel(table.match), "3-0")
            together.execute()
        client.close()
        told = await stream.next()
        assert told is not None
        assert (told.event, told.data) == ("rewritten", {"version": 3})
        assert servers[0].metric("referee_logs_rewritten_total") == counted + 1
        assert await received(ws) == {"rewritten": {"version": 3}}
        made = [table.move(servers[number % 2]) for number in range(3)]
        for answer in made:
            message = await stream.next()
            assert message is not None
            assert (message.version, message.data["head"]) == (answer["version"], answer["head"])
            assert (await received(ws))["head"] == answer["head"]
    assert [answer["version"] for answer in made] == [4, 5, 6]
    assert made[-1]["head"] != lost.data["head"]
    async with listening(table.url("/events", servers[1]), ORGANIZER, last=lost.id) as stream:
        told = await stream.next()
        assert told is not None
        assert (told.event, told.version) == ("rewritten", 6)


# ── Reading slowly ────────────────────────────────────────────────────────────────────────────────


class Wire:
    """Where a stream's answer goes: it takes as much as it is told to, and then no more."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.open = asyncio.Event()
        self.open.set()

    async def send(self, message: Any) -> None:
        """Take a message, once there is room."""
        await self.open.wait()
        self.sent.append(message.get("body", b""))

    @property
    def versions(self) -> int:
        """How many commits have come."""
        return len(self.places)

    @property
    def places(self) -> list[int]:
        """Their versions."""
        return [int(version) for version in re.findall(rb"(?m)^id: (\d+)", b"".join(self.sent))]


async def never() -> Any:
    """A client that says nothing and stays."""
    await asyncio.Event().wait()


@pytest.fixture
async def service(store: MatchStore) -> AsyncIterator[Service]:
    """A service on an empty store."""
    made = Service(store, catalogue())
    yield made
    await made.settle()


async def test_a_slow_reader_is_cut_and_holds_nobody_up(service: Service) -> None:
    """Commits go on at their pace, others get them all; the slow one's memory is bounded, and it
    comes back for the rest.
    """  # noqa: D205 - one claim
    metrics = Metrics()
    following = Following(service, metrics, asyncio.Event())
    organizer = Bearer("organizer")
    seats = b'{"game": "giro-galoppo", "seats": [{"name": "a"}, {"name": "b"}]}'
    created = await service.create(organizer, Body(seats))
    slow, quick = Wire(), Wire()

    async def serve(wire: Wire, version: int) -> None:
        follower = await following.follow(created.match, organizer, Place(version))
        await EventStream(following, follower, resumed=version > 0).serve({}, never, wire.send)

    tasks = [asyncio.ensure_future(serve(wire, 0)) for wire in (slow, quick)]
    await eventually(lambda: slow.versions == quick.versions == 1)
    slow.open.clear()
    for number in range(1000):
        kind = b'{"type": "resume"}' if number % 2 else b'{"type": "pause"}'
        await service.command(created.match, organizer, Body(kind))
    await eventually(lambda: quick.versions == 1001)
    slow.open.set()
    await asyncio.wait_for(tasks[0], 10)
    assert slow.sent[-1] == b": ended: slow\n\n"
    assert slow.versions < 10
    last = slow.sent[-2].rpartition(b"id: ")[2]
    again = Wire()
    tasks.append(asyncio.ensure_future(serve(again, int(last.partition(b".")[0]))))
    await eventually(lambda: slow.versions + again.versions == 1001)
    for task in tasks[1:]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def ruled(service: Service, match: str, count: int) -> None:
    """So many commits more."""
    for number in range(count):
        kind = b'{"type": "resume"}' if number % 2 else b'{"type": "pause"}'
        await service.command(match, Bearer("organizer"), Body(kind))


async def test_who_is_behind_is_told_much_together_and_no_more_after_his_end(
    service: Service,
) -> None:
    """A page in a write: all of it up to where a seat's token was made void, for that seat's."""
    following = Following(service, Metrics(), asyncio.Event())
    organizer = Bearer("organizer")
    seats = b'{"game": "giro-galoppo", "seats": [{"name": "a"}, {"name": "b"}]}'
    match = (await service.create(organizer, Body(seats))).match
    bearers = Bearer("seat", match, 0), Bearer("seat", match, 1)
    followers = [await following.follow(match, bearer, Place(0)) for bearer in bearers]
    await ruled(service, match, 100)
    await service.reissue_token(match, organizer, 0)
    await ruled(service, match, 20)
    of_old, of_other = Wire(), Wire()
    tasks = [
        asyncio.ensure_future(
            EventStream(following, follower, resumed=False).serve({}, never, wire.send)
        )
        for follower, wire in zip(followers, (of_old, of_other), strict=True)
    ]
    await asyncio.wait_for(tasks[0], 30)
    assert of_old.sent[-1] == b": ended: reissued\n\n"
    assert of_old.places == [*range(1, 102)]
    await eventually(lambda: of_other.versions == 122)
    assert of_other.places == [*range(1, 123)]
    assert max(part.count(b"id: ") for part in of_other.sent) == TOGETHER
    tasks[1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_slow_socket_is_closed_with_a_code_of_its_own(service: Service) -> None:
    """So that its client knows to come back."""
    following = Following(service, Metrics(), asyncio.Event())
    organizer = Bearer("organizer")
    seats = b'{"game": "giro-galoppo", "seats": [{"name": "a"}, {"name": "b"}]}'
    created = await service.create(organizer, Body(seats))
    sent: list[Any] = []
    room = asyncio.Event()

    async def send(message: Any) -> None:
        await room.wait()
        sent.append(message)

    arriving = [{"type": "websocket.connect"}]

    async def receive() -> Any:
        return arriving.pop() if arriving else await never()

    token = TOKENS.issue(organizer)
    scope: Any = {
        "path": f"/v1/matches/{created.match}/live",
        "headers": [],
        "query_string": f"after=0&access_token={token}".encode(),
    }
    room.set()
    task = asyncio.ensure_future(
        serve_socket(following, TOKENS, created.match, scope, receive, send)
    )
    await eventually(lambda: len(sent) == 3)  # accepted, told the time, and the first commit
    room.clear()
    for number in range(600):
        kind = b'{"type": "resume"}' if number % 2 else b'{"type": "pause"}'
        await service.command(created.match, organizer, Body(kind))
    room.set()
    await asyncio.wait_for(task, 10)
    assert [message["type"] for message in sent[:2]] == ["websocket.accept", "websocket.send"]
    assert sent[-1] == {"type": "websocket.close", "code": 4408, "reason": "slow"}
    assert len(sent) < 10


async def streaming(following: Following) -> tuple[Wire, Follower, asyncio.Future[None]]:
    """A new match's stream: where it writes to, who follows, and the task that serves it."""
    organizer = Bearer("organizer")
    seats = b'{"game": "giro-galoppo", "seats": [{"name": "a"}, {"name": "b"}]}'
    created = await following.service.create(organizer, Body(seats))
    wire = Wire()
    follower = await following.follow(created.match, organizer, Place(0))
    answer = EventStream(following, follower, resumed=False).serve
    task = asyncio.ensure_future(answer({}, never, wire.send))
    await eventually(lambda: wire.versions == 1)
    return wire, follower, task


async def test_a_writer_that_fails_keeps_nothing_from_other_readers(service: Service) -> None:
    """Whatever is wrong with one: they all are told in a row."""
    following = Following(service, Metrics(), asyncio.Event())
    _, first, task = await streaming(following)
    wires = [Wire(), Wire()]
    tasks = [task]

    def fail(_: bytes) -> bool:
        raise ValueError("a fault of the server's")

    for wire, extensions in zip(wires, ({WRITE: {"write": fail}}, {}), strict=True):
        follower = await following.follow(first.match, first.bearer, Place(0))
        answer = EventStream(following, follower, resumed=False).serve
        scope = {"extensions": extensions}
        tasks.append(asyncio.ensure_future(answer(scope, never, wire.send)))
    await eventually(lambda: all(wire.versions == 1 for wire in wires))
    await ruled(service, first.match, 3)
    await eventually(lambda: all(wire.versions == 4 for wire in wires))
    for each in tasks:
        each.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_who_takes_nothing_at_all_is_let_go(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that does not take one message in time is gone, whatever its connection says."""
    monkeypatch.setattr("referee.service.following.SEND_S", 0.2)
    monkeypatch.setattr("referee.service.following.TICK_S", 0.1)
    monkeypatch.setattr("referee.http.streams.sse.LAST_S", 0.2)
    following = Following(service, Metrics(), asyncio.Event())
    wire, follower, task = await streaming(following)
    wire.open.clear()
    await service.command(follower.match, follower.bearer, Body(b'{"type": "pause"}'))
    await asyncio.wait_for(task, 10)
    assert not following._followers


async def test_who_leaves_at_the_moment_of_being_sent_away_troubles_nobody(
    service: Service,
) -> None:
    """Whoever ends a stream is too late, or in time, but never wrong."""
    following = Following(service, Metrics(), asyncio.Event())
    wire, follower, task = await streaming(following)
    follower.stop("drained")
    while not task.done():
        await asyncio.sleep(0)
        follower.stop("left")
    assert wire.sent[-1].endswith(b": ended: drained\n\n")


def raw_socket(table: Table) -> sockets.socket:
    """A WebSocket of a client that minds no protocol, after its handshake."""
    raw = sockets.create_connection(("127.0.0.1", table.server.port))
    raw.sendall(
        f"GET {table.path}/live HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Sec-WebSocket-Version: 13\r\nAuthorization: Bearer {ORGANIZER}\r\n\r\n".encode()
    )
    assert raw.recv(1024).startswith(b"HTTP/1.1 101")
    return raw


def test_a_flood_of_pings_fills_no_memory(servers: list[Server]) -> None:
    """A client that never reads is not read from either, once enough waits for it."""
    pings = (bytes([0x89, 0x80 | 125, 0, 0, 0, 0]) + bytes(125)) * 2000
    table = Table(servers[0], GAME, 3)
    with raw_socket(table) as raw:
        before, sent = servers[0].memory, 0
        raw.settimeout(2)
        with contextlib.suppress(TimeoutError):
            while sent < 40 << 20:
                sent += raw.send(pings)
        assert servers[0].memory - before < 10 << 20
        assert table.move()["version"] == 2


@pytest.mark.long
async def test_a_client_that_stops_reading_is_cut_for_real(redis_url: str) -> None:
    """Through every buffer of the system: commits and other readers go on, and memory stays."""
    with serving(redis_url) as (server,):
        table = Table(server, GAME, 3)
        table.move()
        cut = 'referee_live_streams_ended_total{kind="sse",reason="slow"}'
        url = table.url("/live?after=2").replace("http", "ws", 1)
        frame = json.dumps({"type": "take_back", "to": 1, "reason": "x" * 1000})
        with sockets.socket() as slow:
            slow.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
            slow.connect(("127.0.0.1", server.port))
            slow.sendall(
                f"GET {table.path}/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n"
                f"Authorization: Bearer {ORGANIZER}\r\n\r\n".encode()
            )
            async with (
                listening(table.url("/events?after=2"), ORGANIZER) as quick,
                connect(url, additional_headers=bearer(ORGANIZER)) as ws,
            ):
                memory, version = server.memory, 2
                while server.metric(cut) == 0:
                    assert version < 60_000
                    for _ in range(200):
                        await ws.send(f'{{"id": 1, "command": {frame}}}')
                    for _ in range(400):  # each an answer and a message
                        await received(ws)
                    assert await quick.versions(200) == list(range(version + 1, version + 201))
                    version += 200
                assert server.memory - memory < 30 << 20


@pytest.mark.long
async def test_a_socket_whose_client_answers_no_ping_is_closed(servers: list[Server]) -> None:
    """Half-open: the client is gone, and nobody has told the server."""
    table = Table(servers[0], GAME, 3)
    with raw_socket(table):
        name = 'referee_live_streams{kind="websocket"}'
        await asyncio.to_thread(wait_until, lambda: servers[0].metric(name) == 1)
        await asyncio.to_thread(wait_until, lambda: servers[0].metric(name) == 0, 45)


# ── Coming and going ──────────────────────────────────────────────────────────────────────────────


async def come_and_go(table: Table, times: int) -> None:
    """Open streams and sockets, and leave: politely, without a word, before the first message."""
    for number in range(times):
        if number % 3 == 0:
            url = table.url("/live?after=0").replace("http", "ws", 1)
            async with connect(url, additional_headers=bearer(table.tokens[0])) as ws:
                await ws.recv()
        elif number % 3 == 1:
            async with listening(table.url("/events"), table.tokens[1]) as stream:
                assert await stream.versions(1) == [1]
        else:
            with sockets.create_connection(("127.0.0.1", table.server.port)) as raw:
                raw.sendall(
                    f"GET {table.path}/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n"
                    f"Authorization: Bearer {ORGANIZER}\r\n\r\n".encode()
                )


def held(server: Server) -> tuple[int, float]:
    """The descriptors that a server has open, and its open streams."""
    files = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))
    kinds = ("sse", "websocket")
    return files, sum(server.metric(f'referee_live_streams{{kind="{kind}"}}') for kind in kinds)


async def test_a_thousand_who_come_and_go_leave_nothing_behind(servers: list[Server]) -> None:
    """No stream, no descriptor, no memory."""
    server = servers[0]
    table = Table(server, GAME, 3)
    await come_and_go(table, 200)  # what is made once is made now
    await asyncio.to_thread(wait_until, lambda: held(server)[1] == 0)
    files, _ = held(server)
    memory = server.memory
    await come_and_go(table, 1000)
    await asyncio.to_thread(wait_until, lambda: held(server)[1] == 0)
    assert held(server)[0] <= files + 3  # our own connections come and go
    assert server.memory - memory < 8 << 20
    assert table.move()["version"] == 2


async def test_readers_that_vanish_hold_up_no_other(servers: list[Server]) -> None:
    """Half of those who watch are gone without a word while commits come; the others get all."""
    table = Table(servers[0], GAME, 3)
    url = table.url("/live?after=1").replace("http", "ws", 1)
    async with contextlib.AsyncExitStack() as readers:
        opened = [connect(url, additional_headers=bearer(ORGANIZER)) for _ in range(16)]
        watching = [await readers.enter_async_context(each) for each in opened]
        begun = [listening(table.url("/events?after=1"), ORGANIZER) for _ in range(16)]
        streams = [await readers.enter_async_context(each) for each in begun]
        for count in range(8):
            watching[count].transport.abort()
            streams[count].vanish()
            rule = {"type": ("pause", "resume")[count % 2]}
            assert (await asyncio.to_thread(table.send, ORGANIZER, rule)).status_code == 200
        for stream in streams[8:]:
            assert await stream.versions(8) == [*range(2, 10)]
        for each in watching[8:]:
            assert [(await received(each))["version"] for _ in range(8)] == [*range(2, 10)]
