"""Giganten for four: turns of two teams, who is out, withdrawal in every phase, places, scores."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.match import Match
from referee.core.table.commands import AcceptDraw, OfferDraw, Resign
from referee.games.giganten import GAME, events
from referee.games.giganten.events import (
    BoardRevealed,
    Challenged,
    Immobile,
    LeftBoard,
    NestTaken,
    PassedOver,
    SeatOut,
    SetupsRevealed,
    Sprung,
    Stayed,
    TilesLaid,
    TurnEnded,
)
from referee.games.giganten.types import Advance, BringIn, LaidTile, Waiting
from referee.selfplay import Setup, Trial, chance_of, seed_of
from tests.core.play import rules_of
from tests.games.giganten_table import (
    battle,
    by_id,
    go,
    kinds,
    laid,
    only,
    places,
    ready,
    result,
    some_set_up,
    unturned,
)
from tests.games.table import Table

FAR = {0: go(102, (1, 1)), 1: go(104, (0, 11)), 2: go(106, (26, 1)), 3: go(108, (27, 11))}
"""A move of each seat's bystander."""


def four(*pieces: str, **more: Any) -> Table:
    """A battle of four seats."""
    return battle(*pieces, seats=4, **more)


# ── Turns ───────────────────────────────────────────────────────────────────────────────────────


def test_turns_go_round_by_number() -> None:
    """South, north, the south's partner, the north's."""
    table = four()
    order = []
    for _ in range(4):
        order.append(table.state.to_move)
        table.when(table.state.to_move, FAR[table.state.to_move])
    assert order == [0, 1, 2, 3]
    assert table.state.to_move == 0


def test_a_seat_that_is_out_is_left_out() -> None:
    """Its turn never comes."""
    table = four().given(is_out=(False, True, False, False))
    table.when(0, FAR[0])
    assert table.state.to_move == 2


def test_a_seat_without_a_command_is_passed_over_where_its_partner_has_one() -> None:
    """It has not lost, and nothing of it changes."""
    table = battle("0 tri 5,5", "1 nest 1,13", "2 tri 20,5", "3 dilo 9,9", "0 nest 1,0",
                   seats=4, bystanders=False)  # fmt: skip
    events = table.when(0, go(1, (5, 6)))
    assert events[1:] == [TurnEnded(0), PassedOver(1)]
    assert (table.state.to_move, table.state.turn) == (2, 21)


def test_a_team_has_lost_when_neither_partner_has_a_command() -> None:
    """Once one of them is to move."""
    table = battle("0 tri 5,5", "1 nest 1,13", "2 tri 20,5", "3 nest 26,13", "0 nest 1,0",
                   seats=4, bystanders=False)  # fmt: skip
    assert table.when(0, go(1, (5, 6)))[-1] == Immobile(1)
    assert places(table) == {0: (1, 1), 2: (1, 1), 1: (3, 0), 3: (3, 0)}


def test_a_partner_that_is_only_held_saves_its_team() -> None:
    """It would have a command with nothing held; then both are passed over in turn."""
    table = battle("0 tri 5,5", "1 nest 1,13", "2 tri 20,5", "3 dilo 9,9 held 1", "0 nest 1,0",
                   seats=4, bystanders=False, trap_effect="hold")  # fmt: skip
    assert table.when(0, go(1, (5, 6)))[1:] == [TurnEnded(0), PassedOver(1)]
    assert table.when(2, go(3, (20, 6)))[1:] == [TurnEnded(2), PassedOver(3)]
    assert by_id(table, 4).held == 0  # type: ignore[union-attr]
    table.when(0, go(1, (5, 5)))
    table.when(2, go(3, (20, 5)))
    assert table.state.to_move == 3


def test_a_partner_that_is_out_saves_nobody() -> None:
    """Though its reserve lies there still."""
    table = battle("0 tri 5,5", "1 nest 1,13", "2 tri 20,5", "0 nest 1,0",
                   seats=4, bystanders=False, reserve="any")  # fmt: skip
    table.given(
        is_out=(False, False, False, True), withdrawn=(False, False, False, True),
        reserve=((), (), (), ("tri",)), reserve_counts=(0, 0, 0, 1),
    )  # fmt: skip
    assert table.when(0, go(1, (5, 6)))[-1] == Immobile(1)


# ── Nests ───────────────────────────────────────────────────────────────────────────────────────


def test_who_has_lost_its_nest_may_still_take_one() -> None:
    """And its side wins by it."""
    table = four("0 tri 5,5", "1 nest 5,7").given(lost=(("nest",), (), (), ("nest",)))
    assert table.when(0, go(1, (5, 6), (5, 7)))[-1] == NestTaken(1, 1)
    assert places(table)[0] == (1, 1)


