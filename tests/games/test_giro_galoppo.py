"""giro-galoppo by its rulings: worked cases, and what follows from cards, moves and withdrawals."""

import pytest

from referee.core.game import Outcome, Standing
from referee.core.ruling import Refusal
from referee.games.giro_galoppo import GAME
from referee.games.giro_galoppo.events import (
    CardChosen,
    CardsShown,
    HandsReturned,
    HorseMoved,
    Push,
    RaceOver,
)
from referee.games.giro_galoppo.types import RACING_CARDS, ChooseCard, Course, PlaceObstacle
from tests.games.giro_galoppo_table import moves, places, play_round, preparing, racing

# ── the worked cases ──────────────────────────────────────────────────────────────────────────────


def test_case_1_a_horse_that_is_landed_on_goes_back_one_and_then_moves() -> None:
    """Worked case 1: from 3 with a 2 onto 5; the other goes to 4, then with a 6 to 10."""
    table = racing(3, 5)
    events = play_round(table, 2, 6)
    assert events == [
        CardChosen(seat=1, card=6),
        CardsShown(cards=(2, 6)),
        HorseMoved(0, 2, 3, 5, "moved", Push(1, 5, 4)),
        HorseMoved(1, 6, 4, 10, "moved", None),
    ]
    assert table.state.spaces == (5, 10)


def test_case_2_a_pushed_horse_passes_an_obstacle_to_the_space_just_left() -> None:
    """Worked case 2: with obstacles on 2 and 4 the pushed horse goes back to 3."""
    table = racing(3, 5, obstacles=(2, 4, 17, 36, 39))
    events = play_round(table, 2, 6)
    assert events[2] == HorseMoved(0, 2, 3, 5, "moved", Push(1, 5, 3))


def test_case_3_a_horse_that_would_end_in_the_river_stays() -> None:
    """Worked case 3: on 9, river on 11, card 2: blocked."""
    table = racing(9, 1)
    assert play_round(table, 2, 3)[2] == HorseMoved(0, 2, 9, 9, "blocked", None)
    assert table.state.spaces == (9, 4)
    assert table.state.hands[0] == (1, 3, 4, 5, 6)


def test_case_4_equal_cards_at_the_gate_go_oldest_first() -> None:
    """Worked case 4: three play a 4 from the gate; the oldest moves first and ends last."""
    table = racing(0, 0, 0)
    events = play_round(table, 4, 4, 4)
    assert events[2:] == [
        HorseMoved(2, 4, 0, 4, "moved", None),
        HorseMoved(1, 4, 0, 4, "moved", Push(2, 4, 3)),
        HorseMoved(0, 4, 0, 4, "moved", Push(1, 4, 2)),
    ]
    assert table.state.spaces == (4, 2, 3)


def test_case_5_in_the_variation_only_the_oldest_leaves_the_gate() -> None:
    """Worked case 5: the same with `rearmost-only`; the two others are held, in their order."""
    table = racing(0, 0, 0, ties="rearmost-only")
    events = play_round(table, 4, 4, 4)
    assert events[2:] == [
        HorseMoved(2, 4, 0, 4, "moved", None),
        HorseMoved(1, 4, 0, 0, "held", None),
        HorseMoved(0, 4, 0, 0, "held", None),
    ]
    assert table.state.hand_counts == (5, 5, 5)


def test_case_6_a_horse_may_be_pushed_back_over_the_line() -> None:
    """Worked case 6: 41 is taken from seat 0, who stands on 40 and is not placed."""
    table = racing(39, 36, obstacles=(14, 17, 20, 27, 35))
    events = play_round(table, 2, 5)
    assert events[-1] == RaceOver()
    assert places(table) == [(1, 1, 41), (0, None, 40)]


def test_case_6_three_horses_push_each_other_about_the_line() -> None:
    """Worked case 6: from 38, 36, 35 with 3, 5, 6 they end on 40, 39, 41."""
    table = racing(38, 36, 35, obstacles=(14, 17, 20, 27, 29))
    play_round(table, 3, 5, 6)
    assert table.state.spaces == (40, 39, 41)


# ── choosing cards ────────────────────────────────────────────────────────────────────────────────


def test_a_choice_stays_face_down_until_the_last() -> None:
    """A choice that is not the last brings nothing but itself, and counts as in the hand."""
    table = racing(0, 0, 0)
    assert table.when(1, ChooseCard(3)) == [CardChosen(1, 3)]
    state = table.state
    assert GAME.to_act(state) == (0, 2)
    assert (state.chosen, state.has_chosen) == ((None, 3, None), (False, True, False))
    assert (state.hands[1], state.hand_counts) == (RACING_CARDS, (6, 6, 6))


