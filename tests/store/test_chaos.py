"""Everything breaks at random: what the store said about each commit must still be true."""

import asyncio
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.store import Conflict, Entry, MatchStore, StoreAway, open_store
from referee.store.embedded.server import EmbeddedRedis
from tests.store.machines import CUT_AFTER, CUT_BEFORE, FORWARD, Proxy, Verdict, proxy

pytestmark = pytest.mark.crashes


class Claims:
    """What the store said about each commit that somebody tried to append."""

    def __init__(self) -> None:
        self.stored: dict[tuple[str, int], bytes] = {}
        self.refused: set[bytes] = set()
        self.unknown: set[bytes] = set()
        self.went_back = False

    async def append(self, store: MatchStore, match: str, version: int) -> int:
        """Try once; answer the version to try next, 0 where the log has to be asked."""
        data = os.urandom(12)
        try:
            await store.append(match, version, data)
        except Conflict as conflict:
            self.went_back |= conflict.last < version - 1
            self.refused.add(data)
            return conflict.last + 1
        except StoreAway as away:
            (self.unknown if away.outcome_unknown else self.refused).add(data)
            return 0
        assert (match, version) not in self.stored
        self.stored[match, version] = data
        return version + 1

    def check(self, match: str, log: list[Entry]) -> None:
        """Hold the log against what was said."""
        held = {entry.version: entry.data for entry in log}
        for (of, version), data in self.stored.items():
            if of == match:
                assert held[version] == data, "acknowledged, and not there"
        everything = [entry.data for entry in log]
        assert len(set(everything)) == len(everything), "stored twice"
        assert not self.refused & set(everything), "refused, and there"
        assert set(everything) <= set(self.stored.values()) | self.unknown


async def write(claims: Claims, store: MatchStore, match: str, stop: asyncio.Event) -> None:
    """Append to one match until told to stop."""
    version = 0
    while not stop.is_set():
        if not version:
            try:
                version = await store.last(match) + 1
            except StoreAway:
                await asyncio.sleep(0.05)
                continue
        version = await claims.append(store, match, version)


def unreliable(chance: random.Random) -> Verdict:
    """Mostly well."""
    return chance.choices([FORWARD, CUT_BEFORE, CUT_AFTER], [96, 2, 2])[0]


async def trouble(
    server: EmbeddedRedis, chance: random.Random, seconds: float, enough: Callable[[], bool]
) -> None:
    """Kill the server now and then, and leave it dead for a moment, so long and until enough."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while loop.time() < until or not enough():
        await asyncio.sleep(chance.uniform(0.3, 1.0))
        if server.pid is not None:
            os.kill(server.pid, chance.choice([signal.SIGKILL, signal.SIGTERM]))
        await asyncio.sleep(chance.uniform(0, 0.3))
        await asyncio.to_thread(server.stop)
        await asyncio.to_thread(server.start)


@pytest.mark.parametrize(
    ("seed", "seconds"),
    [(1, 2.0), *(pytest.param(seed, 20.0, marks=pytest.mark.long) for seed in range(2, 6))],
)
async def test_what_was_said_of_each_commit_stays_true(
    embedded: EmbeddedRedis, tmp_path: Path, seed: int, seconds: float
) -> None:
    """Cut wires and killed servers under two stores that race for 20 matches.

    What was acknowledged is there once and at its place, what was refused is not there at all,
    and whatever is there was either acknowledged or called unknown.
    """
    chance = random.Random(seed)  # noqa: S311 - that it can be repeated is the point
    claims, stop = Claims(), asyncio.Event()
    (tmp_path / "b").mkdir()
    async with proxy(tmp_path, embedded.url) as one, proxy(tmp_path / "b", embedded.url) as two:
        wires: list[Proxy] = [one, two]
        stores = [open_store(wire.url) for wire in wires]
        for wire in wires:
            wire.judge = lambda _: unreliable(chance)
        writers = [
            asyncio.ensure_future(write(claims, store, f"m{n}", stop))
            for n in range(20)
            for store in stores
        ]
        await trouble(embedded, chance, seconds, lambda: len(claims.stored) > 100)
        stop.set()
        await asyncio.gather(*writers)
        for store in stores:
            await store.aclose()
    reader = open_store(embedded.url)
    for n in range(20):
        claims.check(f"m{n}", await reader.read(f"m{n}"))
    await reader.aclose()
    assert not claims.went_back