def test_a_seat_without_a_nest_brings_in_its_reserve_and_its_note_works() -> None:
    """It is not out as long as anything is left to it."""
    table = four("0 tri 5,7", secret_trap=True, reserve="any")
    table.given(
        lost=((), ("nest",), (), ()), secret_trap=(None, (5, 8), None, None),
        reserve=((), ("tri",), (), ()), reserve_counts=(0, 1, 0, 0),
    )  # fmt: skip
    assert "sprung" in kinds(table.when(0, go(1, (5, 8))))
    assert table.refusal(1, BringIn("tri", (0, 13))) is None


def last_of_seat_1(*more: str, **options: Any) -> Table:
    """Seat 1 has a dilo alone, before a tri of seat 0; its nest is taken."""
    fight = ("0 tri 5,5", "1 dilo 5,7", "0 nest 1,0")
    others = ("2 nest 26,0", "2 tri 20,5", "3 nest 26,13", "3 tri 20,9")
    table = battle(*fight, *others, *more, seats=4, bystanders=False, **options)
    return table.given(lost=((), ("nest",), (), ()))


def test_a_seat_with_nothing_left_is_out_and_its_note_sleeps() -> None:
    """Right after its last piece has left."""
    table = last_of_seat_1("0 docus 8,7", secret_trap=True)
    table.given(secret_trap=(None, (8, 8), None, None))
    events = table.when(0, go(1, (5, 6), (5, 7)))
    assert events[1:] == [
        Challenged(1, 2, (5, 7), ("tri", "dilo"), "L", "challenger"),
        LeftBoard(1, 2, "dilo", "beaten", "lost"),
        SeatOut(1),
    ]
    table.when(0, Advance(go=False))
    assert table.state.to_move == 2
    table.when(2, go(5, (20, 6)))
    table.when(3, go(7, (20, 10)))
    assert only(table.when(0, go(8, (8, 8))), Sprung) == []


def test_a_seat_with_a_reserve_or_something_waiting_is_not_out() -> None:
    """It has still something to come."""
    for more in (
        {"reserve": ((), ("tri",), (), ()), "reserve_counts": (0, 1, 0, 0)},
        {"out": ((), (Waiting(77, "tri"),), (), ())},
    ):
        table = last_of_seat_1(reserve="any", trap_effect="return").given(**more)
        assert only(table.when(0, go(1, (5, 6), (5, 7))), SeatOut) == []


def test_a_seat_whose_last_piece_is_its_nest_is_out_after_the_taking() -> None:
    """Right after `nest_taken`."""
    table = battle("0 tri 5,5", "1 nest 5,7", "0 nest 1,0", "2 tri 20,5", "3 nest 26,13",
                   "3 tri 20,9", seats=4, bystanders=False)  # fmt: skip
    assert table.when(0, go(1, (5, 6), (5, 7)))[-2:] == [NestTaken(1, 1), SeatOut(1)]
    assert table.state.phase == "advance"


def test_of_two_seats_nobody_is_told_to_be_out() -> None:
    """The match is over before that."""
    table = battle("0 tri 5,5", "1 nest 5,7", "0 nest 1,0", bystanders=False)
    assert only(table.when(0, go(1, (5, 6), (5, 7))), SeatOut) == []


def test_who_goes_out_in_its_own_turn_ends_it() -> None:
    """Its last piece loses its challenge; the winner is asked, then the turn goes on."""
    table = battle("0 dilo 5,5", "1 tri 5,7", "2 nest 26,0", "2 tri 20,5", "1 nest 1,13",
                   "3 nest 26,13", seats=4, bystanders=False)  # fmt: skip
    table.given(lost=(("nest",), (), (), ()))
    assert table.when(0, go(1, (5, 6), (5, 7)))[-1] == SeatOut(0)
    assert table.when(1, Advance(go=True))[-1] == TurnEnded(0)
    assert table.state.to_move == 1


def test_a_partner_that_is_out_wins_loses_and_draws_with_its_team() -> None:
    """It has a place like the others."""
    table = four("0 tri 5,5", "1 nest 5,7").given(
        lost=((), (), ("nest",), ("nest",)), is_out=(False, False, True, False)
    )
    table.when(0, go(1, (5, 6), (5, 7)))
    assert places(table) == {0: (1, 1), 2: (1, 1), 1: (3, 0), 3: (3, 0)}


# ── Withdrawal ──────────────────────────────────────────────────────────────────────────────────


def test_of_two_seats_the_other_has_won_and_the_board_stays() -> None:
    """Whenever one withdraws."""
    for table in (Table(GAME, seats=2), laid(), ready(), battle("0 tri 5,5")):
        before = table.state.pieces
        assert table.leaves(0) == []
        assert table.state.pieces == before
        assert result(table).reason == "withdrawal"
        assert places(table) == {0: (None, 0), 1: (1, 1)}
        assert GAME.to_act(table.state) == ()


