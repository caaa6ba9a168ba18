"""Every form that a turn's commands could have, and whether a seat has anything to do at all."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from referee.core.game import Asker, Command
from referee.core.ruling import Clause, first_broken
from referee.games.giganten.boards import by_row, neighbours
from referee.games.giganten.moving import (
    BRING_IN,
    MOVE,
    RETURN,
    held_back,
    is_beside,
    is_empty,
    is_enemy,
)
from referee.games.giganten.types import (
    KINDS,
    Advance,
    BringIn,
    Cell,
    Challenge,
    DoubleMove,
    Move,
    Piece,
    ReturnPiece,
    State,
    Step,
    partner_of,
    side_of,
)

_LINES: Final = tuple((x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y)


def own_pieces(state: State, seat: int) -> list[Piece]:
    """The pieces of a seat on the board, by id."""
    return [piece for piece in state.pieces if piece.seat == seat]


def _number(piece: Piece) -> int:
    """The id of a piece in play."""
    return piece.id or 0


_mover: Final = attrgetter("piece")


def move_forms(state: State, by: Asker) -> Iterator[Move]:
    """Each own piece's steps and flights, each alone and with each challenge."""
    for piece in own_pieces(state, by.own):
        yield from forms_of_piece(state, piece)


def forms_of_piece(state: State, piece: Piece) -> Iterable[Move]:
    """The moves of one piece, in order."""
    steps = _forms_of_steps(state, piece)
    if piece.kind != "flug":
        return steps
    return sorted([*steps, *_forms_of_flights(state, piece)], key=_in_order)


def _in_order(move: Move) -> tuple[Cell, bool, Cell]:
    cell = move.challenge
    return by_row(move.to), cell is not UNSET, (0, 0) if cell is UNSET else by_row(cell)


def _forms_of_steps(state: State, piece: Piece) -> Iterator[Move]:
    for to in _steps(state, piece):
        yield Move(_number(piece), to)
        for cell in _enemies_beside(state, piece.seat, to):
            yield Move(_number(piece), to, cell)


def _steps(state: State, piece: Piece) -> list[Cell]:
    return [to for to in state.shape.beside[piece.at] if is_empty(state, to)]


def _enemies_beside(state: State, seat: int, cell: Cell) -> list[Cell]:
    return [other for other in state.shape.beside[cell] if is_enemy(state, seat, other)]


def _forms_of_flights(state: State, piece: Piece) -> Iterator[Move]:
    for line in _LINES:
        for to in _landings(state, piece, line):
            for cell in _before_a_scout(to, line):
                if is_enemy(state, piece.seat, cell):
                    yield Move(_number(piece), to, cell)


def _landings(state: State, piece: Piece, line: Cell) -> Iterator[Cell]:
    """The empty cells of a line, from the second on."""
    to = (piece.at[0] + line[0], piece.at[1] + line[1])
    while is_empty(state, to):
        to = (to[0] + line[0], to[1] + line[1])
        if is_empty(state, to):
            yield to


def _before_a_scout(to: Cell, line: Cell) -> Sequence[Cell]:
    """Whom a scout may challenge where it has landed."""
    return [(to[0] + line[0], to[1] + line[1])] if all(line) else neighbours(to)


def double_forms(state: State, by: Asker) -> Iterator[DoubleMove]:
    """One piece two cells, then two pieces a cell each; of equal orders the smaller id first."""
    if not state.may_double:
        return
    challenged = _Enemies(state, by.own)
    for moves in _double_steps(state, by.own):
        yield DoubleMove(moves)
        for step in sorted(moves, key=_mover) if len(moves) > 1 else moves:
            for cell in challenged[step.to]:
                yield DoubleMove(moves, Challenge(step.piece, cell))


class _Enemies(dict[Cell, list[Cell]]):
    """The enemies straight beside a cell, each cell looked at once."""

    def __init__(self, state: State, seat: int) -> None:
        super().__init__()
        self._of = state, seat

    def __missing__(self, cell: Cell) -> list[Cell]:
        self[cell] = _enemies_beside(*self._of, cell)
        return self[cell]


