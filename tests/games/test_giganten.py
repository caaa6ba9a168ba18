"""Giganten by its page's worked cases, number by number."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from referee.core.visibility import SPECTATOR, seat_viewer
from referee.games.giganten import GAME
from referee.games.giganten.events import (
    Advanced,
    Challenged,
    Immobile,
    LeftBoard,
    NestTaken,
    NoProgress,
    PassedOver,
    SeatOut,
    Sprung,
    TurnEnded,
)
from referee.games.giganten.types import Advance, BringIn, EndTurn, Move
from tests.games.giganten_table import (
    at,
    battle,
    by_id,
    go,
    kinds,
    laid,
    only,
    places,
    refused,
    result,
    seen,
    some_set_up,
    told,
    turn_of,
    twice,
    unturned,
)
from tests.games.table import Table

CHALLENGE = go(1, (5, 6), (5, 7))
"""The challenger goes from 5,5 to 5,6, the challenged stands on 5,7."""


def winner(by: str, against: str, *wet: tuple[int, int]) -> str | None:
    """The kind that is left of a fight, None for a draw, "nobody" where both leave."""
    table = battle(f"0 {by} 5,5", f"1 {against} 5,7", swamp=wet)
    table.when(0, CHALLENGE)
    left = [p.kind for p in (by_id(table, 1), by_id(table, 2)) if p is not None]
    return {0: "nobody", 1: left[0] if left else "", 2: None}[len(left)]


def test_case_1_land_numbers_count_on_land_and_swamp_numbers_in_swamp() -> None:
    """The rulebook's six examples."""
    swamp = (5, 7)
    assert winner("stego", "dilo") == "dilo"
    assert winner("tri", "tri") is None
    assert winner("tyra-7", "tyra-6") == "tyra-7"
    assert winner("docus", "deino-2") == "nobody"
    assert winner("stego", "dilo", swamp) == "stego"
    assert winner("tyra-7", "tyra-6", swamp) == "tyra-6"
    assert winner("tyra-6", "dilo", swamp) == "nobody"


def test_case_2_the_ground_under_the_challenged_counts() -> None:
    """Whatever the challenger stands on."""
    assert winner("tyra-7", "docus", (5, 6)) == "tyra-7"
    assert winner("tyra-7", "docus", (5, 7)) == "docus"


def test_case_3_stego_beats_flug_in_swamp_whoever_challenged() -> None:
    """Both ways round."""
    assert winner("flug", "stego", (5, 7)) == "stego"
    assert winner("stego", "flug", (5, 7)) == "stego"


def test_case_3_the_challenger_advances_into_the_losers_cell() -> None:
    """A Culak challenged on land by a stego leaves, and the stego may go to 5,7."""
    table = battle("0 stego 5,5", "1 culak 5,7")
    table.when(0, CHALLENGE)
    assert by_id(table, 2) is None
    assert table.state.phase == "advance"
    assert table.when(0, Advance(go=True))[0] == Advanced(1, (5, 6), (5, 7))
    assert table.state.to_move == 1


def test_case_3_the_challenged_advances_and_then_has_its_own_turn() -> None:
    """A Culak in swamp, challenged by tyra-7, may go to 5,6; then seat 1 is on the move."""
    table = battle("0 tyra-7 5,5", "1 culak 5,7", swamp=[(5, 7)])
    table.when(0, CHALLENGE)
    assert GAME.to_act(table.state) == (1,)
    assert table.refusal(0, Advance(go=True)) == "out-of-turn"
    assert kinds(table.when(1, Advance(go=True))) == ["advanced", "turn_ended"]
    assert table.state.to_move == 1
    moved = by_id(table, 2)
    assert moved is not None
    assert moved.at == (5, 6)


def test_case_4_a_board_lies_as_its_seats_see_it() -> None:
    """North row and south row of the fixed tiles, unturned."""
    board = laid(tile_draw="fixed").state.board
    assert board[0] == "LLLLSSSLLSSSSS"
    assert board[-1] == "SLLLLLLLSSSLLS"


def test_case_4_a_turned_tile_lies_turned() -> None:
    """With a at 90 degrees the south row is another."""
    table = Table(GAME, seats=2, options={"tile_draw": "fixed"})
    south = unturned("a", "b")
    turned = replace(south, tiles=(replace(south.tiles[0], turn=90), south.tiles[1]))
    table.when(0, turned)
    table.when(1, unturned("c", "d"))
    assert table.state.board[-1] == "LSSSSLLLSSSLLS"


