"""Dragon Dance: going out, being blocked, the finish, honours, and the end of the match."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.game import Outcome, Standing
from referee.games.dragon_dance import GAME, rules
from referee.games.dragon_dance.events import (
    Blocked,
    Dealt,
    Declined,
    Drew,
    FirstCard,
    GoingOut,
    Laid,
    LetStood,
    Passed,
    RoundEnded,
    WentOut,
)
from referee.games.dragon_dance.types import Block, Decline, Lay, LetStand
from tests.games.table import Table
from tests.games.test_dragon_dance import BLUE, FIRST, Cards, judged_by, lay, scene

HEAD_OUT = (*BLUE, ("HBB", 1, 1, False))


def going_out(*others: Cards, **fields: Any) -> Table:
    """Seat 0 has laid HBB at 1, 1 as its last card; the others hold these hands."""
    asked = tuple(range(1, len(others) + 1))
    points = (20,) + (0,) * len(others)
    given: dict[str, Any] = {"cards": HEAD_OUT, "phase": "respond", "going_out": 0}
    given.update(asked=asked, points=points)
    given.update(fields)
    return scene([], *others, **given)


def block(card: str, x: int, y: int, *, turned: bool = False) -> Block:
    """A command to block."""
    return Block(card, x, y, turned)


def finishing(*others: Cards, **fields: Any) -> Table:
    """Seat 0 has gone out; seat 1 is the first to lay a card more."""
    given: dict[str, Any] = {"phase": "finish", "asked": (), "turn": 1}
    given.update(fields)
    given["to_finish"] = tuple(range(given["turn"], len(others) + 1))
    return going_out(*others, **given)


# ── going out ─────────────────────────────────────────────────────────────────────────────────────


def test_laying_a_lawful_last_head_asks_every_other_seat_clockwise_from_the_left() -> None:
    """Whatever they hold, and also with an empty pile."""
    hands = (["HRR", "HRY"], ["HBB"], ["ER1"], ["ER2", "ER3"])
    table = scene(*hands, cards=BLUE, pile=[], points=(0, 15, 0, 0), turn=1)
    assert table.when(1, lay("HBB", 0, 0)) == [
        Laid(seat=1, card="HBB", x=0, y=0, turned=False, covers=4, points=7),
        GoingOut(seat=1),
    ]
    state = table.state
    assert (state.phase, state.going_out, state.turn, state.asked) == ("respond", 1, 1, (2, 3, 0))
    assert GAME.to_act(state) == (2,)


def test_a_seat_that_is_asked_may_let_the_head_stand_and_the_next_is_asked() -> None:
    """One after the other; let_stand is the last in the list."""
    table = going_out(["EB2"], ["ER1"])
    assert table.legal(1)[-1] == LetStand()
    assert table.when(1, LetStand()) == [LetStood(seat=1)]
    assert (table.state.asked, GAME.to_act(table.state)) == ((2,), (2,))
    assert table.legal(2) == [LetStand()]


def test_when_nobody_blocks_the_head_stands_for_5_points_and_the_finish_begins() -> None:
    """Ruling out-bonus; the seat at the left is the first to lay a card more."""
    table = going_out(["EB2"], ["ER1"])
    table.when(1, LetStand())
    assert table.when(2, LetStand()) == [LetStood(seat=2), WentOut(seat=0, bonus=5)]
    state = table.state
    assert (state.phase, state.turn, state.going_out) == ("finish", 1, 0)
    assert (state.points, state.asked) == ((25, 0, 0), ())


# ── blocks ────────────────────────────────────────────────────────────────────────────────────────


def test_only_the_asked_seat_answers() -> None:
    """The seat that goes out and those asked later are out of turn."""
    table = going_out(["EB2"], ["ER1"])
    assert [table.refusal(seat, LetStand()) for seat in range(3)] == [
        "out-of-turn",
        None,
        "out-of-turn",
    ]


@pytest.mark.parametrize(
    ("card", "x", "y", "ruling", "detail"),
    [
        ("HBG", 1, 0, "match-colour", None),
        ("BRYG", 2, 2, "block", "Only an egg blocks a head; 'BRYG' is none."),
        ("EY1", 3, 3, "cover", None),
        ("EB2", 0, 1, "beaten-egg", None),
        ("EB3", 2, 1, "decapitated", None),
    ],
)
def test_blocks_that_are_none_are_refused(
    card: str, x: int, y: int, ruling: str, detail: str | None
) -> None:
    """By the first ruling that they break, in the order of the page."""
    table = going_out(["HBG", "BRYG", "EY1", "EB2", "EB3"])
    assert table.refusal(1, block(card, x, y)) == ruling
    if detail is not None:
        assert rules.block_head(table.state, table.by(1), block(card, x, y)) == detail


def test_the_order_in_which_a_block_is_judged_is_that_of_the_page() -> None:
    """As a lay, but for draw-one and last-card, then block and decapitated."""
    assert judged_by(Block) == [
        *("card-in-hand", "turning", "cover", "match-colour", "beaten-egg"),
        *("block", "decapitated"),
    ]
    table = going_out(["BRYG"], options={"turning": "none"})
    assert table.refusal(1, block("EB2", 9, 9)) == "card-in-hand"
    assert table.refusal(1, block("BRYG", 9, 9, turned=True)) == "turning"


def test_an_egg_of_another_colour_does_not_block() -> None:
    """It lies on the tail, whose colour it has; the head's own colour is the other."""
    cards = (("RYGB", -1, 0, False), ("HBG", 0, 1, False))
    table = going_out(["EG1"], cards=cards)
    assert table.refusal(1, block("EG1", 0, 2)) == "block"
    detail = rules.block_head(table.state, table.by(1), block("EG1", 0, 2))
    assert detail == "The head HBG is B, the egg EG1 is G."


