"""Giganten's boards: tiles drawn and laid, rows, edges, corners of any shape, options refused."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest

from referee.core.game import At
from referee.core.randomness import Chance
from referee.core.visibility import SPECTATOR, seat_viewer
from referee.games.giganten import GAME, setup
from referee.games.giganten.boards import Shape, Spot, drawn, named, shaped, terrain, turned
from referee.games.giganten.events import BoardRevealed, TilesDealt, TilesLaid
from referee.games.giganten.types import FACES, TILES, LaidTile, LayTiles, Options
from tests.games.giganten_table import errors, kinds, laid, seen, told, unturned
from tests.games.table import SEED, Table

PLACED: list[dict[str, Any]] = [
    {"tile": "a", "turn": 0, "x": 0, "y": 3, "seat": 0},
    {"tile": "b", "turn": 90, "x": 7, "y": 0, "seat": 0},
    {"tile": "c", "turn": 180, "x": 0, "y": 10, "seat": 1},
    {"tile": "d", "turn": 270, "x": 7, "y": 7, "seat": 1},
]
"""Two tiles a seat, the western ones three cells further north."""


def stepped() -> Shape:
    """The shape of `PLACED`."""
    return shaped((Spot(0, 3, 0), Spot(7, 0, 0), Spot(0, 10, 1), Spot(7, 7, 1)))


# ── Faces and ground ────────────────────────────────────────────────────────────────────────────


def test_the_tiles_have_the_printed_numbers_of_land_cells() -> None:
    """Of 49 cells a has 32, b 30, c 27, d 26."""
    land = {tile: "".join(getattr(FACES, tile)).count("L") for tile in TILES}
    assert land == {"a": 32, "b": 30, "c": 27, "d": 26}
    assert all(len(row) == 7 for tile in TILES for row in getattr(FACES, tile))


def test_the_tiles_are_those_of_the_page() -> None:
    """Their north rows first."""
    assert FACES.a == ("LLLLLLL", "LLLLLLL", *("LLLSSSS",) * 3, "SLLLSSS", "SLLLLLL")
    assert FACES.d[:2] == ("LLLSSSS", "SLLLSSS")
    assert (FACES.b[-1], FACES.c[2]) == ("LSSSLLS", "LSLLLLL")


def test_a_face_turns_clockwise() -> None:
    """Its western column becomes its northern row, read from the south."""
    assert turned(("abc", "def", "ghi"), 90) == ("gda", "heb", "ifc")
    assert turned(("abc", "def", "ghi"), 270) == ("cfi", "beh", "adg")
    for turn in (0, 90, 180, 270):
        assert turned(turned(FACES.b, turn), 360 - turn) == FACES.b


def test_what_the_north_lays_is_turned_round() -> None:
    """A tile unturned for the north is upside down for the south, its left one in the east."""
    table = laid(tile_draw="fixed")
    north_east = [row[7:] for row in table.state.board[:7]]
    assert tuple(north_east) == turned(FACES.c, 180)
    assert tuple(row[:7] for row in table.state.board[:7]) == turned(FACES.d, 180)
    assert tuple(row[:7] for row in table.state.board[7:]) == FACES.a


def test_of_a_column_each_seat_lays_the_tile_at_its_own_edge_first() -> None:
    """The south's first is the lowest, the north's first the uppermost."""
    board = laid(board="column", tile_draw="fixed").state.board
    assert len(board) == 28
    assert (board[21:], board[14:21]) == (FACES.a, FACES.b)
    assert (board[:7], board[7:14]) == (turned(FACES.c, 180), turned(FACES.d, 180))


def test_of_four_seats_each_lays_its_quarter() -> None:
    """South-west, north-west, south-east, north-east."""
    board = laid(4, tile_draw="fixed").state.board
    assert (len(board), len(board[0])) == (14, 28)
    south = ["".join(rows) for rows in zip(FACES.a, FACES.b, FACES.a, FACES.b, strict=True)]
    assert list(board[7:]) == south
    north = [turned(face, 180) for face in (FACES.d, FACES.c, FACES.d, FACES.c)]
    assert list(board[:7]) == ["".join(rows) for rows in zip(*north, strict=True)]


def test_of_six_tiles_the_western_seats_lay_two_and_the_eastern_one() -> None:
    """21 by 14 cells."""
    table = Table(GAME, seats=4, options={"board": "six"})
    assert list(map(len, table.state.tiles)) == [2, 2, 1, 1]
    assert (table.state.shape.width, table.state.shape.height) == (21, 14)
    assert [spot.x for spot in table.state.shape.spots_of(1)] == [7, 0]
    assert [spot.x for spot in table.state.shape.spots_of(3)] == [14]


def test_placements_are_turned_as_the_south_sees_them() -> None:
    """Nothing is drawn or laid: the board lies there, and set-up begins."""
    table = Table(GAME, seats=2, options={"board": PLACED})
    state = table.state
    assert (table.dealt, state.phase, table.chance.draws) == ([], "setup", 0)
    assert (state.tiles, state.laid) == (((), ()), ((), ()))
    assert tuple(row[7:] for row in state.board[-7:]) == turned(FACES.b, 90)
    assert tuple(row[:7] for row in state.board[:7]) == turned(FACES.c, 180)
    assert state.board[0] == turned(FACES.c, 180)[0] + "......."
    assert seen(table, SPECTATOR)["laid"] == [[], []]


# ── Shapes ──────────────────────────────────────────────────────────────────────────────────────


def drawing(shape: Shape) -> list[str]:
    """A board in lines, north first: c a corner, e an edge, o a cell within, . none."""
    rims = {cell for rim in shape.rims for cell in rim}
    sign = {
        cell: "c" if cell in shape.corners else "e" if cell in rims else "o" for cell in shape.cells
    }
    return [
        "".join(sign.get((x, y), ".") for x in range(shape.width))
        for y in reversed(range(shape.height))
    ]


def test_a_square_has_four_corners_and_a_rim() -> None:
    """The line between the halves is no edge."""
    shape = drawn("square", 2)
    assert shape.corners == {(0, 0), (13, 0), (0, 13), (13, 13)}
    assert len(shape.rims[0]) == len(shape.rims[1]) == 26
    assert (5, 6) not in shape.rims[0]


def test_a_stepped_board_has_corners_at_its_steps() -> None:
    """A cell that lacks a neighbour both across and along is a corner."""
    assert drawing(stepped()) == [
        "ceeeeec.......",
        "eoooooe.......",
        "eoooooe.......",
        "eooooooeeeeeec",
        *["eooooooooooooe"] * 9,
        "ceeeeeeooooooe",
        ".......eoooooe",
        ".......eoooooe",
        ".......ceeeeec",
    ]  # fmt: skip


def test_a_cell_at_an_inner_bend_is_no_corner_unless_it_lacks_two_neighbours() -> None:
    """At 6,13 two neighbours are there across, at 7,13 the one above is missing alone."""
    shape = stepped()
    assert (6, 16) in shape.corners
    assert (6, 13) not in shape.corners
    assert (7, 13) not in shape.corners
    assert (7, 13) in shape.rims[1]


def test_a_hole_has_edges_round_it() -> None:
    """Four tiles around one free cell: its neighbours lack one cell each, and are no corners."""
    ring = shaped((Spot(0, 0, 0), Spot(7, 1, 0), Spot(6, 8, 1), Spot(-1 + 0, 7, 1)))
    hole = (6, 7)
    assert hole not in ring.index
    for beside in ((6, 6), (5, 7), (7, 7), (6, 8)):
        assert beside in ring.rims[0] + ring.rims[1]
        assert beside not in ring.corners or beside in ((6, 6), (6, 8))


def test_rows_are_counted_from_the_own_edge_where_the_half_has_cells() -> None:
    """Row 1 of a stepped half is that of its lower tile alone; six rows are the area."""
    shape = stepped()
    assert shape.first_rows[0] == tuple((x, 0) for x in range(7, 14))
    assert shape.first_rows[1] == tuple((x, 16) for x in range(7))
    assert {y for _x, y in shape.areas[0]} == set(range(6))
    assert {y for _x, y in shape.areas[1]} == set(range(11, 17))
    assert len(shape.areas[0]) == 6 * 7 + 3 * 7


def test_rows_without_cells_of_the_half_are_not_counted() -> None:
    """A tile of the south behind one of the north: the gap between counts for nothing."""
    shape = shaped((Spot(0, 0, 0), Spot(0, 7, 1), Spot(0, 14, 0), Spot(7, 7, 1)))
    assert {y for _x, y in shape.areas[0]} == set(range(6))
    assert {y for _x, y in shape.halves[0]} == {*range(7), *range(14, 21)}


def test_of_a_column_the_area_is_in_the_tile_at_the_own_edge() -> None:
    """Behind a screen it is both tiles."""
    options = Options(board="column")
    shape = drawn("column", 2)
    assert len(setup.area_of(options, shape, 0)) == 42
    assert len(setup.area_of(Options(board="column", hidden_setup=True), shape, 1)) == 98


def test_partners_share_their_half() -> None:
    """Both sets may stand anywhere in it."""
    shape = drawn("square", 4)
    assert len(shape.areas[0]) == 6 * 28
    assert shape.spots_of(2) == (Spot(14, 0, 2), Spot(21, 0, 2))


def test_equal_spots_make_equal_shapes() -> None:
    """So that states of matches on one board can be compared."""
    one, other = stepped(), shaped.__wrapped__(stepped().spots)
    assert one == other
    assert one is not other
    assert named((3, 5)) == "[3, 5]"


def test_the_ground_of_a_cell_is_read_from_the_south_west() -> None:
    """The last row is y 0."""
    assert (terrain(("LS", "SL"), (0, 0)), terrain(("LS", "SL"), (0, 1))) == ("S", "L")


# ── Draws ───────────────────────────────────────────────────────────────────────────────────────


def dealt(seats: int, seed: int = 0, **options: Any) -> tuple[tuple[str, ...], ...]:
    """The tiles that the seats draw."""
    table = Table(GAME, seats=seats, options=options, seed=bytes([seed]) * 32)
    assert kinds(table.dealt) == ["tiles_dealt"]
    tiles: tuple[tuple[str, ...], ...] = table.state.tiles
    return tiles


def test_tiles_are_dealt_one_at_a_time_from_seat_0() -> None:
    """Of one shuffle: seat 0 has the first and the third."""
    order = Chance(SEED, "table", ["", ""]).shuffle(TILES)
    table = Table(GAME, seats=2)
    assert table.state.tiles == ((order[0], order[2]), (order[1], order[3]))
    assert table.chance.draws == 1


def test_four_seats_draw_from_two_games() -> None:
    """Twice a b c d, shuffled; with six tiles two are left over."""
    order = Chance(SEED, "table", [""] * 4).shuffle(TILES * 2)
    assert Table(GAME, seats=4).state.tiles == tuple((order[n], order[n + 4]) for n in range(4))
    six = Table(GAME, seats=4, options={"board": "six"}).state.tiles
    assert six == ((order[0], order[4]), (order[1], order[5]), (order[2],), (order[3],))


@pytest.mark.parametrize("draw", ["ad-bc", "ab-cd", "ac-bd"])
def test_pairs_are_drawn_whole(draw: str) -> None:
    """One pair a seat, of one shuffle; four seats draw of each pair two."""
    pairs = [tuple(pair) for pair in draw.split("-")]
    assert {dealt(2, seed, tile_draw=draw) for seed in range(9)} == {
        tuple(pairs), tuple(reversed(pairs)),
    }  # fmt: skip
    assert Counter(dealt(4, tile_draw=draw)) == dict.fromkeys(pairs, 2)


def test_fixed_tiles_draw_nothing_from_chance() -> None:
    """The south has a and b, the north c and d."""
    table = Table(GAME, seats=4, options={"tile_draw": "fixed"})
    assert table.state.tiles == (("a", "b"), ("c", "d"), ("a", "b"), ("c", "d"))
    assert table.chance.draws == 0


def test_what_was_drawn_is_counted_as_drawn() -> None:
    """So that a log knows its next draw number without drawing."""
    for options in ({}, {"tile_draw": "ad-bc"}, {"tile_draw": "fixed"}):
        table = Table(GAME, seats=2, options=options)
        start = GAME.start(table.options, 2)
        assert sum(GAME.draws(start, event) for event in table.dealt) == table.chance.draws


# ── Laying ──────────────────────────────────────────────────────────────────────────────────────


def test_all_lay_at_once_and_the_last_one_shows_the_board() -> None:
    """Until then nobody but the own side knows what lies."""
    table = Table(GAME, seats=2, options={"tile_draw": "fixed"})
    assert GAME.to_act(table.state) == (0, 1)
    assert kinds(table.when(1, unturned("c", "d"))) == ["tiles_laid"]
    assert GAME.to_act(table.state) == (0,)
    assert seen(table, seat_viewer(0))["laid"] == [[], None]
    assert seen(table, seat_viewer(0))["tiles"] == [["a", "b"], None]
    events = table.when(0, unturned("b", "a"))
    assert kinds(events) == ["tiles_laid", "board_revealed"]
    assert table.state.phase == "setup"
    assert seen(table, SPECTATOR)["laid"][1] == [{"tile": "c", "turn": 0}, {"tile": "d", "turn": 0}]


def test_a_seat_lays_what_it_has_drawn() -> None:
    """Both tiles, in either order, no others and none twice."""
    table = Table(GAME, seats=2, options={"tile_draw": "fixed"})
    for tiles in (("c", "d"), ("a",), ("a", "a"), ("a", "c")):
        assert table.refusal(0, unturned(*tiles)) == "tile-choice"
    assert table.refusal(0, unturned("b", "a")) is None


def test_two_tiles_alike_are_laid_in_sixteen_ways() -> None:
    """Their order makes no difference."""
    table = Table(GAME, seats=4).given(tiles=(("a", "a"), ("b",), ("c", "d"), ("b", "a")))
    assert [len(table.legal(seat)) for seat in range(4)] == [16, 4, 32, 32]


def test_ways_to_lay_come_by_tile_then_turn() -> None:
    """Of the first tile, then of the second."""
    forms = Table(GAME, seats=2, options={"tile_draw": "fixed"}).legal(0)
    assert forms == sorted(forms, key=lambda c: [(t.tile, t.turn) for t in c.tiles])  # type: ignore[attr-defined]
    assert forms[1] == LayTiles((LaidTile("a", 0), LaidTile("b", 90)))


def test_what_is_dealt_and_laid_is_the_sides() -> None:
    """A partner is told, enemies and spectators are not; the board is everybody's."""
    dealt, laying = TilesDealt((("a",), ("b",), ("c",), ("d",))), TilesLaid(2, (LaidTile("a", 90),))
    assert told(dealt, seat_viewer(2))["tiles"] == [["a"], None, ["c"], None]
    assert told(dealt, SPECTATOR)["tiles"] == [None] * 4
    assert told(laying, seat_viewer(0))["tiles"] == [{"tile": "a", "turn": 90}]
    assert told(laying, seat_viewer(1))["tiles"] is None
    assert told(BoardRevealed(((), ()), ("L",)), SPECTATOR)["board"] == ["L"]


