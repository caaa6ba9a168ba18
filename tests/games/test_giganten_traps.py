"""Traps, reserves and what waits to return in Giganten, and who is passed over or has lost."""

from __future__ import annotations

import pytest

from referee.core.visibility import SPECTATOR, seat_viewer
from referee.games.giganten import GAME
from referee.games.giganten.events import (
    BroughtIn,
    Challenged,
    Immobile,
    LeftBoard,
    NoProgress,
    PassedOver,
    PiecesMoved,
    Rested,
    Returned,
    Sprung,
    TurnEnded,
)
from referee.games.giganten.types import Advance, BringIn, EndTurn, ReturnPiece, Waiting
from tests.games.giganten_table import (
    at,
    battle,
    by_id,
    go,
    kinds,
    only,
    places,
    refused,
    result,
    seen,
    told,
    turn_of,
    twice,
)
from tests.games.table import Table

# ── The piece ───────────────────────────────────────────────────────────────────────────────────


def before_a_trap(effect: str, kind: str = "tri") -> Table:
    """A piece of seat 0 two cells before a trap of seat 1."""
    table = battle(f"0 {kind} 5,5", "1 trap 5,7", blank="trap", trap_effect=effect)
    return table.given(quiet_turns=3)


SPRINGS = go(1, (5, 6), (5, 7))


def test_a_trap_that_removes_sends_its_prey_to_the_lost() -> None:
    """The trap stays and is known; nobody advances."""
    table = before_a_trap("remove")
    assert table.when(0, SPRINGS)[1:] == [
        Challenged(1, 2, (5, 7), ("tri", "trap"), "L", "defender"),
        Sprung(1, 1, (5, 7), "remove"),
        LeftBoard(0, 1, "tri", "trapped", "lost"),
        TurnEnded(0),
    ]
    assert table.state.quiet_turns == 0


def test_a_trap_that_holds_keeps_its_prey_where_it_stands() -> None:
    """In front of the trap; the turn was quiet."""
    table = before_a_trap("hold")
    assert kinds(table.when(0, SPRINGS)) == ["moved", "challenged", "sprung", "turn_ended"]
    prey = by_id(table, 1)
    assert prey is not None
    assert (prey.at, prey.held) == ((5, 6), 2)
    assert table.state.quiet_turns == 4


def test_a_trap_that_returns_has_its_prey_wait() -> None:
    """With its id, for all to see."""
    table = before_a_trap("return", "culak")
    assert only(table.when(0, SPRINGS), LeftBoard) == [
        LeftBoard(0, 1, "culak", "trapped", "out"),
    ]
    assert table.state.out == ((Waiting(1, "culak"),), ())
    assert seen(table, SPECTATOR)["out"] == [[{"id": 1, "kind": "culak"}], []]
    assert table.state.lost == ((), ())


def test_a_known_trap_is_seen_by_everybody_and_catches_again() -> None:
    """Its kind is no secret any more, and it is known for good."""
    table = before_a_trap("remove")
    trap = [one for one in seen(table, seat_viewer(0))["pieces"] if one["id"] == 2]
    assert (trap[0]["kind"], trap[0]["known"]) == (None, False)
    table.when(0, SPRINGS)
    for viewer in (seat_viewer(0), SPECTATOR):
        trap = [one for one in seen(table, viewer)["pieces"] if one["id"] == 2]
        assert (trap[0]["kind"], trap[0]["known"]) == ("trap", True)
    again = battle("0 flug 5,3", "1 trap 5,7 known", blank="trap")
    assert kinds(again.when(0, go(1, (5, 6), (5, 7))))[1:3] == ["challenged", "sprung"]


def test_the_held_are_counted_in_their_owners_moves_alone() -> None:
    """Neither the enemy's turns nor an end of turn of others bring them nearer."""
    table = before_a_trap("hold")
    table.when(0, SPRINGS)
    held = []
    for cell in ((0, 11), (0, 12), (0, 11)):
        table.when(1, go(104, cell))
        held.append(by_id(table, 1).held)  # type: ignore[union-attr]
        if table.refusal(0, go(1, (5, 5))) is None:
            break
        table.when(0, go(102, (13, 2) if cell == (0, 11) else (13, 1)))
        held.append(by_id(table, 1).held)  # type: ignore[union-attr]
    assert held == [2, 1, 1, 0, 0]


