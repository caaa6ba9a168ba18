"""Moving in Giganten: steps, Blitz, scouts, challenges, double moves, and what is listed."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from msgspec import UNSET

from referee.games.giganten import GAME
from referee.games.giganten.events import (
    Advanced,
    Challenged,
    Moved,
    PiecesMoved,
    Stayed,
    TurnEnded,
)
from referee.games.giganten.types import Advance, BringIn, DoubleMove, EndTurn, Move
from tests.games.giganten_table import at, battle, by_id, go, kinds, only, refused, turn_of, twice
from tests.games.table import Table


def alone(*pieces: str, **more: object) -> Table:
    """A battle without bystanders, but for an enemy that can move."""
    return battle(*pieces, "1 docus 0,12", bystanders=False, **more)  # type: ignore[arg-type]


# ── Steps ───────────────────────────────────────────────────────────────────────────────────────


def test_a_piece_goes_one_cell_in_four_directions() -> None:
    """South, west, east, north: by y, then x."""
    assert alone("0 tri 5,5").legal(0) == [go(1, to) for to in ((5, 4), (4, 5), (6, 5), (5, 6))]


@pytest.mark.parametrize(
    ("to", "sentence"),
    [
        ((5, 5), "Somebody stands on [5, 5]."),
        ((6, 6), "[6, 6] is not one cell straight from [5, 5]."),
        ((5, 7), "[5, 7] is not one cell straight from [5, 5]."),
        ((5, 4), "Somebody stands on [5, 4]."),
        ((4, 5), "Somebody stands on [4, 5]."),
        ((-1, 5), "[-1, 5] is no cell of the board."),
        ((10**12, 5), "[1000000000000, 5] is no cell of the board."),
    ],
)
def test_a_step_ends_on_an_empty_cell_beside(to: tuple[int, int], sentence: str) -> None:
    """Not diagonally, not further, not where anybody stands."""
    table = battle("0 tri 5,5", "0 dilo 5,4", "1 tri 4,5")
    assert refused(table, 0, go(1, to)) == ("one-step", sentence)


@pytest.mark.parametrize("number", [3, 0, -1, 300, 2**40])
def test_only_an_own_piece_on_the_board_goes(number: int) -> None:
    """Not an enemy's, not one that was never there."""
    table = battle("0 tri 5,5", "1 tri 8,8", "1 tri 9,9")
    assert table.refusal(0, go(number, (5, 6))) == "one-step"


def test_a_partners_piece_is_not_ones_own() -> None:
    """Each of a team moves its own set."""
    table = battle("0 tri 5,5", "2 tri 8,5", seats=4)
    assert refused(table, 0, go(2, (8, 6))) == ("one-step", "Piece 2 is not seat 0's.")


def test_a_step_off_the_edge_of_a_stepped_board_leads_nowhere() -> None:
    """A cell that the rows have but no tile covers is none."""
    board = [
        {"tile": tile, "turn": 0, "x": x, "y": y, "seat": seat}
        for tile, x, y, seat in (("a", 0, 3, 0), ("b", 7, 0, 0), ("c", 0, 10, 1), ("d", 7, 7, 1))
    ]
    table = alone("0 tri 6,3", board=board)
    assert refused(table, 0, go(1, (6, 2))) == ("one-step", "[6, 2] is no cell of the board.")
    assert table.legal(0) == [go(1, to) for to in ((5, 3), (7, 3), (6, 4))]


@pytest.mark.parametrize(("seat", "back", "ahead"), [(0, (5, 4), (5, 6)), (1, (5, 6), (5, 4))])
def test_blitz_never_goes_forward(seat: int, back: tuple[int, int], ahead: tuple[int, int]) -> None:
    """North is forward for the south, south for the north; sideways and back it may."""
    table = battle(f"{seat} blitz 5,5", to_move=seat)
    assert table.refusal(seat, go(1, ahead)) == "blitz-move"
    for to in (back, (4, 5), (6, 5)):
        assert table.refusal(seat, go(1, to)) is None


