"""Rules that are not, for logs to be judged by: a second version of giro-galoppo."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from referee.catalogue import Catalogue, catalogue
from referee.core.game import CommandRules, Game
from referee.core.ruling import Clause, Ruling, ruling

ORIGINAL = catalogue().current("giro-galoppo").game


def second_version(**changes: Any) -> Game:
    """`giro-galoppo/2`: the first version but for these fields."""
    return dataclasses.replace(ORIGINAL, version=2, **changes)


def with_ruling(command: str, judge: Callable[[Any, Any, Any], str | None]) -> dict[str, Any]:
    """Fields of a game in which one command is judged by one ruling more, `unheard-of`."""
    clause = ruling("unheard-of")(judge)
    text = Ruling("unheard-of", "Something quite new.", "house")
    return {
        "rulings": (*ORIGINAL.rulings, text),
        "commands": tuple(_judged_by(rules, command, clause) for rules in ORIGINAL.commands),
    }


def _judged_by(rules: CommandRules, command: str, clause: Clause) -> CommandRules:
    if rules.command.__struct_config__.tag != command:
        return rules
    return dataclasses.replace(rules, rulings=(*rules.rulings, clause))


def install(monkeypatch: pytest.MonkeyPatch, *games: Game) -> None:
    """Make the audit command know these games, and the original, and no others."""
    known = Catalogue([ORIGINAL, *games])
    monkeypatch.setattr("replay.telling.history.catalogue", lambda: known)
