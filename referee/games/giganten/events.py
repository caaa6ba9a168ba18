"""The events of Giganten, and what each changes: folds never judge, they write down facts."""

from bisect import insort
from collections.abc import Iterable
from operator import attrgetter
from typing import Annotated, Any, Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from referee.core.game import Event, EventRules, Events, SeatEvent, put
from referee.core.seats import next_in, without_first
from referee.core.visibility import Public, Scope, ToSeat, entries_seen_if, seen_if
from referee.games.giganten.boards import by_row
from referee.games.giganten.types import (
    Cell,
    End,
    FightOutcome,
    Ground,
    Kind,
    LaidTile,
    Pending,
    Piece,
    State,
    Tile,
    TrapEffect,
    Waiting,
    partner_of,
    sees_side,
    side_of,
)

DOUBLE_TURNS: Final = 3
"""Double moves are allowed in so many first turns of each seat."""

FEW: Final = 10
"""And whenever a side has at most so many pieces on the board."""

HELD: Final = 2
"""A trap holds its prey for so many moves of its owner."""


# ── Pieces on the board ─────────────────────────────────────────────────────────────────────────


def with_pieces(state: State, pieces: Iterable[Piece]) -> State:
    """The state with these pieces, which have their ids, and nothing else on the board."""
    by_id = tuple(sorted(pieces, key=attrgetter("id")))
    grid = bytearray(len(state.grid))
    for piece in by_id:
        grid[state.shape.index[piece.at]] = piece.id or 0
    ids = bytes(piece.id or 0 for piece in by_id)
    return replace(state, pieces=by_id, ids=ids, grid=bytes(grid))


def _with_piece(state: State, piece: Piece) -> State:
    """The state with one piece more."""
    pieces, number = list(state.pieces), piece.id or 0
    insort(pieces, piece, key=attrgetter("id"))
    grid = bytearray(state.grid)
    grid[state.shape.index[piece.at]] = number
    ids = bytes(sorted((*state.ids, number)))
    return replace(state, pieces=tuple(pieces), ids=ids, grid=bytes(grid))


def _without(state: State, piece: int) -> State:
    """The state without a piece that is on the board."""
    place, grid = state.ids.index(piece), bytearray(state.grid)
    grid[state.shape.index[state.pieces[place].at]] = 0
    return replace(
        state,
        pieces=state.pieces[:place] + state.pieces[place + 1 :],
        ids=state.ids[:place] + state.ids[place + 1 :],
        grid=bytes(grid),
    )


def _gone_to(state: State, moves: Iterable[tuple[int, Cell]]) -> State:
    """The state with pieces moved, one after another."""
    pieces, grid, index = list(state.pieces), bytearray(state.grid), state.shape.index
    for piece, to in moves:
        place = state.ids.index(piece)
        grid[index[pieces[place].at]] = 0
        grid[index[to]] = piece
        pieces[place] = replace(pieces[place], at=to)
    return replace(state, pieces=tuple(pieces), grid=bytes(grid))


def _changed(state: State, piece: Piece) -> State:
    """The state with a piece that stands where it stood but is otherwise changed."""
    return replace(state, pieces=put(state.pieces, state.ids.index(piece.id or 0), piece))


# ── Before play ─────────────────────────────────────────────────────────────────────────────────


def _is_told(event: Any, scope: Scope) -> bool:
    """What only the side of the event's seat is told."""
    return sees_side(scope, event.seat)


_ToldSide = seen_if(_is_told)


def _is_told_by_seat(_event: Any, scope: Scope, seat: int) -> bool:
    return sees_side(scope, seat)


class TilesDealt(Event, frozen=True, gc=False):
    """Each seat has drawn its tiles."""

    tiles: Annotated[tuple[tuple[Tile, ...], ...], entries_seen_if(_is_told_by_seat)]


def tiles_dealt(state: State, event: TilesDealt) -> State:
    """Each seat has its tiles."""
    return replace(state, tiles=event.tiles)


class TilesLaid(SeatEvent, frozen=True, gc=False):
    """A seat has laid its tiles."""

    tiles: Annotated[tuple[LaidTile, ...], _ToldSide]


def tiles_laid(state: State, event: TilesLaid) -> State:
    """A seat's tiles lie, for its own side to see."""
    return replace(state, laid=put(state.laid, event.seat, event.tiles))


class BoardRevealed(Event, frozen=True, gc=False):
    """All tiles are turned up together: as each seat laid them, and the board they make."""

    laid: Public[tuple[tuple[LaidTile, ...], ...]]
    board: Public[tuple[str, ...]]


def board_revealed(state: State, event: BoardRevealed) -> State:
    """The board is there."""
    return replace(state, phase="setup", laid=event.laid, board=event.board)