def test_blitz_never_goes_into_swamp() -> None:
    """Sideways neither."""
    table = battle("0 blitz 5,5", swamp=[(4, 5)])
    assert refused(table, 0, go(1, (4, 5))) == (
        "blitz-move", "[4, 5] is swamp, where Blitz never goes.",
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["nest", "trap"])
def test_nest_and_trap_never_move(kind: str) -> None:
    """Wherever they stand."""
    table = battle(f"0 {kind} 5,5", blank="trap")
    assert table.refusal(0, go(1, (5, 6))) == "immobile-piece"


def test_a_held_piece_does_not_move() -> None:
    """Until it is free."""
    table = battle("0 tri 5,5 held 1", trap_effect="hold")
    assert refused(table, 0, go(1, (5, 6))) == (
        "immobile-piece", "Piece 1 is held for 1 more of its turns.",
    )  # fmt: skip


def test_a_broken_step_is_named_before_all_else() -> None:
    """A nest that would go two cells breaks two rulings."""
    assert battle("0 nest 5,5").refusal(0, go(1, (5, 7))) == "one-step"
    assert battle("0 blitz 5,5").refusal(0, go(1, (5, 7))) == "one-step"


def test_a_move_is_told_and_the_turn_goes_on() -> None:
    """The piece, from where, to where; the turn, the moves made, a quiet turn more."""
    table = battle("0 tri 5,5")
    assert table.when(0, go(1, (5, 6))) == [
        PiecesMoved(0, (Moved(1, (5, 5), (5, 6)),)), TurnEnded(0),
    ]  # fmt: skip
    state = table.state
    assert (state.turn, state.to_move, state.moves_made, state.quiet_turns) == (21, 1, (6, 5), 1)


# ── Scouts ──────────────────────────────────────────────────────────────────────────────────────


def test_a_flug_steps_like_any_other() -> None:
    """One cell, with or without a challenge."""
    table = battle("0 flug 5,5", "1 tri 5,7")
    assert table.refusal(0, go(1, (5, 6))) is None
    assert table.refusal(0, go(1, (5, 6), (5, 7))) is None
    assert table.refusal(0, go(1, (5, 6), (6, 7))) == "challenge-adjacent"


@pytest.mark.parametrize(
    ("to", "challenge", "ruling"),
    [
        ((5, 9), None, "scout"),
        ((5, 9), (6, 9), "scout"),
        ((5, 8), (5, 10), "scout"),
        ((5, 9), (5, 10), None),
        ((5, 10), (5, 11), "one-step"),
        ((5, 11), (5, 10), "scout"),
        ((5, 14), (5, 13), "one-step"),
        ((6, 7), (6, 8), "one-step"),
        ((6, 6), None, "one-step"),
        ((5, 5), (5, 6), "one-step"),
    ],
    ids=str,
)
def test_a_scout_lands_beside_an_enemy_and_challenges_it(
    to: tuple[int, int], challenge: tuple[int, int] | None, ruling: str | None
) -> None:
    """From 5,5, an enemy on 5,10: whatever is no line, or no empty landing, is no flight."""
    assert battle("0 flug 5,5", "1 tri 5,10").refusal(0, go(1, to, challenge)) == ruling


def test_a_scout_flies_over_empty_cells_only() -> None:
    """Neither own pieces nor enemies nor holes of the board."""
    for blocker in ("0 tri 5,7", "1 tri 5,7"):
        table = battle("0 flug 5,5", blocker, "1 dilo 5,10")
        assert refused(table, 0, go(1, (5, 9), (5, 10))) == (
            "scout", "[5, 7] on the scout's way is not empty.",
        )  # fmt: skip
    board = [
        {"tile": tile, "turn": 0, "x": x, "y": y, "seat": seat}
        for tile, x, y, seat in (("a", 0, 0, 0), ("b", 7, 4, 0), ("c", 14, 0, 1))
    ]
    table = battle("0 flug 5,1", "1 tri 17,1", bystanders=False, board=board)
    assert refused(table, 0, go(1, (16, 1), (17, 1))) == (
        "scout", "[7, 1] on the scout's way is not empty.",
    )  # fmt: skip


