"""Taking back: with everyone's consent, or by an arbiter's word."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.match import ClockSetting
from referee.core.rules import BadLog
from referee.core.table.commands import (
    AcceptTakeback,
    DeclineTakeback,
    OfferDraw,
    Pause,
    ReissueToken,
    RequestTakeback,
    Resign,
    Resume,
    TakeBack,
    Void,
)
from referee.core.table.events import (
    OfferLapsed,
    TakebackAccepted,
    TakebackDeclined,
    TakebackRequested,
    TakenBack,
)
from referee.core.verify import fold_log
from referee.core.visibility import SPECTATOR
from referee.games.dancing_villager import GAME as VILLAGER
from referee.games.dancing_villager.types import Ready
from referee.games.giro_galoppo.types import ChooseCard, PlaceObstacle
from tests.core.play import Play, types_of
from tests.toy_game import GAME as PEBBLES
from tests.toy_game.types import Guess, Hide


def _placed(*spaces: int, **how: Any) -> Play:
    play = Play(**how)
    for space in spaces:
        play.take(play.match.owed[0], PlaceObstacle(space))
    return play


# ── with consent ──────────────────────────────────────────────────────────────────────────────────


def test_a_request_stands_for_all_to_see() -> None:
    """The view names who asks, to which version, and who has agreed."""
    play = _placed(2, 4)
    assert play.take(1, RequestTakeback(2)) == [TakebackRequested(1, 2)]
    play.take(0, AcceptTakeback())
    assert play.view(SPECTATOR)["takeback"] == {"seat": 1, "to": 2, "accepted": [0]}


def test_with_everyones_consent_the_match_goes_back() -> None:
    """State, turn and seats are those of the version named; the log goes on counting."""
    play = _placed(2, 4)
    play.take(1, RequestTakeback(2))
    play.take(0, AcceptTakeback())
    assert play.take(2, AcceptTakeback()) == [TakebackAccepted(2), TakenBack(2)]
    match, then = play.match, play.at(2)
    assert (match.state, match.owed, match.seats) == (then.state, then.owed, then.seats)
    assert match.version == 6
    assert match.takeback is None
    play.take(1, PlaceObstacle(9))
    play.verify()


def test_who_has_withdrawn_is_not_asked() -> None:
    """Going back to after the withdrawal takes the consent of those who are in."""
    play = Play()
    play.take(2, Resign())
    play.take(0, PlaceObstacle(2))
    play.take(0, RequestTakeback(2))
    assert play.take(1, AcceptTakeback())[-1] == TakenBack(2)
    assert play.match.seats[2].withdrawn


def test_one_refusal_ends_a_request() -> None:
    """Then another may be made; by the seat that asked only once the game has gone on."""
    play = _placed(2, 4)
    play.take(1, RequestTakeback(2))
    assert play.take(0, DeclineTakeback()) == [TakebackDeclined(0)]
    assert play.refusal(1, RequestTakeback(2)) == "offer-again"
    play.take(1, OfferDraw())
    assert play.take(2, RequestTakeback(1)) == [TakebackRequested(2, 1)]


def test_the_first_version_can_be_gone_back_to() -> None:
    """Version 1 is the match as it was created."""
    play = _placed(2, seats=2)
    play.take(0, RequestTakeback(1))
    play.take(1, AcceptTakeback())
    assert play.match.state == play.at(1).state


def test_a_request_lapses_when_its_seat_is_to_act_again() -> None:
    """Like an offer of a draw."""
    play = _placed(2)
    play.take(0, RequestTakeback(1))
    play.take(1, PlaceObstacle(4))
    assert play.take(2, PlaceObstacle(6))[-1] == OfferLapsed(0, "takeback")


def test_a_request_goes_with_the_seat_that_made_it() -> None:
    """It lapses when that seat withdraws."""
    play = _placed(2)
    play.take(0, RequestTakeback(1))
    assert play.take(0, Resign())[-1] == OfferLapsed(0, "takeback")


def test_going_back_clears_what_is_on_offer() -> None:
    """A draw offered since is gone with the moves."""
    play = _placed(2, 4, seats=2)
    play.take(0, OfferDraw())
    play.take(0, RequestTakeback(2))
    play.take(1, AcceptTakeback())
    assert play.match.draw is play.match.takeback is None


def test_a_match_can_go_back_again_and_to_what_was_taken_back() -> None:
    """Every version that it had can be named, those on the abandoned way too."""
    play = _placed(2, 4, seats=2)
    play.take(0, RequestTakeback(1))
    play.take(1, AcceptTakeback())
    play.take(1, RequestTakeback(3))
    play.take(0, AcceptTakeback())
    assert play.match.state == play.at(3).state
    play.verify()


# ── what players may not take back ────────────────────────────────────────────────────────────────


def test_a_chosen_card_can_be_taken_back_while_it_lies_face_down() -> None:
    """Nobody has learnt anything by it."""
    play = Play(seats=2).race()
    play.take(0, ChooseCard(3))
    play.take(0, RequestTakeback(6))
    play.take(1, AcceptTakeback())
    assert play.match.owed == (0, 1)


def test_a_hidden_choice_that_was_shown_is_not_taken_back() -> None:
    """After the cards are turned over nobody goes back to before; to after them, yes."""
    play = Play(seats=2).race().choose((3, 4))
    assert play.match.version == 8
    assert play.refusal(0, RequestTakeback(7)) == "takeback-reveals"
    play.take(0, ChooseCard(1))
    assert play.take(0, RequestTakeback(8)) == [TakebackRequested(0, 8)]


def test_what_drew_from_chance_is_not_taken_back() -> None:
    """The toy game's die is rolled with the guess, in secret."""
    play = Play(PEBBLES, seats=2)
    assert play.match.revealed == 1
    play.take(0, Hide(1))
    play.take(0, RequestTakeback(1))
    play.take(1, DeclineTakeback())
    play.take(1, Hide(1))
    guess = play.match.version
    assert play.match.revealed == guess
    play.take(play.match.owed[0], Guess(2))
    assert play.match.revealed == guess + 1
    assert play.refusal(0, RequestTakeback(guess)) == "takeback-reveals"