def test_who_is_caught_again_is_held_anew() -> None:
    """Two moves from then on."""
    table = battle("0 tri 5,5 held 0", "1 trap 5,7 known", blank="trap", trap_effect="hold")
    table.when(0, SPRINGS)
    assert by_id(table, 1).held == 2  # type: ignore[union-attr]


# ── The note ────────────────────────────────────────────────────────────────────────────────────


def noted(*pieces: str, seats: int = 2, effect: str = "remove", **cells: tuple[int, int]) -> Table:
    """A battle in which seats have noted cells: `seat1=(5, 8)`."""
    notes = [cells.get(f"seat{seat}") for seat in range(seats)]
    table = battle(*pieces, seats=seats, secret_trap=True, trap_effect=effect)
    return table.given(secret_trap=tuple(notes))


def test_a_secret_trap_catches_an_enemy_that_ends_its_move_there() -> None:
    """It is shown to everybody, and works again and again."""
    table = noted("0 tri 5,7", "0 dilo 4,8", seat1=(5, 8))
    assert seen(table, seat_viewer(0))["secret_trap"] == [None, None]
    assert table.when(0, go(1, (5, 8)))[1:] == [
        Sprung(1, 1, (5, 8), "remove"), LeftBoard(0, 1, "tri", "trapped", "lost"), TurnEnded(0),
    ]  # fmt: skip
    assert table.state.secret_trap_known == (False, True)
    assert seen(table, SPECTATOR)["secret_trap"] == [None, [5, 8]]
    table.when(1, go(104, (0, 11)))
    assert "sprung" in kinds(table.when(0, go(2, (5, 8))))


def test_the_own_side_stands_and_passes_there() -> None:
    """The owner and its partner."""
    table = noted("1 tri 5,7", "3 tri 4,8", seats=4, seat1=(5, 8))
    turn_of(table, 1)
    assert "sprung" not in kinds(table.when(1, go(1, (5, 8))))
    table = noted("3 tri 4,8", seats=4, seat1=(5, 8))
    turn_of(table, 3)
    assert "sprung" not in kinds(table.when(3, go(1, (5, 8))))


def test_cells_only_passed_are_safe() -> None:
    """A scout's way, and the cell between two steps of one piece."""
    table = noted("0 flug 5,5", "1 stego 5,10", seat1=(5, 8))
    assert "sprung" not in kinds(table.when(0, go(1, (5, 9), (5, 10))))
    table = battle("0 tri 5,7", secret_trap=True, double_moves=True)
    table.given(secret_trap=(None, (5, 8)))
    assert "sprung" not in kinds(table.when(0, twice((1, (5, 9)))))


def test_whoever_enters_the_cell_is_caught_before_its_challenge() -> None:
    """It lapses, and what was challenged stays unknown."""
    table = noted("0 flug 5,5", "1 tri 5,9", seat1=(5, 8))
    assert kinds(table.when(0, go(1, (5, 8), (5, 9)))) == [
        "moved", "sprung", "left_board", "turn_ended",
    ]  # fmt: skip


def test_of_two_that_moved_the_other_still_challenges() -> None:
    """Each is looked at in the order in which they went; who is caught challenges no more."""
    pieces = ("0 tri 5,7", "0 dilo 8,5", "1 flug 8,7", "1 flug 5,9")
    for challenge, is_fought in ((2, (8, 7)), True), ((1, (5, 9)), False):
        table = battle(*pieces, secret_trap=True, double_moves=True)
        table.given(secret_trap=(None, (5, 8)))
        events = table.when(0, twice((1, (5, 8)), (2, (8, 6)), challenge=challenge))
        assert kinds(events)[1:3] == ["sprung", "left_board"]
        assert bool(only(events, Challenged)) == is_fought


def test_a_trap_catches_who_advances_into_it() -> None:
    """The winner of a fight, challenger or challenged."""
    table = noted("0 tri 5,5", "1 dilo 5,7", seat1=(5, 7))
    table.when(0, go(1, (5, 6), (5, 7)))
    assert kinds(table.when(0, Advance(go=True))) == [
        "advanced", "sprung", "left_board", "turn_ended",
    ]  # fmt: skip
    assert by_id(table, 1) is None
    table = noted("0 dilo 5,5", "1 tri 5,7", seat0=(5, 6))
    table.when(0, go(1, (5, 6), (5, 7)))
    assert kinds(table.when(1, Advance(go=True)))[:2] == ["advanced", "sprung"]


