"""`replay chance`: what chance brought, beside what it should."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from referee.catalogue import catalogue
from referee.games.dancing_villager.types import Ready
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


def test_names_what_a_game_draws_and_for_whom(run: Run, keep: Keep) -> None:
    """Poses by name with their printed probability, and whether one seat fared worse."""
    villagers = catalogue().current("dancing-villager")
    found = Counter[tuple[int, str]]()
    for number in range(4):
        game = table(f"v{number}", seed=number, rules=villagers, names=("Ann", "Bob"))
        for seat in (0, 1):
            game.send(seat, Ready())
        for seat, own in enumerate(game.match.state.last_roll):
            found.update((seat, villager.pose) for villager in own)
        keep(game.record().file(), f"rolled/{number}.match")
    folder = keep(b"", "rolled/x.txt").parent
    told = run("chance", folder, "--json").json
    falls = next(one for one in told["draws"] if one["of"] == "how a villager falls")
    due = {one["name"]: round(one["expected"], 4) for one in falls["outcomes"]}
    assert due == {"flat": 0.46, "up": 0.3, "down": 0.16, "leaning": 0.05, "standing": 0.03}
    by_seat = {(s["seat"], o["name"]): o["found"] for s in falls["by_seat"] for o in s["outcomes"]}
    assert Counter(by_seat) == found
    assert falls["drawn"] == sum(found.values()) == sum(o["found"] for o in falls["outcomes"])
    out = run("chance", folder).out
    assert "dancing-villager, how a villager falls: drawn" in out
    assert re.search(rf"^ *flat +seat 1 +{found[1, 'flat']} +[\d.]+% +46.00% ", out, re.MULTILINE)


def test_every_game_says_what_it_draws(run: Run, keep: Keep) -> None:
    """No draw of a deal is told as a number alone."""
    for rules in catalogue():
        names = [f"P{seat}" for seat in range(max(rules.game.players))]
        record = table(rules.game.id, rules=rules, names=names).record()
        keep(record.file(), f"dealt/{rules.game.id}.match")
    draws = run("chance", keep(b"", "dealt/x.txt").parent, "--json").json["draws"]
    assert {one["game"] for one in draws} >= {"dragon-dance", "giants-dance"}
    assert all(one["of"] for one in draws)


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
