"""What a match of Giganten is made of: options, state and commands.

A cell is `(x, y)`, x from the west, y from the south, both from 0. Seats 0 and 2 are the south
and go north, 1 and 3 are the north and go south; a side is a seat, of four seats a team.
Everything "by seat" is a tuple with one entry a seat.
"""

from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from referee.core.bounds import at_least, bounded, seat_number, so_many
from referee.core.game import Command, GameState
from referee.core.visibility import Internal, Public, Scope, entries_seen_if, listed_if, seen_if
from referee.games.giganten.boards import SIZE, Shape, terrain

Cell: TypeAlias = tuple[int, int]
Kind: TypeAlias = Literal[
    "tyra-7", "tyra-6", "tri", "dilo", "stego", "docus", "deino-2", "deino-1", "flug",
    "blitz", "nest", "culak", "ghost", "trap",
]  # fmt: skip
Tile: TypeAlias = Literal["a", "b", "c", "d"]
Turn: TypeAlias = Literal[0, 90, 180, 270]
Ground: TypeAlias = Literal["L", "S"]
Phase: TypeAlias = Literal["tiles", "setup", "play", "advance", "over"]
TrapEffect: TypeAlias = Literal["remove", "hold", "return"]
FightOutcome: TypeAlias = Literal["challenger", "defender", "draw", "both-lost"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""In the order in which lists and commands have them."""

TILES: Final[tuple[Tile, ...]] = get_args(Tile)

IN_A_SET: Final[dict[Kind, int]] = {
    "tyra-7": 1, "tyra-6": 1, "tri": 3, "dilo": 2, "stego": 5, "docus": 2, "deino-2": 1,
    "deino-1": 1, "flug": 5, "blitz": 1, "nest": 1, "culak": 1,
}  # fmt: skip
"""How many of each kind a set has, the blank not counted."""

DINOSAURS: Final[tuple[Kind, ...]] = KINDS[: KINDS.index("flug") + 1]
"""What may be held back as a reserve: no nest, Blitz, Culak or blank."""

TEAMS: Final = 4
"""Of so many seats two and two are a side."""

RESERVE: Final = 3
"""So many are held back, or none."""

_IDS: Final = range(1, 256)
"""Ids that there could be: no match has more than a hundred pieces."""


# ── Options ─────────────────────────────────────────────────────────────────────────────────────


class Placement(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A tile of a board of one's own: its south-west cell, its turn clockwise, whose half it is."""

    tile: Tile
    turn: Turn
    x: int
    y: int
    seat: int


def _row(row: str, _seats: int) -> str | None:
    fits = len(row) == SIZE and set(row) <= {"L", "S"}
    return None if fits else f"must be {SIZE} letters L or S"


Row: TypeAlias = Annotated[str, bounded(_row, pattern=f"^[LS]{{{SIZE}}}$")]
Face: TypeAlias = Annotated[tuple[Row, ...], so_many(SIZE)]


class Faces(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The four tiles: seven rows of seven `L` (land) and `S` (swamp) each, the north row first."""

    a: Face
    b: Face
    c: Face
    d: Face


_DRAWN_FACES: Final = """
   a        b        c        d
LLLLLLL  LLLLLSS  LLLLLSS  LLLSSSS
LLLLLLL  LLLLLSS  LLLLLSS  SLLLSSS
LLLSSSS  LLLLSSS  LSLLLLL  SSSLLLL
LLLSSSS  LLLLSSS  SSSSLLL  SSSLLLL
LLLSSSS  LLLLLSS  SSLLSLL  SSSLLLL
SLLLSSS  LLLSLSS  SSSSSLL  SSSLLLL
SLLLLLL  LSSSLLS  SSSSSLL  SSSLLLL
"""
FACES: Final = Faces(
    *zip(*(line.split() for line in _DRAWN_FACES.strip().splitlines()[1:]), strict=True)
)
"""House faces with the printed numbers of land cells: the printed ones are lost."""


class Options(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What an organizer may choose.

    `board`: how the tiles lie, or placements of one's own; `tile_draw`: how they come to the
    seats; `tiles`: their faces; `first`: the seat that moves first; `blank`: what the 25th piece
    is; `reserve`: three held back, freely, of different kinds, or these; `no_progress_limit`:
    after so many quiet turns, from 1, the match is drawn.
    """

    board: Literal["square", "column", "six"] | tuple[Placement, ...] = "square"
    tile_draw: Literal["single", "ad-bc", "ab-cd", "ac-bd", "fixed"] = "single"
    tiles: Faces = FACES
    first: Annotated[int, seat_number(4)] = 0
    blank: Literal["none", "ghost", "trap"] = "none"
    trap_beside_nest: bool = True
    trap_effect: TrapEffect = "remove"
    secret_trap: bool = False
    reserve: Literal["none", "any", "distinct"] | Annotated[tuple[Kind, ...], so_many(RESERVE)] = (
        "none"
    )
    hidden_setup: bool = False
    double_moves: bool = False
    no_progress_limit: Annotated[int, at_least(1)] | None = None


# ── Who sees what ───────────────────────────────────────────────────────────────────────────────


def side_of(seat: int) -> int:
    """The side of a seat: 0 the south, 1 the north."""
    return seat % 2


def partner_of(seat: int, seats: int) -> int:
    """The other seat of a seat's side; of two seats a seat itself.

    >>> partner_of(1, 4), partner_of(1, 2)
    (3, 1)
    """
    return (seat + 2) % seats


def sees_side(scope: Scope, seat: int) -> bool:
    """Whether the viewer sits at the side of a seat."""
    viewer = scope.viewer.seat
    return viewer is not None and side_of(viewer) == side_of(seat)


def _is_over(scope: Scope) -> bool:
    return scope.finished or bool(scope.state.phase == "over")


def _sees_kind(piece: Any, scope: Scope) -> bool:
    return sees_side(scope, piece.seat) or bool(piece.known) or _is_over(scope)


def _sees_entry_of_side(_state: Any, scope: Scope, seat: int) -> bool:
    return sees_side(scope, seat) or _is_over(scope)


def _sees_laid(state: Any, scope: Scope, seat: int) -> bool:
    return state.board is not None or _sees_entry_of_side(state, scope, seat)


def _is_behind_the_screen(state: Any) -> bool:
    """With a hidden set-up nobody sees what the other side does until all are ready."""
    return bool(state.options.hidden_setup and state.phase in ("tiles", "setup"))


def _sees_piece(state: Any, scope: Scope, index: int) -> bool:
    if not _is_behind_the_screen(state):
        return True
    return scope.finished or sees_side(scope, state.pieces[index].seat)


def _sees_count(state: Any, scope: Scope, seat: int) -> bool:
    return not _is_behind_the_screen(state) or scope.finished or sees_side(scope, seat)


def _sees_secret_trap(state: Any, scope: Scope, seat: int) -> bool:
    is_own = scope.viewer.seat == seat
    return is_own or bool(state.secret_trap_known[seat]) or _is_over(scope)


SideEntry = entries_seen_if(_sees_entry_of_side)


# ── State ───────────────────────────────────────────────────────────────────────────────────────


class LaidTile(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A tile as a seat lays it: turned clockwise as the seat sees it."""

    tile: Public[Tile]
    turn: Public[Turn]


class Piece(Struct, frozen=True, gc=False):
    """A piece on the board.

    `id`: None until all set-ups are in; `held`: for so many of its owner's moves it may not go;
    `known`: a trap that has sprung.
    """

    id: Public[int | None]
    seat: Public[int]
    kind: Annotated[Kind, seen_if(_sees_kind)]
    at: Public[Cell]
    held: Public[int] = 0
    known: Public[bool] = False


class Waiting(Struct, frozen=True, gc=False):
    """A piece that a trap has sent off the board and that may come back."""

    id: Public[int]
    kind: Public[Kind]


class Pending(Struct, frozen=True, gc=False):
    """The winner of a fight, asked whether it steps into the cell just emptied."""

    winner: Public[int]
    to: Public[Cell]


class End(Struct, frozen=True, gc=False):
    """How a match ended: the side that won, None for a draw; by a withdrawal or not."""

    winner: int | None
    withdrawal: bool = False


class State(GameState, frozen=True, gc=False, kw_only=True):
    """Everything about a match; the page's keys in the page's order, then bookkeeping.

    `pieces` by id, before play by seat, y, x; `board`: the north row first. `ready`: who has set
    up; `is_out`: who has withdrawn or has no piece left; `may_double`: whether double moves were
    allowed as the turn began; `fight`: the last fight's winner and the cell it may step into;
    `ids`: the ids of `pieces`; `grid`: the id on each cell of `shape`, 0 for none.
    """

    phase: Public[Phase]
    turn: Public[int] = 1
    to_move: Public[int]
    moves_made: Public[tuple[int, ...]]
    quiet_turns: Public[int] = 0
    tiles: Annotated[tuple[tuple[Tile, ...], ...], SideEntry]
    laid: Annotated[tuple[tuple[LaidTile, ...], ...], entries_seen_if(_sees_laid)]
    board: Public[tuple[str, ...] | None]
    pieces: Annotated[tuple[Piece, ...], listed_if(_sees_piece)] = ()
    reserve: Annotated[tuple[tuple[Kind, ...], ...], SideEntry]
    reserve_counts: Annotated[tuple[int, ...], entries_seen_if(_sees_count)]
    brought_in: Public[tuple[int, ...]] = ()
    secret_trap: Annotated[tuple[Cell | None, ...], entries_seen_if(_sees_secret_trap)]
    secret_trap_known: Public[tuple[bool, ...]]
    lost: Public[tuple[tuple[Kind, ...], ...]]
    out: Public[tuple[tuple[Waiting, ...], ...]]
    pending: Public[Pending | None] = None
    options: Internal[Options]
    shape: Internal[Shape]
    withdrawn: Internal[tuple[bool, ...]]
    ready: Internal[tuple[bool, ...]]
    is_out: Internal[tuple[bool, ...]]
    may_double: Internal[bool] = False
    fight: Internal[Pending | None] = None
    end: Internal[End | None] = None
    ids: Internal[bytes] = b""
    grid: Internal[bytes]

    def standing(self, piece: int) -> Piece | None:
        """The piece with that id, where it is on the board."""
        place = self.ids.find(piece) if piece in _IDS else -1
        return self.pieces[place] if place >= 0 else None

    def the_piece(self, piece: int) -> Piece:
        """The piece with that id, which is on the board."""
        return self.pieces[self.ids.index(piece)]

    def ground(self, cell: Cell) -> Ground:
        """The ground of a cell, once the board lies there: `L` or `S`."""
        return terrain(self.board or (), cell)

    def occupant(self, cell: Cell) -> Piece | None:
        """Who stands on a cell in play; None also where there is no such cell."""
        place = self.shape.index.get(cell)
        piece = self.grid[place] if place is not None else 0
        return self.the_piece(piece) if piece else None


# ── Commands ────────────────────────────────────────────────────────────────────────────────────


class LayTiles(Command, frozen=True):
    """Lay the tiles drawn, as the seat sees its half: the left one first, the near one first."""

    tiles: Annotated[tuple[LaidTile, ...], Meta(min_length=1, max_length=2)]


class PlacedPiece(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A piece where it is set up."""

    kind: Kind
    at: Cell


class SetUp(Command, frozen=True):
    """Set up the whole set, in any order, but for a reserve; note a secret trap."""

    pieces: tuple[PlacedPiece, ...]
    reserve: tuple[Kind, ...] | UnsetType = UNSET
    secret_trap: Cell | UnsetType = UNSET


class Move(Command, frozen=True):
    """Move a piece, and perhaps challenge an enemy's on a cell."""

    piece: int
    to: Cell
    challenge: Cell | UnsetType = UNSET


class Step(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Where one piece of a double move goes."""

    piece: int
    to: Cell


class Challenge(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Which of the moved pieces challenges, and the cell of the challenged."""

    piece: int
    at: Cell


class DoubleMove(Command, frozen=True):
    """Move one piece two cells, or two pieces one cell each in this order."""

    moves: Annotated[tuple[Step, ...], Meta(min_length=1, max_length=2)]
    challenge: Challenge | UnsetType = UNSET


class BringIn(Command, frozen=True):
    """Bring in a piece of the reserve before the turn's move."""

    kind: Kind
    at: Cell


class ReturnPiece(Command, frozen=True):
    """Put a piece that waits back onto the board: the whole turn."""

    kind: Kind
    at: Cell


class EndTurn(Command, frozen=True):
    """No move after bringing in."""


class Advance(Command, frozen=True):
    """Whether the winner steps into the cell just emptied."""

    go: bool
