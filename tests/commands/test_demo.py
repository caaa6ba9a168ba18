"""The demonstration: a whole match over HTTP, shown and audited, for every game that is found."""

import os
import subprocess
import sys

import pytest

from referee.catalogue import catalogue

AT_ONCE = ("giro-galoppo", "dancing-villager")
"""A game of turns and one of windows: a plain run plays these, and a long one all."""
GAMES = [rules.game.id for rules in catalogue()]


def demo(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """What `referee demo` prints and exits with."""
    command, env = [sys.executable, "-m", "referee", "demo", *arguments], os.environ | environ
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env=env
    )


@pytest.mark.timeout(320)  # windows of the game are of real seconds
@pytest.mark.parametrize(
    "game",
    [game if game in AT_ONCE else pytest.param(game, marks=pytest.mark.long) for game in GAMES],
)
def test_a_demo_plays_to_the_end_shows_boards_and_audits_the_log(game: str) -> None:
    """Exit status 0, boards at the beginning and the end, a ranking, and a verdict, unsigned."""
    seats = str(catalogue().current(game).game.players[0])
    played = demo(game, "--seats", seats)
    assert played.returncode == 0, played.stderr
    assert "─── version 1 ─" in played.stdout
    assert played.stdout.count("─── version ") > 2
    assert "Finished (played-out):" in played.stdout
    assert "\nnot signed " in played.stdout


@pytest.mark.long
@pytest.mark.timeout(320)
def test_a_demo_is_shown_whatever_the_output_has_no_signs_for() -> None:
    """Lines and signs of boards are replaced; the match is played to its end."""
    played = demo("giro-galoppo", "--seats", "2", PYTHONIOENCODING="ascii")
    assert (played.returncode, played.stdout.isascii()) == (0, True)
    assert "Finished (played-out):" in played.stdout


def test_a_demo_of_no_known_game_says_so() -> None:
    """A usage error names what is not known, and what is."""
    played = demo("chess")
    assert played.returncode == 2
    assert "chess" in played.stderr
    assert all(game in played.stderr for game in GAMES)


def test_a_demo_with_options_that_cannot_be_played_says_which() -> None:
    """The service's problem, with the path of the option, and nothing is left running."""
    played = demo("giro-galoppo", "--options", '{"length": 7}')
    assert played.returncode == 1
    assert "options.length" in played.stderr
