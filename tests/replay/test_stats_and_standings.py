"""`replay stats` and `replay standings`: figures and tables over many matches."""

from __future__ import annotations

import csv
import io
import re
import shutil
import statistics
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any

import pytest

from referee.core.game import Standing
from referee.core.table.commands import Adjudicate, Certify, Pause, Rank, Void
from replay.judging.ranking import listed_points, shared_points
from tests.replay.conftest import Keep, Run
from tests.replay.logs import KEY, Record, Table, public, table


def ended(match: str, *places: int | None, **setting: Any) -> Table:
    """A match whose result an arbiter has set: a place a seat."""
    names = setting.pop("names", ("Ann", "Bob", "Cai", "Dan")[: len(places)])
    game = table(match, names=names, **setting)
    ranks = tuple(Rank(seat, place, None) for seat, place in enumerate(places))
    game.send("organizer", Adjudicate(ranks, "as agreed"), after=60_000)
    return game


@pytest.fixture
def season(keep: Keep) -> Path:
    """A folder: three matches of one tournament, one of another, and two of none."""
    games = [
        ended("a1", 1, 2, 3, tournament="Cup"),
        ended("a2", 1, 1, 3, tournament="Cup"),
        ended("a3", None, 1, None, tournament="Cup"),
        ended("b1", 2, 1, tournament="Plate"),
        table("c1").play(),
        table("c2", options={"length": 42}).play(),
    ]
    games[0].send("organizer", Certify())
    for game in games:
        keep(game.record().file(), f"season/{game.match.setting.match}.match")
    return keep(b"", "season/x.txt").parent


def tournament(run: Run, name: str | None, *args: object) -> dict[str, Any]:
    """One tournament's table as JSON."""
    tables = run("standings", *args, "--json").json["tournaments"]
    return next(table for table in tables if table["tournament"] == name)


# ── Standings ─────────────────────────────────────────────────────────────────────────────────────


def test_ranks_players_by_the_share_of_opponents_left_behind(run: Run, season: Path) -> None:
    """A win is a point however many sit at the table, and equals share the rank."""
    cup = tournament(run, "Cup", season)
    rows = [(row["rank"], row["player"], row["points"], row["won"]) for row in cup["rows"]]
    assert rows == [(1, "Bob", 2.25, 2), (2, "Ann", 1.75, 2), (3, "Cai", 0, 0)]
    assert (cup["matches"], cup["open"]) == (3, {})
    assert [row["provisional"] for row in cup["rows"]] == [2, 2, 2]
    assert cup["rows"][0]["places"] == [2, 1]


def test_counts_points_by_place_where_they_are_given(run: Run, season: Path) -> None:
    """With --points each place has its points; places that are shared share theirs."""
    cup = tournament(run, "Cup", season, "--points", "5, 2, 1")
    points = {row["player"]: row["points"] for row in cup["rows"]}
    assert points == {"Ann": 8.5, "Bob": 10.5, "Cai": 2}
    assert run("standings", season, "--points", "5,x").status == 2
    assert run("standings", season, "--points", "1/0").status == 2


def test_counts_one_tournament_or_certified_results_alone(run: Run, season: Path) -> None:
    """The choice of a tournament and of certified results leaves the others out."""
    only = run("standings", season, "--tournament", "Plate", "--json").json["tournaments"]
    assert [table["tournament"] for table in only] == ["Plate"]
    cup = tournament(run, "Cup", season, "--certified")
    assert (cup["matches"], cup["open"]) == (1, {"provisional": 2})
    ran = run("standings", season, "--tournament", "Nothing")
    says = "replay: no match of Nothing counts; there are those of Cup and Plate"
    assert (ran.status, ran.out, ran.err.splitlines()[-1]) == (2, "", says)


def test_leaves_matches_without_a_result_open(run: Run, keep: Keep, tmp_path: Path) -> None:
    """Matches in play, paused and void are counted as open and give nobody points."""
    void, paused = table("v"), table("p")
    void.send("organizer", Void("rain"))
    paused.send("organizer", Pause())
    for game in (void, paused, table("x").play(3)):
        keep(game.record().file(), f"{game.match.setting.match}.match")
    open_table = tournament(run, None, tmp_path)
    assert open_table["open"] == {"active": 1, "paused": 1, "void": 1}
    assert (open_table["matches"], open_table["rows"]) == (0, [])


def test_counts_a_match_once_however_often_its_log_is_there(
    run: Run, keep: Keep, tmp_path: Path
) -> None:
    """An earlier pull of a match counts as the same match."""
    record = ended("a1", 1, 2).record()
    keep(record.file(), "a.match")
    keep(record.having(record.commits[:1]).file(), "b.match")
    assert tournament(run, None, tmp_path)["matches"] == 1


