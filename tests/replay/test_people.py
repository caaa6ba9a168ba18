"""Who is who: `--names`, `--anonymous`, and seats by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record, table
from tests.replay.test_main import COMMANDS

PERSONS = "name,person\nAnn,Anna Äpfel\nBob,Robert Birne\n"
TELLING = [("show",), ("log",), ("explain", "--at", "1"), ("export",), ("step",)]


@pytest.fixture
def named(keep: Keep) -> Path:
    """A file that says who Ann and Bob are."""
    return keep(PERSONS.encode("utf-8-sig"), "names.csv")


@pytest.mark.parametrize("command", TELLING)
def test_calls_players_by_person_or_not_at_all(
    run: Run, keep: Keep, played: Record, named: Path, command: tuple[str, ...]
) -> None:
    """In words and in JSON, wherever a name stood; who is not in the file keeps the name."""
    source, jsons = keep(played.file()), [[], ["--json"]]
    for as_json in jsons:
        args = (*command[:1], source, *command[1:], *as_json)
        told = run(*args, "--names", named, stdin="").out
        anonymous = run(*args, "--anonymous", stdin="").out
        assert ("Robert Birne" in told, "Cai" in told) == (True, True)
        assert not any(name in told for name in ("Ann ", '"Ann"', "(Ann)", "Bob"))
        assert not any(name in anonymous for name in ("Ann", "Bob", "Cai"))


@pytest.mark.parametrize("command", ["verify", "diff"])
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_names_nobody_in_disputes(
    run: Run, keep: Keep, played: Record, command: str, as_json: list[str]
) -> None:
    """Not either in what was expected and what stands there."""
    forged = keep(played.forged(1, lambda commit: commit["ev"][0].update(public=True)).file())
    source = [forged, keep(played.file(), "other.match")]
    ran = run(command, *source, "--anonymous", *as_json)
    assert ran.status == 1
    assert not any(name in ran.out for name in ("Ann", "Bob", "Cai"))


def test_numbers_players_over_many_matches(run: Run, keep: Keep, tmp_path: Path) -> None:
    """The same player is the same number in every match of a table."""
    for number, names in enumerate((("Ann", "Bob"), ("Bob", "Cai"))):
        keep(table(f"m{number}", names=names).play().record().file(), f"all/{number}.match")
    ran = run("standings", tmp_path / "all", "--anonymous", "--json")
    (one,) = ran.json["tournaments"]
    played = {row["player"]: row["played"] for row in one["rows"]}
    assert played == {"player 1": 1, "player 2": 2, "player 3": 1}


def test_looks_on_as_a_seat_by_its_name(run: Run, keep: Keep, played: Record, named: Path) -> None:
    """The name in the log, or the person; case does not matter."""
    source = keep(played.file())
    for args in (("--viewer", "bob"), ("--viewer", "Robert Birne", "--names", named)):
        assert run("show", source, *args, "--json").json["viewer"] == "seat 1"


@pytest.mark.parametrize("name", ["Ann", "Nobody", "7", "seat -1"])
def test_says_which_seats_there_are(run: Run, keep: Keep, name: str) -> None:
    """A name of two seats is no seat's, nor is one of nobody; all who can look on are listed."""
    ran = run("show", keep(table(names=("Ann", "Ann")).record().file()), "--viewer", name)
    assert (ran.status, "organizer, spectator, seat 0 (Ann), seat 1 (Ann)" in ran.err) == (2, True)


def test_a_file_of_names_that_is_none_is_said(run: Run, keep: Keep, played: Record) -> None:
    """A row that is no pair is named by its number; a file in another encoding is told as one."""
    ran = run("log", keep(played.file()), "--names", keep(b"Ann,Anna\nBob\n", "bad.csv"))
    assert (ran.status, "row 2 is not a name and a person" in ran.err) == (2, True)
    ran = run("log", keep(played.file()), "--names", keep(b"Ann,\xff\n", "bad.csv"))
    assert (ran.status, "is not encoded in UTF-8" in ran.err) == (2, True)


def test_every_command_takes_them(run: Run) -> None:
    """As its help says."""
    for command in COMMANDS:
        said = run(command, "--help").out
        assert ("--names FILE" in said, "--anonymous" in said) == (True, True)
