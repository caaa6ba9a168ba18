"""Before the match: options judged, the first state, tiles drawn and laid, options for trials."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, Final

from msgspec.structs import asdict

from referee.core.game import At, Steps
from referee.core.randomness import Chance
from referee.games.giganten import events
from referee.games.giganten.boards import DRAWN, SIZE, Shape, Spot, drawn, ground, placed, turned
from referee.games.giganten.boards import terrain as terrain_of
from referee.games.giganten.types import (
    DINOSAURS,
    IN_A_SET,
    RESERVE,
    TEAMS,
    TILES,
    Cell,
    Faces,
    Kind,
    LaidTile,
    Options,
    Placement,
    State,
    Tile,
    Turn,
    side_of,
)

Fault = tuple[str, str]

LAND: Final = {"a": 32, "b": 30, "c": 27, "d": 26}
"""The printed numbers of land cells."""

NEST_GAP: Final = 8
"""The x or the y of a team's nests differ by so much: seven cells lie between."""

TURNS: Final[tuple[Turn, ...]] = (0, 90, 180, 270)
_TURNED_ROUND: Final = 180


# ── Options ─────────────────────────────────────────────────────────────────────────────────────


def faults(options: Options, seats: int) -> Iterator[Fault]:
    """What is wrong with options besides their bounds; `seats` 2 or 4."""
    yield from _tile_faults(options.tiles)
    yield from _reserve_faults(options)
    if isinstance(options.board, tuple):
        yield from _placement_faults(options, seats)
    else:
        yield from _drawn_faults(options.board, options.tile_draw, seats)


def _tile_faults(faces: Faces) -> Iterator[Fault]:
    for tile, wanted in LAND.items():
        face = getattr(faces, tile)
        land = "".join(face).count("L")
        if _is_whole(face) and land != wanted:
            yield f"options.tiles.{tile}", f"must have {wanted} land cells, not {land}"


def _is_whole(face: Sequence[str]) -> bool:
    return len(face) == SIZE and all(len(row) == SIZE and set(row) <= {"L", "S"} for row in face)


def _reserve_faults(options: Options) -> Iterator[Fault]:
    if not isinstance(options.reserve, tuple):
        return
    for index, kind in enumerate(options.reserve):
        before = options.reserve[:index].count(kind)
        if kind not in DINOSAURS:
            yield f"options.reserve[{index}]", f"must be a dinosaur, and {kind} is none"
        elif before >= IN_A_SET[kind]:
            yield f"options.reserve[{index}]", f"a set has no more than {before} {kind}"


def _drawn_faults(board: str, tile_draw: str, seats: int) -> Iterator[Fault]:
    if (board, seats) not in DRAWN:
        yield "options.board", f"{board} is not for {seats} seats"
    if board == "six" and tile_draw != "single":
        yield "options.tile_draw", "must be single where seats have one tile or two"


def _placement_faults(options: Options, seats: int) -> Iterator[Fault]:
    board = options.board
    assert isinstance(board, tuple)  # noqa: S101 -- asked of placements alone
    most = len(TILES) * seats // 2
    if len(board) > most:
        yield "options.board", f"must be at most {most} tiles, not {len(board)}"
        return
    wrong = list(_entry_faults(board, seats)) or list(_whole_faults(board, seats))
    yield from wrong
    if not wrong and all(_is_whole(getattr(options.tiles, tile)) for tile in TILES):
        yield from _room_faults(options, board, seats)


def _entry_faults(board: tuple[Placement, ...], seats: int) -> Iterator[Fault]:
    for index, entry in enumerate(board):
        path, earlier = f"options.board[{index}]", board[:index]
        for axis in ("x", "y"):
            if getattr(entry, axis) < 0:
                yield f"{path}.{axis}", "must be 0 or more"
        if not 0 <= entry.seat < seats:
            yield f"{path}.seat", f"must be a seat, 0 to {seats - 1}, not {entry.seat}"
        if sum(other.tile == entry.tile for other in earlier) >= seats // 2:
            yield f"{path}.tile", f"there are no more tiles {entry.tile}"
        for other, before in enumerate(earlier):
            if _apart(entry, before) == (False, False):
                yield path, f"lies on the tile of options.board[{other}]"


def _apart(one: Placement, other: Placement) -> tuple[bool, bool]:
    """Whether two tiles have no x, and no y, in common."""
    return abs(one.x - other.x) >= SIZE, abs(one.y - other.y) >= SIZE


