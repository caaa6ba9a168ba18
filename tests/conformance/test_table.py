"""The table's commands in every phase of every game: play goes on, or ends as it should."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from referee.core.game import Asker
from referee.core.match import ClockSetting, Match
from referee.core.rules import Rules
from referee.core.table import commands
from referee.core.verify import fold_log, verify
from referee.selfplay import Setup, Trial, chance_of, seed_of
from tests.conformance.matches import (
    Played,
    go_on,
    numbers_of_seats,
    phases,
    quiet,
    to_the_end,
)

ORGANIZER = "an arbiter's reason"


def proven(trial: Trial) -> Match:
    """The trial's match, whose log folds to it and stands the audit."""
    log = [step.decided.data for step in trial.steps]
    verdict = verify(trial.rules, trial.match.setting.match, log)
    assert verdict.dispute is None, verdict.dispute
    assert verdict.match == trial.match == fold_log(trial.rules, log)
    return trial.match


def test_every_phase_is_reached(rules: Rules) -> None:
    """The matches below stand in each phase in which a command can be owed."""
    owed = {phase for of in rules.game.commands for phase in of.phases}
    assert set(phases(rules)) >= owed


def test_each_seat_may_resign_in_each_phase_and_play_goes_on(rules: Rules) -> None:
    """To the end, among those who are left; the seat that left has no place before them."""
    for phase, (one, version) in phases(rules).items():
        for seat in range(one.setup.seats):
            trial = go_on(one, version, seat)
            trial.take(trial.by_seat(seat), commands.Resign())
            assert trial.match.seats[seat].withdrawn
            assert seat not in trial.match.owed, (phase, seat)
            to_the_end(trial)
            match = proven(trial)
            assert match.result is not None
            assert seat not in match.result.winners, (phase, seat)


def test_all_seats_but_one_may_resign_in_each_phase(rules: Rules) -> None:
    """One after the other; the last one wins."""
    for one, version in phases(rules).values():
        trial = go_on(one, version)
        *leavers, last = trial.pick.shuffle(trial.match.still_in)
        for seat in leavers:
            trial.now += 10
            trial.take(trial.by_seat(seat), commands.Resign())
        match = proven(trial)
        assert match.result is not None
        assert (match.result.reason, match.result.winners) == ("withdrawal", (last,))
        places = {row.seat: row.place for row in match.result.ranking}
        assert places == dict.fromkeys(leavers) | {last: 1}


def test_two_seats_may_resign_at_any_two_moments(rules: Rules) -> None:
    """Where three or more play; play goes on between and after."""
    if max(numbers_of_seats(rules)) < 3:
        return
    for number in range(12):
        pick = chance_of("two leave", rules.game.id, number)
        setup = Setup(seats=max(rules.game.players), seed=seed_of("two leave", number))
        trial = Trial(rules, setup, pick)
        for _ in range(2):
            for _ in range(pick.below(25)):
                if not trial.match.over:
                    trial.go_on()
            if not trial.match.over:
                trial.take(trial.by_seat(trial.some_seat()), commands.Resign())
        to_the_end(trial)
        proven(trial)


def test_an_arbiter_may_take_a_seat_out_in_each_phase(rules: Rules) -> None:
    """As a resignation does, with a reason in the log."""
    for one, version in phases(rules).values():
        resigned, forfeited = go_on(one, version), go_on(one, version)
        resigned.take(resigned.by_seat(0), commands.Resign())
        forfeited.take(forfeited.organizer(), commands.Forfeit(0, ORGANIZER))
        assert resigned.match.state == forfeited.match.state
        assert resigned.match.owed == forfeited.match.owed
        proven(forfeited)


def test_a_match_may_be_void_or_adjudicated_in_each_phase(rules: Rules) -> None:
    """The state stays as it stood, and nobody owes anything."""
    for one, version in phases(rules).values():
        seats = one.setup.seats
        ranking = tuple(commands.Rank(seat, seats - seat) for seat in range(seats))
        for command in (commands.Void(ORGANIZER), commands.Adjudicate(ranking, ORGANIZER)):
            trial = go_on(one, version)
            before = trial.match.state
            trial.take(trial.organizer(), command)
            assert trial.match.state == before
            assert (trial.match.over, trial.match.owed) == (True, ())
            assert trial.rules.deadline(trial.match) is None
            proven(trial)


