"""`replay verify`: whose signature a log bears, and whose head a receipt names."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from referee.core.commit import file_text, read_match_file, receipt_text
from replay.commands.verify import SHORTEST_HEAD
from tests.replay.conftest import Finds, Keep, Ran, Run
from tests.replay.logs import KEY, OTHER_KEY, Record, b64, public

# ── Signatures ────────────────────────────────────────────────────────────────────────────────────


def test_proves_a_signature(run: Run, keep: Keep, played: Record) -> None:
    """A log that a trusted key has signed is signed, and what that proves is said."""
    ran = run("verify", keep(played.signed()), "--key", public(KEY))
    assert (ran.status, ran.out.startswith("signed  ")) == (0, True)
    assert f"signed by {public(KEY)}" in ran.out
    assert "signed: every commit follows from the rules" in ran.out


def test_trusts_no_header_for_its_own_key(run: Run, keep: Keep, played: Record) -> None:
    """A signature by whatever key the file itself names is told as what it is: not signed."""
    path = keep(played.signed())
    ran = run("verify", path)
    assert (ran.status, ran.out.startswith("not signed  ")) == (0, True)
    assert f"its header's own key {public(KEY)} has signed it, which alone proves" in ran.out
    log = run("verify", path, "--json").json["logs"][0]
    assert (log["verdict"], log["signed_by"]) == ("not signed", public(KEY))


@pytest.mark.parametrize(
    "lie",
    [
        {"signature": "AAAA"},
        {"signature": "not base64url!"},
        {"signature": ""},
        {"public_key": public(OTHER_KEY)},
        {"public_key": "AAAA"},
        {"public_key": "é"},
        {"signature": msgspec.UNSET},
        {"public_key": msgspec.UNSET},
    ],
)
def test_finds_a_signature_that_does_not_hold(
    dispute: Finds, played: Record, lie: dict[str, Any]
) -> None:
    """A wrong key, a wrong signature, what is neither, and half of both are in dispute."""
    assert dispute(played.signed(**lie)).kind == "signature"


def test_says_who_vouches_for_a_log_in_dispute(run: Run, keep: Keep, played: Record) -> None:
    """A false log that the brought key has signed is the referee's fault; others are doctored."""
    false = played.forged(2, lambda commit: commit["cmd"].update(space=0))

    def said(data: bytes) -> str:
        first = run("verify", keep(data), "--key", public(KEY)).out.splitlines()[0]
        assert first.startswith("in dispute  ")
        assert "lawful up to commit 1 of 51" in first
        return first.rpartition(" · ")[2]

    assert said(false.file()) == "no signature"
    assert said(false.signed()) == f"signed by {public(KEY)} (the key that you brought)"
    assert said(false.signed(OTHER_KEY)).startswith(f"its header's own key {public(OTHER_KEY)} ")
    assert said(false.signed(signature="AAAA")) == "its signature does not hold"


@pytest.mark.parametrize("field", ["signature", "public_key"])
def test_takes_no_signature_in_other_signs(dispute: Finds, played: Record, field: str) -> None:
    """The bits behind the last byte are none: with them set it reads alike, and is another text."""
    header = read_match_file(played.signed()).header
    text = getattr(header, field)
    again = text[:-1] + chr(ord(text[-1]) + 1)  # the last sign of either ends in such bits
    assert base64.urlsafe_b64decode(again + "==") == base64.urlsafe_b64decode(text + "==")
    assert dispute(played.signed(**{field: again})).kind == "signature"


def test_finds_that_a_signed_log_was_cut(run: Run, keep: Keep, played: Record) -> None:
    """A shorter log with a true head and count of its own is not what was signed."""
    short = played.having(played.commits[:-5])
    ran = run("verify", keep(played.signed(count=len(short.commits), head=short.head)), "--json")
    assert [dispute["kind"] for dispute in ran.json["logs"][0]["disputes"]] == [
        "count",
        "head",
        "signature",
    ]
    assert ran.json["logs"][0]["signed_by"] is None


def disputed(ran: Ran) -> list[str]:
    """The kinds of all that is in dispute in the first log, whose signature then holds not."""
    log = ran.json["logs"][0]
    assert (ran.status, log["signed_by"]) == (1, None)
    return [dispute["kind"] for dispute in log["disputes"]]


def test_takes_no_receipt_for_a_files_signature(run: Run, keep: Keep, played: Record) -> None:
    """A log cut where a player has a receipt is true up to there, and nobody signed it as whole."""
    for last in (len(played.commits) - 5, len(played.commits)):
        cut = played.having(played.commits[:last])
        receipt = b64(KEY.sign(receipt_text(cut.match, last, cut.head)))
        path = keep(cut.signed(signature=receipt))
        assert disputed(run("verify", path, "--key", public(KEY), "--json")) == ["signature"]


