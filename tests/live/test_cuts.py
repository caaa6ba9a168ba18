"""A gateway that cuts streams again and again: readers come back and miss nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from itertools import count

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK, InvalidHandshake

from tests.clients import ORGANIZER, bearer
from tests.live.readers import listening, received
from tests.live.servers import Server, Table

GAME = "giro-galoppo"
MOVES = 20


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what comes."""
    while data := await reader.read(1 << 16):
        writer.write(data)


@contextlib.asynccontextmanager
async def cutting(server: Server) -> AsyncGenerator[str]:
    """The address of a gateway that ends each connection after some bytes, a few more each time.

    Wherever that is: in a head, in a message, between two. A gateway that ends them after some
    seconds does it at no better places.
    """
    most = count(200, step=211)
    open_now: set[asyncio.Task[None]] = set()

    async def passed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, asks = await asyncio.open_connection("127.0.0.1", server.port)
        left = next(most)
        asking = asyncio.ensure_future(pump(reader, asks))
        with contextlib.closing(writer), contextlib.closing(asks):
            while left > 0 and (data := await answers.read(left)):
                writer.write(data)
                left -= len(data)
        asking.cancel()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_now.add(asyncio.ensure_future(passed_on(reader, writer)))

    gateway = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{gateway.sockets[0].getsockname()[1]}"
    finally:
        gateway.close()
        for task in open_now:
            task.cancel()
        await asyncio.gather(*open_now, return_exceptions=True)


def play(table: Table) -> int:
    """A match from its first move to its end; its last version."""
    for _ in range(MOVES):
        table.move()
    version: int = table.rule({"type": "void", "reason": "enough"})["version"]
    return version


async def test_an_event_stream_that_is_cut_loses_nothing(servers: list[Server]) -> None:
    """Each version comes once, with the events that the log has."""
    table = Table(servers[0], GAME, 3)
    versions: list[int] = []
    types: list[str] = []
    last, cuts, whole = None, 0, False
    playing = asyncio.ensure_future(asyncio.to_thread(play, table))
    async with cutting(servers[1]) as url:
        while not whole:
            cuts += 1
            with contextlib.suppress(asyncio.IncompleteReadError, OSError):
                async with listening(f"{url}{table.path}/events", ORGANIZER, last=last) as stream:
                    while (message := await stream.next()) is not None:
                        versions.append(message.version)
                        types += [event["type"] for event in message.data["events"]]
                        last = message.id
                    whole = True
    assert cuts > 5
    assert versions == list(range(1, await playing + 1))
    assert types == table.types()


async def test_a_socket_that_is_cut_loses_nothing(servers: list[Server]) -> None:
    """Likewise, by the version after which it is opened again."""
    table = Table(servers[0], GAME, 3)
    versions: list[int] = []
    cuts, whole = 0, False
    playing = asyncio.ensure_future(asyncio.to_thread(play, table))
    async with cutting(servers[1]) as url:
        while not whole:
            cuts += 1
            address = f"{url}{table.path}/live?after={versions[-1] if versions else 0}"
            opening = connect(
                address.replace("http", "ws", 1),
                additional_headers=bearer(ORGANIZER),
                compression=None,
            )
            try:
                async with opening as socket:
                    while True:
                        frame = await received(socket)
                        versions += [frame["version"]] if "version" in frame else []
            except (ConnectionClosed, InvalidHandshake, OSError) as end:
                whole = isinstance(end, ConnectionClosedOK)
    assert cuts > 5
    assert versions == list(range(1, await playing + 1))
