"""Clocks that are wrong: those of processes count for nothing, the store's is followed.

Nobody is charged what did not pass (at most two seconds, where the store's clock is set), no late
command is taken, and each flag falls once.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from referee.core.verify import verify
from referee.service import Service, Timer
from referee.service.observing import Observer
from referee.store import StoreAway
from tests.core.play import OBSTACLES
from tests.live.clocks import MovedClock
from tests.live.servers import Server, Table, wait_until
from tests.service.desk import ORGANIZER, RULES, body, create, log_of, seat, service_on
from tests.store.machines import Server as Store
from tests.store.machines import opened, proxy, servers

pytestmark = pytest.mark.clocks

BASE_MS = 60_000
CHARGED_MS = 2000
"""What a clock of the store that is set may cost at most."""
LATE_MS = 5000
"""A flag later than this is late on the slowest machine."""
OFF = [1, 30, 3600, -1, -30, -3600]
"""So many seconds may a clock of the store be ahead or behind."""


class Play:
    """A match of two with a clock, at a service that keeps the time, and how long it has been."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.began = time.monotonic()
        self.moves = 0

    @property
    def passed_ms(self) -> float:
        """Milliseconds since it was about to be created."""
        return 1000 * (time.monotonic() - self.began)

    async def move(self) -> None:
        """The seat that is to act places an obstacle, as soon as the store takes it."""
        command = body({"type": "place_obstacle", "space": OBSTACLES[self.moves]})
        while True:
            try:
                await self.service.command("m", seat(self.moves % 2), command)
            except StoreAway:
                await asyncio.sleep(0.05)
            else:
                self.moves += 1
                return

    async def left(self) -> tuple[int, ...]:
        """What the seats have left of their time; nothing else has come of clocks."""
        view = await self.service.view("m", ORGANIZER)
        assert view.status == "active"
        assert view.clock is not UNSET
        assert view.clock.flagged == (False, False)
        return tuple(view.clock.left_ms)

    async def kinds(self) -> list[str]:
        """The types of all events so far, in a log that verifies."""
        log = await log_of(self.service.store)
        assert verify(RULES, "m", log).dispute is None
        seen = await self.service.events("m", ORGANIZER, 0, 100)
        return [event["type"] for event in seen.events]


@contextlib.asynccontextmanager
async def playing(url: str) -> AsyncGenerator[Play]:
    """Such a match at a service on the store at `url`, with its timer."""
    async with opened(url) as store:
        service = service_on(store)
        async with Timer(store, service, Observer()).running():
            play = Play(service)
            await create(service, clock={"base_s": BASE_MS // 1000})
            yield play


# ── The store's clock ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("off", OFF)
async def test_a_failover_to_a_server_whose_clock_differs_is_charged_to_nobody(
    tmp_path: Path, off: float
) -> None:
    """What leaps ahead is an outage; behind its predecessor's time it stands still."""
    primary = Store(tmp_path)
    follows = f"replicaof 127.0.0.1 {primary.port}"
    replica = Store(tmp_path, follows, environ=MovedClock(tmp_path, off).environ)
    with servers(primary, replica):
        wait_until(lambda: _linked(primary))
        async with proxy(tmp_path, primary.url) as wire, playing(wire.url) as play:
            await asyncio.sleep(1)
            await asyncio.to_thread(wait_until, lambda: _linked(primary))
            primary.stop()
            replica.client.replicaof("NO", "ONE")
            wire.lead_to(replica.url)
            await play.move()
            first, second = await play.left()
            assert first >= BASE_MS - play.passed_ms - CHARGED_MS
            assert second == BASE_MS
            await _goes_on(play, off)
            if off >= 30:
                assert "outage_excused" in await play.kinds()


@pytest.mark.parametrize("off", OFF)
async def test_a_clock_of_the_store_that_is_set_is_charged_to_nobody(
    tmp_path: Path, off: float
) -> None:
    """Ahead or back, and back to what it was."""
    clock = MovedClock(tmp_path)
    with servers(store := Store(tmp_path, environ=clock.environ)):
        async with playing(store.url) as play:
            for seconds in (off, 0):
                clock.set(seconds)
                await asyncio.sleep(1.2)
                await play.move()
                assert min(await play.left()) >= BASE_MS - play.passed_ms - CHARGED_MS
            await play.kinds()


def _linked(primary: Store) -> bool:
    primary.client.set("written", "1")
    return bool(primary.client.wait(1, 500) == 1)


async def _goes_on(play: Play, off: float) -> None:
    """Time goes on, or stands until it is caught up with: the next seat is charged what passes."""
    before, started = await play.left(), play.passed_ms
    await asyncio.sleep(0.5)
    await play.move()
    charged = before[1] - (await play.left())[1]
    least, most = (200 if off > 0 else 0), play.passed_ms - started + CHARGED_MS
    assert least <= charged <= (0 if off <= -30 else most)


# ── Processes' clocks ─────────────────────────────────────────────────────────────────────────────


def test_clocks_of_processes_count_for_nothing(redis_url: str, tmp_path: Path) -> None:
    """One an hour ahead, one five seconds behind, one that jumps, and one that is right."""
    clocks = [MovedClock(_folder(tmp_path, str(off)), off) for off in (3600, -5, 5)]
    made = [Server(redis_url), *(Server(redis_url, **clock.environ) for clock in clocks)]
    try:
        for server in made:
            server.listening()
        began = time.monotonic()
        table = Table(made[1], "giro-galoppo", 3, clock={"base_s": 60})
        flags = [
            Table(made[number % 4], "giro-galoppo", 3, clock={"base_s": 1, "on_flag": "note"})
            for number in range(8)
        ]
        for number, server in enumerate(made * 2):
            clocks[2].set((-7200, 0, 7200)[number % 3])
            table.move(server)
        time.sleep(1.0)
        table.move(made[3])
        left = table.view()["clock"]["left_ms"]
        assert min(left) >= BASE_MS - 1000 * (time.monotonic() - began) - CHARGED_MS
        assert {"flagged", "outage_excused"}.isdisjoint(table.types())
        for flag in flags:
            wait_until(partial(_flagged, flag))
            created, *fallen = (event["at"] for event in flag.events() if _tells(event))
            assert len(fallen) == 1
            assert 0 <= fallen[0] - created - 1000 < LATE_MS
            assert "outage_excused" not in flag.types()
    finally:
        for server in made:
            server.kill()


def _folder(parent: Path, name: str) -> Path:
    folder = parent / name
    folder.mkdir()
    return folder


def _flagged(table: Table) -> bool:
    return "flagged" in table.types()


def _tells(event: dict[str, Any]) -> bool:
    return event["type"] in ("match_created", "flagged")
