"""Tables for people: on a terminal as wide as it is, in a file or a pipe as wide as they are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from referee.core.told.safe import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

_UNLIMITED: Final = 1000
"""Columns where no terminal limits them: more than any table needs."""
_BETWEEN: Final = 2
"""Columns of a terminal between those of a narrow table."""


def table_of(*heads: str) -> Table:
    """A table without rows."""
    from rich.table import Table  # noqa: PLC0415 - heavy, and not for `--help`

    return Table(*heads)


def print_table(table: Table) -> None:
    """Print a table to standard output; what does not fit into a cell goes on below, uncut.

    Where a terminal is too narrow for the longest words beside each other, rows become lists.
    """
    from rich.box import SIMPLE  # noqa: PLC0415 - as above
    from rich.console import Console  # noqa: PLC0415

    table.box = SIMPLE
    for column in table.columns:
        column.overflow = "fold"
    width = None if sys.stdout.isatty() else _UNLIMITED
    console = Console(width=width, markup=False, highlight=False, emoji=False)
    words = [_longest_word(one) for one in _texts(table)]
    fits = sum(words) + _BETWEEN * (len(words) + 1) <= console.width
    if not fits and max(words) <= console.width:
        _list_rows(table, console.width)
        return
    natural = table.__rich_measure__(console, console.options.update(max_width=_UNLIMITED))
    if fits and natural.maximum > console.width:
        _narrow(table)
    with console.capture() as drawn:
        console.print(table)
    for line in drawn.get().splitlines():
        click.echo(line.rstrip())


def _texts(table: Table) -> list[list[str]]:
    """What stands in each column, its head first."""
    return [[str(column.header), *map(str, column.cells)] for column in table.columns]


def _longest_word(texts: Sequence[str]) -> int:
    return max((columns(word) for text in texts for word in text.split()), default=0)


def _narrow(table: Table) -> None:
    """Save room between the columns; a column of single words keeps its width."""
    table.padding, table.pad_edge = (0, 0), False
    for column, texts in zip(table.columns, _texts(table), strict=True):
        column.no_wrap = not any(" " in text for text in texts)


def _list_rows(table: Table, width: int) -> None:
    """Each row in lines: every cell behind the head of its column."""
    if table.title:
        click.echo(str(table.title))
    heads, *rows = zip(*_texts(table), strict=True)
    for row in rows:
        cells = (f"{head} {cell}".strip() for head, cell in zip(heads, row, strict=True) if cell)
        text = click.wrap_text(", ".join(cells), width, "  ", "    ")
        click.echo(text)
    click.echo()