def test_a_pause_in_each_phase_changes_nothing_but_time(rules: Rules) -> None:
    """Whoever owed a command owes it afterwards; what was due later is due later still."""
    for one, version in phases(rules).values():
        trial = go_on(one, version)
        before = trial.match
        due = rules.deadline(before)
        trial.take(trial.organizer(), commands.Pause())
        assert rules.deadline(trial.match) is None
        trial.now += 90_000
        trial.take(trial.organizer(), commands.Resume())
        assert trial.match.owed == before.owed
        assert rules.deadline(trial.match) == (None if due is None else due + 90_000)
        if due is None:
            assert trial.match.state == before.state
        to_the_end(trial)
        proven(trial)


def test_a_seat_may_resign_while_paused_in_each_phase(rules: Rules) -> None:
    """What follows from it may wait for the resume; then play goes on to the end."""
    for one, version in phases(rules).values():
        for seat in range(one.setup.seats):
            trial = go_on(one, version, seat)
            trial.take(trial.organizer(), commands.Pause())
            trial.now += 5_000
            trial.take(trial.by_seat(seat), commands.Resign())
            trial.now += 5_000
            if not trial.match.over:
                assert trial.match.status == "paused"
                trial.take(trial.organizer(), commands.Resume())
            to_the_end(trial)
            proven(trial)


def test_a_call_in_each_phase_is_a_pause_until_it_is_over(rules: Rules) -> None:
    """Answered, taken back, or gone with its seat, whatever the seat owed."""
    ends = (
        (Trial.organizer, commands.AnswerCall("play on")),
        (lambda trial: trial.by_seat(1), commands.WithdrawCall()),
        (lambda trial: trial.by_seat(1), commands.Resign()),
    )
    for one, version in phases(rules).values():
        for number, (who, command) in enumerate(ends):
            trial = go_on(one, version, number)
            due = rules.deadline(trial.match)
            trial.take(trial.by_seat(1), commands.CallArbiter("look at this"))
            assert (trial.match.status, rules.deadline(trial.match)) == ("paused", None)
            trial.now += 90_000
            trial.take(who(trial), command)
            assert trial.match.status != "paused"
            if due is not None and type(command) is not commands.Resign:
                assert rules.deadline(trial.match) == due + 90_000
            to_the_end(trial)
            proven(trial)


def test_a_match_that_nobody_plays_is_void_in_each_phase(rules: Rules) -> None:
    """Where that was laid down; what falls due before, windows and flags, is dealt with first."""
    for phase, (one, _) in phases(rules).items():
        setup = replace(one.setup, idle_s=10**7)
        trial = Trial(rules, setup, chance_of("play", rules.game.id, phase))
        while trial.match.state.phase != phase and not trial.match.over:
            trial.go_on()
        while not trial.match.over:
            due = rules.awaited(trial.match)
            assert due is not None
            trial.now = max(due, trial.match.at)
            command = rules.overdue(trial.match, trial.now)
            assert command is not None
            trial.take(Asker("service", None, trial.now), command)
        proven(trial)


def test_a_draw_may_be_agreed_in_each_phase(rules: Rules) -> None:
    """All share place 1."""
    for one, version in phases(rules).values():
        trial = go_on(one, version)
        first, *others = range(one.setup.seats)
        trial.take(trial.by_seat(first), commands.OfferDraw())
        for seat in others:
            trial.take(trial.by_seat(seat), commands.AcceptDraw())
        match = proven(trial)
        assert match.result is not None
        assert {row.place for row in match.result.ranking} == {1}
        assert {row.score for row in match.result.ranking} == {rules.game.draw_score}


def as_of(rules: Rules, past: Match, now: Match) -> object:
    """The state of `past`, with what it times set forward by the time between."""
    return rules.game.resumed(past.state, now.at - past.at)


