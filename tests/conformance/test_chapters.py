"""The parts that a match falls into, as headings name them."""

from __future__ import annotations

from referee.core.rules import Rules
from referee.core.views import view_of
from referee.core.visibility import ORGANIZER, SPECTATOR
from referee.report.json_values import plain
from referee.report.moments import chapter
from tests.conformance.matches import quiet


def test_every_step_is_in_a_part_whoever_looks_on(rules: Rules) -> None:
    """All are told the same parts, each by a name."""
    one, names = quiet(rules)[0], []
    for step in one.steps:
        views = [plain(view_of(rules, step.decided.match, who)) for who in (ORGANIZER, SPECTATOR)]
        seen, told = (chapter(rules.game, view) for view in views)
        assert seen == told
        names.append(seen)
    assert "" not in names
    assert names[-1] == "After the end"
