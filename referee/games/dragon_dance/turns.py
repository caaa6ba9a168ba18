"""Whose turn it is: the seats round the table, clockwise, those that withdrew left out."""

from __future__ import annotations

from referee.games.dragon_dance.types import State


def seats_in(state: State) -> tuple[int, ...]:
    """The seats that have not withdrawn, ascending."""
    return tuple(seat for seat, gone in enumerate(state.withdrawn) if not gone)


def clockwise(state: State, seat: int) -> tuple[int, ...]:
    """The other seats still in, clockwise from the left of ``seat``."""
    seats = len(state.withdrawn)
    others = ((seat + step) % seats for step in range(1, seats))
    return tuple(other for other in others if not state.withdrawn[other])


def next_in(state: State, seat: int) -> int:
    """The next seat still in, clockwise from the left of ``seat``."""
    return clockwise(state, seat)[0]


def next_to_finish(state: State) -> int | None:
    """Who may lay a card after the seat of the turn, or None where the lap is done.

    The lap ends at the seat that went out, be it still in or not.
    """
    if state.turn is None:
        return None
    seats = len(state.withdrawn)
    for step in range(1, seats):
        seat = (state.turn + step) % seats
        if seat == state.going_out:
            return None
        if not state.withdrawn[seat]:
            return seat
    return None


def starter(state: State, number: int) -> int:
    """Ruling ``next-starter``: the seat that starts round ``number``, counted from 1."""
    seats = len(state.withdrawn)
    first = (state.options.starter + number - 1) % seats
    return first if not state.withdrawn[first] else next_in(state, first)