def _is_told_openly(event: Any, scope: Scope) -> bool:
    return not event.hidden or sees_side(scope, event.seat)


class StoodPiece(Struct, frozen=True, gc=False):
    """A piece set up on a cell."""

    seat: Public[int]
    kind: Annotated[Kind, _ToldSide]
    at: Public[Cell]


class SetUpDone(SeatEvent, frozen=True, gc=False):
    """A seat has set up; `hidden`: behind a screen, so that even the cells are its side's."""

    hidden: Public[bool]
    pieces: Annotated[tuple[StoodPiece, ...], seen_if(_is_told_openly)]
    reserve: Annotated[tuple[Kind, ...], _ToldSide]
    reserve_count: Annotated[int, seen_if(_is_told_openly)]
    secret_trap: ToSeat[Cell | None]


def set_up_done(state: State, event: SetUpDone) -> State:
    """A seat's pieces stand, without ids; its reserve lies beside the board."""
    new = tuple(Piece(None, piece.seat, piece.kind, piece.at) for piece in event.pieces)
    in_order = sorted((*state.pieces, *new), key=lambda piece: (piece.seat, by_row(piece.at)))
    return replace(
        state,
        pieces=tuple(in_order),
        ready=put(state.ready, event.seat, value=True),
        reserve=put(state.reserve, event.seat, event.reserve),
        reserve_counts=put(state.reserve_counts, event.seat, event.reserve_count),
        secret_trap=put(state.secret_trap, event.seat, event.secret_trap),
    )


class NumberedPiece(Struct, frozen=True, gc=False):
    """The id that a piece has got."""

    id: Public[int]
    seat: Public[int]
    at: Public[Cell]


class SetupsRevealed(Event, frozen=True, gc=False):
    """All set-ups are in: every piece has its id, and play begins."""

    pieces: Public[tuple[NumberedPiece, ...]]


def setups_revealed(state: State, event: SetupsRevealed) -> State:
    """Every piece has its id, and the first turn begins."""
    ids = {piece.at: piece.id for piece in event.pieces}
    numbered = with_pieces(state, (replace(p, id=ids[p.at]) for p in state.pieces))
    first = state.to_move
    if state.is_out[first]:
        first = next_in(state.is_out, first)
    return _turn_of(replace(numbered, phase="play"), first)


# ── A turn ──────────────────────────────────────────────────────────────────────────────────────


def _turn_of(state: State, seat: int) -> State:
    """A seat's turn begins: whether double moves are allowed in it is settled now."""
    state = replace(state, to_move=seat, brought_in=(), fight=None)
    return replace(state, may_double=state.options.double_moves and _is_double_turn(state))


def _is_double_turn(state: State) -> bool:
    """Ruling `double-move`: in a seat's first turns, and where a side is small."""
    if state.moves_made[state.to_move] < DOUBLE_TURNS:
        return True
    south = sum(side_of(piece.seat) == 0 for piece in state.pieces)
    return min(south, len(state.pieces) - south) <= FEW


def _move_made(state: State, seat: int) -> State:
    """The turn's move counts: held pieces of its owner come nearer to their freedom."""
    quiet = state.quiet_turns if state.brought_in else state.quiet_turns + 1
    made = put(state.moves_made, seat, state.moves_made[seat] + 1)
    return _released(replace(state, moves_made=made, quiet_turns=quiet), seat)


def _released(state: State, seat: int) -> State:
    """Each held piece of a seat is held for one move less."""
    if state.options.trap_effect != "hold":
        return state
    pieces = (
        replace(piece, held=piece.held - 1) if piece.held and piece.seat == seat else piece
        for piece in state.pieces
    )
    return replace(state, pieces=tuple(pieces))


class Moved(Struct, frozen=True, gc=False):
    """Where a piece went."""

    piece: Public[int]
    from_: Public[Cell] = field(name="from")
    to: Public[Cell]


class PiecesMoved(Event, frozen=True, gc=False, tag="moved"):
    """One piece has moved, or two in this order."""

    seat: Public[int]
    moves: Public[tuple[Moved, ...]]


def pieces_moved(state: State, event: PiecesMoved) -> State:
    """The pieces stand where they went, and the move counts."""
    moved = _gone_to(state, ((move.piece, move.to) for move in event.moves))
    return _move_made(moved, event.seat)


class BroughtIn(SeatEvent, frozen=True, gc=False):
    """A piece of the reserve has come onto the board."""

    piece: Public[int]
    kind: Annotated[Kind, _ToldSide]
    at: Public[Cell]


def brought_in(state: State, event: BroughtIn) -> State:
    """A piece goes from the reserve to the board."""
    left = without_first(state.reserve[event.seat], event.kind)
    state = replace(
        state,
        reserve=put(state.reserve, event.seat, left),
        reserve_counts=put(state.reserve_counts, event.seat, len(left)),
        brought_in=(*state.brought_in, event.piece),
        quiet_turns=0,
    )
    return _with_piece(state, Piece(event.piece, event.seat, event.kind, event.at))