def test_an_egg_that_covers_no_box_of_the_head_does_not_block() -> None:
    """The right colour elsewhere on the field."""
    cards = (("RYGB", 0, 0, False), ("RYGB", 5, 5, False), ("HBG", 1, 1, False))
    table = going_out(["EB1"], cards=cards)
    assert table.refusal(1, block("EB1", 6, 6)) == "block"
    detail = rules.block_head(table.state, table.by(1), block("EB1", 6, 6))
    assert detail == "The egg would cover no box of the head at [1, 1]."


@pytest.mark.parametrize(
    ("hand", "pile", "ruling"),
    [
        (["EB2"], [], "block"),
        (["EB2"], ["HRR"], "block"),
        (["EB2"], ["HRR", "HRY"], None),
        (["EB2", "EB3"], [], "block"),
        (["EB2", "EB3"], ["HRR"], None),
    ],
)
def test_a_block_needs_as_many_cards_in_the_pile_as_must_be_drawn(
    hand: Cards, pile: Cards, ruling: str | None
) -> None:
    """One for the seat blocked, one more where the egg is the blocker's last card."""
    table = going_out(hand, ["ER1"], pile=pile)
    assert table.refusal(1, block("EB2", 1, 1)) == ruling
    assert (block("EB2", 1, 1) in table.legal(1)) == (ruling is None)


def test_a_last_card_may_block_without_any_points() -> None:
    """Ruling last-card does not bind an answer; blocker first, then blocked, each draws one."""
    table = going_out(["EB2"], ["ER1"], pile=["HRR", "HRY", "HRG"])
    assert table.when(1, block("EB2", 1, 1, turned=True)) == [
        Blocked(by=1, seat=0, card="EB2", x=1, y=1, turned=False, covers=4, points=9),
        Drew(seat=1, card="HRR"),
        Drew(seat=0, card="HRY"),
    ]
    state = table.state
    assert (state.hands, state.hand_counts) == ((("HRY",), ("HRR",), ("ER1",)), (1, 1, 1))
    assert (state.points, state.pile) == ((20, 9, 0), ("HRG",))


def test_after_a_block_play_goes_on_left_of_the_blocker() -> None:
    """The blocked seat keeps its points and draws; seats asked later are not asked any more."""
    table = going_out(["ER1"], ["EB2", "EB3"], ["HRR"], pile=["HRY", "HRG"])
    table.when(1, LetStand())
    assert table.when(2, block("EB2", 1, 1))[1:] == [Drew(seat=0, card="HRY")]
    state = table.state
    assert (state.phase, state.turn, state.going_out, state.asked) == ("lay", 3, None, ())
    assert (state.points, state.pile_count, state.drawn) == ((20, 0, 9, 0), 1, None)


