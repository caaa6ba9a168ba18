"""One match file audited: its commits judged by the core, then its header and its signature.

What comes of it is one of three words: *signed*, *not signed*, *in dispute*.
"""

import base64
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal, get_args

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct, UnsetType

from referee.core.commit import Header, MatchFile, creation_of, file_text
from referee.core.match import Status
from referee.core.rules import Rules
from referee.core.slices import Slices, at_once
from referee.core.told.words import count_of
from referee.core.verify import Chain, Dispute, Verdict, chain_of, verified

Word = Literal["signed", "not signed", "in dispute"]
"""A verdict in a word."""

PROVES: Final[Mapping[Word, str]] = {
    "signed": "every commit follows from the rules and from the seed, and the whole log is as the "
    "holder of a trusted key signed it: nobody else has changed it.",
    "not signed": "every commit follows from the rules and from the seed, but nobody who is "
    "trusted vouches for it: whoever held the log may have made it anew, times and all.",
    "in dispute": "the log contradicts the rules or itself: what stands before the first fault is "
    "lawful; that it was played is proven only where a trusted key vouches for it.",
}
"""What each verdict proves, in a sentence."""


class Audited(Struct, frozen=True):
    """A match file's examination: the verdict on its commits, and all that is in dispute.

    `signed_by` is the public key whose signature holds, `trusted` whether it is one of those that
    were asked for: the key in a file's own header proves nothing by itself.
    """

    verdict: Verdict
    disputes: tuple[Dispute, ...]
    signed_by: str | None
    trusted: bool

    @property
    def word(self) -> Word:
        """The verdict in a word."""
        if self.disputes:
            return "in dispute"
        return "signed" if self.trusted else "not signed"


def audit(
    rules: Rules, file: MatchFile, keys: Collection[str] = (), *, by_another: bool = False
) -> Audited:
    """Examine a match file; the first dispute is the first commit at fault, where there is one.

    Args:
        rules: those that its header names, or others of the same game.
        file: the match file.
        keys: the public keys that are trusted, base64url without padding.
        by_another: whether `rules` are not the header's; then what they judge otherwise is no
            dispute.
    """
    return at_once(audited(rules, file, keys, by_another=by_another))


def audited(
    rules: Rules, file: MatchFile, keys: Collection[str] = (), *, by_another: bool = False
) -> Slices[Audited]:
    """As `audit`, a commit at a time."""
    header, commits = file.header, file.commits
    played_under = header.ruleset if by_another else None
    verdict = yield from verified(rules, header.match, commits, played_under=played_under)
    at_fault = verdict.chain.dispute if by_another else verdict.dispute
    disputes = [at_fault] if at_fault else []
    disputes += _header_disputes(file, verdict.chain)
    proven = verdict.match if verdict.proven == len(commits) else None
    statuses = get_args(Status) if proven is None else (proven.status,)
    unsigned = list(_signature_disputes(header, statuses))
    signed_by = None if unsigned or isinstance(header.public_key, UnsetType) else header.public_key
    return Audited(verdict, (*disputes, *unsigned), signed_by, trusted=signed_by in keys)


def broken(file: MatchFile) -> Dispute | None:
    """The first thing that is wrong with a file by no rules at all: its chain, its header."""
    chain = chain_of(file.header.match, file.header.ruleset, file.commits)
    return chain.dispute or next(_header_disputes(file, chain), None)


def _header_disputes(file: MatchFile, chain: Chain) -> Iterator[Dispute]:
    header, commits = file.header, file.commits
    if not file.in_form:
        yield Dispute("form", "the file reads as a match file, and is written in other bytes")
    yield from _game_disputes(header, commits)
    if header.count != len(commits):
        message = f"the header counts {count_of(header.count, 'commit')}, and {len(commits)} follow"
        yield Dispute("count", message, expected=header.count, found=len(commits))
    if len(chain) == len(commits):
        yield from _head_disputes(header, chain.head.hex())


def _game_disputes(header: Header, commits: Sequence[bytes]) -> Iterator[Dispute]:
    game = header.ruleset.partition("/")[0]
    if header.game != game:
        message = "the header's game is not its ruleset's"
        yield Dispute("header", message, expected=game, found=header.game)
    try:
        creation = creation_of(commits[0])
    except (IndexError, msgspec.DecodeError):
        return
    for field in ("match", "ruleset"):
        created, said = getattr(creation, field), getattr(header, field)
        if created != said:
            message = f"the header's {field} is not the one that commit 1 creates"
            yield Dispute("header", message, expected=created, found=said)


def _head_disputes(header: Header, end: str) -> Iterator[Dispute]:
    if header.head != end:
        message = "the log does not end at the head that its header names"
        yield Dispute("head", message, expected=header.head, found=end)


def _signature_disputes(header: Header, statuses: Sequence[str]) -> Iterator[Dispute]:
    signed_by, signature = header.public_key, header.signature
    if isinstance(signed_by, UnsetType) and isinstance(signature, UnsetType):
        return
    if isinstance(signed_by, UnsetType) or isinstance(signature, UnsetType):
        yield Dispute("signature", "the header holds half of a signature")
    elif not any(
        signed(signed_by, signature, file_text(header.match, header.count, header.head, status))
        for status in statuses
    ):
        message = "the signature is not one of this match, its count, its head and its status"
        yield Dispute("signature", message)


def signed(public_key: str, signature: str, text: bytes) -> bool:
    """Whether this is that key's signature over the text; both in base64url without padding."""
    try:
        key = Ed25519PublicKey.from_public_bytes(from_base64url(public_key))
        key.verify(from_base64url(signature), text)
    except (InvalidSignature, ValueError):
        return False
    return True


def from_base64url(text: str) -> bytes:
    """The bytes that a text in base64url without padding stands for, written in the one way.

    Raises:
        ValueError: it is not that.
    """
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    # Signs that are none, and bits behind the last byte, are passed over: many texts read alike.
    if to_base64url(data) != text:
        raise ValueError("not base64url without padding")
    return data


def to_base64url(data: bytes) -> str:
    """Bytes in base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
