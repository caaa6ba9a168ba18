"""The rulings of a turn.

A Flug that goes more than one cell along a line is a scout; every other move is a step. Double
moves are judged step by step, the second after the first.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from referee.core.game import Asker
from referee.core.ruling import ruling
from referee.games.giganten.boards import named, neighbours
from referee.games.giganten.fights import CHALLENGERS
from referee.games.giganten.types import (
    BringIn,
    Cell,
    DoubleMove,
    EndTurn,
    Move,
    Piece,
    ReturnPiece,
    State,
    Step,
    side_of,
)

RESERVE_TURN: Final = 3
"""From this turn of a seat on its reserve may come."""

_NEVER_MOVE: Final = ("nest", "trap")


# ── Cells and ways ──────────────────────────────────────────────────────────────────────────────


def is_empty(state: State, cell: Cell) -> bool:
    """Whether it is a cell of the board on which nobody stands."""
    place = state.shape.index.get(cell)
    return place is not None and not state.grid[place]


def is_beside(one: Cell, other: Cell) -> bool:
    """One cell apart, not diagonally."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def forward(seat: int) -> int:
    """By how much y grows when a seat goes forward."""
    return -1 if side_of(seat) else 1


def is_enemy(state: State, seat: int, cell: Cell) -> bool:
    """Whether a piece of the other side stands on a cell."""
    piece = state.occupant(cell)
    return piece is not None and side_of(piece.seat) != side_of(seat)


def flight(piece: Piece, to: Cell) -> Cell | None:
    """The direction in which a Flug flies as a scout; None for what is no flight.

    It goes more than one cell along a line or a diagonal.
    """
    if piece.kind != "flug":
        return None
    east, north = to[0] - piece.at[0], to[1] - piece.at[1]
    far = max(abs(east), abs(north))
    if far <= 1 or (east and north and abs(east) != abs(north)):
        return None
    return east // far, north // far


def _flown_over(piece: Piece, to: Cell, line: Cell) -> Iterator[Cell]:
    """The cells between a scout and its landing."""
    x, y = piece.at[0] + line[0], piece.at[1] + line[1]
    while (x, y) != to:
        yield x, y
        x, y = x + line[0], y + line[1]


# ── Rulings on a move ───────────────────────────────────────────────────────────────────────────


def _not_own(seat: int, number: int, piece: Piece | None) -> str | None:
    if piece is None:
        return f"No piece {number} is on the board."
    return None if piece.seat == seat else f"Piece {number} is not seat {seat}'s."


def _not_empty(state: State, cell: Cell) -> str | None:
    place = state.shape.index.get(cell)
    if place is None:
        return f"{named(cell)} is no cell of the board."
    return f"Somebody stands on {named(cell)}." if state.grid[place] else None


def _no_step(at: Cell, to: Cell) -> str | None:
    return None if is_beside(at, to) else f"{named(to)} is not one cell straight from {named(at)}."


@ruling("one-step")
def one_step(state: State, by: Asker, command: Move) -> str | None:
    """An own piece, one cell, not diagonally, onto an empty cell; a scout's way is another's."""
    piece = state.standing(command.piece)
    wrong = _not_own(by.own, command.piece, piece) or _not_empty(state, command.to)
    if wrong or piece is None or flight(piece, command.to):
        return wrong
    return _no_step(piece.at, command.to)


@ruling("blitz-move")
def blitz_keeps_back(state: State, _by: Asker, command: Move) -> str | None:
    """Blitz never forward, never into swamp."""
    piece = state.standing(command.piece)
    return None if piece is None else _no_way_of_blitz(state, piece, piece.at, command.to)


def _no_way_of_blitz(state: State, piece: Piece, at: Cell, to: Cell) -> str | None:
    if piece.kind != "blitz":
        return None
    if (to[1] - at[1]) * forward(piece.seat) > 0:
        return f"{named(to)} is forward, where Blitz never goes."
    if state.ground(to) != "L":
        return f"{named(to)} is swamp, where Blitz never goes."
    return None


@ruling("immobile-piece")
def may_go(state: State, _by: Asker, command: Move) -> str | None:
    """No nest, no trap, nobody who is held."""
    return held_back(state.standing(command.piece))


def held_back(piece: Piece | None) -> str | None:
    """Why a piece cannot go at all, None where it can."""
    if piece is None:
        return None
    if piece.kind in _NEVER_MOVE:
        return f"Piece {piece.id} is a {piece.kind}, which never moves."
    return f"Piece {piece.id} is held for {piece.held} more of its turns." if piece.held else None


