"""One match file audited: its commits judged by the core, then its header and its signature."""

import base64
import re
from collections.abc import Iterator, Sequence
from typing import Final, get_args

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct, UnsetType

from referee.core.commit import Header, MatchFile, creation_of, file_text, first_prev
from referee.core.match import Status
from referee.core.rules import Rules
from referee.core.told.words import count_of
from referee.core.verify import Dispute, Verdict, verify

_BASE64URL: Final = re.compile(r"[A-Za-z0-9_-]*")


class Audited(Struct, frozen=True):
    """A match file's examination: the verdict on its commits, and all that is in dispute.

    `signed_by` is the public key whose signature holds.
    """

    verdict: Verdict
    disputes: tuple[Dispute, ...]
    signed_by: str | None


def audit(
    rules: Rules, file: MatchFile, key: str | None = None, *, by_another: bool = False
) -> Audited:
    """Examine a match file; the first dispute is the first commit at fault, where there is one.

    Args:
        rules: those that its header names, or others of the same game.
        file: the match file.
        key: the public key that must have signed it; None takes the one in the header.
        by_another: whether `rules` are not the header's; then what they judge otherwise is no
            dispute.
    """
    header, commits = file.header, file.commits
    played_under = header.ruleset if by_another else None
    verdict = verify(rules, header.match, commits, played_under=played_under)
    at_fault = verdict.chain.dispute if by_another else verdict.dispute
    disputes = [at_fault] if at_fault else []
    disputes += _header_disputes(file, verdict.heads)
    proven = verdict.match if verdict.proven == len(commits) else None
    statuses = get_args(Status) if proven is None else (proven.status,)
    unsigned = list(_signature_disputes(header, key, statuses))
    signed_by = None if unsigned or isinstance(header.public_key, UnsetType) else header.public_key
    return Audited(verdict, (*disputes, *unsigned), signed_by)


def _header_disputes(file: MatchFile, heads: Sequence[bytes]) -> Iterator[Dispute]:
    header, commits = file.header, file.commits
    if not file.in_form:
        yield Dispute("form", "the file reads as a match file, and is written in other bytes")
    yield from _game_disputes(header, commits)
    if header.count != len(commits):
        message = f"the header counts {count_of(header.count, 'commit')}, and {len(commits)} follow"
        yield Dispute("count", message, expected=header.count, found=len(commits))
    if len(heads) == len(commits):
        yield from _head_disputes(header, heads)


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


def _head_disputes(header: Header, heads: Sequence[bytes]) -> Iterator[Dispute]:
    end = heads[-1].hex() if heads else first_prev(header.match, header.ruleset).hex()
    if header.head != end:
        message = "the log does not end at the head that its header names"
        yield Dispute("head", message, expected=header.head, found=end)


def _signature_disputes(
    header: Header, key: str | None, statuses: Sequence[str]
) -> Iterator[Dispute]:
    signed_by, signature = header.public_key, header.signature
    if isinstance(signed_by, UnsetType) and isinstance(signature, UnsetType):
        if key is not None:
            yield Dispute("signature", "the log is not signed", expected=key, found=None)
    elif isinstance(signed_by, UnsetType) or isinstance(signature, UnsetType):
        yield Dispute("signature", "the header holds half of a signature")
    elif key is not None and key.rstrip("=") != signed_by:
        message = "the log is signed with another key"
        yield Dispute("signature", message, expected=key, found=signed_by)
    elif not any(_holds(header, signed_by, signature, status) for status in statuses):
        message = "the signature is not one of this match, its count, its head and its status"
        yield Dispute("signature", message)


def _holds(header: Header, public_key: str, signature: str, status: str) -> bool:
    """Whether this is that key's signature over the file of a match of that status."""
    text = file_text(header.match, header.count, header.head, status)
    try:
        key = Ed25519PublicKey.from_public_bytes(from_base64url(public_key))
        key.verify(from_base64url(signature), text)
    except (InvalidSignature, ValueError):
        return False
    return True


def from_base64url(text: str) -> bytes:
    """The bytes that a text in base64url without padding stands for.

    Raises:
        ValueError: it is not that.
    """
    if not _BASE64URL.fullmatch(text):
        raise ValueError("not base64url without padding")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
