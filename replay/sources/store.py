"""Logs straight from a store: `redis://host:port/db#ID`, and all other URLs of a store."""

import asyncio
import re
from functools import partial, reduce
from typing import Final

import msgspec

from referee.addresses import BadAddress, parse_address
from referee.core.commit import (
    FORMAT,
    Header,
    creation_of,
    first_prev,
    head_after,
    write_match_file,
)
from referee.store import CorruptLog, StoreError, open_store
from replay.exits import Disputed, Unusable
from replay.sources.source import Source

_MATCH: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def store_source(text: str) -> Source:
    """The match behind the `#` of a store's URL, as the store holds it now, unsigned.

    Without such a match, or a store that can be used, it is `Unusable`; `Disputed` where the
    entries are no log.

    Raises:
        Unusable: it is no store's URL with a match's id behind it.
    """
    url, _, match = text.rpartition("#")
    try:
        address = parse_address(url or text)
    except BadAddress as error:
        raise Unusable(str(error), f"{text.partition('://')[0]}://…") from error
    name = f"{address.place}#{match}" if url else address.place
    if not url or not _MATCH.fullmatch(match):
        raise Unusable("the id of a match is missing behind a #", name)
    return Source(name, partial(_read, url, match, name))


def _read(url: str, match: str, name: str) -> bytes:
    try:
        commits = asyncio.run(_commits(url, match))
    except CorruptLog as error:
        raise Disputed(f"{error}", name) from error
    except (StoreError, OSError) as error:
        raise Unusable(f"{error}", name) from error
    if not commits:
        raise Unusable("the store holds no such match", name)
    try:
        created = creation_of(commits[0])
    except msgspec.DecodeError as error:
        raise Disputed(f"commit 1 does not create a match: {error}", name) from error
    head = reduce(head_after, commits, first_prev(match, created.ruleset))
    header = Header(FORMAT, match, created.game, created.ruleset, head.hex(), len(commits))
    return write_match_file(header, commits)


async def _commits(url: str, match: str) -> list[bytes]:
    store = open_store(url)
    try:
        return [entry.data for entry in await store.read(match)]
    finally:
        await store.aclose()
