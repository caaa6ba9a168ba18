"""The catalogue: every game found, with each version of its rules.

A game is a folder under `referee/games` whose package holds `GAME`, or an installed entry
point of the group `referee.games` that loads one. A folder whose rules have older versions
holds them in `OLDER`: matches begun under them are judged by them for ever.
"""

import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Final

from msgspec import Struct

from referee import games as folders
from referee.core.game import Game
from referee.core.rules import Rules

ENTRY_POINTS: Final = "referee.games"


class Players(Struct, frozen=True):
    """How many can play a game: the fewest, the most, and every number that it takes."""

    min: int
    max: int
    counts: tuple[int, ...]


class GameRow(Struct, frozen=True):
    """A game in the catalogue; `rulesets` oldest first, matches begin under the last."""

    id: str
    title: str
    about: str
    players: Players
    rulesets: tuple[str, ...]


class UnknownGame(LookupError):
    """No game, or no ruleset, of that name: `name`."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no game or ruleset {name!r} is known here")
        self.name: Final = name


class Catalogue:
    """Games by id, and rules by ruleset name.

    Args:
        found: games in any order; of several versions of one game the highest is the current one,
            under which new matches are created.

    Raises:
        ValueError: one ruleset is found twice.
    """

    def __init__(self, found: Iterable[Game]) -> None:
        self._rules: dict[str, Rules] = {}
        self._current: dict[str, Rules] = {}
        for game in sorted(found, key=lambda game: (game.id, game.version)):
            if game.ruleset in self._rules:
                raise ValueError(f"the ruleset {game.ruleset} is found twice")
            self._current[game.id] = self._rules[game.ruleset] = Rules(game)

    def __iter__(self) -> Iterator[Rules]:
        """The current rules of every game, by id."""
        return iter(self._current.values())

    def current(self, game: str) -> Rules:
        """The rules under which a new match of `game` is played.

        Raises:
            UnknownGame: there is no such game here.
        """
        if game not in self._current:
            raise UnknownGame(game)
        return self._current[game]

    def rules(self, ruleset: str) -> Rules:
        """The rules named `dragon-dance/1` and the like.

        Raises:
            UnknownGame: there are no such rules here.
        """
        if ruleset not in self._rules:
            raise UnknownGame(ruleset)
        return self._rules[ruleset]

    def rulesets(self, game: str) -> tuple[str, ...]:
        """The names of all rulesets of `game`, oldest first."""
        return tuple(name for name, rules in self._rules.items() if rules.game.id == game)

    def rows(self) -> list[GameRow]:
        """A row for each game, by id."""
        return [self.row(rules) for rules in self]

    def row(self, rules: Rules) -> GameRow:
        """What the catalogue says of a game."""
        game, counts = rules.game, tuple(rules.game.players)
        players = Players(counts[0], counts[-1], counts)
        return GameRow(game.id, game.title, game.about, players, self.rulesets(game.id))


@cache
def catalogue() -> Catalogue:
    """Every game that is installed here."""
    installed = (point.load() for point in entry_points(group=ENTRY_POINTS))
    return Catalogue([*_in_folders(), *installed])


def _in_folders() -> Iterator[Game]:
    for folder in pkgutil.iter_modules(folders.__path__):
        if folder.ispkg:
            package = import_module(f"{folders.__name__}.{folder.name}")
            game = getattr(package, "GAME", None)
            if not isinstance(game, Game):
                raise ImportError(f"{package.__name__} holds no GAME = Game(…)")
            yield game
            yield from getattr(package, "OLDER", ())
