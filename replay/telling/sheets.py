"""Tables of texts in their forms: for a terminal, as CSV, as a page."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final, NamedTuple

import click

from referee.core.told.safe import clean
from referee.report.json_values import to_json
from referee.tables import print_table, table_of

FORMULA: Final = ("=", "+", "-", "@")
"""What begins a formula for a spreadsheet."""

_PARTING: Final = re.compile('[",;\t\r\n]')
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem }}
div {{ overflow-x: auto }}
table {{ border-collapse: collapse; margin-bottom: 2rem }}
th, td {{ border-bottom: 1px solid #bbb; padding: .25rem .75rem; text-align: left }}
@media print {{ tr {{ break-inside: avoid }} }}
</style>
<h1>{title}</h1>
{notes}{sheets}</html>
"""


class Sheet(NamedTuple):
    """A table under a heading, with a note on its signs below; its texts are clean already."""

    heading: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def say_sheets(sheets: Iterable[Sheet]) -> None:
    """Print tables for people."""
    for sheet in sheets:
        click.echo(sheet.heading)
        table = table_of(*sheet.columns)
        for row in sheet.rows:
            table.add_row(*row)
        print_table(table)
        if sheet.note:
            click.echo(f"  {sheet.note}\n")


def page_of(title: str, sheets: Iterable[Sheet], notes: Iterable[str] = ()) -> str:
    """Tables as one page that opens with no network; what is to be read first stands above."""
    above = "".join(f"<p>{escape(note)}</p>\n" for note in notes)
    return _PAGE.format(title=escape(title), notes=above, sheets="".join(map(_section, sheets)))


def _section(sheet: Sheet) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in sheet.columns)
    rows = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in sheet.rows]
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    return (
        f"<h2>{escape(sheet.heading)}</h2>\n<div><table>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}</tbody>\n</table></div>\n<p>{escape(sheet.note)}</p>\n"
    )


def csv_of(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows for a spreadsheet; texts that it would take for a formula begin with '."""
    lines = [columns, *(map(_cell, row) for row in rows)]
    return "".join(f"{','.join(map(_quoted, line))}\n" for line in lines)


def _quoted(text: str) -> str:
    """A text in quotes where some spreadsheet would take a part of it for the next cell or row."""
    return '"{}"'.format(text.replace('"', '""')) if _PARTING.search(text) else text


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return to_json(value)
    text = clean(value)
    return f"'{text}" if text.startswith(FORMULA) else text
