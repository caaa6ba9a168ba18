"""`replay pull`: what it writes, and what it does not write over."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from referee.core.commit import read_match_file
from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record, table


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Where a test pulls to: a folder of its own."""
    folder = tmp_path / "pulled"
    folder.mkdir()
    return folder / "t.match"


def test_writes_the_very_bytes(run: Run, keep: Keep, played: Record, target: Path) -> None:
    """What is pulled is what the source gave, signature included."""
    ran = run("pull", keep(played.signed()), "-o", target)
    assert (ran.status, target.read_bytes()) == (0, played.signed())
    assert ran.out == f"m1: {len(played.commits)} commits written to {target}\n"
    assert list(target.parent.iterdir()) == [target]


def test_says_in_json_what_it_wrote(run: Run, keep: Keep, played: Record, target: Path) -> None:
    """The JSON form names the file and the source and repeats the header."""
    source = keep(played.file())
    written = run("pull", source, "-o", target, "--json").json
    assert (written["file"], written["source"]) == (str(target), str(source))
    assert written["header"]["head"] == played.head


def test_says_where_nothing_had_to_be_written(
    run: Run, keep: Keep, played: Record, target: Path
) -> None:
    """Pulled again the file is as before, and stays the very file that it was; by force too."""
    source = keep(played.file())
    run("pull", source, "-o", target)
    before = target.stat().st_ino
    for more in ((), ("--force",)):
        ran = run("pull", source, "-o", target, *more)
        assert ran.out == f"m1: {len(played.commits)} commits as before in {target}\n"
        assert not run("pull", source, "-o", target, "--json", *more).json["written"]
    assert target.stat().st_ino == before


def test_goes_on_with_an_earlier_pull(run: Run, keep: Keep, played: Record, target: Path) -> None:
    """A file that holds the log's beginning is replaced by more of it, or by the same."""
    keep(played.having(played.commits[:9]).file(), "pulled/t.match")
    for _ in range(2):
        assert run("pull", keep(played.file()), "-o", target).status == 0
        assert target.read_bytes() == played.file()


def test_disputes_a_log_that_no_longer_holds_what_was_pulled(
    run: Run, keep: Keep, played: Record, target: Path
) -> None:
    """History that changed, or became shorter, is a dispute, and the older file stays."""
    changed = played.forged(9, lambda commit: commit.update(at=commit["at"] + 1))
    shorter = played.having(played.commits[:-1])
    for now, says in ((changed, "parts from it at commit 9"), (shorter, "holds 50 of its 51")):
        target.write_bytes(played.file())
        ran = run("pull", keep(now.file()), "-o", target)
        assert (ran.status, says in ran.err) == (1, True)
        assert target.read_bytes() == played.file()
        assert run("pull", keep(now.file()), "-o", target, "--force").status == 0
        assert target.read_bytes() == now.file()


@pytest.mark.parametrize("there", [b"a letter", b"", table("m2").record().file()])
def test_writes_over_nothing_else(
    run: Run, keep: Keep, played: Record, target: Path, there: bytes
) -> None:
    """A file that is no match file, or another match's, is only replaced by force."""
    target.write_bytes(there)
    ran = run("pull", keep(played.file()), "-o", target)
    assert (ran.status, target.read_bytes()) == (2, there)
    assert "--force" in ran.err


def test_never_writes_to_the_source(run: Run, keep: Keep, played: Record, tmp_path: Path) -> None:
    """The source itself, by whatever name, is not written to even by force."""
    source = keep(played.file())
    link, hard = tmp_path / "link.match", tmp_path / "hard.match"
    link.symlink_to(source)
    os.link(source, hard)
    before = source.stat()
    for output in (source, link, hard):
        ran = run("pull", source, "-o", output, "--force")
        assert (ran.status, "sources are not written to" in ran.err) == (2, True)
    assert source.stat() == before


def test_writes_nothing_of_a_log_that_is_not_whole(
    run: Run, keep: Keep, played: Record, target: Path
) -> None:
    """Fewer commits than the header counts are a dispute; by force they are kept as evidence."""
    source = keep(played.file(count=99))
    ran = run("pull", source, "-o", target)
    assert (ran.status, target.exists()) == (1, False)
    ran = run("pull", source, "-o", target, "--force")
    assert (ran.status, "the header counts 99 commits, and 51 follow" in ran.err) == (1, True)
    assert read_match_file(target.read_bytes()).header.count == 99