class Returned(SeatEvent, frozen=True, gc=False):
    """A piece that waited is back on the board."""

    piece: Public[int]
    kind: Public[Kind]
    at: Public[Cell]


def returned(state: State, event: Returned) -> State:
    """A piece that waited stands on the board again: the turn's move."""
    waiting = tuple(w for w in state.out[event.seat] if w.id != event.piece)
    state = replace(_move_made(state, event.seat), quiet_turns=0)
    state = replace(state, out=put(state.out, event.seat, waiting))
    return _with_piece(state, Piece(event.piece, event.seat, event.kind, event.at))


class Rested(SeatEvent, frozen=True, gc=False):
    """A seat has made no move after bringing in."""


def rested(state: State, event: Rested) -> State:
    """The turn's move is none."""
    return _move_made(state, event.seat)


class TurnEnded(SeatEvent, frozen=True, gc=False):
    """A seat's turn is over."""


def turn_ended(state: State, event: TurnEnded) -> State:
    """The turn goes to the next seat that is not out."""
    return _turn_of(replace(state, turn=state.turn + 1), next_in(state.is_out, event.seat))


class PassedOver(SeatEvent, frozen=True, gc=False):
    """A seat has no lawful command and has not lost: its turn is passed over."""


def passed_over(state: State, event: PassedOver) -> State:
    """Only held pieces notice; the next seat is looked at."""
    return _turn_of(_released(state, event.seat), next_in(state.is_out, event.seat))


# ── Fights and traps ────────────────────────────────────────────────────────────────────────────


class Challenged(Event, frozen=True, gc=False):
    """A fight: both kinds are shown, the ground under the challenged decides."""

    by: Public[int]
    against: Public[int]
    at: Public[Cell]
    kinds: Public[tuple[Kind, Kind]]
    terrain: Public[Ground]
    outcome: Public[FightOutcome]


def challenged(state: State, event: Challenged) -> State:
    """Nothing changes yet, but it is settled who may step into the loser's cell."""
    return replace(state, fight=_advance_of(state, event))


def _advance_of(state: State, event: Challenged) -> Pending | None:
    """Ruling `advance`: the winner's step, where it will be asked; what left was open to all."""
    if event.outcome not in ("challenger", "defender"):
        return None
    by, against = state.the_piece(event.by), state.the_piece(event.against)
    winner, loser = (by, against) if event.outcome == "challenger" else (against, by)
    if winner.held or winner.kind in ("blitz", "nest", "trap"):
        return None
    return Pending(event.by if winner is by else event.against, loser.at)


class Sprung(Event, frozen=True, gc=False):
    """A trap of `owner` has caught a piece, whose kind is not told."""

    owner: Public[int]
    piece: Public[int]
    at: Public[Cell]
    effect: Public[TrapEffect]


def sprung(state: State, event: Sprung) -> State:
    """The trap is known from now on; it may hold its prey."""
    prey, trap = state.the_piece(event.piece), state.occupant(event.at)
    if prey.at == event.at:
        known = put(state.secret_trap_known, event.owner, value=True)
        state = replace(state, secret_trap_known=known)
    elif trap is not None:
        state = _changed(state, replace(trap, known=True))
    return _changed(state, replace(prey, held=HELD)) if event.effect == "hold" else state


class LeftBoard(SeatEvent, frozen=True, gc=False):
    """A piece is off the board, for all to see."""

    piece: Public[int | None]
    kind: Public[Kind]
    why: Public[Literal["beaten", "trapped", "nest-taken", "withdrawn"]]
    to: Public[Literal["lost", "out"]]


def left_board(state: State, event: LeftBoard) -> State:
    """A piece lies beside the board, lost or waiting; a winner may be asked to advance."""
    if event.to == "out" and event.piece is not None:
        waiting = (*state.out[event.seat], Waiting(event.piece, event.kind))
        state = replace(state, out=put(state.out, event.seat, waiting))
    else:
        lost = (*state.lost[event.seat], event.kind)
        state = replace(state, lost=put(state.lost, event.seat, lost))
    if event.piece is None:
        return _off_set_up(state, event)
    state = _lapsed(replace(_without(state, event.piece), quiet_turns=0), event.piece)
    if state.fight is None or event.why not in ("beaten", "nest-taken"):
        return state
    return replace(state, phase="advance", pending=state.fight, fight=None)


def _off_set_up(state: State, event: LeftBoard) -> State:
    """Before play a seat's pieces go in their order: the first of them is the next to go."""
    place = next(n for n, piece in enumerate(state.pieces) if piece.seat == event.seat)
    return replace(state, pieces=state.pieces[:place] + state.pieces[place + 1 :])


