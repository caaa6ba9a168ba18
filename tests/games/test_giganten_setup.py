"""Setting up in Giganten: what refuses a set-up, what its form says, ids, what a screen hides."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from referee.core.game import Template
from referee.core.visibility import ORGANIZER, SPECTATOR, seat_viewer
from referee.games.giganten import GAME
from referee.games.giganten.boards import terrain
from referee.games.giganten.events import SetUpDone, SetupsRevealed
from referee.games.giganten.placing import own_area, set_up_template
from referee.games.giganten.types import KINDS, Options, PlacedPiece, SetUp, State
from tests.games.giganten_table import (
    ground_of,
    kinds,
    laid,
    moved_to,
    ready,
    refused,
    seen,
    some_set_up,
    swapped_to,
    told,
)
from tests.games.table import Table


def fixed(seats: int = 2, **options: Any) -> Table:
    """A table before set-up, its board always the same."""
    return laid(seats, tile_draw="fixed", **options)


def nest_of(set_up: SetUp) -> tuple[int, int]:
    """Where the nest stands."""
    return next(one.at for one in set_up.pieces if one.kind == "nest")


def some_cell(table: Table, seat: int, ground: str, *, free_of: SetUp) -> tuple[int, int]:
    """A cell of a seat's area with that ground on which a set-up has nobody; no corner."""
    taken = {one.at for one in free_of.pieces}
    state: State = table.state
    return next(
        cell
        for cell in own_area(state, seat)
        if cell not in taken
        and cell not in state.shape.corners
        and terrain(state.board or (), cell) == ground
    )


# ── Rulings ─────────────────────────────────────────────────────────────────────────────────────


def test_pieces_stand_in_the_own_area() -> None:
    """Rows 1 to 6: not in row 7, not on the other side, not off the board."""
    table = fixed()
    lawful = some_set_up(table, 0)
    assert table.refusal(0, lawful) is None
    for cell in ((3, 6), (3, 7), (14, 0), (-1, 0), (10**9, 0)):
        assert table.refusal(0, moved_to(lawful, "tri", cell)) == "setup-area"


def test_behind_a_screen_the_whole_half_may_be_used() -> None:
    """Row 7 too, but not the other half."""
    table = fixed(hidden_setup=True)
    lawful = some_set_up(table, 0)
    assert table.refusal(0, moved_to(lawful, "tri", (13, 6))) is None
    assert table.refusal(0, moved_to(lawful, "tri", (13, 7))) == "setup-area"


def test_no_two_pieces_stand_on_one_cell() -> None:
    """Neither of one seat nor of two partners."""
    table = fixed(4)
    lawful = some_set_up(table, 0)
    taken = next(one.at for one in lawful.pieces if one.kind == "culak")
    assert table.refusal(0, moved_to(lawful, "tri", taken)) == "setup-area"
    table.when(0, lawful)
    partner = some_set_up(table, 2)
    assert table.refusal(2, partner) is None
    ruling, sentence = refused(table, 2, moved_to(partner, "tri", taken))
    assert (ruling, sentence) == (
        "setup-area", f"Two pieces cannot stand on [{taken[0]}, {taken[1]}].",
    )  # fmt: skip


def test_a_set_up_is_the_whole_set() -> None:
    """Nothing is missing, nothing is too many; the blank only where it is played with."""
    table = fixed()
    lawful = some_set_up(table, 0)
    free = some_cell(table, 0, "S", free_of=lawful)
    for pieces in (
        lawful.pieces[:-1],
        (*lawful.pieces, PlacedPiece("tri", free)),
        (*lawful.pieces, PlacedPiece("ghost", free)),
        (PlacedPiece("tri", lawful.pieces[0].at), *lawful.pieces[1:]),
        (),
    ):
        assert table.refusal(0, SetUp(pieces)) == "setup-set"


@pytest.mark.parametrize("blank", ["ghost", "trap"])
def test_with_the_blank_a_set_has_25(blank: str) -> None:
    """The one that was chosen, not the other."""
    table = fixed(blank=blank)
    lawful = some_set_up(table, 0)
    assert len(lawful.pieces) == 25
    other = "ghost" if blank == "trap" else "trap"
    swapped = tuple(replace(p, kind=other) if p.kind == blank else p for p in lawful.pieces)
    assert table.refusal(0, SetUp(swapped)) == "setup-set"
    assert table.refusal(0, lawful) is None


