"""Rulings: their texts are read strictly, their functions judge in order."""

from __future__ import annotations

import pytest

from referee.core.ruling import Ruling, first_broken, parse_rulings, ruling
from referee.core.table import TABLE, rulings


def test_a_book_is_read_in_its_order() -> None:
    """Rulings come out as they stand in the text."""
    book = """
        [[ruling]]
        id = "b"
        text = "Second letter."
        origin = "house"
        [[ruling]]
        id = "a"
        text = "First letter."
        origin = "Alphabet"
    """
    assert parse_rulings(book) == (
        Ruling("b", "Second letter.", "house"),
        Ruling("a", "First letter.", "Alphabet"),
    )


@pytest.mark.parametrize(
    "book",
    [
        "[[ruling]]\nid = 'a'\ntext = 'One.'\n",
        "[[ruling]]\nid = 'a'\ntext = 'One.'\norigin = 'house'\nauthor = 'me'\n",
        "[[ruling]]\nid = 1\ntext = 'One.'\norigin = 'house'\n",
        "[[rule]]\nid = 'a'\ntext = 'One.'\norigin = 'house'\n",
        "[[ruling]]\nid = 'a\n",
        "[[ruling]]\nid='a'\ntext='A.'\norigin='x'\n[[ruling]]\nid='a'\ntext='B.'\norigin='x'\n",
    ],
    ids=["a field missing", "a field too many", "a number", "another table", "no TOML", "twice"],
)
def test_a_book_with_a_mistake_is_refused(book: str) -> None:
    """Nothing is read over: a slip in a rulings.toml shows at the start."""
    with pytest.raises(ValueError, match=r".+"):
        parse_rulings(book)


@ruling("even")
def _even(_state: object, _by: object, command: int) -> str | None:
    return f"{command} is odd." if command % 2 else None


@ruling("small")
def _small(_state: object, _by: object, command: int) -> str | None:
    return f"{command} is large." if command > 10 else None


@pytest.mark.parametrize(
    ("command", "broken"),
    [(4, None), (5, "even: 5 is odd."), (12, "small: 12 is large."), (13, "even: 13 is odd.")],
)
def test_the_first_broken_ruling_in_order_is_the_refusal(command: int, broken: str | None) -> None:
    """Where several are broken the refusal names the first; where none is, there is none."""
    refusal = first_broken((_even, _small), None, None, command)
    assert (refusal and str(refusal)) == broken


def test_every_ruling_that_the_table_applies_has_a_text() -> None:
    """The ids of the table's clauses all stand in its rulings.toml."""
    texts = {one.id for one in rulings.RULINGS}
    assert {clause.id for rules in TABLE for clause in rules.rulings} <= texts


def test_the_tables_rulings_say_that_they_are_the_tables() -> None:
    """Their origin is `table`, and each text is a sentence."""
    for one in rulings.RULINGS:
        assert one.origin == "table"
        assert one.text.endswith(".")
