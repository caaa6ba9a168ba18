"""Tables for people: on a terminal as wide as it is, in a file or a pipe as wide as they are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from rich.table import Table

_UNLIMITED: Final = 1000
"""Columns where no terminal limits them: more than any table needs."""


def table_of(*heads: str) -> Table:
    """A table without rows."""
    from rich.table import Table  # noqa: PLC0415 - heavy, and not for `--help`

    return Table(*heads)


def print_table(table: Table) -> None:
    """Print a table to standard output; what does not fit into a cell goes on below, uncut."""
    from rich.box import SIMPLE  # noqa: PLC0415 - as above
    from rich.console import Console  # noqa: PLC0415

    table.box = SIMPLE
    for column in table.columns:
        column.overflow = "fold"
    width = None if sys.stdout.isatty() else _UNLIMITED
    console = Console(width=width, markup=False, highlight=False, emoji=False)
    with console.capture() as drawn:
        console.print(table)
    for line in drawn.get().splitlines():
        click.echo(line.rstrip())
