"""``replay stats``: figures over many matches."""

from __future__ import annotations

import csv
import io
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import click
from msgspec import Struct
from rich.table import Table

from referee.core.told.safe import clean
from referee.tables import print_table
from replay.judging.examine import Played
from replay.judging.matches_that_count import Counted, count, listed_options
from replay.options import as_json, in_jobs, many_sources
from replay.telling.json_values import to_json
from replay.telling.output import say, say_json
from replay.telling.words import length, number, several

FORMULA: Final = ("=", "+", "-", "@")
"""What begins a formula for a spreadsheet."""


class Spread(Struct, frozen=True):
    """The least, the median, the mean and the greatest of some figures."""

    least: float
    median: float
    mean: float
    most: float


class SeatFigures(Struct, frozen=True):
    """How a seat did: wins (shared ones count), mean place and score over what it has of them."""

    seat: int
    wins: int
    mean_place: float | None
    mean_score: float | None


class OptionFigures(Struct, frozen=True):
    """How the matches with one value of an option went; ``wins`` by seat."""

    option: str
    value: Any
    matches: int
    mean_commits: float
    wins: tuple[int, ...]


class Group(Struct, frozen=True):
    """Figures over the matches of one ruleset with one number of seats.

    ``status`` and ``reasons`` count matches; results are those of finished matches.
    ``options`` are those of which these matches have more than one value.
    """

    ruleset: str
    seats: int
    matches: int
    status: dict[str, int]
    reasons: dict[str, int]
    commits: Spread
    seconds: Spread
    by_seat: tuple[SeatFigures, ...]
    options: tuple[OptionFigures, ...]


@click.command()
@many_sources
@click.option("--csv", "as_csv", is_flag=True, help="Print a row a match and seat, as CSV.")
@in_jobs
@as_json
def stats(sources: tuple[str, ...], *, as_csv: bool, jobs: int, as_json: bool) -> None:
    """Figures over many matches: length, time, results by seat and by option.

    Every log is judged first; one that is in dispute or cannot be used is left out, said so on
    standard error, and the status is then that of verify.
    """
    if as_csv and as_json:
        raise click.UsageError("--csv and --json are two forms of the same")
    counted = count(sources, jobs)
    groups = _groups(counted.matches)
    if as_csv:
        click.echo(_csv(counted.matches), nl=False)
    elif as_json:
        say_json({"groups": groups, "left_out": counted.left_out})
    else:
        _say(groups)
    sys.exit(counted.finish())


def _groups(matches: Sequence[Counted]) -> list[Group]:
    keys = sorted({(one.ruleset, len(one.played.seats)) for one in matches})
    return [
        _group(key, [one for one in matches if (one.ruleset, len(one.played.seats)) == key])
        for key in keys
    ]


def _group(key: tuple[str, int], matches: Sequence[Counted]) -> Group:
    ruleset, seats = key
    played = [one.played for one in matches]
    finished = [one.result for one in played if one.result is not None]
    return Group(
        ruleset,
        seats,
        len(matches),
        dict(sorted(Counter(one.status for one in played).items())),
        dict(sorted(Counter(one.reason for one in finished).items())),
        _spread([one.commits for one in matches]),
        _spread([(one.last - one.started) / 1000 for one in played]),
        tuple(_seat_figures(played, seat) for seat in range(seats)),
        tuple(_option_figures(matches, seats)),
    )


def _spread(figures: Sequence[float]) -> Spread:
    mean, median = statistics.fmean(figures), statistics.median(figures)
    return Spread(min(figures), median, mean, max(figures))


def _seat_figures(played: Iterable[Played], seat: int) -> SeatFigures:
    results = [one.result for one in played if one.result is not None]
    rows = [row for result in results for row in result.ranking if row.seat == seat]
    return SeatFigures(
        seat,
        sum(seat in result.winners for result in results),
        _mean([row.place for row in rows if row.place is not None]),
        _mean([row.score for row in rows if row.score is not None]),
    )


def _mean(figures: Sequence[float]) -> float | None:
    return statistics.fmean(figures) if figures else None


