"""Receipts: what a server has told somebody, it can be held to, also after its key has changed."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from referee.core.commit import read_match_file
from replay.group import replay
from tests.clients import ORGANIZER, accepted, bearer
from tests.live.servers import Server, Table, serving


def new_key(path: Path) -> str:
    """A signing key in a PEM file; its name."""
    form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(Ed25519PrivateKey.generate().private_bytes(*form))
    return str(path)


def unpacked(text: str) -> bytes:
    """Base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def public_key(server: Server) -> str:
    """The one key that a server shows."""
    (key,) = accepted(server.client.get(f"{server.url}/v1/keys"))["keys"]
    assert (key["kty"], key["crv"], key["alg"]) == ("OKP", "Ed25519", "EdDSA")
    return str(key["x"])


def check(x: str, receipt: str, text: str) -> None:
    """Return where the receipt is the key's signature over the text."""
    Ed25519PublicKey.from_public_bytes(unpacked(x)).verify(unpacked(receipt), text.encode())


def audited(*arguments: str | Path) -> Result:
    """Run `replay verify` in this process."""
    return CliRunner().invoke(replay, ["verify", *map(str, arguments)])


def pulled(table: Table, path: Path) -> Path:
    """The match file, as a server gives it to the organizer."""
    path.write_bytes(table.client.get(table.url("/log"), headers=bearer(ORGANIZER)).content)
    return path


def held_to(x: str, answers: list[dict[str, Any]]) -> None:
    """Every answer's receipt is good, and good for nothing else."""
    for answer in answers:
        match, version, head = answer["match"], answer["version"], answer["head"]
        check(x, answer["receipt"], f"referee-receipt/1|{match}|{version}|{head}")
        with pytest.raises(InvalidSignature):
            check(x, answer["receipt"], f"referee-receipt/1|{match}|{version + 1}|{head}")


def test_receipts_outlive_a_change_of_keys(redis_url: str, tmp_path: Path) -> None:
    """A restart with a new key is all that rotation takes: what the old one signed stays good, and
    a file that was pulled before holds the key with which it was signed.
    """  # noqa: D205 - one claim
    with serving(redis_url, REFEREE_SIGNING_KEY=new_key(tmp_path / "old.pem")) as (server,):
        old = public_key(server)
        table = Table(server, "giro-galoppo", 3)
        first = [table.move(), table.move()]
        before = pulled(table, tmp_path / "before.match")
        server.stop()
    with serving(redis_url, 2, REFEREE_SIGNING_KEY=new_key(tmp_path / "new.pem")) as servers:
        new = public_key(servers[0])
        assert public_key(servers[1]) == new != old
        table.server, table.client = servers[0], servers[0].client
        second = [table.move(servers[1]), table.move()]
        after = pulled(table, tmp_path / "after.match")
        other = pulled(Table(servers[0], "giro-galoppo", 3), tmp_path / "other.match")
    held_to(old, first)
    held_to(new, second)
    for path, x in ((before, old), (after, new)):
        header = read_match_file(path.read_bytes()).header
        assert header.public_key == x
        text = f"referee-match/1|{table.match}|{header.count}|{header.head}|active"
        check(x, str(header.signature), text)
        done = audited(path)
        assert done.exit_code == 0, done.output
    for answer in (*first, *second):
        done = audited(after, "--head", answer["head"])
        assert done.exit_code == 0, done.output
        assert str(answer["version"]) in done.stdout
    assert audited(before, "--head", second[0]["head"]).exit_code == 1
    _does_not_pass_with_the_signature_of(other, after)


def _does_not_pass_with_the_signature_of(other: Path, file: Path) -> None:
    """A file whose signature is another's does not verify, though one key made both."""
    ours, theirs = (str(read_match_file(f.read_bytes()).header.signature) for f in (file, other))
    file.write_bytes(file.read_bytes().replace(ours.encode(), theirs.encode()))
    assert audited(other).exit_code == 0
    assert audited(file).exit_code == 1


def test_without_a_key_there_are_no_receipts(servers: list[Server]) -> None:
    """And no keys to show."""
    assert accepted(servers[0].client.get(f"{servers[0].url}/v1/keys")) == {"keys": []}
    assert "receipt" not in Table(servers[0], "giro-galoppo", 3).move()