def test_leaves_out_logs_of_one_match_that_part(run: Run, keep: Keep, tmp_path: Path) -> None:
    """Two stories of one match are a dispute, and neither counts."""
    keep(ended("a1", 1, 2).record().file(), "a.match")
    keep(ended("a1", 2, 1).record().file(), "b.match")
    keep(ended("a2", 1, 2).record().file(), "c.match")
    ran = run("standings", tmp_path, "--json")
    assert (ran.status, ran.json["tournaments"][0]["matches"]) == (1, 1)
    assert [source["verdict"] for source in ran.json["left_out"]] == ["in dispute", "in dispute"]
    assert "logs of match a1 that part" in ran.err


def test_leaves_out_what_is_in_dispute_or_unusable(
    run: Run, keep: Keep, played: Record, tmp_path: Path
) -> None:
    """A result that does not hold gives nobody points, and the status says that there is one."""
    keep(b"junk", "a.match")
    keep(played.file(), "b.match")
    for command in ("standings", "stats"):
        ran = run(command, tmp_path)
        assert (ran.status, "a.match: left out" in ran.err) == (2, True)
    keep(played.file(head="00" * 32), "c.match")
    for command in ("standings", "stats"):
        ran = run(command, tmp_path)
        assert (ran.status, "c.match: left out: in dispute: The log does not" in ran.err) == (
            1,
            True,
        )


def test_what_hangs_on_the_wall_says_which_matches_are_missing(run: Run, season: Path) -> None:
    """Above the tables, on the page too; as CSV they are told on standard error, by the status."""
    (season / "<cut>.match").write_bytes((season / "a1.match").read_bytes()[:-1])
    says = ("1 match left out:", f"{season}/<cut>.match: ")
    table, page = run("standings", season), run("standings", season, "--html")
    assert table.out.startswith("\n".join(says))
    notes = page.out.partition("<h2>")[0]
    assert f"<p>{says[0]}</p>\n<p>{escape(says[1])}" in notes
    rows = run("standings", season, "--csv")
    assert (rows.status, says[1] in rows.err, says[0] in rows.out) == (2, True, False)
    assert len(set(map(len, csv.reader(io.StringIO(rows.out))))) == 1


def test_names_the_first_few_of_many_missing_matches(run: Run, season: Path) -> None:
    """What cannot be hung on a wall is counted, and logs of one match that part are one match."""
    for number in range(6):
        (season / f"bad{number}.match").write_bytes(b"junk")
    shutil.copy(season / "bad0.match", season / "a0.match")
    (season / "other.match").write_bytes(ended("a1", 3, 2, 1).record().file())
    lines = run("standings", season).out.splitlines()
    assert lines[0] == "8 matches left out:"
    assert lines[6] == "and 4 more"


def test_prints_a_table_for_people(run: Run, season: Path) -> None:
    """Each tournament has a table under its name, its first player first."""
    lines = run("standings", season, "--jobs", 2).out.splitlines()
    assert [line for line in lines if "result" in line and ":" in line] == [
        "matches of no tournament, giro-galoppo: 2 results",
        "Cup, giro-galoppo: 3 results",
        "Plate, giro-galoppo: 1 result",
    ]
    assert any(line.split()[:3] == ["1", "Bob", "2.25"] for line in lines)


PAIRINGS = ((1, "Ann", "Bob"), (1, "Cai", "Dan"), (2, "Bob", "Cai"), (2, "Cai", "Ann"))
"""Who beats whom, by round: Cai has two points, Ann and Bob one each, Dan none."""


@pytest.fixture
def league(keep: Keep) -> Path:
    """A folder with a tournament of pairs."""
    for number, (round_, *names) in enumerate(PAIRINGS):
        game = ended(f"l{number}", 1, 2, names=names, tournament="League", round=round_)
        keep(game.record().file(), f"league/{number}.match")
    return keep(b"", "league/x.txt").parent


@pytest.mark.parametrize(
    ("tie_breaks", "ranks", "figures"),
    [
        ("wins,buchholz,places", {"Ann": 2, "Bob": 2}, {"wins": 1, "buchholz": 3, "places": 3}),
        ("direct", {"Ann": 2, "Bob": 3}, {"direct": 1}),
        ("sonneborn-berger", {"Ann": 3, "Bob": 2}, {"sonneborn-berger": 1}),
        ("buchholz,sonneborn-berger,direct", {"Ann": 3, "Bob": 2}, {"buchholz": 3}),
    ],
)
def test_parts_equals_by_the_tie_breaks_that_are_chosen(
    run: Run, league: Path, tie_breaks: str, ranks: dict[str, int], figures: dict[str, float]
) -> None:
    """In their order: Ann has beaten Bob, and Bob has beaten the stronger one."""
    rows = {
        row["player"]: row
        for row in tournament(run, "League", league, "--tie-breaks", tie_breaks)["rows"]
    }
    assert {player: rows[player]["rank"] for player in ranks} == ranks
    assert figures.items() <= rows["Ann"]["tie_breaks"].items()
    assert (rows["Cai"]["rank"], rows["Dan"]["rank"]) == (1, 4)


