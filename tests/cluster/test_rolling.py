"""A rolling restart, as clients behind a balancer see it."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Final

import httpx
import pytest

from tests.clients import GAME, ORGANIZER, PATIENCE_S, bearer
from tests.live.readers import listening
from tests.live.servers import Server, Table, eventually

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

PROBE_S: Final = 0.5
CLIENTS: Final = 4
SETTINGS: Final = {"REFEREE_DRAIN_S": "5"}


class Balancer:
    """Sends each request to the next server that was ready when last asked, and never again."""

    def __init__(self) -> None:
        self.servers: list[Server] = []
        self.ready: list[Server] = []
        self._turns: Iterator[int] = itertools.count()

    def next(self) -> Server:
        """Whose turn it is."""
        return self.ready[next(self._turns) % len(self.ready)]

    async def probe(self) -> None:
        """Ask for ever which servers are ready."""
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            while True:
                for server in list(self.servers):
                    try:
                        status = (await client.get(f"{server.url}/health/ready")).status_code
                    except httpx.HTTPError:
                        status = 0
                    self.ready = [each for each in self.ready if each is not server]
                    self.ready += [server] if status == 200 else []
                await asyncio.sleep(PROBE_S)


class Client:
    """Looks at a match of its own, sends commands to it and follows it, and repeats nothing.

    `answers`: how often it got which status, or fault; `told`: the versions that it followed.
    """

    def __init__(self, balancer: Balancer) -> None:
        self._balancer = balancer
        self.answers: Counter[object] = Counter()
        self.told: list[int] = []
        self.streams = 0
        self.table = Table(balancer.next(), GAME, 2)

    async def ask(self) -> None:
        """Look and send in turn, for ever, on connections that are kept."""
        async with httpx.AsyncClient(timeout=PATIENCE_S, headers=bearer(ORGANIZER)) as client:
            for kind in itertools.cycle(("pause", "resume")):
                for method, rest, body in (
                    ("GET", "", None),
                    ("POST", "/commands", {"type": kind}),
                ):
                    url = self.table.url(rest, self._balancer.next())
                    try:
                        answer = await client.request(method, url, json=body)
                        self.answers[answer.status_code] += 1
                    except httpx.HTTPError as fault:
                        self.answers[repr(fault)] += 1
                    await asyncio.sleep(0.01)

    async def follow(self) -> None:
        """Come back where it stood whenever its stream has ended, for ever."""
        last = "1"
        while True:
            url = self.table.url("/events", self._balancer.next())
            async with listening(url, ORGANIZER, last=last) as stream:
                self.streams += 1
                self.answers[stream.status] += 1
                while (message := await stream.next()) is not None:
                    last = message.id
                    self.told.append(message.version)


async def test_a_rolling_restart_shows_clients_nothing(lasting_redis_url: str) -> None:
    """No refused connection, no reset, no 5xx, though nobody repeats anything; no stream has a gap.

    Two processes are replaced, each once another one is ready.
    """
    balancer, old = Balancer(), [Server(lasting_redis_url, **SETTINGS) for _ in range(2)]
    started = list(old)
    balancer.servers += [server.listening() for server in old]
    work = [asyncio.create_task(balancer.probe())]
    try:
        await eventually(lambda: len(balancer.ready) == 2)
        clients = [Client(balancer) for _ in range(CLIENTS)]
        for client in clients:
            work += [asyncio.create_task(client.ask()), asyncio.create_task(client.follow())]
        for server in old:
            started.append(another := Server(lasting_redis_url, **SETTINGS))
            balancer.servers.append(await asyncio.to_thread(another.listening))
            await eventually(lambda one=another: one in balancer.ready)  # type: ignore[misc]
            assert await asyncio.to_thread(server.stop) == 0
            balancer.servers.remove(server)
        assert not [task for task in work if task.done()]
    finally:
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        for server in started:
            server.kill()
    for client in clients:
        assert set(client.answers) == {200}
        assert client.told == list(range(2, 2 + len(client.told)))
        assert len(client.told) > 20
        assert client.streams > 1
    assert not [line for server in started for line in server.log if "Traceback" in line]
