"""Commands accepted over HTTP by one worker, against the same framework doing nothing."""

from __future__ import annotations

import contextlib
import http.client
import statistics
import tempfile
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from rich.table import Table

from benchmarks.load import Load, drive, request
from benchmarks.servers import SECRET, Server, ceiling, cpu_seconds, service
from referee.core.rules import Rules
from referee.games.giro_galoppo import GAME
from referee.http.tokens import Tokens
from referee.selfplay import Setup, chance_of, play, seed_of
from referee.service import Bearer
from referee.store.embedded.server import EmbeddedRedis

CLIENTS: Final = 32
SECONDS: Final = 4.0
ROUNDS: Final = 3
MATCHES: Final = 1600
SEATS: Final = 4


class Play(Struct, frozen=True):
    """A whole match as its seats send it: (seat, body) in order. Nothing in it is drawn."""

    sent: tuple[tuple[int, bytes], ...]


def a_match() -> Play:
    """One lawful match of giro-galoppo; every match is then played the same."""
    rules = Rules(GAME)
    steps = play(rules, Setup(seats=SEATS, seed=seed_of("load")), chance_of("load"))
    next(steps)
    encode = msgspec.json.encode
    return Play(tuple((step.by.seat or 0, encode(step.command)) for step in steps))


class Match(Struct, frozen=True):
    """A match that was created: its id and its seats' tokens."""

    id: str
    tokens: tuple[str, ...]


def create(port: int, count: int, seats: int = SEATS) -> list[Match]:
    """Create `count` matches on the service at `port`."""
    organizer = Tokens([SECRET.encode()]).issue(Bearer("organizer"))
    connection = http.client.HTTPConnection("127.0.0.1", port)
    body = msgspec.json.encode({"game": GAME.id, "seats": [{"name": "s"}] * seats})
    headers = {"Authorization": f"Bearer {organizer}", "Content-Type": "application/json"}
    created = []
    for _ in range(count):
        connection.request("POST", "/v1/matches", body, headers)
        answer = msgspec.json.decode(connection.getresponse().read())
        created.append(Match(answer["match"], tuple(seat["token"] for seat in answer["seats"])))
    connection.close()
    return created


def requests(matches: list[Match], plan: Play) -> Iterator[bytes]:
    """Play these matches one after another, request by request."""
    for match in matches:
        path = f"/v1/matches/{match.id}/commands"
        for seat, body in plan.sent:
            yield request("POST", path, match.tokens[seat], body)


class Measured(Struct, frozen=True):
    """A load, and the processor time in µs that the serving process spent on each request."""

    load: Load
    cpu_us: float


def measure(server: Server, matches: list[Match], plan: Play) -> Measured:
    """All clients at once, each with its own share of the matches."""
    shares = [requests(matches[number::CLIENTS], plan) for number in range(CLIENTS)]
    before = cpu_seconds(server.pid)
    done = drive(server.port, shares, SECONDS)
    spent = cpu_seconds(server.pid) - before
    if done.accepted != sum(done.statuses.values()):
        raise AssertionError(done.statuses)
    return Measured(done, 1e6 * spent / done.accepted)


def main() -> Table:
    """Three servers in turn, round by round, so that the machine's drift strikes all alike."""
    plan = a_match()
    feigned = [Match(f"m{number}", ("t" * 180,) * SEATS) for number in range(MATCHES)]
    rounds: dict[str, list[Measured]] = {"noop": [], "append": [], "service": []}
    for _ in range(ROUNDS):
        with ceiling("noop") as server:
            rounds["noop"].append(measure(server, feigned, plan))
        with _appending() as server:
            rounds["append"].append(measure(server, feigned, plan))
        with service() as server:
            matches = create(server.port, MATCHES)
            rounds["service"].append(measure(server, matches, plan))
    return _table(rounds)


@contextlib.contextmanager
def _appending() -> Generator[Server]:
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedRedis(Path(folder)) as redis,
        ceiling("append", redis.url) as server,
    ):
        yield server


_NAMES: Final = {
    "noop": "(a) a no-op handler of the same framework and shapes",
    "append": "(b) the same with one bare append, synced to disk",
    "service": "the service: judged, hashed, appended, synced",
}


def _table(rounds: dict[str, list[Measured]]) -> Table:
    table = Table(title=f"Commands over HTTP, one worker, {CLIENTS} clients, medians of {ROUNDS}")
    for head in ("", "accepted/s", "of (a)", "of (b)", "p50 ms", "p99 ms", "its CPU µs", "of (a)"):
        table.add_column(head, justify="right" if head else "left")
    rate = {name: _median(one.load.per_second for one in some) for name, some in rounds.items()}
    cpu = {name: _median(one.cpu_us for one in some) for name, some in rounds.items()}
    for name, some in rounds.items():
        table.add_row(
            _NAMES[name],
            f"{rate[name]:,.0f}",
            f"{rate[name] / rate['noop']:.2f}",
            f"{rate[name] / rate['append']:.2f}",
            f"{_median(one.load.delay_ms(0.50) for one in some):.2f}",
            f"{_median(one.load.delay_ms(0.99) for one in some):.2f}",
            f"{cpu[name]:.0f}",
            f"{cpu[name] / cpu['noop']:.2f}",
        )
    return table


def _median(values: Iterable[float]) -> float:
    return statistics.median(list(values))
