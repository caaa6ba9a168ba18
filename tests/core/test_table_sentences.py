"""What the table says when it refuses: the seat, the version or the number that it is about."""

from __future__ import annotations

import msgspec
import pytest

from referee.core.game import Command
from referee.core.judging import Malformed
from referee.core.match import ClockSetting
from referee.core.ruling import Refusal
from referee.core.table.commands import (
    AcceptDraw,
    AcceptTakeback,
    AddEntropy,
    Adjudicate,
    AnswerCall,
    CallArbiter,
    Certify,
    ClaimTimeout,
    DeclineDraw,
    DeclineTakeback,
    ExcuseOutage,
    OfferDraw,
    Outage,
    Rank,
    RequestTakeback,
    Resign,
    Resume,
    TakeBack,
    WithdrawCall,
)
from referee.games.giro_galoppo.types import ChooseCard, PlaceObstacle
from tests.core.play import START, Play, Who

NOTE = ClockSetting(base_s=60, on_flag="note")


def said(play: Play, who: Who, command: Command) -> str:
    """What the refusal of a command says."""
    with pytest.raises(Refusal) as refused:
        play.rules.judge(play.match, play.asker(who), command)
    return refused.value.detail


def test_a_seat_that_there_is_not_is_named() -> None:
    """With the seats that there are: one that asks, and one that a command names."""
    play = Play(seats=3, clock=NOTE)
    assert said(play, 3, Resign()) == "There is no seat 3: the seats are 0 to 2."
    assert said(play, 0, ClaimTimeout(7)) == "There is no seat 7: the seats are 0 to 2."


def test_a_seat_that_has_left_is_named() -> None:
    """It has no part in the match any more."""
    play = Play(seats=3)
    play.take(1, Resign())
    assert said(play, 1, OfferDraw()) == "Seat 1 has withdrawn from the match."


def test_whose_entropy_is_awaited_is_said() -> None:
    """Before the deal, each seat that has not added any."""
    play = Play(seats=3, entropy="seats")
    play.take(1, AddEntropy("a0" * 16))
    assert said(play, 1, Resign()) == (
        "Nothing is dealt yet: the entropy of these seats is awaited: 0, 2."
    )


def test_a_command_of_the_game_is_told_whose_turn_it_is() -> None:
    """All who are to act are named, and who has left."""
    play = Play(seats=4).race()
    play.take(0, ChooseCard(3))
    assert said(play, 0, ChooseCard(4)) == "Seat 0 is not to act now: 1, 2, 3 is."
    play.take(1, Resign())
    assert said(play, 1, ChooseCard(4)) == "Seat 1 has withdrawn from the match."
    assert said(play, 0, ChooseCard(4)) == "Seat 0 is not to act now: 2, 3 is."


def test_what_does_not_fit_the_options_is_told_by_its_path() -> None:
    """Path by path, in one line."""
    assert str(Malformed([("card", "no such card"), ("at[0]", "off the board")])) == (
        "card: no such card; at[0]: off the board"
    )


def test_how_the_match_stands_is_said() -> None:
    """To who resumes what is not paused, or certifies what is not finished."""
    play = Play()
    assert said(play, "organizer", Resume()) == "The match is active, not paused."
    assert said(play, "organizer", Certify()) == "The match is active, not finished."


def test_the_place_that_does_not_follow_is_named() -> None:
    """And the seats that a ranking has to name."""
    play = Play(seats=3)
    short = Adjudicate((Rank(0, 1), Rank(1, 2)), "r")
    wrong = Adjudicate((Rank(0, 1), Rank(1, 3), Rank(2, 3)), "r")
    assert said(play, "organizer", short) == "The ranking must name each of the seats 0 to 2 once."
    assert said(play, "organizer", wrong) == (
        "Place 3 does not follow: places count from 1, and equal ones are shared."
    )


def test_who_has_offered_a_draw_is_named() -> None:
    """And who has agreed to it, and who may not offer another yet."""
    play = Play(seats=3)
    assert said(play, 0, AcceptDraw()) == "Nobody has asked for a draw."
    play.take(1, OfferDraw())
    assert said(play, 2, OfferDraw()) == "Seat 1 has offered a draw already."
    assert said(play, 1, AcceptDraw()) == "Seat 1 has asked for a draw itself."
    play.take(2, AcceptDraw())
    assert said(play, 2, AcceptDraw()) == "Seat 2 has agreed to a draw already."
    play.take(0, DeclineDraw())
    assert said(play, 1, OfferDraw()) == (
        "Seat 1 may make another offer of a draw only after the next move in the game."
    )


