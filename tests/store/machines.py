"""What the store's tests need around them: a wire that breaks, and servers of every kind."""

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path
from typing import Any

import redis
from redis.asyncio.connection import parse_url
from redis.backoff import NoBackoff
from redis.retry import Retry

from referee.store import MatchStore, open_store
from referee.store.embedded.server import find_server

Verdict = str
FORWARD, CUT_BEFORE, CUT_AFTER, HOLD = "forward", "cut before", "cut after", "hold"


class Proxy:
    """Between a store and its server, on a Unix socket; `judge` decides about each write.

    `FORWARD` passes it on, `CUT_BEFORE` ends the connection instead, `CUT_AFTER` passes it on
    and ends the connection when the server has answered, without the answer; `HOLD` keeps it
    until `released` is set, for ever where it is not.
    """

    def __init__(self, folder: Path, target: str) -> None:
        self.path = folder / "proxy.sock"
        self.url = f"unix://{self.path}"
        self.judge: Callable[[bytes], Verdict] = lambda _: FORWARD
        self.seen: list[Verdict] = []
        self.released = asyncio.Event()
        self.lead_to(target)

    def lead_to(self, target: str) -> None:
        """Open connections to this server from now on."""
        self._target: dict[str, Any] = {**parse_url(target)}

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if "path" in self._target:
            return await asyncio.open_unix_connection(self._target["path"])
        return await asyncio.open_connection(self._target["host"], self._target["port"])

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client."""
        try:
            server_reader, server_writer = await self._open()
        except OSError:  # nobody there: the client finds out the same way
            writer.transport.abort()
            return
        back = asyncio.ensure_future(self._pump(server_reader, writer))
        try:
            while data := await reader.read(1 << 20):
                verdict = self.judge(data)
                self.seen.append(verdict)
                if verdict == CUT_BEFORE:
                    break
                if verdict == HOLD:
                    await self.released.wait()
                if verdict == CUT_AFTER:
                    back.cancel()
                    await asyncio.wait([back])
                    server_writer.write(data)
                    await server_reader.read(1 << 20)
                    break
                server_writer.write(data)
        finally:
            back.cancel()
            writer.transport.abort()
            server_writer.transport.abort()
            await asyncio.wait([back])

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 20):
            writer.write(data)
        writer.close()


@contextlib.asynccontextmanager
async def proxy(folder: Path, target: str) -> AsyncGenerator[Proxy]:
    """A proxy that serves."""
    made = Proxy(folder, target)
    handlers: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handlers.add(asyncio.ensure_future(made.serve(reader, writer)))

    server = await asyncio.start_unix_server(accept, made.path)
    try:
        yield made
    finally:
        server.close()
        for task in handlers:
            task.cancel()
        await asyncio.gather(*handlers, return_exceptions=True)


def once(verdict: Verdict, marker: bytes) -> Callable[[bytes], Verdict]:
    """Judge the first write that holds `marker` so, and let all others pass."""
    left = [verdict]
    return lambda data: left.pop() if left and marker in data else FORWARD


def free_port() -> int:
    """A TCP port that nobody listens on just now, nor on the one 10000 above, for a cluster.

    Both are below those that the kernel gives to whoever names none, so that nobody else gets them.
    """
    while True:
        port = 11_000 + secrets.randbelow(11_001)
        with socket.socket() as probe, socket.socket() as bus, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            bus.bind(("127.0.0.1", port + 10_000))
            return port


@contextlib.asynccontextmanager
async def opened(url: str, min_replicas: int = 0) -> AsyncGenerator[MatchStore]:
    """A store, closed in the end."""
    store = open_store(url, min_replicas=min_replicas)
    try:
        yield store
    finally:
        await store.aclose()


@contextlib.asynccontextmanager
async def minded(store: MatchStore) -> AsyncGenerator[None]:
    """Let a store keep the time, as a process does that serves."""
    keeping = asyncio.ensure_future(store.keep_time())
    try:
        yield
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])


class Server:
    """A server on a TCP port, with whatever options a test needs.

    `running`: it was neither stopped nor paused.
    """

    def __init__(
        self,
        folder: Path,
        *options: str,
        port: int | None = None,
        environ: dict[str, str] | None = None,
        program: Path | None = None,
    ) -> None:
        self.port = port or free_port()
        self._environ = {**os.environ, **(environ or {})}
        self._program = program or find_server()
        self.folder = folder / str(self.port)
        self.folder.mkdir(exist_ok=True)
        self.url = f"redis://127.0.0.1:{self.port}"
        self._options = options
        self.client: Any = redis.Redis(port=self.port, retry=Retry(NoBackoff(), 1))
        self.running = False
        self.start()

    def start(self) -> None:
        """Start it, also again after `stop`."""
        sentinel = "--sentinel" in self._options
        config = self.folder / "server.conf"
        if not config.exists():
            common = ["save ''", "appendonly no", "repl-diskless-sync-delay 0"]
            lines = [f"port {self.port}", f"dir {self.folder}", *(common if not sentinel else [])]
            lines += [line for line in self._options if not line.startswith("--")]
            config.write_text("\n".join(lines) + "\n")
        flags = [flag for flag in self._options if flag.startswith("--")]
        with (self.folder / "server.log").open("ab") as said:
            self._process = subprocess.Popen(
                [self._program, config, *flags],
                env=self._environ,
                stdout=said,
                stderr=subprocess.STDOUT,
            )
        wait_until(self.answers)
        self.running = True

    def answers(self) -> bool:
        """Whether it takes commands."""
        try:
            return bool(self.client.ping())
        except redis.RedisError:
            return False

    def pause(self) -> None:
        """Leave its connections open, but do nothing any more."""
        self._process.send_signal(signal.SIGSTOP)
        self.running = False

    def resume(self) -> None:
        """Go on after `pause`."""
        self._process.send_signal(signal.SIGCONT)
        self.running = True

    @contextlib.contextmanager
    def paused(self) -> Generator[None]:
        """The same for a while."""
        self.pause()
        try:
            yield
        finally:
            self.resume()

    @contextlib.contextmanager
    def away(self) -> Generator[None]:
        """End it at once, and start it again afterwards."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    def stop(self) -> None:
        """End it at once."""
        self.running = False
        self.client.close()
        self._process.kill()
        self._process.wait()


