"""Logs in an archive in an object store: `s3://`, `gs://` or `az://`, all of it or one match file.

An archive in a folder is read as a folder of match files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Final, TypeVar

from referee.core.patterns import MATCH_ID
from replay.exits import Unusable
from replay.sources.files import SUFFIX, refusals_in
from replay.sources.source import RefusedCommand, Source

if TYPE_CHECKING:
    from referee.archive import Archive

T = TypeVar("T")

SCHEMES: Final = ("s3", "gs", "az")


def is_archive(text: str) -> bool:
    """Whether this is the address of a whole archive in an object store."""
    return text.partition("://")[0].lower() in SCHEMES and not text.endswith(SUFFIX)


def archive_sources(text: str) -> Iterator[Source]:
    """The matches of the archive at this address, by their ids; or the one at `…/matches/ID.match`.

    One that cannot be read says so when it is read.

    Raises:
        Unusable: no archive can be opened there, or it holds no match.
    """
    from referee.archive.archive import MATCHES  # noqa: PLC0415 - heavy, and not for `--help`

    url, _, match = text.removesuffix(SUFFIX).rpartition(f"/{MATCHES}/")
    if is_archive(text):
        url = text if text.endswith("://") else text.rstrip("/")
        matches = _asked(url, lambda archive: list(archive.matches()))
    elif url and MATCH_ID.fullmatch(match):
        matches = [match]
    else:
        raise Unusable("a match's address is that of its archive and /matches/ID.match", text)
    if not matches:
        raise Unusable("the archive holds no match", text)
    for match in matches:
        name = f"{url}/{MATCHES}/{match}{SUFFIX}"
        read, refusals = partial(_read, url, match, name), partial(_refusals, url, match, name)
        yield Source(name, read, match=match, refusals=refusals)


def _read(url: str, match: str, name: str) -> bytes:
    kept = _asked(url, lambda archive: archive.match(match))
    if kept is None:
        raise Unusable("the archive holds no such match", name)
    return kept.data


def _refusals(url: str, match: str, name: str) -> list[RefusedCommand] | None:
    kept = _asked(url, lambda archive: archive.refusals(match))
    return None if kept is None else refusals_in(kept.data, name)


def _asked(url: str, ask: Callable[[Archive], T]) -> T:
    """What the archive answers."""
    from referee.archive import ArchiveAway, BadArchive  # noqa: PLC0415 - as above

    try:
        return ask(_opened(url))
    except (ArchiveAway, BadArchive) as fault:
        raise Unusable(f"{fault}".removeprefix(f"the archive {url} "), url) from fault


@cache
def _opened(url: str) -> Archive:
    """One for a process: connections are kept open."""
    from referee.archive import open_archive  # noqa: PLC0415 - as above

    return open_archive(url)
