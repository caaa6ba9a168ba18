"""Rulings: the numbered clauses of a ruleset, and the refusals that name them.

A ruling that can refuse is a function from a state, who asks, and the command to a
sentence (what was wrong) or None (satisfied). The same functions judge a command, list
what is legal and explain a decision: legality has no second source.
"""

import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import Any, Final, Protocol

from msgspec import Struct, convert


class Ruling(Struct, frozen=True, forbid_unknown_fields=True):
    """One numbered clause: its id, its text in our own words, and where it comes from.

    `origin` is a section of the game's rulebook, `"house"`, or both; table rulings, which
    every game has, say `"table"`.
    """

    id: str
    text: str
    origin: str


class _Book(Struct, frozen=True, forbid_unknown_fields=True):
    ruling: tuple[Ruling, ...]


def parse_rulings(toml: str) -> tuple[Ruling, ...]:
    """Read the text of a `rulings.toml`: an array of `[[ruling]]` tables, in page order.

    Raises:
        ValueError: malformed text (`msgspec.ValidationError` is one), or an id that stands twice.
    """
    rulings = convert(tomllib.loads(toml), _Book).ruling
    if len({one.id for one in rulings}) != len(rulings):
        raise ValueError("a ruling's id stands twice")
    return rulings


def rulings_of(package: str) -> tuple[Ruling, ...]:
    """The rulings in the `rulings.toml` of a package, by its name; raises as `parse_rulings`."""
    return parse_rulings(files(package).joinpath("rulings.toml").read_text("utf-8"))


class Refusal(Exception):
    """A command breaks a ruling: `ruling` is its id, `detail` one sentence about this command.

    The detail uses nothing that the asking seat may not know.
    """

    def __init__(self, ruling: str, detail: str) -> None:
        super().__init__(f"{ruling}: {detail}")
        self.ruling: Final = ruling
        self.detail: Final = detail


class Clause(Protocol):
    """A ruling that can refuse: called with (state, by, command), says what is wrong or None."""

    id: str

    def __call__(self, state: Any, by: Any, command: Any, /) -> str | None:
        """Judge `command` of `by` in `state`; None means that the ruling is satisfied."""
        ...


def ruling(clause_id: str) -> Callable[[Callable[[Any, Any, Any], str | None]], Clause]:
    """Register a function as the ruling `clause_id`.

    >>> @ruling("not-thirteen")
    ... def lucky(state, by, command):
    ...     return "Thirteen is not played." if command == 13 else None
    >>> lucky.id, lucky(None, None, 13), lucky(None, None, 12)
    ('not-thirteen', 'Thirteen is not played.', None)
    """

    def register(judge: Callable[[Any, Any, Any], str | None]) -> Clause:
        judge.id = clause_id  # type: ignore[attr-defined]
        return judge  # type: ignore[return-value]

    return register


def first_broken(
    clauses: tuple[Clause, ...], state: object, by: object, command: object
) -> Refusal | None:
    """The refusal by the first clause, in order, that the command breaks, or None."""
    for clause in clauses:
        detail = clause(state, by, command)
        if detail is not None:
            return Refusal(clause.id, detail)
    return None
