"""`referee games` and `referee settings`: what there is, for people and for programs."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from referee.__main__ import main
from referee.catalogue import catalogue
from referee.settings import NAMES


def run(*arguments: str, env: dict[str, str] | None = None, exit_code: int = 0) -> tuple[str, str]:
    """Standard output and error of `referee` with these arguments."""
    done = CliRunner().invoke(main, arguments, env=env)
    assert done.exit_code == exit_code, done.output
    return done.stdout, done.stderr


def test_games_are_listed_for_programs_as_the_service_lists_them() -> None:
    """Id, title, about, players, rulesets."""
    rows = json.loads(run("games", "--json")[0])
    assert [row["id"] for row in rows] == [rules.game.id for rules in catalogue()]
    giro = next(row for row in rows if row["id"] == "giro-galoppo")
    assert giro["players"] == {"min": 2, "max": 5, "counts": [2, 3, 4, 5]}
    assert giro["rulesets"] == ["giro-galoppo/1"]
    assert giro["title"]
    assert giro["about"]


def test_games_are_listed_for_people() -> None:
    """Every id is there, whole; in a pipe a game stays on one line, however much is told of it."""
    listed = run("games")[0].splitlines()
    for rules in catalogue():
        (row,) = (line for line in listed if rules.game.id in line)
        assert row.endswith(f"{rules.game.title}. {rules.game.about}")


def test_settings_are_listed_with_defaults_meanings_and_values() -> None:
    """All of them, in the table's order; for people in lines that a screen takes."""
    rows = json.loads(run("settings", "--json", env={"REFEREE_PORT": "9090"})[0])
    assert [row["name"] for row in rows] == list(NAMES)
    port = next(row for row in rows if row["name"] == "REFEREE_PORT")
    assert (port["default"], port["value"]) == ("8080", "9090")
    listed = run("settings")[0].splitlines()
    for row in rows:
        (line,) = (line for line in listed if line.split()[:1] == [row["name"]])
        column = listed[1].index("meaning")
        told = listed[listed.index(line) :]
        assert " ".join(line[column:] for line in told).startswith(row["meaning"])
    assert max(map(len, listed)) < 130


def test_settings_show_no_secret() -> None:
    """Neither to people nor to programs."""
    secret = "0123456789abcdef" * 2
    env = {"REFEREE_SECRET": secret, "REFEREE_REDIS_URL": "redis://u:hunter2@localhost:6379/0"}
    for arguments in (["settings"], ["settings", "--json"]):
        listed, _ = run(*arguments, env=env)
        assert secret not in listed
        assert "hunter2" not in listed


@pytest.mark.parametrize("arguments", [["settings"], ["settings", "--json"]])
def test_a_bad_setting_is_said_by_name(arguments: list[str]) -> None:
    """Exit status 1, with what it may be."""
    _, said = run(*arguments, env={"REFEREE_PORT": "many"}, exit_code=1)
    assert "REFEREE_PORT" in said


def test_a_misspelt_setting_is_pointed_out() -> None:
    """On standard error, so that programs read on."""
    listed, said = run("settings", "--json", env={"REFEREE_PROT": "1"})
    assert json.loads(listed)
    assert "REFEREE_PROT" in said
