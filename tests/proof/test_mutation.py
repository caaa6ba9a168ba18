"""What `make mutate` changes, and what it leaves alone."""

from __future__ import annotations

import ast

import msgspec

from tests.proof.mutation.__main__ import HERE, ROOT, Equivalents
from tests.proof.mutation.operators import mutants

SOURCE = b'''
"""Of a module."""
LIMIT: Final[int] = 3

class Card(Struct, frozen=True):
    """A card."""
    name: Annotated[str, Meta(ge=1)] = "ace"

def fits(card: Card, held: int = 0) -> str | None:
    """Whether it does."""
    if not card.name or held >= LIMIT:
        return f"{held} of {card.name} are too many."
    yield Placed(card)
    return None
'''


def changes() -> dict[str, set[str]]:
    """What becomes of what."""
    found: dict[str, set[str]] = {}
    for mutant in mutants("cards.py", SOURCE):
        found.setdefault(mutant.old, set()).add(mutant.new)
    return found


def test_changes_what_runs() -> None:
    """Comparisons, conditions, numbers, what is returned or yielded, and what a sentence says."""
    found = changes()

    assert found[">="] == {">", "<="}
    assert found["or"] == {"and"}
    assert found["not card.name"] == {"(card.name)"}
    assert found["not card.name or held >= LIMIT"] == {"(not (not card.name or held >= LIMIT))"}
    assert (found["3"], found["0"]) == ({"4"}, {"1"})
    assert found["held"] == found["card.name"] == {"None"}
    assert found["yield Placed(card)"] == {"pass"}


def test_leaves_types_and_documentation_alone() -> None:
    """Nobody could notice there."""
    assert not changes().keys() & {"1", "True", '"ace"', '"""A card."""', "Final[int]"}


def test_every_mutant_is_a_program() -> None:
    """With one thing changed, where it says; and known by its line."""
    for mutant in mutants("cards.py", SOURCE):
        changed = mutant.applied(SOURCE)
        ast.parse(changed)
        assert changed != SOURCE
        assert SOURCE.splitlines()[mutant.number - 1].decode().strip() == mutant.line


def test_lists_as_equivalent_only_what_there_is() -> None:
    """An entry whose line has changed is judged anew."""
    listed = msgspec.toml.decode((HERE / "equivalents.toml").read_bytes(), type=Equivalents)

    for one in listed.equivalent:
        lines = {line.strip() for line in (ROOT / one.file).read_text("utf-8").splitlines()}
        assert one.line in lines, one
        assert one.why
