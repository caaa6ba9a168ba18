"""`replay bundle`: one file to show that the referee is wrong."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record

AT = 9


@pytest.fixture
def source(keep: Keep, played: Record) -> Path:
    """A match file, with commands beside it that were refused: of two seats, and later."""
    refusals = [
        {
            "at": 1_700_000_000_085, "by": f"seat:{seat}", "seat": seat, "version": version,
            "command": {"type": "choose_card", "card": 9}, "ruling": "card-in-hand",
            "detail": "No.",
        }
        for seat, version in ((1, 7), (2, 8), (1, 20))
    ]  # fmt: skip
    keep("".join(f"{json.dumps(refused)}\n" for refused in refusals).encode(), "m.refusals.jsonl")
    return keep(played.signed())


def opened(path: Path) -> dict[str, bytes]:
    """The parts of a bundle."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_holds_the_log_to_there_and_what_was_refused(
    run: Run, keep: Keep, played: Record, source: Path, tmp_path: Path
) -> None:
    """The log in it is judged as any other; beside it the refusals, the board and the versions."""
    ran = run("bundle", source, "--at", AT, "-o", tmp_path / "b.zip", "--json")
    parts = opened(tmp_path / "b.zip")
    assert (ran.status, sorted(ran.json["parts"])) == (0, sorted(parts))
    judged = run("verify", keep(parts["log.match"], "out/log.match"), "--json").json["logs"][0]
    assert (judged["commits"], judged["disputes"]) == (AT, [])
    assert len(parts["log.refusals.jsonl"].splitlines()) == 2
    about = json.loads(parts["about.json"])
    assert (about["at"], about["head"]) == (AT, played.having(played.commits[:AT]).head)
    assert about["versions"]["ruleset"] == "giro-galoppo/1"
    assert about["header"]["head"] == played.head


def test_the_whole_log_is_signed_as_it_was(
    run: Run, played: Record, source: Path, tmp_path: Path
) -> None:
    """To its last commit the log is the very bytes of the source."""
    run("bundle", source, "--at", len(played.commits), "-o", tmp_path / "b.zip")
    assert opened(tmp_path / "b.zip")["log.match"] == played.signed()


@pytest.mark.parametrize(("viewer", "refused"), [("seat 1", 1), ("spectator", 0)])
def test_tells_a_viewer_nothing_that_it_may_not_know(
    run: Run, played: Record, source: Path, tmp_path: Path, viewer: str, refused: int
) -> None:
    """No log, no command, no card of another seat that lies face down, no other's refusals."""
    shown = next(n for n in range(2, 52) if len(played.opened(n)["ev"]) > 1)
    at = next(n for n in range(shown, 1, -1) if played.opened(n)["by"] == "seat:0")
    run("bundle", source, "--at", at, "-o", tmp_path / "b.zip", "--viewer", viewer)
    parts = opened(tmp_path / "b.zip")
    assert "log.match" not in parts
    rows = [json.loads(line) for line in parts["events.jsonl"].splitlines()]
    assert ([row["version"] for row in rows][-1], "command" in rows[-1]) == (at, False)
    assert rows[-1]["events"][0]["card"] is None
    assert len(parts["log.refusals.jsonl"].splitlines()) == (refused if at >= 7 else 0)
    assert json.loads(parts["view.json"])["viewer"] == viewer


def test_is_made_of_a_log_that_nobody_can_follow(
    run: Run, keep: Keep, played: Record, tmp_path: Path
) -> None:
    """What cannot be shown is left out; the log is there, and the dispute is said."""
    bad = keep(
        played.edited(5, lambda commit: commit.update(cmd={"type": "x"})).file(), "bad.match"
    )
    ran = run("bundle", bad, "--at", AT, "-o", tmp_path / "b.zip")
    assert "log.match" in opened(tmp_path / "b.zip")
    assert ran.status == 1
