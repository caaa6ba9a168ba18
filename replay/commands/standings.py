"""`replay standings`: a tournament's tables from its matches."""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final

import click
from msgspec import Struct

from referee.core.match import Result
from referee.core.told.safe import clean
from referee.core.told.words import count_of, listed
from referee.report.json_values import plain
from referee.report.words import number, places
from replay.exits import FINE, UNUSABLE, Unusable
from replay.judging.examine import Played
from replay.judging.matches_that_count import Counting, count
from replay.judging.ranking import (
    TIE_BREAKS,
    Done,
    Points,
    Tally,
    listed_points,
    ranked,
    shared_points,
)
from replay.options import as_json, in_jobs, many_sources, trusted_keys
from replay.telling.output import say_json
from replay.telling.sheets import Sheet, csv_of, page_of, say_sheets

_COLUMNS: Final = ("tournament", "game", "rank", "player", "points", "played", "won")


class Row(Struct, frozen=True):
    """A player's line: `rank` is shared by equals; `places` counts first, second, … places.

    `provisional`: how many of the results are not certified. `tie_breaks`: the figures of those
    that were asked. `against`: what it has of each player, in the order of the rows: a list of
    shares, one a match; 1 for one left behind, half for one on the same place.
    """

    rank: int
    player: str
    points: float
    played: int
    won: int
    places: tuple[int, ...]
    provisional: int
    tie_breaks: dict[str, float]
    against: tuple[tuple[float, ...], ...]


class Paired(Struct, frozen=True):
    """A match of a round, with a result or without."""

    round: int | None
    table: str | None
    match: str
    status: str
    seats: tuple[str, ...]
    result: Result | None


class Tournament(Struct, frozen=True):
    """One tournament's table in one game.

    `open` counts its matches that have no result that counts, by status; `pairings` has all of
    them, round by round.
    """

    tournament: str | None
    game: str
    matches: int
    open: dict[str, int]
    rows: tuple[Row, ...]
    pairings: tuple[Paired, ...]


def _read_points(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Points:
    if value is None:
        return shared_points
    try:
        points = [Fraction(part.strip()) for part in value.split(",")]
    except (ValueError, ZeroDivisionError) as error:
        raise click.BadParameter("points are numbers with commas between: 3,1,0") from error
    return partial(listed_points, points)


def _read_breaks(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip().lower() for name in value.split(",") if name.strip()))
    unknown = [name for name in names if name not in TIE_BREAKS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(TIE_BREAKS)}")
    return names


@click.command()
@many_sources
@click.option("--tournament", metavar="NAME", help="This tournament's matches only.")
@click.option(
    "--points",
    callback=_read_points,
    metavar="P1,P2,…",
    help="Points by place. Without it: the share of opponents left behind.",
)
@click.option(
    "--tie-breaks",
    callback=_read_breaks,
    default="wins",
    show_default=True,
    metavar="T1,T2,…",
    help=f"What parts players with the same points, in this order: {', '.join(TIE_BREAKS)}.",
)
@click.option("--certified", is_flag=True, help="Count certified results only.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a row a player, as CSV.")
@click.option("--html", "as_html", is_flag=True, help="Print a page that needs no network.")
@trusted_keys
@in_jobs
@as_json
def standings(  # noqa: PLR0913 - each an option by its name
    sources: tuple[str, ...],
    *,
    tournament: str | None,
    points: Points,
    tie_breaks: tuple[str, ...],
    certified: bool,
    as_csv: bool,
    as_html: bool,
    keys: tuple[str, ...] | None,
    jobs: int,
    as_json: bool,
) -> None:
    """A tournament's tables: for each tournament and game standings, crosstable and rounds.

    Every log is judged first, and a match counts once; one in dispute is left out, said so on
    standard error, and the status is then that of verify. Players are told apart by name.
    """
    forms = {"csv": as_csv, "html": as_html, "json": as_json}
    asked = [form for form, wanted in forms.items() if wanted]
    if len(asked) > 1:
        raise click.UsageError(f"--{asked[0]} and --{asked[1]} are two forms of the same")
    counted = count(sources, jobs, keys)
    grouped = defaultdict[tuple[str, str], list[Played]](list)
    for match in counted.matches:
        if tournament in (None, match.tournament):
            grouped[match.tournament or "", _game(match)].append(match)
    ask = partial(_table, points=points, tie_breaks=tie_breaks, certified=certified)
    tables = [ask(grouped[key]) for key in sorted(grouped)]
    if as_json:
        say_json({"tournaments": tables, "left_out": counted.left_out})
    elif as_csv:
        click.echo(_csv(tables, tie_breaks), nl=False)
    elif as_html:
        page = page_of("Standings", _sheets(tables, tie_breaks), counted.missing())
        click.echo(page, nl=False)
    else:
        _say(tables, tie_breaks, counted)
    status = counted.finish()
    if tournament is not None and not tables:
        _none_of(tournament, counted.matches).show()
    sys.exit(status or (UNUSABLE if tournament is not None and not tables else FINE))


def _game(match: Played) -> str:
    return match.ruleset.partition("/")[0]


def _table(
    matches: Sequence[Played], *, points: Points, tie_breaks: Sequence[str], certified: bool
) -> Tournament:
    done: list[Done] = []
    still = Counter[str]()
    for played in sorted(matches, key=_as_played):
        if played.result is None:
            still[played.status] += 1
        elif certified and not played.result.certified:
            still["provisional"] += 1
        else:
            done.append((played.seats, played.result))
    tallies = ranked(done, points, tie_breaks)
    return Tournament(
        matches[0].tournament,
        _game(matches[0]),
        len(done),
        dict(sorted(still.items())),
        tuple(_row(tally, tallies) for tally in tallies),
        tuple(map(_paired, sorted(matches, key=_of_round))),
    )


