"""What the store needs of a way to its servers, however many there are."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from redis.asyncio.connection import AbstractConnection

Connector = Callable[..., AbstractConnection]
"""Makes a connection, not connected yet, to the `host` and `port` (or `path`) it is given."""


class Router(Protocol):
    """Commands on their way to the server that holds their key."""

    def submit(self, key: str, packed: bytes) -> asyncio.Future[Any]:
        """Send a packed command that concerns `key`; see `Pipeline.submit`."""
        ...

    def everywhere(self, packed: bytes) -> list[asyncio.Future[Any]]:
        """Send a packed command to every server that takes writes."""
        ...

    async def aclose(self) -> None:
        """Let go of the servers."""
        ...


class Topology(Protocol):
    """A way to the servers of one store.

    `together`: all keys are on one server, so that a script may touch any of them.
    """

    together: bool

    def router(self, *, replicas: int = 0) -> Router:
        """A new router; with `replicas`, see `Pipeline`."""
        ...

    async def dial(self) -> AbstractConnection:
        """A connection of its own, ready for commands: for listening."""
        ...

    async def aclose(self) -> None:
        """Let go of what was needed to find the servers."""
        ...


async def connected(connection: AbstractConnection) -> AbstractConnection:
    """The same, connected, with password and database seen to."""
    await connection.connect()  # type: ignore[no-untyped-call]  # redis-py's
    return connection