def test_players_do_not_go_back_past_a_withdrawal() -> None:
    """The seat that left would be in again, and nobody asked it."""
    play = _placed(2)
    play.take(2, Resign())
    assert play.refusal(0, RequestTakeback(1)) == "takeback-withdrawal"
    play.take("organizer", TakeBack(1, "a mistake"))
    assert not play.match.seats[2].withdrawn


def test_a_withdrawal_is_nobodys_consent() -> None:
    """A seat that leaves while a take-back is asked for stays out, and the play stands."""
    play = _placed(2)
    play.take(0, RequestTakeback(1))
    play.take(1, AcceptTakeback())
    assert types_of(play.take(2, Resign())) == ["withdrawn"]
    assert play.match.seats[2].withdrawn
    play.verify()


def test_going_back_to_what_revealed_something_is_agreed_to() -> None:
    """Only what came after the version named must have told nobody anything."""
    play = Play(seats=2).race().choose((3, 4))
    shown = play.match.version
    assert play.match.revealed == shown
    play.take(0, ChooseCard(1))
    play.take(0, RequestTakeback(shown))
    assert play.take(1, AcceptTakeback())[-1] == TakenBack(shown)
    assert play.match.owed == (0, 1)


def test_a_request_grows_stale_when_something_is_revealed() -> None:
    """Asked in time, but agreed to too late: refused, and it can be declined."""
    play = Play().race()
    play.take(0, ChooseCard(3))
    play.take(1, ChooseCard(4))
    play.take(0, RequestTakeback(6))
    play.take(1, AcceptTakeback())
    play.take(2, Resign())
    assert play.match.takeback is None  # the round brought seat 0 its next turn
    again = Play().race()
    again.take(0, ChooseCard(3))
    again.take(0, RequestTakeback(6))
    again.take(2, Resign())
    assert again.refusal(1, AcceptTakeback()) == "takeback-stale"
    assert again.take(1, DeclineTakeback()) == [TakebackDeclined(1)]


