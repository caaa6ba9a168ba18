"""`replay stats`: figures over many matches."""

from __future__ import annotations

import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import click
from msgspec import Struct
from msgspec.structs import astuple

from referee.core.match import Result
from referee.core.told.safe import clean
from referee.core.told.words import count_of
from referee.report.json_values import to_json
from referee.report.words import length, number
from referee.tables import print_table, table_of
from replay.judging.examine import Played
from replay.judging.matches_that_count import count
from replay.judging.ranking import place_of
from replay.options import as_json, in_jobs, many_sources, trusted_keys
from replay.telling.output import say_json
from replay.telling.sheets import csv_of

if TYPE_CHECKING:
    from rich.table import Table


class Spread(Struct, frozen=True):
    """The least, the median, the mean and the greatest of some figures."""

    least: float
    median: float
    mean: float
    most: float


class SeatFigures(Struct, frozen=True):
    """How a seat did: wins (shared ones count), mean place, mean score over what it has of them.

    Without a place, as of a game that names the winner alone, it counts as the last.
    """

    seat: int
    wins: int
    mean_place: float | None
    mean_score: float | None


class OptionFigures(Struct, frozen=True):
    """How the matches with one value of an option went; `wins` by seat."""

    option: str
    value: Any
    matches: int
    mean_commits: float
    wins: tuple[int, ...]


class Group(Struct, frozen=True):
    """Figures over the matches of one ruleset with one number of seats.

    `status` and `reasons` count matches; results are those of finished matches.
    `options` are those of which these matches have more than one value.
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
@trusted_keys
@in_jobs
@as_json
def stats(
    sources: tuple[str, ...],
    *,
    as_csv: bool,
    keys: tuple[str, ...] | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Figures over many matches: length, time, results by seat and by option.

    Every log is judged first; one that is in dispute or cannot be used is left out, said so on
    standard error, and the status is then that of verify.
    """
    if as_csv and as_json:
        raise click.UsageError("--csv and --json are two forms of the same")
    counted = count(sources, jobs, keys)
    groups = _groups(counted.matches)
    if as_csv:
        click.echo(_csv(counted.matches), nl=False)
    elif as_json:
        say_json({"groups": groups, "verdicts": counted.verdicts, "left_out": counted.left_out})
    else:
        _say(groups)
    sys.exit(counted.finish())


def _groups(matches: Sequence[Played]) -> list[Group]:
    grouped = defaultdict[tuple[str, int], list[Played]](list)
    for match in matches:
        grouped[match.ruleset, len(match.seats)].append(match)
    return [_group(*key, grouped[key]) for key in sorted(grouped)]


def _group(ruleset: str, seats: int, matches: Sequence[Played]) -> Group:
    results = _results(matches)
    return Group(
        ruleset,
        seats,
        len(matches),
        dict(sorted(Counter(match.status for match in matches).items())),
        dict(sorted(Counter(result.reason for result in results).items())),
        _spread([match.commits for match in matches]),
        _spread([(match.last - match.started) / 1000 for match in matches]),
        tuple(_seat_figures(results, seat) for seat in range(seats)),
        tuple(_option_figures(matches, seats)),
    )


def _results(matches: Sequence[Played]) -> list[Result]:
    return [match.result for match in matches if match.result is not None]


def _spread(figures: Sequence[float]) -> Spread:
    mean, median = statistics.fmean(figures), statistics.median(figures)
    return Spread(min(figures), median, mean, max(figures))


def _seat_figures(results: Sequence[Result], seat: int) -> SeatFigures:
    rows = [(row, result) for result in results for row in result.ranking if row.seat == seat]
    return SeatFigures(
        seat,
        sum(seat in result.winners for result in results),
        _mean([place_of(row, result.ranking) for row, result in rows]),
        _mean([row.score for row, _ in rows if row.score is not None]),
    )


def _mean(figures: Sequence[float]) -> float | None:
    return statistics.fmean(figures) if figures else None


def _option_figures(matches: Sequence[Played], seats: int) -> Iterator[OptionFigures]:
    for option in sorted(_options_of(matches)):
        by_value = defaultdict[str, list[Played]](list)
        for match in matches:
            by_value[to_json(match.options.get(option))].append(match)
        if len(by_value) > 1:
            for value in sorted(by_value):
                yield _with_option(option, by_value[value], seats)


def _with_option(option: str, matches: Sequence[Played], seats: int) -> OptionFigures:
    results = _results(matches)
    return OptionFigures(
        option,
        matches[0].options.get(option),
        len(matches),
        statistics.fmean(match.commits for match in matches),
        tuple(sum(seat in result.winners for result in results) for seat in range(seats)),
    )


def _options_of(matches: Sequence[Played]) -> list[str]:
    """The names of all options that these matches have, in their first order."""
    return list(dict.fromkeys(option for match in matches for option in match.options))


def _say(groups: Iterable[Group]) -> None:
    for group in groups:
        click.echo(_heading(group))
        print_table(_overview(group))
        print_table(_seats_table(group))
        if group.options:
            print_table(_options_table(group))


def _overview(group: Group) -> Table:
    table = table_of("", "least", "median", "mean", "most")
    table.add_row("commits", *map(_short, astuple(group.commits)))
    table.add_row("time", *map(_time, astuple(group.seconds)))
    return table


def _heading(group: Group) -> str:
    seats, matches = count_of(group.seats, "seat"), count_of(group.matches, "match", "matches")
    counts = [*group.status.items(), *group.reasons.items()]
    endings = ", ".join(f"{count} {what}" for what, count in counts)
    return f"{clean(group.ruleset)}, {seats}, {matches}: {endings}"


def _short(figure: float | None) -> str:
    return "–" if figure is None else number(round(figure, 2))


def _time(seconds: float) -> str:
    return length(round(seconds * 1000))


def _seats_table(group: Group) -> Table:
    table = table_of("seat", "won", "share", "mean place", "mean score")
    finished = sum(group.reasons.values())
    for row in group.by_seat:
        share = "–" if not finished else f"{row.wins / finished:.1%}"
        figures = (_short(row.mean_place), _short(row.mean_score))
        table.add_row(str(row.seat), str(row.wins), share, *figures)
    return table


def _options_table(group: Group) -> Table:
    table = table_of("option", "value", "matches", "mean commits", "won by seat")
    for row in group.options:
        wins = " ".join(map(str, row.wins))
        value = to_json(row.value)
        table.add_row(row.option, value, str(row.matches), _short(row.mean_commits), wins)
    return table


def _csv(matches: Sequence[Played]) -> str:
    """A row a match and seat."""
    options = _options_of(matches)
    columns = [*_COLUMNS, *(f"option.{option}" for option in options)]
    rows = [
        [*_row(match, seat), *map(match.options.get, options)]
        for match in matches
        for seat in range(len(match.seats))
    ]
    return csv_of(columns, rows)


_COLUMNS: Final = (
    "source", "match", "ruleset", "tournament", "round", "table", "status", "reason", "certified",
    "commits", "started", "seconds", "seat", "name", "place", "score", "won",
)  # fmt: skip


def _row(match: Played, seat: int) -> list[Any]:
    result = match.result
    row = next((row for row in result.ranking if row.seat == seat), None) if result else None
    return [
        *(match.source, match.match, match.ruleset),
        *(match.tournament, match.round, match.table),
        match.status,
        result.reason if result else None,
        result.certified if result else None,
        match.commits,
        match.started,
        number((match.last - match.started) / 1000),
        seat,
        match.seats[seat],
        row.place if row else None,
        row.score if row else None,
        seat in result.winners if result else None,
    ]
