"""Live play on one worker: up to ten thousand readers, and hands that grab at once."""

from __future__ import annotations

import asyncio
import http.client
import json
import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Final

from msgspec import Struct
from rich.table import Table

from benchmarks.commands import ORGANIZER, Match, Play, a_match, create
from benchmarks.load import Reader, open_streams, quantile, request
from benchmarks.servers import Server, cpu_seconds, resident, service, store

LIVE: Final = ((100, 10, 400), (10, 100, 100), (100, 10, 100), (100, 100, 50))
"""Matches, readers of each, and commits a second in all."""
_FEW: Final = 2
"""How many of these are measured in a short run."""
SECONDS: Final = 8.0
BACK: Final = (50, 100)
"""Matches, and readers of each, that come back at once."""
BACK_PACE: Final = 100
BACK_S: Final = 10.0
TABLES: Final = 16
HANDS: Final = 4
ROUNDS: Final = 15
WINDOW_MS: Final = 500


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
    """What readers saw: how many commits, their delays in ms, and what it cost the server.

    `answers`: the ms that the commands took; `cpu_s`: processor time while they were played.
    """

    commits: int
    seconds: float
    delays: list[float]
    answers: list[float]
    bad_readers: int
    reader_kib: float
    cpu_s: float


async def watch(
    server: Server, matches: list[Match], readers: int, pace: float, seconds: float
) -> Watched:
    """Play all matches at `pace` commits a second in all, with so many readers at each."""
    streams = _streams(matches, readers)
    before = resident(server.pid)
    await open_streams(server.port, streams)
    memory = (resident(server.pid) - before) / max(1, len(streams))
    for stream in streams:
        stream.delays.clear()  # of what was there before
    spent, started = cpu_seconds(server.pid), time.perf_counter()
    answers = await _all_played(server.port, matches, pace, seconds)
    took, made = time.perf_counter() - started, [len(some) for some in answers]
    await _settled(streams, readers * (sum(made) + len(made)))
    spent = cpu_seconds(server.pid) - spent
    bad = _bad(streams, made)
    delays = [delay for stream in streams for delay in stream.delays]
    every = [one.ms for some in answers for one in some]
    return Watched(sum(made), took, delays, every, bad, memory / 1024, spent)


def _streams(matches: list[Match], readers: int) -> list[Reader]:
    """Half of them sit at the table, half look on."""
    return [
        Reader(match.id, match.tokens[number % len(match.tokens)] if number % 2 else ORGANIZER)
        for match in matches
        for number in range(readers)
    ]


