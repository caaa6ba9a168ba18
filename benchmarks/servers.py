"""Servers under load, each its own process, ended by its own id."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

from msgspec import Struct

SECRET = "the secret of the benchmarks: 32 bytes or more"  # noqa: S105 -- not one that guards anything


class Server(Struct, frozen=True):
    """A server that answers on 127.0.0.1:`port`; `pid` is the process that serves."""

    port: int
    pid: int


@contextlib.contextmanager
def ceiling(which: str, *arguments: str) -> Generator[Server]:
    """One of the ceilings: `noop`, or `append` with a Redis URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "benchmarks.ceilings", which, str(port), *arguments]
    process = subprocess.Popen(command)  # noqa: S603 -- our own module
    try:
        _wait_for(port)
        yield Server(port, process.pid)
    finally:
        process.terminate()
        process.wait(10)


@contextlib.contextmanager
def service(**settings: str) -> Generator[Server]:
    """The service itself, one worker, on its embedded store unless `settings` say otherwise."""
    with tempfile.TemporaryDirectory(prefix="referee-bench-") as folder:
        environment = {
            **os.environ,
            "REFEREE_PORT": "0",
            "REFEREE_DATA_DIR": folder,
            "REFEREE_SECRET": SECRET,
            "REFEREE_LOG_LEVEL": "warning",
            "REFEREE_COMMAND_RATE": "0",
            **settings,
        }
        output = Path(folder) / "serve.out"
        with output.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "referee", "serve"], env=environment, stdout=out
            )
        try:
            port = _announced(output, process)
            _wait_for(port)
            yield Server(port, process.pid)
        finally:
            process.terminate()
            process.wait(20)


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has spent so far, its threads' included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _announced(output: Path, process: subprocess.Popen[bytes]) -> int:
    """The port that the service says it listens on."""
    until = time.monotonic() + 30
    while time.monotonic() < until and process.poll() is None:
        found = re.search(rb"http://127\.0\.0\.1:(\d+)", output.read_bytes())
        if found:
            return int(found[1])
        time.sleep(0.05)
    raise RuntimeError("the service did not start: " + output.read_text())


def _wait_for(port: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"nobody listens on {port}")
