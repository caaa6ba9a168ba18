"""Which rules a log is under, among those that are installed here."""

from __future__ import annotations

from referee.catalogue import UnknownGame, catalogue
from referee.core.rules import Rules
from replay.faults import Unusable


def rules_named(ruleset: str) -> Rules:
    """The rules of that name. Raises :class:`Unusable`, saying which are known."""
    known = catalogue()
    try:
        return known.rules(ruleset)
    except UnknownGame:
        names = [name for rules in known for name in known.rulesets(rules.game.id)]
        listed = ", ".join(sorted(names))
        message = f"the ruleset {ruleset} is not known here; known are {listed}"
        raise Unusable(message) from None
