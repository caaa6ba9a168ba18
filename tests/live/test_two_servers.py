"""Two servers on one Redis, players on both, and one of the servers dies."""

from __future__ import annotations

import asyncio
import random

import httpx

from referee.catalogue import catalogue
from referee.core.commit import each_head, read_match_file
from referee.core.verify import verify
from tests.clients import ORGANIZER, bearer
from tests.live.readers import Message, listening
from tests.live.servers import Server, Table, eventually, serving


class Player:
    """A client as one should be: it follows its stream, comes back where it stood, plays."""

    def __init__(self, table: Table, token: str, seat: int | None, servers: list[Server]) -> None:
        self.table, self.token, self.seat, self.servers = table, token, seat, servers
        self.got: list[Message] = []
        self.reconnects = 0
        self._pick = random.Random(seat)  # noqa: S311 - a test's own chance
        self._client = httpx.AsyncClient(timeout=10, headers=bearer(token))

    async def run(self) -> None:
        """Play until the stream ends."""
        ended = False
        while not ended:
            try:
                ended = await self._follow()
            except (OSError, asyncio.IncompleteReadError):
                self.reconnects += 1
                self.servers.reverse()
        await self._client.aclose()

    async def _follow(self) -> bool:
        url = self.table.url("/events", self.servers[0])
        last = self.got[-1].id if self.got else None
        async with listening(url, self.token, last=last) as stream:
            while (message := await stream.next()) is not None:
                self.got.append(message)
                await self._play(message.version)
        return True

    async def _play(self, version: int) -> None:
        """Send a command where one is owed; again, with the same key, where no answer came."""
        if self.seat is None:
            return
        for _ in range(10):
            server = self.servers[0]
            try:
                legal = await self._client.get(self.table.url("/legal", server))
                commands = legal.json()["commands"]
                if legal.json()["version"] != version or not commands:
                    return
                await self._client.post(
                    self.table.url("/commands", server),
                    json=self._pick.choice(commands),
                    headers={"Idempotency-Key": f"v{version}", "If-Match": f'"{version}"'},
                )
            except httpx.TransportError:
                self.servers.reverse()
            else:
                return


async def test_players_of_a_killed_server_miss_nothing(redis_url: str) -> None:
    """Players play one match on two servers; one is killed in the middle. Its players go on at the
    other from the message that they saw last: every one of them gets every commit, once, in order,
    and the log verifies.
    """  # noqa: D205 - one claim
    with serving(redis_url, 2) as servers:
        table = Table(servers[1], "giro-galoppo", 4)
        tokens = [*table.tokens, table.spectator, ORGANIZER]
        players = [
            Player(table, token, seat if seat < 4 else None, servers[:: 1 if seat % 2 else -1])
            for seat, token in enumerate(tokens)
        ]
        playing = asyncio.gather(*(player.run() for player in players))
        await eventually(lambda: max(len(player.got) for player in players) >= 20)
        servers[0].kill()
        await asyncio.wait_for(playing, 60)
        data = table.client.get(table.url("/log"), headers=bearer(ORGANIZER)).content
        file = read_match_file(data)
        verdict = verify(catalogue().rules(file.header.ruleset), table.match, file.commits)
    assert verdict.dispute is None
    assert verdict.match is not None
    assert verdict.match.over
    for player in players:
        got = [(one.version, one.data["head"]) for one in player.got]
        heads = [head.hex() for head in each_head(verdict.chain.heads)]
        assert got == list(enumerate(heads, start=1))
    assert sum(player.reconnects > 0 for player in players) == 3
    for seat, player in enumerate(players[:4]):
        events = [event for one in player.got for event in one.data["events"]]
        chosen = [event for event in events if event["type"] == "card_chosen"]
        assert chosen
        assert all((event["card"] is None) is (event["seat"] != seat) for event in chosen)