def test_with_two_seats_the_blocked_seat_is_next_and_has_not_drawn_in_its_turn() -> None:
    """Its card of the block is no drawn card of the turn: it may lay or draw."""
    table = going_out(["EB2", "EB3"], pile=["HRY", "HRG"])
    assert table.when(1, block("EB2", 1, 1))[1:] == [Drew(seat=0, card="HRY")]
    assert (table.state.phase, table.state.turn, table.state.drawn) == ("lay", 0, None)


def test_a_pile_that_a_block_empties_lets_turns_pass() -> None:
    """Seat 2 can neither lay nor draw, nor can seat 0 with its card of the block."""
    table = going_out(["EB2", "HBR", "HBG"], ["ER1", "ER2"], pile=["HRY"])
    assert table.when(1, block("EB2", 1, 1))[1:] == [
        Drew(seat=0, card="HRY"),
        Passed(seat=2),
        Passed(seat=0),
    ]
    assert (table.state.turn, table.state.passes) == (1, 2)


def test_a_blocking_egg_may_lie_on_the_head_end_of_a_turned_head() -> None:
    """Turned, the head's own end is its lower row."""
    cards = (("EB1", 1, 2, False), ("HBR", 1, 1, True))
    table = going_out(["EB2", "EB3"], cards=cards)
    assert table.legal(1) == [LetStand()]
    table = going_out(["EB2", "EB3"], cards=(("HBR", 1, 1, True),))
    assert table.legal(1) == [block("EB2", 1, 2), block("EB3", 1, 2), LetStand()]


def test_blocks_are_listed_in_hand_order_then_by_y_and_let_stand_last() -> None:
    """Over a head that is blue all over an egg may lie above or on it."""
    table = going_out(["EB3", "HRR", "ER1", "EB2"], cards=(("HBB", 1, 1, False),))
    assert table.legal(1) == [
        *(block("EB3", 1, 0), block("EB3", 1, 1)),
        *(block("EB2", 1, 0), block("EB2", 1, 1)),
        LetStand(),
    ]


def test_the_printed_colour_of_a_head_decides_which_egg_blocks_it() -> None:
    """With faces of the organizer's own copy the head's first letter counts, not its name."""
    table = going_out(
        ["EB1", "ER1"],
        cards=(("HBB", 1, 1, False),),
        options={"faces": {"HBB": "RRRR", "EB1": "GGGG"}},
    )
    assert table.legal(1) == [block("ER1", 1, 0), block("ER1", 1, 1), LetStand()]


# ── the finish ────────────────────────────────────────────────────────────────────────────────────


def test_in_the_finish_each_other_seat_may_lay_one_card_or_decline() -> None:
    """Decline is last in the list; the turn goes clockwise."""
    table = finishing(["EB2", "HBR"], ["ER1"])
    assert table.legal(1)[-1] == Decline()
    table.when(1, lay("EB2", 1, 2))
    assert (table.state.phase, table.state.turn, table.state.points) == ("finish", 2, (20, 7, 0))
    assert table.legal(2) == [Decline()]


def test_in_the_finish_neither_points_nor_a_head_are_needed_for_a_last_card() -> None:
    """A scale may go as a last card, without the 2 points."""
    table = finishing(["BRYG"], ["EB2"])
    assert table.when(1, lay("BRYG", 2, 2))[0] == Laid(
        seat=1, card="BRYG", x=2, y=2, turned=False, covers=1, points=1
    )
    assert table.state.hands[1] == ()


@pytest.mark.parametrize(
    ("hand", "card", "x", "y", "covers", "points"),
    [
        (["HBR"], "HBR", 1, 2, 2, 7),
        (["HBR"], "HBR", 2, 2, 1, 4),
        (["HBR", "HBG"], "HBR", 1, 2, 2, 5),
        (["EB2"], "EB2", 1, 2, 2, 7),
    ],
    ids=["last head on two", "last head on one", "not the last", "no head"],
)
def test_a_last_head_on_two_boxes_pays_2_more_in_the_finish(
    hand: Cards, card: str, x: int, y: int, covers: int, points: int
) -> None:
    """Laid.points includes the 2; nobody is asked about that head."""
    table = finishing(hand, ["ER1"])
    assert table.when(1, lay(card, x, y)) == [
        Laid(1, card, x, y, turned=False, covers=covers, points=points)
    ]
    assert table.state.phase == "finish"


