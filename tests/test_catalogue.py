"""The catalogue: games are found, and a new one edits nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from referee import games
from referee.catalogue import Catalogue, UnknownGame, _in_folders, catalogue
from referee.games.giro_galoppo import GAME as GIRO
from tests.toy_game import GAME as PEBBLES

ROOT = Path(__file__).parents[1]


def test_every_folder_under_games_is_a_game() -> None:
    """Its name is the game's id, a dash an underscore."""
    folders = {path.parent.name for path in (ROOT / "referee/games").glob("*/__init__.py")}
    assert folders == {rules.game.id.replace("-", "_") for rules in catalogue()}


def test_games_come_in_the_order_of_their_ids() -> None:
    """Whatever order they were found in."""
    assert [rules.game.id for rules in Catalogue([PEBBLES, GIRO])] == ["giro-galoppo", "pebbles"]


def test_the_highest_version_is_the_current_one_and_the_others_stay() -> None:
    """New matches are played by it; old ones are judged by theirs."""
    newer = replace(PEBBLES, version=10)
    games = Catalogue([newer, PEBBLES, replace(PEBBLES, version=2)])
    assert games.current("pebbles").game is newer
    assert games.rules("pebbles/1").game is PEBBLES
    assert games.rulesets("pebbles") == ("pebbles/1", "pebbles/2", "pebbles/10")
    assert len(list(games)) == 1


def test_one_ruleset_is_found_once() -> None:
    """Two games of one name would judge each other's matches."""
    with pytest.raises(ValueError, match="pebbles/1 is found twice"):
        Catalogue([PEBBLES, replace(PEBBLES)])


def test_an_unknown_name_is_said_to_be_unknown() -> None:
    """A game, and a ruleset; the error holds the name."""
    games = Catalogue([PEBBLES])
    for ask, name in (
        (games.current, "chess"),
        (games.rules, "pebbles/7"),
        (games.rules, "pebbles"),
    ):
        with pytest.raises(UnknownGame) as unknown:
            ask(name)
        assert unknown.value.name == name
    assert games.rulesets("chess") == ()


def test_an_installed_entry_point_adds_a_game(tmp_path: Path) -> None:
    """A distribution with an entry point of the group `referee.games`, and nothing edited."""
    info = tmp_path / "pebbles-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pebbles\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[referee.games]\npebbles = tests.toy_game:GAME\n")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    listed = subprocess.run(
        [sys.executable, "-m", "referee", "games", "--json"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=True,
        timeout=60,
    )
    ids = [row["id"] for row in json.loads(listed.stdout)]
    assert ids == sorted([*(rules.game.id for rules in catalogue()), "pebbles"])


def test_a_folder_without_a_game_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever adds a game is told what its folder lacks."""
    (tmp_path / "unfinished").mkdir()
    (tmp_path / "unfinished" / "__init__.py").write_text("GAME = None\n")
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(tmp_path)])
    with pytest.raises(ImportError, match=r"referee\.games\.unfinished holds no GAME"):
        list(_in_folders())
