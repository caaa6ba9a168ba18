"""Two services on one store: what they acknowledge is in the log, once, whatever befalls them.

Hypothesis chooses what is killed, whose clock is set, and when the store comes back with an older
copy of its data; many play, look and listen meanwhile. In the end every log must be one that all
of them can have seen, and `replay verify` must find nothing in it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

import httpx
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from referee.catalogue import catalogue
from referee.core.commit import read_match_file
from tests.clients import ORGANIZER, bearer, order_of
from tests.proof.cluster import Cluster, Logs, Loss
from tests.proof.history import Era, Plain
from tests.proof.players import PATIENCE_S, WAIT_S, Game, Gone, Player
from tests.proof.wire import Lines

pytestmark = [pytest.mark.prove, pytest.mark.timeout(0)]

COMMANDS: Final = 100_000
GAMES: Final = [(rules.game.id, seats) for rules in catalogue() for seats in rules.game.players]
CLOCKS: Final = [
    None,
    {"base_s": 600, "increment_s": 1, "on_flag": "note"},
    {"base_s": 20, "increment_s": 2, "on_flag": "note"},
]
AT_ONCE: Final = 4
"""Tables, each with a match in play."""

SEEDS = st.integers(0, 2**32)
INDEX = st.integers(0, 1)
AFTER = st.integers(0, 80)
BURST = st.integers(100, 1500)
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
        self.games: list[Game] = []
        self.tables: dict[int, Game] = {}
        self.readers: list[asyncio.Task[None]] = []
        self.lines = Lines()
        self.name = f"proof-{secrets.token_hex(8)}"

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
        start = self._acknowledged()
        tables = [
            asyncio.create_task(self._table(place, random.Random(f"{seed} {place}"), start + count))
            for place in range(AT_ONCE)
        ]
        while self._acknowledged() < start + after and not any(one.done() for one in tables):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        await asyncio.to_thread(harm)
        await asyncio.sleep(0.05)
        await asyncio.to_thread(mend)
        await asyncio.gather(*tables)
        Services.commands += self._acknowledged() - start
        print(f"{Services.commands} commands", flush=True)

    async def _table(self, place: int, pick: random.Random, goal: int) -> None:
        """Match after match at one table, until there are enough commands at all of them."""
        while self._acknowledged() < goal:
            game = self.tables.get(place)
            if game is None or game.over:
                game = self.tables[place] = await self._created(pick)
            everybody = [Player(game, who, Lines(), pick.random()) for who in game.bearers]
            await asyncio.gather(*(self._turns(one, goal) for one in everybody))
            for one in everybody:
                one.leave()

    async def _turns(self, player: Player, goal: int) -> None:
        while self._acknowledged() < goal and not player.game.over:
            await player.turn()

    async def _created(self, pick: random.Random) -> Game:
        """Another match, of any game, and whoever listens to it."""
        name, seats = pick.choice(GAMES)
        order = order_of(seats, game=name, clock=pick.choice(CLOCKS), tournament=self.name)
        order |= pick.choice(({}, {}, {"entropy": "seats"}))
        key, began = f"{self.name}-{secrets.token_hex(8)}", time.monotonic()
        lost = len(self.cluster.losses)
        made, again = [await self._made(pick, order, key) for _ in range(2)]
        alike = all(made[name] == again[name] for name in ("match", "version", "head"))
        assert alike or lost < len(self.cluster.losses)
        self.games.append(Game(again, self.cluster.urls, began))
        self.readers += [asyncio.create_task(one.follow()) for one in self.games[-1].listeners]
        return self.games[-1]

    async def _made(self, pick: random.Random, order: Plain, key: str) -> Plain:
        """The answer to an order, however often it has to be sent."""
        lines, headers = Lines(), {**bearer(ORGANIZER), "Idempotency-Key": key}
        while True:
            url = f"{pick.choice(self.cluster.urls())}/v1/matches"
            with contextlib.suppress(OSError, EOFError):
                made = await lines.ask("POST", url, headers, order)
                if made.status != 503:
                    break
            await asyncio.sleep(WAIT_S)
        lines.close()
        assert made.status == 201, made
        answer: Plain = made.json()
        return answer

    def _acknowledged(self) -> int:
        return sum(game.acknowledged for game in self.games)

    # ── The end ───────────────────────────────────────────────────────────────────────────────────

    def teardown(self) -> None:
        """All logs are what everybody saw."""
        try:
            self.runner.run(self._end())
        finally:
            self.runner.close()
        losses = self.cluster.forgotten([game.match for game in self.games])
        for game in self.games:
            self._judge(game, losses)
        assert len(self._listed()) == sum(not game.gone for game in self.games)

    async def _end(self) -> None:
        """Void what is still in play, so that the streams end by themselves."""
        for game in self.games:
            with contextlib.suppress(Gone):
                await self._end_of(game)
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*self.readers)
        self.lines.close()
        await asyncio.sleep(WAIT_S)  # until what was closed is

    async def _end_of(self, game: Game) -> None:
        player = Player(game, "organizer", self.lines, "the end")
        if (await player.look())["status"] not in {"finished", "void"}:
            await player.void()
        for who in game.bearers:
            await Player(game, who, self.lines, "the end").look()
        game.last = game.history.seen[-1]

    def _listed(self) -> list[Any]:
        """The matches of ours that there are."""
        url = f"{self.cluster.urls()[0]}/v1/matches"
        asked: dict[str, str | int] = {"tournament": self.name, "limit": 100}
        rows = httpx.get(url, params=asked, headers=bearer(ORGANIZER), timeout=60).json()
        assert rows["cursor"] is None
        return list(rows["matches"])

    def _judge(self, game: Game, losses: list[tuple[Loss, Logs, Logs]]) -> None:
        url = f"{self.cluster.urls()[0]}{game.path}/log"
        answer = httpx.get(url, headers=bearer(ORGANIZER), timeout=60)
        assert (answer.status_code == 404) == game.gone, answer
        if not game.gone:
            (self.logs / f"{game.match}.match").write_bytes(answer.content)
        last = [] if game.gone else read_match_file(answer.content).commits
        eras = _eras(game.match, losses, last)
        faults = game.history.faults(eras, self.cluster.leaps)
        faults += [fault for reader in game.listeners for fault in reader.faults(eras)]
        assert not faults, (game.match, faults[:5])


def _eras(match: str, losses: list[tuple[Loss, Logs, Logs]], last: Sequence[bytes]) -> list[Era]:
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
