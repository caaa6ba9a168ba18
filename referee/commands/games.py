"""`referee games`: what can be played here."""

from __future__ import annotations

import click
import msgspec
from msgspec import Struct
from rich.table import Table

from referee.catalogue import Catalogue, catalogue
from referee.core.game import Game, in_words
from referee.core.rules import Rules
from referee.tables import print_table


class Players(Struct, frozen=True):
    """How many can play a game: the fewest, the most, and every number that it takes."""

    min: int
    max: int
    counts: tuple[int, ...]


def players_of(game: Game) -> Players:
    """How many can play that game."""
    return Players(game.players[0], game.players[-1], tuple(game.players))


class GameRow(Struct, frozen=True):
    """A game as `GET /v1/games` lists it."""

    id: str
    title: str
    about: str
    players: Players
    rulesets: tuple[str, ...]


def game_rows(games: Catalogue) -> list[GameRow]:
    """A row for each game of the catalogue, by id."""
    return [_row(rules, games.rulesets(rules.game.id)) for rules in games]


def _row(rules: Rules, rulesets: tuple[str, ...]) -> GameRow:
    game = rules.game
    return GameRow(game.id, game.title, game.about, players_of(game), rulesets)


@click.command("games")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, as_json: bool) -> None:
    """List the games that can be played here."""
    rows = game_rows(catalogue())
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
        return
    table = Table("game", "players", "rulesets", "title")
    for row in rows:
        players = in_words(row.players.counts)
        table.add_row(row.id, players, ", ".join(row.rulesets), f"{row.title}. {row.about}")
    print_table(table)
