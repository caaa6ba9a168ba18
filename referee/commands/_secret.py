"""The secrets that sign tokens: as set, or made once and kept in the data folder."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import structlog

from referee.addresses import BadAddress
from referee.settings import SHORTEST_SECRET, Settings, SettingsError

T = TypeVar("T")

log = structlog.get_logger(__name__)

LOOK_S: Final = 1.0
"""Seconds between two looks whether a file holds other secrets."""
_FILE: Final = "secret"


def will_make_secret(settings: Settings) -> bool:
    """Whether none is set, and none is kept yet: a token is then good for no service that runs."""
    return not settings.secrets and not (settings.data_dir / _FILE).exists()


def with_secret(settings: Settings, environ: dict[str, str]) -> dict[str, str]:
    """The environment, with the secret that is kept in the data folder where none is set.

    Raises:
        SettingsError: the folder cannot be read or written.
    """
    if settings.secrets:
        return environ
    with settings.in_data_dir() as folder:
        return environ | {"REFEREE_SECRET": _kept(folder)}


async def follow(read: Callable[[], T], take: Callable[[T], None], otherwise: str) -> None:
    """For ever take what stands in a file; where it cannot be taken, `otherwise` is told of."""
    said = ""
    while True:
        try:
            take(read())
            said = ""
        except (SettingsError, BadAddress) as fault:
            if str(fault) != said:
                log.warning(otherwise, fault=str(fault))
            said = str(fault)
        await asyncio.sleep(LOOK_S)


def _kept(folder: Path) -> str:
    """The folder's secret, made where there is none; only its owner may read it."""
    path = folder / _FILE
    if not path.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = folder / f".{_FILE}.{os.getpid()}"
        draft.touch(mode=0o600, exist_ok=False)
        draft.write_text(secrets.token_hex(SHORTEST_SECRET))
        try:
            os.link(draft, path)  # whole or not at all, and only the first of several
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()
