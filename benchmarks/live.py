"""Live play on one worker: a thousand readers of a hundred matches, and hands that grab at once."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import resource
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from rich.table import Table

from benchmarks.commands import Match, Play, a_match, create
from benchmarks.load import request
from benchmarks.servers import SECRET, Server, cpu_seconds, service
from referee.http.tokens import Tokens
from referee.service import Bearer
from referee.tables import print_table

MATCHES: Final = 100
READERS: Final = 10
"""Of each match."""
SECONDS: Final = 8.0
PACES: Final = (100, 400)
"""Commits a second in all."""
TABLES: Final = 16
HANDS: Final = 4
ROUNDS: Final = 15
WINDOW_MS: Final = 500
_ORGANIZER: Final = Tokens([SECRET.encode()]).issue(Bearer("organizer"))
_COMMIT: Final = re.compile(rb'data: \{"version":(\d+),"at":(\d+)')


class Reader(asyncio.Protocol):
    """An event stream that notes what comes, and how long after its commit's stamp."""

    def __init__(self, match: str, token: str) -> None:
        self._request = (
            f"GET /v1/matches/{match}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Accept: text/event-stream\r\nAuthorization: Bearer {token}\r\n\r\n"
        ).encode()
        self._rest = b""
        self.versions: list[int] = []
        self.delays: list[float] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 -- what a TCP connection has
        self.transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Note every commit in it."""
        now = time.time()
        whole, end, self._rest = (self._rest + data).rpartition(b"\n\n")
        for version, at in _COMMIT.findall(whole + end):
            self.versions.append(int(version))
            self.delays.append(1000 * now - int(at))


class Caller:
    """One connection that sends a request at a time."""

    def __init__(self, streams: tuple[asyncio.StreamReader, asyncio.StreamWriter]) -> None:
        self._reader, self._writer = streams

    async def call(self, data: bytes) -> tuple[int, Any]:
        """The status and body of the answer."""
        self._writer.write(data)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        return int(head[9:12]), json.loads(await self._reader.readexactly(length))

    def close(self) -> None:
        """End the connection."""
        self._writer.close()


async def caller(port: int) -> Caller:
    """A new connection to the service."""
    return Caller(await asyncio.open_connection("127.0.0.1", port))


class Watched(Struct, frozen=True):
    """What readers saw: how many commits, their delays in ms, and what it cost the server."""

    commits: int
    seconds: float
    delays: list[float]
    bad_readers: int
    reader_kib: float
    cpu_us: float


async def watch(server: Server, matches: list[Match], plan: Play, pace: float) -> Watched:
    """Play all matches at `pace` commits a second in all, with all readers at them."""
    before = _resident(server.pid)
    readers = await _readers(server.port, matches)
    memory = (_resident(server.pid) - before) / len(readers)
    for reader in readers:
        reader.delays.clear()  # of what was there before
    callers = [await caller(server.port) for _ in matches]
    spent, started = cpu_seconds(server.pid), time.perf_counter()
    until = started + SECONDS
    made = await asyncio.gather(
        *(
            _play(one, match, plan, until, (len(matches) / pace, number / pace))
            for number, (one, match) in enumerate(zip(callers, matches, strict=True))
        )
    )
    seconds = time.perf_counter() - started
    await _settled(readers, made)
    spent = cpu_seconds(server.pid) - spent
    bad = sum(
        reader.versions != list(range(1, made[number // READERS] + 2))
        for number, reader in enumerate(readers)
    )
    for one in callers:
        one.close()
    for reader in readers:
        reader.transport.close()
    delays = [delay for reader in readers for delay in reader.delays]
    return Watched(sum(made), seconds, delays, bad, memory / 1024, 1e6 * spent / len(delays))


def _same(reader: Reader) -> Reader:
    return reader


async def _readers(port: int, matches: list[Match]) -> list[Reader]:
    loop = asyncio.get_running_loop()
    readers: list[Reader] = []
    for match in matches:
        for number in range(READERS):
            # Half of them sit at the table, half look on.
            token = match.tokens[number % len(match.tokens)] if number % 2 else _ORGANIZER
            reader = Reader(match.id, token)
            await loop.create_connection(partial(_same, reader), "127.0.0.1", port)
            readers.append(reader)
    async with asyncio.timeout(30):
        while not all(reader.versions for reader in readers):  # noqa: ASYNC110 -- no event says so
            await asyncio.sleep(0.05)
    return readers


async def _play(
    one: Caller, match: Match, plan: Play, until: float, beat: tuple[float, float]
) -> int:
    """Play a match, a command every `beat[0]` seconds from `beat[1]` on; how many were made."""
    every, begin = beat
    start = time.perf_counter() + begin
    for number, (seat, body) in enumerate(plan.sent):
        due = start + number * every
        if due > until:
            return number
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        path = f"/v1/matches/{match.id}/commands"
        status, answer = await one.call(request("POST", path, match.tokens[seat], body))
        if status != 200:  # noqa: PLR2004
            raise AssertionError(answer)
    return len(plan.sent)


async def _settled(readers: list[Reader], made: Sequence[int]) -> None:
    """Wait until everybody has everything, or nothing more comes for a while."""
    wanted = READERS * (sum(made) + len(made))
    for _ in range(100):
        if sum(len(reader.versions) for reader in readers) >= wanted:
            return
        await asyncio.sleep(0.05)


def _resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class Grabbed(Struct, frozen=True):
    """Grabs at once: the ms from sending each to its answer, and pairs logged as sent."""

    delays: list[float]
    late: int
    pairs: int
    in_order: int


async def grab(port: int) -> Grabbed:
    """All hands of all tables at once, window after window."""
    organizer = await caller(port)
    tables = [await _sit_down(organizer, port) for _ in range(TABLES)]
    delays: list[float] = []
    late = pairs = in_order = 0
    for _ in range(ROUNDS):
        await asyncio.gather(*(_all_ready(table) for table in tables))
        hands = [hand for table in tables for hand in table]
        found = await asyncio.gather(*(hand.grab() for hand in hands))
        for start in range(0, len(hands), HANDS):
            logged = [one for one in found[start : start + HANDS] if one.version]
            logged.sort(key=lambda one: one.version)
            late += HANDS - len(logged)
            delays += [one.delay for one in logged]
            for number, earlier in enumerate(logged):
                pairs += len(logged) - number - 1
                in_order += sum(earlier.sent < one.sent for one in logged[number + 1 :])
        await asyncio.sleep(WINDOW_MS / 1000 + 0.15)
    return Grabbed(delays, late, pairs, in_order)


class _Grab(Struct, frozen=True):
    sent: float
    delay: float
    version: int


class Hand:
    """A seat with its own connection."""

    def __init__(self, one: Caller, match: str, token: str) -> None:
        self._caller = one
        self._path = f"/v1/matches/{match}/commands"
        self._token = token

    async def send(self, command: dict[str, Any]) -> tuple[int, Any]:
        """Send a command."""
        body = json.dumps(command).encode()
        return await self._caller.call(request("POST", self._path, self._token, body))

    async def grab(self) -> _Grab:
        """Grab a dog; version 0 where the window is not open."""
        sent = time.perf_counter()
        status, answer = await self.send({"type": "grab", "what": "dog"})
        version = answer["version"] if status == 200 else 0  # noqa: PLR2004
        return _Grab(sent, 1000 * (time.perf_counter() - sent), version)


async def _sit_down(organizer: Caller, port: int) -> list[Hand]:
    order = {
        "game": "dancing-villager",
        "seats": [{"name": "s"}] * HANDS,
        "options": {"window_ms": WINDOW_MS, "dogs": 45, "target": 12},
    }
    body = json.dumps(order).encode()
    status, made = await organizer.call(request("POST", "/v1/matches", _ORGANIZER, body))
    if status != 201:  # noqa: PLR2004
        raise AssertionError(made)
    return [Hand(await caller(port), made["match"], seat["token"]) for seat in made["seats"]]


async def _all_ready(table: list[Hand]) -> None:
    for hand in table:
        await hand.send({"type": "ready"})


def _lateness(port: int, mark: str) -> float:
    """A line of what the service itself counts of how late it met its deadlines."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    name = "referee_deadline_late_seconds_"
    return next(float(line.split()[-1]) for line in lines if line.startswith(name) and mark in line)