def test_pieces_come_in_any_order() -> None:
    """They are listed by y, then x."""
    table = fixed()
    lawful = some_set_up(table, 0)
    (done,) = table.when(0, replace(lawful, pieces=lawful.pieces[::-1]))
    assert isinstance(done, SetUpDone)
    assert [one.at for one in done.pieces] == sorted(
        (one.at for one in lawful.pieces), key=lambda cell: (cell[1], cell[0])
    )


@pytest.mark.parametrize("kind", ["nest", "blitz"])
def test_nest_and_blitz_stand_on_land(kind: str) -> None:
    """All others anywhere."""
    table = fixed()
    lawful = some_set_up(table, 0)
    wet = some_cell(table, 0, "S", free_of=lawful)
    assert table.refusal(0, moved_to(lawful, kind, wet)) == "setup-land"
    assert table.refusal(0, moved_to(lawful, "culak", wet)) is None


def test_the_nest_stands_on_no_corner() -> None:
    """Of the whole board."""
    table = fixed()
    assert terrain(table.state.board, (0, 13)) == "L"
    lawful = swapped_to(some_set_up(table, 1), "nest", (0, 13))
    assert refused(table, 1, lawful) == (
        "setup-nest-corner", "[0, 13] is a corner cell, and no nest stands on one.",
    )  # fmt: skip


def test_the_first_of_a_team_leaves_its_partner_cells_for_its_pieces() -> None:
    """Where a reserve may be held back three fewer."""
    table = fixed(4)
    area = own_area(table.state, 0)
    for reserve, free, ruling in (("none", 23, True), ("any", 21, False), ("any", 20, True)):
        table.given(options=replace(table.state.options, reserve=reserve))
        # Free cells are few where the area is cut down to them and to the own pieces.
        lawful = some_set_up(table, 0, nest=(8, 1))
        own = {one.at for one in lawful.pieces}
        others = [cell for cell in area if cell not in own][-free:]
        small = dataclasses.replace(table.state.shape, areas=((*own, *others), ()))
        sentence = (
            f"The partner needs {24 if reserve == 'none' else 21} cells, and {free} are left."
        )
        cut = Table(GAME, seats=4).given(**as_fields(replace(table.state, shape=small)))
        if ruling:
            assert refused(cut, 0, lawful) == ("setup-nest-distance", sentence)
        else:
            assert cut.refusal(0, lawful) is None


def as_fields(state: State) -> dict[str, Any]:
    """A state's fields, to be given to a table."""
    return {name: getattr(state, name) for name in state.__struct_fields__}


def test_the_first_of_a_team_leaves_two_cells_of_land_one_of_them_for_a_nest() -> None:
    """For the partner's nest and Blitz; seven cells from the own nest, and no corner."""
    table = fixed(4)
    lawful = some_set_up(table, 0, nest=(8, 1))
    own = {one.at for one in lawful.pieces}
    for more, sentence in (
        ([(20, 1)], "The partner needs 2 cells of land, and 1 are left."),
        ([(15, 1), (15, 2)], "No cell is left on which the partner's nest could stand."),
        ([(15, 1), (27, 0)], "No cell is left on which the partner's nest could stand."),
    ):
        table.given(board=ground_of(table, [*own, *more]))
        assert refused(table, 0, lawful) == ("setup-nest-distance", sentence)
    table.given(board=ground_of(table, [*own, (15, 1), (16, 1)]))
    assert table.refusal(0, lawful) is None


def test_a_partner_that_has_withdrawn_needs_nothing() -> None:
    """And its nest binds nobody."""
    table = fixed(4)
    table.when(2, some_set_up(table, 2, nest=(15, 1)))
    near = some_set_up(table, 0, nest=(9, 2))
    assert table.refusal(0, near) == "setup-nest-distance"
    table.leaves(2)
    assert table.refusal(0, near) is None


@pytest.mark.parametrize(
    ("east", "north", "ruling"), [(1, 0, "setup-trap"), (0, 1, "setup-trap"), (1, 1, None)]
)
def test_no_trap_beside_the_nest_where_that_is_agreed(
    east: int, north: int, ruling: str | None
) -> None:
    """The piece and the note alike; at a corner of the nest they may be."""
    table = fixed(blank="trap", secret_trap=True, trap_beside_nest=False)
    lawful = some_set_up(table, 0, nest=(9, 5))
    lawful = _free_around(lawful, (9, 5))
    beside = (9 + east, 5 - north)
    assert table.refusal(0, lawful) is None
    assert table.refusal(0, moved_to(lawful, "trap", beside)) == ruling
    assert table.refusal(0, replace(lawful, secret_trap=beside)) == ruling


