"""Real server processes for the tests of live play, and what talks to them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import IO, Any, Final, Self

import httpx

from tests.clients import (
    ORGANIZER,
    PATIENCE_S,
    SECRET,
    Made,
    accepted,
    ask,
    bearer,
    created,
    order_of,
)

USUAL_START_S: Final = 2.0
"""A server starts in this on two quiet cores, beside another test."""


class Server:
    """One `referee serve` process on the Redis at `redis_url`, of use once it is `listening`.

    Without a URL it is on a store of its own, in the data folder that the settings name.
    """

    url: str
    port: int
    slowness: float
    """How many times slower than usual it started: what a test's own clocks are set by."""

    def __init__(self, redis_url: str, **settings: str) -> None:
        environ = {
            "REFEREE_REDIS_URL": redis_url,
            "REFEREE_SECRET": SECRET,
            "REFEREE_PORT": "0",
            "REFEREE_ALLOW_SEED": "1",
            "REFEREE_COMMAND_RATE": "0",
            "REFEREE_LOG_LEVEL": "warning",
            **settings,
        }
        if not redis_url:
            del environ["REFEREE_REDIS_URL"]
        self.process = self.begun(environ)
        self.log: list[str] = []
        self._said: queue.Queue[str] = queue.Queue()
        kept = {self.process.stdout: self._said.put, self.process.stderr: self.log.append}
        self._ears = [threading.Thread(target=_hear, args=pair) for pair in kept.items()]
        for ear in self._ears:
            ear.start()
        self.client = httpx.Client(timeout=PATIENCE_S)
        self._started = time.monotonic()

    def begun(self, environ: dict[str, str]) -> subprocess.Popen[str]:
        """The process, with these variables beside those that are no settings."""
        others = {k: v for k, v in os.environ.items() if not k.startswith("REFEREE_")}
        return piped([sys.executable, "-m", "referee", "serve"], env=others | environ)

    def listening(self) -> Self:
        """Itself, once it serves."""
        self.url = self._address()
        self.port = int(self.url.rpartition(":")[2])
        self.slowness = max(1.0, (time.monotonic() - self._started) / USUAL_START_S)
        return self

    def _address(self) -> str:
        until = self._started + PATIENCE_S
        while True:
            try:
                line = self._said.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"the server did not start: {self.log}") from None
            if line.startswith("listening on "):
                return line.removeprefix("listening on ").strip()

    def kill(self) -> None:
        """SIGKILL: no goodbye."""
        if self.process.poll() is None:
            self.process.kill()
        self._ended()

    def pause(self) -> None:
        """Keep it from running, its connections open."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> int:
        """SIGTERM; its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        return self._ended()

    def _ended(self) -> int:
        status = self.process.wait(timeout=PATIENCE_S)
        for ear in self._ears:
            ear.join()
        self.client.close()
        return status

    @property
    def memory(self) -> int:
        """Resident bytes."""
        statm = Path(f"/proc/{self.process.pid}/statm").read_text()
        return int(statm.split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def metric(self, name: str) -> float:
        """One value of `/metrics`, named with its labels; 0 where there is none."""
        lines = ask(f"{self.url}/metrics").text.splitlines()
        found = [line for line in lines if line.startswith(f"{name} ")]
        return float(found[0].rpartition(" ")[2]) if found else 0.0


def piped(command: list[str], **options: Any) -> subprocess.Popen[str]:
    """A process whose text is read."""
    both = subprocess.PIPE
    return subprocess.Popen(command, stdout=both, stderr=both, text=True, **options)


def _hear(stream: IO[str], keep: Callable[[str], None]) -> None:
    with stream:
        for line in stream:
            keep(line)


@contextlib.contextmanager
def serving(redis_url: str, count: int = 1, **settings: str) -> Generator[list[Server]]:
    """So many processes on one Redis; ended, and their logs without tracebacks, afterwards."""
    servers: list[Server] = []
    try:
        servers.extend(Server(redis_url, **settings) for _ in range(count))
        yield [server.listening() for server in servers]
    finally:
        for server in servers:
            server.kill()
    for server in servers:
        assert not [line for line in server.log if "Traceback" in line], "".join(server.log)


class Table(Made):
    """A match, and requests about it to any of the servers.

    `play(seat, …)` sends a seat's command to the first server, or to the one given.
    """

    def __init__(self, server: Server, game: str, seats: int, **order: Any) -> None:
        self.server = server
        self.client = server.client
        super().__init__(created(server.url, order_of(seats, game=game, **order)))

    def url(self, rest: str = "", server: Server | None = None) -> str:
        """An address of the match."""
        return f"{(server or self.server).url}{self.path}{rest}"

    def send(
        self, token: str, command: dict[str, Any], server: Server | None = None, **headers: str
    ) -> httpx.Response:
        """Send a command; the answer, whatever it is."""
        return self.client.post(
            self.url("/commands", server), json=command, headers={**bearer(token), **headers}
        )

    def play(
        self, seat: int, command: dict[str, Any], server: Server | None = None
    ) -> dict[str, Any]:
        """A seat's command, which must be accepted."""
        return accepted(self.send(self.tokens[seat], command, server))

    def rule(self, command: dict[str, Any], server: Server | None = None) -> dict[str, Any]:
        """An organizer's command, which must be accepted."""
        return accepted(self.send(ORGANIZER, command, server))

    def view(self, token: str = ORGANIZER, server: Server | None = None) -> dict[str, Any]:
        """The match as the token's bearer sees it."""
        return accepted(self.client.get(self.url("", server), headers=bearer(token)))

    def events(self, token: str = ORGANIZER) -> list[dict[str, Any]]:
        """All events so far."""
        answer = self.client.get(self.url("/events?limit=500"), headers=bearer(token))
        events: list[dict[str, Any]] = accepted(answer)["events"]
        return events

    def types(self) -> list[str]:
        """The types of all events so far."""
        return [event["type"] for event in self.events()]

    def move(self, server: Server | None = None) -> dict[str, Any]:
        """The first legal command of the first seat that owes one."""
        seat = self.view(server=server)["to_act"][0]
        return self.play(seat, self.legal(seat, server)[0], server)

    def legal(self, seat: int, server: Server | None = None) -> list[dict[str, Any]]:
        """A seat's legal commands."""
        answer = self.client.get(self.url("/legal", server), headers=bearer(self.tokens[seat]))
        commands: list[dict[str, Any]] = accepted(answer)["commands"]
        return commands


def wait_until(holds: Callable[[], Any], seconds: float = PATIENCE_S) -> None:
    """Wait until something holds; fail where it does not in time."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "not in time"
        time.sleep(0.02)


async def eventually(holds: Callable[[], Any], seconds: float = PATIENCE_S) -> None:
    """The same, while the event loop runs."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event to set
            await asyncio.sleep(0.005)
