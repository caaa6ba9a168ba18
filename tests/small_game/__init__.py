"""Three in a row: a whole small game in one file, with nothing to choose and nothing drawn.

Two seats, nine cells, no options, no chance, no hidden information, and no picture of its own:

    0 │ 1 │ 2
    ──┼───┼──
    3 │ 4 │ 5
    ──┼───┼──
    6 │ 7 │ 8
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec.structs import replace

from referee.core.game import (
    Asker,
    At,
    Command,
    Event,
    EventRules,
    Game,
    GameState,
    Outcome,
    Standing,
    Steps,
    put,
    rules_for,
)
from referee.core.ruling import parse_rulings, ruling
from referee.core.visibility import Public

CELLS: Final = range(9)
LINES: Final = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
)  # fmt: skip


class State(GameState, frozen=True, gc=False):
    """`cells`: whose mark stands there, None for nobody's; `left`: who has withdrawn."""

    phase: Public[Literal["mark", "over"]]
    turn: Public[int | None]
    cells: Public[tuple[int | None, ...]]
    left: Public[tuple[bool, ...]] = (False, False)


class Mark(Command, frozen=True):
    """Put the own mark on a cell."""

    cell: int


class Marked(Event, frozen=True):
    """A mark stands on a cell."""

    seat: Public[int]
    cell: Public[int]


@ruling("free-cell")
def free_cell(state: State, _by: Asker, command: Mark) -> str | None:
    """A mark goes on one of the nine cells that holds none."""
    if command.cell not in CELLS:
        return f"The cells are 0 to 8, and {command.cell} is none of them."
    return None if state.cells[command.cell] is None else f"Cell {command.cell} is taken."


def mark(at: At[State], command: Mark) -> Steps[State]:
    """The mark stands there, and it is the other's turn."""
    return (yield Marked(at.seat, command.cell))


def marked(state: State, event: Marked) -> State:
    """One mark more; with three in a row, or no cell left, it is over."""
    cells = put(state.cells, event.cell, event.seat)
    if None not in cells or winner(cells) is not None:
        return replace(state, phase="over", turn=None, cells=cells)
    return replace(state, turn=1 - event.seat, cells=cells)


def leave(state: State, seat: int) -> State:
    """The other seat wins."""
    return replace(state, phase="over", turn=None, left=put(state.left, seat, value=True))


def winner(cells: tuple[int | None, ...]) -> int | None:
    """The seat with three in a row."""
    rows = ({cells[cell] for cell in line} for line in LINES)
    return next((row.pop() for row in rows if len(row) == 1 and None not in row), None)


def outcome(state: State) -> Outcome | None:
    """The winner before the other; both first where nobody has three in a row."""
    if state.phase != "over":
        return None
    if any(state.left):
        places = [None if gone else 1 for gone in state.left]
        return Outcome("withdrawal", tuple(Standing(n, p, None) for n, p in enumerate(places)))
    won = winner(state.cells)
    rows = (Standing(seat, 1 if won in (seat, None) else 2, None) for seat in (0, 1))
    return Outcome("played-out", tuple(rows))


def forms(_state: State, _by: Asker) -> Iterator[Mark]:
    """Each cell, ascending."""
    return map(Mark, CELLS)


RULINGS: Final = """
[[ruling]]
id = "free-cell"
text = "A mark goes on one of the nine cells that holds none yet."
origin = "As everybody plays it"
"""

GAME: Final = Game(
    id="three-in-a-row",
    version=1,
    title="Three in a Row",
    about="Two marks, nine cells, three in a row.",
    players=(2,),
    state=State,
    commands=(rules_for(Mark, "mark", mark, free_cell, forms=forms),),
    events={Marked: EventRules(marked)},
    rulings=parse_rulings(RULINGS),
    start=lambda _options, _seats: State("mark", 0, (None,) * len(CELLS)),
    to_act=lambda state: () if state.turn is None else (state.turn,),
    outcome=outcome,
    leave=leave,
)