@pytest.mark.parametrize(
    "tiles",
    [[], [{"tile": "a", "turn": 0}] * 3, [{"tile": "a", "turn": 45}], [{"tile": "e", "turn": 0}]],
)
def test_tiles_of_another_shape_are_no_command(tiles: Any) -> None:
    """One or two, a to d, quarter turns."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"type": "lay_tiles", "tiles": tiles}, LayTiles)


# ── Options ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("options", "seats", "paths"),
    [
        ({"board": "column"}, 4, ["options.board"]),
        ({"board": "six"}, 2, ["options.board"]),
        ({"board": "six", "tile_draw": "fixed"}, 4, ["options.tile_draw"]),
        ({"first": 2}, 2, ["options.first"]),
        ({"first": -1}, 4, ["options.first"]),
        ({"no_progress_limit": 0}, 2, ["options.no_progress_limit"]),
        ({"reserve": ["tri", "tri"]}, 2, ["options.reserve"]),
        ({"reserve": ["tri", "nest", "tri"]}, 2, ["options.reserve[1]"]),
        ({"reserve": ["tyra-7", "tri", "tyra-7"]}, 2, ["options.reserve[2]"]),
        ({"reserve": ["culak", "blitz", "ghost"]}, 2, [f"options.reserve[{n}]" for n in range(3)]),
        ({"reserve": ["dilo"] * 3}, 2, ["options.reserve[2]"]),
    ],
    ids=str,
)
def test_options_that_cannot_be_played_are_named(
    options: dict[str, Any], seats: int, paths: list[str]
) -> None:
    """Each by its path."""
    assert list(errors(options, seats)) == paths


def test_a_seat_that_there_is_not_is_told_which_there_are() -> None:
    """Of the match, not of the game."""
    assert errors({"first": 2}, 2) == {"options.first": "must be a seat, 0 to 1, not 2"}
    assert errors({"first": -1}, 4) == {"options.first": "must be a seat, 0 to 3, not -1"}


def test_a_reserve_with_more_than_a_set_has_is_told_how_many_that_are() -> None:
    """There are two dilos in each."""
    assert errors({"reserve": ["dilo"] * 3}, 2) == {
        "options.reserve[2]": "a set has no more than 2 dilo"
    }


def faces(**changed: list[str]) -> dict[str, Any]:
    """Options with some tiles' faces changed."""
    shown = {tile: list(getattr(FACES, tile)) for tile in TILES}
    return {"tiles": shown | changed}


