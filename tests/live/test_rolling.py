"""A rolling restart, as clients behind a balancer see it."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import count

import httpx
import pytest

from tests.clients import ORGANIZER, bearer
from tests.live.servers import PATIENCE_S, Server, Table, serving

PROBE_S = 0.5


class Balancer:
    """Sends each request to the next server that was ready when last asked, and never again."""

    def __init__(self, servers: list[Server]) -> None:
        self.servers = servers
        self.ready = list(servers)
        self.answers: Counter[object] = Counter()

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

    async def use(self, table: Table) -> None:
        """Be a client for ever, on connections that are kept."""
        async with httpx.AsyncClient(timeout=PATIENCE_S, headers=bearer(ORGANIZER)) as client:
            for number in count():
                url = self.ready[number % len(self.ready)].url + table.path
                asked = client.get(url) if number % 2 else client.post(f"{url}/check", json=PAUSE)
                try:
                    self.answers[(await asked).status_code] += 1
                except httpx.HTTPError as fault:
                    self.answers[repr(fault)] += 1


PAUSE = {"type": "pause"}


@pytest.mark.long
async def test_a_rolling_restart_shows_clients_nothing(lasting_redis_url: str) -> None:
    """No refused connection, no reset, no 5xx, though nobody repeats anything."""
    leave = {"REFEREE_DRAIN_S": "5"}
    with (
        serving(lasting_redis_url, 2, **leave) as old,
        serving(lasting_redis_url, 2, **leave) as new,
    ):
        balancer = Balancer([*old, *new])
        table = Table(old[0], "giro-galoppo", 2)
        work = [balancer.probe(), *(balancer.use(table) for _ in range(4))]
        tasks = [asyncio.create_task(each) for each in work]
        for server in old:
            await asyncio.sleep(PROBE_S)
            assert await asyncio.to_thread(server.stop) == 0
            balancer.servers.remove(server)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert set(balancer.answers) == {200}
        assert balancer.answers[200] > 100
