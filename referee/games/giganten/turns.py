"""The course of a turn: pieces go, traps look, the challenge is fought, the next turn begins."""

from collections.abc import Iterable

from msgspec import UNSET

from referee.core.game import At, Steps
from referee.core.randomness import Chance
from referee.games.giganten import events
from referee.games.giganten.fights import fought
from referee.games.giganten.forms import has_command, may_be_passed_over
from referee.games.giganten.types import (
    TEAMS,
    Advance,
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

# ── Play begins ─────────────────────────────────────────────────────────────────────────────────


def play_begins(state: State, chance: Chance) -> Steps[State]:
    """Every piece gets its id, by one shuffle for the pieces by seat, y, x; then the first turn."""
    ids = chance.about("the pieces' numbers").shuffle(range(1, len(state.pieces) + 1))
    numbered = [
        events.NumberedPiece(number, piece.seat, piece.at)
        for number, piece in zip(ids, state.pieces, strict=True)
    ]
    state = yield events.SetupsRevealed(tuple(sorted(numbered, key=lambda piece: piece.id)))
    return (yield from turn_begins(state))


def turn_begins(state: State) -> Steps[State]:
    """The turn is that of the first seat that has something to do; or the match is over."""
    while not has_command(state, state.to_move):
        if not may_be_passed_over(state, state.to_move):
            return (yield events.Immobile(state.to_move))
        state = yield events.PassedOver(state.to_move)
    limit = state.options.no_progress_limit
    if limit is not None and state.quiet_turns >= limit:
        return (yield events.NoProgress(state.quiet_turns))
    return state


def turn_ends(state: State) -> Steps[State]:
    """The turn is over, unless the match is or an advance is owed; the next one begins."""
    if state.phase != "play":
        return state
    state = yield events.TurnEnded(state.to_move)
    return (yield from turn_begins(state))


# ── The commands of a turn ──────────────────────────────────────────────────────────────────────


def move(at: At[State], command: Move) -> Steps[State]:
    """One piece goes, and may challenge."""
    challenge = None if command.challenge is UNSET else (command.piece, command.challenge)
    return _moves(at, (Step(command.piece, command.to),), challenge)


def double_move(at: At[State], command: DoubleMove) -> Steps[State]:
    """One piece goes twice or two go once; the order is kept where only it is lawful."""
    asked = command.challenge
    challenge = None if asked is UNSET else (asked.piece, asked.at)
    return _moves(at, _in_listed_order(at.state, command.moves), challenge)


def _in_listed_order(state: State, moves: tuple[Step, ...]) -> tuple[Step, ...]:
    """Two steps as `legal` lists them: the smaller id first, unless the first makes room."""
    if len(moves) == 1:
        return moves
    first, second = moves
    makes_room = second.to == state.the_piece(first.piece).at
    return moves if makes_room or first.piece < second.piece else (second, first)


def _moves(
    at: At[State], steps: tuple[Step, ...], challenge: tuple[int, Cell] | None
) -> Steps[State]:
    moved = tuple(
        events.Moved(step.piece, at.state.the_piece(step.piece).at, step.to) for step in steps
    )
    state = yield events.PiecesMoved(at.seat, moved)
    caught = set[int]()
    for step in steps:
        owners = traps_under(state, step.piece)
        if owners:
            caught.add(step.piece)
            state = yield from _secret_traps_spring(state, step.piece, owners)
    if challenge is not None and challenge[0] not in caught:
        state = yield from fight(state, *challenge)
    return (yield from turn_ends(state))


def bring_in(at: At[State], command: BringIn) -> Steps[State]:
    """A piece of the reserve comes in; the move is still owed."""
    state = at.state
    beside = sum(map(len, state.lost)) + sum(map(len, state.out))
    number = len(state.pieces) + beside + 1
    return (yield events.BroughtIn(at.seat, number, command.kind, command.at))


def return_piece(at: At[State], command: ReturnPiece) -> Steps[State]:
    """Of that kind the piece that has waited longest stands on the board again."""
    waiting = next(w for w in at.state.out[at.seat] if w.kind == command.kind)
    state = yield events.Returned(at.seat, waiting.id, command.kind, command.at)
    return (yield from turn_ends(state))


def end_turn(at: At[State], _command: EndTurn) -> Steps[State]:
    """No move follows what has come in."""
    state = yield events.Rested(at.seat)
    return (yield from turn_ends(state))


def advance(at: At[State], command: Advance) -> Steps[State]:
    """The winner steps into the cell just emptied, where a trap may lie; or it stays."""
    pending = at.state.pending
    if pending is None:
        raise LookupError("nobody is asked to advance")
    if not command.go:
        return (yield from turn_ends((yield events.Stayed(pending.winner))))
    winner = at.state.the_piece(pending.winner)
    state = yield events.Advanced(pending.winner, winner.at, pending.to)
    owners = traps_under(state, pending.winner)
    if owners:
        state = yield from _secret_traps_spring(state, pending.winner, owners)
    return (yield from turn_ends(state))


# ── Traps ───────────────────────────────────────────────────────────────────────────────────────


def traps_under(state: State, piece: int) -> tuple[int, ...]:
    """Ruling `secret-trap`: whose notes have the cell of a piece of the other side."""
    if not state.options.secret_trap:
        return ()
    prey = state.the_piece(piece)
    return tuple(
        owner
        for owner, cell in enumerate(state.secret_trap)
        if cell == prey.at and side_of(owner) != side_of(prey.seat) and not state.is_out[owner]
    )


def _secret_traps_spring(state: State, piece: int, owners: Iterable[int]) -> Steps[State]:
    """Every note with that cell is shown; then the piece meets the effect."""
    prey = state.the_piece(piece)
    for owner in owners:
        state = yield events.Sprung(owner, piece, prey.at, state.options.trap_effect)
    return (yield from _trapped(state, prey))


def _trapped(state: State, prey: Piece) -> Steps[State]:
    effect = state.options.trap_effect
    if effect == "hold":
        return state
    left = events.LeftBoard(
        prey.seat, prey.id, prey.kind, "trapped", "out" if effect == "return" else "lost"
    )
    return (yield from _leaves(state, left))


# ── A fight ─────────────────────────────────────────────────────────────────────────────────────


def fight(state: State, challenger: int, cell: Cell) -> Steps[State]:
    """Both show themselves; who has lost leaves the board."""
    by, against = state.the_piece(challenger), state.occupant(cell)
    if against is None:
        raise LookupError("nobody is challenged")
    ground = state.ground(cell)
    outcome = fought(by.kind, against.kind, ground)
    kinds = (by.kind, against.kind)
    state = yield events.Challenged(by.id or 0, against.id or 0, cell, kinds, ground, outcome)
    if against.kind == "trap":
        state = yield events.Sprung(against.seat, by.id or 0, cell, state.options.trap_effect)
        return (yield from _trapped(state, by))
    if against.kind == "nest" and outcome == "challenger":
        return (yield from _nest_falls(state, by, against))
    losers = {"challenger": (against,), "defender": (by,), "both-lost": (by, against), "draw": ()}
    for loser in losers[outcome]:
        left = events.LeftBoard(loser.seat, loser.id, loser.kind, "beaten", "lost")
        state = yield from _leaves(state, left)
    return state


def _nest_falls(state: State, by: Piece, nest: Piece) -> Steps[State]:
    state = yield events.LeftBoard(nest.seat, nest.id, nest.kind, "nest-taken", "lost")
    state = yield events.NestTaken(by.id or 0, nest.seat)
    return (yield from _out_if_bare(state, nest.seat))


def _leaves(state: State, left: events.LeftBoard) -> Steps[State]:
    state = yield left
    return (yield from _out_if_bare(state, left.seat))


def _out_if_bare(state: State, seat: int) -> Steps[State]:
    """Of four seats one that has nothing left is out."""
    if len(state.is_out) < TEAMS or state.reserve[seat] or state.out[seat]:
        return state
    if any(piece.seat == seat for piece in state.pieces):
        return state
    return (yield events.SeatOut(seat))