def test_a_straight_scout_may_look_to_its_sides() -> None:
    """Ahead, left and right, but at no corner."""
    table = battle("0 flug 5,5", "1 tri 4,8", "1 tri 6,8", "1 tri 5,9", "1 tri 6,9", "1 tri 6,7")
    for cell in ((4, 8), (6, 8), (5, 9)):
        assert table.refusal(0, go(1, (5, 8), cell)) is None
    for cell in ((6, 9), (6, 7)):
        assert table.refusal(0, go(1, (5, 8), cell)) == "scout-straight"


def test_a_diagonal_scout_challenges_on_its_line_alone() -> None:
    """Not ahead, not beside, in all four directions."""
    for east, north in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        ahead = (6 + 3 * east, 6 + 3 * north)
        side = (6 + 2 * east, 6 + 3 * north)
        table = battle("0 flug 6,6", f"1 tri {ahead[0]},{ahead[1]}", f"1 tri {side[0]},{side[1]}")
        landing = (6 + 2 * east, 6 + 2 * north)
        assert table.refusal(0, go(1, landing, ahead)) is None
        assert table.refusal(0, go(1, landing, side)) == "scout-diagonal"


def test_only_a_flug_is_a_scout() -> None:
    """For others two cells are too many."""
    assert battle("0 tri 5,5", "1 tri 5,10").refusal(0, go(1, (5, 9), (5, 10))) == "one-step"


def test_a_scout_takes_the_nest() -> None:
    """In flight it is a dinosaur like any other."""
    table = battle("0 flug 5,5", "1 nest 5,10")
    assert kinds(table.when(0, go(1, (5, 9), (5, 10))))[-1] == "nest_taken"


def test_a_scout_that_wins_diagonally_advances_diagonally() -> None:
    """Into the cell of a ghost, say."""
    table = battle("0 flug 2,2", "1 ghost 7,7", blank="ghost")
    table.when(0, go(1, (6, 6), (7, 7)))
    assert table.when(0, Advance(go=True))[0] == Advanced(1, (6, 6), (7, 7))


def test_flights_are_listed_among_steps_by_their_landing() -> None:
    """By y, then x; without a challenge first; cells challenged by y, then x."""
    table = battle("0 flug 5,5", "1 tri 5,10", "1 tri 8,8", "1 dilo 6,9", "1 dilo 5,3")
    ours = [c for c in table.legal(0) if isinstance(c, Move) and c.piece == 1]
    assert ours == [
        go(1, (5, 4)), go(1, (5, 4), (5, 3)), go(1, (4, 5)), go(1, (6, 5)), go(1, (5, 6)),
        go(1, (7, 7), (8, 8)), go(1, (5, 9), (6, 9)), go(1, (5, 9), (5, 10)),
    ]  # fmt: skip


# ── Challenges ──────────────────────────────────────────────────────────────────────────────────


def test_a_challenge_is_free() -> None:
    """One goes beside an enemy and says nothing: nobody is shown."""
    table = battle("0 tri 5,5", "1 dilo 5,7")
    assert only(table.when(0, go(1, (5, 6))), Challenged) == []


@pytest.mark.parametrize("cell", [(6, 7), (5, 8), (4, 6), (5, 5), (20, 20)])
def test_only_an_enemy_straight_beside_the_new_cell_is_challenged(cell: tuple[int, int]) -> None:
    """Not diagonally, not further off, not where nobody stands, not where it came from."""
    table = battle("0 tri 5,5", "1 dilo 6,7", "1 dilo 5,8")
    ruling, sentence = refused(table, 0, go(1, (5, 6), cell))
    named = f"[{cell[0]}, {cell[1]}]"
    assert ruling == "challenge-adjacent"
    assert sentence in {f"{named} is not straight beside [5, 6].", f"No enemy stands on {named}."}


