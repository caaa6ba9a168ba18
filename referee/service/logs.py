"""Reading logs: a match's commits as the store has them, and the match that they tell."""

from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import replace

from referee.catalogue import Catalogue, UnknownGame
from referee.core.commit import Header, MatchFile, creation_of, file_text
from referee.core.match import Match, header_of
from referee.core.rules import BadLog, Rules
from referee.core.visibility import Viewer
from referee.service.errors import ServiceError, Unserved
from referee.service.observing import Observer
from referee.service.receipts import Signer
from referee.store import CorruptLog, Entry, MatchStore, StoreAway

log = structlog.get_logger(__name__)

PAGE: Final = 256
"""Commits that are read in one go; others have their turn before the next."""

PIECE: Final = 64
"""Commits that are sent in one go: for whoever does not read, no more are in memory."""


class Logs:
    """Reads logs from the store and folds them by the catalogue's rules.

    Every method raises `Unserved` where this process cannot read the log, and `StoreAway`.
    """

    def __init__(
        self, store: MatchStore, catalogue: Catalogue, observer: Observer | None = None
    ) -> None:
        self.observer: Final = observer or Observer()
        self._store: Final = store
        self._catalogue: Final = catalogue

    async def after(self, match_id: str, version: int, limit: int | None = None) -> list[bytes]:
        """The bytes of the commits after a version, at most `limit` of them."""
        return await _bytes_of(match_id, self._store.read(match_id, version, limit))

    async def confirm(self, match_id: str, version: int, data: bytes) -> bool:
        """Whether a commit is there for good; False where another one is by now, or none."""
        try:
            return await self._store.confirm(match_id, Entry(version, data))
        except CorruptLog as fault:
            raise unreadable(match_id, fault) from fault

    async def span(self, match_id: str, after: int, last: int) -> list[bytes]:
        """The bytes of the commits `after` + 1 to `last`, which have been seen to be there."""
        if after >= last:
            return []
        return _whole(match_id, await self.after(match_id, after, last - after), last - after)

    async def pages(
        self, match_id: str, last: int, tail: bytes, size: int = PAGE
    ) -> AsyncIterator[list[bytes]]:
        """All commits up to `last`, which was seen to be `tail`, `size` of them at a time.

        Of a crowd each has a page, and then the next.
        """
        for after in range(0, last, size):
            count = min(size, last - after)
            read = self._store.read_in_turn(match_id, after, count)
            page = _whole(match_id, await _bytes_of(match_id, read), count)
            if after + size >= last and page[-1] != tail:
                text = "The log was rewritten this moment; ask again."
                raise Unserved(match_id, text, retry_after=1)
            yield page

    def rules_of(self, match_id: str, first: bytes) -> Rules:
        """The rules of the match that begins with this commit."""
        try:
            ruleset = creation_of(first).ruleset
        except msgspec.DecodeError:
            nonsense = BadLog("the first commit does not create a match")
            raise unreadable(match_id, nonsense) from None
        try:
            return self._catalogue.rules(ruleset)
        except UnknownGame as unknown:
            log.warning("a match of rules that are unknown here", match=match_id, ruleset=ruleset)
            text = f"The match is played by {ruleset}, which this server does not know."
            raise Unserved(match_id, text) from unknown


async def _bytes_of(match_id: str, read: Awaitable[list[Entry]]) -> list[bytes]:
    try:
        return [entry.data for entry in await read]
    except CorruptLog as fault:
        raise unreadable(match_id, fault) from fault


def _whole(match_id: str, commits: list[bytes], count: int) -> list[bytes]:
    """Commits which have been seen to be there, so many."""
    if len(commits) < count:
        raise Unserved(match_id, "The log has just lost commits; ask again.", retry_after=1)
    return commits


@contextmanager
def folding(match_id: str) -> Iterator[None]:
    """What a log's facts are folded in.

    Raises:
        Unserved: they cannot be, whatever is wrong with them.
    """
    try:
        yield
    except (ServiceError, StoreAway):
        raise
    except Exception as fault:
        raise unreadable(match_id, fault) from fault


def unreadable(match_id: str, fault: Exception) -> Unserved:
    """The answer where a log cannot be relied on; people are told of it in ours."""
    log.error("a log cannot be read", match=match_id, fault=str(fault), exc_info=fault)
    return Unserved(match_id, "The match's log cannot be read by this server.")


class Evidence(Struct, frozen=True):
    """A match's whole log for somebody who may have it, and what to judge it by.

    `keys` are the public keys that the server signs with, or did.
    """

    rules: Rules
    file: MatchFile
    keys: tuple[str, ...]
    viewer: Viewer


def signed_header(match: Match, signer: Signer | None) -> Header:
    """The header of a match's file, signed where there is a signer."""
    header = header_of(match)
    if signer is None:
        return header
    text = file_text(header.match, header.count, header.head, match.status)
    return replace(header, public_key=signer.public.x, signature=signer.sign(text))
