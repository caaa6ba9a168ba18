"""`replay standings`: a tournament's table from its matches."""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final

import click
from msgspec import Struct
from rich.table import Table

from referee.core.game import Standing
from referee.core.match import Result
from referee.core.told.safe import clean
from referee.core.told.words import count_of
from referee.report.words import number
from referee.tables import print_table
from replay.judging.examine import Played
from replay.judging.matches_that_count import count
from replay.options import as_json, in_jobs, many_sources, trusted_keys
from replay.telling.output import say_json

PLACES_SHOWN: Final = 3


class Row(Struct, frozen=True):
    """A player's line: `rank` is shared by equals; `places` counts first, second, … places.

    `provisional`: how many of the results are not certified.
    """

    rank: int
    player: str
    points: float
    played: int
    won: int
    places: tuple[int, ...]
    provisional: int


class Tournament(Struct, frozen=True):
    """One tournament's table. `open` counts its matches that have no result, by status."""

    tournament: str | None
    matches: int
    open: dict[str, int]
    rows: tuple[Row, ...]


Points = Callable[[Sequence[Standing]], dict[int, Fraction]]
"""The points of every seat from a match's ranking."""


def shared_points(ranking: Sequence[Standing]) -> dict[int, Fraction]:
    """A point for the first and none for the last, whatever the number of seats.

    The share of opponents that a seat has left behind, those on its own place by half; a seat
    without a place has left nobody behind, and everybody with a place is ahead of it.
    """
    return {row.seat: _beaten(row, ranking) for row in ranking}


def _beaten(row: Standing, ranking: Sequence[Standing]) -> Fraction:
    others = [other for other in ranking if other.seat != row.seat]
    if row.place is None or not others:
        return Fraction(int(row.place is not None))
    behind = sum(other.place is None or other.place > row.place for other in others)
    level = sum(other.place == row.place for other in others)
    return Fraction(2 * behind + level, 2 * len(others))


def listed_points(points: Sequence[Fraction], ranking: Sequence[Standing]) -> dict[int, Fraction]:
    """So many points for the first place, the second, …; those who share places share points."""
    return {row.seat: _of_place(points, row, ranking) for row in ranking}


def _of_place(points: Sequence[Fraction], row: Standing, ranking: Sequence[Standing]) -> Fraction:
    if row.place is None:
        return Fraction(0)
    sharing = sum(other.place == row.place for other in ranking)
    taken = points[row.place - 1 : row.place - 1 + sharing]
    return sum(taken, Fraction(0)) / sharing


def _read_points(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Points:
    if value is None:
        return shared_points
    try:
        points = [Fraction(part.strip()) for part in value.split(",")]
    except (ValueError, ZeroDivisionError) as error:
        raise click.BadParameter("points are numbers with commas between: 3,1,0") from error
    return partial(listed_points, points)


@click.command()
@many_sources
@click.option("--tournament", metavar="NAME", help="This tournament's matches only.")
@click.option(
    "--points",
    callback=_read_points,
    metavar="P1,P2,…",
    help="Points by place. Without it: the share of opponents left behind.",
)
@click.option("--certified", is_flag=True, help="Count certified results only.")
@trusted_keys
@in_jobs
@as_json
def standings(  # noqa: PLR0913 - each an option by its name
    sources: tuple[str, ...],
    *,
    tournament: str | None,
    points: Points,
    certified: bool,
    keys: tuple[str, ...] | None,
    jobs: int,
    as_json: bool,
) -> None:
    """A tournament's table: one for each tournament that the matches name.

    Every log is judged first, and a match counts once; one in dispute is left out, said so on
    standard error, and the status is then that of verify. Players are told apart by name.
    """
    counted = count(sources, jobs, keys)
    grouped = defaultdict[str | None, list[Played]](list)
    for match in counted.matches:
        if tournament in (None, match.tournament):
            grouped[match.tournament].append(match)
    names = sorted(grouped, key=lambda name: name or "")
    tables = [_table(name, grouped[name], points, certified=certified) for name in names]
    if as_json:
        say_json({"tournaments": tables, "left_out": counted.left_out})
    else:
        _say(tables)
    sys.exit(counted.finish())


def _table(
    name: str | None, matches: Sequence[Played], points: Points, *, certified: bool
) -> Tournament:
    done: list[tuple[Played, Result]] = []
    still = Counter[str]()
    for played in matches:
        if played.result is None:
            still[played.status] += 1
        elif certified and not played.result.certified:
            still["provisional"] += 1
        else:
            done.append((played, played.result))
    return Tournament(name, len(done), dict(sorted(still.items())), _rows(done, points))


class _Tally:
    """A player's results as they add up."""

    def __init__(self) -> None:
        self.points = Fraction(0)
        self.played = self.won = self.provisional = 0
        self.places: Counter[int] = Counter()

    def add(self, row: Standing, points: Fraction, result: Result) -> None:
        self.points += points
        self.played += 1
        self.won += row.seat in result.winners
        self.provisional += not result.certified
        if row.place is not None:
            self.places[row.place] += 1

    @property
    def key(self) -> tuple[Fraction, int]:
        """What ranks: points, then wins."""
        return self.points, self.won


def _rows(done: Iterable[tuple[Played, Result]], points: Points) -> tuple[Row, ...]:
    tallies = defaultdict[str, _Tally](_Tally)
    for played, result in done:
        earned = points(result.ranking)
        for row in result.ranking:
            tallies[played.seats[row.seat]].add(row, earned[row.seat], result)
    ordered = sorted(tallies.items(), key=lambda item: item[0])
    ordered.sort(key=lambda item: item[1].key, reverse=True)
    keys = [tally.key for _, tally in ordered]
    return tuple(_row(1 + keys.index(tally.key), player, tally) for player, tally in ordered)


def _row(rank: int, player: str, tally: _Tally) -> Row:
    places = tuple(tally.places[place] for place in range(1, max(tally.places, default=0) + 1))
    points = tally.points
    shown: float = int(points) if points.denominator == 1 else float(points)
    return Row(rank, player, shown, tally.played, tally.won, places, tally.provisional)


def _say(tables: Sequence[Tournament]) -> None:
    if not tables:
        click.echo("no match counts")
    for table in tables:
        name = clean(table.tournament or "") or "matches of no tournament"
        click.echo(f"{name}: {count_of(table.matches, 'result')}")
        if table.open:
            waiting = ", ".join(f"{n} {status}" for status, n in table.open.items())
            click.echo(f"without a result that counts: {waiting}")
        print_table(_drawn(table))


def _drawn(of: Tournament) -> Table:
    columns = ("rank", "player", "points", "played", "won", "1st", "2nd", "3rd", "provisional")
    table = Table(*columns)
    for row in of.rows:
        table.add_row(*map(str, _cells(row)))
    return table


def _cells(row: Row) -> list[Any]:
    places = (*row.places, *(0,) * PLACES_SHOWN)[:PLACES_SHOWN]
    points = number(round(row.points, 3))
    player = clean(row.player) or "–"
    return [row.rank, player, points, row.played, row.won, *places, row.provisional]