def test_case_4_two_tiles_are_laid_in_32_ways() -> None:
    """Two orders, four turns each."""
    assert len(Table(GAME, seats=2).legal(0)) == 32


def test_case_5_a_straight_scout_challenges_ahead_or_at_its_side() -> None:
    """From 5,3 to 5,8: 5,9, 4,8 or 6,8, and it must challenge one."""
    enemies = ("1 tri 5,9", "1 tri 4,8", "1 tri 6,8")
    table = battle("0 flug 5,3", *enemies)
    flights = [c for c in table.legal(0) if isinstance(c, Move) and c.to == (5, 8)]
    assert flights == [go(1, (5, 8), cell) for cell in ((4, 8), (6, 8), (5, 9))]
    assert table.refusal(0, go(1, (5, 8))) == "scout"


def test_case_5_after_a_straight_flight_nobody_is_challenged_diagonally() -> None:
    """To 5,7 with an enemy on 6,8."""
    table = battle("0 flug 5,3", "1 tri 6,8")
    assert table.refusal(0, go(1, (5, 7), (6, 8))) == "scout-straight"


def test_case_5_a_diagonal_scout_challenges_on_its_line_and_may_be_followed() -> None:
    """From 2,2 to 6,6: only 7,7; a stego there wins and may advance to 6,6."""
    table = battle("0 flug 2,2", "1 stego 7,7", "1 tri 6,7")
    assert table.refusal(0, go(1, (6, 6), (6, 7))) == "scout-diagonal"
    table.when(0, go(1, (6, 6), (7, 7)))
    assert table.when(1, Advance(go=True))[0] == Advanced(2, (7, 7), (6, 6))


def test_case_5_a_diagonal_step_of_one_cell_is_no_flight() -> None:
    """From 5,3 to 6,4."""
    table = battle("0 flug 5,3", "1 tri 7,5")
    assert table.refusal(0, go(1, (6, 4), (7, 5))) == "one-step"


def secret(effect: str) -> Table:
    """Seat 1 has noted 5,8; seat 0's tri stands on 5,7, a stego of seat 1 on 5,9."""
    table = battle("0 tri 5,7", "1 stego 5,9", secret_trap=True, trap_effect=effect)
    return table.given(secret_trap=(None, (5, 8)), quiet_turns=4)


def test_case_6_a_secret_trap_removes_before_the_challenge() -> None:
    """The tri is lost, the stego unharmed, and no turn is quiet any more."""
    table = secret("remove")
    assert kinds(table.when(0, go(1, (5, 8), (5, 9)))) == [
        "moved", "sprung", "left_board", "turn_ended",
    ]  # fmt: skip
    assert by_id(table, 1) is None
    assert at(table, (5, 9)) is not None
    assert table.state.lost == (("tri",), ())
    assert table.state.quiet_turns == 0


def test_case_6_a_secret_trap_holds_for_two_of_its_owners_turns() -> None:
    """The tri stays, one quiet turn more is counted, and in its third turn it may go."""
    table = secret("hold")
    events = table.when(0, go(1, (5, 8), (5, 9)))
    assert only(events, Challenged) == []
    tri = by_id(table, 1)
    assert tri is not None
    assert (tri.at, tri.held) == ((5, 8), 2)
    assert table.state.quiet_turns == 5
    for turn in (1, 2):
        table.when(1, go(104, (0, 11) if turn == 1 else (0, 12)))
        assert table.refusal(0, go(1, (4, 8))) == "immobile-piece"
        table.when(0, go(102, (13, 2) if turn == 1 else (13, 1)))
    table.when(1, go(104, (0, 11)))
    assert table.refusal(0, go(1, (4, 8))) is None


def in_reserve(made: int) -> Table:
    """Only a nest and a tri on the own edge, a stego in reserve, after so many moves."""
    table = battle(
        "0 nest 1,0", "0 tri 4,0", "1 tri 5,12", made=made, bystanders=False, reserve="any"
    )
    return turn_of(table.given(reserve=(("stego",), ()), reserve_counts=(1, 0)), 0)


