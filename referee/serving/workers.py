"""Several processes that share one socket, and the parent that keeps them running."""

import contextlib
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Final

import structlog
from prometheus_client import multiprocess

from referee.http import logs
from referee.http.metrics import SEVERAL
from referee.http.middleware import Middleware
from referee.serving.server import DRAIN_S, Server
from referee.settings import Settings

log = structlog.get_logger(__name__)

_SPAWN: Final = multiprocessing.get_context("spawn")
_READY: Final = "ready"
_PAUSE_S: Final = 1.0
"""Seconds before a process that died is replaced."""
_GRACE_S: Final = DRAIN_S + 5


Beside = contextlib.AbstractContextManager[None]
Build = Callable[[Settings, str], Middleware]
"""Makes the application of the settings, on the store at a URL; a function of a module."""


class Job:
    """What a worker needs to know.

    Args:
        build: makes the application.
        environ: the settings as text.
        store_url: where the store is.
        listening: the socket to serve on.
    """

    def __init__(
        self, build: Build, environ: Mapping[str, str], store_url: str, listening: socket.socket
    ) -> None:
        self.build = build
        self.environ = dict(environ)
        self.store_url = store_url
        self.listening = listening


def work(job: Job, parent: Connection) -> None:
    """Serve in this process until told to stop, or until the parent is gone."""
    settings = Settings.from_environment(job.environ)
    logs.configure(settings.log_level, settings.log_format)
    served = job.build(settings, job.store_url)
    server = Server(served, lambda: parent.send(_READY), settings.drain_s)
    threading.Thread(target=_stop_with, args=(parent,), daemon=True).start()
    server.run([job.listening])


def _stop_with(parent: Connection) -> None:
    with contextlib.suppress(EOFError, OSError):
        parent.recv()  # says nothing, and ends when the parent does
    os.kill(os.getpid(), signal.SIGTERM)


class _Worker:
    """One process, and the line to it."""

    def __init__(self, job: Job) -> None:
        self.line, theirs = _SPAWN.Pipe()
        self.process: SpawnProcess = _SPAWN.Process(target=work, args=(job, theirs))
        self.process.start()
        theirs.close()
        self.ready = False

    def hear(self) -> None:
        """Take note of its being ready."""
        with contextlib.suppress(EOFError, OSError):
            self.ready = self.line.recv() == _READY

    def end(self, until: float) -> None:
        """Wait for its end, and make it end at `until` (monotonic seconds)."""
        self.process.join(max(0.0, until - time.monotonic()))
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.line.close()


def shared_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for what the processes count together.

    Raises:
        OSError: there is none to be had.
    """
    try:
        return tempfile.TemporaryDirectory(prefix="referee-metrics-")
    except OSError as fault:
        needed = "several processes count together in a folder: mount a /tmp that can be written to"
        raise OSError(f"REFEREE_WORKERS: {needed}, or let one serve ({fault.strerror})") from None


class Workers:
    """Keeps processes at a job, as many as the settings say.

    `beside` is entered while they are at it.
    """

    def __init__(self, job: Job, settings: Settings, beside: Callable[[], Beside]) -> None:
        self._job = job
        self._count = settings.workers
        self._leave_s = settings.drain_s
        self._beside = beside
        self._workers: list[_Worker] = []
        self._told, self._tell = _SPAWN.Pipe(duplex=False)

    def run(self, ready: Callable[[], None]) -> int:
        """Work until told to stop by SIGTERM or SIGINT; calls `ready` once all are.

        Returns the exit status: 1 where the first processes do not even start.
        """
        for sig in (signal.SIGTERM, signal.SIGINT):
            signal.signal(sig, self._on_signal)
        with shared_folder() as folder:
            os.environ[SEVERAL] = folder
            with self._beside():
                try:
                    return self._run(ready)
                finally:
                    self._stop()

    def _on_signal(self, *_: Any) -> None:
        self._tell.send("stop")

    def _run(self, ready: Callable[[], None]) -> int:
        self._workers = [_Worker(self._job) for _ in range(self._count)]
        announced = False
        while True:
            lines = [worker.line for worker in self._workers if not worker.ready]
            ends = [worker.process.sentinel for worker in self._workers]
            heard = wait([self._told, *lines, *ends])
            if self._told in heard:
                return 0
            for dead in [each for each in self._workers if each.process.sentinel in heard]:
                if not announced:
                    log.error("a worker did not start", exitcode=dead.process.exitcode)
                    return 1
                self._replace(dead)
            for worker in self._workers:
                if worker.line in heard:
                    worker.hear()
            if not announced and all(worker.ready for worker in self._workers):
                announced = True
                ready()

    def _replace(self, dead: _Worker) -> None:
        pid, exitcode = dead.process.pid, dead.process.exitcode
        log.error("a worker died", worker=pid, exitcode=exitcode)
        multiprocess.mark_process_dead(pid)  # type: ignore[no-untyped-call]
        dead.end(0)
        time.sleep(_PAUSE_S)
        self._workers[self._workers.index(dead)] = _Worker(self._job)

    def _stop(self) -> None:
        for worker in self._workers:
            worker.process.terminate()
        until = time.monotonic() + self._leave_s + _GRACE_S
        for worker in self._workers:
            worker.end(until)