def test_a_laid_card_is_not_changed() -> None:
    """`one-choice`: a second choice in a round is out of turn."""
    table = racing(0, 0)
    table.when(0, ChooseCard(3))
    assert table.refusal(0, ChooseCard(4)) == "out-of-turn"


@pytest.mark.parametrize("card", [-1, 0, 2, 7, 10**18])
def test_only_a_card_of_the_own_hand(card: int) -> None:
    """`card-in-hand` refuses cards that are played and cards that never were."""
    table = racing(0, 0).given(hands=((1, 3, 5), RACING_CARDS), hand_counts=(3, 6))
    with pytest.raises(Refusal) as refused:
        table.when(0, ChooseCard(card))
    assert refused.value.ruling == "card-in-hand"
    assert refused.value.detail == f"Card {card} is not in the hand, which holds 1, 3, 5."
    assert table.legal(0) == [ChooseCard(1), ChooseCard(3), ChooseCard(5)]


def test_a_new_round_begins_with_clean_choices() -> None:
    """After the moves the round counts up, nothing is chosen, and shown cards are gone."""
    table = racing(0, 0)
    play_round(table, 2, 6)
    state = table.state
    assert (state.round, state.chosen, state.has_chosen) == (2, (None, None), (False, False))
    assert state.hands == ((1, 3, 4, 5, 6), (1, 2, 3, 4, 5))
    assert state.hand_counts == (5, 5)
    assert GAME.to_act(state) == (0, 1)


def test_six_cards_come_back_after_the_sixth_round() -> None:
    """`hands-back`: five rounds shrink the hands, the sixth ends with `hands_returned`."""
    table = racing(0, 0)
    for card in RACING_CARDS[:5]:
        assert HandsReturned() not in play_round(table, card, 7 - card)
    assert table.state.hand_counts == (1, 1)
    assert play_round(table, 6, 1)[-1] == HandsReturned()
    assert table.state.hands == (RACING_CARDS, RACING_CARDS)
    assert (table.state.hand_counts, table.state.round) == ((6, 6), 7)


def test_hands_do_not_come_back_when_the_race_ends_with_the_sixth_card() -> None:
    """`hands-back`: the last event of a race is that it is over."""
    table = racing(38, 1).given(hands=((4,), (2,)), hand_counts=(1, 1))
    events = play_round(table, 4, 2)
    assert events[-1] == RaceOver()
    assert HandsReturned() not in events
    assert table.state.hand_counts == (0, 0)


# ── moving ────────────────────────────────────────────────────────────────────────────────────────


def test_the_lowest_card_moves_first() -> None:
    """`move-order`: by card, whatever the seat or the space."""
    events = play_round(racing(3, 9, 7, 1, 0), 5, 6, 1, 3, 2)
    assert [move[0] for move in moves(events)] == [2, 4, 3, 0, 1]


def test_of_equal_cards_the_horse_further_behind_moves_first() -> None:
    """`move-order`: seat 0 is ahead and moves second, age notwithstanding."""
    events = play_round(racing(6, 1, age_order=[1, 0]), 3, 3)
    assert moves(events) == [(1, 1, 4, "moved"), (0, 6, 9, "moved")]


def test_who_is_behind_is_looked_at_when_the_cards_turn_comes() -> None:
    """`move-order`: a lower card pushes seat 1 back behind seat 2 before their 5s are played."""
    events = play_round(racing(4, 5, 3, obstacles=(14, 17, 27, 36, 39)), 1, 5, 5)
    # 4 → 5; seat 1 goes back to 4 and is still ahead of seat 2 on 3.
    assert [move[0] for move in moves(events)] == [0, 2, 1]
    events = play_round(racing(2, 5, 4), 3, 6, 6)
    # 2 → 5; seat 1 goes back past 4 to 3, and now moves before seat 2.
    assert [move[0] for move in moves(events)] == [0, 1, 2]


def test_who_is_behind_is_looked_at_again_after_each_move_of_equal_cards() -> None:
    """`move-order`: the first of three 2s pushes the foremost horse behind the middle one."""
    events = play_round(racing(5, 6, 7, 0), 2, 2, 2, 6)
    # 5 → 7; seat 2 goes back past 6 to 5 and is now the rearmost of those left.
    assert moves(events)[:3] == [(0, 5, 7, "moved"), (2, 5, 7, "moved"), (1, 6, 8, "moved")]
    assert events[3] == HorseMoved(2, 2, 5, 7, "moved", Push(0, 7, 5))


