"""Two services on one store, each of which may be killed at any moment and comes back."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import httpx

from referee.store.embedded.server import EmbeddedRedis
from tests.live.servers import Server, wait_until

SETTINGS: Final = {"REFEREE_LOG_LEVEL": "error"}


class Cluster:
    """A store, which keeps what it acknowledged through a SIGKILL, and `size` services on it."""

    def __init__(self, folder: Path, size: int = 2, **settings: str) -> None:
        self._settings: Final = {**SETTINGS, **settings}
        self._size = size
        self.store = EmbeddedRedis(folder / "data")
        self.servers: list[Server] = []
        self.logs: list[str] = []

    def __enter__(self) -> Self:
        self.store.start()
        self.servers = [Server(self.store.url, **self._settings) for _ in range(self._size)]
        for server in self.servers:
            server.listening()
        self.ready()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for server in self.servers:
            server.kill()
            self.logs += server.log
        self.store.stop()

    def urls(self) -> list[str]:
        """Where the services are now; their addresses change when they start again."""
        return [server.url for server in self.servers]

    def kill_service(self, index: int) -> None:
        """SIGKILL one of them."""
        self.servers[index].kill()

    def stop_service(self, index: int) -> None:
        """SIGTERM, as an update does; it must end well."""
        assert self.servers[index].stop() in {0, -signal.SIGTERM}

    def start_service(self, index: int) -> None:
        """Another one in its place."""
        self.servers[index] = self.another(index)
        self.ready()

    def another(self, index: int) -> Server:
        """A service to stand in its place."""
        self.logs += self.servers[index].log
        return Server(self.store.url, **self._settings).listening()

    def kill_store(self) -> None:
        """SIGKILL the store."""
        assert self.store.pid is not None
        os.kill(self.store.pid, signal.SIGKILL)

    def start_store(self) -> None:
        """Start it again on its data."""
        self.store.restart()
        self.ready()

    def ready(self) -> None:
        """Wait until all of them are."""
        for server in self.servers:
            wait_until(lambda url=server.url: _is_ready(url))  # type: ignore[misc]

    def tracebacks(self) -> list[Any]:
        """What they logged that nobody expected."""
        return [line for line in self.logs if "Traceback" in line]


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health/ready", timeout=10).status_code == 200
    except httpx.TransportError:
        return False
