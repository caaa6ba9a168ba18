"""Commits, their heads, and match files, whole and broken."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.audit import from_base64url, to_base64url
from referee.core.commit import (
    FORMAT,
    BadMatchFile,
    Commit,
    Header,
    first_prev,
    head_after,
    match_file_in,
    open_envelope,
    read_match_file,
    write_match_file,
)
from referee.core.table.commands import Resign
from tests.core.play import Play

HEADER = Header(FORMAT, "m1", "giro-galoppo", "giro-galoppo/1", "00" * 32, 2)
texts = st.text(max_size=40)
headers = st.builds(
    Header,
    st.just(FORMAT),
    texts,
    texts,
    texts,
    texts,
    st.integers(0, 2**63),
    st.just(msgspec.UNSET) | texts,
    st.just(msgspec.UNSET) | texts,
)


def test_a_commit_holds_what_the_contract_says() -> None:
    """A map of v, at, by, key, salt, cmd, ev and prev, in this order."""
    play = Play(seats=2)
    play.take(1, Resign(), key="k1")
    commit = msgspec.msgpack.decode(play.log[-1])
    assert list(commit) == ["v", "at", "by", "key", "salt", "cmd", "ev", "prev"]
    assert commit["v"] == 2
    assert commit["at"] == play.now
    assert commit["by"] == "seat:1"
    assert commit["key"] == "k1"
    assert commit["cmd"] == {"type": "resign"}
    assert commit["ev"][0] == {"type": "withdrawn", "seat": 1, "why": "resigned", "reason": None}
    assert commit["prev"] == play.at(1).head


def test_heads_are_a_chain_over_the_stored_bytes() -> None:
    """Each head is the SHA-256 of the head before and the bytes; the first stands on the name."""
    play = Play(seats=2).race()
    head = hashlib.sha256(b"m1|giro-galoppo/1").digest()
    for decided in play.decided:
        head = hashlib.sha256(head + decided.data).digest()
        assert decided.match.head == head


def test_no_commit_fits_another_match() -> None:
    """The first head before differs by match and by ruleset."""
    assert first_prev("m1", "a/1") == hashlib.sha256(b"m1|a/1").digest()
    assert len({first_prev(m, r) for m in ("m1", "m2") for r in ("a/1", "a/2")}) == 4


def test_another_encoding_has_another_head() -> None:
    """Heads are over bytes, not over what they mean: a re-encoding would not do."""
    data = Play(seats=2).log[0]
    again = msgspec.msgpack.encode(dict(reversed(msgspec.msgpack.decode(data).items())))
    assert open_envelope(again).v == open_envelope(data).v
    assert head_after(bytes(32), again) != head_after(bytes(32), data)


@given(headers, st.lists(st.binary(max_size=70_000), max_size=4))
def test_a_match_file_is_read_as_it_was_written(header: Header, commits: list[bytes]) -> None:
    """Whatever the header says and however long the commits are."""
    file = read_match_file(write_match_file(header, commits))
    assert file.header == header
    assert list(file.commits) == commits


def test_a_match_file_is_plain_messagepack() -> None:
    """A header map, then a `bin` for each commit, and nothing between or after."""
    data = write_match_file(HEADER, [b"one", b"two"])
    header = {
        "format": "referee-match/1",
        "match": "m1",
        "game": "giro-galoppo",
        "ruleset": "giro-galoppo/1",
        "head": "00" * 32,
        "count": 2,
    }
    packed = msgspec.msgpack.encode(header)
    assert data == packed + b"\xc4\x03one" + b"\xc4\x03two"


def test_a_file_cut_short_is_refused_or_lacks_whole_commits() -> None:
    """At every byte: inside a value it says so; between two it holds fewer than it counts."""
    play = Play(seats=2).race()
    data = write_match_file(HEADER, play.log)
    boundaries = {len(write_match_file(HEADER, play.log[:n])) for n in range(len(play.log) + 1)}
    for end in range(len(data)):
        if end in boundaries:
            assert len(read_match_file(data[:end]).commits) < len(play.log)
        else:
            with pytest.raises(BadMatchFile):
                read_match_file(data[:end])


def test_says_at_which_byte_a_file_breaks_off() -> None:
    """So that a person can look at what stands there."""
    data = write_match_file(HEADER, [b"one", b"two"])
    start = len(data) - 5
    with pytest.raises(BadMatchFile, match=f"cut off within the commit at byte {start:,}$"):
        read_match_file(data[:-1])
    with pytest.raises(BadMatchFile, match=f"no commit begins at byte {start:,}$"):
        read_match_file(data[:start] + b"\xa3two")
    with pytest.raises(BadMatchFile, match="ends within its header"):
        read_match_file(data[:20])


@given(st.binary(max_size=200))
def test_garbage_is_no_match_file(data: bytes) -> None:
    """Random bytes are refused with the one exception that says so."""
    with pytest.raises(BadMatchFile):
        read_match_file(data)


@given(st.integers(0, 10**6), st.binary(min_size=1, max_size=12))
def test_a_damaged_file_is_read_or_refused_and_never_breaks_the_reader(
    at: int, damage: bytes
) -> None:
    """Overwriting any bytes gives a file of other content or `BadMatchFile`."""
    data = write_match_file(HEADER, [b"some commit", b"another", b"x" * 300])
    at %= len(data)
    damaged = data[:at] + damage + data[at + len(damage) :]
    with suppress(BadMatchFile):
        assert read_match_file(damaged).header.format == FORMAT


@pytest.mark.parametrize("change", [{"format": "referee-match/2"}, {"format": "zip"}])
def test_another_format_is_refused_by_its_name(change: dict[str, str]) -> None:
    """What a later program writes is not guessed at."""
    data = write_match_file(msgspec.structs.replace(HEADER, **change), [])
    with pytest.raises(BadMatchFile, match=change["format"]):
        read_match_file(data)


def test_a_header_may_hold_what_this_version_does_not_know() -> None:
    """Fields that are only added do not stop an older reader."""
    header = msgspec.to_builtins(HEADER) | {"archived": True, "size": -3, "ratio": 0.5}
    assert read_match_file(msgspec.msgpack.encode(header)).header == HEADER


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x92\x01\x02",
        b"\xc4\x01a",
        msgspec.msgpack.encode({"format": FORMAT}),
        msgspec.msgpack.encode({"format": FORMAT, "nested": {"a": [1]}}),
        b"\x81\xa2\xff\xfe\xc0",
        b"\x91" * 100_000,
        b"\xdf\xff\xff\xff\xff",
        write_match_file(HEADER, []) + msgspec.msgpack.encode("text"),
        write_match_file(HEADER, []) + b"\x91" * 100_000,
        write_match_file(HEADER, []) + b"\xdd\xff\xff\xff\xff",
        write_match_file(HEADER, []) + b"\xc6\xff\xff\xff\xff",
    ],
    ids=[
        "empty",
        "a list",
        "no header",
        "fields missing",
        "nested",
        "no UTF-8",
        "a bottomless header",
        "a header of four thousand million fields",
        "text after it",
        "a bottomless commit",
        "a list of four thousand million commits",
        "a commit of four gigabytes",
    ],
)
def test_what_only_looks_like_a_match_file_is_refused(data: bytes) -> None:
    """Each with a message for a person, however much it says that there is to come."""
    with pytest.raises(BadMatchFile, match="match file"):
        read_match_file(data)


@given(st.binary(max_size=100) | st.just(b"\x91" * 100_000))
def test_bytes_that_are_no_commit_are_a_decode_error(data: bytes) -> None:
    """Whatever they are: cut off, of another shape, no UTF-8, nested without end."""
    with pytest.raises(msgspec.DecodeError):
        open_envelope(data)


def test_an_envelope_with_text_that_is_no_utf8_is_a_decode_error() -> None:
    """The reader's own exceptions do not leak through."""
    commit: Commit[Any, Any] = Commit(1, 2, "organizer", None, None, {}, (), b"")
    data = msgspec.msgpack.encode(commit).replace(b"organizer", b"\xffrganizer")
    with pytest.raises(msgspec.DecodeError):
        open_envelope(data)


