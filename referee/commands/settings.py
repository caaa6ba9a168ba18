"""`referee settings`: what the service can be told, and what it is told now."""

import os

import click
import msgspec
from rich.table import Column, Table

from referee.settings import Settings, SettingsError, unknown_names
from referee.tables import print_table


@click.command("settings")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, as_json: bool) -> None:
    """List the settings, all environment variables, and their values; secrets are masked."""
    try:
        rows = Settings.from_environment(os.environ).describe()
    except SettingsError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
    else:
        # Sentences go on below; a value stays whole, on the line of its name.
        wrapped = Column("default", max_width=24), Column("meaning", max_width=56)
        table = Table("name", "value", *wrapped)
        for row in rows:
            table.add_row(row.name, row.value, row.default, row.meaning)
        print_table(table)
    for name in unknown_names(os.environ):
        click.echo(f"{name} is no setting of this service", err=True)
