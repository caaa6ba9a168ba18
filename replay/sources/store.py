"""Logs straight from a store: `redis://host:port/db#ID`, and all other URLs of a store."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final, Self

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

_MATCH: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class StoreSource:
    """The log of `match` in the store at `url`."""

    url: str
    match: str
    name: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """The source at a store's URL with `#` and the match's id behind it.

        Raises:
            Unusable: it is not that.
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

        Raises:
            Unusable: there is no such match, or the store cannot be used.
            Disputed: its entries are no log.
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
        try:
            created = creation_of(commits[0])
        except msgspec.DecodeError as error:
            raise Disputed(f"commit 1 does not create a match: {error}", self.name) from error
        head = reduce(head_after, commits, first_prev(self.match, created.ruleset))
        return Header(FORMAT, self.match, created.game, created.ruleset, head.hex(), len(commits))
