"""Long matches: what is done with a match of 10 to 1,000,000 commits, beside one of ten.

The match is paused and resumed: nothing of the game grows, so that whatever grows is the
service's own. Its log is laid into the embedded store as it stands, and a service loads it.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final

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
_ORGANIZER: Final = Bearer("organizer")
HELD_BY_NOBODY: Final = "of a loop of 1 ms turns that takes as long, ms"
"""A core that is shared with other machines stands still at times, and CPU time counts that."""
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
    for head in ("commits", *FIGURES, "longest hold in loading and sending it, ms", HELD_BY_NOBODY):
        table.add_column(head, justify="right")
    with tempfile.TemporaryDirectory() as folder, EmbeddedRedis(Path(folder)) as embedded:
        shortest: list[float] = []
        for length in LENGTHS[:-1] if short else LENGTHS:
            figures, holds = asyncio.run(_measured(embedded.url, length))
            shortest = shortest or figures
            pairs = zip(figures, shortest, strict=True)
            cells = (f"{ms:.2f} ({ms / least:.1f}x)" for ms, least in pairs)
            table.add_row(f"{length:,}", *cells, *(f"{hold:.1f}" for hold in holds))
    return [table]


async def _measured(url: str, length: int) -> tuple[list[float], tuple[float, float]]:
    match = f"long-{length}"
    with Redis.from_url(url) as redis:
        lay(redis, match, log_of(catalogue().current("giro-galoppo"), match, length))
        store = open_store(url)
        at_hand = Service(store, catalogue())
        figures = [await figure(at_hand, match, length) for figure in FIGURES.values()]
        begun = time.process_time()
        hold = await _longest_hold(_loaded_and_sent(Service(store, catalogue()), match))
        of_none = await _longest_hold(_turns(time.process_time() - begun))
        await store.aclose()
        redis.flushall()
    return figures, (hold, of_none)


async def _loaded_and_sent(at_hand: Service, match: str) -> None:
    await at_hand.view(match, _ORGANIZER)
    async for _ in await at_hand.log(match, _ORGANIZER):
        pass


async def _turns(cpu_s: float) -> None:
    """Work that holds the loop for a millisecond at a time: what is longer, the machine makes."""
    until = time.process_time() + cpu_s
    while (now := time.process_time()) < until:
        while time.process_time() < now + 0.001:
            pass
        await asyncio.sleep(0)


async def _longest_hold(work: Coroutine[Any, Any, object]) -> float:
    """The longest, in ms of CPU, that nobody else had a turn while the work was done."""
    task, longest, last = asyncio.ensure_future(work), 0.0, time.process_time()
    while not task.done():
        await asyncio.sleep(0)
        now = time.process_time()
        longest, last = max(longest, now - last), now
    return longest * 1e3


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