def _double_steps(state: State, seat: int) -> Iterator[tuple[Step, ...]]:
    free = [piece for piece in own_pieces(state, seat) if not held_back(piece)]
    for piece in free:
        for to in _two_away(state, piece):
            yield (Step(_number(piece), to),)
    steps = {_number(piece): _steps(state, piece) for piece in free}
    for first in free:
        for to in steps[_number(first)]:
            step = Step(_number(first), to)
            for second in _second_steps(first, to, free, steps):
                yield step, second


def _two_away(state: State, piece: Piece) -> list[Cell]:
    """The empty cells to which two steps lead, by y, then x."""
    beside = state.shape.beside
    ends = {to for way in _steps(state, piece) for to in beside[way]} - {piece.at}
    return sorted((to for to in ends if is_empty(state, to)), key=by_row)


def _second_steps(
    first: Piece, to: Cell, free: list[Piece], steps: dict[int, list[Cell]]
) -> Iterator[Step]:
    """The steps that another piece may take after the first one's.

    Where it steps into the cell that the first has left no other order will do.
    """
    for second in free:
        if second is first:
            continue
        ends = steps[_number(second)] if _number(second) > _number(first) else []
        if is_beside(second.at, first.at):
            ends = sorted((*ends, first.at), key=by_row)
        for end in ends:
            if end != to:
                yield Step(_number(second), end)


def bring_in_forms(state: State, by: Asker) -> Iterator[BringIn]:
    """Each kind of the reserve on each edge cell of the own half."""
    for kind in _kinds_in(state.reserve[by.own]):
        for cell in state.shape.rims[side_of(by.own)]:
            yield BringIn(kind, cell)  # type: ignore[arg-type]


def return_forms(state: State, by: Asker) -> Iterator[ReturnPiece]:
    """Each kind that waits on each cell of the own first row."""
    for kind in _kinds_in(waiting.kind for waiting in state.out[by.own]):
        for cell in state.shape.first_rows[side_of(by.own)]:
            yield ReturnPiece(kind, cell)  # type: ignore[arg-type]


def _kinds_in(kinds: Iterable[str]) -> list[str]:
    found = frozenset(kinds)
    return [kind for kind in KINDS if kind in found]


def advance_forms(_state: State, _by: Asker) -> tuple[Advance, ...]:
    """To go, to stay."""
    return Advance(go=True), Advance(go=False)


# ── Whether there is anything to do ─────────────────────────────────────────────────────────────


def has_command(state: State, seat: int) -> bool:
    """Whether a seat has anything lawful to do with its turn.

    A double move begins with a step that is lawful by itself.
    """
    by = Asker("seat", seat, 0)
    lists: tuple[tuple[tuple[Clause, ...], Iterable[Command]], ...] = (
        (MOVE, _plainest_moves(state, seat)),
        (BRING_IN, bring_in_forms(state, by)),
        (RETURN, return_forms(state, by)),
    )
    return any(
        first_broken(clauses, state, by, form) is None for clauses, forms in lists for form in forms
    )


def _plainest_moves(state: State, seat: int) -> Iterator[Move]:
    """The moves of a seat, flights last: they are found slowly, and seldom asked for."""
    own = own_pieces(state, seat)
    for piece in own:
        yield from _forms_of_steps(state, piece)
    for piece in own:
        if piece.kind == "flug":
            yield from _forms_of_flights(state, piece)


def is_only_held(state: State, seat: int) -> bool:
    """Whether a seat without a command would have one if none of its pieces were held."""
    if not any(piece.held and piece.seat == seat for piece in state.pieces):
        return False
    freed = (replace(p, held=0) if p.seat == seat else p for p in state.pieces)
    return has_command(replace(state, pieces=tuple(freed)), seat)


def may_be_passed_over(state: State, seat: int) -> bool:
    """Ruling `immobile-loss`: whether a seat without a command has not lost by that.

    It is only held, or its partner has a command, or is only held.
    """
    if is_only_held(state, seat):
        return True
    partner = partner_of(seat, len(state.is_out))
    if partner == seat or state.is_out[partner]:
        return False
    return has_command(state, partner) or is_only_held(state, partner)
