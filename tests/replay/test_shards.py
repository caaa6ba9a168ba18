"""Many logs: those at fault alone, shares of them, and the reports of shares as one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.replay.conftest import Keep, Run
from tests.replay.logs import table

BAD = "b3.match"


@pytest.fixture
def many(keep: Keep) -> Path:
    """A folder of eight short logs, one of them in dispute."""
    for number in range(8):
        record = table(f"m{number}").play(2).record()
        name = f"b{number}.match"
        keep(record.file(**({"head": "00" * 32} if name == BAD else {})), f"many/{name}")
    return keep(b"", "many/x.txt").parent


def reports(run: Run, keep: Keep, many: Path, shares: int) -> list[Path]:
    """What verify prints of each share, in files."""
    return [
        keep(run("verify", many, "--json", "--shard", f"{share}/{shares}").out.encode(), f"{share}")
        for share in range(1, shares + 1)
    ]


def test_names_those_at_fault_alone_and_counts_all(run: Run, many: Path) -> None:
    """Nobody looks for one line among thousands; the last one counts them."""
    ran = run("verify", many)
    assert ran.status == 1
    assert ran.out.startswith("in dispute")
    assert ran.out.count(".match") == 1
    assert ran.out.splitlines()[-1].startswith("8 logs: ")
    assert run("verify", many, "--all").out.count(".match") == 8


@pytest.fixture
def damaged(keep: Keep, many: Path) -> Path:
    """The same folder with a log of which bytes cannot be read, and one with a false event."""
    record = table("m8", entropy=("00" * 16, "", "")).play(2).record()
    keep(record.put(2, b"junk").file(), "many/b8.match")
    keep(record.forged(3, lambda commit: commit["ev"][0].update(space=1)).file(), "many/b9.match")
    return many


def test_joins_shares_to_what_one_run_says(run: Run, keep: Keep, damaged: Path) -> None:
    """Every log is in one share; joined, they say and end as verify over all would."""
    paths = reports(run, keep, damaged, 3)
    joined, whole = run("join", *paths, "--json"), run("verify", damaged, "--json")
    by_source = {log["source"]: log for log in joined.json["logs"]}
    assert by_source == {log["source"]: log for log in whole.json["logs"]}
    assert (joined.json["summary"], joined.status) == (whole.json["summary"], 1)
    for options in ((), ("--all",), ("--anonymous",), ("--zone", "Asia/Tokyo")):
        told, of_all = (
            sorted(run(*command, *options).out.splitlines())
            for command in (("join", *paths, paths[0]), ("verify", damaged))
        )
        assert told == of_all
        assert any("active" in line for line in told)
        assert any("Commit 2 (bytes " in line for line in told)


def test_joins_what_comes_through_a_pipe(run: Run, keep: Keep, many: Path) -> None:
    """The reports one behind the other, as `cat` gives them; or one, laid out by another tool."""
    paths = reports(run, keep, many, 2)
    lines = "".join(path.read_text() for path in paths)
    piped = run("join", "-", stdin=lines)
    assert (piped.out, piped.status) == (run("join", *paths).out, 1)
    laid_out = json.dumps(run("verify", many, "--json").json, indent=1)
    assert "8 logs: " in run("join", "-", stdin=laid_out).out


def test_says_of_one_log_what_verify_says(run: Run, keep: Keep) -> None:
    """One that holds is named too, as it is by verify; one that was asked for more is refused."""
    path = keep(table().record().file())
    report = keep(run("verify", path, "--json").out.encode(), "report.json")
    assert run("join", report).out == run("verify", path).out
    asked = keep(run("verify", path, "--json", "--head", "0" * 64).out.encode(), "asked.json")
    ran = run("join", asked)
    assert (ran.status, "asked of one log" in ran.err) == (2, True)


def test_says_which_share_is_missing(run: Run, keep: Keep, many: Path) -> None:
    """Where nothing is in dispute the status is that of unusable input."""
    (many / BAD).unlink()
    paths = reports(run, keep, many, 3)
    ran = run("join", *paths[1:])
    assert (ran.status, ran.err) == (2, "replay: shard 1/3 is missing\n")


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "x/y", "1/0"])
def test_takes_no_share_that_is_none(run: Run, many: Path, shard: str) -> None:
    """A share is K of N, from 1."""
    assert run("verify", many, "--shard", shard).status == 2


@pytest.mark.parametrize("text", [b"junk", b"[]", b'{"logs": [{"source": 1}]}'])
def test_joins_nothing_but_reports(run: Run, keep: Keep, text: bytes) -> None:
    """What verify did not print is unusable, and that is said in no library's words."""
    ran = run("join", keep(text, "r.json"))
    assert (ran.status, "JSON is" in ran.err or "Expected" in ran.err) == (2, False)


def test_says_of_a_report_that_is_not_there_what_the_system_says(run: Run) -> None:
    """As every command does: the file, and why."""
    assert run("join", "nowhere.json").err == "replay: nowhere.json: No such file or directory\n"


def test_takes_as_many_processes_as_there_are_logs_for(run: Run, many: Path) -> None:
    """However many are asked for, the answers come in the order of the sources."""
    named = [log["source"] for log in run("verify", many, "--json", "--jobs", 2).json["logs"]]
    assert named == sorted(named)
