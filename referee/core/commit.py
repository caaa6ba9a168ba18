"""Commits, the chain of their heads, and the match file.

A commit is the record of one accepted command with its events. Its head is

    SHA-256(head before + the commit's exact MessagePack bytes)

and the first "head before" is the SHA-256 of `match|ruleset`, so that no commit fits another
match. Heads are always taken over stored bytes, never over a re-encoding.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final, Generic, Protocol, TypeVar

import msgpack  # type: ignore[import-untyped]
import msgspec
from msgspec import UNSET, Struct, UnsetType

C = TypeVar("C")
E = TypeVar("E")
D_co = TypeVar("D_co", covariant=True)

FORMAT: Final = "referee-match/1"
SALT_BYTES: Final = 12
"""Random bytes of a salt: 96 bits."""
LATEST: Final = 1 << 53
"""No stamp is beyond this, Unix ms: so far every reader of JSON holds whole numbers exactly."""


class Commit(Struct, Generic[C, E], frozen=True, gc=False, forbid_unknown_fields=True):
    """One accepted command with its events: one entry of a match's stream.

    `v` version from 1; `at` Unix ms, never less than the commit before; `by` who: `seat:N`,
    `service`, `organizer` or `organizer:NAME`, with `/seat:N` behind it where an organizer acts
    for a seat; `key` the idempotency key, if one was sent; `salt` 12 random bytes in a commit one
    of whose events can hide something, so that nobody finds out what by trying which contents have
    the commit's head; `cmd` the command; `ev` its events in order; `prev` the head before, 32
    bytes.
    """

    v: int
    at: int
    by: str
    key: str | None
    salt: bytes | None
    cmd: C
    ev: tuple[E, ...]
    prev: bytes


class Envelope(Struct, frozen=True, gc=False):
    """A commit whose command and events are still MessagePack."""

    v: int
    at: int
    by: str
    key: str | None
    salt: bytes | None
    cmd: msgspec.Raw
    ev: msgspec.Raw
    prev: bytes


class Header(Struct, frozen=True, omit_defaults=True):
    """The first value of a match file. `head` is hex; `count` how many commits follow."""

    format: str
    match: str
    game: str
    ruleset: str
    head: str
    count: int
    public_key: str | UnsetType = UNSET
    signature: str | UnsetType = UNSET


class Creation(Struct, frozen=True):
    """What the first command of a log says it creates."""

    match: str
    game: str
    ruleset: str


_ENVELOPES: Final = msgspec.msgpack.Decoder(Envelope)
_CREATIONS: Final = msgspec.msgpack.Decoder(Creation)
_HEADERS: Final = msgspec.msgpack.Decoder(Header)


class _Decoder(Protocol[D_co]):
    def decode(self, data: bytes | msgspec.Raw, /) -> D_co: ...


def decoded(decoder: _Decoder[D_co], data: bytes | msgspec.Raw) -> D_co:
    """What `decoder` reads in `data`.

    Raises:
        msgspec.DecodeError: whatever is wrong with it, where the decoder itself would raise
            `UnicodeDecodeError` (text that is no UTF-8) or `RecursionError` (lists in lists in
            lists) as well.
    """
    try:
        return decoder.decode(data)
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.DecodeError(str(error)) from error


def stamp_in(beginning: bytes) -> int | None:
    """When a commit was made, Unix ms, from its first 32 bytes or more; None where none is said.

    >>> stamp_in(msgspec.msgpack.encode({"v": 7, "at": 1_700_000_000_000, "by": "service"})[:24])
    1700000000000
    """
    values = msgpack.Unpacker()
    values.feed(beginning)
    try:
        values.read_map_header()
        found = [values.unpack() for _ in range(4)]
    except (ValueError, msgpack.OutOfData):
        return None
    at = dict(zip(found[::2], found[1::2], strict=True)).get("at")
    return at if isinstance(at, int) else None


def open_envelope(data: bytes) -> Envelope:
    """A commit's outer fields.

    Raises:
        msgspec.DecodeError: the bytes are no commit.
    """
    return decoded(_ENVELOPES, data)


def creation_of(first: bytes) -> Creation:
    """What a log's first commit says it creates, whatever rules the log is under.

    Raises:
        msgspec.DecodeError: it is no commit that creates a match.
    """
    return decoded(_CREATIONS, open_envelope(first).cmd)


def first_prev(match: str, ruleset: str) -> bytes:
    """What stands before a match's first commit: the SHA-256 of `match|ruleset`, 32 bytes."""
    return hashlib.sha256(f"{match}|{ruleset}".encode()).digest()


def head_after(prev: bytes, data: bytes) -> bytes:
    """The head after a commit of these exact bytes on top of the head `prev`, 32 bytes."""
    return hashlib.sha256(prev + data).digest()


def receipt_text(match: str, version: int, head: str) -> bytes:
    """What the signature of a receipt is over: a commit of a match, its head in hex."""
    return f"referee-receipt/1|{match}|{version}|{head}".encode()


def file_text(match: str, count: int, head: str, status: str) -> bytes:
    """What the signature of a match file is over; `status` of the match after its last commit.

    It begins otherwise than that of a receipt, so that neither passes for the other.
    """
    return f"{FORMAT}|{match}|{count}|{head}|{status}".encode()


class MatchFile(Struct, frozen=True):
    """A match's whole log: the header, and each commit's exact bytes in order.

    `in_form`: the file's own bytes are those that `write_match_file` makes of these.
    """

    header: Header
    commits: tuple[bytes, ...]
    in_form: bool = True


class BadMatchFile(ValueError):
    """Bytes that are no match file: the message says what, and at which byte."""


def write_match_file(header: Header, commits: Iterable[bytes]) -> bytes:
    """The bytes of a match file: the header as a map, then each commit as a `bin`."""
    encode = msgspec.msgpack.encode
    return b"".join((encode(header), *map(encode, commits)))


def read_match_file(data: bytes) -> MatchFile:
    """The match file that these bytes are.

    Raises:
        BadMatchFile: they are not one, or one of a format that is not known.
    """
    # A commit is a `bin`: whatever nests is refused before anything is made of it.
    values = msgpack.Unpacker(max_array_len=0, max_map_len=0, max_ext_len=0, max_buffer_size=0)
    values.feed(data)
    header = _header(values, data)
    commits = tuple(_commits(values, len(data)))
    return MatchFile(header, commits, in_form=write_match_file(header, commits) == data)


def _header(values: msgpack.Unpacker, data: bytes) -> Header:
    try:
        values.skip()
        header = decoded(_HEADERS, data[: values.tell()])
    except msgpack.OutOfData:
        raise BadMatchFile("not a match file: it ends within its header") from None
    except (ValueError, msgspec.DecodeError) as error:
        raise BadMatchFile(f"not a match file: it begins with no header: {error}") from error
    if header.format != FORMAT:
        text = f"a match file of format {header.format!r}; this program reads {FORMAT!r}"
        raise BadMatchFile(text)
    return header


def _commits(values: msgpack.Unpacker, end: int) -> Iterator[bytes]:
    while (at := values.tell()) < end:
        try:
            commit = values.unpack()
        except msgpack.OutOfData:
            raise BadMatchFile(
                f"the match file is cut off within the commit at byte {at}"
            ) from None
        except ValueError:
            commit = None
        if not isinstance(commit, bytes):
            raise BadMatchFile(f"not a match file: no commit begins at byte {at}")
        yield commit
