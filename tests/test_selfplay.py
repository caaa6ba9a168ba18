"""Trials: random matches are lawful, end, and are the same again for the same start."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from referee.core.commit import read_match_file
from referee.core.match import ClockSetting
from referee.core.randomness import Chance
from referee.core.rules import Rules
from referee.core.verify import verify
from referee.games.dancing_villager import GAME as VILLAGER
from referee.games.giro_galoppo import GAME as GIRO
from referee.selfplay import Setup, Stuck, chance_of, play, random_file, seed_of
from tests.core.play import rules_of
from tests.toy_game import GAME as PEBBLES
from tests.toy_game.types import Hide

TOY = rules_of(PEBBLES)


def random_match(rules: Rules, setup: Setup, pick: Chance) -> list[bytes]:
    """The commits of a random lawful match."""
    return [step.decided.data for step in play(rules, setup, pick)]


def test_the_same_start_plays_the_same_match() -> None:
    """And another pick, or another seed, another one."""
    setup = Setup(seats=3, seed=seed_of(1), trouble=4)
    first = random_match(TOY, setup, chance_of(1))
    assert first == random_match(TOY, setup, chance_of(1))
    assert first != random_match(TOY, setup, chance_of(2))
    assert first != random_match(TOY, Setup(seats=3, seed=seed_of(2), trouble=4), chance_of(1))


def test_a_trial_is_lawful_and_comes_to_an_end() -> None:
    """The audit finds nothing, with trouble and without."""
    for number in range(20):
        setup = Setup(seats=2 + number % 2, seed=seed_of(number), trouble=number % 4)
        log = random_match(TOY, setup, chance_of(number))
        verdict = verify(TOY, "trial", log)
        assert verdict.dispute is None
        assert verdict.match is not None
        assert verdict.match.over


def test_time_goes_on_from_commit_to_commit() -> None:
    """Never back, and never far."""
    steps = list(play(TOY, Setup(seats=2, seed=seed_of(1)), chance_of(1)))
    times = [step.decided.match.at for step in steps]
    assert times == sorted(times)
    assert all(after - before <= 4000 for before, after in pairwise(times))


def test_troubled_tables_see_everything_that_happens_at_one() -> None:
    """Withdrawals, draws, take-backs, pauses, calls, grants, tokens."""
    seen: Counter[str] = Counter()
    rules = rules_of(GIRO)
    for number in range(80):
        setup = Setup(seats=3, seed=seed_of(number), trouble=5, clock=ClockSetting(3600))
        for step in play(rules, setup, chance_of(number)):
            seen.update(str(type(event).__struct_config__.tag) for event in step.decided.events)
    assert set(seen) >= {
        "withdrawn", "draw_offered", "draw_accepted", "draw_declined", "takeback_requested",
        "takeback_accepted", "takeback_declined", "taken_back", "paused", "resumed",
        "time_granted", "token_reissued", "match_ended", "arbiter_called", "call_answered",
        "call_withdrawn",
    }  # fmt: skip


def test_the_service_sends_what_falls_due() -> None:
    """A window that ends, and a clock that runs out."""
    steps = list(play(rules_of(VILLAGER), Setup(seats=2, seed=seed_of(3)), chance_of(3)))
    closes = [step for step in steps if str(step.by) == "service"]
    assert closes
    assert {type(step.command).__name__ for step in closes} == {"Close"}
    setup = Setup(seats=2, seed=seed_of(3), clock=ClockSetting(base_s=5))
    flagged = list(play(rules_of(GIRO), setup, chance_of(3)))
    assert type(flagged[-1].command).__name__ == "ClaimTimeout"


def test_a_game_that_does_not_end_is_said_to_be_stuck() -> None:
    """After a bound, and not never."""
    endless = replace(PEBBLES, outcome=lambda _state: None, sample=lambda *_: Hide(1))
    rules = type(TOY)(replace(endless, to_act=lambda _state: (0,)))
    setup = Setup(seats=2, seed=seed_of(1), most=50)
    with pytest.raises(Stuck, match="50 commits"):
        random_match(rules, setup, chance_of(1))


def test_a_game_in_which_nobody_can_do_anything_is_said_to_be_stuck() -> None:
    """Nobody owes a command, nothing is due, and it is not over."""
    rules = type(TOY)(replace(PEBBLES, to_act=lambda _state: (), sample=None))
    with pytest.raises(Stuck, match="nobody can do anything"):
        random_match(rules, Setup(seats=2, seed=seed_of(1)), chance_of(1))


def test_a_file_of_a_trial_reads_back() -> None:
    """Header and commits belong together."""
    data, match = random_file(TOY, Setup(match="x", seats=2, seed=seed_of(1)), chance_of(1))
    file = read_match_file(data)
    assert file.header.match == "x"
    assert file.header.count == len(file.commits) == match.version
    assert file.header.head == match.head.hex()
    assert verify(TOY, "x", file.commits).match == match