def test_an_arbiter_may_go_back_to_every_version(rules: Rules) -> None:
    """State, turns and seats are exactly those of then; play goes on from there."""
    for one in quiet(rules)[:3]:
        last = len(one.steps) - 1
        for to in {1, 2, *range(3, last, max(1, last // 12))}:
            trial = go_on(one, last, to)
            trial.take(trial.organizer(), commands.TakeBack(to, ORGANIZER, keep_piles=True))
            past = one.at(to)
            assert trial.match.state == as_of(rules, past, trial.match)
            assert (trial.match.owed, trial.match.seats) == (past.owed, past.seats)
            assert trial.match.draws == one.at(last).draws
            for _ in range(5):
                if not trial.match.over:
                    trial.go_on()
            proven(trial)


def test_piles_that_were_drawn_from_are_shuffled_anew(rules: Rules) -> None:
    """They hold the cards of then in another order, a draw number each; the others lie as then."""
    of: Callable[[Any], Any] = rules.game.piles.of if rules.game.piles else lambda _state: ()
    for one in quiet(rules)[:3]:
        last = len(one.steps) - 1
        trial = go_on(one, last, 1)
        trial.take(trial.organizer(), commands.TakeBack(1, ORGANIZER))
        now, then, drawn_from = (of(at.state) for at in (trial.match, one.at(1), one.at(last)))
        assert [sorted(pile, key=repr) for pile in now] == [sorted(p, key=repr) for p in then]
        touched = [was != lay for was, lay in zip(then, drawn_from, strict=True)]
        assert all(
            lies == lay for lies, lay, anew in zip(now, then, touched, strict=True) if not anew
        )
        assert trial.match.draws == one.at(last).draws + sum(touched)
        proven(trial)


def test_players_may_go_back_to_each_version_that_tells_nobody_anything(rules: Rules) -> None:
    """With everyone's consent; to any other the request is refused, and by its ruling."""
    for one, version in _standing(rules):
        for to in range(max(1, version - 6), version):
            trial = go_on(one, version, to)
            first, *others = range(one.setup.seats)
            request = commands.RequestTakeback(to)
            if trial.match.revealed > to:
                assert _refusal(rules, trial, trial.by_seat(first), request) == "takeback-reveals"
                continue
            trial.take(trial.by_seat(first), request)
            for seat in others:
                trial.take(trial.by_seat(seat), commands.AcceptTakeback())
            assert trial.match.state == as_of(rules, one.at(to), trial.match)
            assert trial.match.owed == one.at(to).owed
            proven(trial)


def _standing(rules: Rules) -> list[tuple[Played, int]]:
    return [
        (one, version)
        for one in quiet(rules)[:4]
        for version in range(2, len(one.steps), max(1, len(one.steps) // 12))
    ]


def _refusal(rules: Rules, trial: Trial, by: Asker, command: commands.RequestTakeback) -> str:
    return next(ruling for ruling, wrong in rules.judged(trial.match, by, command) if wrong)


def test_a_clock_runs_for_whoever_owes_a_command_in_each_phase(rules: Rules) -> None:
    """Time is spent by them alone; a flag takes them out, and play goes on or ends."""
    for number in range(6):
        setup = Setup(
            seats=max(rules.game.players),
            seed=seed_of("clock", number),
            clock=ClockSetting(base_s=3 + 9 * number, increment_s=number % 2),
        )
        trial = Trial(rules, setup, chance_of("clock", rules.game.id, number))
        while not trial.match.over:
            before = trial.match
            step = trial.go_on()
            after = step.decided.match
            assert before.clock is not None
            assert after.clock is not None
            spent = [n for n in range(setup.seats) if after.clock.left[n] < before.clock.left[n]]
            assert set(spent) <= set(before.owed)
        proven(trial)


def test_everybody_sees_the_same_result(rules: Rules) -> None:
    """In the view of a finished match nothing of the result is hidden."""
    for one in quiet(rules):
        match = one.end
        assert match.result is not None
        certified = go_on(one, len(one.steps))
        certified.take(certified.organizer(), commands.Certify())
        assert certified.match.result == replace(match.result, certified=True)
        proven(certified)
