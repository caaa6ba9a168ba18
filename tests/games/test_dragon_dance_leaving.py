"""Dragon Dance: a seat withdraws, in every phase."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.core.game import Outcome, Standing
from referee.core.randomness import Chance
from referee.games.dragon_dance import GAME
from referee.games.dragon_dance.events import (
    Dealt,
    FirstCard,
    HandReturned,
    Passed,
    RoundEnded,
    WentOut,
)
from referee.games.dragon_dance.types import Block, Decline, LetStand
from tests.games.table import SEED, Table
from tests.games.test_dragon_dance import BLUE, scene
from tests.games.test_dragon_dance_ends import finishing, going_out


def test_the_hand_goes_shuffled_under_the_pile() -> None:
    """By one draw of the match's chance; the seat holds nothing, the field stays."""
    table = scene(["HRR", "HBG"], ["ER1", "ER2", "HYY"], ["HGG"], pile=["HGB"])
    shuffled = Chance(SEED, "table", [""] * 3, draws=1).shuffle(("ER1", "ER2", "HYY"))
    assert table.leaves(1) == [HandReturned(seat=1, count=3, cards=shuffled)]
    state = table.state
    assert (state.pile, state.pile_count) == (("HGB", *shuffled), 4)
    assert (state.hands[1], state.hand_counts) == ((), (2, 0, 1))
    assert [placed.card for placed in state.field] == ["RYGB"]
    assert table.chance.draws == 2


def test_a_seat_that_is_not_on_turn_leaves_the_turn_as_it_is() -> None:
    """Also while the turn's seat has drawn."""
    table = scene(["HRR", "HBG"], ["ER1"], ["HGG"], phase="drawn", drawn="HBG")
    table.leaves(1)
    assert (table.state.phase, table.state.turn, table.state.drawn) == ("drawn", 0, "HBG")


@pytest.mark.parametrize("phase", ["lay", "drawn"])
def test_on_turn_the_next_seat_is(phase: str) -> None:
    """A drawn card goes with the hand."""
    drawn = "HBG" if phase == "drawn" else None
    table = scene(["HRR", "HBG"], ["ER1"], ["HGG"], phase=phase, drawn=drawn, pile=[])
    table.leaves(0)
    state = table.state
    assert (state.phase, state.turn, state.drawn) == ("lay", 1, None)
    assert sorted(state.pile) == ["HBG", "HRR"]


def test_a_seat_that_left_is_skipped_and_dealt_nothing() -> None:
    """Turns pass it, and the next round is dealt to the others."""
    table = finishing(["ER1"], ["ER2"])
    table.leaves(2)
    table.when(1, Decline())
    state = table.state
    assert (state.round, state.hand_counts, state.turn) == (2, (7, 7, 0), 1)
    assert state.pile_count == 52 - 14 - 1


def test_a_withdrawal_starts_the_count_of_passes_anew() -> None:
    """And gives the pile cards to draw, so that nobody need pass."""
    table = scene(["HRR", "HYG"], ["ER1"], ["HGG"], cards=BLUE, pile=[], passes=2)
    table.leaves(2)
    assert (table.state.passes, table.state.pile_count, table.state.turn) == (0, 1, 0)


def test_with_an_empty_pile_who_is_next_after_a_seat_without_cards_may_have_to_pass() -> None:
    """Seat 0, blocked by nobody yet, leaves while it goes out: no hand, no card for the pile."""
    table = going_out(["ER1", "ER2"], ["HBR", "HBG"], pile=[])
    assert table.leaves(0) == [Passed(seat=1)]
    assert (table.state.phase, table.state.turn, table.state.passes) == ("lay", 2, 1)


def test_a_round_is_stuck_once_every_seat_still_in_has_passed() -> None:
    """Who left is not waited for: seat 0 goes out, leaves no card for the pile, and two pass."""
    table = going_out(["ER1", "ER2"], ["ER3", "EG1"], pile=[], points=(20, 4, 20))
    assert table.leaves(0)[:3] == [
        Passed(seat=1),
        Passed(seat=2),
        RoundEnded(how="stuck", points=(20, 4, 20), dragon=None, most_points=(2,)),
    ]


# ── while a seat goes out ─────────────────────────────────────────────────────────────────────────


def test_a_seat_that_is_asked_is_struck_out() -> None:
    """The first, or one that would be asked later; the others are asked on."""
    table = going_out(["EB2"], ["ER1"], ["ER2"])
    table.leaves(1)
    assert (table.state.phase, table.state.asked) == ("respond", (2, 3))
    table.leaves(3)
    assert (table.state.phase, table.state.asked) == ("respond", (2,))


def test_when_the_last_that_is_asked_leaves_the_head_stands() -> None:
    """In the same commit, after the hand."""
    table = going_out(["EB2"], ["ER1"])
    table.when(1, LetStand())
    assert table.leaves(2) == [
        HandReturned(seat=2, count=1, cards=("ER1",)),
        WentOut(seat=0, bonus=5),
    ]
    assert (table.state.phase, table.state.turn, table.state.points) == ("finish", 1, (25, 0, 0))