def test_no_own_piece_and_no_partner_is_challenged() -> None:
    """Only the other side."""
    table = battle("0 tri 5,5", "2 dilo 5,7", "0 dilo 4,6", seats=4)
    for cell in ((5, 7), (4, 6)):
        assert refused(table, 0, go(1, (5, 6), cell)) == (
            "challenge-adjacent", f"No enemy stands on [{cell[0]}, {cell[1]}].",
        )  # fmt: skip


def test_behind_and_beside_may_be_challenged_too() -> None:
    """All four cells around the new one."""
    table = battle("0 tri 5,5", "1 dilo 4,6", "1 dilo 6,6", "1 dilo 5,7")
    for cell in ((4, 6), (6, 6), (5, 7)):
        assert table.refusal(0, go(1, (5, 6), cell)) is None


@pytest.mark.parametrize("kind", ["blitz", "ghost"])
def test_blitz_and_ghost_challenge_nobody(kind: str) -> None:
    """They move beside an enemy in peace."""
    table = battle(f"0 {kind} 5,5", "1 dilo 3,5", blank="ghost")
    assert table.refusal(0, go(1, (4, 5))) is None
    assert refused(table, 0, go(1, (4, 5), (3, 5))) == (
        "cannot-challenge", f"Piece 1 is a {kind}, which never challenges.",
    )  # fmt: skip


def test_a_winner_may_stay() -> None:
    """It is asked, and says no."""
    table = battle("0 tri 5,5", "1 dilo 5,7")
    table.when(0, go(1, (5, 6), (5, 7)))
    assert table.state.turn == 20
    assert table.when(0, Advance(go=False)) == [Stayed(1), TurnEnded(0)]
    assert by_id(table, 1) == at(table, (5, 6))
    assert (table.state.turn, table.state.pending) == (21, None)


def test_nothing_else_is_owed_while_a_winner_is_asked() -> None:
    """Not even by the seat whose turn it is."""
    table = battle("0 tri 5,5", "1 dilo 5,7")
    table.when(0, go(1, (5, 6), (5, 7)))
    assert table.refusal(0, go(101, (12, 1))) == "wrong-phase"
    assert table.legal(0) == [Advance(go=True), Advance(go=False)]
    assert table.legal(1) == []


