"""Two services on one store: each may be killed at any moment and comes back, and so may its data.

Whatever the store held when its data was lost is kept aside, for the judge of what was seen.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import httpx
from msgspec import Struct
from redis import Redis

from referee.store.embedded.server import EmbeddedRedis, find_server
from referee.store.scripts import log_key
from tests.live.clocks import MovedClock
from tests.live.servers import Server, wait_until

SETTINGS: Final = {"REFEREE_LOG_LEVEL": "error"}
BESIDE: Final = ("lock", "redis.sock", "server.log")
"""What lies in the store's folder and is not its data."""

Logs = dict[str, list[bytes]]
"""The commits of some matches."""


class Loss(Struct, frozen=True):
    """A store that came back with an older copy of its data, or with none.

    `at`: when the old data was answered from for the last time; `held`, `kept`: where lies what
    there was, and what there was of it afterwards.
    """

    at: float
    held: Path
    kept: Path


class Clocks(Struct, frozen=True):
    """The wall clocks of the services and of the store, each of which can be set."""

    services: list[MovedClock]
    store: MovedClock


class Cluster:
    """A store, which keeps what it acknowledged through a SIGKILL, and `size` services on it.

    With `clocks` each process has a wall clock of its own, right until it is set.
    """

    def __init__(
        self, folder: Path, size: int = 2, *, clocks: bool = False, **settings: str
    ) -> None:
        self._folder, self._size = folder, size
        self._settings: Final = {**SETTINGS, **settings}
        self.clocks: Final = _clocks(folder, size) if clocks else None
        program = None if self.clocks is None else _under(self.clocks.store, folder / "server")
        self.store = EmbeddedRedis(folder / "data", program=program)
        self.servers: list[Server] = []
        self.logs: list[str] = []
        self.losses: list[Loss] = []
        self.leaps: list[float] = []
        """When the store's clock was set."""

    def __enter__(self) -> Self:
        self.store.start()
        self.servers = [self._server(index) for index in range(self._size)]
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

    # ── The services ──────────────────────────────────────────────────────────────────────────────

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
        return self._server(index).listening()

    def _server(self, index: int) -> Server:
        clock = {} if self.clocks is None else self.clocks.services[index].environ
        return Server(self.store.url, **self._settings, **clock)

    def ready(self) -> None:
        """Wait until all of them are."""
        for server in self.servers:
            wait_until(lambda url=server.url: _is_ready(url))  # type: ignore[misc]

    def tracebacks(self) -> list[Any]:
        """What they logged that nobody expected."""
        return [line for line in self.logs if "Traceback" in line]

    # ── The store ─────────────────────────────────────────────────────────────────────────────────

    def kill_store(self) -> None:
        """SIGKILL the store."""
        assert self.store.pid is not None
        os.kill(self.store.pid, signal.SIGKILL)

    def start_store(self) -> None:
        """Start it again on its data."""
        self.store.restart()
        self.ready()

    def set_store(self, off: float) -> None:
        """Set its clock so many seconds off, whether it runs or not."""
        assert self.clocks is not None
        self.leaps.append(time.monotonic())
        self.clocks.store.set(off)

    def copied(self, *, empty: bool) -> Path:
        """A copy of the store's data as it is between two of its writes, or of none at all."""
        copy = self._aside("copy")
        if not empty:
            assert self.store.pid is not None
            os.kill(self.store.pid, signal.SIGSTOP)
            for path in self._data():
                _copy(path, copy / path.name)
            os.kill(self.store.pid, signal.SIGCONT)
        return copy

    def lose(self, copy: Path) -> None:
        """SIGKILL the store, and leave of its data what was copied."""
        self.kill_store()
        wait_until(lambda: self.store.pid is None)
        held = self._aside("held")
        self.losses.append(Loss(time.monotonic(), held, copy))
        for path in self._data():
            path.rename(held / path.name)
        for path in copy.iterdir():
            _copy(path, self.store.folder / path.name)

    def forgotten(self, matches: Sequence[str]) -> list[tuple[Loss, Logs, Logs]]:
        """Of each loss what there was of these matches before and after; what lay aside goes."""
        found = [
            (loss, _logs_in(loss.held, matches), _logs_in(loss.kept, matches))
            for loss in self.losses
        ]
        for loss in self.losses:
            shutil.rmtree(loss.held.parent)
            shutil.rmtree(loss.kept.parent)
        self.losses.clear()
        return found

    def _aside(self, name: str) -> Path:
        path = self._folder / f"{name}-{time.monotonic_ns()}" / "redis"
        path.mkdir(parents=True)
        return path

    def _data(self) -> list[Path]:
        return [path for path in self.store.folder.iterdir() if path.name not in BESIDE]


def _clocks(folder: Path, size: int) -> Clocks:
    clocks = []
    for number in range(size + 1):
        (place := folder / f"clock-{number}").mkdir(parents=True)
        clocks.append(MovedClock(place))
    return Clocks(clocks[1:], clocks[0])


def _under(clock: MovedClock, script: Path) -> Path:
    """The store's server, as a program that runs it under this clock."""
    environ = " ".join(f"{name}={shlex.quote(value)}" for name, value in clock.environ.items())
    script.write_text(f'#!/bin/sh\nexec env {environ} {shlex.quote(str(find_server()))} "$@"\n')
    script.chmod(0o700)
    return script


def _copy(path: Path, to: Path) -> None:
    if path.is_dir():
        shutil.copytree(path, to)
    else:
        shutil.copy(path, to)


def _logs_in(data: Path, matches: Sequence[str]) -> Logs:
    """What is in data that was kept aside; of a match that is not there no commits."""
    with EmbeddedRedis(data.parent) as store, Redis.from_url(store.url) as redis:
        entries = {match: redis.xrange(log_key(match)) for match in matches}
    return {match: [fields[b"c"] for _, fields in found] for match, found in entries.items()}


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health/ready", timeout=10).status_code == 200
    except httpx.TransportError:
        return False