@pytest.mark.parametrize(
    ("given", "who", "to", "ruling"),
    [
        ([], 0, 0, "takeback-target"),
        ([], 0, 3, "takeback-target"),
        ([], 0, 4, "takeback-target"),
        ([], 0, -1, "takeback-target"),
        ([(1, RequestTakeback(1))], 0, 2, "takeback-requested"),
        ([(1, RequestTakeback(1))], 1, 2, "takeback-requested"),
        ([(1, Resign())], 1, 2, "withdrawn"),
        ([], 3, 2, "not-seated"),
        ([], "organizer", 2, "not-seated"),
        ([("organizer", Pause())], 0, 2, "match-paused"),
        ([("organizer", Void("x"))], 0, 2, "match-over"),
    ],
)
def test_a_request_is_refused(given: list[Any], who: Any, to: int, ruling: str) -> None:
    """To no earlier version, beside another request, and from who has no say."""
    play = _placed(2, 4)
    for earlier in given:
        play.take(*earlier)
    assert play.refusal(who, RequestTakeback(to)) == ruling


@pytest.mark.parametrize("answer", [AcceptTakeback(), DeclineTakeback()], ids=["accept", "decline"])
@pytest.mark.parametrize(
    ("given", "who", "ruling"),
    [
        ([], 1, "no-takeback-requested"),
        ([(0, RequestTakeback(1))], 0, "no-takeback-requested"),
        ([(0, RequestTakeback(1)), (1, AcceptTakeback())], 1, "no-takeback-requested"),
        ([(1, Resign()), (0, RequestTakeback(4))], 1, "withdrawn"),
        ([(0, RequestTakeback(1))], 3, "not-seated"),
        ([(0, RequestTakeback(1)), ("organizer", Pause())], 1, "match-paused"),
        ([(0, RequestTakeback(1)), ("organizer", Void("x"))], 1, "match-over"),
    ],
    ids=["none", "own", "answered", "out", "no such seat", "paused", "over"],
)
def test_an_answer_is_refused(answer: Any, given: list[Any], who: Any, ruling: str) -> None:
    """Without a request of another seat, a second time, and from who has no say."""
    play = _placed(2, 4)
    for earlier in given:
        if earlier == (0, RequestTakeback(4)):
            play.take(2, PlaceObstacle(6))
        play.take(*earlier)
    assert play.refusal(who, answer) == ruling


# ── by an arbiter ─────────────────────────────────────────────────────────────────────────────────


def test_an_arbiter_goes_back_past_what_was_revealed() -> None:
    """With a reason, in one command; what was revealed stays so for the players."""
    play = Play(seats=2).race().choose((3, 4))
    assert play.take("organizer", TakeBack(6, "cards fell")) == [TakenBack(6, "cards fell")]
    assert play.match.state == play.at(6).state
    assert play.refusal(0, RequestTakeback(6)) == "takeback-reveals"
    play.choose((5, 6))
    play.verify()


def test_an_arbiter_brings_a_seat_back_in() -> None:
    """Who had not withdrawn at that version is in again."""
    play = Play()
    play.take(1, Resign())
    play.take("organizer", TakeBack(1, "a slip of the finger"))
    assert play.match.still_in == (0, 1, 2)
    play.verify()


def test_going_back_while_paused_leaves_the_match_paused() -> None:
    """The pause ends with a resume, not with the take-back."""
    play = _placed(2, 4)
    play.take("organizer", Pause())
    play.take("organizer", TakeBack(2, "x"))
    assert play.match.status == "paused"
    play.wait(5)
    play.take("organizer", Resume())
    assert play.match.state == play.at(2).state
    play.verify()


def test_going_back_to_where_something_waited_for_the_end_of_a_pause() -> None:
    """It falls due at once where the match goes on, and after the pause where it is paused."""
    play = Play(VILLAGER, seats=3)
    play.take(0, Ready())
    play.take(1, Ready())
    play.take("organizer", Pause())
    play.take(2, Resign())  # version 5: both others are ready, and nothing is rolled yet
    rolled = types_of(play.take("organizer", Resume()))[1:]
    assert rolled
    assert types_of(play.take("organizer", TakeBack(5, "x"))) == ["taken_back", *rolled]

    play.take("organizer", Pause())
    assert types_of(play.take("organizer", TakeBack(5, "x"))) == ["taken_back"]
    assert types_of(play.take("organizer", Resume())) == ["resumed", *rolled]
    play.verify()


def test_going_back_to_a_version_that_was_paused_does_not_pause() -> None:
    """A version's play comes back, not its pause."""
    play = _placed(2)
    play.take("organizer", Pause())
    play.take("organizer", Resume())
    play.take(1, PlaceObstacle(4))
    play.take("organizer", TakeBack(3, "x"))
    assert play.match.status == "active"
    assert play.match.owed == (1,)
    play.verify()