def test_who_has_asked_for_a_take_back_is_named() -> None:
    """And who may not ask again yet."""
    play = Play(seats=3)
    play.take(0, PlaceObstacle(2))
    assert said(play, 2, DeclineTakeback()) == "Nobody has asked for a take-back."
    play.take(0, RequestTakeback(1))
    assert said(play, 2, RequestTakeback(1)) == "Seat 0 has asked for a take-back already."
    play.take(1, DeclineTakeback())
    assert said(play, 0, RequestTakeback(1)) == (
        "Seat 0 may make another request for a take-back only after the next move in the game."
    )


def test_the_versions_that_a_take_back_is_about_are_named() -> None:
    """The one that there is not, and the commits that nobody goes back past."""
    play = Play(seats=3)
    play.take(0, PlaceObstacle(2))
    for to in (0, 2, 9):
        for who, command in ((0, RequestTakeback(to)), ("organizer", TakeBack(to, "r"))):
            detail = f"There is no version {to} before the present 2."
            assert said(play, who, command) == detail
    play.take(2, Resign())
    assert said(play, 0, RequestTakeback(1)) == (
        "In commit 3 a seat left: only the organizer may go back past it."
    )


def test_the_commit_that_revealed_something_is_named() -> None:
    """The one in which cards were shown, whatever came after it."""
    play = Play(seats=2).race().choose((1, 2))
    assert said(play, 0, RequestTakeback(1)) == (
        "Commit 8 revealed something: only the organizer may go back past it."
    )


def test_what_play_has_passed_is_named_to_who_agrees() -> None:
    """The commit after the request in which a seat left."""
    play = Play(seats=3)
    play.take(0, PlaceObstacle(2))
    play.take(0, RequestTakeback(1))
    play.take(2, Resign())
    assert said(play, 1, AcceptTakeback()) == "In commit 4 a seat has left since."


def test_who_has_called_the_arbiter_is_named() -> None:
    """How often that may be, and about which versions."""
    play = Play(seats=3, calls=1)
    assert said(play, "organizer", AnswerCall("r")) == "No call to the arbiter stands."
    assert said(play, 1, CallArbiter("?", 0)) == "There is no version 0: the match has 1 to 1."
    assert said(play, 1, CallArbiter("?", 2)) == "There is no version 2: the match has 1 to 1."
    play.take(1, CallArbiter("look", 1))
    assert said(play, 2, CallArbiter("me too")) == "A call to the arbiter by seat 1 stands."
    assert said(play, 0, WithdrawCall()) == "The call is one by seat 1, not by seat 0."
    play.take(1, WithdrawCall())
    assert said(play, 1, CallArbiter("again")) == (
        "Seat 1 has called the arbiter as often as it may in this match: 1 times."
    )


def test_the_seat_and_its_time_are_named_by_who_claims_it() -> None:
    """To the last millisecond: at exactly 0 the time has run out, and the flag falls once."""
    play = Play(seats=2, clock=NOTE)
    assert said(play, 0, ClaimTimeout(1)) == "No clock of seat 1 is running."
    play.now = START + 59_999
    assert said(play, 1, ClaimTimeout(0)) == "Seat 0 has 0.001 s left."
    play.now = START + 60_000
    play.take(1, ClaimTimeout(0))
    assert said(play, 1, ClaimTimeout(0)) == "The flag of seat 0 has fallen already."


def test_the_times_of_an_outage_are_named() -> None:
    """It has to lie between the commit before and the present, and to last."""
    play = Play(clock=NOTE)
    play.now = START + 5000
    detail = (
        f"The time from {START + 1} to {START + 5001} ms does not lie between {START}, up to which "
        f"nothing more is to be excused, and the present, {START + 5000}."
    )
    assert said(play, "service", ExcuseOutage((Outage(START + 1, START + 5001),))) == detail
    assert said(play, "service", ExcuseOutage(())) == "No outage is named."
    for from_, until in ((START - 1, START + 9), (START + 7, START + 7)):
        assert said(play, "service", ExcuseOutage((Outage(from_, until),)))
    to_the_brim = (Outage(START, START + 1), Outage(START + 1, START + 5000))
    play.take("service", ExcuseOutage(to_the_brim))
    assert msgspec.to_builtins(play.match.clock)["read_at"] == START + 5000
