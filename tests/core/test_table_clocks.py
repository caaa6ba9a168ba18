"""Clocks and pauses: whose time runs, what a flag does, what stands still."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import pytest

from referee.core import clock as clocks
from referee.core.commit import Commit
from referee.core.judging import NotAllowed, tag
from referee.core.match import ClockFace, ClockSetting
from referee.core.table.commands import (
    ClaimTimeout,
    ExcuseOutage,
    GrantTime,
    OfferDraw,
    Outage,
    Pause,
    Resign,
    Resume,
    TakeBack,
    Void,
)
from referee.core.table.events import (
    Flagged,
    OutageExcused,
    Paused,
    Resumed,
    TimeGranted,
    Withdrawn,
)
from referee.core.verify import verify
from referee.core.visibility import SPECTATOR
from referee.games.dancing_villager import GAME as VILLAGER
from referee.games.dancing_villager.types import Grab, Ready
from referee.games.giro_galoppo import GAME as GIRO
from referee.games.giro_galoppo.types import ChooseCard, PlaceObstacle
from tests.core.play import START, Play, types_of

FORFEIT = ClockSetting(base_s=60)
NOTE = ClockSetting(base_s=60, on_flag="note")
INCREMENT = ClockSetting(base_s=60, increment_s=5)


def _left(play: Play) -> tuple[int, ...]:
    """Milliseconds left by seat, as the last commit found them."""
    assert play.match.clock is not None
    return play.match.clock.left


# ── spending ──────────────────────────────────────────────────────────────────────────────────────


def test_only_who_owes_a_command_spends_time() -> None:
    """The seat to act pays for its thinking, the others for nothing."""
    play = Play(clock=FORFEIT)
    play.wait(10)
    play.take(0, PlaceObstacle(2))
    play.wait(20)
    play.take(1, PlaceObstacle(4))
    assert _left(play) == (50_000, 40_000, 60_000)
    play.verify()


def test_all_who_owe_one_at_once_spend_at_once() -> None:
    """In the race every seat that has not chosen pays, until it has."""
    play = Play(clock=FORFEIT).race()
    play.wait(10)
    play.take(1, ChooseCard(2))
    play.wait(10)
    play.take(0, ChooseCard(2))
    assert _left(play) == (40_000, 50_000, 40_000)


def test_an_own_command_adds_the_increment() -> None:
    """After the time spent on it; commands of the table, and the others', add nothing."""
    play = Play(clock=INCREMENT)
    play.wait(10)
    play.take(0, OfferDraw())
    assert _left(play) == (50_000, 60_000, 60_000)
    play.take(0, PlaceObstacle(2))
    assert _left(play) == (55_000, 60_000, 60_000)
    play.verify()


def test_a_command_that_nobody_owed_adds_nothing() -> None:
    """Hands that grab while no clock runs earn no time, however often they do."""
    play = Play(VILLAGER, seats=2, clock=INCREMENT)
    play.take(0, Ready())
    play.take(1, Ready())
    before = _left(play)
    play.take(0, Grab(what="dog"))
    play.take(1, Grab(what="bonfire"))
    assert _left(play) == before
    assert play.verify().dispute is None


def test_time_that_was_overrun_is_no_debt() -> None:
    """A flag that falls 5 s late leaves nothing, not less: what is granted is there in full."""
    play = Play(clock=NOTE)
    play.wait(65)
    play.take(1, ClaimTimeout(0))
    assert _left(play) == (0, 60_000, 60_000)
    play.take("organizer", GrantTime(0, 30))
    assert _left(play) == (30_000, 60_000, 60_000)
    play.verify()


def test_every_commit_reads_the_clock() -> None:
    """A command of the table charges who is to act, and nobody twice."""
    play = Play(clock=FORFEIT)
    play.wait(10)
    play.take(2, OfferDraw())
    play.wait(5)
    play.take(0, PlaceObstacle(2))
    assert _left(play) == (45_000, 60_000, 60_000)


def test_the_view_shows_the_clock() -> None:
    """What was set, what is left as it stood when read, and whose time runs."""
    play = Play(clock=INCREMENT)
    play.wait(10)
    play.take(0, PlaceObstacle(2))
    assert play.view(SPECTATOR)["clock"] == {
        "base_s": 60,
        "increment_s": 5,
        "on_flag": "forfeit",
        "left_ms": [55_000, 60_000, 60_000],
        "flagged": [False, False, False],
        "running": [1],
        "read_at": play.now,
    }
    assert play.view(SPECTATOR)["deadline"] == play.now + 60_000
    assert "clock" not in Play().view(SPECTATOR)


