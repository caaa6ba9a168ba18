"""`replay export`: a log as JSON, exact enough to prove it anew."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record, table


def test_exports_the_header_and_a_commit_a_line(run: Run, keep: Keep, played: Record) -> None:
    """The first line is the header, each other one a commit, with the head after it."""
    ran = run("export", keep(played.signed()), "--jsonl")
    header, *commits = map(json.loads, ran.out.splitlines())
    assert (ran.status, header["head"], "signature" in header) == (0, played.head, True)
    assert [commit["v"] for commit in commits] == list(range(1, len(played.commits) + 1))
    for before, commit in pairwise(commits):
        assert commit["prev"] == before["head"]
    assert commits[-1]["head"] == header["head"]
    again = {**played.opened(9), "prev": commits[8]["prev"], "head": commits[8]["head"]}
    assert commits[8] == json.loads(json.dumps(again, default=bytes.hex))


def test_exports_the_exact_bytes_on_demand(run: Run, keep: Keep, played: Record) -> None:
    """With --raw any program can take the heads anew, without a word of MessagePack."""
    out = run("export", keep(played.file()), "--raw").out
    for line in map(json.loads, out.splitlines()[1:]):
        data = bytes.fromhex(line["prev"]) + bytes.fromhex(line["bytes"])
        assert hashlib.sha256(data).hexdigest() == line["head"]


def test_exports_the_same_bytes_every_time(
    run: Run, keep: Keep, played: Record, tmp_path: Path
) -> None:
    """Output is ASCII, stable, and the same in a file as on standard output."""
    path, out = keep(played.file()), tmp_path / "m.jsonl"
    ran = run("export", path)
    assert run("export", path, "-o", out).out == ""
    assert out.read_text("ascii") == ran.out == run("export", path).out


def test_exports_one_document_on_demand(run: Run, keep: Keep, played: Record) -> None:
    """With --json the same stands in one object."""
    path = keep(played.file())
    header, *commits = map(json.loads, run("export", path).out.splitlines())
    assert run("export", path, "--json").json == {"header": header, "commits": commits}
    assert run("export", path, "--json", "--jsonl").status == 2


def test_exports_what_cannot_be_read_as_its_bytes(run: Run, keep: Keep, played: Record) -> None:
    """Nothing is judged: a commit that is none stands there in hex, and the rest beside it."""
    ran = run("export", keep(played.put(2, b"junk").file()))
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert (ran.status, lines[2], lines[3]["v"]) == (1, {"bytes": b"junk".hex()}, 3)
    assert "cannot be read" in ran.err


def test_exports_a_broken_chain_and_says_that_it_is(
    run: Run, keep: Keep, played: Record, tmp_path: Path
) -> None:
    """Every commit can be read, and one was changed: all lines, a word of it, and no good end."""
    path = keep(played.edited(20, lambda commit: commit.update(at=commit["at"] + 1)).file())
    for form in (["--jsonl"], ["--json"], ["-o", tmp_path / "m.jsonl"]):
        ran = run("export", path, *form)
        assert ran.status == 1
        assert "in dispute: commit 21 does not lie on the head after commit 20" in ran.err
    assert len((tmp_path / "m.jsonl").read_bytes().splitlines()) == 1 + len(played.commits)


def test_exports_logs_of_rulesets_that_are_not_known(run: Run, keep: Keep) -> None:
    """Exporting needs no rules."""
    chess = {"game": "chess", "ruleset": "chess/1"}
    record = replace(table().record(), ruleset="chess/1")
    record = record.forged(1, lambda commit: commit["cmd"].update(chess))
    assert run("export", keep(record.file())).status == 0


def test_writes_over_no_match_file(run: Run, keep: Keep, played: Record) -> None:
    """A match file is evidence: an export does not replace one, its own source least of all."""
    path = keep(played.file())
    ran = run("export", path, "-o", path)
    assert (ran.status, path.read_bytes()) == (2, played.file())