def _bad(streams: list[Reader], commits: list[int]) -> int:
    """How many missed something, or had it twice or in disorder, of so many commits a match.

    All of them end.
    """
    readers = len(streams) // len(commits)
    for stream in streams:
        stream.transport.close()
    return sum(
        stream.versions != list(range(1, commits[number // readers] + 2))
        for number, stream in enumerate(streams)
    )


class Answered(Struct, frozen=True):
    """A command: when it was sent, by the system's clock that no process sets, and its ms."""

    sent: float
    ms: float


async def _all_played(
    port: int, matches: list[Match], pace: float, seconds: float
) -> list[list[Answered]]:
    """Play all matches, one after another at each beat: their commands, by match."""
    callers, plan = [await caller(port) for _ in matches], a_match()
    until = time.perf_counter() + seconds
    answers = await asyncio.gather(
        *(
            _play(one, match, plan, until, (len(matches) / pace, number / pace))
            for number, (one, match) in enumerate(zip(callers, matches, strict=True))
        )
    )
    for one in callers:
        one.close()
    return answers


async def _play(
    one: Caller, match: Match, plan: Play, until: float, beat: tuple[float, float]
) -> list[Answered]:
    """Play a match, a command every `beat[0]` seconds from `beat[1]` on."""
    (every, begin), taken = beat, list[Answered]()
    start = time.perf_counter() + begin
    for number, (seat, body) in enumerate(plan.sent):
        due = start + number * every
        if due > until:
            break
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        path, sent = f"/v1/matches/{match.id}/commands", time.perf_counter()
        status, answer = await one.call(request("POST", path, match.tokens[seat], body))
        taken.append(Answered(sent, 1000 * (time.perf_counter() - sent)))
        if status != 200:  # noqa: PLR2004
            raise AssertionError(answer)
    return taken


async def _settled(readers: list[Reader], wanted: int) -> None:
    """Wait until everybody has everything, or nothing more comes for a while."""
    for _ in range(100):
        if sum(len(reader.versions) for reader in readers) >= wanted:
            return
        await asyncio.sleep(0.05)


class Returned(Struct, frozen=True):
    """Readers that were cut off and all came back at once, with the place where they stood.

    `seconds`: until all had their first messages; `cpu_s`: the server's meanwhile, `answers`: the
    commands' ms; `bad_readers`: those that missed a commit, or had one twice.
    """

    seconds: float
    cpu_s: float
    answers: list[float]
    bad_readers: int


async def come_back(server: Server, matches: list[Match], readers: int) -> Returned:
    """Cut all readers off while the matches are played, and let them come back.

    Another process plays them: what so many readers cost in this one makes no command late.
    """
    loop, streams = asyncio.get_running_loop(), _streams(matches, readers)
    await open_streams(server.port, streams)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other:
        await loop.run_in_executor(other, int)  # it takes a while to start
        playing = loop.run_in_executor(other, _played, server.port, matches)
        await asyncio.sleep(1)
        before, cut = cpu_seconds(server.pid), time.perf_counter()
        for stream in streams:
            stream.cut()
        took = await open_streams(server.port, streams)
        spent = cpu_seconds(server.pid) - before
        answers = await playing
    await _settled(streams, readers * sum(len(some) + 1 for some in answers))
    bad = _bad(streams, [len(some) for some in answers])
    meanwhile = (one.ms for some in answers for one in some if cut <= one.sent <= cut + took)
    return Returned(took, spent, list(meanwhile), bad)


def _played(port: int, matches: list[Match]) -> list[list[Answered]]:
    return asyncio.run(_all_played(port, matches, BACK_PACE, BACK_S))


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
    status, made = await organizer.call(request("POST", "/v1/matches", ORGANIZER, body))
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


def readers(*, short: bool = False) -> Table:
    """Readers of matches at a pace, beside the same matches at the same pace without any."""
    table = Table(title="Live, one worker: a delivery is the CPU beyond that without readers")
    for head in (
        "readers", "matches", "commits/s", "delivered/s", "p50 ms", "p99 ms", "p99.9 ms",
        "commands' p99 ms", "readers with gaps or disorder", "KiB a reader",
        "CPU µs a command without", "CPU µs a delivery",
    ):  # fmt: skip
        table.add_column(head, justify="right")
    seconds = SECONDS / 2 if short else SECONDS
    for matches, each, pace in LIVE[:_FEW] if short else LIVE:
        bare, seen = (_watched(matches, count, pace, seconds) for count in (0, each))
        beyond = seen.cpu_s - bare.cpu_s * seen.commits / bare.commits
        table.add_row(
            f"{matches * each:,}",
            f"{matches}",
            f"{seen.commits / seen.seconds:,.0f}",
            f"{len(seen.delays) / seen.seconds:,.0f}",
            *(f"{quantile(seen.delays, share):.1f}" for share in (0.50, 0.99, 0.999)),
            f"{quantile(seen.answers, 0.99):.1f}",
            f"{seen.bad_readers}",
            f"{seen.reader_kib:.1f}",
            f"{1e6 * bare.cpu_s / bare.commits:.0f}",
            f"{1e6 * beyond / len(seen.delays):.1f}",
        )
    return table


def _watched(matches: int, readers: int, pace: float, seconds: float) -> Watched:
    with store() as kept, service(kept.url) as server:
        made = create(server.port, matches)
        return asyncio.run(watch(server, made, readers, pace, seconds))


def returns() -> Table:
    """Everybody back at once."""
    matches, readers = BACK
    count = matches * readers
    table = Table(title=f"{count:,} readers cut off, and all back at once; {BACK_PACE} commits/s")
    for head in (
        "all live again after, s", "CPU µs a reader, all in", "commands' p50 ms", "p99 ms",
        "worst ms", "readers with gaps",
    ):  # fmt: skip
        table.add_column(head, justify="right")
    with store() as kept, service(kept.url) as server:
        done = asyncio.run(come_back(server, create(server.port, matches), readers))
    table.add_row(
        f"{done.seconds:.1f}",
        f"{1e6 * done.cpu_s / count:.0f}",
        *(f"{quantile(done.answers, share):.1f}" for share in (0.50, 0.99, 1.0)),
        f"{done.bad_readers}",
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
        *(f"{quantile(done.delays, share):.1f}" for share in (0.50, 0.99, 1.0)),
        f"{done.late}",
        f"{100 * done.in_order / done.pairs:.1f} %",
        f"{closed:,.0f}",
        f"{100 * in_time / closed:.1f} %",
    )
    return table


def main(*, short: bool = False) -> list[Table]:
    """All of it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return [readers(short=True)] if short else [readers(), returns(), grabs()]
