"""Long matches: what is done with a match of 10 to 1,000,000 commits, beside one of ten.

The match is paused and resumed: nothing of the game grows, so that whatever grows is the
service's own. Its log is laid into the embedded store as it stands, and a service loads it.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
import timeit
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple, Self

import msgspec
from redis import Redis
from rich.table import Table

from referee.catalogue import catalogue
from referee.core.game import Asker
from referee.core.rules import Rules
from referee.core.table.commands import Pause, Resume
from referee.selfplay import Setup, seed_of
from referee.service import Bearer, Body, Service
from referee.serving.server import spare_garbage
from referee.store import open_store
from referee.store.embedded.server import EmbeddedRedis
from referee.store.scripts import log_key

LENGTHS: Final = (10, 1_000, 10_000, 100_000, 1_000_000)
TIMES: Final = 50
_ADDED: Final = 20_000
_ORGANIZER: Final = Bearer("organizer")
HELD: Final = "longest hold in loading it, looking back and sending it, ms (of CPU)"
HELD_BY_NOBODY: Final = "of equal turns of 1 ms that take as long"
"""A core that is shared with other machines is slow or stands still at times, and a thread's CPU
time counts that: equal turns tell how long it makes 1 ms at worst."""
_LAID: Final = 10_000
"""Commits that are sent to Redis at once."""


def log_of(rules: Rules, match: str, length: int) -> Iterator[bytes]:
    """The commits of a match of so many."""
    setup = Setup(match=match, seats=rules.game.players[0], seed=seed_of(match))
    decided = rules.create(setup.order(rules), 1, salt=bytes(12))
    arbiter = Asker("organizer", None, 1)
    for version in range(1, length + 1):
        yield decided.data
        command = Pause() if version % 2 else Resume()
        decided = rules.decide(decided.match, arbiter, command, key=f"key-{version}")


def lay(redis: Any, match: str, commits: Iterator[bytes]) -> None:
    """Put a log into the store, as it stands."""
    sent = redis.pipeline(transaction=False)
    for version, data in enumerate(commits, 1):
        sent.xadd(log_key(match), {"c": data}, id=f"{version}-0")
        if version % _LAID == 0:
            sent.execute()
    sent.execute()


def main(*, short: bool = False) -> list[Table]:
    """A row a length: ms of this process's CPU, and how many times those of the shortest match."""
    spare_garbage()
    table = Table(title="Long matches, in process: CPU ms (x: times the shortest match's)")
    for head in ("commits", *FIGURES, HELD, HELD_BY_NOBODY):
        table.add_column(head, justify="right")
    with tempfile.TemporaryDirectory() as folder, EmbeddedRedis(Path(folder)) as embedded:
        shortest: list[float] = []
        for length in LENGTHS[:-1] if short else LENGTHS:
            figures, holds = asyncio.run(_measured(embedded.url, length))
            shortest = shortest or figures
            pairs = zip(figures, shortest, strict=True)
            cells = (f"{ms:.2f} ({ms / least:.1f}x)" for ms, least in pairs)
            table.add_row(f"{length:,}", *cells, *map(str, holds))
    return [table]