def test_the_other_rulings_of_a_lay_bind_in_the_finish() -> None:
    """Colours, eggs on eggs, and what is covered."""
    table = finishing(["EB2", "HRR"], ["ER1"])
    assert table.refusal(1, lay("EB2", 0, 0)) == "beaten-egg"
    assert table.refusal(1, lay("HRR", 1, 1)) == "match-colour"
    assert table.refusal(1, lay("HRR", 7, 7)) == "cover"


def after_case_9() -> Table:
    """HRG at -1, 0 on the first card has gone out; seat 1 is to finish with its eggs."""
    table = scene(["HRG"], ["ER1", "ER2", "ER3"], ["HGG"], cards=(FIRST,), points=(15, 0, 0))
    table.when(0, lay("HRG", -1, 0))
    assert table.refusal(1, block("ER1", -1, -1)) is None
    table.when(1, LetStand())
    table.when(2, LetStand())
    return table


def test_case_9_an_egg_that_could_have_blocked_is_refused_in_the_finish() -> None:
    """On both boxes of the head's end; on one of them it is a card like any, for 1 + 5."""
    table = after_case_9()
    assert table.refusal(1, lay("ER1", -1, -1)) == "finish"
    assert table.refusal(1, lay("ER1", -1, 0)) == "match-colour"
    assert lay("ER1", -1, -1) not in table.legal(1)
    assert table.when(1, lay("ER1", -2, -1)) == [
        Laid(seat=1, card="ER1", x=-2, y=-1, turned=False, covers=1, points=6)
    ]


def test_an_egg_that_could_have_blocked_is_refused_whatever_the_pile_holds() -> None:
    """With too few cards to draw it could not have blocked; it may not be laid later either."""
    table = finishing(["EB2"], ["ER1"], pile=[])
    assert table.refusal(1, lay("EB2", 1, 1)) == "finish"
    detail = rules.stands_to_it(table.state, table.by(1), lay("EB2", 1, 1))
    assert (
        detail
        == "An egg on the head's end, [1, 1] and the next, could have blocked; it was let stand."
    )


def test_an_egg_that_could_have_blocked_is_refused_whatever_lies_on_the_head_since() -> None:
    """The tail of another head covers its end; an egg would match there."""
    table = finishing(["HRB"], ["EB2"], cards=(("HBB", 1, 1, False),))
    table.when(1, lay("HRB", 1, 0))
    assert table.refusal(2, lay("EB2", 1, 1)) == "finish"


def test_the_end_of_a_turned_head_is_its_lower_row() -> None:
    """There an egg is refused in the finish, and only there."""
    table = finishing(["EB2", "ER2"], cards=(("HBR", 1, 1, True),))
    assert table.refusal(1, lay("EB2", 1, 2)) == "finish"
    assert table.refusal(1, lay("ER2", 1, 0)) is None


def test_a_card_that_is_no_egg_may_cover_the_heads_end_in_the_finish() -> None:
    """Only an egg could have blocked."""
    table = finishing(["HBR", "ER2"])
    assert table.refusal(1, lay("HBR", 1, 1)) == "match-colour"
    assert table.refusal(1, lay("HBR", 1, 2)) is None


def test_the_round_ends_when_the_last_seat_has_finished() -> None:
    """Honours for the dragon and for the most points; the next seat starts round 2."""
    table = finishing(["EB2", "HBR"], ["ER1"], points=(25, 30, 30))
    table.when(1, Decline())
    events = table.when(2, Decline())
    assert events[:2] == [
        Declined(seat=2),
        RoundEnded(how="dragon", points=(25, 30, 30), dragon=0, most_points=(1, 2)),
    ]
    assert [type(event) for event in events[2:]] == [Dealt, FirstCard]
    state = table.state
    assert (state.round, state.turn, state.phase, state.going_out) == (2, 1, "lay", None)
    assert (state.rounds_won, state.point_honours) == ((1, 0, 0), (0, 1, 1))
    assert (state.total_points, state.points) == ((25, 30, 30), (0, 0, 0))


