"""`replay verify --receipt`: answers that a player has kept, held against the log."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.core.commit import receipt_text
from tests.replay.conftest import Keep, Run
from tests.replay.logs import KEY, OTHER_KEY, Record, b64, public, table


def answer_to(record: Record, version: int, key: Ed25519PrivateKey = KEY) -> dict[str, Any]:
    """What the service answered to the command that became this commit."""
    head = record.having(record.commits[:version]).head
    receipt = b64(key.sign(receipt_text(record.match, version, head)))
    place = {"match": record.match, "version": version, "head": head}
    return {**place, "events": [], "receipt": receipt}


@pytest.mark.parametrize(
    "written",
    [
        lambda answers: json.dumps(answers).encode(),
        lambda answers: json.dumps(answers, indent=2).encode(),
        lambda answers: "\n".join(map(json.dumps, answers)).encode(),
        lambda answers: "\n".join(json.dumps({"id": "c", "ok": one}) for one in answers).encode(),
        lambda answers: b"".join(map(msgspec.msgpack.encode, answers)),
        msgspec.msgpack.encode,
    ],
    ids=["json", "pretty", "lines", "socket", "msgpack", "msgpack list"],
)
def test_holds_answers_against_the_log(
    run: Run, keep: Keep, played: Record, written: Callable[[list[Any]], bytes]
) -> None:
    """Each is signed by this key, stands in the log at its version, and is by whom that says."""
    seat = int(played.opened(10)["by"][-1])
    name = ("Ann", "Bob", "Cai")[seat]
    kept = keep(written([answer_to(played, 2), answer_to(played, 10)]), "kept")
    ran = run("verify", keep(played.file()), "--receipt", kept, "--key", public(KEY))
    assert ran.status == 0
    assert re.findall(r"answer to commit (\d+ .*), head \w{16}: (.*)", ran.out) == [
        ("2 (by seat 0 (Ann))", "signed, stands in the log"),
        (f"10 (by seat {seat} ({name}))", "signed, stands in the log"),
    ]
    assert "2 answers: 2 hold, 0 do not\n" in ran.out


def test_counts_what_holds_and_what_is_of_other_matches(
    run: Run, keep: Keep, played: Record
) -> None:
    """One answer that holds, one that does not, one that is of another match."""
    other = answer_to(table("m2").play(3).record(), 2)
    answers = [answer_to(played, 2), answer_to(played, 3, OTHER_KEY), other]
    kept = keep(json.dumps(answers).encode(), "kept")
    ran = run("verify", keep(played.file()), "--receipt", kept, "--key", public(KEY))
    assert (ran.status, len(re.findall("^answer to commit", ran.out, re.MULTILINE))) == (1, 2)
    assert "2 answers: 1 hold, 1 do not; 1 of other matches left out\n" in ran.out


def test_finds_that_a_log_was_exchanged(run: Run, keep: Keep, played: Record) -> None:
    """A signed answer whose head has no place in a log that holds otherwise proves it."""
    other = table(seed=9).play().record()
    assert (other.match, other.commits == played.commits) == ("m1", False)
    kept = keep(json.dumps(answer_to(played, 10)).encode(), "kept")
    ran = run("verify", keep(other.file()), "--receipt", kept, "--key", public(KEY), "--json")
    assert (ran.status, ran.json["logs"][0]["verdict"]) == (1, "not signed")
    (held,) = ran.json["receipts"]
    assert (held["signed_by"], held["found"], held["good"]) == (public(KEY), None, False)


def test_takes_no_answer_that_another_key_signed(run: Run, keep: Keep, played: Record) -> None:
    """Nor one whose receipt is of another version; without a key it says that nobody vouches."""
    path = keep(played.file())
    lie = answer_to(played, 3) | {"receipt": answer_to(played, 2)["receipt"]}
    for answer in (answer_to(played, 3, OTHER_KEY), lie):
        kept = keep(json.dumps(answer).encode(), "kept")
        ran = run("verify", path, "--receipt", kept, "--key", public(KEY))
        assert (ran.status, "NOT signed by a trusted key, stands in" in ran.out) == (1, True)
        ran = run("verify", path, "--receipt", kept)
        assert (ran.status, "no key is trusted" in ran.out) == (0, True)
        assert "1 answer: 1 stand in the log, 0 of them vouched for\n" in ran.out


@pytest.mark.parametrize("data", [b"", b"junk", b"[]", b"{}", b'{"match":"m9"}'])
def test_takes_nothing_else_for_an_answer(
    run: Run, keep: Keep, played: Record, data: bytes
) -> None:
    """A file that holds no answer cannot be used, nor one with answers of other matches alone."""
    assert run("verify", keep(played.file()), "--receipt", keep(data, "kept")).status == 2
    other = json.dumps(answer_to(table("m2").play(3).record(), 2)).encode()
    ran = run("verify", keep(played.file()), "--receipt", keep(other, "kept"))
    assert (ran.status, "no answer is of match m1" in ran.err) == (2, True)
