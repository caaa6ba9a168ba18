"""What both pictures of Giganten read from a view: ground, pieces, what lies beside the board."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from referee.core.told.reading import View, at_rest, names_of, note_of, waited_for
from referee.core.told.words import count_of, listed
from referee.games.giganten.boards import SIZE, Shape
from referee.games.giganten.setup import face_of, shape_of
from referee.games.giganten.types import KINDS, Cell, LaidTile, Options

NAME_WIDTH: Final = 20
"""Columns of a terminal that a name takes in a picture."""

LAND: Final = "L"
SWAMP: Final = "S"
UNSEEN: Final = "?"
"""The ground of a cell whose tile is not shown yet."""
NOWHERE: Final = "."

Seen = Mapping[str, Any]
"""A part of a view: an object of JSON."""

_TASKS: Final = {
    "tiles": "Waiting for the tiles of {}.",
    "setup": "Waiting for {} to set up.",
    "play": "{} is to move.",
    "advance": "{} is asked to advance.",
}


def headline(view: View) -> str:
    """The game, how far a view's match has come, and why it stands still if it does."""
    state, status = view["state"], view["status"]
    stage = {"tiles": "laying the tiles", "setup": "setting up"}.get(
        state["phase"], f"turn {state['turn']}"
    )
    halted = [status] if status in ("paused", "void", "finished") else []
    return " · ".join(["Giganten", stage, *halted])


def call(view: View) -> str:
    """One sentence on whom the table waits for, or on why it waits for nobody."""
    task = _TASKS.get(view["state"]["phase"], "{}").format(waited_for(view, NAME_WIDTH))
    return at_rest(view, NAME_WIDTH) or task


# ── The board ───────────────────────────────────────────────────────────────────────────────────


def board_of(view: View) -> tuple[Shape, Sequence[str]]:
    """The shape of a view's board and its rows, the north row first.

    Tiles that the viewer may not see yet are `?`.
    """
    options = msgspec.convert(view["options"], Options)
    shape = shape_of(options, len(view["seats"]))
    return shape, view["state"]["board"] or _partly_laid(view["state"], options, shape)


def _partly_laid(state: Seen, options: Options, shape: Shape) -> list[str]:
    rows = [[NOWHERE] * shape.width for _ in range(shape.height)]
    laid = {seat: iter(tiles or ()) for seat, tiles in enumerate(state["laid"])}
    for spot in shape.spots:
        tile = next(laid[spot.seat], None)
        face = [UNSEEN * SIZE] * SIZE
        if tile is not None:
            face = list(face_of(options, spot, msgspec.convert(tile, LaidTile)))
        for south, line in enumerate(reversed(face)):
            rows[spot.y + south][spot.x : spot.x + SIZE] = line
    return ["".join(row) for row in reversed(rows)]


Piece = tuple[int, str | None, int]
"""A piece in its row: its x, its kind if the viewer knows it, its seat."""


def by_row(state: Seen) -> Mapping[int, Sequence[Piece]]:
    """The pieces of a view by their y."""
    rows = defaultdict[int, list[Piece]](list)
    for piece in state["pieces"]:
        x, y = piece["at"]
        rows[y].append((x, piece["kind"], piece["seat"]))
    return rows


def notes_of(state: Seen) -> dict[Cell, int]:
    """The secret traps that the viewer knows: cell and seat."""
    return {tuple(cell): seat for seat, cell in enumerate(state["secret_trap"]) if cell is not None}


# ── The seats ───────────────────────────────────────────────────────────────────────────────────


def seat_note(view: View, seat: int) -> str:
    """What there is to say of a seat itself: its place, that it withdrew, that it is to act."""
    return note_of(view, seat) or ("to act" if seat in view["to_act"] else "")


def to_lay(state: Seen, seat: int) -> Sequence[str]:
    """The tiles that a seat has still to lay, where the viewer may see them."""
    if state["phase"] != "tiles" or state["laid"][seat]:
        return ()
    tiles: Sequence[str] = state["tiles"][seat] or ()
    return tiles


def beside_the_board(state: Seen, seat: int) -> Iterator[tuple[str, str]]:
    """What lies beside the board for a seat, and what else is known of it: (what, which)."""
    laid = state["laid"][seat] or ()
    if state["phase"] == "tiles" and state["tiles"][seat]:
        how = ", ".join(f"{tile['tile']} at {tile['turn']}" for tile in laid)
        yield "tiles", f"{' '.join(state['tiles'][seat])}{f', laid {how}' if how else ''}"
    if state["lost"][seat]:
        yield "lost", counted(state["lost"][seat])
    if state["out"][seat]:
        yield "waiting", counted([waiting["kind"] for waiting in state["out"][seat]])
    if state["reserve_counts"][seat]:
        yield "reserve", _reserve(state, seat)
    if state["secret_trap"][seat] is not None:
        sprung = " (known to all)" if state["secret_trap_known"][seat] else ""
        yield "secret trap", place(state["secret_trap"][seat]) + sprung
    held = [piece for piece in state["pieces"] if piece["seat"] == seat and piece["held"]]
    if held:
        yield "held", listed([f"{place(one['at'])} for {one['held']}" for one in held])


def _reserve(state: Seen, seat: int) -> str:
    kinds = state["reserve"][seat]
    return count_of(state["reserve_counts"][seat], "piece") if kinds is None else counted(kinds)


def counted(kinds: Sequence[str]) -> str:
    """Kinds in their order, those that are there several times with their number.

    >>> counted(["stego", "tri", "stego"])
    'tri, stego ×2'
    """
    found = Counter(kinds)
    return ", ".join(
        kind if found[kind] == 1 else f"{kind} ×{found[kind]}" for kind in KINDS if found[kind]
    )


def place(cell: Sequence[int]) -> str:
    """A cell as people say it.

    >>> place([3, 5])
    '3,5'
    """
    return f"{cell[0]},{cell[1]}"


def names(view: View) -> list[str]:
    """What the players are called, by seat."""
    return names_of(view, NAME_WIDTH)
