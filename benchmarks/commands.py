"""Commands accepted over HTTP, against the barest handler of the same framework, and creations."""

from __future__ import annotations

import http.client
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import repeat
from typing import Final

import msgspec
from msgspec import Struct
from rich.table import Table

from benchmarks.load import Load, Reader, drive, quantile, request
from benchmarks.servers import SECRET, Server, Store, ceiling, cpu_seconds, service, store
from referee.core.rules import Rules
from referee.games.giro_galoppo import GAME
from referee.http.tokens import Tokens
from referee.selfplay import Setup, chance_of, play, seed_of
from referee.service import Bearer

CLIENTS: Final = 32
SECONDS: Final = 4.0
ROUNDS: Final = 5
MATCHES: Final = 800
WATCHED: Final = 320
"""Matches that have readers, and how many each."""
READERS: Final = 2
SEATS: Final = 4
WORKERS: Final = (2, 4)
FIRST_MOVES: Final = 50
ORGANIZER: Final = Tokens([SECRET.encode()]).issue(Bearer("organizer"))
_ORDER: Final = msgspec.json.encode({"game": GAME.id, "seats": [{"name": "s"}] * SEATS})


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
    body = msgspec.json.encode({"game": GAME.id, "seats": [{"name": "s"}] * seats})
    one = Caller(port)
    made = [_match_in(one.post("/v1/matches", ORGANIZER, body)) for _ in range(count)]
    one.close()
    return made


def _match_in(answer: bytes) -> Match:
    made = msgspec.json.decode(answer)
    return Match(made["match"], tuple(seat["token"] for seat in made["seats"]))


class Caller:
    """One connection that asks for one thing at a time."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port)
        self.close = self._connection.close

    def post(self, path: str, token: str, body: bytes) -> bytes:
        """The body of a good answer."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._connection.request("POST", path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status not in (200, 201):
            raise AssertionError(text)
        return text


def requests(matches: Sequence[Match], plan: Play) -> Iterator[bytes]:
    """Play these matches one after another, request by request."""
    for match in matches:
        path = f"/v1/matches/{match.id}/commands"
        for seat, body in plan.sent:
            yield request("POST", path, match.tokens[seat], body)


# ── What is measured ──────────────────────────────────────────────────────────────────────────────


class Measured(Struct, frozen=True):
    """A load, and the processor time in µs a request of the server and of the store."""

    load: Load
    cpu_us: float
    store_us: float


def measure(server: Server, kept: Store, work: Callable[[Callable[[], None]], Load]) -> Measured:
    """Do the work, all of which must be accepted; it says when it begins."""
    pids, before = (server.pid, kept.pid), list[float]()
    done = work(lambda: before.extend(map(cpu_seconds, pids)))
    spent = [cpu_seconds(pid) - begun for pid, begun in zip(pids, before, strict=True)]
    if done.accepted != sum(done.statuses.values()):
        raise AssertionError(done.statuses)
    cpu_us, store_us = (1e6 * seconds / done.accepted for seconds in spent)
    return Measured(done, cpu_us, store_us)


def _played(
    server: Server, kept: Store, matches: list[Match], seconds: float, readers: int = 0
) -> Measured:
    """All clients at once, each with its own share of the matches."""
    plan = a_match()
    shares = [requests(matches[number::CLIENTS], plan) for number in range(CLIENTS)]
    streams = [Reader(match.id, ORGANIZER) for match in matches for _ in range(readers)]
    return measure(server, kept, partial(drive, server.port, shares, seconds, streams))


def _created(server: Server, kept: Store, seconds: float) -> Measured:
    order = request("POST", "/v1/matches", ORGANIZER, _ORDER)
    orders = [repeat(order) for _ in range(CLIENTS)]
    return measure(server, kept, partial(drive, server.port, orders, seconds, ()))


def first_moves(port: int) -> list[float]:
    """The ms that the first command takes of a match that was created just before."""
    seat, body = a_match().sent[0]
    one, taken = Caller(port), []
    for _ in range(FIRST_MOVES):
        match = _match_in(one.post("/v1/matches", ORGANIZER, _ORDER))
        began = time.perf_counter()
        one.post(f"/v1/matches/{match.id}/commands", match.tokens[seat], body)
        taken.append(1000 * (time.perf_counter() - began))
    one.close()
    return taken


_NAMES: Final = {
    "append": "the ceiling: a bare handler, one append synced to disk",
    "plain": "a plain handler, no append",
    "service": "the service: judged, hashed, appended, synced",
    "watched": f"the same, {READERS} readers a match",
    **{f"workers {count}": f"the service, {count} workers" for count in WORKERS},
}


