"""Resigning, and an arbiter's rulings on who is in and how the match ended."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.game import Command, Standing
from referee.core.judging import NotAllowed
from referee.core.match import Result
from referee.core.table.commands import (
    Adjudicate,
    Certify,
    Forfeit,
    Pause,
    Rank,
    Resign,
    Resume,
    Void,
)
from referee.core.table.events import (
    Adjudicated,
    Certified,
    MatchEnded,
    SeedRevealed,
    Voided,
    Withdrawn,
)
from referee.core.visibility import ORGANIZER, SPECTATOR, events_seen, seat_viewer
from referee.games.giro_galoppo.types import ChooseCard
from tests.core.play import SEED, Play, types_of
from tests.toy_game import GAME as PEBBLES
from tests.toy_game.types import GuesserNamed, Hide

REVEALED = SeedRevealed(SEED.hex())
WON_BY_2 = (Standing(2, 1, 0), Standing(0, None, None), Standing(1, None, None))


# ── resign ────────────────────────────────────────────────────────────────────────────────────────


def test_a_seat_that_resigns_withdraws() -> None:
    """One event; play goes on among the others, who see who is out."""
    play = Play().race()
    assert play.take(1, Resign()) == [Withdrawn(1, "resigned")]
    assert play.match.owed == (0, 2)
    assert [seat["withdrawn"] for seat in play.view(SPECTATOR)["seats"]] == [False, True, False]


def test_the_last_seat_left_wins() -> None:
    """The match ends at once, the seed comes out, nobody owes anything."""
    play = Play().race()
    play.take(1, Resign())
    ended = MatchEnded("withdrawal", WON_BY_2, (2,))
    assert play.take(0, Resign()) == [Withdrawn(0, "resigned"), ended, REVEALED]
    assert play.match.status == "finished"
    assert play.match.owed == ()
    play.verify()


def test_what_follows_from_a_withdrawal_follows_in_the_same_commit() -> None:
    """With the last seat that owed a card gone, the round is played."""
    play = Play().race()
    play.choose((3, 5))
    events = types_of(play.take(2, Resign()))
    assert events == ["withdrawn", "cards_shown", "horse_moved", "horse_moved"]


def test_a_withdrawal_may_draw_from_chance() -> None:
    """The toy game names another guesser; the draw numbers stay in step with the events."""
    play = Play(PEBBLES)
    for seat in range(3):
        play.take(seat, Hide(1))
    guesser = play.match.owed[0]
    events = play.take(guesser, Resign())
    assert events[0] == Withdrawn(guesser, "resigned")
    assert isinstance(events[1], GuesserNamed)
    play.verify()


def test_a_seat_may_resign_while_paused() -> None:
    """A pause does not hold anybody."""
    play = Play().race()
    play.take("organizer", Pause())
    assert play.take(0, Resign()) == [Withdrawn(0, "resigned")]
    assert play.match.status == "paused"


@pytest.mark.parametrize(
    ("given", "who", "ruling"),
    [
        ([], 3, "not-seated"),
        ([], "organizer", "not-seated"),
        ([(0, Resign())], 0, "withdrawn"),
        ([(0, Resign()), (1, Resign())], 2, "match-over"),
        ([("organizer", Void("spilt tea"))], 1, "match-over"),
    ],
    ids=["no such seat", "no seat", "twice", "finished", "void"],
)
def test_resigning_is_refused(given: list[Any], who: Any, ruling: str) -> None:
    """To nobody, to who is out already, and after the end."""
    play = Play()
    for earlier in given:
        play.take(*earlier)
    assert play.refusal(who, Resign()) == ruling


# ── forfeit ───────────────────────────────────────────────────────────────────────────────────────


def test_an_arbiter_takes_a_seat_out_and_says_why() -> None:
    """The event carries the reason, which everybody sees."""
    play = Play().race()
    assert play.take("organizer", Forfeit(2, "left the room")) == [
        Withdrawn(2, "forfeited", "left the room")
    ]
    assert play.match.still_in == (0, 1)


def test_a_forfeit_can_end_the_match() -> None:
    """As a resignation does."""
    play = Play(seats=2)
    events = play.take("organizer", Forfeit(0, "late"))
    assert types_of(events) == ["withdrawn", "match_ended", "seed_revealed"]
    assert play.match.result is not None
    assert play.match.result.reason == "withdrawal"
    assert play.match.result.winners == (1,)


def test_a_forfeit_is_ruled_while_paused() -> None:
    """An arbiter may rule at any time before the end."""
    play = Play()
    play.take("organizer", Pause())
    assert play.take("organizer", Forfeit(1, "late")) == [Withdrawn(1, "forfeited", "late")]


@pytest.mark.parametrize(
    ("given", "seat", "ruling"),
    [
        ([], 3, "not-seated"),
        ([], -1, "not-seated"),
        ([(1, Resign())], 1, "withdrawn"),
        ([("organizer", Void("x"))], 1, "match-over"),
    ],
)
def test_a_forfeit_is_refused(given: list[Any], seat: int, ruling: str) -> None:
    """For a seat that does not exist or is out, and after the end."""
    play = Play()
    for earlier in given:
        play.take(*earlier)
    assert play.refusal("organizer", Forfeit(seat, "late")) == ruling


@pytest.mark.parametrize(
    "command",
    [
        Forfeit(1, "x"),
        Adjudicate((), "x"),
        Certify(),
        Pause(),
        Resume(),
    ],
    ids=lambda command: type(command).__name__,
)
@pytest.mark.parametrize("who", [0, "service"])
def test_nobody_but_the_organizer_may_rule(command: Command, who: Any) -> None:
    """A seat, and the service, may not send an arbiter's command at all."""
    play = Play()
    with pytest.raises(NotAllowed, match="may not send"):
        play.rules.judge(play.match, play.asker(who), command)