def test_tells_who_met_whom_and_when(run: Run, league: Path) -> None:
    """A crosstable of shares in the order of the rows, and the matches by round."""
    table = tournament(run, "League", league, "--tie-breaks", "direct")
    assert [row["player"] for row in table["rows"]] == ["Cai", "Ann", "Bob", "Dan"]
    assert table["rows"][0]["against"] == [[], [1], [0], [1]]
    assert [(pair["round"], pair["match"]) for pair in table["pairings"]] == [
        (1, "l0"),
        (1, "l1"),
        (2, "l2"),
        (2, "l3"),
    ]
    out = run("standings", league).out
    assert "1. Ann, 2. Bob (provisional)" in out
    assert re.search(r"1 +Cai +× +1 +0 +1 *$", out, re.MULTILINE)
    assert "· have not met" in out
    assert run("standings", league, "--tie-breaks", "luck").status == 2


def test_writes_standings_for_a_spreadsheet_and_as_a_page(run: Run, league: Path) -> None:
    """A row a player as CSV; a page that fetches nothing, with nothing but text from logs."""
    args = ("standings", league, "--tie-breaks", "direct")
    rows = list(csv.DictReader(io.StringIO(run(*args, "--csv").out)))
    assert [(row["rank"], row["player"], row["direct"], row["place.2"]) for row in rows] == [
        ("1", "Cai", "", "1"),
        ("2", "Ann", "1", "1"),
        ("3", "Bob", "0", "1"),
        ("4", "Dan", "", "1"),
    ]
    page = run(*args, "--html").out
    assert page.count("<table>") == 3
    assert "<td>1. Cai, 2. Dan (provisional)</td>" in page
    assert "http://" not in page
    assert run(*args, "--html", "--json").status == 2


def test_shares_of_players_who_met_often_stand_in_the_order_of_play(run: Run, keep: Keep) -> None:
    """By round, then by when it was played, whatever the order of the source."""
    wins = {"z": (1, 0, 1), "y": (2, 1, 0), "a": (3, 0, 1)}
    for name, (round_, *shares) in wins.items():
        places = [2 - share for share in shares]
        game = ended(name, *places, names=("Ann", "Bob"), tournament="Duel", round=round_)
        keep(game.record().file(), f"duel/{name}.match")
    folder = keep(b"", "duel/x.txt").parent
    files = sorted(folder.glob("*.match"))
    for sources in (files, files[::-1]):
        bob = tournament(run, "Duel", *sources)["rows"][0]
        assert (bob["player"], bob["against"][1]) == ("Bob", [1, 0, 1])


@pytest.mark.parametrize(
    ("places", "shares"),
    [
        ((1, 2, 3), (1, Fraction(1, 2), 0)),
        ((1, 1, 3), (Fraction(3, 4), Fraction(3, 4), 0)),
        ((1, 1), (Fraction(1, 2), Fraction(1, 2))),
        ((1, None, None), (1, 0, 0)),
        ((None, None), (0, 0)),
        ((1,), (1,)),
    ],
)
def test_shares_points_among_equals(
    places: tuple[int | None, ...], shares: tuple[Fraction, ...]
) -> None:
    """Equals have half of each other; whoever has no place has left nobody behind."""
    ranking = [Standing(seat, place, None) for seat, place in enumerate(places)]
    assert shared_points(ranking) == dict(enumerate(shares))


def test_shares_listed_points_among_equals() -> None:
    """Two firsts get the mean of the first two places' points; places beyond the list get none."""
    ranking = [Standing(seat, place, None) for seat, place in enumerate((1, 1, 3, 4))]
    points = [Fraction(5), Fraction(2), Fraction(1)]
    expected = {0: Fraction(7, 2), 1: Fraction(7, 2), 2: Fraction(1), 3: Fraction(0)}
    assert listed_points(points, ranking) == expected


# ── Figures ───────────────────────────────────────────────────────────────────────────────────────