# ── the match ─────────────────────────────────────────────────────────────────────────────────────


def test_the_match_ends_when_a_seat_has_won_with_the_black_and_the_white_dragon() -> None:
    """Two rounds won; the state stays as the round left it, nobody's turn."""
    table = finishing(["ER1"], points=(25, 3), rounds_won=(1, 1), total_points=(10, 60))
    events = table.when(1, Decline())
    assert events[-1] == RoundEnded(how="dragon", points=(25, 3), dragon=0, most_points=(0,))
    state = table.state
    assert (state.phase, state.turn, state.going_out, state.asked) == ("over", None, None, ())
    assert (state.points, state.total_points, state.rounds_won) == ((25, 3), (35, 63), (2, 1))
    assert (state.hands[1], state.field[-1].card, GAME.to_act(state)) == (("ER1",), "HBB", ())
    assert GAME.outcome(state) == Outcome("played-out", (Standing(0, 1, 35), Standing(1, 2, 63)))


def test_with_to_win_1_one_round_won_is_enough() -> None:
    """The option counts."""
    table = finishing(["ER1"], options={"to_win": 1})
    table.when(1, Decline())
    assert table.state.phase == "over"


def test_a_match_goes_on_where_nobody_has_won_enough_and_has_no_outcome() -> None:
    """One round won of two."""
    table = finishing(["ER1"])
    assert GAME.outcome(table.state) is None
    table.when(1, Decline())
    assert (table.state.phase, GAME.outcome(table.state)) == ("lay", None)


def test_at_max_rounds_the_match_goes_by_rounds_won_then_total_points_then_is_shared() -> None:
    """A stuck round counts as one of them."""
    table = scene(
        *(["HRR", "HYG"], ["HRY", "ER1"], ["HRG", "ER2"], ["HGG", "ER3"]),
        cards=BLUE,
        pile=[],
        phase="drawn",
        drawn="HYG",
        round=3,
        options={"max_rounds": 3},
        points=(1, 2, 3, 4),
        total_points=(8, 8, 7, 30),
        rounds_won=(1, 1, 1, 0),
    )
    events = table.when(0, table.legal(0)[-1])
    assert events[-1] == RoundEnded(how="stuck", points=(1, 2, 3, 4), dragon=None, most_points=(3,))
    outcome = GAME.outcome(table.state)
    assert outcome is not None
    assert {(row.seat, row.place, row.score) for row in outcome.ranking} == {
        (0, 3, 9),
        (1, 1, 10),
        (2, 1, 10),
        (3, 4, 34),
    }
    assert table.state.passes == 0


@pytest.mark.parametrize(("number", "gone", "seat"), [(1, (), 2), (2, (), 0), (2, (0,), 1)])
def test_each_round_starts_with_the_next_seat_still_in(
    number: int, gone: tuple[int, ...], seat: int
) -> None:
    """Round r starts clockwise from (starter + r - 1) mod seats."""
    withdrawn = tuple(other in gone for other in range(3))
    table = finishing(["ER1"], ["ER2"], options={"starter": 2}, round=number - 1, turn=2)
    table.given(withdrawn=withdrawn)
    table.when(2, Decline())
    assert (table.state.round, table.state.turn) == (number, seat)
    assert [bool(hand) for hand in table.state.hands] == [not gone for gone in withdrawn]


def test_a_lay_form_is_never_a_block_and_the_other_way_round() -> None:
    """Each phase owes its own commands: others are of the wrong phase."""
    table = going_out(["EB2"])
    assert table.refusal(1, lay("EB2", 1, 1)) == "wrong-phase"
    table = finishing(["EB2"])
    assert table.refusal(1, block("EB2", 1, 1)) == "wrong-phase"
    assert table.refusal(1, LetStand()) == "wrong-phase"
    assert {type(form) for form in table.legal(1)} == {Lay, Decline}
