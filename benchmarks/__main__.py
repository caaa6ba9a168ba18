"""`make bench`: all measurements in one run; `python -m benchmarks rules http` some of them."""

from __future__ import annotations

import sys

from rich.table import Table

from benchmarks import commands, flags, live, long, pure, report, stored
from referee.catalogue import catalogue
from referee.tables import print_table


def rules() -> None:
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
    print_table(table)


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


def http() -> None:
    """Commands over HTTP, beside what the framework does without judging."""
    print_table(commands.main())


def store() -> None:
    """What a finished match takes in Redis."""
    print_table(stored.main())


def fallen() -> None:
    """Many flags that fall in one second."""
    print_table(flags.main())


def length() -> None:
    """What is done with long matches, beside short ones."""
    print_table(long.main())


def pages() -> None:
    """The page of `replay report`, of long matches."""
    print_table(report.main())


PARTS = {
    "rules": rules,
    "store": store,
    "http": http,
    "live": live.main,
    "long": length,
    "report": pages,
    "flags": fallen,
}


def main(names: list[str]) -> None:
    """Measure the parts named, or all of them; a name that is none ends the command."""
    if not PARTS.keys() >= set(names):
        sys.exit(f"usage: python -m benchmarks [{' | '.join(PARTS)}]…")
    for name in names or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