def test_no_time_is_left_below_nothing() -> None:
    """Whoever plays on behind a flag that is only noted has nothing left, and owes nothing."""
    play = Play(clock=NOTE)
    play.wait(100)
    play.take("service", ClaimTimeout(0))
    play.wait(100)
    play.take(0, PlaceObstacle(2))
    assert _left(play)[0] == 0


# ── flags ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("who", [0, 1, "organizer", "service"])
def test_anyone_may_claim_a_time_that_has_run_out(who: Any) -> None:
    """A flag forfeits the seat where the clock is set so."""
    play = Play(clock=FORFEIT)
    play.wait(60)
    assert play.take(who, ClaimTimeout(0)) == [Flagged(0), Withdrawn(0, "flagged")]
    assert play.match.owed == (1,)
    play.verify()


def test_a_flag_that_leaves_one_seat_ends_the_match_on_time() -> None:
    """The reason is the flag, not a withdrawal."""
    play = Play(seats=2, clock=FORFEIT)
    play.wait(60)
    events = play.take("service", ClaimTimeout(0))
    assert types_of(events) == ["flagged", "withdrawn", "match_ended", "seed_revealed"]
    assert play.match.result is not None
    assert play.match.result.reason == "flag"
    play.verify()


def test_a_flag_is_only_noted_where_the_clock_is_set_so() -> None:
    """The seat plays on, flagged for all to see, and is not flagged again."""
    play = Play(clock=NOTE)
    play.wait(60)
    assert play.take("service", ClaimTimeout(0)) == [Flagged(0)]
    assert play.view(SPECTATOR)["clock"]["flagged"] == [True, False, False]
    assert play.match.owed == (0,)
    assert play.refusal("service", ClaimTimeout(0)) == "clock-runs"
    assert play.rules.deadline(play.match) is None
    play.verify()


def test_only_granted_time_takes_a_flag_down() -> None:
    """An increment is added and the flag stays; after a grant it may fall again."""
    play = Play(seats=2, clock=ClockSetting(60, 5, "note"))
    play.wait(60)
    play.take("service", ClaimTimeout(0))
    play.take(0, PlaceObstacle(2))
    play.take(1, PlaceObstacle(4))
    assert _left(play) == (5_000, 65_000)
    assert play.view(SPECTATOR)["clock"]["flagged"] == [True, False]
    assert play.rules.deadline(play.match) is None
    play.take("organizer", GrantTime(0, 30))
    assert play.view(SPECTATOR)["clock"]["flagged"] == [False, False]
    assert play.rules.deadline(play.match) == play.now + 35_000
    play.wait(35)
    assert play.take("service", ClaimTimeout(0)) == [Flagged(0)]
    play.verify()


def test_a_take_back_puts_flags_back_as_they_stood() -> None:
    """One that fell since stands again, one that had fallen before is down again."""
    play = Play(seats=2, clock=NOTE)
    play.take(0, PlaceObstacle(2))
    play.wait(60)
    play.take("service", ClaimTimeout(1))
    flagged = play.match.version
    play.take("organizer", GrantTime(1, 30))
    play.take("organizer", TakeBack(flagged - 1, "a slip"))
    assert play.view(SPECTATOR)["clock"]["flagged"] == [False, False]
    assert _left(play) == (60_000, 60_000)
    play.take("organizer", TakeBack(flagged, "no slip"))
    assert play.view(SPECTATOR)["clock"]["flagged"] == [False, True]
    assert _left(play) == (60_000, 0)
    play.verify()


def test_a_millisecond_too_early_is_refused() -> None:
    """The time runs out when nothing is left, and not before."""
    play = Play(clock=FORFEIT)
    play.wait(59.999)
    assert play.refusal(1, ClaimTimeout(0)) == "clock-runs"
    play.wait(0.001)
    assert play.take(1, ClaimTimeout(0))


