"""One log audited: its header, its signature, its chain, and every commit judged anew.

The judging is the core's (``referee.core.verify``); what is added here is what a match file has
besides commits, the rulings' texts, and a log that the rules themselves trip over.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct, UnsetType

from referee.core.commit import Header, MatchFile, first_prev, head_after, open_envelope
from referee.core.match import Match
from referee.core.rules import Rules
from referee.core.ruling import Ruling
from referee.core.verify import Fault, Verdict, verify
from replay.faults import reason
from replay.telling.json_values import plain
from replay.telling.words import several

Kind = Literal[
    "unreadable",
    "chain",
    "version",
    "time",
    "illegal",
    "event",
    "ranking",
    "count",
    "head",
    "header",
    "signature",
]


class Dispute(Struct, frozen=True, omit_defaults=True):
    """Something about a log that is not as it should be.

    ``version`` is the commit at fault, None where it is the header; ``index`` the event's place
    in its commit. ``expected`` and ``found`` are JSON values. Kinds are those of
    :class:`referee.core.verify.Fault`, and of the header: ``count`` (commits are missing or too
    many), ``head`` (the log ends elsewhere than it says), ``header`` (it contradicts itself or
    the first commit), ``signature`` (it does not hold).
    """

    kind: Kind
    message: str
    version: int | None = None
    index: int | None = None
    expected: Any = None
    found: Any = None
    ruling: Ruling | None = None


class Audited(Struct, frozen=True):
    """A log's examination: how far it is proven, the disputes, and the match that it tells.

    ``heads``: the head after each commit for as long as the chain holds, whatever the commits
    say. ``match``: the match at the last proven commit, None where there is none.
    """

    proven: int
    disputes: tuple[Dispute, ...]
    heads: tuple[bytes, ...]
    match: Match | None


def audit(rules: Rules, file: MatchFile, key: str | None = None) -> Audited:
    """Examine a match file under ``rules``, which are those that its header names.

    ``key``: the public key that must have signed it, as it stands in a header; None takes the
    one in the header. The first dispute is the first commit at fault, where there is one.
    """
    header, commits = file.header, file.commits
    verdict = _verdict(rules, header.match, commits)
    whole = verdict.fault is None
    heads = verdict.heads if whole else chain(header.match, header.ruleset, commits)
    disputes = [dispute(rules, verdict.fault)] if verdict.fault else []
    disputes += header_disputes(file, heads, key)
    return Audited(verdict.proven, tuple(disputes), heads, verdict.match)


def dispute(rules: Rules, fault: Fault) -> Dispute:
    """A fault as the core finds it, with its ruling's text and its values ready for JSON."""
    return Dispute(
        fault.kind,
        fault.message,
        fault.version,
        fault.index,
        plain(fault.expected),
        plain(fault.found),
        rules.rulings.get(fault.ruling) if fault.ruling else None,
    )


def _verdict(rules: Rules, match: str, commits: Sequence[bytes]) -> Verdict:
    """The core's verdict, also on a log that its rules trip over.

    The rules judge what is asked of them by the wire's shapes; a forged log may hold more
    (text that is no text, nesting without end). Then the first commit with which they trip is
    the fault, found by halving: each prefix either is examined or is not.
    """
    try:
        return verify(rules, match, commits)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the log's doing
        good, bad, last = 0, len(commits), error
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            verify(rules, match, commits[:middle])
            good = middle
        except Exception as error:  # noqa: BLE001 - likewise
            bad, last = middle, error
    verdict = verify(rules, match, commits[:good])
    fault = Fault(bad, "unreadable", f"the rules cannot judge commit {bad}: {reason(last)}")
    return Verdict(
        len(commits), verdict.proven, verdict.fault or fault, verdict.match, verdict.heads
    )


def chain(match: str, ruleset: str, commits: Sequence[bytes]) -> tuple[bytes, ...]:
    """The head after each commit for as long as each lies on the head before it."""
    return tuple(_heads(first_prev(match, ruleset), commits))


