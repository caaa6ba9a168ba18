"""The routes of the catalogue: games, their schemas, and rulings."""

from typing import Annotated, Any, Final

from litestar import Router, get
from litestar.di import NamedDependency
from litestar.params import PathParameter
from msgspec import Struct
from msgspec.structs import asdict

from referee.catalogue import Catalogue, GameRow, UnknownGame
from referee.core.rules import Rules
from referee.http.context import Site
from referee.http.openapi import problems
from referee.schemas import game_schemas
from referee.service.answers import Ruled, ruled
from referee.service.errors import UnknownThing
from referee.slicing import aside

GameId = Annotated[
    str, PathParameter(min_length=1, description="The game's id, such as `giro-galoppo`.")
]


class Games(Struct, frozen=True):
    """The catalogue."""

    games: list[GameRow]


class GamePage(GameRow, frozen=True):
    """A game with the JSON Schemas of what is sent and shown, and its rulings."""

    schemas: dict[str, Any]
    rulings: list[Ruled]


def _rules(games: Catalogue, game: str) -> Rules:
    try:
        return games.current(game)
    except UnknownGame:
        raise UnknownThing(f"There is no game {game!r}.") from None


@get("/v1/games")
async def list_games(site: NamedDependency[Site]) -> Games:
    """The catalogue of games."""
    return Games(site.service.catalogue.rows())


@get("/v1/games/{game:str}", responses=problems(404))
async def get_game(site: NamedDependency[Site], game: GameId) -> GamePage:
    """A game: the JSON Schemas of its options, commands, events and state; its rulings."""
    rules = _rules(site.service.catalogue, game)
    row = site.service.catalogue.row(rules)
    rulings = [ruled(rules, ruling) for ruling in rules.rulings]
    schemas = await aside(game_schemas, rules)
    return GamePage(**asdict(row), schemas=schemas, rulings=rulings)


@get("/v1/games/{game:str}/rulings/{ruling:str}", responses=problems(404))
async def get_ruling(
    site: NamedDependency[Site],
    game: GameId,
    ruling: Annotated[str, PathParameter(min_length=1, description="The ruling's id.")],
) -> Ruled:
    """One ruling: a numbered clause of a game's ruleset, or of the table's."""
    rules = _rules(site.service.catalogue, game)
    if ruling not in rules.rulings:
        raise UnknownThing(f"The game {game} has no ruling {ruling!r}.")
    return ruled(rules, ruling)


ROUTES: Final = Router("/", route_handlers=[list_games, get_game, get_ruling], tags=["games"])