@pytest.mark.parametrize(
    ("given", "who", "seat", "ruling"),
    [
        ([], 0, 1, "clock-runs"),
        ([], 0, 3, "not-seated"),
        ([], 3, 0, "not-seated"),
        ([(1, Resign())], 0, 1, "withdrawn"),
        ([(1, Resign())], 1, 0, "withdrawn"),
        ([("organizer", Pause())], 1, 0, "match-paused"),
        ([("organizer", Void("x"))], 1, 0, "match-over"),
    ],
    ids=["not to act", "no such seat", "of no seat", "out", "of one out", "paused", "over"],
)
def test_a_claim_is_refused(given: list[Any], who: Any, seat: int, ruling: str) -> None:
    """Of a clock that does not run, and from or about who is not in."""
    play = Play(clock=FORFEIT)
    play.wait(30)
    for earlier in given:
        play.take(*earlier)
    assert play.refusal(who, ClaimTimeout(seat)) == ruling


def test_without_a_clock_no_time_is_claimed_or_granted() -> None:
    """There is none to claim or grant."""
    play = Play()
    play.wait(1000)
    assert play.refusal(1, ClaimTimeout(0)) == "no-clock"
    assert play.refusal("organizer", GrantTime(0, 5)) == "no-clock"


# ── the stamp decides ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("who", "command"),
    [
        (0, PlaceObstacle(2)),
        (0, Resign()),
        (1, OfferDraw()),
        (1, ClaimTimeout(1)),
        ("organizer", Pause()),
        ("organizer", Void("x")),
        ("organizer", GrantTime(0, 60)),
    ],
)
def test_whatever_is_stamped_when_a_clock_has_run_out_stands_behind_its_flag(
    who: Any, command: Any
) -> None:
    """From the very millisecond on, and not before; no matter whose command it is."""
    play = Play(clock=FORFEIT)
    play.wait(60)
    assert play.rules.flag_before(play.match, play.now - 1, command) is None
    assert play.rules.flag_before(play.match, play.now, command) == ClaimTimeout(0)
    log = [*play.log, late(play, who, command)]
    dispute = verify(play.rules, "m1", log).dispute
    assert dispute is not None
    assert (dispute.kind, dispute.version) == ("flag", 2)
    assert dispute.expected == {"type": "claim_timeout", "seat": 0}
    assert dispute.found["type"] == tag(command)


def late(play: Play, who: Any, command: Any) -> bytes:
    """A commit as a service would write it that does not look at the clock: chained, and lawful."""
    commit: Any = Commit(
        2, play.now, str(play.asker(who)), None, None, command, (), play.match.head
    )
    return msgspec.msgpack.encode(commit)


def test_a_flag_comes_first_once() -> None:
    """The claim of that very flag needs none before it, by whomever; nor does an excuse."""
    play = Play(clock=FORFEIT)
    play.wait(60)
    assert play.rules.flag_before(play.match, play.now, ClaimTimeout(0)) is None
    assert play.rules.flag_before(play.match, play.now, excuse((START, play.now))) is None
    play.take(2, ClaimTimeout(0))
    assert play.rules.flag_before(play.match, play.now, PlaceObstacle(2)) is None


def test_flags_fall_in_the_order_in_which_the_clocks_ran_out() -> None:
    """Not in that of the seats; of two at once the lower seat's is first."""
    play = Play(clock=NOTE).race()
    play.take("organizer", GrantTime(0, 10))
    play.wait(100)
    order = []
    while (flag := play.rules.flag_before(play.match, play.now, Pause())) is not None:
        order.append(flag.seat)
        play.take("service", flag)
    assert order == [1, 2, 0]


def test_an_outage_changes_nothing_in_the_order_of_flags() -> None:
    """What each overran is known until its flag falls, though all stand at nothing."""
    play = Play(clock=FORFEIT).race()
    play.take("organizer", GrantTime(0, 10))
    began = play.now
    play.wait(200)
    play.take("service", excuse((began + 1000, began + 31_000)))
    assert play.view(SPECTATOR)["clock"]["left_ms"] == [0, 0, 0]
    assert play.rules.overdue(play.match, play.now) == ClaimTimeout(1)
    play.verify()


def test_a_flag_falls_before_what_a_game_waits_for() -> None:
    """A window that ends is closed by a command like any other."""
    timed = dataclasses.replace(GIRO, version=7, deadline=lambda _state: START + 10)
    play = Play(timed, clock=FORFEIT)
    assert play.rules.overdue(play.match, START + 60_000) == ClaimTimeout(0)


