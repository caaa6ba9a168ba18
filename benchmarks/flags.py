"""Flags that fall at once: many clocks run out in one second, and two processes mind them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct
from redis import Redis
from rich.table import Table

from benchmarks.commands import SEATS, Play, a_match
from benchmarks.servers import cpu_seconds, service, store
from referee.core.commit import stamp_in
from referee.core.game import Asker
from referee.core.match import ClockSetting
from referee.core.rules import Rules
from referee.games.giro_galoppo import GAME
from referee.selfplay import Setup, seed_of
from referee.store.scripts import TAGS, deadlines_key, log_key

COUNTS: Final = (1_000, 10_000)
PROCESSES: Final = 2
MOVES: Final = 12
"""Commands that were taken in each match before its clock runs out."""
BASE_S: Final = 600
REST_S: Final = 8.0
"""Seconds in which the processes may find what will be due."""


class Fallen(Struct, frozen=True):
    """What came of it: how late each flag's stamp was, in ms, and when the last was in its log.

    `cpu_us`: processor time in µs for each flag from the first on, of all processes and of Redis:
    on two quiet cores both of them together take half as long.
    """

    late_ms: list[int]
    last_ms: int
    cpu_us: tuple[float, float]


def logs(count: int, first_ms: int, plan: Play) -> Iterator[tuple[str, int, list[bytes]]]:
    """Matches in play, whose clocks run out one after another in a second: id, when, commits."""
    rules = Rules(GAME)
    clock = ClockSetting(base_s=BASE_S)
    for number in range(count):
        due = first_ms + 1000 * number // count
        at, match = due - 1000 * BASE_S, f"flag{number}"
        setup = Setup(match=match, seats=SEATS, seed=seed_of("load"), clock=clock)
        decided = rules.create(setup.order(rules), at, salt=bytes(12))
        commits = [decided.data]
        for seat, body in plan.sent[:MOVES]:
            command = rules.read_command(body)
            by = Asker("seat", seat, at)
            decided = rules.decide(decided.match, by, command, key=None, salt=bytes(12))
            commits.append(decided.data)
        assert rules.deadline(decided.match) == due  # noqa: S101 -- what all of this is about
        yield match, due, commits


def fill(redis: Any, count: int, plan: Play) -> int:
    """Put so many matches into the store; when the first of them is due, Unix ms."""
    started = time.time()
    list(logs(100, 10**12, plan))
    most = (time.time() - started) * count / 100
    first = int(1000 * (time.time() + 2 * most + 5 + REST_S))
    with redis.pipeline(transaction=False) as pipe:
        for number, (match, due, commits) in enumerate(logs(count, first, plan)):
            for version, data in enumerate(commits, 1):
                pipe.xadd(log_key(match), {"c": data}, id=f"{version}-0")
            pipe.zadd(deadlines_key(TAGS[0]), {match: due})
            if number % 100 == 0:
                pipe.execute()
        pipe.execute()
    return first


def fall(count: int) -> Fallen:
    """Let so many flags fall."""
    with store() as kept:
        redis = Redis.from_url(kept.url)
        with contextlib.ExitStack() as stack:
            made = [stack.enter_context(service(kept.url)) for _ in range(PROCESSES)]
            pids = [[server.pid for server in made], [kept.pid]]
            first = fill(redis, count, a_match())
            time.sleep(max(0.0, first / 1000 - time.time()))
            before = [sum(map(cpu_seconds, some)) for some in pids]
            last = _wait(redis, first + 1000) - first - 1000
            spent = [sum(map(cpu_seconds, some)) for some in pids]
        late = [_late(redis, f"flag{n}", first + 1000 * n // count) for n in range(count)]
        cpu = [1e6 * (end - begin) / count for begin, end in zip(before, spent, strict=True)]
        return Fallen(sorted(late), last, (cpu[0], cpu[1]))


def _wait(redis: Any, until: int) -> int:
    """Wait until nothing is due by then; when that was, by the server."""
    while redis.zcount(deadlines_key(TAGS[0]), "-inf", until):
        time.sleep(0.02)
    seconds, micros = redis.time()
    return int(1000 * seconds + micros // 1000)


def _late(redis: Any, match: str, due: int) -> int:
    """How late the flag's stamp is; nothing else is in the log."""
    entry = f"{MOVES + 2}-0"
    ((_, fields),) = redis.xrange(log_key(match), entry, "+")
    return (stamp_in(fields[b"c"]) or 0) - due


def main() -> Table:
    """Each count in turn."""
    title = (
        f"Flags that fall in one second, {PROCESSES} processes, after {MOVES} moves in each match"
    )
    table = Table(title=title)
    for head in (
        "flags",
        "late: p50 ms",
        "p99 ms",
        "most ms",
        "all in the log after the last was due, ms",
        "CPU µs a flag",
        "of Redis",
    ):
        table.add_column(head, justify="right")
    for count in COUNTS:
        done = fall(count)
        late = done.late_ms
        table.add_row(
            f"{count:,}",
            *(f"{late[min(count - 1, int(share * count))]:,}" for share in (0.5, 0.99, 1.0)),
            f"{done.last_ms:,}",
            *(f"{cpu:.0f}" for cpu in done.cpu_us),
        )
    return table