def _lapsed(state: State, piece: int) -> State:
    """Nobody waits for the advance of a piece that is gone."""
    if state.pending is None or state.pending.winner != piece:
        return state
    return replace(state, phase="over" if state.end else "play", pending=None)


class Advanced(Event, frozen=True, gc=False):
    """The winner has stepped into the cell just emptied."""

    piece: Public[int]
    from_: Public[Cell] = field(name="from")
    to: Public[Cell]


def advanced(state: State, event: Advanced) -> State:
    """The winner stands where the loser stood."""
    return _gone_to(replace(state, phase="play", pending=None), [(event.piece, event.to)])


class Stayed(Event, frozen=True, gc=False):
    """The winner has stayed where it is."""

    piece: Public[int]


def stayed(state: State, _event: Stayed) -> State:
    """The winner stays."""
    return replace(state, phase="play", pending=None)


# ── Ends ────────────────────────────────────────────────────────────────────────────────────────


class NestTaken(Event, frozen=True, gc=False):
    """The piece `by` has taken the nest of a seat."""

    by: Public[int]
    seat: Public[int]


def nest_taken(state: State, event: NestTaken) -> State:
    """The match is over where it was the side's last: the nest lies in `lost` already."""
    if all_nests_gone(state, event.seat):
        return over(state, End(1 - side_of(event.seat)))
    return state


def all_nests_gone(state: State, seat: int) -> bool:
    """Whether the nests of a seat's side are taken; that of a seat that withdrew counts as such."""
    return all(
        state.withdrawn[other] or "nest" in state.lost[other]
        for other in (seat, partner_of(seat, len(state.lost)))
    )


def over(state: State, end: End) -> State:
    """Nobody acts any more."""
    return replace(state, phase="over", pending=None, fight=None, end=end)


class SeatOut(SeatEvent, frozen=True, gc=False):
    """A seat of four has nothing left, or has withdrawn: its turns are left out."""


def seat_out(state: State, event: SeatOut) -> State:
    """The seat's turns are left out from now on."""
    return replace(state, is_out=put(state.is_out, event.seat, value=True))


class Immobile(SeatEvent, frozen=True, gc=False):
    """A seat has no lawful command: its side has lost."""


def immobile(state: State, event: Immobile) -> State:
    """The other side has won."""
    return over(state, End(1 - side_of(event.seat)))


class NoProgress(Event, frozen=True, gc=False):
    """So many turns in a row were quiet: the match is drawn."""

    turns: Public[int]


def no_progress(state: State, _event: NoProgress) -> State:
    """The match is drawn."""
    return over(state, End(None))


def leave(state: State, seat: int) -> State:
    """The state at once after a withdrawal; a seat's pieces go by events of their own."""
    state = replace(state, withdrawn=put(state.withdrawn, seat, value=True))
    if all_nests_gone(state, seat):
        return over(state, End(1 - side_of(seat), withdrawal=True))
    return state


_ON_FIGHTS: Final = ("nest", "trap", "ghost", "blitz", "culak", "flug")
"""Kinds whose fights have a ruling of their own."""


def _why_fought(event: Challenged) -> tuple[str, ...]:
    own = tuple(f"{kind}-fights" for kind in _ON_FIGHTS if kind in event.kinds)
    return own or ("terrain", "strength")


def _tiles_drawn(state: State, _event: TilesDealt) -> int:
    """One shuffle, where they are drawn."""
    return int(state.options.tile_draw != "fixed")


EVENTS: Final[Events] = {
    TilesDealt: EventRules(tiles_dealt, draws=_tiles_drawn),
    TilesLaid: EventRules(tiles_laid),
    BoardRevealed: EventRules(board_revealed, reveals=True),
    SetUpDone: EventRules(set_up_done),
    SetupsRevealed: EventRules(setups_revealed, reveals=True, draws=1),
    PiecesMoved: EventRules(pieces_moved),
    Challenged: EventRules(challenged, _why_fought, reveals=True),
    Sprung: EventRules(sprung, ("trap-fights",), reveals=True),
    LeftBoard: EventRules(left_board, ("lost-open",), reveals=True),
    Advanced: EventRules(advanced, ("advance",)),
    Stayed: EventRules(stayed, ("advance",)),
    BroughtIn: EventRules(brought_in),
    Returned: EventRules(returned),
    Rested: EventRules(rested),
    NestTaken: EventRules(nest_taken, ("nest-win",)),
    SeatOut: EventRules(seat_out),
    TurnEnded: EventRules(turn_ended),
    PassedOver: EventRules(passed_over, ("immobile-loss",)),
    Immobile: EventRules(immobile, ("immobile-loss",)),
    NoProgress: EventRules(no_progress, ("no-progress",)),
}
