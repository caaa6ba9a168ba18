"""Tables at which match after match is played, looked at and listened to, whatever befalls."""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any, Final

import httpx

from referee.catalogue import catalogue
from tests.clients import ORGANIZER, bearer, order_of
from tests.proof.cluster import Loss
from tests.proof.history import Era, Plain, commits_in
from tests.proof.players import PATIENCE_S, WAIT_S, Game, Gone, Player, Urls
from tests.proof.wire import Lines

GAMES: Final = [(rules.game.id, seats) for rules in catalogue() for seats in rules.game.players]
CLOCKS: Final = [
    None,
    {"base_s": 600, "increment_s": 1, "on_flag": "note"},
    {"base_s": 20, "increment_s": 2, "on_flag": "note"},
]

Id = Callable[[int], str | None]
"""The id for a match at a table; None: the service is to choose it."""


class Tables:
    """`count` tables on the services at `urls`, in a tournament of their own.

    `losses`: those of the store's data, which may grow.
    """

    def __init__(
        self,
        urls: Urls,
        count: int = 4,
        *,
        match_id: Id = lambda _: None,
        losses: Sequence[Loss] = (),
    ) -> None:
        self._urls, self._count, self._match_id, self._losses = urls, count, match_id, losses
        self.tournament: Final = f"proof-{secrets.token_hex(8)}"
        self.games: list[Game] = []
        self.at: dict[int, Game] = {}
        self._readers: list[asyncio.Task[None]] = []

    @property
    def acknowledged(self) -> int:
        """Commands so far, at all tables."""
        return sum(game.acknowledged for game in self.games)

    @contextlib.asynccontextmanager
    async def playing(self, seed: object) -> AsyncGenerator[None]:
        """Everybody plays as long as this lasts; what goes wrong at a table ends it."""
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for place in range(self._count):
                group.create_task(self._table(place, random.Random(f"{seed} {place}"), stop))
            yield
            stop.set()

    async def played(self, count: int) -> None:
        """Wait until so many more commands were acknowledged."""
        goal = self.acknowledged + count
        while self.acknowledged < goal:  # noqa: ASYNC110 - it has no event to set
            await asyncio.sleep(0.005)

    async def _table(self, place: int, pick: random.Random, stop: asyncio.Event) -> None:
        while not stop.is_set():
            game = self.at.get(place)
            if game is None or game.over:
                game = self.at[place] = await self._created(place, pick)
            everybody = [
                Player(game, who, Lines(packed=pick.random() < 0.5), pick.random())
                for who in game.bearers
            ]
            try:
                await asyncio.gather(*(self._turns(one, stop) for one in everybody))
            finally:
                for one in everybody:
                    one.leave()

    async def _turns(self, player: Player, stop: asyncio.Event) -> None:
        while not (stop.is_set() or player.game.over):
            await player.turn()

    async def _created(self, place: int, pick: random.Random) -> Game:
        """Another match, of any game, and whoever listens to it."""
        name, seats = pick.choice(GAMES)
        order = order_of(seats, game=name, clock=pick.choice(CLOCKS), tournament=self.tournament)
        order |= pick.choice(({}, {}, {"entropy": "seats"}))
        match, key = self._match_id(place), f"{self.tournament}-{secrets.token_hex(8)}"
        if match is not None:
            order["match"] = match
            key = f"{{{match}}}"  # kept where the match is, and lost with it alone
        began = time.monotonic()
        lost = len(self._losses)
        made, again = [await self._made(pick, order, key) for _ in range(2)]
        alike = all(made[name] == again[name] for name in ("match", "version", "head"))
        assert alike or lost < len(self._losses)
        self.games.append(Game(again, self._urls, began))
        self._readers += [asyncio.create_task(one.follow()) for one in self.games[-1].listeners]
        return self.games[-1]

    async def _made(self, pick: random.Random, order: Plain, key: str) -> Plain:
        """The answer to an order, however often it has to be sent."""
        lines, headers = Lines(), {**bearer(ORGANIZER), "Idempotency-Key": key}
        while True:
            url = f"{pick.choice(self._urls())}/v1/matches"
            with contextlib.suppress(OSError, EOFError):
                made = await lines.ask("POST", url, headers, order)
                if made.status != 503:
                    break
            await asyncio.sleep(WAIT_S)
        lines.close()
        assert made.status == 201, made
        answer: Plain = made.plain()
        return answer

    # ── The end ───────────────────────────────────────────────────────────────────────────────────

    async def end(self) -> None:
        """Void what is still in play, so that the streams end by themselves; look once more."""
        lines = Lines()
        for game in self.games:
            with contextlib.suppress(Gone):
                await _end_of(game, lines)
            game.ended.set()
        try:
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.gather(*self._readers)
        except TimeoutError:
            late = [str(one) for game in self.games for one in game.listeners]
            raise AssertionError(late) from None
        lines.close()
        await asyncio.sleep(WAIT_S)  # until what was closed is

    def judge(
        self,
        logs: Path,
        eras_of: Callable[[str, Sequence[bytes]], Sequence[Era]] = lambda _, last: [Era(last)],
        leaps: Sequence[float] = (),
    ) -> None:
        """All logs are what everybody saw; they are kept in a folder, for other judges.

        `eras_of`: the logs of a match that ended with these commits; `leaps`: see `History`.
        """
        for game in self.games:
            answer = asked(f"{self._urls()[0]}{game.path}/log")
            assert answer.status_code == (404 if game.gone else 200), (answer, answer.content)
            if not game.gone:
                (logs / f"{game.match}.match").write_bytes(answer.content)
            eras = eras_of(game.match, [] if game.gone else commits_in(answer.content))
            faults = game.history.faults(eras, leaps)
            faults += [fault for reader in game.listeners for fault in reader.faults(eras)]
            assert not faults, (game.match, faults[:5])
        assert self._listed() == {game.match for game in self.games if not game.gone}

    def _listed(self) -> set[str]:
        """The matches of ours that there are."""
        url = f"{self._urls()[0]}/v1/matches"
        rows: Any = asked(url, tournament=self.tournament, limit=100).json()
        assert rows["cursor"] is None
        return {row["match"] for row in rows["matches"]}


def asked(url: str, **params: str | int) -> httpx.Response:
    """What the organizer is answered once nothing is away any more."""
    end = time.monotonic() + PATIENCE_S
    while True:
        answer = httpx.get(url, params=params, headers=bearer(ORGANIZER), timeout=60)
        if answer.status_code != 503 or time.monotonic() > end:
            return answer
        time.sleep(WAIT_S)


async def _end_of(game: Game, lines: Lines) -> None:
    player = Player(game, "organizer", lines, "the end")
    if (await player.look())["status"] not in {"finished", "void"}:
        await player.void()
    for who in game.bearers:
        await Player(game, who, lines, "the end").look()
    view = await player.look()
    game.last = f"{view['version']}.{view['head'][:16]}"
