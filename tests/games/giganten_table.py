"""Situations of Giganten to try rulings in: pieces on cells, grounds, whose turn it is.

table = battle("0 stego 5,5", "1 dilo 5,7")        # ids 1 and 2, all land, seat 0 to move
table.when(0, go(1, (5, 6), (5, 7)))               # piece 1 to 5,6, challenging 5,7
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from referee.core.game import BadOptions, Command, Event, Outcome, complete_options
from referee.core.ruling import Refusal
from referee.core.visibility import Scope, Viewer, redact
from referee.games.giganten import GAME, events
from referee.games.giganten.boards import terrain
from referee.games.giganten.placing import own_area, spelled_out
from referee.games.giganten.setup import set_of
from referee.games.giganten.types import (
    Cell,
    Challenge,
    DoubleMove,
    LaidTile,
    LayTiles,
    Move,
    Options,
    Piece,
    PlacedPiece,
    SetUp,
    State,
    Step,
)
from tests.games.table import Table

BYSTANDERS = {
    2: ("0 nest 12,0", "0 docus 13,1", "1 nest 1,13", "1 docus 0,12"),
    4: (
        *("0 nest 1,0", "0 docus 0,1", "1 nest 1,13", "1 docus 0,12"),
        *("2 nest 26,0", "2 docus 27,1", "3 nest 26,13", "3 docus 27,12"),
    ),
}
"""By number of seats, pieces far away that keep everybody in the game; ids from 101."""


def piece(words: str, number: int | None) -> Piece:
    """`"0 stego 5,5"`: a stego of seat 0 on 5,5; `"0 stego 5,5 held 2"`, `"1 trap 3,9 known"`."""
    seat, kind, at, *more = words.split()
    x, y = at.split(",")
    held = int(more[1]) if "held" in more else 0
    return Piece(number, int(seat), kind, (int(x), int(y)), held, "known" in more)  # type: ignore[arg-type]


def battle(
    *pieces: str,
    seats: int = 2,
    swamp: Iterable[Cell] = (),
    bystanders: bool = True,
    to_move: int = 0,
    made: int = 5,
    **options: Any,
) -> Table:
    """A table in play, each seat after `made` moves; the pieces have ids from 1 as they stand."""
    table = Table(GAME, seats=seats, options=options)
    state: State = table.state
    stood = [piece(words, number) for number, words in enumerate(pieces, 1)]
    if bystanders:
        stood += [piece(words, number) for number, words in enumerate(BYSTANDERS[seats], 101)]
    wet = set(swamp)
    rows = [
        "".join("S" if (x, y) in wet else "L" for x in range(state.shape.width))
        for y in reversed(range(state.shape.height))
    ]
    table.given(
        phase="play",
        turn=20,
        moves_made=(made,) * seats,
        board=tuple(rows),
        ready=(True,) * seats,
    )
    return turn_of(table.given(**_fields(events.with_pieces(table.state, stood))), to_move)


def _fields(state: State) -> dict[str, Any]:
    return {"pieces": state.pieces, "ids": state.ids, "grid": state.grid}


def turn_of(table: Table, seat: int) -> Table:
    """The turn of a seat begins: what is settled then is settled anew."""
    table.state = events._turn_of(table.state, seat)
    return table


def go(number: int, to: Cell, challenge: Cell | None = None) -> Move:
    """A piece goes to a cell, and perhaps challenges."""
    return Move(number, to, UNSET if challenge is None else challenge)


def twice(*moves: tuple[int, Cell], challenge: tuple[int, Cell] | None = None) -> DoubleMove:
    """A double move of (piece, to) once or twice."""
    steps = tuple(Step(*move) for move in moves)
    return DoubleMove(steps, UNSET if challenge is None else Challenge(*challenge))


def refused(table: Table, seat: int, command: Command) -> tuple[str, str]:
    """The ruling that refuses a command, and its sentence."""
    with pytest.raises(Refusal) as caught:
        table.when(seat, command)
    return caught.value.ruling, caught.value.detail


def only(events: Sequence[Event], kind: type[Any]) -> list[Any]:
    """The events of one type."""
    return [event for event in events if isinstance(event, kind)]


def kinds(events: Sequence[Event]) -> list[str]:
    """The types of events, as they stand in JSON."""
    return [str(type(event).__struct_config__.tag) for event in events]


def at(table: Table, cell: Cell) -> Piece | None:
    """Who stands on a cell."""
    piece: Piece | None = table.state.occupant(cell)
    return piece


def by_id(table: Table, number: int) -> Piece | None:
    """The piece with that id, where it is on the board."""
    piece: Piece | None = table.state.standing(number)
    return piece


def result(table: Table) -> Outcome:
    """How the match ended."""
    outcome = GAME.outcome(table.state)
    assert outcome is not None
    return outcome


def places(table: Table) -> dict[int, tuple[int | None, Any]]:
    """Place and score by seat."""
    return {row.seat: (row.place, row.score) for row in result(table).ranking}


def seen(table: Table, viewer: Viewer) -> dict[str, Any]:
    """The state as a viewer's JSON has it."""
    shown = redact(table.state, Scope(viewer, table.state))
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(shown))
    return plain


