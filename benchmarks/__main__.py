"""`make bench`: all measurements in one run; `python -m benchmarks http live` some of them.

`--short` takes less than two minutes for commands, readers and long matches together; `--json`
prints everything as one JSON object; `--long` draws the pages of matches of 2,500 commits.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any, Final

from rich.table import Table

from benchmarks import commands, flags, live, long, pure, report, stored
from benchmarks.servers import pin_driver, surroundings
from referee.catalogue import catalogue
from referee.tables import print_table


def rules() -> Table:
    """Every game's rules and logs, beside decoding alone."""
    table = Table(title="Rules and logs, one core (x: how many times slower than decoding alone)")
    for head in (
        "game",
        "decoded/s",
        "folded/s",
        "verified/s",
        "judged + folded, µs",
        "self-play, matches/s",
        "commits a match",
        "usual legal list, ms",
        "longest, ms",
        "resident, KiB",
        "log, KiB",
    ):
        table.add_column(head, justify="left" if head == "game" else "right")
    for one in catalogue():
        for seats in (one.game.players[0], one.game.players[-1]):
            table.add_row(*_row(pure.measure(one, seats)))
    return table


def _row(speed: pure.Speed) -> tuple[str, ...]:
    return (
        speed.game,
        f"{speed.decoded:,.0f}",
        f"{speed.folded:,.0f} ({speed.decoded / speed.folded:.1f}x)",
        f"{speed.verified:,.0f} ({speed.decoded / speed.verified:.1f}x)",
        f"{1e6 / speed.decided:.1f}",
        f"{speed.matches:,.0f}",
        f"{speed.commits:.0f}",
        f"{speed.usual_legal} in {speed.usual_ms:.2f}",
        f"{speed.longest_legal} in {speed.legal_ms:.2f}",
        f"{speed.resident_kib:.1f}",
        f"{speed.log_kib:.1f}",
    )


SHORT: Final[dict[str, Callable[..., list[Table]]]] = {
    "http": commands.main,
    "live": live.main,
    "long": long.main,
}
"""Commands over HTTP, readers, long matches: what `--short` measures, less often."""
PARTS: Final[dict[str, Callable[..., list[Table]]]] = {
    "rules": lambda: [rules()],
    "store": lambda: [stored.main()],
    **SHORT,
    "report": report.main,
    "flags": lambda: [flags.main()],
}
_OPTIONS: Final = {"--short", "--long", "--json"}


def main(words: list[str]) -> None:
    """Measure the parts named, or all of them; a name that is none ends the command."""
    options, names = _OPTIONS & set(words), [word for word in words if word not in _OPTIONS]
    parts = SHORT if "--short" in options else PARTS
    if not parts.keys() >= set(names):
        sys.exit(f"usage: python -m benchmarks [--short] [--long] [--json] [{' | '.join(parts)}]…")
    pin_driver()
    made = (table for name in names or parts for table in parts[name](**_how(name, options)))
    _tell(made, "--json" in options)


def _how(name: str, options: set[str]) -> dict[str, bool]:
    """How a part is measured: at length, in short, or as usual."""
    if "--short" in options:
        return {"short": True}
    return {"long": True} if name == "report" and "--long" in options else {}


def _tell(tables: Iterable[Table], as_json: bool) -> None:  # noqa: FBT001
    if as_json:
        print(json.dumps({"of": surroundings(), "tables": [*map(_plain, tables)]}, indent=1))
        return
    print(surroundings())
    for table in tables:
        print_table(table)


def _plain(table: Table) -> dict[str, Any]:
    """A table as plain values: its title, and each row's figures by the column's heading.

    Raises:
        ValueError: two columns have one heading, and one's figures would be lost.
    """
    heads = [str(column.header) for column in table.columns]
    if len(set(heads)) < len(heads):
        raise ValueError(f"two headings are alike: {heads}")
    rows = zip(*(column.cells for column in table.columns), strict=True)
    return {
        "title": str(table.title),
        "rows": [dict(zip(heads, map(_figure, row), strict=True)) for row in rows],
    }


def _figure(cell: Any) -> float | str:
    """A cell as the number that it shows, or else as its text."""
    try:
        return float(str(cell).replace(",", ""))
    except ValueError:
        return str(cell)


if __name__ == "__main__":
    main(sys.argv[1:])