def _heads(head: bytes, commits: Sequence[bytes]) -> Iterator[bytes]:
    for data in commits:
        try:
            prev = open_envelope(data).prev
        except (ValueError, RecursionError):
            return
        if prev != head:
            return
        head = head_after(head, data)
        yield head


def chain_dispute(file: MatchFile, heads: Sequence[bytes]) -> Dispute | None:
    """The first commit that does not lie on the head before it, judged by no rules at all."""
    version = len(heads) + 1
    if version > len(file.commits):
        return None
    try:
        found = open_envelope(file.commits[version - 1]).prev.hex()
    except (ValueError, RecursionError) as error:
        return Dispute("unreadable", f"not a commit: {reason(error)}", version)
    before = heads[-1] if heads else first_prev(file.header.match, file.header.ruleset)
    message = f"commit {version} does not lie on the head before it"
    return Dispute("chain", message, version, None, before.hex(), found)


def header_disputes(
    file: MatchFile, heads: Sequence[bytes], key: str | None = None
) -> Iterator[Dispute]:
    """What is wrong with a match file's header.

    ``heads`` as :func:`chain` gives them; ``key`` as in :func:`audit`.
    """
    header, commits = file.header, file.commits
    yield from _game_disputes(header, commits)
    if header.count != len(commits):
        message = f"the header counts {several(header.count, 'commit')}, and {len(commits)} follow"
        yield Dispute("count", message, None, None, header.count, len(commits))
    if len(heads) == len(commits):
        yield from _head_disputes(header, heads)
    yield from _signature_disputes(header, key)


class _Named(Struct):
    match: str
    ruleset: str


def _game_disputes(header: Header, commits: Sequence[bytes]) -> Iterator[Dispute]:
    game = header.ruleset.partition("/")[0]
    if header.game != game:
        message = "the header's game is not its ruleset's"
        yield Dispute("header", message, None, None, game, header.game)
    try:
        named = msgspec.msgpack.decode(open_envelope(commits[0]).cmd, type=_Named)
    except (IndexError, ValueError, RecursionError):
        return
    for field in ("match", "ruleset"):
        created, said = getattr(named, field), getattr(header, field)
        if created != said:
            message = f"the header's {field} is not the one that commit 1 creates"
            yield Dispute("header", message, None, None, created, said)


def _head_disputes(header: Header, heads: Sequence[bytes]) -> Iterator[Dispute]:
    end = heads[-1].hex() if heads else first_prev(header.match, header.ruleset).hex()
    if header.head != end:
        message = "the log does not end at the head that its header names"
        yield Dispute("head", message, None, None, header.head, end)


def _signature_disputes(header: Header, key: str | None) -> Iterator[Dispute]:
    signed_by, signature = header.public_key, header.signature
    if isinstance(signed_by, UnsetType) and isinstance(signature, UnsetType):
        if key is not None:
            yield Dispute("signature", "the log is not signed", None, None, key, None)
    elif isinstance(signed_by, UnsetType) or isinstance(signature, UnsetType):
        yield Dispute("signature", "the header holds half of a signature")
    elif key is not None and key.rstrip("=") != signed_by:
        message = "the log is signed with another key"
        yield Dispute("signature", message, None, None, key, signed_by)
    elif not signature_holds(signed_by, signature, signed_text(header)):
        yield Dispute("signature", "the signature is not one of this match, count and head")


def signed_text(header: Header) -> bytes:
    """What a match file's signature is over."""
    return f"{header.match}|{header.count}|{header.head}".encode()


def signature_holds(public_key: str, signature: str, text: bytes) -> bool:
    """Whether an Ed25519 signature is that key's over this text.

    Both are base64url without padding; what is not, or is of another length, does not hold.
    """
    try:
        Ed25519PublicKey.from_public_bytes(unpadded(public_key)).verify(unpadded(signature), text)
    except (InvalidSignature, ValueError):
        return False
    return True


_BASE64URL: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def unpadded(text: str) -> bytes:
    """The bytes that a text in base64url without padding stands for. Raises ``ValueError``."""
    if not _BASE64URL.issuperset(text):
        raise ValueError("not base64url without padding")
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error as error:
        raise ValueError(str(error)) from error
