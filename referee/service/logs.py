"""Reading logs: a match's commits as the store has them, and the match that they tell."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import replace

from referee.catalogue import Catalogue, UnknownGame
from referee.core.commit import MatchFile, creation_of, file_text, head_after, open_envelope
from referee.core.match import Match, header_of
from referee.core.rules import BadLog, Rules
from referee.core.visibility import Viewer
from referee.service.errors import ServiceError, Unserved
from referee.service.observing import Observer
from referee.service.receipts import Signer
from referee.store import CorruptLog, MatchStore, StoreAway

log = structlog.get_logger(__name__)


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
        try:
            return [entry.data for entry in await self._store.read(match_id, version, limit)]
        except CorruptLog as fault:
            raise unreadable(match_id, fault) from fault

    async def span(self, match_id: str, after: int, last: int) -> list[bytes]:
        """The bytes of the commits `after` + 1 to `last`, which have been seen to be there."""
        if after >= last:
            return []
        commits = await self.after(match_id, after, last - after)
        if len(commits) < last - after:
            raise Unserved(match_id, "The log has just lost commits; ask again.", retry_after=1)
        return commits

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


def signed_file(match: Match, commits: Sequence[bytes], signer: Signer | None) -> MatchFile:
    """The match file of a match with all its commits, signed where there is a signer.

    Raises:
        Unserved: these are not the commits that led to it.
    """
    name, head = match.setting.match, match.head
    if head_after(open_envelope(commits[-1]).prev, commits[-1]) != head:
        raise Unserved(name, "The log was rewritten this moment; ask again.", retry_after=1)
    header = header_of(match)
    if signer is not None:
        signature = signer.sign(file_text(name, match.version, head.hex(), match.status))
        header = replace(header, public_key=signer.public.x, signature=signature)
    return MatchFile(header, tuple(commits))