def test_the_service_may_not_play_for_a_seat() -> None:
    """It sends what is due, and nothing that is a seat's to say."""
    play = Play()
    with pytest.raises(NotAllowed):
        play.rules.judge(play.match, play.asker("service"), Resign())


# ── void ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_void_match_does_not_count() -> None:
    """No result, the seed comes out, nothing is played any more."""
    play = Play().race()
    assert play.take("organizer", Void("wrong cards")) == [Voided("wrong cards"), REVEALED]
    assert (play.match.status, play.match.result) == ("void", None)
    assert play.refusal(0, ChooseCard(1)) == "match-over"
    play.verify()


def test_a_finished_match_can_be_declared_void() -> None:
    """Its result goes; the seed, known already, is not revealed twice."""
    play = _won_by_2()
    assert play.take("organizer", Void("wrong cards")) == [Voided("wrong cards")]
    assert play.match.result is None
    play.verify()


def test_a_paused_match_can_be_declared_void() -> None:
    """The pause is over with it."""
    play = Play()
    play.take("organizer", Pause())
    play.take("organizer", Void("fire"))
    assert (play.match.status, play.match.paused_at) == ("void", None)
    assert play.refusal("organizer", Resume()) == "match-over"


def test_a_certified_result_is_not_declared_void() -> None:
    """Only adjudicating changes it."""
    play = _won_by_2()
    play.take("organizer", Certify())
    assert play.refusal("organizer", Void("late regret")) == "result-certified"


# ── adjudicate ────────────────────────────────────────────────────────────────────────────────────


RANKING = (Rank(1, 1, 12), Rank(0, None), Rank(2, 2, 7.5))
IN_ORDER = (Standing(1, 1, 12), Standing(2, 2, 7.5), Standing(0, None, None))


def test_an_arbiter_sets_a_result() -> None:
    """Rows come out by place, those without one last; the winners are on place 1."""
    play = Play().race()
    adjudicated = Adjudicated("the hall closes", IN_ORDER, (1,))
    assert play.take("organizer", Adjudicate(RANKING, "the hall closes")) == [adjudicated, REVEALED]
    assert play.match.result == Result(
        certified=False, reason="adjudicated", ranking=IN_ORDER, winners=(1,)
    )
    assert play.match.status == "finished"
    play.verify()


def test_a_later_ruling_supersedes_an_earlier_one() -> None:
    """Over a played result, a void match and another ruling; the log keeps them all."""
    play = _won_by_2()
    play.take("organizer", Void("wrong cards"))
    play.take("organizer", Adjudicate((Rank(0, 1), Rank(1, 1), Rank(2, 3)), "first thought"))
    assert play.view(SPECTATOR)["result"]["winners"] == [0, 1]
    assert play.take("organizer", Adjudicate(RANKING, "on appeal")) == [
        Adjudicated("on appeal", IN_ORDER, (1,))
    ]
    assert play.view(SPECTATOR)["result"]["winners"] == [1]
    play.verify()


