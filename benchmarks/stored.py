"""What a finished match takes in the store: played over HTTP, and asked of Redis itself."""

from __future__ import annotations

import http.client
import statistics
from typing import Any, Final

import msgspec
from redis import Redis
from rich.table import Table

from benchmarks.commands import Match, create
from benchmarks.servers import service, store
from referee.core.rules import Rules
from referee.games.giro_galoppo import GAME
from referee.selfplay import Setup, chance_of, play, seed_of

MATCHES: Final = 20
"""Matches for each number of seats."""

Sent = list[tuple[int, bytes]]
"""A match as its seats send it: (seat, body) in order. Nothing in giro-galoppo is drawn."""


def main() -> Table:
    """Bytes of a log, and of the whole stream in Redis, by number of seats."""
    table = Table(title=f"A finished match of {GAME.id} in the embedded store, {MATCHES} at random")
    for head in ("seats", "commits", "bytes of its commits, KiB", "in Redis, KiB", "of 16 KiB"):
        table.add_column(head, justify="right")
    with store() as kept, service(kept.url) as server:
        redis = Redis.from_url(kept.url)
        for seats in GAME.players:
            table.add_row(*_row(redis, server.port, seats))
    return table


def _row(redis: Any, port: int, seats: int) -> tuple[str, ...]:
    commits, logged, stored = [], [], []
    for number, match in enumerate(create(port, MATCHES, seats)):
        _play(port, match, _a_match(seats, number))
        key = f"match:{{{match.id}}}:log"
        entries = redis.xrange(key)
        commits.append(len(entries))
        logged.append(sum(len(fields[b"c"]) for _, fields in entries) / 1024)
        stored.append(redis.memory_usage(key, samples=0) / 1024)
    mean = statistics.mean
    return (
        str(seats),
        f"{mean(commits):.0f}",
        f"{mean(logged):.1f}",
        f"{mean(stored):.1f}",
        f"{mean(stored) / 16:.2f}",
    )


def _a_match(seats: int, number: int) -> Sent:
    setup = Setup(seats=seats, seed=seed_of("stored", number))
    steps = play(Rules(GAME), setup, chance_of("stored", seats, number))
    next(steps)
    return [(step.by.seat or 0, msgspec.json.encode(step.command)) for step in steps]


def _play(port: int, match: Match, sent: Sent) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for seat, body in sent:
        headers = {
            "Authorization": f"Bearer {match.tokens[seat]}",
            "Content-Type": "application/json",
        }
        connection.request("POST", f"/v1/matches/{match.id}/commands", body, headers)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != http.client.OK:
            raise AssertionError(text)
    connection.close()
