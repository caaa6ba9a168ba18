"""Two services on one store: what they acknowledge is in the log, once, whatever befalls them.

Hypothesis chooses what is killed, whose clock is set, and when the store comes back with an older
copy of its data; many play, look and listen meanwhile. In the end every log must be one that all
of them can have seen, and `replay verify` must find nothing in it.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from tests.proof.cluster import Cluster, Logs, Loss
from tests.proof.history import Era
from tests.proof.tables import Tables

pytestmark = [pytest.mark.prove, pytest.mark.timeout(0)]

COMMANDS: Final = 100_000
SEEDS = st.integers(0, 2**32)
INDEX = st.integers(0, 1)
AFTER = st.integers(0, 80)
BURST = st.integers(20, 1500)
OFF = st.sampled_from((0, 1, 5, 30, 3600, -1, -5, -30, -3600))
"""Seconds that a clock is ahead or behind once it is set."""


class Services(RuleBasedStateMachine):
    """What may happen, in any order."""

    cluster: ClassVar[Cluster]
    logs: ClassVar[Path]
    commands: ClassVar[int] = 0
    enough: ClassVar[int]

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.tables = Tables(self.cluster.urls, losses=self.cluster.losses)

    # ── Play, and what befalls it ─────────────────────────────────────────────────────────────────

    @rule(seed=SEEDS, count=BURST)
    def play(self, seed: int, count: int) -> None:
        """Everybody plays for a while."""
        self.runner.run(self._play(seed, count, count, lambda: None, lambda: None))

    @rule(seed=SEEDS, count=BURST, after=AFTER, index=INDEX)
    def play_while_a_service_is_killed(self, seed: int, count: int, after: int, index: int) -> None:
        """It comes back while they play on at the other."""
        kill, start = self.cluster.kill_service, self.cluster.start_service
        self.runner.run(self._play(seed, count, after, lambda: kill(index), lambda: start(index)))

    @rule(seed=SEEDS, count=BURST, after=AFTER, index=INDEX)
    def play_while_a_service_is_stopped(
        self, seed: int, count: int, after: int, index: int
    ) -> None:
        """As in an update."""
        stop, start = self.cluster.stop_service, self.cluster.start_service
        self.runner.run(self._play(seed, count, after, lambda: stop(index), lambda: start(index)))

    @rule(seed=SEEDS, count=BURST, after=AFTER)
    def play_while_the_store_is_killed(self, seed: int, count: int, after: int) -> None:
        """Nothing is acknowledged until it is back."""
        kill, start = self.cluster.kill_store, self.cluster.start_store
        self.runner.run(self._play(seed, count, after, kill, start))

    @rule(seed=SEEDS, count=BURST, after=AFTER)
    def play_while_everything_is_killed(self, seed: int, count: int, after: int) -> None:
        """Both services and the store, at once."""
        self.runner.run(self._play(seed, count, after, self._kill_all, self._start_all))

    @rule(seed=SEEDS, count=BURST, after=AFTER, index=INDEX, off=OFF)
    def play_while_a_services_clock_is_set(
        self, seed: int, count: int, after: int, index: int, off: int
    ) -> None:
        """It stays so, for whatever stands in its place as well, until it is set again."""
        assert self.cluster.clocks is not None
        clock = self.cluster.clocks.services[index]
        self.runner.run(self._play(seed, count, after, lambda: clock.set(off), lambda: None))

    @rule(seed=SEEDS, count=BURST, after=AFTER, off=OFF)
    def play_while_the_stores_clock_is_set(
        self, seed: int, count: int, after: int, off: int
    ) -> None:
        """Time goes on by it, or stands still until it has caught up."""
        set_ = self.cluster.set_store
        self.runner.run(self._play(seed, count, after, lambda: set_(off), lambda: None))

    @rule(seed=SEEDS, count=BURST, after=AFTER, off=OFF)
    def play_while_the_store_starts_under_another_clock(
        self, seed: int, count: int, after: int, off: int
    ) -> None:
        """As after a failover to a server whose clock differs."""
        kill, start, set_ = (
            self.cluster.kill_store,
            self.cluster.start_store,
            self.cluster.set_store,
        )
        self.runner.run(self._play(seed, count, after, kill, lambda: (set_(off), start())))

    @rule(seed=SEEDS, count=BURST, after=AFTER, empty=st.booleans())
    def play_while_the_store_loses_data(
        self, seed: int, count: int, after: int, *, empty: bool
    ) -> None:
        """It comes back as it was when this play began, or with nothing."""
        copy = self.cluster.copied(empty=empty)
        lose, start = self.cluster.lose, self.cluster.start_store
        self.runner.run(self._play(seed, count, after, lambda: lose(copy), start))

    def _kill_all(self) -> None:
        self.cluster.kill_store()
        for index in range(2):
            self.cluster.kill_service(index)

    def _start_all(self) -> None:
        self.cluster.store.restart()
        for index in range(2):
            self.cluster.servers[index] = self.cluster.another(index)
        self.cluster.ready()

    async def _play(
        self, seed: int, count: int, after: int, harm: Callable[[], Any], mend: Callable[[], Any]
    ) -> None:
        """`count` acknowledged commands more; after some of them harm is done, and mended."""
        if Services.commands >= Services.enough:
            return
        start = self.tables.acknowledged
        async with self.tables.playing(seed):
            await self.tables.played(after)
            await asyncio.to_thread(harm)
            await asyncio.sleep(0.05)
            await asyncio.to_thread(mend)
            await self.tables.played(start + count - self.tables.acknowledged)
        Services.commands += self.tables.acknowledged - start
        print(f"{Services.commands} commands", flush=True)

    def teardown(self) -> None:
        """All logs are what everybody saw."""
        try:
            self.runner.run(self.tables.end())
        finally:
            self.runner.close()
        losses = self.cluster.forgotten([game.match for game in self.tables.games])
        eras = partial(_eras, losses)
        self.tables.judge(self.logs, eras, self.cluster.leaps)


def _eras(losses: list[tuple[Loss, Logs, Logs]], match: str, last: Sequence[bytes]) -> list[Era]:
    """The logs of a match, from one loss to the next."""
    eras, began, kept = [], float("-inf"), 0
    for loss, before, after in losses:
        eras.append(Era(before[match], began, loss.at, kept))
        began, kept = loss.at, len(after[match])
    return [*eras, Era(last, began, kept=kept)]


def test_what_is_acknowledged_is_in_the_log_once(tmp_path: Path, share: float) -> None:
    """A hundred thousand commands, and all of this befalls services and store meanwhile."""
    Services.enough = round(COMMANDS * share)
    Services.logs = tmp_path / "logs"
    Services.logs.mkdir()
    chosen = settings(
        max_examples=20, stateful_step_count=10, deadline=None, database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck), print_blob=False,
    )  # fmt: skip
    with Cluster(tmp_path, clocks=True) as Services.cluster:
        while Services.commands < Services.enough:
            run_state_machine_as_test(Services, settings=chosen)
    assert Services.cluster.tracebacks() == []
    verify = [sys.executable, "-m", "replay", "verify", str(Services.logs)]
    verdict = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert verdict.returncode == 0, verdict.stdout[-3000:]
