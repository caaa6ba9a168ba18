"""Commits, the chain of their heads, and the match file.

A commit is the record of one accepted command with its events. Its head is

    SHA-256(head before + the commit's exact MessagePack bytes)

and the first "head before" is the SHA-256 of `match|ruleset`, so that no commit fits another
match. Heads are always taken over stored bytes, never over a re-encoding.
"""

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar, overload

import msgpack  # type: ignore[import-untyped]
import msgspec
from msgspec import UNSET, Struct, UnsetType

from referee.core.slices import Slices, at_once

C = TypeVar("C")
E = TypeVar("E")
D_co = TypeVar("D_co", covariant=True)

FORMAT: Final = "referee-match/1"
HEAD_BYTES: Final = 32
SALT_BYTES: Final = 12
"""Random bytes of a salt: 96 bits."""
LATEST: Final = 1 << 53
"""No stamp is beyond this, Unix ms: so far every reader of JSON holds whole numbers exactly."""
_CHUNK: Final = 1 << 16
"""Bytes of a match file that are read at once where it is gone through."""
_AT_A_TIME: Final = 256
"""Commits that are read at once."""


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
_PACK: Final = msgspec.msgpack.Encoder()


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


def written(commit: Commit[Any, Any]) -> bytes:
    """The one form of a commit's bytes: MessagePack, as its fields stand in `Commit`."""
    return _PACK.encode(commit)


def first_prev(match: str, ruleset: str) -> bytes:
    """What stands before a match's first commit: the SHA-256 of `match|ruleset`, 32 bytes."""
    return hashlib.sha256(f"{match}|{ruleset}".encode()).digest()


def head_after(prev: bytes, data: bytes) -> bytes:
    """The head after a commit of these exact bytes on top of the head `prev`, 32 bytes."""
    return hashlib.sha256(prev + data).digest()


def each_head(heads: bytes | bytearray) -> Iterator[bytes]:
    """Each of the heads that stand one behind the other."""
    return (bytes(heads[at : at + HEAD_BYTES]) for at in range(0, len(heads), HEAD_BYTES))


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
    commits: Sequence[bytes]
    in_form: bool = True


class Stored(Protocol):
    """Bytes that lie somewhere, as they are or on a disk: a part is read when it is asked for."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> bytes: ...


class Commits(Sequence[bytes]):
    """The commits of a match file, read a few at a time, whenever they are asked for.

    `bounds` are the bytes at which each begins in its file, and at which the last ends.
    """

    def __init__(self, data: Stored, bounds: "array[int]") -> None:
        self._data, self._bounds = data, bounds

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __iter__(self) -> Iterator[bytes]:
        for first in range(0, len(self), _AT_A_TIME):
            yield from self._read(first, min(first + _AT_A_TIME, len(self)))

    @overload
    def __getitem__(self, which: int) -> bytes: ...

    @overload
    def __getitem__(self, which: slice) -> "Commits": ...

    def __getitem__(self, which: int | slice) -> "bytes | Commits":
        if isinstance(which, slice):
            first, last, _ = which.indices(len(self))
            return Commits(self._data, self._bounds[first : max(first, last) + 1])
        first = range(len(self))[which]
        return self._read(first, first + 1)[0]

    def _read(self, first: int, last: int) -> list[bytes]:
        values = msgpack.Unpacker(max_buffer_size=0)
        values.feed(self._data[self._bounds[first] : self._bounds[last]])
        return list(values)


class BadMatchFile(ValueError):
    """Bytes that are no match file: the message says what, and at which byte."""


def write_match_file(header: Header, commits: Iterable[bytes]) -> bytes:
    """The bytes of a match file: the header as a map, then each commit as a `bin`."""
    return msgspec.msgpack.encode(header) + write_commits(commits)


def write_commits(commits: Iterable[bytes]) -> bytes:
    """The bytes of commits as they stand in a match file."""
    return b"".join(map(msgspec.msgpack.encode, commits))


def read_match_file(data: Stored) -> MatchFile:
    """The match file that these bytes are; they are gone through once, and not kept.

    Raises:
        BadMatchFile: they are not one, or one of a format that is not known.
    """
    return at_once(match_file_in(data))


def match_file_in(data: Stored) -> Slices[MatchFile]:
    """As `read_match_file`, some commits at a time."""
    # A commit is a `bin`: whatever nests is refused before anything is made of it.
    limits = {"max_array_len": 0, "max_map_len": 0, "max_ext_len": 0, "max_buffer_size": 0}
    values = msgpack.Unpacker(_Reader(data), read_size=_CHUNK, **limits)
    header = _header(values, data)
    bounds = array("Q", [values.tell()])
    in_form = msgspec.msgpack.encode(header) == data[: bounds[0]]
    for commit in _commits(values, len(data)):
        bounds.append(values.tell())
        in_form = in_form and len(msgspec.msgpack.encode(commit)) == bounds[-1] - bounds[-2]
        if len(bounds) % _AT_A_TIME == 0:
            yield
    return MatchFile(header, Commits(data, bounds), in_form)


class _Reader:
    """Bytes as a library reads them: from their beginning on."""

    def __init__(self, data: Stored) -> None:
        self._data, self._at = data, 0

    def read(self, size: int) -> bytes:
        part = self._data[self._at : self._at + size]
        self._at += len(part)
        return part


def _header(values: msgpack.Unpacker, data: Stored) -> Header:
    try:
        values.skip()
        header = decoded(_HEADERS, data[: values.tell()])
    except msgpack.OutOfData:
        raise BadMatchFile("not a match file: it ends within its header") from None
    except (ValueError, msgspec.DecodeError) as error:
        raise BadMatchFile("not a match file: it begins with no header") from error
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
                f"the match file is cut off within the commit at byte {at:,}"
            ) from None
        except ValueError:
            commit = None
        if not isinstance(commit, bytes):
            raise BadMatchFile(f"not a match file: no commit begins at byte {at:,}")
        yield commit
