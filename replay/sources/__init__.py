"""Where logs come from: match files, folders of them, a service's HTTP, a store, an archive.

A source's text is first expanded to single logs, which are read only when they are needed, in
whichever process needs them. Nothing here ever writes to a source.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from zlib import crc32

from referee.addresses import SCHEMES
from referee.core.commit import MatchFile, Stored, read_match_file
from referee.core.verify import reason
from replay.exits import Unusable
from replay.sources import archive, http
from replay.sources.files import files_at
from replay.sources.source import Source


@dataclass(frozen=True, slots=True)
class Log:
    """A log that was read: where from, and its match file."""

    source: str
    file: MatchFile

    @property
    def identity(self) -> tuple[str, str]:
        """Of which match it is, and under which ruleset, as its header says."""
        return self.file.header.match, self.file.header.ruleset


def expand(texts: Iterable[str]) -> list[Source]:
    """The single logs that these sources name, in their order, a folder's by path.

    A source of no known kind, one that is not there, and a folder without a match file are
    among them, and say what is wrong with them when they are read.
    """
    return [source for text in texts for source in _expanded(text)]


def share_of(sources: Iterable[Source], shard: tuple[int, int] | None) -> list[Source]:
    """Those of a share, K of N: each source is in one of them, whatever else there is by then."""
    share, shares = shard or (1, 1)
    return [one for one in sources if crc32(one.name.encode()) % shares == share - 1]


def _expanded(text: str) -> list[Source]:
    try:
        return list(_named(text))
    except Unusable as unusable:
        return [Source(unusable.source or "a source", partial(_lost, unusable))]


def _lost(unusable: Unusable) -> bytes:
    """Say what is wrong with a source in its turn among others."""
    raise unusable


def names_many(text: str) -> bool:
    """Whether a source is many logs by its kind: a folder, a list at a service, an archive."""
    return Path(text).is_dir() or http.is_list(text) or archive.is_archive(text)


def single(text: str) -> Source:
    """The one log that this source names.

    Raises:
        Unusable: it names none, or several.
    """
    sources = list(_named(text))
    if len(sources) > 1:
        raise Unusable(f"holds {len(sources)} matches, and this command takes one", text)
    return sources[0]


def _named(text: str) -> Iterator[Source]:
    scheme = text.partition("://")[0].lower() if "://" in text else ""
    if scheme in http.SCHEMES:
        yield from http.http_sources(text)
    elif scheme in SCHEMES:
        from replay.sources.store import store_source  # noqa: PLC0415 - heavy, and not for `--help`

        yield store_source(text)
    elif scheme in archive.SCHEMES:
        yield from archive.archive_sources(text)
    elif scheme and not os.path.lexists(text):
        known = ", ".join([*http.SCHEMES, *SCHEMES, *archive.SCHEMES])
        raise Unusable(f"a source is a path or one of {known}", f"{scheme}://…")
    else:
        yield from files_at(text)


def load(source: Source) -> Log:
    """Read a log. Raises what `Source.read` and `parse` raise."""
    return parse(source.name, source.read())


def parse(name: str, data: Stored) -> Log:
    """The log that a match file's bytes are; `name` is what it is called in answers.

    Raises:
        Unusable: they are no match file, or one that is cut off, or one that holds no commit and
            says so.
    """
    try:
        file = read_match_file(data)
    except (ValueError, RecursionError) as error:
        raise Unusable(reason(error), name) from error
    if not file.commits and file.header.count == 0:
        raise Unusable("the match file holds no commits", name)
    return Log(name, file)
