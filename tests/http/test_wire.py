"""Headers and queries, read by hand."""

import pytest

from referee.http.negotiation import (
    Headers,
    Query,
    accepts,
    headers_of,
    idempotency_key,
    if_match,
    none_match,
    wants_msgpack,
)
from referee.service.errors import BadRequest


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b'"12"', {12}),
        (b' "12" , "13",', {12, 13}),
        (b"*", None),
        (b'W/"12"', set()),
        (b'W/"12", "13"', {13}),
        (b'"012"', set()),
        (b'"x,y"', set()),
        (b'"99999999999999999999"', set()),
        (b'""', set()),
    ],
)
def test_reads_the_versions_of_if_match(value: bytes, expected: set[int] | None) -> None:
    """Only strong tags that are a version match; a star matches any."""
    assert if_match({b"if-match": value}) == expected


@pytest.mark.parametrize("value", [b"", b"12", b'"12', b'"1" "2"', b"*, *", b'w/"1"', b'x"1"'])
def test_refuses_a_malformed_if_match(value: bytes) -> None:
    """What is no list of tags is not passed over: the client meant something by it."""
    with pytest.raises(BadRequest):
        if_match({b"if-match": value})


def test_wants_any_version_without_if_match() -> None:
    """No header, no condition."""
    assert if_match({}) is None


@pytest.mark.parametrize(
    ("value", "has"),
    [(b'"7"', True), (b'W/"7"', True), (b'"6", "7"', True), (b"*", True), (b'"70"', False),
     (b"7", False), (b"", False)],
)  # fmt: skip
def test_compares_if_none_match_weakly(value: bytes, has: bool) -> None:  # noqa: FBT001
    """The client has the version if any of its tags says so, strong or weak."""
    assert none_match({b"if-none-match": value}, 7) is has


@pytest.mark.parametrize("value", [b"", b"a b", b"x" * 65, b"\xc3\xa4", b"a\x7f", b"\t"])
def test_refuses_a_malformed_idempotency_key(value: bytes) -> None:
    """A key is 1 to 64 visible ASCII characters."""
    with pytest.raises(BadRequest):
        idempotency_key({b"idempotency-key": value})


@pytest.mark.parametrize("value", [b"a", b"!~", b"x" * 64])
def test_takes_any_other_idempotency_key(value: bytes) -> None:
    """At both ends of what is allowed."""
    assert idempotency_key({b"idempotency-key": value}) == value.decode()


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


def test_looks_for_one_media_type_by_name() -> None:
    """A stream is sent only to who names it."""
    assert accepts({b"accept": b"text/event-stream"}, b"text/event-stream")
    assert not accepts({b"accept": b"text/event-stream;q=0"}, b"text/event-stream")
    assert not accepts({b"accept": b"*/*"}, b"text/event-stream")


def test_joins_headers_that_stand_several_times() -> None:
    """As HTTP says: with commas, in order."""
    raw = [(b"if-match", b'"1"'), (b"host", b"x"), (b"if-match", b'"2"')]

    assert if_match(headers_of(raw)) == frozenset({1, 2})


@pytest.mark.parametrize(
    "raw", [b"at=", b"at=x", b"at=1.5", b"at=1&at=2", b"at=%FF", b"at=" + b"9" * 40]
)
def test_refuses_a_parameter_that_is_no_number(raw: bytes) -> None:
    """Or that stands twice: nobody knows which is meant."""
    with pytest.raises(BadRequest) as fault:
        Query(raw).integer("at")

    assert [path for path, _ in fault.value.errors] == ["at"]


def test_ignores_parameters_that_nobody_asks_for() -> None:
    """Whatever they hold."""
    assert Query(b"at=-5&x=%FF&x=%00&&=").integer("at") == -5
    assert Query(b"").integer("at") is None


@pytest.mark.parametrize("raw", [b"limit=0", b"limit=501", b"limit=-1"])
def test_refuses_a_number_out_of_range(raw: bytes) -> None:
    """At both ends."""
    with pytest.raises(BadRequest):
        Query(raw).within("limit", 1, 500, 50)
