"""Draws by agreement: offered, accepted by all who are in, declined, lapsed."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.game import Standing
from referee.core.table.commands import (
    AcceptDraw,
    DeclineDraw,
    OfferDraw,
    Pause,
    Resign,
    Resume,
    TakeBack,
    Void,
)
from referee.core.table.events import (
    DrawAccepted,
    DrawDeclined,
    DrawOffered,
    MatchEnded,
    OfferLapsed,
    SeedRevealed,
    Withdrawn,
)
from referee.core.visibility import SPECTATOR
from referee.games.giro_galoppo.events import ObstaclePlaced
from referee.games.giro_galoppo.types import ChooseCard, PlaceObstacle
from tests.core.play import SEED, Play, types_of
from tests.toy_game import GAME as PEBBLES

REVEALED = SeedRevealed(SEED.hex())


def test_an_offer_stands_for_all_to_see() -> None:
    """One event; the view names who offers and who has agreed."""
    play = Play()
    assert play.take(1, OfferDraw()) == [DrawOffered(1)]
    assert play.view(SPECTATOR)["draw_offer"] == {"seat": 1, "accepted": []}
    play.take(2, AcceptDraw())
    assert play.view(SPECTATOR)["draw_offer"] == {"seat": 1, "accepted": [2]}


def test_the_match_is_drawn_when_every_other_seat_accepts() -> None:
    """All share place 1, with the score that the game gives a draw (none here)."""
    play = Play()
    play.take(1, OfferDraw())
    assert play.take(0, AcceptDraw()) == [DrawAccepted(0)]
    drawn = tuple(Standing(seat, 1, None) for seat in range(3))
    ended = MatchEnded("agreed", drawn, (0, 1, 2))
    assert play.take(2, AcceptDraw()) == [DrawAccepted(2), ended, REVEALED]
    assert play.match.status == "finished"
    assert "draw_offer" not in play.view(SPECTATOR)
    play.verify()


def test_a_game_may_give_a_draw_a_score() -> None:
    """The toy game's is a half."""
    play = Play(PEBBLES, seats=2)
    play.take(0, OfferDraw())
    play.take(1, AcceptDraw())
    assert play.match.result is not None
    assert {row.score for row in play.match.result.ranking} == {0.5}


def test_who_has_withdrawn_is_not_asked_and_has_no_place() -> None:
    """Three seats, one out: the other's word is enough."""
    play = Play()
    play.take(0, Resign())
    play.take(1, OfferDraw())
    play.take(2, AcceptDraw())
    assert play.match.result is not None
    assert play.match.result.ranking == (
        Standing(1, 1, None),
        Standing(2, 1, None),
        Standing(0, None, None),
    )


def test_a_withdrawal_leaves_the_others_agreed() -> None:
    """When the only seat that had not accepted leaves, all who are in have."""
    play = Play()
    play.take(0, OfferDraw())
    play.take(1, AcceptDraw())
    assert types_of(play.take(2, Resign())) == ["withdrawn", "match_ended", "seed_revealed"]
    assert play.match.result is not None
    assert play.match.result.reason == "agreed"
    assert play.match.result.winners == (0, 1)
    play.verify()


def test_an_offer_goes_with_the_seat_that_made_it() -> None:
    """It lapses when that seat withdraws."""
    play = Play()
    play.take(0, OfferDraw())
    assert play.take(0, Resign()) == [Withdrawn(0, "resigned"), OfferLapsed(0, "draw")]
    assert play.match.draw is None


def test_one_refusal_ends_an_offer() -> None:
    """Then another may be made, by anybody."""
    play = Play()
    play.take(0, OfferDraw())
    play.take(1, AcceptDraw())
    assert play.take(2, DeclineDraw()) == [DrawDeclined(2)]
    assert play.take(1, OfferDraw()) == [DrawOffered(1)]


def test_a_seat_whose_offer_was_declined_waits_for_the_game_to_go_on() -> None:
    """Until a command of the game by anybody; other seats may offer, and it may ask for more."""
    play = Play()
    play.take(0, OfferDraw())
    play.take(1, DeclineDraw())
    assert play.refusal(0, OfferDraw()) == "offer-again"
    play.take(2, OfferDraw())
    play.take(0, DeclineDraw())
    assert play.refusal(2, OfferDraw()) == play.refusal(0, OfferDraw()) == "offer-again"
    play.take("organizer", Pause())
    play.take("organizer", Resume())
    assert play.refusal(0, OfferDraw()) == "offer-again"
    play.take(0, PlaceObstacle(2))
    assert play.take(2, OfferDraw()) == [DrawOffered(2)]
    play.verify()


def test_a_seat_whose_offer_lapsed_waits_likewise() -> None:
    """The command that brought its turn, and let the offer lapse, was not after that."""
    play = Play()
    play.take(1, OfferDraw())
    play.take(0, PlaceObstacle(2))
    assert play.refusal(1, OfferDraw()) == "offer-again"
    play.take(1, PlaceObstacle(4))
    assert play.take(1, OfferDraw()) == [DrawOffered(1)]
    play.verify()