def test_keeps_a_log_whose_chain_is_broken_and_says_so(
    run: Run, keep: Keep, played: Record, target: Path
) -> None:
    """It is evidence: the file has it as it is, alone and among many, and the status is 1."""
    broken = keep(played.edited(9, lambda commit: commit.update(at=1)).file(), "all/m.match")
    keep(table("m2").play(3).record().file(), "all/m2.match")
    ran = run("pull", broken, "-o", target, "--json")
    assert (ran.status, target.read_bytes()) == (1, broken.read_bytes())
    assert ran.json["dispute"] in ran.err
    many = run("pull", broken.parent, "-o", target.parent / "many")
    assert (many.status, many.out.count("written to"), many.err.count("in dispute")) == (1, 2, 1)


def test_leaves_nothing_behind_where_it_cannot_write(
    run: Run, keep: Keep, played: Record, tmp_path: Path
) -> None:
    """A folder that is not there ends with 2."""
    source = keep(played.file())
    assert run("pull", source, "-o", tmp_path / "gone" / "t.match").status == 2
    assert list(tmp_path.iterdir()) == [source]


def test_what_it_writes_may_be_read_as_other_files(
    run: Run, keep: Keep, played: Record, target: Path
) -> None:
    """The file gets the permissions that the process gives its files."""
    mask = os.umask(0o027)
    try:
        run("pull", keep(played.file()), "-o", target)
    finally:
        os.umask(mask)
    assert target.stat().st_mode & 0o777 == 0o640


# ── Many matches, and what was refused ────────────────────────────────────────────────────────────

REFUSAL = {
    "at": 1_700_000_000_500, "by": "seat:1", "seat": 1, "version": 3,
    "command": {"type": "move", "piece": 9}, "ruling": "no-piece", "detail": "There is no piece 9.",
}  # fmt: skip


def test_pulls_a_folder_into_a_folder(run: Run, keep: Keep, played: Record, tmp_path: Path) -> None:
    """One ID.match a match; what cannot be pulled is said, and the others are there."""
    keep(played.file(), "from/a.match")
    keep(table("m2").record().file(), "from/below/b.match")
    keep(b"junk", "from/c.match")
    ran = run("pull", tmp_path / "from", "-o", tmp_path / "to")
    assert (ran.status, "c.match: not a match file" in ran.err) == (2, True)
    assert sorted(path.name for path in (tmp_path / "to").iterdir()) == ["m1.match", "m2.match"]


def test_writes_many_into_a_folder_alone(
    run: Run, keep: Keep, played: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standard output is no folder, and none of its name is made; nor is a device one."""
    keep(played.file(), "from/a.match")
    monkeypatch.chdir(tmp_path)
    for output in ("-", "/dev/null"):
        ran = run("pull", tmp_path / "from", "-o", output)
        assert (ran.status, "are written into a folder" in ran.err) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["from"]


def test_takes_a_match_into_a_folder_by_an_id_alone(
    run: Run, keep: Keep, played: Record, tmp_path: Path
) -> None:
    """A header that names a path does not lead out of the folder."""
    source = keep(played.file(match="../../evil"))
    (tmp_path / "to").mkdir()
    ran = run("pull", source, "-o", tmp_path / "to")
    assert (ran.status, "is no match's id" in ran.err) == (2, True)


def test_keeps_what_was_refused_beside_the_log(
    run: Run, keep: Keep, played: Record, target: Path
) -> None:
    """In x.refusals.jsonl; what an earlier pull has of them stays, each once."""
    source = keep(played.file())
    beside, got = source.with_name("m.refusals.jsonl"), target.with_name("t.refusals.jsonl")
    for number in (1, 2, 2):
        beside.write_text(json.dumps({**REFUSAL, "version": number}))
        assert run("pull", source, "-o", target, "--json").json["refusals"] == min(2, number)
    lines = [json.loads(line) for line in got.read_text().splitlines()]
    assert lines == [{**REFUSAL, "version": 1}, {**REFUSAL, "version": 2}]