def test_who_advances_into_a_trap_that_holds_is_held() -> None:
    """From its next turn on, for two."""
    table = noted("0 tri 5,5", "1 dilo 5,7", effect="hold", seat1=(5, 7))
    table.when(0, go(1, (5, 6), (5, 7)))
    table.when(0, Advance(go=True))
    assert by_id(table, 1).held == 2  # type: ignore[union-attr]


def test_two_notes_of_one_cell_both_spring() -> None:
    """The piece leaves once."""
    table = noted("0 tri 5,7", seats=4, seat1=(5, 8), seat3=(5, 8))
    assert table.when(0, go(1, (5, 8)))[1:4] == [
        Sprung(1, 1, (5, 8), "remove"),
        Sprung(3, 1, (5, 8), "remove"),
        LeftBoard(0, 1, "tri", "trapped", "lost"),
    ]
    assert table.state.secret_trap_known == (False, True, False, True)


def test_the_note_of_a_seat_that_is_out_sleeps() -> None:
    """Nobody is caught by it."""
    table = noted("0 tri 5,7", seats=4, seat1=(5, 8)).given(is_out=(False, True, False, False))
    assert "sprung" not in kinds(table.when(0, go(1, (5, 8))))


def test_a_trap_on_a_noted_cell_is_not_the_note() -> None:
    """The piece springs when it is challenged; the note stays secret."""
    table = battle("0 tri 5,5", "1 trap 5,7", blank="trap", secret_trap=True)
    table.given(secret_trap=(None, (5, 7)))
    assert only(table.when(0, SPRINGS), Sprung) == [Sprung(1, 1, (5, 7), "remove")]
    assert table.state.secret_trap_known == (False, False)
    assert at(table, (5, 7)).known  # type: ignore[union-attr]


def test_a_note_that_holds_shows_no_kind() -> None:
    """The event has none, and the piece's back is turned."""
    table = noted("0 tri 5,7", effect="hold", seat1=(5, 8))
    events = table.when(0, go(1, (5, 8)))
    assert all("tri" not in str(told(event, seat_viewer(1))) for event in events)
    prey = next(one for one in seen(table, seat_viewer(1))["pieces"] if one["id"] == 1)
    assert (prey["kind"], prey["held"]) == (None, 2)


def test_a_note_that_returns_has_its_prey_wait() -> None:
    """As the piece does."""
    table = noted("0 tri 5,7", effect="return", seat1=(5, 8))
    assert only(table.when(0, go(1, (5, 8))), LeftBoard)[0].to == "out"


# ── Returning ───────────────────────────────────────────────────────────────────────────────────


def waiting(*kinds_out: str, effect: str = "return", **more: object) -> Table:
    """A battle with pieces of seat 0 that wait, ids from 51."""
    table = battle("0 tri 5,5", trap_effect=effect, **more)  # type: ignore[arg-type]
    out = tuple(Waiting(51 + n, kind) for n, kind in enumerate(kinds_out))  # type: ignore[arg-type]
    return turn_of(table.given(out=(out, ()), quiet_turns=7), 0)


def test_what_waits_returns_to_an_empty_cell_of_the_first_row() -> None:
    """As the whole turn: a move made, no quiet turn, its old id."""
    table = waiting("flug", "culak")
    assert table.when(0, ReturnPiece("culak", (4, 0))) == [
        Returned(0, 52, "culak", (4, 0)), TurnEnded(0),
    ]  # fmt: skip
    back = at(table, (4, 0))
    assert back is not None
    assert (back.id, back.kind, back.held) == (52, "culak", 0)
    assert table.state.out == ((Waiting(51, "flug"),), ())
    assert (table.state.moves_made[0], table.state.quiet_turns) == (6, 0)
    assert [one.id for one in table.state.pieces] == sorted(one.id for one in table.state.pieces)


def test_of_several_of_a_kind_the_longest_waiting_returns() -> None:
    """The first in `out`."""
    table = waiting("flug", "tri", "flug")
    assert only(table.when(0, ReturnPiece("flug", (4, 0))), Returned)[0].piece == 51
    assert table.state.out[0] == (Waiting(52, "tri"), Waiting(53, "flug"))