def test_a_certified_result_changes_by_adjudicating_and_is_provisional_again() -> None:
    """With a reason; and it can be certified anew."""
    play = _won_by_2()
    play.take("organizer", Certify())
    play.take("organizer", Adjudicate(RANKING, "a card was found"))
    assert play.match.result is not None
    assert play.match.result.certified is False
    assert play.take("organizer", Certify()) == [Certified()]
    play.verify()


@pytest.mark.parametrize(
    "ranking",
    [
        (),
        (Rank(0, 1), Rank(1, 2)),
        (Rank(0, 1), Rank(1, 2), Rank(1, 3)),
        (Rank(0, 1), Rank(1, 2), Rank(2, 3), Rank(2, 4)),
        (Rank(0, 1), Rank(1, 2), Rank(3, 3)),
        (Rank(0, 2), Rank(1, 3), Rank(2, 4)),
        (Rank(0, 1), Rank(1, 1), Rank(2, 2)),
        (Rank(0, 1), Rank(1, 3), Rank(2, None)),
    ],
    ids=["none", "lacks", "twice", "over", "no seat", "no first", "1-1-2", "1-3"],
)
def test_an_incomplete_ranking_is_refused(ranking: tuple[Rank, ...]) -> None:
    """Every seat once; places count from 1, and equal places leave out the next."""
    assert Play().refusal("organizer", Adjudicate(ranking, "x")) == "ranking-complete"


@pytest.mark.parametrize(
    "places",
    [(1, 2, 3), (1, 1, 3), (1, 1, 1), (1, 2, 2), (None, 1, None), (None, None, None), (2, 1, None)],
    ids=str,
)
def test_a_complete_ranking_is_taken(places: tuple[int | None, ...]) -> None:
    """Shared places, places for some, and none at all."""
    ranking = tuple(Rank(seat, place) for seat, place in enumerate(places))
    play = Play()
    play.take("organizer", Adjudicate(ranking, "x"))
    assert play.match.result is not None
    assert {row.seat: row.place for row in play.match.result.ranking} == dict(enumerate(places))
    assert play.match.result.winners == tuple(s for s, place in enumerate(places) if place == 1)


# ── certify ───────────────────────────────────────────────────────────────────────────────────────


def test_certifying_makes_a_result_final() -> None:
    """The view says so."""
    play = _won_by_2()
    assert play.view(SPECTATOR)["result"]["certified"] is False
    assert play.take("organizer", Certify()) == [Certified()]
    assert play.view(SPECTATOR)["result"]["certified"] is True
    play.verify()


def test_only_a_finished_result_is_certified_and_only_once() -> None:
    """Not in play, not void, not again."""
    assert Play().refusal("organizer", Certify()) == "match-not-finished"
    void = Play()
    void.take("organizer", Void("x"))
    assert void.refusal("organizer", Certify()) == "match-not-finished"
    done = _won_by_2()
    done.take("organizer", Certify())
    assert done.refusal("organizer", Certify()) == "result-certified"


# ── the seed ──────────────────────────────────────────────────────────────────────────────────────


def test_the_seed_is_the_organizers_until_the_match_ends() -> None:
    """Then it is everybody's, in the view and in an event."""
    play = Play(seats=2)
    commitment = play.view(SPECTATOR)["seed_commitment"]
    assert commitment.startswith("sha256:")
    assert play.view(ORGANIZER)["seed"] == SEED.hex()
    assert play.view(SPECTATOR)["seed"] is play.view(seat_viewer(0))["seed"] is None
    created = events_seen(1, 0, play.decided[0].events, seat_viewer(0))[0]
    assert (created["seed"], created["seed_commitment"]) == (None, commitment)
    play.take(0, Resign())
    for viewer in (SPECTATOR, seat_viewer(0), ORGANIZER):
        assert play.view(viewer)["seed"] == SEED.hex()


def _won_by_2() -> Play:
    play = Play().race()
    play.take(0, Resign())
    play.take(1, Resign())
    return play
