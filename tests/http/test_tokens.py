"""Tokens: what they say, and what is not believed."""

import base64
from typing import Any

import jwt
import msgspec
import pytest

from referee.http.tokens import FAR, Tokens
from referee.service import Bearer
from referee.service.errors import Unauthorized

OLD = b"an old secret that is long enough to sign"
NEW = b"a new secret that is long enough to sign.."
SEAT = {"role": "seat", "match": "m1", "seat": 1, "gen": 0, "exp": 2_000}


def tokens(*secrets: bytes, now: float = 1_000.0) -> Tokens:
    """Tokens at a time that stands still."""
    return Tokens(secrets or (NEW,), now=lambda: now)


def signed(claims: dict[str, Any], secret: bytes = NEW, algorithm: str = "HS256") -> bytes:
    """A header with a token of any claims."""
    return b"Bearer " + jwt.encode(claims, secret, algorithm=algorithm).encode()


@pytest.mark.parametrize(
    "bearer",
    [Bearer("organizer"), Bearer("seat", "m1", 3, 7), Bearer("spectator", "m1")],
    ids=str,
)
def test_reads_what_it_issued(bearer: Bearer) -> None:
    """A token names the bearer that it was issued for."""
    header = f"Bearer {tokens().issue(bearer)}".encode()

    assert tokens().read(header) == bearer


def test_a_token_is_the_one_that_the_library_makes_of_its_claims() -> None:
    """It is signed here for speed alone."""
    token = tokens().issue(Bearer("seat", "m1", 1, 0), ttl=1_000)

    assert b"Bearer " + token.encode() == signed(
        {"role": "seat", "exp": 2_000, "match": "m1", "seat": 1, "gen": 0}
    )


def test_names_nobody_where_there_is_no_header() -> None:
    """No header is no error: some things are for everybody."""
    assert tokens().read(None) is None


def test_takes_the_scheme_in_any_case() -> None:
    """HTTP's schemes are not case-sensitive."""
    header = f"bEARER {tokens().issue(Bearer('organizer'))}".encode()

    assert tokens().read(header) == Bearer("organizer")


def test_signs_with_the_first_secret_and_verifies_with_all() -> None:
    """Secrets are rotated by putting a new one in front."""
    before = f"Bearer {tokens(OLD).issue(Bearer('organizer'))}".encode()
    after = f"Bearer {tokens(NEW, OLD).issue(Bearer('organizer'))}".encode()

    assert tokens(NEW, OLD).read(before) == Bearer("organizer")
    assert tokens(NEW).read(after) == Bearer("organizer")
    with pytest.raises(Unauthorized):
        tokens(NEW).read(before)


def test_dies_at_its_time_even_where_it_was_read_before() -> None:
    """The memory of verified tokens does not outlive them."""
    clock = [1_000.0]
    reader = Tokens([NEW], now=lambda: clock[0])
    header = f"Bearer {reader.issue(Bearer('organizer'), ttl=10)}".encode()
    assert reader.read(header) == Bearer("organizer")

    clock[0] = 1_010.0

    with pytest.raises(Unauthorized, match="expired"):
        reader.read(header)


def test_remembers_only_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of verified tokens is bounded."""
    monkeypatch.setattr("referee.http.tokens.KEPT", 3)
    reader = tokens()

    for seat in range(4):
        reader.read(f"Bearer {reader.issue(Bearer('seat', 'm1', seat))}".encode())

    assert len(reader._known) == 1


@pytest.mark.parametrize(
    "claims",
    [
        {**SEAT, "role": "king"},
        {**SEAT, "exp": 999},
        {**SEAT, "exp": "2000"},
        {**SEAT, "exp": 10**400},
        {**SEAT, "exp": FAR + 1},
        {**SEAT, "exp": 2_000.5},
        {name: value for name, value in SEAT.items() if name != "exp"},
        {name: value for name, value in SEAT.items() if name != "gen"},
        {name: value for name, value in SEAT.items() if name != "seat"},
        {name: value for name, value in SEAT.items() if name != "match"},
        {name: value for name, value in SEAT.items() if name != "role"},
        {**SEAT, "seat": -1},
        {**SEAT, "seat": True},
        {**SEAT, "match": 7},
        {**SEAT, "role": "organizer"},
        {"role": "organizer", "match": "m1", "exp": 2_000},
        {"role": "spectator", "exp": 2_000},
        {**SEAT, "role": "spectator"},
        {**SEAT, "sub": "kim"},
        {"role": "organizer", "exp": 2_000, "sub": ""},
        {"role": "organizer", "exp": 2_000, "sub": "a:b"},
        {"role": "organizer", "exp": 2_000, "sub": "x" * 41},
        {"role": "organizer", "exp": 2_000, "sub": 7},
        {},
    ],
    ids=str,
)
def test_does_not_believe_claims_that_do_not_go_together(claims: dict[str, Any]) -> None:
    """A well-signed token still has to be one that this service could have issued."""
    with pytest.raises(Unauthorized):
        tokens().read(signed(claims))


def test_does_not_let_a_token_choose_how_it_is_verified() -> None:
    """The algorithm is pinned: neither none at all, nor another one with our secret."""
    plain = [base64.urlsafe_b64encode(msgspec.json.encode(part)).rstrip(b"=") for part in (
        {"alg": "none", "typ": "JWT"}, SEAT
    )]  # fmt: skip

    for header in (b"Bearer " + b".".join(plain) + b".", signed(SEAT, NEW * 2, "HS512")):
        with pytest.raises(Unauthorized):
            tokens(NEW * 2).read(header)


@pytest.mark.parametrize(
    "header",
    [b"", b"Bearer", b"Bearer ", b"Bearer x", b"Bearer a.b.c", b"Bearer \xff\xfe", b"Basic YTpi",
     b"Bearer " + b"." * 5000, b"Token " + signed(SEAT)[7:]],
)  # fmt: skip
def test_answers_garbage_as_unauthorized(header: bytes) -> None:
    """Nothing in the header can make it fail in another way."""
    with pytest.raises(Unauthorized):
        tokens().read(header)