def _free_around(set_up: SetUp, cell: tuple[int, int]) -> SetUp:
    near = {(cell[0] + x, cell[1] + y) for x in (-1, 0, 1) for y in (-1, 0, 1)}
    assert not near & {one.at for one in set_up.pieces if one.kind != "nest"}
    return set_up


def test_where_nothing_is_agreed_a_trap_may_lie_beside_the_nest() -> None:
    """The default."""
    table = fixed(blank="trap")
    lawful = some_set_up(table, 0, nest=(9, 5))
    assert table.refusal(0, moved_to(lawful, "trap", (9, 4))) is None


def test_a_secret_trap_needs_its_option_and_the_own_area() -> None:
    """Own pieces may stand on it."""
    lawful = some_set_up(fixed(), 0)
    noted = replace(lawful, secret_trap=lawful.pieces[0].at)
    assert fixed().refusal(0, noted) == "secret-trap"
    table = fixed(secret_trap=True)
    assert table.refusal(0, noted) is None
    for cell in ((3, 6), (3, 9), (20, 0)):
        assert table.refusal(0, replace(lawful, secret_trap=cell)) == "secret-trap"


def test_a_partners_cells_may_be_noted() -> None:
    """Also those on which it stands."""
    table = fixed(4, secret_trap=True)
    first = some_set_up(table, 0)
    table.when(0, first)
    assert table.refusal(2, some_set_up(table, 2, secret_trap=first.pieces[0].at)) is None


# ── Reserve ─────────────────────────────────────────────────────────────────────────────────────


def with_reserve(allowed: Any, *held: str) -> str | None:
    """The ruling that refuses a set-up with that reserve."""
    table = fixed(reserve=allowed, blank="ghost")
    return table.refusal(0, some_set_up(table, 0, reserve=held) if held else some_set_up(table, 0))


def test_a_reserve_needs_its_option() -> None:
    """Three dinosaurs held back are no reserve of a match without."""
    assert with_reserve("none", "tri", "tri", "flug") == "reserve"
    assert with_reserve("any", "tri", "tri", "flug") is None
    table = fixed()
    assert table.refusal(0, replace(some_set_up(table, 0), reserve=())) is None


def test_a_reserve_is_three_dinosaurs_or_none() -> None:
    """Not two, not four, no nest, Blitz, Culak or blank."""
    assert with_reserve("any") is None
    assert with_reserve("any", "tri", "tri") == "reserve"
    assert with_reserve("any", "tri", "tri", "tri", "flug") == "reserve"
    for kind in ("culak", "ghost"):
        assert with_reserve("any", "tri", "tri", kind) == "reserve"


@pytest.mark.parametrize("kind", ["nest", "blitz"])
def test_nest_and_blitz_are_never_held_back(kind: str) -> None:
    """The set is whole, but such a reserve is none."""
    table = fixed(reserve="any")
    lawful = some_set_up(table, 0)
    pieces = tuple(p for p in lawful.pieces if p.kind not in (kind, "dilo"))
    held = (kind, "dilo", "dilo")
    assert table.refusal(0, SetUp(pieces, held)) == "reserve"  # type: ignore[arg-type]


def test_a_reserve_of_different_kinds_has_one_tyra_and_one_deino() -> None:
    """Both Tyra are one kind, both Deino too."""
    assert with_reserve("distinct", "tri", "dilo", "flug") is None
    assert with_reserve("distinct", "tyra-7", "deino-2", "flug") is None
    assert with_reserve("distinct", "tri", "tri", "flug") == "reserve"
    assert with_reserve("distinct", "tyra-7", "tyra-6", "flug") == "reserve"
    assert with_reserve("distinct", "deino-2", "deino-1", "flug") == "reserve"


def test_a_reserve_that_is_agreed_is_exactly_that() -> None:
    """In any order, and not none."""
    agreed = ["tri", "flug", "tri"]
    assert with_reserve(agreed, "flug", "tri", "tri") is None
    assert with_reserve(agreed, "flug", "flug", "tri") == "reserve"
    assert with_reserve(agreed) == "reserve"