@pytest.mark.parametrize("cut", [0, 5])
def test_takes_no_signature_over_another_status(
    run: Run, keep: Keep, played: Record, cut: int
) -> None:
    """A finished log is signed as finished, one that goes on as that."""
    log = played.having(played.commits[: len(played.commits) - cut])
    others = {"active", "paused", "finished"} - {log.status}
    for status in others:
        text = file_text(log.match, len(log.commits), log.head, status)
        path = keep(log.signed(signature=b64(KEY.sign(text))))
        assert disputed(run("verify", path, "--key", public(KEY), "--json")) == ["signature"]


def test_asks_for_the_keys_that_are_to_have_signed(run: Run, keep: Keep, played: Record) -> None:
    """With --key a log that another key signed, or none, is not signed, and ends with 1."""
    for data in (played.signed(OTHER_KEY), played.file()):
        ran = run("verify", keep(data), "--key", public(KEY), "--json")
        assert (ran.status, ran.json["logs"][0]["verdict"]) == (1, "not signed")
    both = ("--key", public(KEY), "--key", public(OTHER_KEY))
    assert run("verify", keep(played.signed(OTHER_KEY)), *both).status == 0


def test_reads_keys_from_files(run: Run, keep: Keep, played: Record, tmp_path: Path) -> None:
    """A PEM of one key or several, a JWKS, a JWK, and keys a line each."""
    path = keep(played.signed())
    formats = (Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    pems = [key.public_key().public_bytes(*formats) for key in (OTHER_KEY, KEY)]
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": public(KEY), "kid": "k", "alg": "EdDSA"}
    for text in (
        pems[1],
        b"".join(pems),
        json.dumps(jwk).encode(),
        json.dumps({"keys": [{"kty": "RSA", "n": "AQAB"}, jwk]}).encode(),
        f"{public(OTHER_KEY)}\n{public(KEY)}\n".encode(),
    ):
        file = tmp_path / "keys"
        file.write_bytes(text)
        assert run("verify", path, "--key", file).status == 0


@pytest.mark.parametrize(
    "text", [b"", b"AAAA", b"{}", b'{"keys":[]}', b"-----BEGIN PUBLIC KEY-----"]
)
def test_takes_nothing_else_for_a_key(
    run: Run, keep: Keep, played: Record, tmp_path: Path, text: bytes
) -> None:
    """What holds no key cannot be used; no more can what is neither a key nor a file."""
    file = tmp_path / "keys"
    file.write_bytes(text)
    assert run("verify", keep(played.signed()), "--key", file).status == 2
    assert run("verify", keep(played.signed()), "--key", "AAAA").status == 2


# ── A head from a receipt ─────────────────────────────────────────────────────────────────────────


def test_finds_the_version_of_a_head(run: Run, keep: Keep, played: Record) -> None:
    """A full head, or its first sixteen digits in either case, is found at its version."""
    path = keep(played.file())
    tenth = played.having(played.commits[:10]).head
    for head in (tenth, tenth[:SHORTEST_HEAD], tenth[:20].upper()):
        ran = run("verify", path, "--head", head)
        assert ran.status == 0
        assert f"head {head.lower()} is that of commit 10" in ran.out
    sought = run("verify", path, "--head", tenth, "--json").json["sought"]
    assert sought == {"head": tenth, "version": 10}


def test_disputes_a_head_that_is_not_in_the_chain(run: Run, keep: Keep, played: Record) -> None:
    """A receipt's head that no commit has is a dispute, in a log that holds otherwise."""
    path = keep(played.file())
    ran = run("verify", path, "--head", "ab" * 32)
    assert (ran.status, "is not in the chain" in ran.out) == (1, True)
    assert run("verify", path, "--head", "ab" * 32, "--json").json["sought"]["version"] is None


def test_finds_a_head_behind_a_commit_that_is_at_fault(
    run: Run, keep: Keep, played: Record
) -> None:
    """The chain is one thing and the rules another: a head counts as far as the chain holds."""
    forged = played.forged(2, lambda commit: commit["cmd"].update(space=0))
    tenth = forged.having(forged.commits[:10]).head
    ran = run("verify", keep(forged.file()), "--head", tenth)
    assert (ran.status, "is that of commit 10" in ran.out) == (1, True)


def test_takes_no_head_that_is_too_short_or_none(run: Run, keep: Keep, played: Record) -> None:
    """Fifteen digits, or what is no hex, is wrong usage; so is a head for several logs."""
    path = keep(played.file())
    assert run("verify", path, "--head", played.head[:15]).status == 2
    assert run("verify", path, "--head", "x" * 20).status == 2
    assert run("verify", path, path, "--head", played.head).status == 2
