"""The routes of the catalogue: games, their schemas, and rulings."""

from __future__ import annotations

from typing import Any

from litestar import get
from litestar.params import FromPath
from msgspec import Struct

from referee.catalogue import Catalogue, UnknownGame
from referee.core.game import Game
from referee.core.rules import Rules
from referee.http.context import AnyRequest, site_of
from referee.http.responses import Answer, answer
from referee.schemas import game_schemas
from referee.service.answers import Ruled, ruled
from referee.service.errors import UnknownThing


class Players(Struct, frozen=True):
    """How many can play a game: the fewest, the most, and every number that it takes."""

    min: int
    max: int
    counts: tuple[int, ...]


def players_of(game: Game) -> Players:
    """How many can play that game."""
    return Players(game.players[0], game.players[-1], tuple(game.players))


class GameRow(Struct, frozen=True):
    """A game in the catalogue; ``rulesets`` oldest first, matches begin under the last."""

    id: str
    title: str
    about: str
    players: Players
    rulesets: tuple[str, ...]


class Games(Struct, frozen=True):
    """The catalogue."""

    games: list[GameRow]


class GamePage(Struct, frozen=True):
    """A game with the JSON Schemas of what is sent and shown, and its rulings."""

    id: str
    title: str
    about: str
    players: Players
    rulesets: tuple[str, ...]
    schemas: dict[str, Any]
    rulings: list[Ruled]


def _row(games: Catalogue, rules: Rules) -> GameRow:
    game = rules.game
    rulesets = games.rulesets(game.id)
    return GameRow(game.id, game.title, game.about, players_of(game), rulesets)


def _rules(request: AnyRequest, game: str) -> Rules:
    try:
        return site_of(request).service.catalogue.current(game)
    except UnknownGame:
        raise UnknownThing(f"There is no game {game!r}.") from None


@get("/v1/games")
async def games(request: AnyRequest) -> Answer:
    """The catalogue."""
    found = site_of(request).service.catalogue
    return answer(request, Games([_row(found, rules) for rules in found]))


@get("/v1/games/{game:str}")
async def game_page(request: AnyRequest, game: FromPath[str]) -> Answer:
    """One game, with its schemas and rulings."""
    rules = _rules(request, game)
    row = _row(site_of(request).service.catalogue, rules)
    page = GamePage(
        id=row.id,
        title=row.title,
        about=row.about,
        players=row.players,
        rulesets=row.rulesets,
        schemas=game_schemas(rules),
        rulings=[ruled(rules, one) for one in rules.rulings],
    )
    return answer(request, page)


@get("/v1/games/{game:str}/rulings/{ruling:str}")
async def ruling_page(request: AnyRequest, game: FromPath[str], ruling: FromPath[str]) -> Answer:
    """One ruling of a game, or of the table."""
    rules = _rules(request, game)
    if ruling not in rules.rulings:
        raise UnknownThing(f"The game {game} has no ruling {ruling!r}.")
    return answer(request, ruled(rules, ruling))


ROUTES = [games, game_page, ruling_page]
