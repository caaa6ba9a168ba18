"""Whatever is sent, nothing breaks: no 5xx, nothing in a log that is not lawful, no memory lost."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Final

import httpx
import pytest
import uvicorn
from msgspec import Struct
from uvicorn.server import ServerState

from referee.catalogue import catalogue
from referee.core.commit import read_match_file
from referee.core.verify import verify
from referee.http.middleware import Middleware
from referee.serving.connections import HttpProtocol, SocketProtocol
from tests.clients import ORGANIZER, bearer
from tests.http.site import Api, application
from tests.live.servers import Server, Table, eventually, serving
from tests.proof.hostile import END, Targets, conversation

REQUESTS: Final = 1_000_000
AT_ONCE: Final = 200
"""Connections at a time."""
IDLE_S: Final = 0.5
"""A connection that has said nothing for so long, and was not closed, waits for more from us.

That is on a quiet machine; a server says how much slower the present one is.
"""
GROWTH: Final = 64 << 20
"""Bytes that a service may have more when it is done than when it had done a tenth."""
STATUS: Final = re.compile(rb"HTTP/1\.1 (\d{3}) ")


class Here(Struct):
    """A server in this process: where it listens, how slow it is, and its connections."""

    port: int
    state: ServerState
    slowness: float = 1.0


class Attack:
    """Conversations with one server, each drawn from its own number."""

    def __init__(self, server: Server | Here, targets: Targets, seed: int) -> None:
        self._server, self._targets, self._seed = server, targets, seed
        self._idle_s = IDLE_S * server.slowness
        self.statuses: Counter[int] = Counter()
        self.sent = self._number = 0
        self.broken: list[tuple[str, list[bytes], bytes]] = []

    async def go_on(self, requests: int) -> None:
        """Send so many requests more."""
        goal = self.sent + requests
        await asyncio.gather(*(self._talk(goal) for _ in range(AT_ONCE)))

    async def _talk(self, goal: int) -> None:
        while self.sent < goal:
            self._number += 1
            name = f"{self._seed} {self._number}"
            said = conversation(random.Random(name), self._targets)
            self.sent += len(said)
            heard = await self._heard(b"".join(said) + END)
            self.statuses += Counter(int(status) for status in STATUS.findall(heard))
            if any(int(status) >= 500 for status in STATUS.findall(heard)):
                self.broken.append((name, said, heard))

    async def _heard(self, data: bytes) -> bytes:
        """All that is answered until the server closes, or waits for more."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._server.port)
        heard = b""
        try:
            writer.write(data)
            while more := await asyncio.wait_for(reader.read(1 << 16), self._idle_s):
                heard += more
        except (OSError, TimeoutError):
            pass
        finally:
            writer.transport.abort()
        return heard


def targets_on(server: Server) -> tuple[Table, Table]:
    """A match that is over and one in play, both public."""
    over = Table(server, "giro-galoppo", 2, public=True)
    over.play(0, {"type": "resign"})
    return Table(server, "giro-galoppo", 3, public=True), over


def judge(attack: Attack, active: Table, over: Table) -> None:
    """Nothing broke, and what stands in the logs is lawful."""
    assert not attack.broken, (len(attack.broken), attack.broken[0])
    assert attack.statuses[400] > attack.sent / 50
    assert attack.statuses[200] > attack.sent / 50
    assert over.view()["version"] == 2
    log = httpx.get(active.url("/log"), headers=bearer(ORGANIZER), timeout=60)
    file = read_match_file(log.content)
    assert verify(catalogue().current("giro-galoppo"), active.match, file.commits).dispute is None


async def test_breaks_at_nothing_that_is_sent(servers: list[Server]) -> None:
    """Some hundred conversations, the same ones each time."""
    active, over = targets_on(servers[0])
    attack = Attack(servers[0], Targets(active, over), 1)

    await attack.go_on(600)

    await asyncio.to_thread(judge, attack, active, over)


@contextlib.asynccontextmanager
async def served(front: Middleware) -> AsyncIterator[Here]:
    """The application on a port of its own."""
    config = uvicorn.Config(
        front, interface="asgi3", http=HttpProtocol, ws=SocketProtocol, lifespan="off",
        log_config=None, proxy_headers=False, ws_per_message_deflate=False,
    )  # fmt: skip
    config.load()
    state, loop = ServerState(), asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: HttpProtocol(config, state, app_state={}), "127.0.0.1", 0
    )
    yield Here(server.sockets[0].getsockname()[1], state)
    server.close()
    await server.wait_closed()


@contextlib.contextmanager
def uncollected() -> Iterator[list[object]]:
    """What of ours lay in rings afterwards, and would have waited for a collection."""
    found: list[object] = []
    gc.collect()
    gc.disable()
    try:
        yield found
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        ours = ("referee.", "uvicorn.")
        found += [one for one in gc.garbage if type(one).__module__.startswith(ours)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


async def test_leaves_no_rings_in_memory(redis_url: str, caplog: pytest.LogCaptureFixture) -> None:
    """What a connection held is free when it ends: garbage is collected seldom in a server.

    Thousands may come and go between two collections, each with 64 KiB of what it was sent.
    """
    async with application(redis_url) as front, served(front) as server:
        active, over = [await Api(front).create(seats, public=True) for seats in (3, 2)]
        await over.finish()
        await Api(front).get("/schema/openapi.json")  # made once, with much ado
        attack = Attack(server, Targets(active, over), 1)
        with uncollected() as left:
            await attack.go_on(600)
            await eventually(lambda: not server.state.connections and not server.state.tasks)
    assert attack.statuses[400] > attack.sent / 50
    assert Counter(map(type, left)) == {}
    assert [line for line in caplog.records if line.levelname == "ERROR"] == []


@pytest.mark.prove
@pytest.mark.timeout(0)
async def test_breaks_at_nothing_of_a_million(redis_url: str, share: float) -> None:
    """Others each time; and the service has no more memory in the end than early on.

    Orders among it make matches, and those at hand are bounded by a setting: here to a few.
    """
    with serving(redis_url, REFEREE_LOG_LEVEL="error", REFEREE_CACHE_MATCHES="100") as (server,):
        active, over = targets_on(server)
        attack = Attack(server, Targets(active, over), random.SystemRandom().getrandbits(32))
        memory = []
        for _ in range(10):
            await attack.go_on(round(REQUESTS * share / 10))
            memory.append(server.memory)
            print(attack.sent, f"requests, {memory[-1] >> 20} MB", flush=True)
        await asyncio.to_thread(judge, attack, active, over)
    print(dict(attack.statuses))
    assert memory[-1] < memory[0] + GROWTH