def test_a_reserve_is_counted_into_the_set() -> None:
    """What is held back does not stand on the board besides."""
    table = fixed(reserve="any")
    whole = some_set_up(table, 0)
    assert table.refusal(0, replace(whole, reserve=("tri", "tri", "tri"))) == "setup-set"


# ── The form ────────────────────────────────────────────────────────────────────────────────────


def form(table: Table, seat: int) -> dict[str, Any]:
    """The template of a seat's set-up as its client gets it."""
    template = set_up_template(table.state, table.by(seat))
    assert isinstance(template, Template)
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(template))
    assert plain["type"] == "set_up"
    fields: dict[str, Any] = plain["fields"]
    return fields


def test_the_form_of_a_plain_set_up() -> None:
    """Twenty-four pieces on cells of the area, no field for what is not played with."""
    fields = form(fixed(), 0)
    assert list(fields) == ["pieces"]
    pieces = fields["pieces"]
    assert list(pieces) == ["list_of", "length", "distinct", "spend"]
    assert pieces["length"] == [24, 24]
    assert pieces["distinct"] == ["at"]
    assert pieces["list_of"]["kind"]["one_of"] == list(KINDS[:12])
    assert len(pieces["list_of"]["at"]["one_of"]) == 84
    assert pieces["list_of"]["at"]["one_of"][:2] == [[0, 0], [1, 0]]
    assert Counter(pieces["spend"]["kind"]) == {
        "tyra-7": 1, "tyra-6": 1, "tri": 3, "dilo": 2, "stego": 5, "docus": 2, "deino-2": 1,
        "deino-1": 1, "flug": 5, "blitz": 1, "nest": 1, "culak": 1,
    }  # fmt: skip
    assert pieces["spend"]["kind"] == sorted(pieces["spend"]["kind"], key=KINDS.index)


def test_the_form_with_a_free_reserve_a_blank_and_a_note() -> None:
    """Three fewer may stand; the reserve spends what may be held back."""
    fields = form(fixed(reserve="any", blank="trap", secret_trap=True), 1)
    assert fields["pieces"]["length"] == [22, 25]
    assert fields["pieces"]["spend"]["kind"][-1] == "trap"
    reserve = fields["reserve"]
    assert (reserve["length"], reserve["optional"]) == ([3, 3], True)
    assert len(reserve["spend"]) == 21
    assert reserve["list_of"] == {"one_of": list(dict.fromkeys(reserve["spend"]))}
    assert fields["secret_trap"]["optional"]
    assert len(fields["secret_trap"]["one_of"]) == 84


def test_the_form_with_a_reserve_of_different_kinds() -> None:
    """Each of the dinosaurs' kinds once."""
    fields = form(fixed(reserve="distinct"), 0)
    assert fields["reserve"]["spend"] == list(KINDS[:9])
    assert fields["pieces"]["length"] == [21, 24]


def test_the_form_with_a_reserve_that_is_agreed() -> None:
    """It is not optional."""
    fields = form(fixed(reserve=["tri", "flug", "tri"]), 0)
    assert fields["pieces"]["length"] == [21, 21]
    assert fields["reserve"] == {
        "list_of": {"one_of": ["tri", "flug"]}, "length": [3, 3], "spend": ["tri", "tri", "flug"],
    }  # fmt: skip


def test_the_form_of_a_partner_leaves_out_what_is_taken() -> None:
    """But its note may lie there."""
    table = fixed(4, secret_trap=True)
    first = some_set_up(table, 0)
    table.when(0, first)
    fields = form(table, 2)
    free = fields["pieces"]["list_of"]["at"]["one_of"]
    assert len(free) == 168 - 24
    assert not {tuple(cell) for cell in free} & {one.at for one in first.pieces}
    assert len(fields["secret_trap"]["one_of"]) == 168
    assert len(form(table, 1)["pieces"]["list_of"]["at"]["one_of"]) == 168


def test_set_up_is_not_listed_but_has_its_form() -> None:
    """Which is what a list that is not complete says."""
    rules = next(of for of in GAME.commands if of.command is SetUp)
    table = fixed()
    assert list(rules.forms(table.state, table.by(0))) == []
    assert rules.template is not None


# ── What follows ────────────────────────────────────────────────────────────────────────────────


