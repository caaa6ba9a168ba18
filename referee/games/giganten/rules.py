"""The rules of Giganten put together: commands, who is to act, withdrawal, how it ends."""

from typing import Final

from referee.core.game import At, Outcome, Standing, Steps, rules_for
from referee.games.giganten import events, forms, moving, placing, turns
from referee.games.giganten.types import (
    TEAMS,
    Advance,
    BringIn,
    DoubleMove,
    End,
    EndTurn,
    LaidTile,
    LayTiles,
    Move,
    ReturnPiece,
    SetUp,
    State,
    side_of,
)

DRAWN: Final = 0.5
"""The score of a seat in a drawn match."""


def to_act(state: State) -> tuple[int, ...]:
    """Everybody who has not laid, or not set up; in play the seat on the move, or the winner's."""
    if state.phase == "tiles":
        return tuple(seat for seat, laid in enumerate(state.laid) if not laid)
    if state.phase == "setup":
        return placing.to_set_up(state)
    if state.phase == "play":
        return (state.to_move,)
    return () if state.pending is None else (_owner_of_pending(state),)


def _owner_of_pending(state: State) -> int:
    return next(p.seat for p in state.pieces if state.pending and p.id == state.pending.winner)


# ── Withdrawal ──────────────────────────────────────────────────────────────────────────────────


def after_leaving(at: At[State]) -> Steps[State]:
    """Of four seats: the pieces of the one that left go, and what waited for it goes on."""
    state, seat = at.state, at.seat
    if len(state.is_out) < TEAMS or state.is_out[seat]:
        return state
    owed = state.phase == "advance" and _owner_of_pending(state) == seat
    for piece in forms.own_pieces(state, seat):
        state = yield events.LeftBoard(seat, piece.id, piece.kind, "withdrawn", "lost")
    state = yield events.SeatOut(seat)
    if state.phase == "tiles":
        return (yield from _laid_as_drawn(state, seat))
    if state.phase == "setup":
        return (yield from placing.play_when_set_up(state, at.chance))
    if owed or (state.phase == "play" and state.to_move == seat):
        return (yield from turns.turn_ends(state))
    return state


def _laid_as_drawn(state: State, seat: int) -> Steps[State]:
    if not state.laid[seat]:
        as_drawn = tuple(LaidTile(tile, 0) for tile in state.tiles[seat])
        state = yield events.TilesLaid(seat, as_drawn)
    return (yield from placing.board_when_laid(state))


# ── The end ─────────────────────────────────────────────────────────────────────────────────────


def outcome(state: State) -> Outcome | None:
    """How the match ended; partners win, lose and draw together, whoever withdrew has no place."""
    if state.end is None:
        return None
    reason = "withdrawal" if state.end.withdrawal else "played-out"
    rows = (_standing(state, state.end, seat) for seat in range(len(state.withdrawn)))
    return Outcome(reason, tuple(rows))  # type: ignore[arg-type]


def _standing(state: State, end: End, seat: int) -> Standing:
    score: int | float
    if end.winner is None:
        place, score = 1, DRAWN
    elif side_of(seat) == end.winner:
        place, score = 1, 1
    else:
        place, score = 1 + _placed(state, end.winner), 0
    return Standing(seat, None if state.withdrawn[seat] else place, score)


def _placed(state: State, side: int) -> int:
    """How many seats of a side have a place."""
    return sum(side_of(seat) == side and not gone for seat, gone in enumerate(state.withdrawn))


COMMANDS: Final = (
    rules_for(LayTiles, "tiles", placing.lay_tiles, placing.tiles_drawn, forms=placing.tile_forms),
    rules_for(SetUp, "setup", placing.set_up, *placing.SET_UP, template=placing.set_up_template),
    rules_for(Move, "play", turns.move, *moving.MOVE, forms=forms.move_forms),
    rules_for(DoubleMove, "play", turns.double_move, *moving.DOUBLE_MOVE, forms=forms.double_forms),
    rules_for(BringIn, "play", turns.bring_in, *moving.BRING_IN, forms=forms.bring_in_forms),
    rules_for(ReturnPiece, "play", turns.return_piece, *moving.RETURN, forms=forms.return_forms),
    rules_for(EndTurn, "play", turns.end_turn, moving.has_brought_in),
    rules_for(Advance, "advance", turns.advance, forms=forms.advance_forms),
)
"""The commands in the page's order."""