class Hold(NamedTuple):
    """How long nobody else had a turn, in seconds: by the clock, and by this thread's CPU time."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> Self:
        """The times that it is."""
        return cls(time.perf_counter(), time.thread_time())

    def since(self, before: Hold) -> Hold:
        """What has passed since."""
        return Hold(self.wall - before.wall, self.cpu - before.cpu)

    def __str__(self) -> str:
        return f"{self.wall * 1e3:.1f} ({self.cpu * 1e3:.1f})"


async def _measured(url: str, length: int) -> tuple[list[float], tuple[Hold, Hold]]:
    match = f"long-{length}"
    with Redis.from_url(url) as redis:
        lay(redis, match, log_of(catalogue().current("giro-galoppo"), match, length))
        store = open_store(url)
        at_hand = Service(store, catalogue())
        figures = [await figure(at_hand, match, length) for figure in FIGURES.values()]
        begun = Hold.now()
        hold = await _longest_hold(_used(Service(store, catalogue()), match, length))
        turns = int(Hold.now().since(begun).cpu * 1e3)
        of_none = await _longest_hold(_turns(turns, _added_in_a_ms()))
        await store.aclose()
        redis.flushall()
    return figures, (hold, of_none)


async def _used(at_hand: Service, match: str, length: int) -> None:
    for part in range(TIMES):
        await at_hand.view(match, _ORGANIZER, at=1 + (length - 1) * part // TIMES)
    async for _ in await at_hand.log(match, _ORGANIZER):
        pass


async def _turns(turns: int, additions: int) -> None:
    """Turns of the same work: what of them is longer than the others, the machine makes."""
    for _ in range(turns):
        _add(additions)
        await asyncio.sleep(0)


def _added_in_a_ms() -> int:
    """Additions that take a millisecond where nothing slows the machine down."""
    return int(_ADDED * 1e-3 / min(timeit.repeat(_add, number=1, repeat=20)))


def _add(times: int = _ADDED) -> None:
    total = 0
    for number in range(times):
        total += number


async def _longest_hold(work: Coroutine[Any, Any, object]) -> Hold:
    """The longest that nobody else had a turn while the work was done, by either time."""
    task, longest, last = asyncio.ensure_future(work), Hold(0, 0), Hold.now()
    while not task.done():
        await asyncio.sleep(0)
        now = Hold.now()
        longest, last = Hold(*map(max, longest, now.since(last))), now
    return longest


# ── What is measured ──────────────────────────────────────────────────────────────────────────────


async def _cpu_ms(times: int, ask: Callable[[int], Awaitable[object]]) -> float:
    taken = []
    for number in range(times):
        begun = time.process_time()
        await ask(number)
        taken.append(time.process_time() - begun)
    return median(taken) * 1e3


async def _load(at_hand: Service, match: str, _length: int) -> float:
    return await _cpu_ms(1, lambda _: at_hand.view(match, _ORGANIZER))


async def _past(at_hand: Service, match: str, length: int) -> float:
    """Each somewhere else: what was folded for one helps none of the others."""
    step = max(1, length // TIMES)
    return await _cpu_ms(
        TIMES, lambda n: at_hand.view(match, _ORGANIZER, at=1 + n * step * 7919 % (length - 1))
    )


async def _page(at_hand: Service, match: str, length: int) -> float:
    return await _cpu_ms(TIMES, lambda _: at_hand.events(match, _ORGANIZER, length // 2, 5))


async def _command(at_hand: Service, match: str, _length: int) -> float:
    return await _cpu_ms(TIMES, lambda n: _sent(at_hand, match, n, None))


async def _keyed(at_hand: Service, match: str, _length: int) -> float:
    return await _cpu_ms(TIMES, lambda n: _sent(at_hand, match, n, f"new {n}"))


async def _sent(at_hand: Service, match: str, number: int, key: str | None) -> object:
    body = Body(b'{"type":"pause"}' if number % 2 else b'{"type":"resume"}')
    return await at_hand.command(match, _ORGANIZER, body, key=key)


async def _take_back(at_hand: Service, match: str, length: int) -> float:
    def back(number: int) -> Awaitable[object]:
        to = 1 + 2 * ((length - 1) * number // (2 * TIMES))
        order = {"type": "take_back", "to": to, "reason": "measured"}
        return at_hand.command(match, _ORGANIZER, Body(msgspec.json.encode(order)))

    return await _cpu_ms(TIMES, back)


FIGURES: Final = {
    "cold load": _load,
    "a command": _command,
    "with a key": _keyed,
    "5 of its events": _page,
    "?at= anywhere": _past,
    "take-back": _take_back,
}
"""What is measured, in this order, on one service."""