def test_a_seat_that_has_let_the_head_stand_may_leave_without_effect_on_the_question() -> None:
    """It is not asked again, and the others still are."""
    table = going_out(["EB2"], ["ER1"])
    table.when(1, LetStand())
    table.leaves(1)
    assert (table.state.phase, table.state.asked) == ("respond", (2,))


def test_when_the_seat_that_goes_out_leaves_its_going_out_lapses() -> None:
    """Play goes on at its left; its head stays on the field."""
    table = going_out(["EB2"], ["ER1"])
    assert table.leaves(0) == []
    state = table.state
    assert (state.phase, state.turn, state.going_out, state.asked) == ("lay", 1, None, ())
    assert state.field[-1].card == "HBB"


def test_the_hand_of_an_asked_seat_may_make_a_block_possible() -> None:
    """The pile was empty; the cards that went under it can be drawn."""
    table = going_out(["ER1"], ["EB2", "EB3"], pile=[])
    block = Block("EB2", 1, 1, turned=False)
    table.when(1, LetStand())
    assert table.refusal(2, block) == "block"
    table.leaves(1)
    assert table.refusal(2, block) is None


# ── in the finish ─────────────────────────────────────────────────────────────────────────────────


def test_a_finishing_seat_that_leaves_gives_the_turn_to_the_next() -> None:
    """And one that would come later is skipped."""
    table = finishing(["EB2"], ["ER1"], ["ER2"])
    table.leaves(1)
    assert (table.state.phase, table.state.turn) == ("finish", 2)
    table.leaves(3)
    events = table.when(2, Decline())
    assert isinstance(events[1], RoundEnded)


@pytest.mark.parametrize("most", [90, 25])
def test_when_the_last_finishing_seat_leaves_the_round_ends(most: int) -> None:
    """Honours go to seats still in only: the most points are looked for among them."""
    table = finishing(["EB2"], ["ER1"], points=(25, 3, most), turn=2)
    events = table.leaves(2)
    assert events[1] == RoundEnded(how="dragon", points=(25, 3, most), dragon=0, most_points=(0,))
    assert [type(event) for event in events] == [HandReturned, RoundEnded, Dealt, FirstCard]
    assert table.chance.draws == 3


def test_when_the_seat_that_went_out_leaves_the_others_finish_without_its_honour() -> None:
    """The lap ends at its place all the same; nobody has won the round by the dragon."""
    table = finishing(["EB2"], ["ER1"], points=(25, 3, 2))
    assert table.leaves(0) == []
    assert (table.state.phase, table.state.turn, table.state.going_out) == ("finish", 1, 0)
    table.when(1, Decline())
    events = table.when(2, Decline())
    assert events[1] == RoundEnded(how="dragon", points=(25, 3, 2), dragon=None, most_points=(1,))
    assert table.state.rounds_won == (0, 0, 0)


# ── the last seat left ────────────────────────────────────────────────────────────────────────────


SCENES: dict[str, Callable[[], Table]] = {
    "lay": lambda: scene(["HRR"], ["ER1"], total_points=(9, 3), points=(5, 5)),
    "drawn": lambda: scene(
        ["HRR", "HBG"], ["ER1"], phase="drawn", drawn="HBG", total_points=(9, 3)
    ),
    "respond": lambda: going_out(["ER1"], total_points=(9, 3)),
    "finish": lambda: finishing(["ER1"], total_points=(9, 3)),
}


@pytest.mark.parametrize("phase", SCENES)
@pytest.mark.parametrize("seat", [0, 1])
def test_with_one_seat_left_the_match_ends_and_the_round_does_not_count(
    phase: str, seat: int
) -> None:
    """It is first, whatever the points; the other has no place and keeps its total points."""
    table = SCENES[phase]()
    held = table.state.hands[seat]
    events = table.leaves(seat)
    assert [type(event) for event in events] == [HandReturned] * bool(held)
    state = table.state
    assert (state.phase, state.turn, state.drawn, state.going_out) == ("over", None, None, None)
    assert (state.asked, state.total_points) == ((), (9, 3))
    assert GAME.outcome(state) == Outcome(
        "withdrawal",
        (Standing(1 - seat, 1, (9, 3)[1 - seat]), Standing(seat, None, (9, 3)[seat])),
    )


def test_a_seat_that_withdrew_has_no_place_in_a_match_played_out() -> None:
    """However many rounds it has won."""
    table = finishing(["ER1"], ["ER2"], rounds_won=(0, 0, 1), options={"max_rounds": 1}, round=1)
    table.leaves(2)
    table.when(1, Decline())
    outcome = GAME.outcome(table.state)
    assert outcome is not None
    assert [(row.seat, row.place) for row in outcome.ranking] == [(0, 1), (1, 2), (2, None)]
    assert outcome.reason == "played-out"
