"""The store that a server works on: the one that is set, or one of its own."""

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


@contextlib.contextmanager
def _kept(embedded: EmbeddedRedis) -> Generator[None]:
    """Start the embedded server again while it is needed, whenever it has ended without being told.

    Raises:
        StoreError: it did not start again, so that this process was told to stop.
    """
    done, failed = threading.Event(), threading.Event()

    def keep() -> None:
        while not done.wait(_LOOK_S):
            if embedded.pid is None and not _restarted(embedded):
                failed.set()
                os.kill(os.getpid(), signal.SIGTERM)
                return

    keeper = threading.Thread(target=keep, name="store-keeper", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        done.set()
        keeper.join()
    if failed.is_set():
        raise StoreError("the embedded store has ended, and does not start again")


def _restarted(embedded: EmbeddedRedis) -> bool:
    log.error("the embedded store has ended, and is started again")
    try:
        embedded.restart()
    except StoreError as fault:
        log.exception("the embedded store does not start again", fault=str(fault))
        return False
    return True


@contextlib.contextmanager
def store_of(settings: Settings) -> Generator[str]:
    """The store's URL while it is needed.

    Raises:
        SettingsError: the data folder cannot be used.
        StoreError: the embedded store does not start; or it ended, and did not start again, so
            that this process was told to stop.
    """
    if settings.redis_url is not None:
        yield settings.redis_url
        return
    with contextlib.ExitStack() as stack:
        with settings.in_data_dir() as folder:
            embedded = stack.enter_context(EmbeddedRedis(folder))
        stack.enter_context(_kept(embedded))
        yield embedded.url