def _option_figures(matches: Sequence[Counted], seats: int) -> Iterator[OptionFigures]:
    for option in sorted({key for one in matches for key in one.played.options}):
        by_value: dict[str, list[Counted]] = {}
        for one in matches:
            value = to_json(one.played.options.get(option))
            by_value.setdefault(value, []).append(one)
        if len(by_value) > 1:
            for value in sorted(by_value):
                yield _with_option(option, by_value[value], seats)


def _with_option(option: str, matches: Sequence[Counted], seats: int) -> OptionFigures:
    results = [one.played.result for one in matches]
    return OptionFigures(
        option,
        matches[0].played.options.get(option),
        len(matches),
        statistics.fmean(one.commits for one in matches),
        tuple(sum(bool(one and seat in one.winners) for one in results) for seat in range(seats)),
    )


def _say(groups: Iterable[Group]) -> None:
    for group in groups:
        say(_heading(group))
        print_table(_overview(group))
        print_table(_seats_table(group))
        if group.options:
            print_table(_options_table(group))


def _overview(group: Group) -> Table:
    table = Table("", "least", "median", "mean", "most")
    seconds = group.seconds
    for name, spread, shown in (("commits", group.commits, _short), ("time", seconds, _time)):
        figures = (spread.least, spread.median, spread.mean, spread.most)
        table.add_row(name, *map(shown, figures))
    return table


def _heading(group: Group) -> str:
    seats, matches = several(group.seats, "seat"), several(group.matches, "match", "matches")
    return f"{clean(group.ruleset)}, {seats}, {matches}: {_endings(group)}"


def _endings(group: Group) -> str:
    counts = [*group.status.items(), *group.reasons.items()]
    return ", ".join(f"{count} {what}" for what, count in counts)


def _short(figure: float | None) -> str:
    return "–" if figure is None else number(round(figure, 2))


def _time(seconds: float) -> str:
    return length(round(seconds * 1000))


def _seats_table(group: Group) -> Table:
    table = Table("seat", "won", "share", "mean place", "mean score")
    finished = sum(group.reasons.values())
    for row in group.by_seat:
        share = "–" if not finished else f"{row.wins / finished:.1%}"
        figures = (_short(row.mean_place), _short(row.mean_score))
        table.add_row(str(row.seat), str(row.wins), share, *figures)
    return table


def _options_table(group: Group) -> Table:
    table = Table("option", "value", "matches", "mean commits", "won by seat")
    for row in group.options:
        wins = " ".join(map(str, row.wins))
        value = to_json(row.value)
        table.add_row(row.option, value, str(row.matches), _short(row.mean_commits), wins)
    return table


def _csv(matches: Sequence[Counted]) -> str:
    """A row a match and seat; texts that a spreadsheet would take for a formula begin with '."""
    options = listed_options(matches)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_COLUMNS, *(f"option.{option}" for option in options)])
    for one in matches:
        for seat in range(len(one.played.seats)):
            values = [one.played.options.get(option) for option in options]
            writer.writerow([*_row(one, seat), *map(_cell, values)])
    return out.getvalue()


_COLUMNS: Final = (
    "source", "match", "ruleset", "tournament", "table", "status", "reason", "certified",
    "commits", "started", "seconds", "seat", "name", "place", "score", "won",
)  # fmt: skip


def _row(one: Counted, seat: int) -> list[Any]:
    played, result = one.played, one.played.result
    row = next((row for row in result.ranking if row.seat == seat), None) if result else None
    texts = (one.source, one.match, one.ruleset, played.tournament, played.table, played.status)
    return [
        *map(_safe, texts),
        result.reason if result else "",
        _cell(result.certified if result else None),
        one.commits,
        played.started,
        number((played.last - played.started) / 1000),
        seat,
        _safe(played.seats[seat]),
        _cell(row.place if row else None),
        _cell(row.score if row else None),
        _cell(seat in result.winners if result else None),
    ]


def _safe(text: str | None) -> str:
    text = clean(text or "")
    return f"'{text}" if text.startswith(FORMULA) else text


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return _safe(value) if isinstance(value, str) else to_json(value)
