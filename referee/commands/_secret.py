"""The secret that signs tokens: from the settings, or made once and kept in the data folder."""

import os
import secrets
from pathlib import Path
from typing import Final

from referee.settings import SHORTEST_SECRET, Settings

_FILE: Final = "secret"


def secret_text(settings: Settings, environ: dict[str, str]) -> str:
    """The text of `REFEREE_SECRET`: what is set, or what is kept in the data folder.

    Raises:
        OSError: the folder cannot be read or written.
    """
    return environ.get("REFEREE_SECRET") or _kept(settings.data_dir)


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
