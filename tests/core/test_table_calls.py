"""Calls to the arbiter: made, answered, withdrawn; what about is between the two."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.commit import SALT_BYTES, open_envelope
from referee.core.judging import Malformed
from referee.core.match import ClockSetting
from referee.core.table.commands import (
    Adjudicate,
    AnswerCall,
    CallArbiter,
    Forfeit,
    OfferDraw,
    Pause,
    Rank,
    Resign,
    Resume,
    TakeBack,
    Void,
    WithdrawCall,
)
from referee.core.table.events import (
    ArbiterCalled,
    CallAnswered,
    CallWithdrawn,
    Paused,
    Resumed,
    Withdrawn,
)
from referee.core.visibility import ORGANIZER, SPECTATOR, Viewer, events_seen, seat_viewer
from referee.games.giro_galoppo.types import PlaceObstacle
from referee.report.words import tell
from tests.core.play import START, Play, types_of

CALL = CallArbiter("seat 2 looked at my cards", about=1)
CLOCK = ClockSetting(base_s=60)


def called(**how: Any) -> Play:
    """A match in which seat 1 has called the arbiter."""
    play = Play(**how)
    play.take(1, CALL)
    return play


def test_a_call_pauses_the_match_until_it_is_answered() -> None:
    """Nothing is played meanwhile, and then play goes on."""
    play = Play()
    assert play.take(1, CALL) == [ArbiterCalled(1, CALL.text, 1), Paused()]
    assert play.view(SPECTATOR)["status"] == "paused"
    assert play.refusal(0, PlaceObstacle(2)) == "match-paused"
    play.wait(90)
    answered = [CallAnswered(1, "play on", "obstacle-gap"), Resumed(90_000)]
    assert play.take("organizer", AnswerCall("play on", "obstacle-gap")) == answered
    assert play.match.status == "active"
    play.take(0, PlaceObstacle(2))
    play.verify()


@pytest.mark.parametrize("ruling", ["hands-off", "overbid"])
def test_an_answer_rests_on_a_ruling_that_there_is(ruling: str) -> None:
    """Of this game, or of the table: what no list has, or another game's, is malformed."""
    play = called()
    with pytest.raises(Malformed, match="ruling: must be the id of a ruling of this game"):
        play.take("organizer", AnswerCall("no", ruling))
    play.take("organizer", AnswerCall("no", "call-about"))
    play.verify()


def test_a_caller_may_take_its_call_back() -> None:
    """Play goes on at once."""
    play = called()
    play.wait(5)
    assert play.take(1, WithdrawCall()) == [CallWithdrawn(1), Resumed(5_000)]
    assert (play.match.status, play.match.call) == ("active", None)
    play.verify()


EVERYBODY = (ORGANIZER, seat_viewer(0), seat_viewer(1), SPECTATOR)
TOLD = (ORGANIZER, seat_viewer(1))


@pytest.mark.parametrize("viewer", EVERYBODY, ids=str)
def test_everybody_sees_who_calls_and_nobody_else_why(viewer: Viewer) -> None:
    """In the view, while the call stands."""
    play = called()
    view = play.view(viewer)
    text, about = (CALL.text, 1) if viewer in TOLD else (None, None)
    assert view["called"] == 1
    assert view["call"] == {"seat": 1, "text": text, "about": about}
    play.take(1, WithdrawCall())
    assert play.view(viewer)["called"] is None
    assert "call" not in play.view(viewer)


@pytest.mark.parametrize("viewer", EVERYBODY, ids=str)
def test_what_is_said_is_between_the_caller_and_organizers(viewer: Viewer) -> None:
    """In events, and so in live streams and logs in words."""
    play = called()
    play.take("organizer", AnswerCall("they are yours alone"))
    seen = [events_seen(n, START, play.decided[n - 1].events, viewer)[0] for n in (2, 3)]
    call, answer = seen
    assert (call["seat"], answer["seat"]) == (1, 1)
    said = [call["text"], call["about"], answer["reason"], answer["ruling"]]
    assert said == ([CALL.text, 1, "they are yours alone", None] if viewer in TOLD else [None] * 4)
    words = " ".join(tell(play.rules.game, event, ["a", "b", "c"]) for event in seen)
    assert ("my cards" in words, "yours" in words) == (viewer in TOLD,) * 2


def test_what_is_said_is_salted() -> None:
    """A call is short: whoever guesses it cannot tell by the head that it is right."""
    play = called()
    play.take("organizer", AnswerCall("yes"))
    assert [len(open_envelope(data).salt or b"") for data in play.log[1:]] == [SALT_BYTES] * 2
    play.take(0, OfferDraw())
    assert open_envelope(play.log[-1]).salt is None


def test_a_call_stops_the_clocks() -> None:
    """The time until it is over is charged to nobody."""
    play = Play(clock=CLOCK)
    play.wait(10)
    play.take(2, CALL)
    assert play.rules.deadline(play.match) is None
    play.wait(600)
    play.take(2, WithdrawCall())
    play.wait(10)
    play.take(0, PlaceObstacle(2))
    assert play.match.clock is not None
    assert play.match.clock.left == (40_000, 60_000, 60_000)
    play.verify()