def test_a_take_back_does_not_bring_the_right_to_offer_back() -> None:
    """Neither to before the offer nor to where one could be made."""
    play = Play()
    play.take(0, PlaceObstacle(2))
    play.take(0, OfferDraw())
    play.take(1, DeclineDraw())
    play.take("organizer", TakeBack(1, "a card fell off the table"))
    assert play.refusal(0, OfferDraw()) == "offer-again"
    play.take(0, PlaceObstacle(2))
    assert play.take(0, OfferDraw()) == [DrawOffered(0)]
    play.verify()


def test_an_offer_stays_until_its_seat_is_to_act_again() -> None:
    """Offered on its own turn, it outlives that turn and the others', and lapses at the next."""
    play = Play()
    assert play.match.owed == (0,)
    play.take(0, OfferDraw())
    assert play.take(0, PlaceObstacle(2)) == [ObstaclePlaced(0, 2)]
    play.take(1, PlaceObstacle(4))
    events = play.take(2, PlaceObstacle(6))
    assert events[-1] == OfferLapsed(0, "draw")
    assert play.match.draw is None
    play.verify()


def test_an_offer_of_a_seat_that_is_not_to_act_lapses_when_it_is() -> None:
    """Made while waiting, it lapses with the commit that brings the turn."""
    play = Play()
    play.take(1, OfferDraw())
    assert play.take(0, PlaceObstacle(2))[-1] == OfferLapsed(1, "draw")


def test_a_seat_that_still_owes_the_same_command_keeps_its_offer() -> None:
    """Where all choose at once, another's choice does not bring the offering seat its turn."""
    play = Play().race()
    play.take(0, OfferDraw())
    assert types_of(play.take(1, ChooseCard(2))) == ["card_chosen"]
    assert types_of(play.take(0, ChooseCard(3))) == ["card_chosen"]
    assert play.match.draw is not None
    assert play.take(2, ChooseCard(4))[-1] == OfferLapsed(0, "draw")


def test_a_withdrawal_that_brings_the_turn_lets_an_offer_lapse() -> None:
    """The round is played because the last who owed a card left: all owe the next."""
    play = Play().race()
    play.choose((3, 5))
    play.take(0, OfferDraw())
    events = play.take(2, Resign())
    assert events[0] == Withdrawn(2, "resigned")
    assert events[-1] == OfferLapsed(0, "draw")
    play.verify()


def test_a_pause_keeps_an_offer() -> None:
    """It can be answered after the resume, and not before."""
    play = Play()
    play.take(0, OfferDraw())
    play.take("organizer", Pause())
    assert play.refusal(1, AcceptDraw()) == "match-paused"
    play.take("organizer", Resume())
    assert play.take(1, AcceptDraw()) == [DrawAccepted(1)]


@pytest.mark.parametrize("who", [0, 1])
def test_one_offer_stands_at_a_time(who: int) -> None:
    """Neither the same seat nor another makes a second one."""
    play = Play()
    play.take(0, OfferDraw())
    assert play.refusal(who, OfferDraw()) == "draw-offered"


@pytest.mark.parametrize(
    ("given", "who", "ruling"),
    [
        ([], 3, "not-seated"),
        ([], "organizer", "not-seated"),
        ([("organizer", Void("x"))], 0, "match-over"),
        ([("organizer", Pause())], 0, "match-paused"),
        ([(0, Resign())], 0, "withdrawn"),
    ],
    ids=["no such seat", "no seat", "over", "paused", "out"],
)
def test_an_offer_is_refused(given: list[Any], who: Any, ruling: str) -> None:
    """From who has no say, and when nothing is played."""
    play = Play()
    for earlier in given:
        play.take(*earlier)
    assert play.refusal(who, OfferDraw()) == ruling


@pytest.mark.parametrize("answer", [AcceptDraw(), DeclineDraw()], ids=["accept", "decline"])
@pytest.mark.parametrize(
    ("given", "who", "ruling"),
    [
        ([], 1, "no-draw-offered"),
        ([(0, OfferDraw())], 0, "no-draw-offered"),
        ([(0, OfferDraw()), (1, AcceptDraw())], 1, "no-draw-offered"),
        ([(1, Resign()), (0, OfferDraw())], 1, "withdrawn"),
        ([(0, OfferDraw())], 3, "not-seated"),
        ([(0, OfferDraw())], "organizer", "not-seated"),
        ([(0, OfferDraw()), ("organizer", Pause())], 1, "match-paused"),
        ([(0, OfferDraw()), ("organizer", Void("x"))], 1, "match-over"),
    ],
    ids=["none", "own", "answered", "out", "no such seat", "no seat", "paused", "over"],
)
def test_an_answer_is_refused(answer: Any, given: list[Any], who: Any, ruling: str) -> None:
    """Without an offer of another seat, a second time, and from who has no say."""
    play = Play()
    for earlier in given:
        play.take(*earlier)
    assert play.refusal(who, answer) == ruling


def test_an_offer_says_nothing_about_the_game() -> None:
    """State, turns and chance stay as they are."""
    play = Play(PEBBLES)
    before = play.match
    play.take(0, OfferDraw())
    play.take(1, DeclineDraw())
    after = play.match
    assert (after.state, after.owed, after.draws) == (before.state, before.owed, before.draws)
