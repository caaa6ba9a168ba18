"""Every ruling is used: it refuses, or events rest on it; and readers find what they look for."""

from __future__ import annotations

import pytest

from referee.catalogue import catalogue
from referee.core.commit import read_match_file
from referee.core.rules import Rules
from referee.core.visibility import ORGANIZER, events_seen
from referee.report.json_values import plain
from referee.report.moments import moment
from tests.conformance.golden import examples, rested


@pytest.mark.parametrize("game", list(catalogue()), ids=lambda rules: rules.game.id)
def test_every_ruling_refuses_or_has_events_rest_on_it(game: Rules) -> None:
    """In the golden matches of its game; and events rest on rulings of the game alone."""
    logs = [read_match_file(path.read_bytes()).commits for path in examples(game)]
    used = set().union(*(rested(game, log) for log in logs))
    refusing = {clause.id for kind in game.game.commands for clause in kind.rulings}
    known = {ruling.id for ruling in game.game.rulings}
    assert used <= known
    assert known - used - refusing - set(game.game.admission) == set()


@pytest.mark.parametrize("game", list(catalogue()), ids=lambda rules: rules.game.id)
def test_every_game_says_where_points_are_made_and_things_are_taken(game: Rules) -> None:
    """Of events that it has, and in its golden matches some are moments and most are not."""
    known = {str(kind.__struct_config__.tag) for kind in game.game.events}
    assert set(game.game.moments) <= known
    found = []
    for path in examples(game):
        for data in read_match_file(path.read_bytes()).commits:
            commit = game.read_commit(data)
            seen = plain(events_seen(commit.v, commit.at, commit.ev, ORGANIZER))
            found += [moment(game.game, commit.by, event) for event in seen]
    assert {"score", None} <= set(found) <= {"score", "capture", "ruling", None}
    assert found.count(None) > len(found) / 2
