"""Boards: how tiles lie together, and what follows from it, worked out once a shape.

The drawn boards, `n` the tile that seat n lays first, `n'` its second, north at the top:

    square, 2 seats   column   square, 4 seats        six
    +---+---+         +--+     +---+---+---+---+      +---+---+---+
    | 1'| 1 |         |1 |     | 1'| 1 | 3'| 3 |      | 1'| 1 | 3 |
    +---+---+         +--+     +---+---+---+---+      +---+---+---+
    | 0 | 0'|         |1'|     | 0 | 0'| 2 | 2'|      | 0 | 0'| 2 |
    +---+---+         +--+     +---+---+---+---+      +---+---+---+
                      |0'|
                      +--+
                      |0 |
                      +--+

The north looks at the board from the other side: its left is the east, and what it has laid is
turned by 180 degrees.

Where tiles do not lie side by side the rim of the board has steps. Here the western two lie
three cells further north; `c` corner cells, `e` other edge cells, `o` cells within:

    16  ceeeeec          north: row 1 is y 16, its area goes down to y 11
    15  eoooooe
    14  eoooooe
    13  eooooooeeeeeec
    12  eooooooooooooe
     …
     4  eooooooooooooe
     3  ceeeeeeooooooe   south: row 4 is y 3, where its western tile begins
     2         eoooooe
     1         eoooooe
     0         ceeeeec   south: row 1 is y 0, its area goes up to y 5
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from referee.games.giganten.types import Cell, Ground, Placement

SIZE: Final = 7
"""A tile has so many cells a side."""

AREA_ROWS: Final = 6
"""Pieces are set up on so many rows, but behind a screen on the whole own half."""

_SIDES: Final = (0, 1)
_NORTH: Final = 1


class Spot(NamedTuple):
    """Where a tile lies: its south-west cell, and the seat whose tile it is."""

    x: int
    y: int
    seat: int

    def cells(self) -> Iterable[Cell]:
        """The cells of a tile that lies there."""
        return ((x, y) for y in range(self.y, self.y + SIZE) for x in range(self.x, self.x + SIZE))


DRAWN: Final[dict[tuple[str, int], tuple[Spot, ...]]] = {
    ("square", 2): (Spot(0, 0, 0), Spot(7, 0, 0), Spot(7, 7, 1), Spot(0, 7, 1)),
    ("column", 2): (Spot(0, 0, 0), Spot(0, 7, 0), Spot(0, 21, 1), Spot(0, 14, 1)),
    ("square", 4): (
        Spot(0, 0, 0), Spot(7, 0, 0), Spot(7, 7, 1), Spot(0, 7, 1),
        Spot(14, 0, 2), Spot(21, 0, 2), Spot(21, 7, 3), Spot(14, 7, 3),
    ),
    ("six", 4): (
        Spot(0, 0, 0), Spot(7, 0, 0), Spot(7, 7, 1), Spot(0, 7, 1),
        Spot(14, 0, 2), Spot(14, 7, 3),
    ),
}  # fmt: skip
"""By board and number of seats, a seat's tiles in the order in which it lays them."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a board is but for its ground; two of the same spots are the same.

    `cells` by y, then x; `index`: each cell's number in a grid of `width` by `height`; `beside`:
    its neighbours on the board, not diagonal, by y, then x. By side: `halves`, the cells of its
    tiles; `areas`, those of its first six rows; `first_rows`; `rims`, its edge cells.
    """

    spots: tuple[Spot, ...]
    width: int = field(compare=False)
    height: int = field(compare=False)
    cells: tuple[Cell, ...] = field(compare=False, repr=False)
    index: dict[Cell, int] = field(compare=False, repr=False)
    beside: dict[Cell, tuple[Cell, ...]] = field(compare=False, repr=False)
    corners: frozenset[Cell] = field(compare=False, repr=False)
    halves: tuple[tuple[Cell, ...], ...] = field(compare=False, repr=False)
    areas: tuple[tuple[Cell, ...], ...] = field(compare=False, repr=False)
    first_rows: tuple[tuple[Cell, ...], ...] = field(compare=False, repr=False)
    rims: tuple[tuple[Cell, ...], ...] = field(compare=False, repr=False)

    def spots_of(self, seat: int) -> tuple[Spot, ...]:
        """Where a seat's tiles lie, in the order in which it lays them."""
        return tuple(spot for spot in self.spots if spot.seat == seat)