def move_slot(slot: int, source: Server, target: Server) -> None:
    """Move one slot of a cluster from a primary to another, as an administrator would."""
    ids = [str(node.client.execute_command("CLUSTER MYID"), "ascii") for node in (source, target)]
    target.client.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", ids[0])
    source.client.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", ids[1])
    time.sleep(0.05)
    keys = source.client.execute_command("CLUSTER GETKEYSINSLOT", slot, 100)
    where = ("127.0.0.1", target.port, "", 0, 1000)
    source.client.execute_command("MIGRATE", *where, "KEYS", *keys)
    time.sleep(0.05)
    for node in (target, source):
        node.client.execute_command("CLUSTER SETSLOT", slot, "NODE", ids[1])


@contextlib.contextmanager
def servers(*made: Server) -> Generator[None]:
    """Stop the servers in the end."""
    try:
        yield
    finally:
        for server in made:
            server.stop()


def linked(primary: Server) -> bool:
    """Whether a replica has what is written to its primary (when just linked, not for a second)."""
    primary.client.set("written", "1")
    return bool(primary.client.wait(1, 500) == 1)


@contextlib.contextmanager
def primary_and_replica(folder: Path) -> Generator[tuple[Server, Server]]:
    """Two servers, of which the second follows the first."""
    primary = Server(folder)
    replica = Server(folder, f"replicaof 127.0.0.1 {primary.port}")
    with servers(primary, replica):
        wait_until(lambda: linked(primary))
        yield primary, replica


def wait_until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until something holds; fail where it does not in time."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "not in time"
        time.sleep(0.02)


async def eventually(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    """The same, while the event loop runs."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event to set
            await asyncio.sleep(0.01)