@pytest.mark.parametrize(
    ("kind", "cell"),
    [("culak", (4, 0)), ("flug", (4, 1)), ("flug", (4, 13)), ("flug", (12, 0)), ("flug", (99, 0))],
)
def test_nothing_else_returns_and_nowhere_else(kind: str, cell: tuple[int, int]) -> None:
    """A kind that does not wait; another row; where somebody stands."""
    assert waiting("flug").refusal(0, ReturnPiece(kind, cell)) == "return-piece"  # type: ignore[arg-type]


def test_blitz_returns_to_land() -> None:
    """Never in swamp."""
    table = waiting("blitz", swamp=[(4, 0)])
    assert table.refusal(0, ReturnPiece("blitz", (4, 0))) == "blitz-move"
    assert table.refusal(0, ReturnPiece("blitz", (5, 0))) is None
    assert ReturnPiece("blitz", (4, 0)) not in table.legal(0)


def test_nothing_returns_after_bringing_in() -> None:
    """It would be a whole turn."""
    table = waiting("flug", reserve="any").given(reserve=(("stego",), ()), reserve_counts=(1, 0))
    table.when(0, BringIn("stego", (0, 0)))
    assert refused(table, 0, ReturnPiece("flug", (4, 0))) == (
        "return-piece", "A piece has come in already in this turn.",
    )  # fmt: skip


def test_a_kind_that_does_not_wait_is_named() -> None:
    """And whose none of it waits."""
    assert refused(waiting("flug"), 0, ReturnPiece("tri", (4, 0))) == (
        "return-piece", "No tri of seat 0 waits.",
    )  # fmt: skip


def test_returns_are_listed_by_kind_and_cell() -> None:
    """Each kind once, the first row's free cells from the west."""
    forms = [c for c in waiting("flug", "tri", "flug").legal(0) if isinstance(c, ReturnPiece)]
    assert [form.kind for form in forms] == ["tri"] * 13 + ["flug"] * 13
    assert [form.at for form in forms[:13]] == [(x, 0) for x in range(14) if x != 12]


def test_who_has_only_a_piece_to_return_has_a_command() -> None:
    """It is not immobile."""
    table = battle("0 nest 1,0", "1 tri 9,9", "1 nest 1,13", bystanders=False, trap_effect="return")
    turn_of(table.given(out=((Waiting(9, "tri"),), ())), 1)
    assert kinds(table.when(1, go(2, (9, 8)))) == ["moved", "turn_ended"]
    assert table.state.to_move == 0


def test_the_kind_of_what_returned_is_told_and_then_hidden_again() -> None:
    """Its back is turned like every other's."""
    table = waiting("flug")
    event = table.when(0, ReturnPiece("flug", (4, 0)))[0]
    assert told(event, seat_viewer(1))["kind"] == "flug"
    enemy = next(one for one in seen(table, seat_viewer(1))["pieces"] if one["id"] == 51)
    assert enemy["kind"] is None


# ── Reserve ─────────────────────────────────────────────────────────────────────────────────────


def holding(*held: str, made: int = 2, **more: object) -> Table:
    """A battle with a reserve of seat 0, as its third turn begins."""
    table = battle("0 tri 5,5", "1 dilo 0,2", reserve="any", made=made, **more)  # type: ignore[arg-type]
    return turn_of(table.given(reserve=(held, ()), reserve_counts=(len(held), 0)), 0)


def test_a_piece_comes_in_and_the_turn_goes_on() -> None:
    """A new id, its kind for its own side, and the move is still owed."""
    table = holding("stego", "flug", "tri").given(quiet_turns=4)
    before = len(table.state.pieces)
    event = BroughtIn(0, before + 1, "flug", (0, 3))
    assert table.when(0, BringIn("flug", (0, 3))) == [event]
    state = table.state
    assert (state.reserve[0], state.reserve_counts) == (("stego", "tri"), (2, 0))
    assert (state.brought_in, state.quiet_turns, state.to_move) == ((before + 1,), 0, 0)
    assert state.moves_made[0] == 2
    assert told(event, SPECTATOR)["kind"] is None
    assert told(event, seat_viewer(0))["kind"] == "flug"