@ruling("scout")
def scout_challenges(state: State, by: Asker, command: Move) -> str | None:
    """A scout flies over empty cells, lands beside an enemy, and challenges it."""
    piece = state.standing(command.piece)
    line = flight(piece, command.to) if piece else None
    if piece is None or line is None:
        return None
    for way in _flown_over(piece, command.to, line):
        if not is_empty(state, way):
            return f"{named(way)} on the scout's way is not empty."
    cell = command.challenge
    if cell is UNSET:
        return "A scout challenges where it lands."
    if max(abs(cell[0] - command.to[0]), abs(cell[1] - command.to[1])) > 1:
        return f"{named(cell)} is not beside the scout's landing."
    return None if is_enemy(state, by.own, cell) else f"No enemy stands on {named(cell)}."


@ruling("scout-straight")
def scout_looks_straight(state: State, _by: Asker, command: Move) -> str | None:
    """After a straight flight the challenged stands ahead, left or right."""
    piece, cell = state.standing(command.piece), command.challenge
    line = flight(piece, command.to) if piece else None
    if line is None or all(line) or cell is UNSET or is_beside(command.to, cell):
        return None
    return f"{named(cell)} is neither ahead of {named(command.to)} nor at its side."


@ruling("scout-diagonal")
def scout_looks_ahead(state: State, _by: Asker, command: Move) -> str | None:
    """After a diagonal flight the challenged stands diagonally ahead."""
    piece, cell, to = state.standing(command.piece), command.challenge, command.to
    line = flight(piece, to) if piece else None
    if line is None or not all(line) or cell in (UNSET, (to[0] + line[0], to[1] + line[1])):
        return None
    return "After a diagonal flight only the enemy next on that line is challenged."


@ruling("challenge-adjacent")
def challenges_beside(state: State, by: Asker, command: Move) -> str | None:
    """Otherwise an enemy straight beside the cell moved to."""
    piece = state.standing(command.piece)
    if command.challenge is UNSET or piece is None or flight(piece, command.to):
        return None
    return _not_beside(state, by.own, command.to, command.challenge)


def _not_beside(state: State, seat: int, to: Cell, cell: Cell) -> str | None:
    if not is_beside(to, cell):
        return f"{named(cell)} is not straight beside {named(to)}."
    return None if is_enemy(state, seat, cell) else f"No enemy stands on {named(cell)}."


@ruling("cannot-challenge")
def may_challenge(state: State, _by: Asker, command: Move) -> str | None:
    """Blitz, ghost, nest and trap never challenge."""
    if command.challenge is UNSET:
        return None
    return _meek(state.standing(command.piece))


def _meek(piece: Piece | None) -> str | None:
    if piece is None or piece.kind in CHALLENGERS:
        return None
    return f"Piece {piece.id} is a {piece.kind}, which never challenges."


# ── Rulings on a double move ────────────────────────────────────────────────────────────────────


def _second_at(state: State, command: DoubleMove) -> Cell | None:
    """Where the second piece to move stands when its turn comes."""
    first, second = command.moves
    if second.piece == first.piece:
        return first.to
    piece = state.standing(second.piece)
    return piece.at if piece else None


@ruling("one-step")
def one_step_each(state: State, by: Asker, command: DoubleMove) -> str | None:
    """Each an own piece, one cell onto an empty one, the second after the first.

    One piece's two steps end on an empty cell.
    """
    first = command.moves[0]
    piece = state.standing(first.piece)
    wrong = _not_own(by.own, first.piece, piece) or _not_empty(state, first.to)
    if wrong or piece is None or len(command.moves) == 1:
        return wrong
    return _no_step(piece.at, first.to) or _no_second_step(state, by.own, command, piece.at)


def _no_second_step(state: State, seat: int, command: DoubleMove, left: Cell) -> str | None:
    first, second = command.moves
    wrong = _not_own(seat, second.piece, state.standing(second.piece))
    if wrong:
        return wrong
    if second.to == first.to:
        return f"Somebody stands on {named(second.to)}."
    if second.to != left:
        wrong = _not_empty(state, second.to)
    at = _second_at(state, command)
    return wrong or (_no_step(at, second.to) if at else None)


@ruling("blitz-move")
def blitz_keeps_back_twice(state: State, _by: Asker, command: DoubleMove) -> str | None:
    """Blitz never forward, never into swamp, on no step of a double move."""
    if len(command.moves) == 1:
        return _no_two_steps_of_blitz(state, command.moves[0])
    for step in command.moves:
        piece = state.standing(step.piece)
        if piece is None or piece.kind != "blitz":
            continue
        at = piece.at if step is command.moves[0] else _second_at(state, command)
        wrong = _no_way_of_blitz(state, piece, at or piece.at, step.to)
        if wrong:
            return wrong
    return None


def _no_two_steps_of_blitz(state: State, step: Step) -> str | None:
    piece = state.standing(step.piece)
    if piece is None or piece.kind != "blitz":
        return None
    wrong = _no_way_of_blitz(state, piece, piece.at, step.to)
    ways = _ways(state, piece.at, step.to)
    if wrong or not ways or any(_is_way_of_blitz(state, piece, way, step.to) for way in ways):
        return wrong
    return f"There is no way to {named(step.to)} that Blitz takes."


