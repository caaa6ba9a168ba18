"""Logs straight from a store: `redis://host:port/db#ID`, and all other URLs of a store."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial, reduce
from typing import TypeVar

import msgspec
import structlog

from referee.addresses import BadAddress, parse_address
from referee.core.commit import (
    FORMAT,
    Header,
    creation_of,
    first_prev,
    head_after,
    write_match_file,
)
from referee.core.patterns import MATCH_ID
from referee.store import CorruptLog, MatchStore, StoreError, open_store
from replay.exits import Disputed, Unusable
from replay.sources.source import RefusedCommand, Source

T = TypeVar("T")

# The store logs its troubles; here they are told as what a command ends with.
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


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
    if not url or not MATCH_ID.fullmatch(match):
        raise Unusable("the id of a match is missing behind a #", name)
    read, refusals = partial(_read, url, match, name), partial(_refusals, url, match, name)
    return Source(name, read, match=match, refusals=refusals)


def _read(url: str, match: str, name: str) -> bytes:
    entries = _asked(url, name, lambda store: store.read(match))
    commits = [entry.data for entry in entries]
    if not commits:
        raise Unusable("the store holds no such match", name)
    try:
        created = creation_of(commits[0])
    except msgspec.DecodeError as error:
        raise Disputed("commit 1 does not create a match", name) from error
    head = reduce(head_after, commits, first_prev(match, created.ruleset))
    header = Header(FORMAT, match, created.game, created.ruleset, head.hex(), len(commits))
    return write_match_file(header, commits)


def _refusals(url: str, match: str, name: str) -> list[RefusedCommand]:
    records = _asked(url, name, lambda store: store.refusals(match))
    try:
        return [msgspec.msgpack.decode(record, type=RefusedCommand) for record in records]
    except (ValueError, RecursionError) as error:
        raise Unusable("the refused commands cannot be read", name) from error


def _asked(url: str, name: str, ask: Callable[[MatchStore], Awaitable[T]]) -> T:
    """What a store answers; it is `Disputed` where its entries are no log."""
    try:
        return asyncio.run(_asking(url, ask))
    except CorruptLog as error:
        raise Disputed(f"{error}", name) from error
    except (StoreError, OSError) as error:
        raise Unusable(f"{error}", name) from error


async def _asking(url: str, ask: Callable[[MatchStore], Awaitable[T]]) -> T:
    store = open_store(url)
    try:
        return await ask(store)
    finally:
        await store.aclose()