@pytest.mark.parametrize("calls", [0, 1, 3])
def test_a_seat_calls_as_often_as_was_laid_down(calls: int) -> None:
    """Each seat so often, calls that were taken back among them; a take-back gives none back."""
    play = Play(calls=calls)
    for _ in range(calls):
        play.take(1, CALL)
        play.take(1, WithdrawCall())
    assert play.refusal(1, CALL) == "calls-spent"
    play.take(0, PlaceObstacle(2))
    play.take("organizer", TakeBack(1, "a card fell off the table"))
    assert play.refusal(1, CALL) == "calls-spent"
    if calls:
        play.take(2, CALL)
    play.verify()


def test_one_call_stands_at_a_time() -> None:
    """Neither the same seat nor another makes a second one."""
    play = called()
    assert play.refusal(1, CALL) == play.refusal(2, CALL) == "arbiter-called"


def test_the_organizer_lets_play_go_on_by_an_answer_alone() -> None:
    """A match that stands still because of a call is not paused once more, nor resumed."""
    play = called()
    assert play.refusal("organizer", Resume()) == "arbiter-called"
    assert play.refusal("organizer", Pause()) == "match-paused"


@pytest.mark.parametrize("over", [AnswerCall("wait"), WithdrawCall()], ids=str)
def test_a_call_in_a_pause_leaves_the_pause_as_it_was(over: AnswerCall | WithdrawCall) -> None:
    """It may be made; when it is over the match waits for the organizer's `resume` as before."""
    play = Play()
    play.take("organizer", Pause())
    play.wait(5)
    assert play.take(1, CALL) == [ArbiterCalled(1, CALL.text, 1)]
    play.wait(5)
    who = 1 if isinstance(over, WithdrawCall) else "organizer"
    assert len(play.take(who, over)) == 1
    assert play.match.status == "paused"
    assert play.take("organizer", Resume()) == [Resumed(10_000)]
    play.verify()


def test_a_call_goes_with_the_seat_that_made_it() -> None:
    """Resigned or taken out: what it called for is over, and play goes on without it."""
    for who, command in ((1, Resign()), ("organizer", Forfeit(1, "looked at cards"))):
        play = called()
        events = play.take(who, command)
        assert isinstance(events[0], Withdrawn)
        assert events[-2:] == [CallWithdrawn(1), Resumed(0)]
        assert play.match.status == "active"
        assert play.refusal(1, CALL) == "withdrawn"
        play.verify()


def test_a_call_stands_while_others_leave() -> None:
    """Until the match is over by that."""
    play = called()
    play.take(0, Resign())
    assert (play.match.status, play.view(SPECTATOR)["called"]) == ("paused", 1)
    play.take(2, Resign())
    assert (play.match.status, play.view(SPECTATOR)["called"]) == ("finished", None)
    play.verify()


def test_a_call_stands_through_an_arbiters_take_back() -> None:
    """Which may be the first part of the answer."""
    play = Play()
    play.take(0, PlaceObstacle(2))
    play.take(1, CALL)
    play.take("organizer", TakeBack(1, "that space was covered"))
    assert (play.match.status, play.match.owed) == ("paused", (0,))
    play.take("organizer", AnswerCall("done"))
    assert play.match.status == "active"
    play.verify()


@pytest.mark.parametrize(
    "ruling", [Void("x"), Adjudicate(tuple(Rank(n, n + 1) for n in range(3)), "x")], ids=str
)
def test_the_end_is_an_answer_as_well(ruling: Any) -> None:
    """Once the match is over no call stands, and none is made."""
    play = called()
    play.take("organizer", ruling)
    assert play.view(SPECTATOR)["called"] is None
    assert play.refusal("organizer", AnswerCall("x")) == "match-over"
    assert play.refusal(1, CALL) == play.refusal(1, WithdrawCall()) == "match-over"
    play.verify()


@pytest.mark.parametrize(
    ("who", "command", "ruling"),
    [
        (0, WithdrawCall(), "no-call"),
        (2, CallArbiter("x", about=3), "arbiter-called"),
        (7, CallArbiter("x"), "not-seated"),
        ("organizer", CallArbiter("x"), "not-seated"),
    ],
    ids=str,
)
def test_a_call_is_the_callers(who: Any, command: Any, ruling: str) -> None:
    """Nobody else withdraws it, and nobody calls who has no seat."""
    assert called().refusal(who, command) == ruling


def test_without_a_call_there_is_nothing_to_answer() -> None:
    """Nor to withdraw."""
    play = Play()
    assert play.refusal("organizer", AnswerCall("x")) == "no-call"
    assert play.refusal(0, WithdrawCall()) == "no-call"


@pytest.mark.parametrize("about", [0, -1, 2])
def test_a_call_is_about_a_version_that_there_is(about: int) -> None:
    """Or about none in particular."""
    play = Play()
    assert play.refusal(0, CallArbiter("x", about=about)) == "call-about"
    assert types_of(play.take(0, CallArbiter("x"))) == ["arbiter_called", "paused"]