def test_the_new_id_is_one_more_than_all_pieces_so_far() -> None:
    """On the board, lost and waiting; so it is new."""
    table = holding("stego", "flug").given(lost=(("tri",), ("tri", "dilo")), out=((), ()))
    on_board = len(table.state.pieces)
    assert only(table.when(0, BringIn("flug", (0, 3))), BroughtIn)[0].piece == on_board + 3 + 1
    assert only(table.when(0, BringIn("stego", (0, 4))), BroughtIn)[0].piece == on_board + 3 + 2


def test_one_two_or_all_three_come_in() -> None:
    """A command each, before the move; then a move by one of them, with a challenge."""
    table = holding("stego", "flug", "tri")
    table.when(0, BringIn("stego", (0, 0)))
    table.when(0, BringIn("tri", (0, 1)))
    last = only(table.when(0, BringIn("flug", (1, 0))), BroughtIn)[0].piece
    assert not any(isinstance(command, BringIn) for command in table.legal(0))
    newest = [one for one in table.state.pieces if one.id == last - 1][0]  # noqa: RUF015
    assert newest.at == (0, 1)
    events = table.when(0, go(1, (5, 6)))
    assert kinds(events) == ["moved", "turn_ended"]
    assert (table.state.brought_in, table.state.quiet_turns) == ((), 0)


def test_who_came_in_may_move_and_challenge_in_the_same_turn() -> None:
    """From the edge, against an enemy that stands near."""
    table = holding("stego")
    new = only(table.when(0, BringIn("stego", (0, 0))), BroughtIn)[0].piece
    events = table.when(0, go(new, (0, 1), (0, 2)))
    assert only(events, Challenged)[0].kinds == ("stego", "dilo")


def test_after_the_move_nothing_comes_in() -> None:
    """The turn is over by then."""
    table = holding("stego", "flug")
    table.when(0, go(1, (5, 6)))
    assert table.refusal(0, BringIn("stego", (0, 0))) == "out-of-turn"


@pytest.mark.parametrize(
    ("kind", "cell"),
    [
        ("flug", (0, 0)),  # not held back
        ("stego", (5, 3)),  # no edge
        ("stego", (0, 7)),  # an edge, but of the other half
        ("stego", (5, 6)),  # the line between the halves is no edge
        ("stego", (0, 2)),  # an enemy stands there
        ("stego", (12, 0)),  # the own nest stands there
        ("stego", (-1, 0)),
    ],
    ids=str,
)
def test_a_reserve_comes_onto_empty_edge_cells_of_the_own_half(
    kind: str, cell: tuple[int, int]
) -> None:
    """And only what was held back."""
    assert holding("stego").refusal(0, BringIn(kind, cell)) == "reserve"  # type: ignore[arg-type]


def test_a_reserve_of_a_team_comes_anywhere_on_the_rim_of_its_half() -> None:
    """On the partner's quarter too."""
    table = battle("0 tri 5,5", seats=4, reserve="any")
    turn_of(table.given(reserve=(("stego",), (), (), ()), reserve_counts=(1, 0, 0, 0)), 0)
    assert table.refusal(0, BringIn("stego", (27, 3))) is None
    assert table.refusal(0, BringIn("stego", (14, 3))) == "reserve"


def test_a_turn_ends_without_a_move_after_bringing_in() -> None:
    """It counts as the turn's move."""
    table = holding("stego", made=2).given(quiet_turns=5)
    assert refused(table, 0, EndTurn()) == (
        "reserve", "No piece has come in, so that a move is owed.",
    )  # fmt: skip
    table.when(0, BringIn("stego", (0, 0)))
    assert EndTurn() in table.legal(0)
    assert table.when(0, EndTurn()) == [Rested(0), TurnEnded(0)]
    assert (table.state.moves_made[0], table.state.quiet_turns, table.state.turn) == (3, 0, 21)


def test_held_pieces_come_nearer_to_freedom_with_each_kind_of_move() -> None:
    """A move, a return, an end of turn; not with what comes in."""
    for command in (go(2, (8, 6)), ReturnPiece("flug", (4, 0)), EndTurn()):
        table = battle("0 tri 5,5 held 2", "0 dilo 8,5", trap_effect="hold", reserve="any")
        table.given(reserve=(("stego",), ()), reserve_counts=(1, 0))
        turn_of(table.given(out=((Waiting(51, "flug"),), ())), 0)
        if isinstance(command, EndTurn):
            table.when(0, BringIn("stego", (0, 0)))
            assert by_id(table, 1).held == 2  # type: ignore[union-attr]
        table.when(0, command)
        assert by_id(table, 1).held == 1  # type: ignore[union-attr]


