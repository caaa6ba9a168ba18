"""Headers and queries, read by hand."""

from functools import partial
from typing import Final

import pytest

from referee.http.negotiation import (
    Headers,
    headers_of,
    idempotency_key,
    if_match,
    none_match,
    text_of,
    wants,
    wants_msgpack,
)
from referee.http.parameters import Judge, any_text, read_query, whole, whole_number
from referee.service.asking.requests import Place
from referee.service.errors import BadRequest

HEAD: Final = "1f3a9c20d4e5f607" + "a0" * 24


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"12"', {Place(12)}),
        ("12", {Place(12)}),
        ('"12.1f3a9c20d4e5f607"', {Place(12, "1f3a9c20d4e5f607")}),
        (' "12" , "13",', {Place(12), Place(13)}),
        ("*", None),
        ('W/"12"', set()),
        ('W/"12", "13"', {Place(13)}),
        ('"012"', set()),
        ('"12.1f"', set()),
        ('"x,y"', set()),
        ('"99999999999999999999"', set()),
        ('""', set()),
    ],
)
def test_reads_the_places_of_if_match(value: str, expected: set[Place] | None) -> None:
    """Only strong tags that are a place match; a star matches any."""
    assert if_match(value) == expected


@pytest.mark.parametrize("value", ["", "12, 13", '"12', '"1" "2"', "*, *", 'w/"1"', 'x"1"'])
def test_refuses_a_malformed_if_match(value: str) -> None:
    """What is no list of tags is not passed over: the client meant something by it."""
    with pytest.raises(BadRequest):
        if_match(value)


def test_wants_any_version_without_if_match() -> None:
    """No header, no condition."""
    assert if_match(None) is None


@pytest.mark.parametrize(
    ("value", "has"),
    [('"7"', True), ('W/"7"', True), ('"6", "7"', True), ("*", True), ('"70"', False),
     ("7", True), ("", False), (f'"7.{HEAD[:16]}"', True), (f'"7.{HEAD}"', True),
     (f'"8.{HEAD[:16]}"', False), (f'"7.{HEAD[1:17]}"', False),
     ('"7"x', False), ('x"7"', False), ('"6" "7"', False), ('"7", x', False)],
)  # fmt: skip
def test_compares_if_none_match_weakly(value: str, has: bool) -> None:  # noqa: FBT001
    """The client has it if any of its tags says so, strong or weak, with its head or without.

    A malformed header says nothing.
    """
    assert none_match(value, 7, HEAD) is has


@pytest.mark.parametrize("value", ["", "a b", "x" * 65, "\xc3\xa4", "a\x7f", "\t"])
def test_refuses_a_malformed_idempotency_key(value: str) -> None:
    """A key is 1 to 64 visible ASCII characters."""
    with pytest.raises(BadRequest):
        idempotency_key(value)


@pytest.mark.parametrize("value", ["a", "!~", "x" * 64])
def test_takes_any_other_idempotency_key(value: str) -> None:
    """At both ends of what is allowed."""
    assert idempotency_key(value) == value


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        (None, False),
        (b"*/*", False),
        (b"application/json", False),
        (b"application/msgpack", True),
        (b"application/x-msgpack", True),
        (b"application/vnd.msgpack", True),
        (b"Application/MsgPack", True),
        (b"application/msgpack, application/json;q=0.5", True),
        (b"application/json, application/msgpack;q=0.5", False),
        (b"application/msgpack, application/json", False),
        (b"application/msgpack;q=0", False),
        (b"application/msgpack;q=x", False),
        (b"application/msgpack, */*;q=0.1", True),
        (b"text/html, application/msgpack;q=0.9, */*;q=0.8", True),
    ],
)
def test_chooses_the_form_that_is_rather_wanted(accept: bytes | None, wanted: bool) -> None:  # noqa: FBT001
    """MessagePack only where it is named, and weighs more than JSON."""
    headers: Headers = {} if accept is None else {b"accept": accept}

    assert wants_msgpack(headers) is wanted


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        (b"text/event-stream", True),
        (b"text/event-stream, application/json", True),
        (b"text/event-stream, */*;q=0.1", True),
        (b"text/event-stream;q=0", False),
        (b"application/json, text/event-stream;q=0.5", False),
        (b"*/*", False),
    ],
)
def test_wants_a_stream_where_nothing_else_is_rather_wanted(accept: bytes, wanted: bool) -> None:  # noqa: FBT001
    """And only who names it."""
    assert wants({b"accept": accept}, "text/event-stream") is wanted


def test_joins_headers_that_stand_several_times() -> None:
    """As HTTP says: with commas, in order."""
    raw = [(b"if-match", b'"1"'), (b"host", b"x"), (b"if-match", b'"2"')]

    assert if_match(text_of(headers_of(raw), b"if-match")) == frozenset({Place(1), Place(2)})


# ── Queries ───────────────────────────────────────────────────────────────────────────────────────

KNOWN: Final[dict[str, Judge]] = {
    "at": whole,
    "limit": partial(whole, least=1, most=500),
    "name": any_text,
}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"at=", "must be a whole number"),
        (b"at=x", "must be a whole number"),
        (b"at=1.5", "must be a whole number"),
        (b"at=5.0", "must be a whole number"),
        (b"at=1e3", "must be a whole number"),
        (b"at=null", "must be a whole number"),
        (b"at=01", "must be a whole number"),
        (b"at=00", "must be a whole number"),
        (b"at=-0", "must be a whole number"),
        (b"at=%FF", "must be a whole number"),
        (b"at=" + b"9" * 40, "must be a whole number"),
        (b"at=1&at=2", "stands more than once"),
        (b"limit=0", "must be 1 to 500"),
        (b"limit=501", "must be 1 to 500"),
        (b"limit=-1", "must be 1 to 500"),
        (b"At=1", "is not known"),
        (b"x=%FF", "is not known"),
        (b"=", "is not known"),
    ],
)
def test_refuses_what_a_parameter_must_not_be(raw: bytes, message: str) -> None:
    """Unknown, doubled, no number, out of range: each is named."""
    with pytest.raises(BadRequest) as fault:
        read_query(raw, KNOWN)

    assert [message for _, message in fault.value.errors] == [message]


def test_names_every_parameter_that_is_wrong() -> None:
    """At once, as with the fields of a body."""
    with pytest.raises(BadRequest) as fault:
        read_query(b"limit=0&at=x&y=1&name=", KNOWN)

    assert [name for name, _ in fault.value.errors] == ["limit", "at", "y"]


def test_names_so_many_and_no_more() -> None:
    """An answer is not many times as long as what it answers."""
    with pytest.raises(BadRequest) as fault:
        read_query(b"&".join(b"x%d" % number for number in range(1000)), KNOWN)

    assert len(fault.value.errors) == 100


def test_reads_what_is_right() -> None:
    """By name, and numbers as such."""
    query = read_query(b"at=-5&name=a%20b", KNOWN)

    assert query == {"at": "-5", "name": "a b"}
    assert whole_number(query, "at") == -5
    assert whole_number(read_query(b"", KNOWN), "at") is None
