"""Signatures: what a server has told somebody, it can be held to."""

import hashlib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from referee.core.audit import to_base64url


class PublicKey(Struct, frozen=True):
    """An Ed25519 public key as a JSON Web Key; `kid` is its RFC 7638 thumbprint."""

    kid: str
    alg: str
    kty: str
    crv: str
    x: str


class Signer:
    """Signs receipts and match files with an Ed25519 key; `others` signed before it."""

    def __init__(self, private: Ed25519PrivateKey, *others: Ed25519PrivateKey) -> None:
        self._private = private
        self.keys = [_public(key) for key in (private, *others)]
        self.public = self.keys[0]

    def sign(self, text: bytes) -> str:
        """The signature over a text, base64url without padding."""
        return to_base64url(self._private.sign(text))


def _public(private: Ed25519PrivateKey) -> PublicKey:
    x = to_base64url(private.public_key().public_bytes_raw())
    members = f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'
    kid = to_base64url(hashlib.sha256(members.encode()).digest())
    return PublicKey(kid, "EdDSA", "OKP", "Ed25519", x)