def test_bringing_in_is_listed_by_kind_and_cell() -> None:
    """Each kind once, the rim by y, then x."""
    forms = [c for c in holding("stego", "tri", "stego").legal(0) if isinstance(c, BringIn)]
    cells = [form.at for form in forms if form.kind == "tri"]
    assert [form.kind for form in forms] == ["tri"] * len(cells) + ["stego"] * len(cells)
    assert cells == sorted(cells, key=lambda cell: (cell[1], cell[0]))


# ── Nothing to do ───────────────────────────────────────────────────────────────────────────────


def test_who_is_shut_in_has_lost() -> None:
    """No lawful command when its turn begins."""
    walls = ("1 tri 1,0", "1 tri 0,2", "1 tri 2,1")
    table = battle("0 nest 0,0", "0 tri 0,1", *walls, "1 dilo 1,2", bystanders=False, to_move=1)
    events = table.when(1, go(6, (1, 1)))
    assert events[-2:] == [TurnEnded(1), Immobile(0)]
    assert places(table) == {0: (2, 0), 1: (1, 1)}
    assert (table.state.turn, table.state.to_move) == (21, 0)


def test_who_can_only_fly_is_not_shut_in() -> None:
    """A scout's flight is a command."""
    pieces = ("0 nest 0,0", "0 flug 0,1", "1 tri 1,1", "1 tri 0,2", "1 tri 4,5")
    table = battle(*pieces, "1 tri 1,0", bystanders=False, to_move=1)
    table.when(1, go(3, (2, 1)))
    assert table.state.phase == "play"


def test_a_seat_with_only_held_pieces_is_passed_over_until_one_is_free() -> None:
    """That changes nothing but `held`."""
    table = battle("0 nest 1,0", "0 tri 5,5 held 2", "1 dilo 9,9", bystanders=False,
                   trap_effect="hold", to_move=1)  # fmt: skip
    events = table.when(1, go(3, (9, 8)))
    assert events == [PiecesMoved(1, events[0].moves), TurnEnded(1), PassedOver(0)]  # type: ignore[attr-defined]
    state = table.state
    assert (state.turn, state.to_move, state.moves_made, state.quiet_turns) == (21, 1, (5, 6), 1)


def test_both_may_be_passed_over_till_somebody_is_free() -> None:
    """The turn goes round by itself."""
    table = battle("0 nest 1,0", "0 tri 5,5 held 2", "1 dilo 9,9 held 2", "1 stego 9,8",
                   "1 nest 1,13", "0 culak 8,8", bystanders=False, trap_effect="hold")  # fmt: skip
    table.given(moves_made=(5, 5))
    table.when(0, go(6, (7, 8)))
    table.when(1, go(4, (9, 7)))
    assert table.state.to_move == 0


def test_a_held_piece_that_could_not_go_if_it_were_free_does_not_save_its_side() -> None:
    """Its way is shut."""
    walls = ("1 tri 1,0", "1 tri 0,2", "1 tri 2,1")
    table = battle("0 nest 0,0", "0 tri 0,1 held 2", *walls, "1 dilo 1,2", bystanders=False,
                   trap_effect="hold", to_move=1)  # fmt: skip
    assert table.when(1, go(6, (1, 1)))[-1] == Immobile(0)


def test_immobility_goes_before_the_limit_of_quiet_turns() -> None:
    """The seat has lost, the match is not drawn."""
    walls = ("1 tri 1,0", "1 tri 0,2", "1 tri 2,1")
    table = battle("0 nest 0,0", "0 tri 0,1", *walls, "1 dilo 1,2", bystanders=False, to_move=1,
                   no_progress_limit=1)  # fmt: skip
    assert table.when(1, go(6, (1, 1)))[-1] == Immobile(0)


def test_the_limit_is_looked_at_when_somebody_is_on_the_move() -> None:
    """After a passing over, if there was one."""
    table = battle("0 nest 1,0", "0 tri 5,5 held 2", "1 dilo 9,9", bystanders=False,
                   trap_effect="hold", to_move=1, no_progress_limit=1)  # fmt: skip
    events = table.when(1, go(3, (9, 8)))
    assert events[-2:] == [PassedOver(0), NoProgress(1)]
    assert result(table).reason == "played-out"
    assert GAME.to_act(table.state) == ()