def test_tiles_have_seven_rows_of_seven_and_the_printed_land() -> None:
    """What is wrong is named by its row, or by its tile."""
    a = list(FACES.a)
    assert errors(faces(a=a)) == {}
    assert list(errors(faces(a=a[1:]))) == ["options.tiles.a"]
    assert list(errors(faces(a=["LLLLLLX", *a[1:]]))) == ["options.tiles.a[0]"]
    assert list(errors(faces(a=["LLLLLL", *a[1:]]))) == ["options.tiles.a[0]"]
    assert errors(faces(b=list(FACES.a)))["options.tiles.b"] == "must have 30 land cells, not 32"


def placed_errors(*changes: tuple[int, dict[str, Any]], seats: int = 2, **more: Any) -> list[str]:
    """The paths of what is wrong with `PLACED` with some entries changed."""
    board = [dict(entry) for entry in PLACED]
    for index, change in changes:
        board[index] |= change
    return list(errors({"board": board, **more}, seats))


def test_placements_of_a_stepped_board_can_be_played() -> None:
    """As they stand."""
    assert placed_errors() == []


@pytest.mark.parametrize(
    ("index", "change", "path"),
    [
        (1, {"tile": "a"}, "options.board[1].tile"),
        (1, {"seat": 2}, "options.board[1].seat"),
        (2, {"seat": -1}, "options.board[2].seat"),
        (1, {"y": -1}, "options.board[1].y"),
        (0, {"x": -7}, "options.board[0].x"),
        (2, {"y": 9}, "options.board[2]"),
        (3, {"x": 3, "y": 5}, "options.board[3]"),
    ],
)
def test_a_fault_of_one_placement_is_named_by_it(
    index: int, change: dict[str, Any], path: str
) -> None:
    """Also an overlap, by the later entry."""
    assert path in placed_errors((index, change))
    assert all(found.startswith("options.board[") for found in placed_errors((index, change)))