def test_gives_figures_by_ruleset_and_seats(run: Run, keep: Keep, tmp_path: Path) -> None:
    """Lengths, times, results by seat, and by the options that differ."""
    games = [table(f"m{seed}", seed=seed, options=OPTIONS[seed % 2]).play() for seed in range(6)]
    for number, game in enumerate(games):
        keep(game.record().file(), f"{number}.match")
    (group,) = run("stats", tmp_path, "--json").json["groups"]
    lengths = [len(game.commits) for game in games]
    assert (group["ruleset"], group["seats"], group["matches"]) == ("giro-galoppo/1", 3, 6)
    assert group["commits"] == {
        "least": min(lengths),
        "median": statistics.median(lengths),
        "mean": statistics.fmean(lengths),
        "most": max(lengths),
    }
    results = [game.match.result for game in games]
    wins = [sum(bool(result and seat in result.winners) for result in results) for seat in range(3)]
    assert [row["wins"] for row in group["by_seat"]] == wins
    assert group["reasons"] == {"played-out": 6}
    values = [(row["option"], row["value"], row["matches"]) for row in group["options"]]
    assert values == [("ties", "all-move", 3), ("ties", "rearmost-only", 3)]


def test_a_seat_without_a_place_counts_as_the_last(run: Run, keep: Keep) -> None:
    """Where a game names the winner alone, two seats that win as often have a mean place of 1.5."""
    for number, places in enumerate(((1, None), (None, 1))):
        keep(ended(f"w{number}", *places).record().file(), f"won/{number}.match")
    (group,) = run("stats", keep(b"", "won/x.txt").parent, "--json").json["groups"]
    assert [seat["mean_place"] for seat in group["by_seat"]] == [1.5, 1.5]


OPTIONS = ({"ties": "all-move"}, {"ties": "rearmost-only"})


def test_gives_figures_in_tables_for_people(run: Run, season: Path) -> None:
    """A heading for each ruleset and number of seats, with tables under it."""
    out = run("stats", season).out
    assert "giro-galoppo/1, 2 seats, 1 match: 1 finished, 1 adjudicated" in out
    ended = "5 finished, 3 adjudicated, 2 played-out"
    assert f"giro-galoppo/1, 3 seats, 5 matches: {ended}" in out
    assert any(line.split()[:3] == ["length", "42", "1"] for line in out.splitlines())


def test_gives_rows_for_a_spreadsheet(run: Run, season: Path) -> None:
    """As CSV there is a row a match and seat, with the options as columns."""
    rows = list(csv.DictReader(io.StringIO(run("stats", season, "--csv").out)))
    assert len(rows) == 3 * 5 + 2
    first = rows[0]
    assert (first["match"], first["tournament"], first["seat"], first["name"]) == (
        "a1",
        "Cup",
        "0",
        "Ann",
    )
    assert (first["place"], first["won"], first["certified"], first["seconds"]) == (
        "1",
        "true",
        "true",
        "60.01",
    )
    assert first["option.length"] == "40"


def test_gives_a_spreadsheet_no_formula(run: Run, keep: Keep) -> None:
    """A name that a spreadsheet would run is quoted."""
    game = ended("a1", 1, 2, names=('=HYPERLINK("x")', "@Bob"))
    out = run("stats", keep(game.record().file()), "--csv").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["name"] for row in rows] == ['\'=HYPERLINK("x")', "'@Bob"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_file_name_parts_no_row_of_a_spreadsheet(
    run: Run, keep: Keep, played: Record, delimiter: str
) -> None:
    """Some spreadsheets part cells at semicolons and tabs too."""
    path = keep(played.file(), f'a{delimiter}"b".match')
    lines = run("stats", path, "--csv").out.splitlines()
    name = str(path).replace("\t", " ").replace('"', '""')
    assert all(line.startswith(f'"{name}",m1,') for line in lines[1:])


def test_takes_one_form_of_output(run: Run, season: Path) -> None:
    """Two at once are wrong usage, and none is chosen in silence."""
    assert run("stats", season, "--csv", "--json").status == 2
    ran = run("standings", season, "--csv", "--html")
    assert (ran.status, "--csv and --html are two forms of the same" in ran.err) == (2, True)


def test_draws_markup_in_names_as_it_stands(run: Run, keep: Keep) -> None:
    """A name in square brackets is a name."""
    game = ended("a1", 1, 2, names=("[red]Ann[/red]", "Bob"), tournament="[b]Cup")
    out = run("standings", keep(game.record().file())).out
    assert "[red]Ann[/red]" in out
    assert "[b]Cup, giro-galoppo: 1 result" in out


def test_stats_say_how_many_of_the_matches_are_signed(
    run: Run, keep: Keep, played: Record, tmp_path: Path
) -> None:
    """By the keys that are trusted; for people on standard error."""
    keep(played.signed(), "a.match")
    keep(table("m2").play().record().file(), "b.match")
    ran = run("stats", tmp_path, "--key", public(KEY), "--json")
    assert (ran.status, ran.json["verdicts"]) == (0, {"signed": 1, "not signed": 1})
    assert "replay: 1 match signed\nreplay: 1 match not signed\n" in ran.err
    assert run("stats", tmp_path, "--json").json["verdicts"] == {"signed": 0, "not signed": 2}
