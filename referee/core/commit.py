"""Commits, the chain of their heads, and the match file.

A commit is the record of one accepted command with its events. Its head is

    SHA-256(head before + the commit's exact MessagePack bytes)

and the first "head before" is the SHA-256 of ``match|ruleset``, so that no commit fits another
match. Heads are always taken over stored bytes, never over a re-encoding.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

C = TypeVar("C")
E = TypeVar("E")
D_co = TypeVar("D_co", covariant=True)

FORMAT: Final = "referee-match/1"
HEAD_BYTES: Final = 32


class Commit(Struct, Generic[C, E], frozen=True, gc=False, forbid_unknown_fields=True):
    """One accepted command with its events: one entry of a match's stream.

    ``v`` version from 1; ``at`` Unix ms, never less than the commit before; ``by``
    ``organizer``, ``seat:N`` or ``service``; ``key`` the idempotency key, if one was sent, or
    else, in a commit that hides something, random text, so that nobody finds what is hidden by
    trying which contents have the commit's head; ``cmd`` the command; ``ev`` its events in
    order; ``prev`` the head before, 32 bytes.
    """

    v: int
    at: int
    by: str
    key: str | None
    cmd: C
    ev: tuple[E, ...]
    prev: bytes


class Envelope(Struct, frozen=True, gc=False):
    """A commit whose command and events are still MessagePack."""

    v: int
    at: int
    by: str
    key: str | None
    cmd: msgspec.Raw
    ev: msgspec.Raw
    prev: bytes


class Header(Struct, frozen=True, omit_defaults=True):
    """The first value of a match file. ``head`` is hex; ``count`` how many commits follow."""

    format: str
    match: str
    game: str
    ruleset: str
    head: str
    count: int
    public_key: str | UnsetType = UNSET
    signature: str | UnsetType = UNSET


_ENVELOPES: Final = msgspec.msgpack.Decoder(Envelope)
_HEADERS: Final = msgspec.msgpack.Decoder(Header)


class _Decoder(Protocol[D_co]):
    def decode(self, data: bytes | msgspec.Raw, /) -> D_co: ...


def decoded(decoder: _Decoder[D_co], data: bytes | msgspec.Raw) -> D_co:
    """What ``decoder`` reads in ``data``; ``msgspec.DecodeError`` whatever is wrong with it.

    A decoder of its own says ``UnicodeDecodeError`` of text that is no UTF-8, and
    ``RecursionError`` of lists in lists in lists.
    """
    try:
        return decoder.decode(data)
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(str(error)) from error


def open_envelope(data: bytes) -> Envelope:
    """A commit's outer fields. Raises ``msgspec.DecodeError`` where the bytes are no commit."""
    return decoded(_ENVELOPES, data)


def first_prev(match: str, ruleset: str) -> bytes:
    """What stands before a match's first commit: the SHA-256 of ``match|ruleset``, 32 bytes."""
    return hashlib.sha256(f"{match}|{ruleset}".encode()).digest()


def head_after(prev: bytes, data: bytes) -> bytes:
    """The head after a commit of these exact bytes on top of the head ``prev``, 32 bytes."""
    return hashlib.sha256(prev + data).digest()


class MatchFile(Struct, frozen=True):
    """A match's whole log: the header, and each commit's exact bytes in order."""

    header: Header
    commits: tuple[bytes, ...]


class BadMatchFile(ValueError):
    """Bytes that are no match file: the message says what, and at which byte."""


def write_match_file(header: Header, commits: Iterable[bytes]) -> bytes:
    """The bytes of a match file: the header as a map, then each commit as a ``bin``."""
    encode = msgspec.msgpack.encode
    return b"".join((encode(header), *map(encode, commits)))


def read_match_file(data: bytes) -> MatchFile:
    """The match file that these bytes are.

    Raises :class:`BadMatchFile` where they are not one, or one of a format that is not known.
    """
    end = _header_end(data)
    try:
        header = decoded(_HEADERS, data[:end])
    except msgspec.DecodeError as error:
        message = f"not a match file: {error}"
        raise BadMatchFile(message) from error
    if header.format != FORMAT:
        message = f"a match file of format {header.format!r}; this program reads {FORMAT!r}"
        raise BadMatchFile(message)
    return MatchFile(header, tuple(_bins(data, end)))


def _header_end(data: bytes) -> int:
    try:
        return _skip_map(data)
    except IndexError:
        message = "not a match file: it ends within its header"
        raise BadMatchFile(message) from None


def _bins(data: bytes, at: int) -> Iterator[bytes]:
    while at < len(data):
        size_bytes = {0xC4: 1, 0xC5: 2, 0xC6: 4}.get(data[at])
        if size_bytes is None:
            message = f"not a match file: no commit begins at byte {at}"
            raise BadMatchFile(message)
        start = at + 1 + size_bytes
        end = start + int.from_bytes(data[at + 1 : start], "big")
        if end > len(data):
            message = f"the match file is cut off within the commit at byte {at}"
            raise BadMatchFile(message)
        yield data[start:end]
        at = end


# MessagePack's type bytes. A header is a map of up to 15 pairs of strings, numbers and nil.
_SMALL_MAP: Final = range(0x80, 0x90)
_SHORT_TEXT: Final = range(0xA0, 0xC0)
_SMALL_NUMBER: Final = (*range(0x80), *range(0xE0, 0x100))
_LENGTH_BYTES: Final = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_VALUE_BYTES: Final = {
    **dict.fromkeys((0xC0, 0xC2, 0xC3, *_SMALL_NUMBER), 0),
    0xCA: 4,
    0xCB: 8,
    0xCC: 1,
    0xCD: 2,
    0xCE: 4,
    0xCF: 8,
    0xD0: 1,
    0xD1: 2,
    0xD2: 4,
    0xD3: 8,
}


def _skip_map(data: bytes) -> int:
    if data[0] not in _SMALL_MAP:
        message = "not a match file: it does not begin with a header"
        raise BadMatchFile(message)
    end = 1
    for _ in range(2 * (data[0] - _SMALL_MAP.start)):
        end = _skip(data, end)
    return end


def _skip(data: bytes, at: int) -> int:
    """Where the scalar that begins at ``at`` ends: a header holds nothing nested."""
    kind = data[at]
    if kind in _SHORT_TEXT:
        return at + 1 + kind - _SHORT_TEXT.start
    if kind in _LENGTH_BYTES:
        start = at + 1 + _LENGTH_BYTES[kind]
        return start + int.from_bytes(data[at + 1 : start], "big")
    if kind in _VALUE_BYTES:
        return at + 1 + _VALUE_BYTES[kind]
    message = f"not a match file: byte {at} is no part of a header"
    raise BadMatchFile(message)


def jsonable(value: Any) -> Any:
    """A decoded MessagePack value with its bytes as lower-case hex, ready for JSON."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: jsonable(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(entry) for entry in value]
    return value