def test_case_7_a_reserve_comes_onto_the_edge_from_the_third_turn_on() -> None:
    """Twenty-four cells are free; in the second turn it is too early."""
    table = in_reserve(made=2)
    assert len([c for c in table.legal(0) if isinstance(c, BringIn)]) == 24
    assert in_reserve(made=1).refusal(0, BringIn("stego", (0, 0))) == "reserve"


def test_case_7_a_turn_ends_without_a_move_only_after_bringing_in() -> None:
    """And not without."""
    table = in_reserve(made=2)
    assert table.refusal(0, EndTurn()) == "reserve"
    table.when(0, BringIn("stego", (0, 0)))
    assert kinds(table.when(0, EndTurn())) == ["rested", "turn_ended"]


def doubles(table: Table) -> list[Any]:
    """The double moves that are listed."""
    return [command for command in table.legal(0) if hasattr(command, "moves")]


def test_case_8_one_piece_in_the_open_has_eight_double_moves() -> None:
    """And four moves."""
    table = battle("0 tri 5,5", "1 tri 12,12", bystanders=False, double_moves=True)
    assert len(table.legal(0)) == 4 + 8
    assert len(doubles(table)) == 8


def test_case_8_two_pieces_far_apart_have_sixteen_each_way() -> None:
    """8 moves, 16 of one piece twice, 16 of both once."""
    table = battle("0 tri 2,5", "0 stego 9,5", "1 tri 12,12", bystanders=False, double_moves=True)
    found = doubles(table)
    assert len(table.legal(0)) == 8 + 16 + 16
    assert sum(len(command.moves) == 1 for command in found) == 16


def test_case_8_the_first_of_two_makes_room_for_the_second() -> None:
    """The upper up and the lower after it; not the other way round."""
    table = battle("0 tri 5,5", "0 stego 5,4", double_moves=True)
    assert table.refusal(0, twice((1, (5, 6)), (2, (5, 5)))) is None
    assert table.refusal(0, twice((2, (5, 5)), (1, (5, 6)))) == "one-step"


def test_case_8_from_the_fourth_turn_on_only_few_pieces_move_twice() -> None:
    """Twelve a side: refused; twelve against ten: lawful."""
    ours = [f"0 tri {x},5" for x in range(12)]
    for theirs, ruling in ((12, "double-move"), (10, None)):
        enemies = [f"1 tri {x},12" for x in range(theirs)]
        table = battle(*ours, *enemies, bystanders=False, made=3, double_moves=True)
        assert table.refusal(0, twice((1, (0, 6)), (2, (1, 6)))) == ruling


def test_case_9_seven_cells_lie_between_a_teams_nests() -> None:
    """On 8,1 and 16,1 they may stand, on 8,1 and 15,1 not."""
    for second, ruling in (((16, 1), None), ((15, 1), "setup-nest-distance")):
        table = laid(4, tile_draw="fixed")
        table.when(0, some_set_up(table, 0, nest=(8, 1)))
        assert table.refusal(2, some_set_up(table, 2, nest=second)) == ruling


def test_case_10_at_the_limit_of_quiet_turns_the_match_is_drawn() -> None:
    """Nine quiet turns, then a fight that both survive."""
    table = battle("0 tri 5,5", "1 tri 5,7", no_progress_limit=10).given(quiet_turns=9)
    assert table.when(0, CHALLENGE)[-1] == NoProgress(10)
    assert places(table) == {0: (1, 0.5), 1: (1, 0.5)}
    assert result(table).reason == "played-out"


def test_case_10_a_turn_in_which_somebody_leaves_is_not_quiet() -> None:
    """Nine quiet turns, then a fight that neither survives."""
    table = battle("0 docus 5,5", "1 deino-2 5,7", no_progress_limit=10).given(quiet_turns=9)
    table.when(0, CHALLENGE)
    assert table.state.quiet_turns == 0
    assert table.state.phase == "play"


def at_four(*more: str) -> Table:
    """Four seats; seat 0's tri stands before seat 1's nest, and seat 1 has a stego besides."""
    return battle(
        "0 tri 5,5", "1 nest 5,7", "1 stego 9,9", "0 nest 1,0", "2 nest 26,0", "2 tri 20,5",
        "3 nest 20,7", "3 dilo 25,9", *more, seats=4, bystanders=False,
    )  # fmt: skip