def test_who_advances_challenges_nobody() -> None:
    """The command has no place for it."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"type": "advance", "go": True, "challenge": [5, 8]}, Advance)


def test_a_held_winner_is_not_asked() -> None:
    """It could not go."""
    table = battle("0 dilo 5,5", "1 tri 5,7 held 2", trap_effect="hold")
    assert kinds(table.when(0, go(1, (5, 6), (5, 7)))) == [
        "moved", "challenged", "left_board", "turn_ended",
    ]  # fmt: skip


# ── Double moves ────────────────────────────────────────────────────────────────────────────────


def test_without_the_option_no_double_move_is_lawful_or_listed() -> None:
    """In the first turn neither."""
    table = battle("0 tri 5,5", made=0)
    assert table.refusal(0, twice((1, (5, 7)))) == "double-move"
    assert not any(isinstance(command, DoubleMove) for command in table.legal(0))


@pytest.mark.parametrize(("made", "ruling"), [(0, None), (2, None), (3, "double-move")])
def test_double_moves_are_lawful_in_a_seats_first_three_turns(
    made: int, ruling: str | None
) -> None:
    """Counted by the moves that it has made."""
    crowd = [f"1 tri {x},10" for x in range(12)] + [f"0 tri {x},1" for x in range(12)]
    table = battle("0 stego 5,5", *crowd, made=made, double_moves=True)
    assert table.refusal(0, twice((1, (5, 7)))) == ruling


def test_a_small_side_lets_both_move_twice() -> None:
    """Ten pieces on the board or fewer, whichever side's; of four seats both partners' together."""
    for theirs, ruling in ((11, "double-move"), (10, None)):
        crowd = [f"0 tri {x},1" for x in range(12)] + [f"1 tri {x},10" for x in range(theirs)]
        table = battle("0 stego 5,5", *crowd, bystanders=False, double_moves=True)
        number = 1
        assert table.refusal(0, twice((number, (5, 7)))) == ruling
    team = [f"{1 + 2 * (x % 2)} tri {x},10" for x in range(11)]
    crowd = [f"0 tri {x},1" for x in range(12)]
    table = battle("0 stego 5,5", *crowd, *team, bystanders=False, seats=4, double_moves=True)
    assert table.refusal(0, twice((1, (5, 7)))) == "double-move"


def test_whether_double_moves_are_lawful_is_settled_as_the_turn_begins() -> None:
    """Who comes in from the reserve since does not count."""
    crowd = [f"1 tri {x},10" for x in range(12)] + [f"0 tri {x},1" for x in range(9)]
    table = battle("0 stego 5,5", *crowd, bystanders=False, double_moves=True, reserve="any")
    turn_of(table.given(reserve=(("tri",), ()), reserve_counts=(1, 0)), 0)
    table.when(0, BringIn("tri", (13, 0)))
    assert len([one for one in table.state.pieces if one.seat == 0]) == 11
    assert table.refusal(0, twice((1, (5, 7)))) is None
    table.when(0, EndTurn())
    table.when(1, go(2, (0, 11)))
    assert table.refusal(0, twice((1, (5, 7)))) == "double-move"


def doubling(*pieces: str, **more: object) -> Table:
    """A battle of few, in which double moves are lawful."""
    return alone(*pieces, double_moves=True, **more)


def test_one_piece_goes_two_cells_by_an_empty_one() -> None:
    """Straight on, or round a corner by either way."""
    table = doubling("0 tri 5,5", "0 dilo 5,6", "0 dilo 6,5")
    assert refused(table, 0, twice((1, (6, 6)))) == ("double-move", "No two steps lead to [6, 6].")
    assert table.refusal(0, twice((1, (5, 7)))) == "double-move"
    assert table.refusal(0, twice((1, (4, 6)))) is None
    assert table.refusal(0, twice((1, (5, 3)))) is None


@pytest.mark.parametrize(
    ("to", "ruling"),
    [
        ((5, 6), "one-step"),
        ((6, 5), "double-move"),
        ((5, 5), "one-step"),
        ((5, 8), "double-move"),
        ((7, 7), "double-move"),
        ((5, 14), "one-step"),
        ((99, 99), "one-step"),
    ],
)
def test_one_piece_ends_two_steps_from_where_it_was(to: tuple[int, int], ruling: str) -> None:
    """No empty landing is another fault than no way."""
    assert doubling("0 tri 5,5", "0 dilo 5,6").refusal(0, twice((1, to))) == ruling


def test_one_piece_that_goes_two_cells_is_told_as_one_move() -> None:
    """And counts as one."""
    table = doubling("0 tri 5,5")
    assert table.when(0, twice((1, (6, 6))))[0] == PiecesMoved(0, (Moved(1, (5, 5), (6, 6)),))
    assert table.state.moves_made[0] == 6


def test_two_pieces_go_one_cell_each() -> None:
    """Not two, not diagonally, not one piece twice, not onto each other."""
    table = doubling("0 tri 5,5", "0 dilo 8,5", "1 tri 11,11")
    assert table.refusal(0, twice((1, (5, 6)), (2, (8, 6)))) is None
    for moves, ruling in (
        (((1, (5, 7)), (2, (8, 6))), "one-step"),
        (((1, (5, 6)), (2, (9, 6))), "one-step"),
        (((1, (5, 6)), (3, (11, 10))), "one-step"),
        (((3, (11, 10)), (1, (5, 6))), "one-step"),
        (((1, (5, 6)), (9, (8, 6))), "one-step"),
        (((1, (5, 6)), (1, (5, 7))), "double-move"),
        (((1, (5, 6)), (1, (5, 5))), "double-move"),
        (((1, (5, 6)), (1, (5, 8))), "one-step"),
    ):
        assert table.refusal(0, twice(*moves)) == ruling, moves
    near = doubling("0 tri 5,5", "0 dilo 7,5")
    assert near.refusal(0, twice((1, (6, 5)), (2, (6, 5)))) == "one-step"


def test_every_step_of_a_double_move_is_lawful_by_itself() -> None:
    """No held piece, no nest, no Blitz forward or into swamp."""
    table = doubling(
        "0 tri 5,5 held 1", "0 nest 8,5", "0 blitz 10,5", "0 dilo 2,5", swamp=[(11, 5)],
        trap_effect="hold",
    )  # fmt: skip
    assert table.refusal(0, twice((1, (5, 7)))) == "immobile-piece"
    assert table.refusal(0, twice((4, (2, 6)), (2, (8, 6)))) == "immobile-piece"
    assert table.refusal(0, twice((4, (2, 6)), (3, (10, 6)))) == "blitz-move"
    assert table.refusal(0, twice((3, (11, 5)), (4, (2, 6)))) == "blitz-move"
    assert table.refusal(0, twice((3, (10, 4)), (4, (2, 6)))) is None


@pytest.mark.parametrize(
    ("to", "ruling"),
    [
        ((8, 5), None),  # sideways twice
        ((9, 4), None),  # back by land, the other way is swamp
        ((11, 4), "blitz-move"),  # by swamp only: 11,5 is swamp and somebody stands on 10,4
        ((10, 7), "blitz-move"),  # forward
        ((11, 6), "blitz-move"),  # forward
        ((12, 5), "blitz-move"),  # over swamp
        ((10, 3), "double-move"),  # somebody stands on the way
        ((10, 4), "one-step"),  # somebody stands there
        ((7, 5), "double-move"),  # too far
    ],
    ids=str,
)
def test_blitz_finds_a_way_for_both_steps(to: tuple[int, int], ruling: str | None) -> None:
    """Its own way: where others would have one it is refused as Blitz."""
    table = doubling("0 blitz 10,5", "0 dilo 10,4", swamp=[(11, 5)])
    assert table.refusal(0, twice((1, to))) == ruling


def test_a_flug_that_goes_two_cells_is_no_scout() -> None:
    """It need not challenge, and then challenges as others do."""
    table = doubling("0 flug 5,5", "1 tri 6,8", "1 tri 5,8")
    assert table.refusal(0, twice((1, (5, 7)))) is None
    assert table.refusal(0, twice((1, (5, 7)), challenge=(1, (5, 8)))) is None
    assert table.refusal(0, twice((1, (5, 7)), challenge=(1, (6, 8)))) == "challenge-adjacent"
    assert table.refusal(0, twice((1, (5, 4)), (2, (6, 7)))) == "one-step"


def test_one_of_two_challenges_from_where_it_has_come() -> None:
    """Either of them, once both stand; not one that has not moved."""
    table = doubling("0 tri 5,5", "0 dilo 8,5", "0 stego 2,5", "1 flug 5,7", "1 flug 8,7")
    moves = ((1, (5, 6)), (2, (8, 6)))
    assert table.refusal(0, twice(*moves, challenge=(1, (5, 7)))) is None
    assert table.refusal(0, twice(*moves, challenge=(2, (8, 7)))) is None
    for challenge in ((1, (8, 7)), (3, (5, 7)), (2, (8, 8)), (99, (8, 7))):
        assert table.refusal(0, twice(*moves, challenge=challenge)) == "challenge-adjacent"
    events = table.when(0, twice(*moves, challenge=(2, (8, 7))))
    assert only(events, Challenged)[0].by == 2


def test_in_a_double_move_blitz_challenges_nobody() -> None:
    """As ever."""
    table = doubling("0 blitz 5,5", "0 tri 8,5", "1 flug 3,5")
    moves = ((1, (4, 5)), (2, (8, 6)))
    assert table.refusal(0, twice(*moves, challenge=(1, (3, 5)))) == "cannot-challenge"


def test_of_two_orders_that_are_lawful_the_smaller_id_is_listed_and_both_are_one() -> None:
    """The other is taken, and its events are the same."""
    table = doubling("0 tri 5,5", "0 dilo 8,5")
    listed, other = twice((1, (5, 6)), (2, (8, 6))), twice((2, (8, 6)), (1, (5, 6)))
    assert listed in table.legal(0)
    assert other not in table.legal(0)
    again = doubling("0 tri 5,5", "0 dilo 8,5")
    assert table.when(0, listed) == again.when(0, other)
    assert table.state == again.state


def test_where_the_first_makes_room_that_order_is_listed() -> None:
    """Whichever id is the smaller."""
    table = doubling("0 tri 5,4", "0 dilo 5,5")
    makes_room = twice((2, (5, 6)), (1, (5, 5)))
    assert makes_room in table.legal(0)
    assert only(table.when(0, makes_room), PiecesMoved)[0].moves == (
        Moved(2, (5, 5), (5, 6)), Moved(1, (5, 4), (5, 5)),
    )  # fmt: skip
    assert at(table, (5, 5)) == by_id(table, 1)


def test_double_moves_are_listed_in_order() -> None:
    """One piece before two; pieces, cells and challenges as for moves."""
    table = doubling("0 tri 5,5", "0 dilo 6,5", "1 flug 5,8", "1 flug 7,6")
    found = [command for command in table.legal(0) if isinstance(command, DoubleMove)]

    def key(command: DoubleMove) -> object:
        ends = [(step.piece, step.to[1], step.to[0]) for step in command.moves]
        asked = command.challenge
        more = () if asked is UNSET else (asked.piece, asked.at[1], asked.at[0])
        return len(ends), ends, more

    assert len(found) == 38
    assert all(key(one) < key(other) for one, other in pairwise(found))  # type: ignore[operator]


def test_every_lawful_double_move_is_listed_or_is_another_order_of_one() -> None:
    """Tried out: all steps of all pieces, in all orders, with all challenges."""
    table = doubling(
        "0 tri 5,5",
        "0 blitz 5,4",
        "0 flug 6,5",
        "0 nest 4,4",
        "1 stego 6,7",
        swamp=[(4, 5), (6, 4)],
    )
    listed = [command for command in table.legal(0) if isinstance(command, DoubleMove)]
    lawful = [command for command in _tried(table) if table.refusal(0, command) is None]
    assert set(listed) <= set(lawful)
    for command in lawful:
        turned_round = msgspec.structs.replace(command, moves=command.moves[::-1])
        assert (command in listed) != (turned_round in listed and len(command.moves) == 2)


def _tried(table: Table) -> list[DoubleMove]:
    cells = [(x, y) for x in range(2, 9) for y in range(2, 9)]
    ones = [(number, cell) for number in (1, 2, 3, 4) for cell in cells]
    moves = [(one,) for one in ones] + [(one, other) for one in ones for other in ones]
    plain = [twice(*both) for both in moves if table.refusal(0, twice(*both)) is None]
    asked = [
        twice(*[(step.piece, step.to) for step in command.moves], challenge=(number, (6, 7)))
        for command in plain
        for number in (1, 2, 3, 4)
    ]
    return plain + asked


@pytest.mark.parametrize("moves", [0, 3])
def test_a_double_move_has_one_move_or_two(moves: int) -> None:
    """Others are no command."""
    step = {"piece": 1, "to": [5, 6]}
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"type": "double_move", "moves": [step] * moves}, DoubleMove)


def test_null_is_no_challenge() -> None:
    """Left out, or a cell."""
    for kind, plain in (
        (Move, {"type": "move", "piece": 1, "to": [5, 6]}),
        (DoubleMove, {"type": "double_move", "moves": [{"piece": 1, "to": [5, 6]}]}),
    ):
        msgspec.convert(plain, kind)
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({**plain, "challenge": None}, kind)
    assert GAME.commands[2].command is Move