def test_in_tiles_what_a_seat_has_not_laid_lies_as_drawn() -> None:
    """Unturned; with the last of them the board shows."""
    table = Table(GAME, seats=4, options={"tile_draw": "fixed"})
    as_drawn = (LaidTile("a", 0), LaidTile("b", 0))
    assert table.leaves(0) == [SeatOut(0), TilesLaid(0, as_drawn)]
    for seat in (1, 2):
        table.when(seat, unturned(*table.state.tiles[seat]))
    events = table.leaves(3)
    assert kinds(events) == ["seat_out", "tiles_laid", "board_revealed"]
    assert isinstance(events[-1], BoardRevealed)
    assert GAME.to_act(table.state) == (1, 2)


def test_in_tiles_what_a_seat_has_laid_stays() -> None:
    """Nothing is laid twice."""
    table = Table(GAME, seats=4, options={"tile_draw": "fixed"})
    table.when(0, unturned("b", "a"))
    assert table.leaves(0) == [SeatOut(0)]
    assert table.state.laid[0] == (LaidTile("b", 0), LaidTile("a", 0))


def test_in_setup_the_pieces_go_by_y_then_x_and_nobody_waits() -> None:
    """They have no ids yet; the reserve stays where it is."""
    table = laid(4, reserve="any")
    for seat in (0, 1, 2):
        table.when(seat, some_set_up(table, seat, reserve=("tri", "stego", "flug")))
    stood = [one for one in table.state.pieces if one.seat == 1]
    events = table.leaves(1)
    gone = [LeftBoard(1, None, one.kind, "withdrawn", "lost") for one in stood]
    assert events == [*gone, SeatOut(1)]
    assert table.state.lost[1] == tuple(one.kind for one in stood)
    assert table.state.reserve_counts == (3, 3, 3, 0)
    assert GAME.to_act(table.state) == (3,)


def test_play_begins_when_only_who_withdrew_has_not_set_up() -> None:
    """With the next seat still in, where that was to be first."""
    table = laid(4, first=3)
    for seat in (0, 1, 2):
        table.when(seat, some_set_up(table, seat))
    events = table.leaves(3)
    assert kinds(events) == ["seat_out", "setups_revealed"]
    revealed = events[-1]
    assert isinstance(revealed, SetupsRevealed)
    assert len(revealed.pieces) == 72
    assert (table.state.phase, table.state.to_move, table.state.turn) == ("play", 0, 1)


def test_in_play_the_pieces_go_by_id_and_on_the_move_the_turn_passes() -> None:
    """Which is no move; the nest counts as taken, reserve and waiting stay."""
    table = four("0 tri 5,5", "0 stego 6,5")
    table.given(
        quiet_turns=6, reserve=(("flug",), (), (), ()), reserve_counts=(1, 0, 0, 0),
        out=((Waiting(77, "culak"),), (), (), ()),
    )  # fmt: skip
    events = table.leaves(0)
    assert [one.piece for one in only(events, LeftBoard)] == [1, 2, 101, 102]
    assert events[-2:] == [SeatOut(0), TurnEnded(0)]
    state = table.state
    assert state.lost[0] == ("tri", "stego", "nest", "docus")
    assert (state.reserve[0], state.out[0]) == (("flug",), (Waiting(77, "culak"),))
    assert (state.moves_made, state.turn, state.to_move) == ((5, 5, 5, 5), 21, 1)
    assert state.quiet_turns == 0


def test_in_another_seats_turn_that_turn_goes_on() -> None:
    """Only the pieces go."""
    table = four("1 tri 9,9")
    events = table.leaves(1)
    assert only(events, TurnEnded) == []
    assert (table.state.to_move, table.state.turn) == (0, 20)


def test_a_pending_advance_lapses_with_its_owner_and_the_turn_ends() -> None:
    """Of the challenger, and of the challenged."""
    table = four("0 tri 5,5", "1 dilo 5,7")
    table.when(0, go(1, (5, 6), (5, 7)))
    events = table.leaves(0)
    assert events[-2:] == [SeatOut(0), TurnEnded(0)]
    assert (table.state.phase, table.state.pending, table.state.to_move) == ("play", None, 1)

    table = four("0 dilo 5,5", "1 tri 5,7")
    table.when(0, go(1, (5, 6), (5, 7)))
    events = table.leaves(1)
    assert events[-2:] == [SeatOut(1), TurnEnded(0)]
    assert (table.state.phase, table.state.to_move) == ("play", 2)