def commands(*, short: bool = False) -> Table:
    """Each in turn, round by round, so that the machine's drift strikes all alike."""
    seconds = SECONDS / 2 if short else SECONDS
    rounds: dict[str, list[Measured]] = {name: [] for name in _NAMES}
    for _ in range(2 if short else ROUNDS):
        with store() as kept:
            _round(kept, seconds, rounds)
    if not short:
        with store() as kept:
            _several(kept, rounds)
    return _table({name: some for name, some in rounds.items() if some})


def _several(kept: Store, rounds: dict[str, list[Measured]]) -> None:
    for count in WORKERS:
        with service(kept.url, REFEREE_WORKERS=str(count)) as server:
            matches = create(server.port, MATCHES)
            rounds[f"workers {count}"].append(_played(server, kept, matches, SECONDS))


def _round(kept: Store, seconds: float, rounds: dict[str, list[Measured]]) -> None:
    with service(kept.url) as server:
        matches = create(server.port, MATCHES)
        rounds["service"].append(_played(server, kept, matches, seconds))
        matches = create(server.port, WATCHED)
        rounds["watched"].append(_played(server, kept, matches, seconds, READERS))
    load = rounds["service"][-1].load
    feigned = [Match(f"m{number}", ("t" * 180,) * SEATS) for number in range(MATCHES)]
    for which in ("append", "plain"):
        with ceiling(which, load.size // load.accepted, kept.url) as server:
            rounds[which].append(_played(server, kept, feigned, seconds))


def _least(some: Sequence[Measured], figure: Callable[[Measured], float]) -> float:
    return min(map(figure, some))


def _table(rounds: dict[str, list[Measured]]) -> Table:
    title = f"Commands over HTTP, {CLIENTS} clients; rates are medians, CPU the least of all rounds"
    table = Table(title=title)
    for head in (
        "", "accepted/s", "of the ceiling", "p50 ms", "p99 ms", "CPU µs", "the ceiling's of it",
        "store's CPU µs", "of the ceiling's", "bytes an answer", "CPU µs a delivery",
    ):  # fmt: skip
        table.add_column(head, justify="right" if head else "left")
    rate = {name: _median(some, lambda one: one.load.per_second) for name, some in rounds.items()}
    cpu = {name: _least(some, lambda one: one.cpu_us) for name, some in rounds.items()}
    stored = {name: _least(some, lambda one: one.store_us) for name, some in rounds.items()}
    for name, some in rounds.items():
        load = some[-1].load
        of_reader = load.accepted * (cpu[name] - cpu["service"]) / max(1, load.delivered)
        table.add_row(
            _NAMES[name],
            f"{rate[name]:,.0f}",
            f"{rate[name] / rate['append']:.2f}",
            *(f"{_median(some, _delay(share)):.2f}" for share in (0.50, 0.99)),
            f"{cpu[name]:.0f}",
            f"{cpu['append'] / cpu[name]:.2f}",
            f"{stored[name]:.0f}",
            f"{stored[name] / stored['append']:.2f}",
            f"{load.size / load.accepted:.0f}",
            f"{of_reader:.0f}" if load.delivered else "",
        )
    return table


def _median(some: Sequence[Measured], figure: Callable[[Measured], float]) -> float:
    return statistics.median(map(figure, some))


def _delay(share: float) -> Callable[[Measured], float]:
    return lambda one: one.load.delay_ms(share)


def creations(*, short: bool = False) -> Table:
    """Matches that come into being: how many, what one costs, and how soon it can be played."""
    table = Table(title=f"Creating matches of {SEATS} seats, {CLIENTS} clients; the best round")
    for head in (
        "created/s", "p50 ms", "p99 ms", "CPU µs", "store's CPU µs", "first move: p50 ms",
        "first move: p99 ms", "start to first answer, s",
    ):  # fmt: skip
        table.add_column(head, justify="right")
    done: list[tuple[Measured, list[float], float]] = []
    for _ in range(2 if short else ROUNDS):
        with store() as kept, service(kept.url) as server:
            made = _created(server, kept, SECONDS / 2)
            done.append((made, first_moves(server.port), server.started_s))
    made = min((one for one, _, _ in done), key=lambda one: one.cpu_us)
    table.add_row(
        f"{made.load.per_second:,.0f}",
        *(f"{made.load.delay_ms(share):.2f}" for share in (0.50, 0.99)),
        f"{made.cpu_us:.0f}",
        f"{made.store_us:.0f}",
        *(f"{min(quantile(moves, share) for _, moves, _ in done):.2f}" for share in (0.50, 0.99)),
        f"{min(started for _, _, started in done):.2f}",
    )
    return table


def main(*, short: bool = False) -> list[Table]:
    """Both."""
    return [commands(short=short), creations(short=short)]