def _row(tally: Tally, tallies: Sequence[Tally]) -> Row:
    return Row(
        tally.rank,
        tally.player,
        _figure(tally.points),
        tally.played,
        tally.won,
        tuple(tally.places[place] for place in range(1, max(tally.places, default=0) + 1)),
        tally.provisional,
        {name: _figure(figure) for name, figure in tally.breaks.items()},
        tuple(tuple(map(_figure, tally.against.get(other.player, ()))) for other in tallies),
    )


def _figure(value: Fraction) -> float:
    return int(value) if value.denominator == 1 else float(value)


def _as_played(match: Played) -> tuple[int, int, str]:
    return match.round or 0, match.started, match.match


def _of_round(match: Played) -> tuple[int, str, str]:
    return match.round or 0, match.table or "", match.match


def _paired(match: Played) -> Paired:
    return Paired(match.round, match.table, match.match, match.status, match.seats, match.result)


# ── For people ────────────────────────────────────────────────────────────────────────────────────


def _say(tables: Sequence[Tournament], tie_breaks: Sequence[str], counted: Counting) -> None:
    for line in counted.missing():
        click.echo(line)
    if not counted.matches:
        click.echo("no match counts")
    say_sheets(_sheets(tables, tie_breaks))


def _none_of(tournament: str, matches: Sequence[Played]) -> Unusable:
    names = listed(sorted({clean(match.tournament or "") for match in matches} - {""}), "none")
    return Unusable(f"no match of {clean(tournament)} counts; there are those of {names}")


def _sheets(tables: Sequence[Tournament], tie_breaks: Sequence[str]) -> Iterator[Sheet]:
    for table in tables:
        yield _standings(table, tie_breaks)
        yield _crosstable(table)
        yield _rounds(table)


def _heading(table: Tournament) -> str:
    name = clean(table.tournament or "") or "matches of no tournament"
    return f"{name}, {clean(table.game)}"


def _standings(table: Tournament, tie_breaks: Sequence[str]) -> Sheet:
    most = max((len(row.places) for row in table.rows), default=0)
    heading = f"{_heading(table)}: {count_of(table.matches, 'result')}"
    if table.open:
        waiting = ", ".join(f"{n} {status}" for status, n in table.open.items())
        heading += f"; without a result that counts: {waiting}"
    breaks = [name for name in tie_breaks if name != "wins"]
    placed = [_ordinal(place) for place in range(1, most + 1)]
    columns = ("rank", "player", "points", *breaks, "played", "won", *placed, "provisional")
    return Sheet(heading, columns, [_cells(row, breaks, most) for row in table.rows])


def _ordinal(place: int) -> str:
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(place, f"{place}th")


def _cells(row: Row, breaks: Sequence[str], most: int) -> list[str]:
    figures = [_short(row.tie_breaks.get(name)) for name in breaks]
    counts = (*row.places, *(0,) * most)[:most]
    texts = [row.rank, clean(row.player) or "–", _short(row.points), *figures]
    return list(map(str, [*texts, row.played, row.won, *counts, row.provisional]))


def _short(figure: float | None) -> str:
    return "" if figure is None else number(round(figure, 3))


_SIGNS: Final = "1 left behind, 0 not, ½ level, once a match; · have not met, × oneself, – none"


def _crosstable(table: Tournament) -> Sheet:
    """What each player has of each other, match by match; the columns are numbered as the rows."""
    columns = ("", "player", *map(str, range(1, len(table.rows) + 1)))
    rows = [
        [str(line), clean(row.player) or "–", *_against_all(row, line)]
        for line, row in enumerate(table.rows, 1)
    ]
    return Sheet(f"{_heading(table)}: crosstable", columns, rows, _SIGNS)


def _against_all(row: Row, line: int) -> list[str]:
    cells = [_against(shares) for shares in row.against]
    return [*cells[: line - 1], "×", *cells[line:]]


def _against(shares: Sequence[float]) -> str:
    return " ".join("½" if share == 1 / 2 else number(share) for share in shares) or "·"


def _rounds(table: Tournament) -> Sheet:
    rows = [
        [
            str(paired.round or "–"),
            clean(paired.table or "–"),
            clean(paired.match),
            _outcome(paired),
        ]
        for paired in table.pairings
    ]
    return Sheet(f"{_heading(table)}: rounds", ("round", "table", "match", "result"), rows)


def _outcome(paired: Paired) -> str:
    names = [clean(name) or "–" for name in paired.seats]
    if paired.result is None:
        return f"{', '.join(names)}: {paired.status}"
    provisional = "" if paired.result.certified else " (provisional)"
    return places(plain(paired.result.ranking), names) + provisional


def _csv(tables: Sequence[Tournament], tie_breaks: Sequence[str]) -> str:
    rows = [(table, row) for table in tables for row in table.rows]
    most = max((len(row.places) for _, row in rows), default=0)
    placed = [f"place.{place}" for place in range(1, most + 1)]
    breaks = [name for name in tie_breaks if name != "wins"]
    columns = (*_COLUMNS, *breaks, *placed, "provisional")
    return csv_of(columns, [_csv_row(table, row, breaks, most) for table, row in rows])


def _csv_row(table: Tournament, row: Row, breaks: Sequence[str], most: int) -> list[Any]:
    own = [table.tournament, table.game, row.rank, row.player, row.points, row.played, row.won]
    figures = [row.tie_breaks.get(name) for name in breaks]
    return [*own, *figures, *(*row.places, *(0,) * most)[:most], row.provisional]
