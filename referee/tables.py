"""Tables for people: on a terminal as wide as it is, in a file or a pipe as wide as they are."""

import sys
from typing import Final

import click
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

_UNLIMITED: Final = 1000
"""Columns where no terminal limits them: more than any table needs."""


def print_table(table: Table) -> None:
    """Print a table to standard output; what does not fit into a cell goes on below, uncut."""
    table.box = SIMPLE
    for column in table.columns:
        column.overflow = "fold"
    width = None if sys.stdout.isatty() else _UNLIMITED
    console = Console(width=width, markup=False, highlight=False, emoji=False)
    with console.capture() as drawn:
        console.print(table)
    for line in drawn.get().splitlines():
        click.echo(line.rstrip())
