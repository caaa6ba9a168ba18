"""Rulings of every game: each that code applies has a text, each text an id of its own."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from referee.core.rules import Rules
from referee.core.ruling import Clause
from referee.core.table.rulings import RULINGS

ADMISSION = {"not-seated", "match-over", "match-paused", "withdrawn", "out-of-turn", "wrong-phase"}
IN_CODE = re.compile(r"""(?:\bruling|\bRefusal)\(\s*["']([^"']+)["']""")


def clauses(rules: Rules) -> list[Clause]:
    """Every ruling function of the game."""
    return [
        *(clause for of in rules.game.commands for clause in of.rulings),
        *rules.game.admission.values(),
    ]


def package(rules: Rules) -> Path:
    """The folder that holds the game."""
    return Path(inspect.getfile(rules.game.state)).parent


def test_every_ruling_that_judges_has_a_text(rules: Rules) -> None:
    """Whatever can refuse can be looked up."""
    assert {clause.id for clause in clauses(rules)} <= set(rules.rulings)


def test_every_ruling_named_in_the_code_has_a_text(rules: Rules) -> None:
    """Also one that nothing applies yet."""
    named = {
        found
        for path in package(rules).rglob("*.py")
        for found in IN_CODE.findall(path.read_text("utf-8"))
    }
    assert named <= set(rules.rulings)


def test_ids_are_unique_and_well_formed(rules: Rules) -> None:
    """Small letters, digits and dashes; none is one of the table's."""
    ids = [one.id for one in rules.game.rulings]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one) for one in ids)
    assert not set(ids) & {one.id for one in RULINGS}


def test_every_text_is_a_sentence_with_an_origin(rules: Rules) -> None:
    """Nothing is empty."""
    for one in rules.game.rulings:
        assert len(one.text) > 10
        assert one.text.endswith(".") or one.text.endswith(")"), one
        assert one.origin.strip() == one.origin != ""


def test_a_text_says_house_where_its_origin_does(rules: Rules) -> None:
    """What the rulebook is silent on, or can be read two ways: and nowhere else."""
    for one in rules.game.rulings:
        assert ("house" in one.text.lower()) == ("house" in one.origin), one


def test_admission_replaces_only_what_the_table_admits_by(rules: Rules) -> None:
    """A game that judges admission itself does so under the table's ids."""
    for ruling, clause in rules.game.admission.items():
        assert ruling in ADMISSION
        assert clause.id == ruling


def test_every_ruling_function_says_what_it_rules(rules: Rules) -> None:
    """In its docstring."""
    for clause in clauses(rules):
        assert clause.__doc__
        assert clause.__doc__.strip()
