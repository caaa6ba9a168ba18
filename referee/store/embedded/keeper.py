"""What keeps an embedded server: its folder's lock, and a process that ends with ours."""

import fcntl
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from referee.store.log import StoreError

_STOP_S: Final = 10.0
_LOCK_S: Final = 5.0
_LEASH: Final = Path(__file__).with_name("leash.py")


class FolderLock:
    """One server at a time for a folder: a lock that the server holds as well as we do.

    So that it is free only when both are gone, for a server that outlives its owner by a moment
    still writes to the folder.

    Raises:
        StoreError: another process holds it.
    """

    def __init__(self, path: Path) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._take(path)
        except BaseException:
            self.release()
            raise
        os.ftruncate(self.fd, 0)
        os.pwrite(self.fd, str(os.getpid()).encode(), 0)

    def _take(self, path: Path) -> None:
        until = time.monotonic() + _LOCK_S
        while not self._free():
            owner = os.pread(self.fd, 20, 0).decode()
            if _alive(owner) or time.monotonic() > until:
                raise StoreError(
                    f"the data in {path.parent} are in use by another process "
                    f"({owner or 'unknown'}): one service at a time may keep them"
                )
            time.sleep(0.05)

    def _free(self) -> bool:
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        """Let go of it, as far as it is ours."""
        os.close(self.fd)


def _alive(pid: str) -> bool:
    if not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's, but there
    return True


class Keeper:
    """Runs a server as a child of this process, which writes what it says to `output`.

    The kernel counts the thread that started a child as its parent: were it one that ends early,
    the server would end with it. So a thread of its own starts it, and lives as long. The server
    holds the file `held` open.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, command: list[str], held: int, output: Path) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embedded-redis")
        self._process = self._thread.submit(_start, command, held, output).result()

    @property
    def pid(self) -> int | None:
        """The server's process id while it runs."""
        return self._process.pid if self._process.poll() is None else None

    def stop(self) -> None:
        """End the server and wait until it has."""
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._thread.shutdown()


def _start(command: list[str], held: int, output: Path) -> subprocess.Popen[bytes]:
    leash = [sys.executable, "-I", "-S", str(_LEASH), str(os.getpid())]
    with output.open("wb") as said:
        return subprocess.Popen(  # noqa: S603 - a server that was found
            [*leash, *command],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            cwd=output.parent,
            pass_fds=(held,),
            start_new_session=True,  # Ctrl-C is for us; the server ends when we are done
        )