class _Counted:
    """Bytes of which each part that is read is counted."""

    def __init__(self, data: bytes) -> None:
        self.data, self.sizes = data, list[int]()

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, part: slice) -> bytes:
        self.sizes.append(len(self.data[part]))
        return self.data[part]


def test_of_a_long_match_file_little_is_read_at_once() -> None:
    """Neither to read it nor to go through its commits; one of them is read alone."""
    commits = [bytes([number % 256]) * 200 for number in range(5_000)]
    stored = _Counted(write_match_file(HEADER, commits))
    file = read_match_file(stored)
    assert file.in_form
    assert list(file.commits) == commits
    assert max(stored.sizes) <= 1 << 16
    stored.sizes.clear()
    assert (file.commits[-1], file.commits[4_000]) == (commits[-1], commits[4_000])
    assert stored.sizes == [202, 202]
    assert list(file.commits[4_990:9_999]) == commits[4_990:]
    assert list(file.commits[3:2]) == []
    with pytest.raises(IndexError):
        file.commits[5_000]


def test_a_commit_framed_at_more_length_is_read_and_not_in_form() -> None:
    """Its bytes are the same, and the file's are others."""
    data = write_match_file(HEADER, [])
    file = read_match_file(data + b"\xc5\x00\x03one" + b"\xc4\x03two")
    assert (list(file.commits), file.in_form) == ([b"one", b"two"], False)


# ── Bytes in words ──────────────────────────────────────────────────────────────────────────────


@given(st.binary(max_size=70))
def test_bytes_are_written_as_text_and_read_back(data: bytes) -> None:
    """Without padding."""
    assert from_base64url(to_base64url(data)) == data


@pytest.mark.parametrize("text", ["AB", "AA==", "AA+/"])
def test_bytes_are_written_as_text_in_one_way(text: str) -> None:
    """Bits behind the last byte, padding, signs of the other alphabet."""
    with pytest.raises(ValueError, match=r"^not base64url without padding$"):
        from_base64url(text)


def test_a_long_match_file_is_gone_through_in_parts() -> None:
    """Others have their turns in between; what they come to is the file."""
    commits = [b"commit %d" % number for number in range(2000)]
    data = write_match_file(HEADER, commits)

    parts = sum(1 for _ in match_file_in(data))

    assert parts >= 2000 // 256
    assert [*read_match_file(data).commits] == commits