@pytest.mark.parametrize(
    ("given", "to", "ruling"),
    [
        ([], 3, "takeback-target"),
        ([], 0, "takeback-target"),
        ([], 99, "takeback-target"),
        ([("organizer", Void("x"))], 1, "match-over"),
    ],
)
def test_an_arbiters_take_back_is_refused(given: list[Any], to: int, ruling: str) -> None:
    """To no earlier version, and after the end, when the seed is known."""
    play = _placed(2, 4)
    for earlier in given:
        play.take(*earlier)
    assert play.refusal("organizer", TakeBack(to, "x")) == ruling


def test_says_beforehand_which_state_a_command_may_need() -> None:
    """A take-back's, or the one that is asked for; a move of the game needs none."""
    play = _placed(2, 4)
    assert play.rules.recalls(play.match, TakeBack(2, "x")) == 2
    assert play.rules.recalls(play.match, AcceptTakeback()) is None
    play.take(0, RequestTakeback(1))
    for command in (AcceptTakeback(), Resign()):
        assert play.rules.recalls(play.match, command) == 1
    assert play.rules.recalls(play.match, TakeBack(2, "x")) == 2
    assert play.rules.recalls(play.match, PlaceObstacle(6)) is None


def test_going_back_asks_for_the_state_that_it_needs() -> None:
    """Deciding and folding name the version, and do without a log only where none is needed."""
    play = _placed(2, 4)
    by, before = play.asker("organizer"), play.match
    with pytest.raises(LookupError, match="the state after commit 2 is not at hand"):
        play.rules.decide(before, by, TakeBack(2, "x"))
    play.take("organizer", TakeBack(2, "x"))
    with pytest.raises(BadLog, match="the state after commit 2 is not at hand"):
        play.rules.fold(before, play.log[-1])


# ── what goes back, and what does not ─────────────────────────────────────────────────────────────


def test_clocks_go_back_to_what_they_were() -> None:
    """Each seat has the time that it had after the version named, and spends it from now on."""
    clock = ClockSetting(base_s=100, increment_s=2)
    play = Play(seats=2, clock=clock)
    play.wait(10)
    play.take(0, PlaceObstacle(2))
    play.wait(30)
    play.take(1, PlaceObstacle(4))
    play.wait(7)
    play.take(0, PlaceObstacle(6))
    play.wait(1)
    play.take("organizer", TakeBack(2, "x"))
    face = play.match.clock
    assert face is not None
    assert face.left == (92_000, 100_000)
    assert face.read_at == play.now
    play.wait(4)
    play.take(1, PlaceObstacle(4))
    assert play.match.clock is not None
    assert play.match.clock.left == (92_000, 98_000)
    play.verify()


def test_the_draw_counter_never_goes_back() -> None:
    """What is drawn again is drawn by a new number, so that nobody knows it beforehand."""
    play = Play(PEBBLES, seats=2)
    for seat in (0, 1):
        play.take(seat, Hide(1))
    play.take(play.match.owed[0], Guess(2))
    assert play.match.draws == 2
    play.take("organizer", TakeBack(1, "x"))
    assert play.match.draws == 2
    for seat in (0, 1):
        play.take(seat, Hide(1))
    play.take(play.match.owed[0], Guess(2))
    assert play.match.draws == 3
    play.verify()


def test_generations_stay() -> None:
    """A dead token stays dead."""
    play = _placed(2)
    play.take("organizer", ReissueToken(1))
    play.take(1, PlaceObstacle(4))
    play.take("organizer", TakeBack(1, "x"))
    assert play.match.seats[1].generation == 1
    play.verify()


def test_time_does_not_go_back() -> None:
    """The match's time stays the last commit's, so that no stamp is before another."""
    play = _placed(2)
    play.wait(60)
    play.take("organizer", TakeBack(1, "x"))
    assert play.match.at == play.now


def test_a_whole_log_with_take_backs_folds_by_itself() -> None:
    """Folding finds the states that it needs on its way."""
    play = _placed(2, 4, seats=2)
    play.take("organizer", TakeBack(2, "x"))
    play.take("organizer", TakeBack(3, "y"))
    play.take("organizer", TakeBack(4, "z"))
    assert fold_log(play.rules, play.log) == play.match
    assert play.match.state == play.at(2).state
