"""A server that comes back without its data: nobody is left to believe what it said before."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.clients import GAME, ORGANIZER, bearer
from tests.cluster.load import BACK_S
from tests.cluster.nodes import KEPT
from tests.live.readers import Listener, listening
from tests.live.servers import Server, Table, eventually, serving
from tests.store import machines

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]


@pytest.fixture
def store(program: Path, tmp_path: Path) -> Iterator[machines.Server]:
    """One server, set as the page says."""
    made = machines.Server(tmp_path, *KEPT, program=program)
    with machines.servers(made):
        yield made


def start_empty(store: machines.Server) -> None:
    """Kill it, and start it on an empty disk."""
    store.stop()
    for path in store.folder.glob("*append*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    store.start()
    # What time it is stands there again at once: the service is at it already.
    assert list(store.client.scan_iter("match:*")) == []


def can_create(server: Server) -> bool:
    """Whether a match can be made there now."""
    with contextlib.suppress(httpx.TransportError, AssertionError):
        Table(server, GAME, 2).move()
        return True
    return False


async def hears(stream: Listener, url: str, token: str | None) -> None:
    """A reader is told that nothing is left; or, where the store was away, finds that out."""
    told = await stream.next()
    if told is not None:
        assert (told.event, told.data) == ("rewritten", {"version": 0})
        assert await stream.next() is None
    while told is None:
        async with listening(url, token, last="2") as again:
            if again.status in {401, 404}:
                return
            assert again.status == 503
        await asyncio.sleep(0.1)


async def test_who_watches_is_told_and_the_service_is_back(store: machines.Server) -> None:
    """Streams say that nothing is left and end; it is counted; new matches are played at once."""
    url = f"redis://referee:PASSWORD@127.0.0.1:{store.port}"
    with serving(url, 2, REFEREE_LOG_LEVEL="error") as servers:
        table = Table(servers[0], GAME, 2, public=True)
        table.move()
        first, second = (table.url("/events", server) for server in servers)
        async with (
            listening(f"{first}?after=2", table.tokens[0]) as seat,
            listening(f"{second}?after=2", None) as anybody,
        ):
            await asyncio.to_thread(start_empty, store)
            await hears(seat, first, table.tokens[0])
            await hears(anybody, second, None)
        slowness = max(server.slowness for server in servers)
        for server in servers:
            await eventually(lambda one=server: can_create(one), BACK_S * slowness)  # type: ignore[misc]
            assert table.client.get(table.url("", server), headers=bearer(ORGANIZER)).is_error
            assert server.metric("referee_logs_rewritten_total") == 1