# ── what is due ───────────────────────────────────────────────────────────────────────────────────


def test_the_deadline_is_the_first_flag() -> None:
    """Of those whose time runs, the one with the least left."""
    play = Play(clock=FORFEIT).race()
    play.wait(10)
    play.take(1, ChooseCard(2))
    play.take("organizer", GrantTime(0, 100))
    assert play.rules.deadline(play.match) == play.now + 50_000


def test_the_service_owes_a_claim_from_the_deadline_on() -> None:
    """Not before, not while paused, not once it is over."""
    play = Play(clock=FORFEIT)
    due = play.rules.deadline(play.match)
    assert due == START + 60_000
    assert play.rules.overdue(play.match, due - 1) is None
    assert play.rules.overdue(play.match, due) == ClaimTimeout(0)
    play.take("organizer", Pause())
    assert play.rules.deadline(play.match) is None
    assert play.rules.overdue(play.match, due + 9) is None
    play.take("organizer", Void("x"))
    assert play.rules.deadline(play.match) is None
    assert play.rules.overdue(play.match, due + 9) is None


@pytest.mark.parametrize(("games", "first"), [(20_000, 20_000), (90_000, 60_000)])
def test_of_a_games_deadline_and_a_flag_the_earlier_is_due(games: int, first: int) -> None:
    """A game may have something of its own to wait for."""
    timed = dataclasses.replace(GIRO, version=games, deadline=lambda _state: START + games)
    play = Play(timed, clock=FORFEIT)
    assert play.rules.deadline(play.match) == START + first
    assert play.view(SPECTATOR)["deadline"] == START + first


# ── granting ──────────────────────────────────────────────────────────────────────────────────────


def test_granted_time_is_added() -> None:
    """To any seat, whoever is to act, and also in a pause."""
    play = Play(clock=FORFEIT)
    play.wait(10)
    assert play.take("organizer", GrantTime(1, 30)) == [TimeGranted(1, 30)]
    assert _left(play) == (50_000, 90_000, 60_000)
    play.take("organizer", Pause())
    play.take("organizer", GrantTime(0, 1))
    assert _left(play) == (51_000, 90_000, 60_000)
    play.verify()


@pytest.mark.parametrize(
    ("given", "seat", "ruling"),
    [
        ([], 3, "not-seated"),
        ([(1, Resign())], 1, "withdrawn"),
        ([("organizer", Void("x"))], 1, "match-over"),
    ],
)
def test_granting_is_refused(given: list[Any], seat: int, ruling: str) -> None:
    """To who is not in, and after the end."""
    play = Play(clock=FORFEIT)
    for earlier in given:
        play.take(*earlier)
    assert play.refusal("organizer", GrantTime(seat, 5)) == ruling


# ── pauses ────────────────────────────────────────────────────────────────────────────────────────


def test_nothing_is_played_and_no_clock_runs_while_paused() -> None:
    """Until the resume, whose event says how long it was."""
    play = Play(clock=FORFEIT)
    play.wait(10)
    assert play.take("organizer", Pause()) == [Paused()]
    assert play.view(SPECTATOR)["clock"]["running"] == []
    play.wait(500)
    assert play.refusal(0, PlaceObstacle(2)) == "match-paused"
    assert play.rules.legal(play.match, play.asker(0)).commands == ()
    assert play.take("organizer", Resume()) == [Resumed(500_000)]
    play.wait(5)
    play.take(0, PlaceObstacle(2))
    assert _left(play) == (45_000, 60_000, 60_000)
    play.verify()


def test_commits_made_while_paused_charge_nobody() -> None:
    """A resignation in the pause moves the clock's reading on, not its hands."""
    play = Play(clock=FORFEIT)
    play.take("organizer", Pause())
    play.wait(100)
    play.take(2, Resign())
    play.wait(100)
    play.take("organizer", Resume())
    assert _left(play) == (60_000, 60_000, 60_000)


def test_a_pause_is_not_paused_nor_play_resumed() -> None:
    """Each is refused where it changes nothing, and after the end."""
    play = Play()
    assert play.refusal("organizer", Resume()) == "not-paused"
    play.take("organizer", Pause())
    assert play.refusal("organizer", Pause()) == "match-paused"
    play.take("organizer", Void("x"))
    assert play.refusal("organizer", Pause()) == "match-over"
    assert play.refusal("organizer", Resume()) == "match-over"