def test_case_11_of_four_seats_one_whose_nest_is_taken_plays_on() -> None:
    """The nest alone is lost, the taker may advance, and then seat 1 has its turn."""
    table = at_four()
    events = table.when(0, CHALLENGE)
    assert events[1:] == [
        Challenged(1, 2, (5, 7), ("tri", "nest"), "L", "challenger"),
        LeftBoard(1, 2, "nest", "nest-taken", "lost"),
        NestTaken(1, 1),
    ]
    assert table.state.lost[1] == ("nest",)
    assert by_id(table, 3) is not None
    assert GAME.to_act(table.state) == (0,)
    table.when(0, Advance(go=False))
    assert table.state.to_move == 1


def with_one_nest_taken() -> Table:
    """Seat 1's nest is gone, and seat 1 is on the move."""
    table = at_four()
    table.when(0, CHALLENGE)
    table.when(0, Advance(go=False))
    return table


def test_case_11_the_second_nest_of_a_team_ends_the_match() -> None:
    """Seats 0 and 2 have won, 1 and 3 share place 3."""
    table = with_one_nest_taken()
    table.when(1, go(3, (9, 8)))
    events = table.when(2, go(6, (20, 6), (20, 7)))
    assert events[-1] == NestTaken(6, 3)
    assert places(table) == {0: (1, 1), 2: (1, 1), 1: (3, 0), 3: (3, 0)}
    assert result(table).reason == "played-out"


def test_case_11_the_withdrawal_of_the_partner_ends_it_too() -> None:
    """Seat 3 has no place; the reason is its withdrawal."""
    table = with_one_nest_taken()
    table.leaves(3)
    assert result(table).reason == "withdrawal"
    assert places(table) == {0: (1, 1), 2: (1, 1), 1: (3, 0), 3: (None, 0)}


def test_case_11_who_has_lost_its_nest_may_withdraw_and_play_goes_on() -> None:
    """Its stego is lost; when seat 3's nest falls it has no place."""
    table = with_one_nest_taken()
    events = table.leaves(1)
    assert events == [
        LeftBoard(1, 3, "stego", "withdrawn", "lost"), SeatOut(1), TurnEnded(1),
    ]  # fmt: skip
    assert table.state.lost[1] == ("nest", "stego")
    table.when(2, go(6, (20, 6), (20, 7)))
    assert places(table) == {0: (1, 1), 2: (1, 1), 1: (None, 0), 3: (3, 0)}
    assert result(table).reason == "played-out"


def test_case_11_a_winners_partner_that_withdrew_has_the_score_without_the_place() -> None:
    """Seat 0 has taken both nests alone: 1 and 3 share place 2."""
    table = at_four("0 stego 20,5")
    table.leaves(2)
    table.given(pieces=table.state.pieces)
    table.when(0, CHALLENGE)
    table.when(0, Advance(go=False))
    table.when(1, go(3, (9, 8)))
    table.when(3, go(8, (25, 8)))
    table.when(0, go(9, (20, 6), (20, 7)))
    assert places(table) == {0: (1, 1), 1: (2, 0), 3: (2, 0), 2: (None, 1)}


def only_a_held_tri(effect: str) -> Table:
    """Seat 0 has nest and tri alone; the tri has just challenged a trap."""
    table = battle(
        "0 nest 1,0", "0 tri 5,5", "1 trap 5,7", "1 docus 0,12", "1 nest 1,13",
        bystanders=False, blank="trap", trap_effect=effect,
    )  # fmt: skip
    table.when(0, go(2, (5, 6), (5, 7)))
    return table


def test_case_12_who_is_only_held_is_passed_over() -> None:
    """Two turns of seat 0 are passed over, in the third its tri goes."""
    table = only_a_held_tri("hold")
    turn, made = table.state.turn, table.state.moves_made[0]
    for left, to in ((1, (0, 11)), (0, (0, 12))):
        assert table.when(1, go(4, to))[-1] == PassedOver(0)
        tri = by_id(table, 2)
        assert tri is not None
        assert tri.held == left
        assert table.state.to_move == 1
    table.when(1, go(4, (0, 11)))
    table.when(0, go(2, (5, 5)))
    assert table.state.turn == turn + 4
    assert table.state.moves_made[0] == made + 1


def test_case_12_who_has_nothing_left_to_move_has_lost() -> None:
    """With `remove` seat 1's first move ends the match."""
    table = only_a_held_tri("remove")
    assert table.state.phase == "play"
    assert table.when(1, go(4, (0, 11)))[-1] == Immobile(0)
    assert places(table) == {0: (2, 0), 1: (1, 1)}