def test_equal_places_are_settled_by_age_only_in_the_gate() -> None:
    """`move-order`: seats 0 and 2 share the gate; of them the older moves first."""
    events = play_round(racing(0, 5, 0, age_order=[2, 1, 0]), 3, 3, 3)
    assert [move[0] for move in moves(events)] == [0, 2, 1]


def test_jumped_horses_and_obstacles_count() -> None:
    """`move-full`: a 6 over two horses and an obstacle is six spaces."""
    table = racing(1, 2, 4, obstacles=(5, 14, 17, 36, 39))
    assert moves(play_round(table, 6, 5, 5))[-1] == (0, 1, 7, "moved")


def test_a_horse_is_pushed_past_horses_and_obstacles_without_a_chain() -> None:
    """`push-back`: from 8 past a horse on 7, an obstacle on 6 and a horse on 5 to 4."""
    table = racing(3, 8, 7, 5, obstacles=(6, 14, 17, 36, 39))
    event = play_round(table, 5, 6, 6, 6)[2]
    assert event == HorseMoved(0, 5, 3, 8, "moved", Push(1, 8, 4))


def test_a_pushed_horse_may_take_the_space_that_the_mover_left() -> None:
    """`push-back`: from 7 with a 1 onto 8; the horse there goes to 7, which is free by now."""
    table = racing(7, 8, obstacles=(6, 14, 17, 36, 39))
    assert play_round(table, 1, 2)[2] == HorseMoved(0, 1, 7, 8, "moved", Push(1, 8, 7))


@pytest.mark.parametrize(("river", "moor"), [([3, 24], 33), ([11, 24], 3)])
def test_a_pushed_horse_does_not_stop_on_river_or_moor(river: list[int], moor: int) -> None:
    """`push-back` passes a natural obstacle as it passes a placed one."""
    natural = {"river": river, "moor": [moor]}
    table = racing(2, 4, 30, natural_obstacles=natural)
    assert play_round(table, 2, 3, 1)[3].pushed == Push(1, 4, 2)


def test_a_pushed_horse_goes_no_further_than_the_gate() -> None:
    """`push-back`: with every space before it held, the gate takes it, beside another horse."""
    table = racing(0, 3, 2, 0, obstacles=(1, 14, 17, 36, 39))
    events = play_round(table, 3, 4, 4, 5)
    assert events[2] == HorseMoved(0, 3, 0, 3, "moved", Push(1, 3, 0))
    # Seat 1 shares the gate with seat 3, and is the rearmost of the 4s.
    assert moves(events)[1] == (1, 0, 4, "moved")


@pytest.mark.parametrize(("space", "card"), [(9, 2), (18, 6), (28, 5), (12, 2), (35, 4)])
def test_a_horse_stays_if_it_would_end_on_river_moor_or_obstacle(space: int, card: int) -> None:
    """`blocked`: the card is spent and the horse stays; rivers 11 and 24, moor 33, 14 and 39."""
    table = racing(space, 1)
    events = play_round(table, card, 1)
    assert moves(events)[-1] == (0, space, space, "blocked")
    assert card not in table.state.hands[0]


def test_behind_the_line_horses_push_each_other_as_before_it() -> None:
    """`behind-the-line`: 44 is taken from a horse, which goes back to 43."""
    table = racing(38, 40, 1, obstacles=(14, 17, 20, 27, 29))
    events = play_round(table, 6, 4, 1)
    assert events[-2] == HorseMoved(0, 6, 38, 44, "moved", Push(1, 44, 43))
    assert places(table) == [(0, 1, 44), (1, 2, 43), (2, None, 2)]


# ── the variation ─────────────────────────────────────────────────────────────────────────────────


def test_in_the_variation_the_others_are_held_even_if_the_rearmost_is_blocked() -> None:
    """`rearmost-only`: the rearmost would end in the river; nobody with that card moves."""
    events = play_round(racing(9, 12, 1, ties="rearmost-only"), 2, 2, 6)
    assert moves(events) == [
        (0, 9, 9, "blocked"),
        (1, 12, 12, "held"),
        (2, 1, 7, "moved"),
    ]


def test_in_the_variation_held_horses_may_be_pushed() -> None:
    """`rearmost-only`: the mover lands on a held horse; that one goes back and stays held."""
    events = play_round(racing(3, 5, ties="rearmost-only"), 2, 2)
    assert events[2:] == [
        HorseMoved(0, 2, 3, 5, "moved", Push(1, 5, 4)),
        HorseMoved(1, 2, 4, 4, "held", None),
    ]