@pytest.mark.parametrize("turn", [45, 360, -90, "90", None])
def test_a_turn_that_is_none_is_no_placement(turn: Any) -> None:
    """The closed set of turns is the schema's, with the path of the entry."""
    board = [dict(PLACED[0], turn=turn)]
    with pytest.raises(msgspec.ValidationError, match=r"board\[0\]\.turn|board\[...\]\.turn|board"):
        msgspec.convert({"board": board}, Options)


@pytest.mark.parametrize(
    "changes",
    [
        [(n, {"x": PLACED[n]["x"] + 1}) for n in range(4)],
        [(n, {"y": PLACED[n]["y"] + 2}) for n in range(4)],
        [(2, {"y": 12}), (3, {"y": 12})],
        [(2, {"x": 10**9})],
        [(2, {"seat": 0}), (3, {"seat": 0})],
    ],
    ids=["not at x 0", "not at y 0", "apart", "far apart", "no tile for a seat"],
)
def test_placements_that_make_no_board_are_refused(changes: list[tuple[int, Any]]) -> None:
    """They begin at 0, 0, adjoin each other, and everybody has one."""
    assert placed_errors(*changes) == ["options.board"]


def test_tiles_that_touch_at_a_corner_do_not_adjoin() -> None:
    """Edge to edge only."""
    board = [PLACED[0] | {"y": 0}, PLACED[2] | {"x": 7, "y": 7}]
    assert list(errors({"board": board})) == ["options.board"]


