"""`referee games`: what can be played here."""

import click
import msgspec
from rich.table import Table

from referee.catalogue import catalogue
from referee.core.game import in_words
from referee.tables import print_table


@click.command("games")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, as_json: bool) -> None:
    """List the games that can be played here."""
    rows = catalogue().rows()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
        return
    table = Table("game", "players", "rulesets", "title")
    for row in rows:
        players = in_words(row.players.counts)
        table.add_row(row.id, players, ", ".join(row.rulesets), f"{row.title}. {row.about}")
    print_table(table)
