"""Public keys that a reader trusts: given as they are, in a file, or asked of a service."""

from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from referee.core.audit import from_base64url, to_base64url
from referee.core.verify import reason
from replay.exits import Unusable
from replay.sources.files import read_whole
from replay.sources.http import fetch
from replay.sources.source import Source

KEYS: Final = "/v1/keys"
_KEY_BYTES: Final = 32
_END_OF_PEM: Final = b"-----END PUBLIC KEY-----"


class _Jwk(msgspec.Struct, frozen=True):
    """What is read of a JSON Web Key, or of a set of them."""

    kty: str = ""
    crv: str = ""
    x: str = ""
    keys: tuple["_Jwk", ...] = ()


def trusted(source: Source, brought: tuple[str, ...] | None) -> tuple[str, ...]:
    """The keys that judge a source: those that the reader brought, else its service's own.

    A service that does not say which they are has none.
    """
    if brought is not None or source.service is None:
        return brought or ()
    try:
        return service_keys(source.service)
    except Unusable:
        return ()


def read_keys(text: str) -> tuple[str, ...]:
    """The keys that a text names: a key itself, a service's URL, or a file (PEM, JWKS, keys).

    Raises:
        Unusable: it names none.
    """
    if _is_key(text.strip()):
        return (text.strip().rstrip("="),)
    if text.lower().startswith(("http://", "https://")):
        parts = urlsplit(text)
        path = parts.path.partition("/v1/")[0].rstrip("/")
        return service_keys(urlunsplit((parts.scheme, parts.netloc, path, "", "")))
    try:
        data = read_whole(Path(text))
    except Unusable as error:
        message = "neither a public key (the base64url of 32 bytes), nor a file of some"
        raise Unusable(f"{message}: {error.message}", text) from error
    return _keys_in(data, text)


@cache
def service_keys(base: str) -> tuple[str, ...]:
    """The keys of the service at this address, as its `GET /v1/keys` has them; asked for once.

    Raises:
        Unusable: it cannot be reached, or answers otherwise.
    """
    url = f"{base}{KEYS}"
    return _in_jwks(fetch(url, url, {"Accept": "application/json"}), url)


def _keys_in(data: bytes, name: str) -> tuple[str, ...]:
    if data.lstrip().startswith(b"{"):
        found = _in_jwks(data, name)
    elif b"-----BEGIN" in data:
        found = _in_pem(data, name)
    else:
        found = tuple(word.rstrip("=") for word in data.decode(errors="replace").split())
    if not found or not all(map(_is_key, found)):
        raise Unusable("no Ed25519 public keys: a PEM, a JWKS, or keys in base64url", name)
    return found


def _in_jwks(data: bytes, name: str) -> tuple[str, ...]:
    try:
        given = msgspec.json.decode(data, type=_Jwk)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"no JSON Web Keys: {reason(error)}", name) from error
    every = (given, *given.keys)
    return tuple(key.x for key in every if (key.kty, key.crv) == ("OKP", "Ed25519"))


def _in_pem(data: bytes, name: str) -> tuple[str, ...]:
    try:
        blocks = [block + _END_OF_PEM for block in data.split(_END_OF_PEM)[:-1]]
        keys = [load_pem_public_key(block) for block in blocks]
    except ValueError as error:
        raise Unusable(f"no public keys in PEM: {reason(error)}", name) from error
    return tuple(
        to_base64url(key.public_bytes_raw()) for key in keys if isinstance(key, Ed25519PublicKey)
    )


def _is_key(text: str) -> bool:
    try:
        return len(from_base64url(text.rstrip("="))) == _KEY_BYTES
    except ValueError:
        return False