def test_who_can_only_fly_has_something_to_do() -> None:
    """With nests straight beside it a flug flies over a corner, if there is one to challenge."""
    nests = ("0 nest 4,5", "0 nest 6,5", "0 nest 5,4", "0 nest 5,6")
    enclosed = ("0 flug 5,5", "1 docus 0,12", *nests)
    table = battle(*enclosed, "1 nest 8,8", bystanders=False, to_move=1)
    assert table.when(1, go(2, (0, 11)))[-1] == TurnEnded(1)
    table.when(0, go(1, (7, 7), (8, 8)))

    alone = battle(*enclosed, bystanders=False, to_move=1)
    assert alone.when(1, go(2, (0, 11)))[-1] == Immobile(0)


def with_one_set_up(**options: Any) -> tuple[Table, Any]:
    """Four seats; seat 0 has set up, three pieces in reserve, a cell noted."""
    table = laid(4, reserve="any", secret_trap=True, **options)
    cell = some_set_up(table, 0).pieces[0].at
    noted = some_set_up(table, 0, reserve=("tri", "stego", "flug"), secret_trap=cell)
    return table, table.when(0, noted)[0]


def test_case_13_a_partner_sees_kinds_and_reserve_but_not_the_note() -> None:
    """The others see backs, and how many are in reserve."""
    table, event = with_one_set_up()
    partner, enemy = seen(table, seat_viewer(2)), seen(table, seat_viewer(1))
    assert all(one["kind"] for one in partner["pieces"])
    assert partner["reserve"][0] == ["tri", "stego", "flug"]
    assert partner["secret_trap"] == [None] * 4
    assert [one["kind"] for one in enemy["pieces"]] == [None] * 21
    assert enemy["reserve_counts"] == [3, 0, 0, 0]
    assert enemy["reserve"][0] is None
    assert seen(table, seat_viewer(0))["secret_trap"][0] is not None
    assert told(event, seat_viewer(2))["secret_trap"] is None
    assert told(event, seat_viewer(3))["pieces"][0]["kind"] is None


@pytest.mark.parametrize("viewer", [seat_viewer(1), seat_viewer(3), SPECTATOR], ids=str)
def test_case_13_behind_a_screen_not_even_the_number_shows(viewer: Any) -> None:
    """No piece, and null for the count."""
    table, event = with_one_set_up(hidden_setup=True)
    view = seen(table, viewer)
    assert view["pieces"] == []
    assert view["reserve_counts"][0] is None
    assert (told(event, viewer)["pieces"], told(event, viewer)["reserve_count"]) == (None, None)
    assert len(seen(table, seat_viewer(2))["pieces"]) == 21


def test_case_13_in_play_it_is_the_same() -> None:
    """Kinds and reserve are the side's, the note is the seat's, the count everybody's."""
    table, _event = with_one_set_up()
    for seat in (1, 2, 3):
        table.when(seat, some_set_up(table, seat))
    assert table.state.phase == "play"
    partner, enemy = seen(table, seat_viewer(2)), seen(table, seat_viewer(1))
    ours = [one for one in partner["pieces"] if one["seat"] in (0, 2)]
    theirs = [one for one in enemy["pieces"] if one["seat"] in (0, 2)]
    assert all(one["kind"] for one in ours)
    assert not any(one["kind"] for one in theirs)
    assert (partner["reserve"][0], enemy["reserve"][0]) == (["tri", "stego", "flug"], None)
    assert enemy["reserve_counts"] == [3, 0, 0, 0]
    assert partner["secret_trap"] == [None] * 4


def test_the_sentence_of_a_refusal_names_what_was_wrong() -> None:
    """One sentence, about this command."""
    table = battle("0 tri 5,5")
    assert refused(table, 0, go(1, (7, 5))) == (
        "one-step", "[7, 5] is not one cell straight from [5, 5].",
    )  # fmt: skip


def test_a_trap_that_springs_tells_its_owner_and_the_cell() -> None:
    """But not the kind of who was caught."""
    table = secret("hold")
    sprung = only(table.when(0, go(1, (5, 8))), Sprung)
    assert sprung == [Sprung(1, 1, (5, 8), "hold")]
    assert "kind" not in told(sprung[0], SPECTATOR)
