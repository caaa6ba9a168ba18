"""Servers under load, each its own process, ended by its own id, on a core of its own if there are.

One core is the driver's, one the store's, and the rest are the server's.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.store.embedded.server import EmbeddedRedis

SECRET = "the secret of the benchmarks: 32 bytes or more"  # noqa: S105 -- not one that guards anything
START_S: Final = 120
"""Seconds for a server to start: several processes on a busy machine take some."""
_CORES: Final = sorted(os.sched_getaffinity(0))
_PINNED: Final = len(_CORES) > 2  # noqa: PLR2004 -- a core each
_STORES: Final = _CORES[1:2]
_SERVERS: Final = _CORES[2:]


def surroundings() -> str:
    """What every figure is of: the interpreter, how it was built, and the cores."""
    optimized = "--enable-optimizations" in str(sysconfig.get_config_var("CONFIG_ARGS"))
    build = "with PGO" if optimized else "without PGO"
    version = ".".join(map(str, sys.version_info[:3]))
    pinned = "driver, store and server pinned" if _PINNED else "nothing pinned: that takes three"
    return (
        f"{sys.implementation.name} {version} {build}, {len(_CORES)} cores ({pinned}), "
        "store: append-only file synced always; CPU in µs of the process that serves"
    )


def pin_driver() -> None:
    """Keep this process to its core, where there are enough."""
    if _PINNED:
        os.sched_setaffinity(0, _CORES[:1])


@contextlib.contextmanager
def _on(cores: Iterable[int]) -> Generator[None]:
    """What is started meanwhile keeps to these cores, where there are enough."""
    own = os.sched_getaffinity(0)
    if _PINNED:
        os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, own)


class Server(Struct, frozen=True):
    """A server that answers on 127.0.0.1:`port`; `pid` is the process that serves.

    `started_s`: the seconds from its start to the first answer.
    """

    port: int
    pid: int
    started_s: float = 0.0


class Store(Struct, frozen=True):
    """A Redis at `url`, and its process."""

    url: str
    pid: int


@contextlib.contextmanager
def store() -> Generator[Store]:
    """An embedded store of its own."""
    with tempfile.TemporaryDirectory(prefix="referee-bench-") as folder:
        embedded = EmbeddedRedis(Path(folder))
        with _on(_STORES):
            embedded.start()
        try:
            yield Store(embedded.url, embedded.pid or 0)
        finally:
            embedded.stop()


@contextlib.contextmanager
def ceiling(which: str, size: int, url: str) -> Generator[Server]:
    """One of the ceilings, `append` or `plain`, with answers of so many bytes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "benchmarks.ceilings", which, str(port), str(size), url]
    with _on(_SERVERS):
        process = subprocess.Popen(command)  # noqa: S603 -- our own module
    try:
        _wait_for(port)
        yield Server(port, process.pid)
    finally:
        process.terminate()
        process.wait(10)


@contextlib.contextmanager
def service(url: str | None = None, **settings: str) -> Generator[Server]:
    """The service itself, on the store at `url` or its embedded one, as `settings` say."""
    with tempfile.TemporaryDirectory(prefix="referee-bench-") as folder:
        environment = {
            **_installed(),
            "REFEREE_PORT": "0",
            "REFEREE_DATA_DIR": folder,
            "REFEREE_SECRET": SECRET,
            "REFEREE_LOG_LEVEL": "warning",
            "REFEREE_COMMAND_RATE": "0",
            **({} if url is None else {"REFEREE_REDIS_URL": url}),
            **settings,
        }
        output, began = Path(folder) / "serve.out", time.perf_counter()
        with output.open("wb") as out, _on(_SERVERS):
            process = subprocess.Popen(
                [sys.executable, "-m", "referee", "serve"], env=environment, stdout=out
            )
        try:
            port = _announced(output, process)
            _wait_for(port)
            yield Server(port, process.pid, time.perf_counter() - began)
        finally:
            process.terminate()
            process.wait(20)


def _installed() -> dict[str, str]:
    """This environment, but that bytecode is kept: where the service is installed there is some."""
    forbids = "PYTHONDONTWRITEBYTECODE"
    return {name: text for name, text in os.environ.items() if name != forbids}


def cpu_seconds(pid: int) -> float:
    """Processor time that a process and those it started have spent so far, all threads' of them.

    An embedded store is one of those that a service started.
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(cpu_seconds(int(child)) for child in children)


def resident(pid: int) -> int:
    """The bytes of memory that a process has."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _announced(output: Path, process: subprocess.Popen[bytes]) -> int:
    """The port that the service says it listens on."""
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        found = re.search(rb"http://127\.0\.0\.1:(\d+)", output.read_bytes())
        if found:
            return int(found[1])
        time.sleep(0.01)
    raise RuntimeError("the service did not start: " + output.read_text())


def _wait_for(port: int) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.01)
    raise RuntimeError(f"nobody listens on {port}")
