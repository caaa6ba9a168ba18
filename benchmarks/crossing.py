"""Which of our modules one accepted command crosses, from where it was read to the answer.

    python -m benchmarks.crossing

A whole match is played through the application, in this process and on an embedded store, once to
warm everything up and once under a tracer that sees each call of a function of ours. What counts
is how much a reader has to walk through who follows a command, not how long it takes.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import msgspec
from msgspec import Struct
from rich.table import Table

from benchmarks.commands import SEATS, a_match
from referee.catalogue import catalogue
from referee.games.giro_galoppo import GAME
from referee.http.app import create_app
from referee.http.context import Site
from referee.http.metrics import Metrics
from referee.http.responses import MATCHES
from referee.http.tokens import Tokens
from referee.service import Bearer, CommandRates, Service
from referee.serving.straight import Whole, serve
from referee.settings import Settings
from referee.store import open_store
from referee.store.embedded.server import EmbeddedRedis
from referee.tables import print_table

OURS: Final = "referee."
TOKENS: Final = Tokens([b"the secret of the benchmarks: 32 bytes or more"])


class Crossing(Struct, frozen=True):
    """The functions of ours that were called for one command, in order: (module, code)."""

    calls: tuple[tuple[str, CodeType], ...]

    @property
    def modules(self) -> Counter[str]:
        """The modules, each with how many functions of it were called at least once."""
        return Counter(module for module, _ in set(self.calls))

    @property
    def functions(self) -> int:
        """How many functions there were, each counted once."""
        return len(set(self.calls))

    @property
    def changes(self) -> int:
        """How often a call led into another module than the call before."""
        modules = [module for module, _ in self.calls]
        return sum(a != b for a, b in pairwise(modules))


@contextlib.contextmanager
def crossing() -> Generator[list[tuple[str, CodeType]]]:
    """Collect every call of a function of ours in this thread."""
    calls: list[tuple[str, CodeType]] = []

    def note(frame: FrameType, event: str, _argument: object) -> None:
        module = frame.f_globals.get("__name__", "")
        # A comprehension is no function to a reader, and on newer Pythons none at all.
        if event == "call" and module.startswith(OURS) and frame.f_code.co_name[0] != "<":
            calls.append((module, frame.f_code))

    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)


class App:
    """The application, asked as a server asks it."""

    def __init__(self, front: Any) -> None:
        self.front = front

    async def create(self, token: str, body: bytes) -> Any:
        """The answer to an order, which must be a good one."""
        scope = {
            "type": "http",
            "method": "POST",
            "path": MATCHES,
            "raw_path": MATCHES.encode(),
            "query_string": b"",
            "headers": list(_headers(token, body).items()),
        }
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.front(scope, receive, send)
        if sent[0]["status"] != 201:  # noqa: PLR2004
            raise AssertionError(sent)
        return msgspec.json.decode(sent[1]["body"])

    async def command(self, match: str, token: str, body: bytes) -> None:
        """Send a command, which must be accepted, as a connection hands it over."""
        whole = Whole(f"{MATCHES}/{match}/commands", match, _headers(token, body), body)

        async def answer(status: int, _headers: Any, body: bytes) -> None:
            if status != 200:  # noqa: PLR2004
                raise AssertionError(body)

        await serve(self.front, self.front.site, whole, answer)


def _headers(token: str, body: bytes) -> dict[bytes, bytes]:
    return {
        b"authorization": f"Bearer {token}".encode(),
        b"content-type": b"application/json",
        b"content-length": b"%d" % len(body),
    }


@contextlib.asynccontextmanager
async def application(redis_url: str) -> AsyncGenerator[App]:
    """The application on the store at `redis_url`, started."""

    @contextlib.asynccontextmanager
    async def open_site(metrics: Metrics) -> AsyncGenerator[Site]:
        store = open_store(redis_url)
        try:
            rates = CommandRates(Settings().command_rate)
            service = Service(store, catalogue(), observer=metrics, rates=rates)
            yield Site(service, TOKENS, metrics)
        finally:
            await store.aclose()

    front = create_app(open_site)
    told: asyncio.Queue[Any] = asyncio.Queue()
    said: asyncio.Queue[Any] = asyncio.Queue()
    scope: Any = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
    life = asyncio.create_task(front(scope, told.get, said.put))
    for step in ("startup", "shutdown"):
        await told.put({"type": f"lifespan.{step}"})
        if (await said.get())["type"] != f"lifespan.{step}.complete":
            raise AssertionError(step)
        if step == "startup":
            yield App(front)
    await life


async def played(app: App) -> list[Crossing]:
    """A whole match, and what each of its commands crossed."""
    order = msgspec.json.encode({"game": GAME.id, "seats": [{"name": "s"}] * SEATS})
    made = await app.create(TOKENS.issue(Bearer("organizer")), order)
    crossings = []
    for seat, body in a_match().sent:
        with crossing() as calls:
            await app.command(made["match"], made["seats"][seat]["token"], body)
        crossings.append(Crossing(tuple(calls)))
    return crossings


def usual_of(crossings: list[Crossing]) -> Crossing:
    """The command in the middle, by how many modules each crosses."""
    return sorted(crossings, key=lambda found: len(found.modules))[len(crossings) // 2]


async def _measured() -> list[Crossing]:
    with tempfile.TemporaryDirectory() as folder, EmbeddedRedis(Path(folder)) as redis:
        async with application(redis.url) as app:
            await played(app)
            return await played(app)


def main() -> None:
    """Print what the usual command crosses, and what the command that crosses most does."""
    crossings = asyncio.run(_measured())
    usual, most = usual_of(crossings), max(crossings, key=lambda found: len(found.modules))
    table = Table(title=f"What a command of {GAME.id} crosses: functions called, by module")
    for head in ("module", "usual command", "the most"):
        table.add_column(head, justify="left" if head == "module" else "right")
    for module in sorted(most.modules | usual.modules):
        table.add_row(module, str(usual.modules[module] or ""), str(most.modules[module] or ""))
    table.add_section()
    for name in ("modules", "functions", "changes"):
        counts = (getattr(found, name) for found in (usual, most))
        table.add_row(name, *(str(n if isinstance(n, int) else len(n)) for n in counts))
    print_table(table)


if __name__ == "__main__":
    main()
