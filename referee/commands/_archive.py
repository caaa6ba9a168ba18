"""What `referee archive` and `referee restore` work with, as the settings say."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Awaitable, Callable, Generator
from typing import NamedTuple

import click

from referee.archive import Archive, BadArchive, open_archive
from referee.catalogue import Catalogue, catalogue
from referee.commands._store import store_of
from referee.service import Signer
from referee.settings import Settings, SettingsError
from referee.store import MovingStore, StoreError, examined
from referee.store.connection.servers import servers_at
from referee.store.embedded.server import EmbeddedRedis


class Means(NamedTuple):
    """The store, as a user who may delete; the archive; the games, and who signs."""

    store: MovingStore
    archive: Archive
    games: Catalogue
    signer: Signer | None


def with_means(work: Callable[[Means], Awaitable[bool]]) -> None:
    """Do some work, and exit: 0 where it says that all is well, else 1."""
    from referee.http import logs  # noqa: PLC0415 - `--help` need not wait for it

    try:
        settings = Settings.from_environment(os.environ)
        logs.configure(settings.log_level, settings.log_format)
        archive = _needed(archive_of(settings))
        with _store_at(settings) as url:
            sys.exit(not asyncio.run(_working(work, url, archive, settings)))
    except (SettingsError, StoreError, OSError) as fault:
        raise click.ClickException(str(fault)) from fault


def archive_of(settings: Settings) -> Archive | None:
    """The archive that is set, if one is.

    Raises:
        SettingsError: it cannot be opened.
    """
    if settings.archive is None:
        return None
    try:
        return open_archive(settings.archive)
    except BadArchive as fault:
        raise SettingsError("REFEREE_ARCHIVE", f"cannot be used: {fault}") from fault


def signer_of(settings: Settings) -> Signer | None:
    """Who signs, if a key is set."""
    key = settings.signing_key
    return Signer(key.private, *key.others) if key else None


def _needed(archive: Archive | None) -> Archive:
    if archive is None:
        raise SettingsError("REFEREE_ARCHIVE", "is needed: it says where matches go")
    return archive


async def _working(
    work: Callable[[Means], Awaitable[bool]], url: str, archive: Archive, settings: Settings
) -> bool:
    store = MovingStore(servers_at(url), min_replicas=settings.min_replicas)
    try:
        return await work(Means(store, archive, catalogue(), signer_of(settings)))
    finally:
        await store.aclose()


@contextlib.contextmanager
def _store_at(settings: Settings) -> Generator[str]:
    """The store's URL; an embedded one is a running service's, or is started for now."""
    running = EmbeddedRedis(settings.data_dir).url
    if settings.redis_url is None and asyncio.run(examined(running, 0))[0].reached:
        yield running
        return
    with store_of(settings) as url:
        yield url