def _adjoin(one: Placement, other: Placement) -> bool:
    """Whether two tiles that do not overlap lie edge to edge."""
    gaps = abs(one.x - other.x), abs(one.y - other.y)
    return max(gaps) == SIZE and min(gaps) < SIZE


def _whole_faults(board: tuple[Placement, ...], seats: int) -> Iterator[Fault]:
    without = sorted(set(range(seats)) - {entry.seat for entry in board})
    if without:
        yield "options.board", f"seat {without[0]} has no tile"
        return
    if min(entry.x for entry in board) or min(entry.y for entry in board):
        yield "options.board", "must begin at x 0 and y 0"
    if not _is_connected(board):
        yield "options.board", "must be one board, its tiles edge to edge"


def _is_connected(board: tuple[Placement, ...]) -> bool:
    reached, waiting = [board[0]], list(board[1:])
    for entry in reached:
        joined = [other for other in waiting if _adjoin(entry, other)]
        reached += joined
        waiting = [other for other in waiting if other not in joined]
    return not waiting


def _room_faults(options: Options, board: tuple[Placement, ...], seats: int) -> Iterator[Fault]:
    shape = placed(board)
    rows = ground_of(options, shape, board)
    for side, name in enumerate(("south", "north")):
        area = area_of(options, shape, side)
        land = [cell for cell in area if terrain_of(rows, cell) == "L"]
        nests = [cell for cell in land if cell not in shape.corners]
        yield from (
            ("options.board", f"the {name} has no room for {wanted}")
            for wanted in _lacking(options, seats // 2, len(area), land, nests)
        )


def _lacking(
    options: Options, sets: int, cells: int, land: list[Cell], nests: list[Cell]
) -> Iterator[str]:
    least = sets * least_on_board(options)
    if cells < least:
        yield f"{least} pieces"
    if not nests or len(land) < 2 * sets:
        yield "nests and Blitzes on land"
    elif sets > 1 and not any(far_apart(one, other) for one, other in combinations(nests, 2)):
        yield "two nests far enough apart"


def far_apart(nest: Cell, other: Cell) -> bool:
    """Ruling `setup-nest-distance`: seven cells lie between two nests of a team."""
    return max(abs(nest[0] - other[0]), abs(nest[1] - other[1])) >= NEST_GAP


# ── What follows from the options ───────────────────────────────────────────────────────────────


def set_of(options: Options) -> Counter[Kind]:
    """How many of each kind a seat has."""
    blank: dict[Kind, int] = {} if options.blank == "none" else {options.blank: 1}
    return Counter({**IN_A_SET, **blank})


def least_on_board(options: Options) -> int:
    """How many pieces a seat sets up at least: three less where it may hold back a reserve."""
    return set_of(options).total() - (RESERVE if options.reserve != "none" else 0)


def area_of(options: Options, shape: Shape, side: int) -> tuple[Cell, ...]:
    """Where a side sets up: six rows, its whole half behind a screen."""
    return (shape.halves if options.hidden_setup else shape.areas)[side]


def shape_of(options: Options, seats: int) -> Shape:
    """The board's shape, drawn or of placements."""
    board = options.board
    return placed(board) if isinstance(board, tuple) else drawn(board, seats)


def ground_of(
    options: Options, shape: Shape, tiles: Iterable[LaidTile | Placement]
) -> tuple[str, ...]:
    """The board's rows: `tiles` one for each spot of the shape.

    What the north has laid is turned round; placements are turned as the south sees them.
    """
    spots = zip(shape.spots, tiles, strict=True)
    return ground(shape, ((spot, face_of(options, spot, tile)) for spot, tile in spots))


def face_of(options: Options, spot: Spot, tile: LaidTile | Placement) -> tuple[str, ...]:
    """The face of a tile as the south sees it where it lies."""
    is_turned_round = isinstance(tile, LaidTile) and side_of(spot.seat)
    turn = tile.turn + (_TURNED_ROUND if is_turned_round else 0)
    return turned(getattr(options.tiles, tile.tile), turn)


# ── The beginning ───────────────────────────────────────────────────────────────────────────────


def start(options: Options, seats: int) -> State:
    """Nothing drawn, nothing set up; a board of placements lies there already."""
    shape, board = shape_of(options, seats), options.board
    lies = isinstance(board, tuple)
    return State(
        phase="setup" if lies else "tiles",
        to_move=options.first,
        moves_made=(0,) * seats,
        tiles=((),) * seats,
        laid=((),) * seats,
        board=ground_of(options, shape, board) if isinstance(board, tuple) else None,
        reserve=((),) * seats,
        reserve_counts=(0,) * seats,
        secret_trap=(None,) * seats,
        secret_trap_known=(False,) * seats,
        lost=((),) * seats,
        out=((),) * seats,
        options=options,
        shape=shape,
        withdrawn=(False,) * seats,
        ready=(False,) * seats,
        is_out=(False,) * seats,
        grid=bytes(shape.width * shape.height),
    )


def deal(at: At[State]) -> Steps[State]:
    """The tiles come to the seats, unless they are placed already."""
    state = at.state
    if state.phase != "tiles":
        return state
    return (yield events.TilesDealt(_drawn_tiles(state, at.chance)))


def _drawn_tiles(state: State, chance: Chance) -> tuple[tuple[Tile, ...], ...]:
    seats, draw = len(state.tiles), state.options.tile_draw
    if draw == "fixed":
        return tuple(TILES[2 * side_of(seat) :][:2] for seat in range(seats))
    if draw == "single":
        return _one_by_one(
            state.shape, chance.about("the tiles").shuffle(TILES * (seats // 2)), seats
        )
    pairs: list[Any] = [tuple(pair) for pair in draw.split("-")]
    return chance.about("the pairs of tiles").shuffle(pairs * (seats // 2))


def _one_by_one(shape: Shape, tiles: Iterable[Tile], seats: int) -> tuple[tuple[Tile, ...], ...]:
    """Tiles dealt in turn to the seats that still lay one."""
    dealt: list[tuple[Tile, ...]] = [()] * seats
    rest = iter(tiles)
    for nth in range(2):
        for seat in range(seats):
            if len(shape.spots_of(seat)) > nth:
                dealt[seat] += (next(rest),)
    return tuple(dealt)


# ── Options for trials ──────────────────────────────────────────────────────────────────────────

SIEGE: Final = 100
"""The limit of quiet turns of trials that go on till a side has nothing left that moves."""

_WORDS: Final[dict[str, Sequence[Any]]] = {
    "tile_draw": ("single", "ad-bc", "ab-cd", "ac-bd", "fixed"),
    "first": (0, 1),
    "blank": ("ghost", "trap", "trap"),
    "trap_beside_nest": (False,),
    "trap_effect": ("hold", "return", "return"),
    "secret_trap": (True,),
    "hidden_setup": (True,),
    "double_moves": (True,),
    "no_progress_limit": (12, 40),
}


def vary(pick: Chance, seats: int) -> dict[str, Any]:
    """Random lawful options, as a client would send them: each there or left out.

    Every fourth trial is a siege on a board of a tile a seat.
    """
    varied = {name: pick.one_of(values) for name, values in _WORDS.items() if pick.below(2)}
    if pick.below(4) == 0:
        return {
            **varied,
            "board": _in_two_rows(list(_SIEGE_TILES), seats, 1, 0),
            "no_progress_limit": SIEGE,
        }
    if pick.below(2):
        varied["reserve"] = pick.one_of(("any", "distinct", _vary_reserve(pick)))
    board = _vary_board(pick, seats)
    if board == "six":
        varied["tile_draw"] = "single"
    return {**({"board": board} if board else {}), **varied}


def _vary_board(pick: Chance, seats: int) -> str | list[dict[str, Any]] | None:
    """A drawn board, one of placements, or none for the default."""
    if pick.below(3):
        return pick.one_of(["column" if seats < TEAMS else "six", None])
    tiles = [(tile, pick.one_of(TURNS)) for tile in pick.shuffle(TILES * (seats // 2))]
    return _in_two_rows(tiles, seats, 1 + pick.below(2), pick.below(SIZE))


_SIEGE_TILES: Final[list[tuple[Tile, Turn]]] = [("a", 180), ("b", 0), ("a", 180), ("c", 90)]
"""By seat a tile whose corner at the outer end of the own edge is land."""


def _in_two_rows(
    tiles: list[tuple[Tile, Turn]], seats: int, each: int, shift: int
) -> list[dict[str, Any]] | None:
    """So many tiles a seat, the north's shifted to the east; None where that cannot be played."""
    board = [
        Placement(
            *tiles.pop(0), x=SIZE * nth + shift * side, y=SIZE * side, seat=side + 2 * (nth // each)
        )
        for nth in range(seats // 2 * each)
        for side in (0, 1)
    ]
    lawful = not any(_placement_faults(Options(board=tuple(board)), seats))
    return [asdict(entry) for entry in board] if lawful else None


def _vary_reserve(pick: Chance) -> list[Kind]:
    dinosaurs = [kind for kind in DINOSAURS for _ in range(IN_A_SET[kind])]
    return list(pick.shuffle(dinosaurs)[:RESERVE])
