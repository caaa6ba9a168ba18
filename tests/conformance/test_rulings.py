"""Every ruling is used: it refuses, or events rest on it."""

from __future__ import annotations

import pytest

from referee.catalogue import catalogue
from referee.core.commit import read_match_file
from referee.core.game import rests_on
from referee.core.rules import Rules
from tests.conformance.golden import examples

SELDOM = {
    "dancing-villager": {"all-flat"},
    "dragon-dance": {"stuck"},
    "giganten": {"ghost-fights", "immobile-loss"},
}
"""What no golden match shows; events are named that rest on it all the same."""


@pytest.mark.parametrize("game", list(catalogue()), ids=lambda rules: rules.game.id)
def test_every_ruling_refuses_or_has_events_rest_on_it(game: Rules) -> None:
    """In the golden matches of its game; and events rest on rulings of the game alone."""
    logs = [read_match_file(path.read_bytes()).commits for path in examples(game)]
    events = [event for log in logs for data in log for event in game.read_commit(data).ev]
    rested = {ruling for event in events for ruling in rests_on(game.game.rests, event)}
    refusing = {clause.id for kind in game.game.commands for clause in kind.rulings}
    known = {ruling.id for ruling in game.game.rulings}
    assert rested <= known
    unused = known - rested - refusing - set(game.game.admission)
    assert unused == SELDOM.get(game.game.id, set())
