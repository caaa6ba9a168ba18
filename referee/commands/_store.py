"""The store that a server works on: the one that is set, or one of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Generator
from typing import Final

import structlog

from referee.settings import Settings
from referee.store import StoreError
from referee.store.embedded.server import EmbeddedRedis

log = structlog.get_logger(__name__)

_LOOK_S: Final = 0.2


class _Keeper:
    """Starts the embedded server again when it has ended without being told to."""

    def __init__(self, embedded: EmbeddedRedis) -> None:
        self._embedded = embedded
        self._done = threading.Event()
        self.failed = False
        self._thread = threading.Thread(target=self._keep, name="store-keeper", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no more."""
        self._done.set()
        self._thread.join()

    def _keep(self) -> None:
        while not self._done.wait(_LOOK_S):
            if self._embedded.pid is None and not self._restarted():
                self.failed = True
                os.kill(os.getpid(), signal.SIGTERM)
                return

    def _restarted(self) -> bool:
        log.error("the embedded store has ended, and is started again")
        try:
            self._embedded.restart()
        except StoreError as fault:
            log.exception("the embedded store does not start again", fault=str(fault))
            return False
        return True


@contextlib.contextmanager
def store_of(settings: Settings) -> Generator[str]:
    """The store's URL while it is needed.

    Raises:
        StoreError: the embedded store does not start; or it ended, and did not start again, so
            that this process was told to stop.
    """
    if settings.redis_url is not None:
        yield settings.redis_url
        return
    with EmbeddedRedis(settings.data_dir) as embedded:
        keeper = _Keeper(embedded)
        keeper.start()
        try:
            yield embedded.url
        finally:
            keeper.stop()
        if keeper.failed:
            raise StoreError("the embedded store has ended, and does not start again")
