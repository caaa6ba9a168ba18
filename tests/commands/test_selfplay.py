"""`referee selfplay`: match files of random matches, the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.catalogue import catalogue
from referee.commands.selfplay import command
from referee.core.commit import MatchFile, read_match_file
from referee.core.verify import verify


def selfplay(*arguments: str | Path) -> Result:
    """Run the command."""
    return CliRunner().invoke(command, [*map(str, arguments)])


def files(folder: Path) -> dict[str, bytes]:
    """What stands in a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def read(data: bytes) -> MatchFile:
    """A match file whose log is proven."""
    file = read_match_file(data)
    rules = catalogue().rules(file.header.ruleset)
    assert verify(rules, file.header.match, file.commits).dispute is None
    return file


def test_it_writes_a_file_a_match_and_says_how_fast(tmp_path: Path) -> None:
    """Each named for its match, each proven; one line of summary."""
    done = selfplay("giro-galoppo", "-n", "3", "-o", tmp_path / "out")
    assert done.exit_code == 0
    found = files(tmp_path / "out")
    assert list(found) == [f"giro-galoppo-0000{number}.match" for number in (1, 2, 3)]
    for name, data in found.items():
        assert read(data).header.match == name.removesuffix(".match")
    assert done.stdout.startswith("3 matches of giro-galoppo, ")
    assert done.stdout.count("\n") == 1
    assert "matches/s" in done.stdout


def test_a_seed_plays_the_same_matches_however_many_processes(tmp_path: Path) -> None:
    """Byte for byte; another seed plays others."""
    for folder, more in (
        ("one", ["--seed", "a"]),
        ("two", ["--seed", "a", "--jobs", "2"]),
        ("other", ["--seed", "b"]),
    ):
        out = tmp_path / folder
        assert selfplay("giro-galoppo", "-n", "10", "--vary", "-o", out, *more).exit_code == 0
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert not set(files(tmp_path / "one").values()) & set(files(tmp_path / "other").values())


def test_varied_matches_wait_for_entropy_now_and_then(tmp_path: Path) -> None:
    """Sent by their seats; others are dealt at once, as all are that are not varied."""
    for folder, more in (("varied", ["--vary"]), ("plain", [])):
        out = tmp_path / folder
        assert selfplay("giro-galoppo", "-n", "12", "-o", out, *more).exit_code == 0
    counts = {
        folder: sum(b"entropy_added" in data for data in files(tmp_path / folder).values())
        for folder in ("varied", "plain")
    }
    assert 0 < counts["varied"] < 12
    assert counts["plain"] == 0


def test_seats_and_options_are_as_told(tmp_path: Path) -> None:
    """In every match."""
    options = '{"length": 40, "ties": "rearmost-only"}'
    done = selfplay("giro-galoppo", "-n", "4", "-o", tmp_path, "--seats", "4", "--options", options)
    assert done.exit_code == 0
    for data in files(tmp_path).values():
        file = read(data)
        rules = catalogue().rules(file.header.ruleset)
        match = rules.fold(None, file.commits[0])
        assert len(match.seats) == 4
        assert match.setting.options.ties == "rearmost-only"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess"], "no game or ruleset 'chess'"),
        (["giro-galoppo", "--seats", "6"], "for 2 to 5"),
        (["giro-galoppo", "--options", '{"length": 3}'], "options.length"),
        (["giro-galoppo", "--options", '{"width": 3}'], "width"),
        (["giro-galoppo", "--options", "{"], "--options"),
        (["giro-galoppo", "--options", "{}", "--vary"], "exclude each other"),
        (["giro-galoppo", "-n", "0"], "-n"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_written(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    """Exit status 2, and a sentence that says what is wrong."""
    done = selfplay(*arguments, "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "out").exists()