def told(event: Event, viewer: Viewer) -> dict[str, Any]:
    """An event as a viewer's JSON has it."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(redact(event, Scope(viewer))))
    return plain


def errors(options: dict[str, Any], seats: int = 2) -> dict[str, str]:
    """What is wrong with options: path → message, or nothing."""
    try:
        complete_options(GAME, msgspec.convert(options, Options), seats)
    except BadOptions as bad:
        return dict(bad.errors)
    return {}


# ── Before play ─────────────────────────────────────────────────────────────────────────────────


def unturned(*tiles: str) -> LayTiles:
    """Tiles laid as they are."""
    return LayTiles(tuple(LaidTile(tile, 0) for tile in tiles))  # type: ignore[arg-type]


def laid(seats: int = 2, **options: Any) -> Table:
    """A table at which all tiles lie as they were drawn."""
    table = Table(GAME, seats=seats, options=options)
    for seat in range(seats):
        table.when(seat, unturned(*table.state.tiles[seat]))
    return table


def some_set_up(table: Table, seat: int, **more: Any) -> SetUp:
    """A lawful set-up of a seat: its pieces in the area's free cells from the west on.

    `nest`: where the nest stands; `reserve`, `secret_trap` as in the command.
    """
    state: State = table.state
    taken = {one.at for one in state.pieces}
    cells = sorted(cell for cell in own_area(state, seat) if cell not in taken)
    if seat >= 2:
        cells.reverse()
    dry = [cell for cell in cells if terrain(state.board or (), cell) == "L"]
    nest = more.pop("nest", next(cell for cell in dry if cell not in state.shape.corners))
    blitz = next(cell for cell in dry if cell != nest)
    left = set_of(state.options)
    left.subtract(("nest", "blitz", *more.get("reserve", ())))
    rest = (cell for cell in cells if cell not in (nest, blitz))
    others = [PlacedPiece(kind, cell) for kind, cell in zip(spelled_out(left), rest, strict=False)]
    return SetUp((PlacedPiece("nest", nest), PlacedPiece("blitz", blitz), *others), **more)


def ready(seats: int = 2, more: dict[int, dict[str, Any]] | None = None, **options: Any) -> Table:
    """A table at which everybody has set up; `more` by seat as for `some_set_up`."""
    table = laid(seats, **options)
    for seat in range(seats):
        table.when(seat, some_set_up(table, seat, **(more or {}).get(seat, {})))
    return table


def moved_to(set_up: SetUp, kind: str, cell: Cell) -> SetUp:
    """A set-up with the first piece of a kind on another cell."""
    place = next(n for n, one in enumerate(set_up.pieces) if one.kind == kind)
    pieces = list(set_up.pieces)
    pieces[place] = PlacedPiece(kind, cell)  # type: ignore[arg-type]
    return replace(set_up, pieces=tuple(pieces))


def swapped_to(set_up: SetUp, kind: str, cell: Cell) -> SetUp:
    """A set-up whose first piece of a kind has changed places with who stands on a cell."""
    place = next(n for n, one in enumerate(set_up.pieces) if one.kind == kind)
    left = set_up.pieces[place].at
    exchanged = {left: cell, cell: left}
    pieces = [replace(one, at=exchanged.get(one.at, one.at)) for one in set_up.pieces]
    return replace(set_up, pieces=tuple(pieces))


def ground_of(table: Table, dry: Iterable[Cell]) -> tuple[str, ...]:
    """A board on which these cells alone are land."""
    land, shape = frozenset(dry), table.state.shape
    return tuple(
        "".join("L" if (x, y) in land else "S" for x in range(shape.width))
        for y in reversed(range(shape.height))
    )
