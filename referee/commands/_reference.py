"""The reference: every setting, kind of problem, command, event and ruling, as a page."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec import Struct

from referee.catalogue import Catalogue
from referee.core.game import Game
from referee.core.ruling import Ruling
from referee.core.table import TABLE, rulings
from referee.core.table.events import MatchCreated, TakenBack
from referee.core.table.folds import TABLE_EVENTS
from referee.http.problems import KINDS
from referee.settings import Settings

_HEAD = """\
# Reference

Every name that programs may meet, made from the code by `make schemas`.
[docs/stability.md](../docs/stability.md) says what of it holds.
"""


def reference(games: Catalogue) -> str:
    """The page, in Markdown."""
    parts = [_settings(), _problems(), _table(), *(_game(rules.game) for rules in games)]
    return "\n".join([_HEAD, *chain.from_iterable(parts)])


def _settings() -> Iterator[str]:
    yield "## Settings\n"
    rows = ((f"`{row.name}`", row.default, row.meaning) for row in Settings().describe())
    yield from _rows(("setting", "default", "meaning"), rows)


def _problems() -> Iterator[str]:
    yield "## Problems\n"
    yield "A refusal's type is instead the path of its ruling, `/v1/games/{game}/rulings/{id}`.\n"
    rows = ((f"`{kind.type}`", str(kind.status), kind.about) for kind in KINDS.values())
    yield from _rows(("type", "status", "when"), rows)


def _table() -> Iterator[str]:
    yield "## The table, in every game\n"
    commands = (of.command for of in TABLE)
    yield from _ruled(commands, (MatchCreated, TakenBack, *TABLE_EVENTS), rulings.RULINGS)


def _game(game: Game) -> Iterator[str]:
    yield f"## {game.ruleset}\n"
    yield from _ruled((of.command for of in game.commands), game.events, game.rulings)


def _ruled(
    commands: Iterable[type[Struct]], events: Iterable[type[Struct]], ruled: Iterable[Ruling]
) -> Iterator[str]:
    yield f"Commands: {_tags(commands)}.\n"
    yield f"Events: {_tags(events)}.\n"
    rows = ((f"`{ruling.id}`", ruling.text, ruling.origin) for ruling in ruled)
    yield from _rows(("ruling", "text", "origin"), rows)


def _tags(kinds: Iterable[type[Struct]]) -> str:
    return ", ".join(f"`{kind.__struct_config__.tag}`" for kind in kinds)


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table, and a blank line below it."""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |"
    yield ""