def drawn(board: str, seats: int) -> Shape:
    """The shape of a drawn board; `KeyError` where there is none for that number of seats."""
    return shaped(DRAWN[board, seats])


def placed(placements: Iterable[Placement]) -> Shape:
    """The shape that placements make; they must make one board."""
    return shaped(tuple(Spot(one.x, one.y, one.seat) for one in placements))


@lru_cache(maxsize=64)
def shaped(spots: tuple[Spot, ...]) -> Shape:
    """All that follows from where the tiles lie."""
    halves = tuple(
        _in_order(cell for spot in spots if spot.seat % 2 == side for cell in spot.cells())
        for side in _SIDES
    )
    cells = _in_order(cell for half in halves for cell in half)
    width, height = (1 + max(cell[axis] for cell in cells) for axis in (0, 1))
    on_board = frozenset(cells)
    beside = {cell: tuple(filter(on_board.__contains__, neighbours(cell))) for cell in cells}
    return Shape(
        spots=spots,
        width=width,
        height=height,
        cells=cells,
        index={(x, y): y * width + x for x, y in cells},
        beside=beside,
        corners=frozenset(cell for cell in cells if _is_corner(cell, beside[cell])),
        halves=halves,
        areas=tuple(_first_rows(half, side, AREA_ROWS) for side, half in enumerate(halves)),
        first_rows=tuple(_first_rows(half, side, 1) for side, half in enumerate(halves)),
        rims=tuple(tuple(cell for cell in half if _lacks(cell, beside[cell])) for half in halves),
    )


def _in_order(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    return tuple(sorted(cells, key=by_row))


def named(cell: Cell) -> str:
    """A cell as sentences have it.

    >>> named((3, 5))
    '[3, 5]'
    """
    return f"[{cell[0]}, {cell[1]}]"


def by_row(cell: Cell) -> Cell:
    """A key by which cells come by y, then x."""
    return cell[1], cell[0]


def neighbours(cell: Cell) -> tuple[Cell, ...]:
    """The four cells beside one, by y, then x, on a board or not."""
    x, y = cell
    return (x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)


def _lacks(cell: Cell, beside: Sequence[Cell]) -> list[Cell]:
    """The neighbours that a cell would have if the board went on."""
    return [other for other in neighbours(cell) if other not in beside]


def _is_corner(cell: Cell, beside: Sequence[Cell]) -> bool:
    """It lacks a neighbour both east or west and north or south."""
    lacking = _lacks(cell, beside)
    return any(x == cell[0] for x, _y in lacking) and any(y == cell[1] for _x, y in lacking)


def _first_rows(half: tuple[Cell, ...], side: int, count: int) -> tuple[Cell, ...]:
    """The cells of so many rows of a half, counted from the side's own edge.

    Row k is the k-th y on which the half has cells at all.
    """
    rows = sorted({y for _x, y in half}, reverse=side == _NORTH)[:count]
    return tuple(cell for cell in half if cell[1] in rows)


# ── Ground ──────────────────────────────────────────────────────────────────────────────────────


def turned(face: Sequence[str], turn: int) -> tuple[str, ...]:
    """A face turned clockwise by 0, 90, 180 or 270 degrees.

    >>> turned(("ab", "cd"), 90)
    ('ca', 'db')
    """
    rows = tuple(face)
    for _quarter in range(turn // 90 % 4):
        rows = tuple(map("".join, zip(*reversed(rows), strict=True)))
    return rows


def ground(shape: Shape, tiles: Iterable[tuple[Spot, Sequence[str]]]) -> tuple[str, ...]:
    """The board's rows, the north row first: `L`, `S`, and `.` where there is no cell.

    `tiles`: for each where it lies, and its face as the south sees it there.
    """
    rows = [["."] * shape.width for _ in range(shape.height)]
    for spot, face in tiles:
        for south, line in enumerate(reversed(face)):
            rows[spot.y + south][spot.x : spot.x + SIZE] = line
    return tuple("".join(row) for row in reversed(rows))


def terrain(board: Sequence[str], cell: Cell) -> Ground:
    """The ground of a cell that is on the board: `L` or `S`."""
    x, y = cell
    return board[len(board) - 1 - y][x]  # type: ignore[return-value]