def test_while_another_owner_is_asked_to_advance_that_goes_on() -> None:
    """The seat on the move has left; then its turn ends."""
    table = four("0 dilo 5,5", "1 tri 5,7")
    table.when(0, go(1, (5, 6), (5, 7)))
    assert kinds(table.leaves(0))[-1] == "seat_out"
    assert GAME.to_act(table.state) == (1,)
    assert table.when(1, Advance(go=False)) == [Stayed(2), TurnEnded(0)]
    assert table.state.to_move == 1


def test_a_team_that_withdraws_has_lost() -> None:
    """With the second of them; their pieces are lost all the same."""
    table = four()
    table.leaves(1)
    assert GAME.outcome(table.state) is None
    events = table.leaves(3)
    assert events[-1] == SeatOut(3)
    assert table.state.lost[3] == ("nest", "docus")
    assert result(table).reason == "withdrawal"
    assert places(table) == {0: (1, 1), 2: (1, 1), 1: (None, 0), 3: (None, 0)}


@pytest.mark.parametrize("phase", ["tiles", "setup"])
def test_before_play_too_a_team_that_withdraws_has_lost(phase: str) -> None:
    """Nothing more is laid or set up."""
    table = Table(GAME, seats=4) if phase == "tiles" else laid(4)
    table.leaves(0)
    assert kinds(table.leaves(2)) == ["seat_out"]
    assert (table.state.phase, GAME.to_act(table.state)) == ("over", ())
    assert places(table)[1] == (1, 1)


def test_where_the_partners_nest_is_taken_a_withdrawal_ends_it() -> None:
    """And where the partner has withdrawn, the taking of the nest does: played out."""
    table = four("0 tri 5,5", "1 nest 5,7").given(lost=((), (), (), ("nest",)))
    table.leaves(1)
    assert result(table).reason == "withdrawal"
    table = four("0 tri 5,5", "1 nest 5,7")
    table.leaves(3)
    table.when(0, go(1, (5, 6), (5, 7)))
    assert result(table).reason == "played-out"
    assert places(table) == {0: (1, 1), 2: (1, 1), 1: (3, 0), 3: (None, 0)}


def test_who_is_out_may_still_withdraw() -> None:
    """Nothing on the board changes, but it has no place."""
    table = four().given(is_out=(False, True, False, False), lost=((), ("nest",), (), ()))
    table.state = _without(table, 1)
    before = table.state.pieces
    assert table.leaves(1) == []
    assert table.state.pieces == before
    assert table.state.phase == "play"
    table.leaves(3)
    assert places(table)[1] == (None, 0)


def _without(table: Table, seat: int) -> Any:
    return events.with_pieces(table.state, (one for one in table.state.pieces if one.seat != seat))


def test_one_of_each_team_may_withdraw_and_the_others_play_on() -> None:
    """Two against each other."""
    table = four()
    table.leaves(1)
    table.leaves(2)
    assert table.state.to_move == 0
    table.when(0, FAR[0])
    assert table.state.to_move == 3
    table.when(3, FAR[3])
    assert table.state.to_move == 0


# ── At the table ────────────────────────────────────────────────────────────────────────────────


def in_play(seats: int) -> Trial:
    """A match in which everybody has set up."""
    trial = Trial(rules_of(GAME), Setup(seats=seats, seed=seed_of(seats)), chance_of(seats))
    while trial.match.state.phase != "play":
        trial.go_on()
    return trial


def rows(match: Match) -> dict[int, tuple[int | None, Any]]:
    """Place and score by seat."""
    assert match.result is not None
    return {row.seat: (row.place, row.score) for row in match.result.ranking}


def test_a_draw_by_agreement_gives_everybody_a_half() -> None:
    """Who has withdrawn has none: that is the table's."""
    trial = in_play(4)
    trial.take(trial.by_seat(3), Resign())
    trial.take(trial.by_seat(0), OfferDraw())
    trial.take(trial.by_seat(1), AcceptDraw())
    trial.take(trial.by_seat(2), AcceptDraw())
    assert rows(trial.match) == {0: (1, 0.5), 1: (1, 0.5), 2: (1, 0.5), 3: (None, None)}


def test_winners_of_a_team_share_the_first_place_in_the_result() -> None:
    """Both are winners; of two that withdrew nobody is."""
    trial = in_play(4)
    trial.take(trial.by_seat(0), Resign())
    trial.take(trial.by_seat(2), Resign())
    assert trial.match.result is not None
    assert trial.match.result.winners == (1, 3)
    assert trial.match.result.reason == "withdrawal"
    assert rows(trial.match) == {1: (1, 1), 3: (1, 1), 0: (None, 0), 2: (None, 0)}


def test_at_the_table_a_seat_that_withdrew_owes_nothing() -> None:
    """The match goes on without it."""
    trial = in_play(4)
    trial.take(trial.by_seat(1), Resign())
    for _ in range(30):
        if trial.match.over:
            break
        trial.go_on()
        assert 1 not in trial.match.owed
