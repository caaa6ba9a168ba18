"""Random matches of every game end, and everything about them holds together."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from referee.core.match import Match
from referee.core.rules import Rules
from referee.core.verify import fold_log, verify
from referee.core.views import view_of
from referee.core.visibility import SPECTATOR
from referee.selfplay import chance_of
from tests.conformance.matches import (
    ALL,
    Played,
    all_played,
    numbers_of_seats,
    played,
    setup_of,
    viewers,
)

ROOT = Path(__file__).parents[2]


def check_the_end(one: Played) -> None:
    """A match that is over says how it ended, for every seat, and asks nobody for anything."""
    match = one.end
    assert match.over, one
    assert match.owed == ()
    assert match.seed_revealed
    if match.result is None:
        assert match.status == "void"
        return
    rows = match.result.ranking
    assert sorted(row.seat for row in rows) == list(range(len(match.seats))), one
    places = [row.place for row in rows if row.place is not None]
    assert all(place == 1 + sum(other < place for other in places) for place in places), one
    order = [(row.place is None, row.place or 0, row.seat) for row in rows]
    assert order == sorted(order)
    winners = tuple(sorted(row.seat for row in rows if row.place == 1))
    assert match.result.winners == winners
    assert not any(match.seats[seat].withdrawn for seat in winners), one


def test_matches_end_for_every_number_of_seats(rules: Rules) -> None:
    """With default and varied options, with and without trouble at the table."""
    assert {one.setup.seats for one in all_played(rules)} == set(numbers_of_seats(rules))
    for one in all_played(rules):
        check_the_end(one)


@pytest.mark.long
def test_a_great_many_matches_end(rules: Rules) -> None:
    """Three hundred more, half of them troubled; each is proven and folds."""
    for number in range(1000, 1300):
        one = played(rules, setup_of(rules, number, trouble=8 * (number % 4 // 2)), number)
        check_the_end(one)
        verdict = verify(rules, "trial", one.log)
        assert verdict.dispute is None, (one, verdict.dispute)
        assert verdict.match == one.end


def test_versions_times_and_draws_only_go_on(rules: Rules) -> None:
    """One version a commit; neither time, nor draw numbers, nor what was revealed goes back."""
    for one in all_played(rules):
        for before, after in pairwise(step.decided.match for step in one.steps):
            assert after.version == before.version + 1
            assert after.at >= before.at
            assert after.draws >= before.draws
            assert after.revealed in (before.revealed, after.version)


def test_what_draws_from_chance_counts_as_revealed(rules: Rules) -> None:
    """Players alone cannot take it back."""
    for one in all_played(rules):
        for step in one.steps:
            after, drawn = step.decided.match, 0 if step.before is None else step.before.draws
            assert after.draws == drawn or after.revealed == after.version


def test_folding_equals_deciding_at_each_commit(rules: Rules) -> None:
    """The match that deciding gave is the match that its bytes tell, in everything."""
    for one in all_played(rules):
        for step in one.steps:
            folded = rules.fold(step.before, step.decided.data, past=one.at)
            assert folded == step.decided.match, (one, folded.version)


def test_a_whole_log_folds_to_the_end(rules: Rules) -> None:
    """Take-backs find their states on the way."""
    for one in all_played(rules):
        assert fold_log(rules, one.log) == one.end


def test_replay_agrees_with_live(rules: Rules) -> None:
    """The audit of every played log finds nothing, and comes to the same match and heads."""
    for one in all_played(rules):
        verdict = verify(rules, "trial", one.log)
        assert verdict.dispute is None, (one, verdict.dispute)
        assert verdict.match == one.end
        assert verdict.chain.heads == b"".join(step.decided.match.head for step in one.steps)


def test_one_flipped_byte_is_found(rules: Rules) -> None:
    """Somewhere in the log; the commit is named, or the next, which does not lie on it."""
    pick = chance_of("flip", rules.game.id)
    for one in all_played(rules):
        log = one.log
        index = pick.below(len(log) - 1)
        at, flip = pick.below(len(log[index])), 1 + pick.below(255)
        data = log[index]
        log[index] = data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :]
        fault = verify(rules, "trial", log).dispute
        assert fault is not None, (one, index, at, flip)
        assert fault.version in (index + 1, index + 2)


def test_a_commit_left_out_is_found(rules: Rules) -> None:
    """Wherever it stood, unless it was the last."""
    pick = chance_of("gap", rules.game.id)
    for one in all_played(rules):
        gap = pick.below(len(one.log) - 1)
        fault = verify(rules, "trial", one.log[:gap] + one.log[gap + 1 :]).dispute
        assert fault is not None
        assert (fault.version, fault.kind) == (gap + 1, "chain")


def test_a_decided_match_shares_nothing_that_changes(rules: Rules) -> None:
    """States stay as they were while the match goes on: what was shown then is shown now."""
    for one in all_played(rules)[:4]:
        shown = [_digest(rules, step.decided.match) for step in one.steps]
        again = [_digest(rules, fold_log(rules, one.log[: n + 1])) for n in range(0, len(shown), 9)]
        assert again == shown[::9]


def _digest(rules: Rules, match: Match) -> str:
    views = [view_of(rules, match, viewer) for viewer in viewers(match)]
    return hashlib.sha256(msgspec.json.encode(views)).hexdigest()


def digests() -> str:
    """A line a game: the digest of its troubled logs and of every seat's views of them."""
    lines = []
    for rules in ALL:
        total = hashlib.sha256()
        for number in (1, 103):
            one = played(rules, setup_of(rules, number, trouble=6 * (number > 100)), number)
            for step in one.steps:
                total.update(step.decided.data)
                total.update(_digest(rules, step.decided.match).encode())
        lines.append(f"{rules.game.ruleset} {total.hexdigest()}")
    return "\n".join(lines)


def test_no_order_of_a_hash_table_gets_into_a_match() -> None:
    """Logs and views are the same in processes that hash differently."""
    code = "from tests.conformance.test_play import digests; print(digests())"
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
            timeout=100,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert len(said[0].splitlines()) == len(ALL)


def test_spectators_are_told_the_seed_when_it_is_over(rules: Rules) -> None:
    """And not before."""
    for one in all_played(rules):
        for step in one.steps:
            match = step.decided.match
            seed = view_of(rules, match, SPECTATOR).seed
            assert seed == (one.setup.seed.hex() if match.over else None)