def test_in_the_variation_held_horses_follow_rearmost_first() -> None:
    """`rearmost-only`: order among the held is by their spaces after the mover's move."""
    events = play_round(racing(5, 6, 7, ties="rearmost-only"), 2, 2, 2)
    # 5 → 7; seat 2 goes back past 6 to 5.
    assert moves(events) == [(0, 5, 7, "moved"), (2, 5, 5, "held"), (1, 6, 6, "held")]


def test_in_the_variation_the_rearmost_is_found_after_all_lower_cards() -> None:
    """`rearmost-only`: a 3 pushes seat 1 behind seat 2 before the 6s are looked at."""
    events = play_round(racing(2, 5, 4, ties="rearmost-only"), 3, 6, 6)
    assert moves(events) == [(0, 2, 5, "moved"), (1, 3, 9, "moved"), (2, 4, 4, "held")]


def test_in_the_variation_different_cards_move_as_ever() -> None:
    """`rearmost-only` says nothing of cards that are not equal; two pairs each move one horse."""
    events = play_round(racing(1, 3, 5, 8, 0, ties="rearmost-only"), 2, 2, 4, 4, 1)
    assert [(move[0], move[3]) for move in moves(events)] == [
        (4, "moved"),
        (0, "moved"),
        (1, "held"),
        (2, "moved"),
        (3, "held"),
    ]


# ── the end ───────────────────────────────────────────────────────────────────────────────────────


def test_all_chosen_cards_are_still_played_after_the_line_is_crossed() -> None:
    """`race-end`: a later mover of the same round may overtake the first to cross."""
    table = racing(40, 36)
    events = play_round(table, 1, 6)
    assert moves(events) == [(0, 40, 41, "moved"), (1, 36, 42, "moved")]
    assert places(table) == [(1, 1, 42), (0, 2, 41)]
    assert GAME.to_act(table.state) == ()


def test_standing_on_the_last_space_is_not_behind_the_line() -> None:
    """`race-end`: the race goes on with a horse on 40."""
    table = racing(34, 1)
    assert RaceOver() not in play_round(table, 6, 1)
    assert table.state.spaces == (40, 2)
    assert GAME.outcome(table.state) is None


def test_the_round_keeps_its_number_when_the_race_is_over() -> None:
    """In phase `over` `placing` is null and `round` is that of the last round."""
    table = racing(40, 2).given(round=9)
    play_round(table, 3, 3)
    state = table.state
    assert (state.phase, state.placing, state.round) == ("over", None, 9)


def test_horses_short_of_the_line_have_no_place_but_a_score() -> None:
    """`placing`: the score is the number of the space, 0 in the gate."""
    table = racing(40, 0, 2, obstacles=(4, 14, 17, 36, 38))
    play_round(table, 3, 4, 1)
    assert places(table) == [(0, 1, 43), (1, None, 0), (2, None, 3)]


# ── withdrawal ────────────────────────────────────────────────────────────────────────────────────


def test_a_placing_seat_that_leaves_passes_its_turn_on() -> None:
    """In the obstacle phase the next seat clockwise places instead, and five stand in the end."""
    table = preparing(5, seats=3, placing=2)
    assert table.leaves(2) == []
    placing: list[int] = []
    for space in (14, 17, 36, 38):
        (seat,) = GAME.to_act(table.state)
        placing.append(seat)
        table.when(seat, PlaceObstacle(space))
    assert placing == [0, 1, 0, 1]
    assert table.state.phase == "race"
    assert GAME.to_act(table.state) == (0, 1)


def test_a_seat_that_leaves_before_its_turn_is_passed_over() -> None:
    """The placing seat keeps its turn; the one that left gets none."""
    table = preparing(seats=3)
    table.leaves(1)
    assert GAME.to_act(table.state) == (0,)
    table.when(0, PlaceObstacle(2))
    assert GAME.to_act(table.state) == (2,)


def test_a_withdrawn_seat_holds_nothing() -> None:
    """Space null, hand empty, count 0, no choice."""
    table = racing(4, 7, 9)
    table.when(1, ChooseCard(3))
    assert table.leaves(1) == []
    state = table.state
    assert (state.spaces, state.hands[1], state.hand_counts) == ((4, None, 9), (), (6, 0, 6))
    assert (state.chosen[1], state.has_chosen[1]) == (None, False)
    assert GAME.to_act(state) == (0, 2)


def test_the_last_seat_to_choose_leaves_and_the_round_is_played_without_it() -> None:
    """The round follows in the commit of the withdrawal; the horse has gone and blocks nothing."""
    table = racing(3, 5, 4)
    table.when(0, ChooseCard(2))
    table.when(2, ChooseCard(6))
    assert table.leaves(1) == [
        CardsShown((2, None, 6)),
        HorseMoved(0, 2, 3, 5, "moved", None),
        HorseMoved(2, 6, 4, 10, "moved", None),
    ]
    assert table.state.round == 2