def test_no_placement_at_all_and_too_many_are_refused() -> None:
    """Two seats have four tiles, four seats eight."""
    assert list(errors({"board": []})) == ["options.board"]
    many = [dict(PLACED[0], x=7 * n) for n in range(60)]
    assert list(errors({"board": many}, 4)) == ["options.board"]


def test_one_tile_a_seat_can_be_played() -> None:
    """Fewer tiles than the rulebook's four."""
    board = [PLACED[0] | {"y": 0}, PLACED[2] | {"y": 7}]
    assert errors({"board": board}) == {}


NARROW = [
    {"tile": tile, "turn": 0, "x": x, "y": y, "seat": seat}
    for tile, x, y, seat in (("a", 0, 0, 0), ("b", 7, 0, 2), ("c", 0, 7, 1), ("d", 0, 14, 3))
]
"""Four seats; the north's two tiles lie one behind the other, and its area is on one of them."""


def lacking(**options: Any) -> list[str]:
    """What there is no room for on the narrow board."""
    given = msgspec.convert({"board": NARROW, **options}, Options)
    return [message for _path, message in setup.faults(given, 4)]


def test_a_side_needs_room_for_its_pieces() -> None:
    """Forty-eight do not stand on 42 cells; where each may hold back three they do."""
    assert lacking()[0] == "the north has no room for 48 pieces"
    assert lacking(reserve="distinct") == ["the north has no room for two nests far enough apart"]
    assert lacking(reserve="any", blank="ghost")[0] == "the north has no room for 44 pieces"
    assert lacking(hidden_setup=True) == []


def test_a_side_needs_land_for_nests_and_blitzes() -> None:
    """A cell for each nest that is no corner, and two cells of land for each set."""
    wanted = ["nests and Blitzes on land"]
    assert list(setup._lacking(Options(), 1, 42, [(3, 0)], [(3, 0)])) == wanted
    assert list(setup._lacking(Options(), 1, 42, [(0, 0), (6, 0)], [])) == wanted
    assert list(setup._lacking(Options(), 1, 42, [(0, 0), (3, 0)], [(3, 0)])) == []


def test_three_seats_are_none() -> None:
    """Two or four."""
    assert GAME.players == (2, 4)


def test_the_options_of_trials_can_be_played() -> None:
    """Whatever they are."""
    boards = set()
    for seats in (2, 4):
        for number in range(60):
            options = GAME.vary(Chance(bytes([number]) * 32, "vary", ()), seats)
            assert errors(options, seats) == {}, options
            board = options.get("board", "square")
            boards.add(board if isinstance(board, str) else len(board))
            table = Table(GAME, seats=seats, options=options)
            story = GAME.deal(At(table.state, table.by(None), table.chance))
            assert (next(story, None) is None) == (table.state.phase == "setup")
    assert boards == {"square", "column", "six", 2, 4, 8}