# ── outages ───────────────────────────────────────────────────────────────────────────────────────


def excuse(*outages: tuple[int, int]) -> ExcuseOutage:
    """The service's command about outages, each from when until when."""
    return ExcuseOutage(tuple(Outage(*one) for one in outages))


def test_an_outage_is_charged_to_nobody() -> None:
    """Who owed a command gets back the time in which the store was away."""
    play = Play(clock=FORFEIT)
    play.wait(10)
    began = play.now
    play.wait(20)
    assert play.take("service", excuse((began, play.now))) == [OutageExcused(began, play.now)]
    assert _left(play) == (50_000, 60_000, 60_000)
    play.wait(1)
    play.take(0, PlaceObstacle(2))
    assert _left(play) == (49_000, 60_000, 60_000)
    play.verify()


def test_no_time_is_given_back_twice() -> None:
    """An outage that reaches before the last commit, or into the future, is refused."""
    play = Play(clock=FORFEIT)
    play.wait(20)
    play.take("service", excuse((START, play.now)))
    again = excuse((START, play.now))
    play.wait(1)
    for outage in (
        again,
        excuse((play.now - 500, play.now + 1)),
        excuse((play.now, play.now - 1)),
        excuse((play.now - 500, play.now - 400), (play.now - 450, play.now - 300)),
        excuse(),
    ):
        assert play.refusal("service", outage) == "outage"


def test_several_outages_between_two_commits_are_excused_together() -> None:
    """Only the time between them is charged."""
    play = Play(clock=FORFEIT)
    play.wait(50)
    first, second = (START + 10_000, START + 20_000), (START + 20_000, START + 45_000)
    events = play.take("service", excuse(first, second))
    assert events == [OutageExcused(*first), OutageExcused(*second)]
    assert _left(play) == (45_000, 60_000, 60_000)
    play.verify()


def test_only_the_service_knows_of_an_outage() -> None:
    """Nobody else may say that there was one; nor in a pause, nor after the end."""
    play = Play(clock=FORFEIT)
    for who in (0, "organizer"):
        with pytest.raises(NotAllowed):
            play.rules.judge(play.match, play.asker(who), excuse((START, START)))
    play.take("organizer", Pause())
    assert play.refusal("service", excuse((START, START))) == "match-paused"
    play.take("organizer", Void("x"))
    assert play.refusal("service", excuse((START, START))) == "match-over"


def test_time_that_ran_out_in_an_outage_comes_back() -> None:
    """Only what was charged comes back: a clock that stood at nothing has no more than before."""
    play = Play(clock=FORFEIT)
    play.wait(50)
    began = play.now
    play.wait(100)
    play.take("service", excuse((began, play.now)))
    assert _left(play) == (10_000, 60_000, 60_000)
    play.verify()


def test_an_open_window_stands_still_in_an_outage() -> None:
    """Also in a match without a clock: whoever could not grab gets the time to do it."""
    play = Play(VILLAGER, seats=3)
    for seat in range(3):
        play.take(seat, Ready())
    ends = play.match.state.window_ends
    play.wait(1)
    began = play.now
    play.wait(60)
    play.take("service", excuse((began, play.now)))
    assert play.match.state.window_ends == ends + 60_000
    assert play.rules.deadline(play.match) == ends + 60_000
    play.take(0, Grab("dog"))
    play.verify()


# ── the arithmetic ────────────────────────────────────────────────────────────────────────────────


FACE = ClockFace((5000, 3000), (False, True), 1000)


def test_a_clock_read_before_its_last_reading_stays() -> None:
    """Time never runs backwards, whatever another process's clock says."""
    assert clocks.spend(FACE, (0,), 400) == FACE


def test_who_is_flagged_is_no_ones_next_flag() -> None:
    """Only clocks that still can run out count."""
    assert clocks.first_flag(FACE, (0, 1)) == (6000, 0)
    assert clocks.first_flag(FACE, (1,)) is None
    assert clocks.first_flag(FACE, ()) is None


def test_time_left_is_read_without_spending_it() -> None:
    """At any moment, 0 where it has run out, all of it where it does not run."""
    assert clocks.left_at(FACE, 0, (0,), 2500) == 3500
    assert clocks.left_at(FACE, 0, (0,), 9999) == 0
    assert clocks.left_at(FACE, 0, (1,), 9999) == 5000
