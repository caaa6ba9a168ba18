"""`replay chance`: what chance brought, beside what it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.catalogue import catalogue
from replay.judging.hearing import interval
from tests.replay.conftest import Keep, Run
from tests.replay.logs import Record, table

DRAGONS = catalogue().current("dragon-dance")


@pytest.fixture
def dragons(keep: Keep) -> Path:
    """A folder of ten matches that begin with a shuffle of sixty cards."""
    for number in range(10):
        record = table(f"d{number}", seed=number, rules=DRAGONS).record()
        keep(record.file(), f"dragons/{number}.match")
    return keep(b"", "dragons/x.txt").parent


def test_counts_every_draw_and_recomputes_it(run: Run, dragons: Path) -> None:
    """A shuffle a match; what came first is due as often as anything else."""
    told = run("chance", dragons, "--json").json
    assert (told["matches"], told["drawn"], told["recomputed"]) == (10, 10, 10)
    (shuffled,) = told["draws"]
    assert (shuffled["game"], shuffled["kind"], shuffled["drawn"]) == (
        "dragon-dance",
        "shuffle",
        10,
    )
    assert sum(one["found"] for one in shuffled["outcomes"]) == 10
    assert len(shuffled["outcomes"]) == shuffled["size"]
    assert shuffled["held"] >= shuffled["size"] - 2


def test_tells_people_how_sure_it_is(run: Run, dragons: Path) -> None:
    """A line a kind of draw, with --all one an outcome, and the stronger sentence under it."""
    out = run("chance", dragons).out
    assert "which comes first" in out
    assert out.splitlines()[-1].startswith("10 of 10 draws in 10 matches were recomputed from")
    assert "the true share lies" in run("chance", dragons, "--all").out


def test_a_game_without_chance_has_no_empty_table(run: Run, keep: Keep, played: Record) -> None:
    """Where nothing is drawn that is the answer."""
    assert run("chance", keep(played.file())).out == "Nothing was drawn in 1 match.\n"


def test_says_where_no_log_counts(run: Run, keep: Keep) -> None:
    """Of no match there is nothing to say of its chance."""
    ran = run("chance", keep(b"junk"))
    assert (ran.status, ran.out) == (2, "no match counts\n")


def test_leaves_out_what_is_in_dispute(run: Run, keep: Keep, played: Record, dragons: Path) -> None:
    """A draw that the seed does not yield is found by judging, and ends with 1."""
    keep(played.file(head="00" * 32), "dragons/bad.match")
    ran = run("chance", dragons, "--json")
    assert (ran.status, ran.json["matches"], len(ran.json["left_out"])) == (1, 10, 1)


@pytest.mark.parametrize(
    ("found", "total", "least", "most"),
    [
        (0, 10, 0, 0.4113),
        (10, 10, 0.5887, 1),
        (5, 10, 0.1283, 0.8717),
        (50, 100, 0.3689, 0.6311),
        (1_000, 6_000, 0.1545, 0.1794),
    ],
)
def test_intervals_are_exact_and_narrow_with_numbers(
    found: int, total: int, least: float, most: float
) -> None:
    """Clopper and Pearson's, at 99 %."""
    held = interval(found, total)
    assert (held.least, held.most) == (least, most)
