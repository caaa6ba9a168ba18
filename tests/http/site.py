"""The application in this process, on a real store, and what talks to it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import httpx
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.archive import Archive, open_archived_store
from referee.catalogue import Catalogue, catalogue
from referee.http.app import OpenSite, create_app
from referee.http.context import Site
from referee.http.metrics import Metrics
from referee.http.middleware import Middleware
from referee.service import CommandRates, Service, Signer
from tests.clients import ORGANIZER, TOKENS, Made, accepted, order_of

SEED: Final = "07" * 32


class Door:
    """An application whose site is opened anew for each test: making one takes much longer."""

    def __init__(self) -> None:
        self.open_site: OpenSite
        self.front: Final = create_app(self._open)

    def _open(self, metrics: Metrics) -> AbstractAsyncContextManager[Site]:
        return self.open_site(metrics)


IDLE: Final[list[Door]] = []
"""Applications that are not in use just now."""


@contextlib.asynccontextmanager
async def application(
    redis_url: str,
    *,
    allow_seed: bool = True,
    idle_s: int = 0,
    signing: Ed25519PrivateKey | None = None,
    games: Catalogue | None = None,
    rates: CommandRates | None = None,
    archive: Archive | None = None,
) -> AsyncGenerator[Middleware]:
    """The application, started, on the store at `redis_url`."""

    @contextlib.asynccontextmanager
    async def open_site(metrics: Metrics) -> AsyncGenerator[Site]:
        store = open_archived_store(redis_url, archive)
        service = Service(
            store,
            games or catalogue(),
            allow_seed=allow_seed,
            idle_s=idle_s,
            signer=Signer(signing) if signing else None,
            rates=rates,
            observer=metrics,
            archive=archive,
        )
        try:
            yield Site(service, TOKENS, metrics)
        finally:
            await store.aclose()

    door = IDLE.pop() if IDLE else Door()
    door.open_site = open_site
    async with _started(door.front) as front:
        yield front
    IDLE.append(door)


@contextlib.asynccontextmanager
async def _started(front: Middleware) -> AsyncGenerator[Middleware]:
    """Start and stop an application as a server does."""
    to_app: asyncio.Queue[Any] = asyncio.Queue()
    from_app: asyncio.Queue[Any] = asyncio.Queue()
    scope: Any = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
    life = asyncio.create_task(front(scope, to_app.get, from_app.put))
    await to_app.put({"type": "lifespan.startup"})
    assert (await from_app.get())["type"] == "lifespan.startup.complete"
    yield front
    await to_app.put({"type": "lifespan.shutdown"})
    assert (await from_app.get())["type"] == "lifespan.shutdown.complete"
    await life


class Api:
    """Requests to the application."""

    def __init__(self, front: Middleware, by: httpx.AsyncBaseTransport | None = None) -> None:
        self.front = front
        inside = httpx.ASGITransport(app=front)  # type: ignore[arg-type] # litestar's types
        self.http = httpx.AsyncClient(transport=by or inside, base_url="http://referee.test")

    async def get(self, path: str, token: str | None = None, **headers: str) -> httpx.Response:
        """A GET as the token's bearer; `_` in a header's name stands for `-`."""
        return await self.http.get(path, headers=_headers(token, headers))

    async def post(
        self, path: str, body: Any, token: str | None = None, **headers: str
    ) -> httpx.Response:
        """A POST of plain values as JSON, or of bytes as they are (JSON unless said otherwise)."""
        data = body if isinstance(body, bytes) else msgspec.json.encode(body)
        sent = {"content-type": "application/json", **_headers(token, headers)}
        return await self.http.post(path, content=data, headers=sent)

    async def create(self, seats: int = 2, **order: Any) -> Table:
        """A new match."""
        answer = await self.post("/v1/matches", order_of(seats, **order), ORGANIZER)
        assert answer.status_code == 201, answer.text
        return Table(self, answer.json())


def _headers(token: str | None, headers: dict[str, str]) -> dict[str, str]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return named if token is None else {"authorization": f"Bearer {token}", **named}


class Table(Made):
    """A match, and requests about it."""

    def __init__(self, api: Api, made: dict[str, Any]) -> None:
        super().__init__(made)
        self.api = api

    async def get(self, rest: str = "", token: str | None = ORGANIZER, **h: str) -> httpx.Response:
        """A GET below the match's path."""
        return await self.api.get(self.path + rest, token, **h)

    async def send(
        self, command: Any, token: str | None, rest: str = "/commands", **headers: str
    ) -> httpx.Response:
        """A command, whatever becomes of it."""
        return await self.api.post(self.path + rest, command, token, **headers)

    async def play(self, seat: int, command: Any, **headers: str) -> dict[str, Any]:
        """A seat's command, which must be accepted."""
        return accepted(await self.send(command, self.tokens[seat], **headers))

    async def rule(self, command: Any) -> dict[str, Any]:
        """An organizer's command, which must be accepted."""
        return accepted(await self.send(command, ORGANIZER))

    async def view(self, token: str | None = ORGANIZER, rest: str = "") -> dict[str, Any]:
        """The match as the token's bearer sees it."""
        return accepted(await self.get(rest, token))

    async def race(self) -> None:
        """Place the five obstacles, so that cards are to be chosen."""
        while (view := await self.view())["state"]["phase"] == "obstacles":
            seat = view["to_act"][0]
            legal = accepted(await self.get("/legal", self.tokens[seat]))["commands"]
            await self.play(seat, legal[-1])

    async def finish(self) -> None:
        """End the match: everybody resigns but the last."""
        for seat in range(len(self.tokens) - 1):
            await self.play(seat, {"type": "resign"})


async def version_of(table: Table) -> int:
    """The match's version."""
    version: int = (await table.view())["version"]
    return version


def problem(answer: httpx.Response, status: int, kind: str) -> dict[str, Any]:
    """The body of a problem of this status and kind, which has all that problems have."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert body["type"] == (f"/problems/{kind}" if "/" not in kind else kind), body
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    assert body["instance"] == answer.request.url.path
    return body


def paths(body: dict[str, Any]) -> list[str]:
    """The paths of the fields that a problem names."""
    return [error["path"] for error in body["errors"]]
