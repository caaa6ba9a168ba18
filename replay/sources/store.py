"""Logs straight from a store: ``redis://host:port/db#ID``, and all other URLs of a store."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from referee.addresses import BadAddress, parse_address
from referee.core.commit import (
    FORMAT,
    Header,
    first_prev,
    head_after,
    open_envelope,
    write_match_file,
)
from referee.store import CorruptLog, StoreError, open_store
from replay.faults import Disputed, Unusable

_MATCH: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class _Created(msgspec.Struct):
    """What is read of a log's first command to know under which rules it is."""

    match: str
    game: str
    ruleset: str


@dataclass(frozen=True, slots=True)
class StoreSource:
    """The log of ``match`` in the store at ``url``."""

    url: str
    match: str
    name: str

    @classmethod
    def parse(cls, text: str) -> StoreSource:
        """The source at a store's URL with ``#`` and the match's id behind it.

        Raises :class:`Unusable` where it is not that.
        """
        url, _, match = text.rpartition("#")
        try:
            address = parse_address(url or text)
        except BadAddress as error:
            raise Unusable(str(error), f"{text.partition('://')[0]}://…") from error
        name = f"{address.place}#{match}" if url else address.place
        if not url or not _MATCH.fullmatch(match):
            raise Unusable("the id of a match is missing behind a #", name)
        return cls(url, match, name)

    def read(self) -> bytes:
        """The match file of what the store holds now, unsigned.

        Raises :class:`Unusable` where there is no such match or the store cannot be used,
        :class:`~replay.faults.Disputed` where its entries are no log.
        """
        try:
            commits = asyncio.run(self._commits())
        except CorruptLog as error:
            raise Disputed(f"{error}", self.name) from error
        except (StoreError, OSError) as error:
            raise Unusable(f"{error}", self.name) from error
        if not commits:
            raise Unusable("the store holds no such match", self.name)
        return write_match_file(self._header(commits), commits)

    async def _commits(self) -> list[bytes]:
        store = open_store(self.url)
        try:
            return [entry.data for entry in await store.read(self.match)]
        finally:
            await store.aclose()

    def _header(self, commits: Sequence[bytes]) -> Header:
        created = self._created(commits[0])
        head = first_prev(self.match, created.ruleset)
        for data in commits:
            head = head_after(head, data)
        return Header(FORMAT, self.match, created.game, created.ruleset, head.hex(), len(commits))

    def _created(self, first: bytes) -> _Created:
        try:
            return msgspec.msgpack.decode(open_envelope(first).cmd, type=_Created)
        except (ValueError, RecursionError) as error:
            raise Disputed(f"commit 1 does not create a match: {error}", self.name) from error