def test_a_choice_face_down_is_not_played_after_its_seat_left() -> None:
    """Seat 1's card vanishes with it; the last choice shows only the others'."""
    table = racing(3, 5, 4)
    table.when(1, ChooseCard(1))
    table.leaves(1)
    table.when(0, ChooseCard(1))
    events = table.when(2, ChooseCard(6))
    assert events[1] == CardsShown((1, None, 6))
    assert [move[0] for move in moves(events)] == [0, 2]


def test_hands_come_back_only_to_those_still_there() -> None:
    """`hands-back` in the commit of a withdrawal, and never to a withdrawn seat."""
    table = racing(3, 5, 8).given(hands=((4,), (2,), (1,)), hand_counts=(1, 1, 1))
    table.when(0, ChooseCard(4))
    table.when(2, ChooseCard(1))
    assert table.leaves(1)[-1] == HandsReturned()
    assert table.state.hands == (RACING_CARDS, (), RACING_CARDS)
    assert table.state.hand_counts == (6, 0, 6)


def test_a_race_may_end_in_the_commit_of_a_withdrawal() -> None:
    """The others' choices take a horse over the line when the last chooser leaves."""
    table = racing(38, 5, 8)
    table.when(0, ChooseCard(4))
    table.when(2, ChooseCard(1))
    assert table.leaves(1)[-1] == RaceOver()
    assert places(table) == [(0, 1, 42), (1, None, None), (2, None, 9)]


@pytest.mark.parametrize("phase", ["obstacles", "race", "chosen"])
def test_the_last_seat_left_wins_at_once(phase: str) -> None:
    """In every phase: reason `withdrawal`, that seat first, nobody to act, nothing played."""
    table = preparing(5) if phase == "obstacles" else racing(4, 7)
    if phase == "chosen":
        table.when(1, ChooseCard(3))
    assert table.leaves(0) == []
    space = table.state.spaces[1]
    ranking = (Standing(1, 1, space), Standing(0, None, None))
    assert GAME.outcome(table.state) == Outcome("withdrawal", ranking)
    assert (table.state.phase, table.state.placing) == ("over", None)
    assert GAME.to_act(table.state) == ()


def test_all_of_five_leave_but_one() -> None:
    """The match goes on with two seats and ends with one; the round keeps its number."""
    table = racing(1, 2, 3, 4, 5).given(round=4)
    for seat in (4, 0, 2):
        table.leaves(seat)
        assert GAME.outcome(table.state) is None
    table.leaves(1)
    assert table.state.round == 4
    assert [row for row in places(table) if row[1] is not None] == [(3, 1, 4)]
    assert len(places(table)) == 5


# ── the record ────────────────────────────────────────────────────────────────────────────────────


def test_the_rulings_stand_in_page_order() -> None:
    """The served rulings are the page's, and commands are judged in that order."""
    ids = [ruling.id for ruling in GAME.rulings]
    assert ids == [
        *("obstacle-order", "obstacle-sand", "obstacle-single", "obstacle-gap"),
        *("obstacle-final-stretch", "obstacle-room", "one-choice", "card-in-hand"),
        *("move-order", "move-full", "push-back", "blocked", "behind-the-line"),
        *("rearmost-only", "hands-back", "race-end", "placing"),
    ]
    judged = [clause.id for rules in GAME.commands for clause in rules.rulings]
    assert judged == [one for one in ids if one in judged]
    assert [one.id for one in GAME.rulings if one.origin == "house"] == ["obstacle-room"]


def test_no_ruling_that_judges_a_placing_stumbles_over_any_number() -> None:
    """Each clause can be asked by itself, as `explain` does, even far off the course."""
    table = preparing(5, 8)
    for space in (-(10**18), -1, 0, 1, 5, 33, 41, 10**18):
        for clause in GAME.commands[0].rulings:
            assert isinstance(clause(table.state, table.by(0), PlaceObstacle(space)), str | None)


def test_a_course_knows_what_blocks_a_space() -> None:
    """River, moor and obstacle block; sand and what lies off the course do not."""
    course = Course(40, (11, 24), (33,), (5,))
    blocked = [space for space in range(-1, 50) if course.blocks(space)]
    assert blocked == [5, 11, 24, 33]


def test_turning_the_cards_over_reveals_and_laying_or_moving_does_not() -> None:
    """What players alone may not take back: only the showing told anybody anything."""
    events = play_round(racing(3, 5), 2, 6)
    assert [GAME.reveals(event) for event in events] == [False, True, False, False]
