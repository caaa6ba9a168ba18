"""Golden matches: what is seen of the examples of every ruleset is what was seen before.

Where a view, an event or a picture of legality changes on purpose, `make golden` writes the
texts anew, and the difference shows in review; a match file that no longer verifies needs a new
version of the ruleset.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import pytest

from referee.catalogue import catalogue
from referee.core.commit import read_match_file
from referee.core.game import NoOptions
from referee.core.rules import Rules
from referee.core.verify import verify
from tests import small_game
from tests.conformance.golden import examples, folder, names, seen, write
from tests.conformance.matches import numbers_of_seats

MOST_BYTES = 1_700_000


def each(found: Iterable[Rules]) -> pytest.MarkDecorator:
    """A test of each of these games."""
    return pytest.mark.parametrize("game", list(found), ids=lambda rules: rules.game.id)


games = each(catalogue())
games_with_options = each(rules for rules in catalogue() if rules.game.options is not NoOptions)


@games
def test_no_game_lacks_its_examples(game: Rules) -> None:
    """One for each number of seats and each printed variant, one varied; each with its text."""
    wanted = {one.name for one in names(game)}
    assert {path.stem for path in examples(game)} >= wanted, "run: make golden"
    seats = set()
    for path in examples(game):
        assert path.with_suffix(".json").is_file(), "run: make golden"
        file = read_match_file(path.read_bytes())
        seats.add(len(game.fold(None, file.commits[0]).seats))
    assert seats == set(numbers_of_seats(game))


@games
def test_every_example_is_proven(game: Rules) -> None:
    """Its log has no fault, ends where its header says, and was played out."""
    for path in examples(game):
        file = read_match_file(path.read_bytes())
        verdict = verify(game, file.header.match, file.commits)
        assert verdict.dispute is None, (path.name, verdict.dispute)
        assert verdict.match is not None
        assert file.header.head == verdict.match.head.hex()
        assert file.header.count == verdict.proven
        assert verdict.match.result is not None
        assert verdict.match.result.reason == "played-out"


@games
def test_everybody_sees_of_every_example_what_was_seen_before(game: Rules) -> None:
    """Every view at every step, every event, and how many commands were legal."""
    for path in examples(game):
        text = path.with_suffix(".json").read_text("utf-8")
        assert seen(game, read_match_file(path.read_bytes())) == text, f"{path}: make golden"


@games_with_options
def test_a_varied_example_is_played_under_options_of_its_own(game: Rules) -> None:
    """Not under those that every other example has."""
    options = {}
    for path in examples(game):
        first = read_match_file(path.read_bytes()).commits[0]
        options[path.stem] = game.fold(None, first).setting.options
    others = [value for name, value in options.items() if name != "varied"]
    assert options["varied"] not in others


@games
def test_examples_are_small(game: Rules) -> None:
    """They travel with the package."""
    assert sum(path.stat().st_size for path in folder(game).iterdir()) < MOST_BYTES


@games
def test_what_is_seen_is_json_a_line_a_commit(game: Rules) -> None:
    """So that a difference names its commit."""
    for path in examples(game):
        text = path.with_suffix(".json").read_text("utf-8")
        steps = json.loads(text)
        assert len(text.splitlines()) == len(steps) + 2
        assert [step["version"] for step in steps] == list(range(1, len(steps) + 1))


def test_the_examples_of_a_game_in_one_file_lie_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One for its seats and one whose seats add entropy: it has no options to vary."""
    package = tmp_path / "marks"
    package.mkdir()
    shutil.copy(small_game.__file__, package)
    monkeypatch.syspath_prepend(tmp_path)
    game = Rules(import_module("marks").GAME)

    write(game)

    assert {path.stem for path in (package / "examples").iterdir()} == {"2-seats", "entropy-seats"}