def test_all_set_up_at_once_and_ids_come_with_the_last() -> None:
    """One to 48, shuffled over the pieces by seat, y, x."""
    table = fixed(first=1)
    assert GAME.to_act(table.state) == (0, 1)
    table.when(1, some_set_up(table, 1))
    assert GAME.to_act(table.state) == (0,)
    assert {one.id for one in table.state.pieces} == {None}
    before = table.chance.draws
    events = table.when(0, some_set_up(table, 0))
    assert kinds(events) == ["set_up_done", "setups_revealed"]
    assert table.chance.draws == before + 1
    ids = [one.id for one in table.state.pieces]
    assert ids == list(range(1, 49))
    assert [one.seat for one in table.state.pieces] != sorted(
        one.seat for one in table.state.pieces
    )
    assert (table.state.phase, table.state.turn, table.state.to_move) == ("play", 1, 1)
    revealed = events[-1]
    assert isinstance(revealed, SetupsRevealed)
    assert [one.id for one in revealed.pieces] == ids
    assert GAME.draws(table.state, revealed) == 1


def test_in_set_up_pieces_are_listed_by_seat_and_cell() -> None:
    """Whoever set up first."""
    table = fixed(4)
    for seat in (3, 0, 2):
        table.when(seat, some_set_up(table, seat))
    listed = [(one.seat, one.at[1], one.at[0]) for one in table.state.pieces]
    assert listed == sorted(listed)
    assert {seat for seat, *_ in listed} == {0, 2, 3}


def test_an_open_set_up_shows_its_cells_to_those_who_come_later() -> None:
    """But no kinds."""
    table = fixed()
    (event,) = table.when(0, some_set_up(table, 0))
    enemy = seen(table, seat_viewer(1))["pieces"]
    assert len(enemy) == 24
    assert all(one["kind"] is None and one["at"] and one["id"] is None for one in enemy)
    assert told(event, SPECTATOR)["pieces"][0]["at"]
    assert told(event, SPECTATOR)["pieces"][0]["kind"] is None
    assert told(event, SPECTATOR)["reserve"] is None
    assert told(event, SPECTATOR)["reserve_count"] == 0


def test_behind_a_screen_the_other_side_sees_nothing_till_all_are_ready() -> None:
    """Then every cell."""
    table = fixed(hidden_setup=True)
    table.when(0, some_set_up(table, 0))
    assert seen(table, seat_viewer(1))["pieces"] == []
    assert seen(table, SPECTATOR)["reserve_counts"] == [None, None]
    assert len(seen(table, seat_viewer(0))["pieces"]) == 24
    assert len(seen(table, ORGANIZER)["pieces"]) == 24
    table.when(1, some_set_up(table, 1))
    assert len(seen(table, SPECTATOR)["pieces"]) == 48
    assert seen(table, SPECTATOR)["reserve_counts"] == [0, 0]


def test_before_play_turn_and_to_move_are_those_of_the_first_turn() -> None:
    """One and `first`."""
    table = fixed(first=1)
    assert (table.state.turn, table.state.to_move, table.state.quiet_turns) == (1, 1, 0)


def test_a_set_up_leaves_nothing_else_to_owe() -> None:
    """Twice is out of turn, and a move in between is of the wrong phase."""
    table = fixed()
    lawful = some_set_up(table, 0)
    table.when(0, lawful)
    assert table.refusal(0, lawful) == "out-of-turn"


@pytest.mark.parametrize("seats", [2, 4])
def test_everything_can_be_set_up(seats: int) -> None:
    """On each board with each kind of reserve, by the players of trials."""
    for board in ("square", "column" if seats == 2 else "six"):
        for reserve in ("none", "any", "distinct", ["tri", "tri", "flug"]):
            table = laid(seats, board=board, reserve=reserve, blank="trap", secret_trap=True)
            for seat in range(seats):
                command = GAME.sample(table.state, table.by(seat), table.chance)  # type: ignore[misc]
                assert isinstance(command, SetUp)
                table.when(seat, command)
            assert table.state.phase == "play"


def test_null_is_no_reserve_and_no_note() -> None:
    """A field that may be left out is left out, not null."""
    lawful = msgspec.to_builtins(some_set_up(fixed(), 0))
    assert msgspec.convert(lawful, SetUp).reserve is UNSET
    for field in ("reserve", "secret_trap"):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(lawful | {field: None}, SetUp)


def test_ready_tables_are_in_play() -> None:
    """With any options, nobody has moved yet."""
    table = ready(4, blank="ghost")
    assert len(table.state.pieces) == 100
    assert table.state.moves_made == (0, 0, 0, 0)
    assert table.state.options == msgspec.structs.replace(Options(), blank="ghost")