def _is_way_of_blitz(state: State, piece: Piece, way: Cell, to: Cell) -> bool:
    first = _no_way_of_blitz(state, piece, piece.at, way)
    return first is None and _no_way_of_blitz(state, piece, way, to) is None


def _ways(state: State, at: Cell, to: Cell) -> list[Cell]:
    """The empty cells by which one piece comes to another cell in two steps."""
    if at == to:
        return []
    return [way for way in neighbours(at) if is_beside(way, to) and is_empty(state, way)]


@ruling("immobile-piece")
def may_go_each(state: State, _by: Asker, command: DoubleMove) -> str | None:
    """No nest, no trap, nobody who is held."""
    for step in command.moves:
        wrong = held_back(state.standing(step.piece))
        if wrong:
            return wrong
    return None


@ruling("challenge-adjacent")
def mover_challenges_beside(state: State, by: Asker, command: DoubleMove) -> str | None:
    """One of the moved pieces, an enemy straight beside the cell it moved to."""
    asked = command.challenge
    if asked is UNSET:
        return None
    ends = {step.piece: step.to for step in command.moves}
    if asked.piece not in ends:
        return f"Piece {asked.piece} does not move."
    return _not_beside(state, by.own, ends[asked.piece], asked.at)


@ruling("cannot-challenge")
def mover_may_challenge(state: State, _by: Asker, command: DoubleMove) -> str | None:
    """Blitz, ghost, nest and trap never challenge."""
    if command.challenge is UNSET:
        return None
    return _meek(state.standing(command.challenge.piece))


@ruling("double-move")
def may_double(state: State, _by: Asker, command: DoubleMove) -> str | None:
    """Where the option allowed it as the turn began: two pieces, or one by an empty cell."""
    if not state.may_double:
        return "No double move is allowed in this turn."
    if len(command.moves) == 1:
        step = command.moves[0]
        piece = state.standing(step.piece)
        far = None if piece is None else _ways(state, piece.at, step.to)
        return None if far else f"No two steps lead to {named(step.to)}."
    first, second = command.moves
    return "Two different pieces move." if first.piece == second.piece else None


# ── Rulings on what lies beside the board ───────────────────────────────────────────────────────


@ruling("reserve")
def may_bring_in(state: State, by: Asker, command: BringIn) -> str | None:
    """A piece of the reserve, from the third turn on, onto an empty edge cell of the own half."""
    seat = by.own
    if state.moves_made[seat] < RESERVE_TURN - 1:
        return f"A reserve comes from a seat's turn {RESERVE_TURN} on."
    if command.kind not in state.reserve[seat]:
        return f"There is no {command.kind} in the reserve of seat {seat}."
    if command.at not in state.shape.rims[side_of(seat)]:
        return f"{named(command.at)} is no edge cell of the own half."
    return _not_empty(state, command.at)


@ruling("reserve")
def has_brought_in(state: State, _by: Asker, _command: EndTurn) -> str | None:
    """A turn without a move only where a piece has come in."""
    return None if state.brought_in else "No piece has come in, so that a move is owed."


@ruling("blitz-move")
def blitz_returns_to_land(state: State, _by: Asker, command: ReturnPiece) -> str | None:
    """Blitz never back onto the board in swamp."""
    if command.kind != "blitz" or command.at not in state.shape.index:
        return None
    if state.ground(command.at) == "L":
        return None
    return f"{named(command.at)} is swamp, where Blitz never goes."


@ruling("return-piece")
def may_return(state: State, by: Asker, command: ReturnPiece) -> str | None:
    """A kind that waits, as the whole turn, onto an empty cell of the own first row."""
    seat = by.own
    if all(waiting.kind != command.kind for waiting in state.out[seat]):
        return f"No {command.kind} of seat {seat} waits."
    if state.brought_in:
        return "A piece has come in already in this turn."
    if command.at not in state.shape.first_rows[side_of(seat)]:
        return f"{named(command.at)} is not in the own first row."
    return _not_empty(state, command.at)


MOVE: Final = (
    one_step, blitz_keeps_back, may_go, scout_challenges, scout_looks_straight,
    scout_looks_ahead, challenges_beside, may_challenge,
)  # fmt: skip
DOUBLE_MOVE: Final = (
    one_step_each, blitz_keeps_back_twice, may_go_each, mover_challenges_beside,
    mover_may_challenge, may_double,
)  # fmt: skip
BRING_IN: Final = (may_bring_in,)
RETURN: Final = (blitz_returns_to_land, may_return)
"""The rulings on each command, in the page's order."""
