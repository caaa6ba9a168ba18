"""Bearer tokens: JWTs signed with HS256. The first secret signs, all of them verify."""

import hmac
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Literal

import jwt
import msgspec
from msgspec import Meta, Struct

from referee.core.patterns import ORGANIZER_NAME, spelled
from referee.service import Bearer
from referee.service.errors import Unauthorized

ALGORITHM: Final = "HS256"
DAY: Final = 86_400
ORGANIZER_TTL: Final = 30 * DAY
"""Seconds that an organizer's token lives, unless another time is asked for."""
TABLE_TTL: Final = 400 * DAY
"""Likewise a seat's or a spectator's: longer than a match by correspondence."""
FAR: Final = 2**40
"""Unix seconds that no token reaches, and that every clock and timer can hold."""
KEPT: Final = 65_536
"""Verified tokens that are remembered, so that each is verified once."""

_PREFIX: Final = b"bearer "


class Claims(Struct, frozen=True, omit_defaults=True):
    """A token's claims, of the types that they must have."""

    role: Literal["organizer", "seat", "spectator"]
    exp: Annotated[int, Meta(ge=0, le=FAR)]
    match: str | None = None
    seat: Annotated[int, Meta(ge=0)] | None = None
    gen: Annotated[int, Meta(ge=0)] | None = None
    sub: Annotated[str, spelled(ORGANIZER_NAME)] | None = None


class VerifiedToken(Struct, frozen=True, gc=False):
    """A token that was verified: whom it names, and until when, Unix seconds."""

    bearer: Bearer
    expires: int


class Tokens:
    """Issues tokens and reads them.

    `secrets`: at least one, of 32 bytes or more; `now` gives Unix seconds.
    """

    def __init__(self, secrets: Sequence[bytes], *, now: Callable[[], float] = time.time) -> None:
        self._secrets = tuple(secrets)
        self._now = now
        self._known: dict[bytes, VerifiedToken] = {}

    def renew(self, secrets: Sequence[bytes]) -> None:
        """Go on with these secrets: tokens of others are read no more."""
        if self._secrets != tuple(secrets):
            self._secrets = tuple(secrets)
            self._known.clear()

    def issue(self, bearer: Bearer, ttl: int | None = None) -> str:
        """A token for a bearer, good for `ttl` seconds."""
        organizer = bearer.role == "organizer"
        life = ttl if ttl is not None else ORGANIZER_TTL if organizer else TABLE_TTL
        claims = Claims(
            role=bearer.role,
            exp=int(self._now()) + life,
            match=bearer.match,
            seat=bearer.seat,
            gen=bearer.generation if bearer.role == "seat" else None,
            sub=bearer.name,
        )
        return self._issued(bearer, claims).decode()

    def _issued(self, bearer: Bearer, claims: Claims) -> bytes:
        """A token, known from now on: whoever gets it will soon send it."""
        token = _signed(claims, self._secrets[0])
        self._remember(b"Bearer " + token, VerifiedToken(bearer, claims.exp))
        return token

    def _remember(self, header: bytes, known: VerifiedToken) -> None:
        if len(self._known) >= KEPT:
            self._known.clear()
        self._known[header] = known

    def read(self, header: bytes | None) -> Bearer | None:
        """Whom an `Authorization` header names; None where there is no header.

        Raises:
            Unauthorized: it is no bearer token, or a forged or expired one, or not ours.
        """
        return None if header is None else self.known(header).bearer

    def must(self, header: bytes | None) -> Bearer:
        """Whom a header names where somebody must be named; raises what `read` raises."""
        if header is None:
            raise Unauthorized("This takes a token.")
        return self.known(header).bearer

    def known(self, header: bytes) -> VerifiedToken:
        """What an `Authorization` header says; raises what `read` raises."""
        known = self._known.get(header)
        if known is not None and self._now() < known.expires:
            return known
        if header[: len(_PREFIX)].lower() != _PREFIX:
            raise Unauthorized("Only bearer tokens are taken.")
        known = self._verify(header[len(_PREFIX) :].strip())
        self._remember(header, known)
        return known

    def _verify(self, token: bytes) -> VerifiedToken:
        for secret in self._secrets:
            try:
                claims = jwt.decode(token, secret, [ALGORITHM], options={"verify_exp": False})
            except jwt.InvalidSignatureError:
                continue
            except (jwt.InvalidTokenError, ValueError):
                break
            return self._bearer(claims)
        raise Unauthorized("The token is not one of this server's.")

    def _bearer(self, found: dict[str, Any]) -> VerifiedToken:
        try:
            claims = msgspec.convert(found, Claims)
        except msgspec.ValidationError:
            raise Unauthorized("The token's claims are not those of a token here.") from None
        if claims.exp <= self._now():
            raise Unauthorized("The token has expired.")
        bearer = _bearer_of(claims)
        if bearer is None:
            raise Unauthorized("The token's claims are not those of a token here.")
        return VerifiedToken(bearer, claims.exp)


def _signed(claims: Claims, secret: bytes) -> bytes:
    """A token as the library makes it, which takes ten times as long and looks at each key anew."""
    text = _HEADER + b"." + _spelled(msgspec.json.encode(claims))
    return text + b"." + _spelled(hmac.digest(secret, text, "sha256"))


def _spelled(data: bytes) -> bytes:
    return urlsafe_b64encode(data).rstrip(b"=")


_HEADER: Final = _spelled(b'{"alg":"%b","typ":"JWT"}' % ALGORITHM.encode())


def _bearer_of(claims: Claims) -> Bearer | None:
    """The bearer; None where the role and the other claims do not go together."""
    match, seat, generation = claims.match, claims.seat, claims.gen
    if claims.sub is not None and claims.role != "organizer":
        return None
    if claims.role == "seat":
        if match is None or seat is None or generation is None:
            return None
        return Bearer("seat", match, seat, generation)
    if seat is not None or generation is not None:
        return None
    if (claims.role == "spectator") is (match is None):
        return None
    return Bearer(claims.role, match, name=claims.sub)