def _share(delays: Sequence[float], share: float) -> str:
    ordered = sorted(delays)
    return f"{ordered[min(len(ordered) - 1, int(share * len(ordered)))]:.1f}"


def readers() -> Table:
    """A thousand readers while commands run."""
    count = MATCHES * READERS
    table = Table(title=f"Live, one worker: {count} readers of {MATCHES} matches")
    for head in (
        "commits/s",
        "delivered/s",
        "p50 ms",
        "p99 ms",
        "p99.9 ms",
        "readers with gaps or disorder",
        "KiB a reader",
        "CPU µs a delivery",
    ):
        table.add_column(head, justify="right")
    plan = a_match()
    for pace in PACES:
        with service() as server:
            matches = create(server.port, MATCHES)
            seen = asyncio.run(watch(server, matches, plan, pace))
        table.add_row(
            f"{seen.commits / seen.seconds:,.0f}",
            f"{len(seen.delays) / seen.seconds:,.0f}",
            *(_share(seen.delays, share) for share in (0.50, 0.99, 0.999)),
            f"{seen.bad_readers}",
            f"{seen.reader_kib:.0f}",
            f"{seen.cpu_us:.0f}",
        )
    return table


def grabs() -> Table:
    """Every hand at once."""
    hands = TABLES * HANDS
    table = Table(title=f"Grabs, one worker: {hands} hands in {TABLES} matches at once")
    for head in (
        "grabs",
        "p50 ms",
        "p99 ms",
        "worst ms",
        "too late",
        "pairs logged as sent",
        "windows closed",
        "within 0.1 s of their end",
    ):
        table.add_column(head, justify="right")
    with service() as server:
        done = asyncio.run(grab(server.port))
        closed, in_time = (_lateness(server.port, suffix) for suffix in ("count", 'le="0.1"'))
    table.add_row(
        f"{len(done.delays)}",
        *(_share(done.delays, share) for share in (0.50, 0.99, 1.0)),
        f"{done.late}",
        f"{100 * done.in_order / done.pairs:.1f} %",
        f"{closed:,.0f}",
        f"{100 * in_time / closed:.1f} %",
    )
    return table


def main() -> None:
    """Both, printed."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16384), hard))
    print_table(readers())
    print_table(grabs())


if __name__ == "__main__":
    main()
