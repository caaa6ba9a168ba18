"""The board of a view as text for a terminal, four columns a cell, or three where it is wide.

Upper case and ▪▪ stand on land, lower case and ~~ in swamp; the digit is the seat::

    13  ▪▪1  ·  ~~1 ~~
     0  TR0 tr0 ~~   ·
         0   1   2   3
"""

from collections.abc import Iterator, Sequence
from typing import Final

from referee.core.told.memoised import memoised
from referee.core.told.reading import View
from referee.core.told.safe import cut, fit
from referee.games.giganten.boards import Shape
from referee.games.giganten.shown import reading
from referee.games.giganten.shown.reading import LAND, NOWHERE, SWAMP, UNSEEN, Piece

WIDEST: Final = 100
_MARGIN: Final = 4
_CELL: Final = 3
"""Columns of what stands in a cell; one more where there is room, one in all where not."""

CODES: Final = {
    "tyra-7": "T7", "tyra-6": "T6", "tri": "TR", "dilo": "DI", "stego": "ST", "docus": "DO",
    "deino-2": "D2", "deino-1": "D1", "flug": "FL", "blitz": "BL", "nest": "NE", "culak": "CU",
    "ghost": "GH", "trap": "TP",
}  # fmt: skip
_BACKS: Final = {LAND: "▪▪", SWAMP: "~~", UNSEEN: "??"}
_EMPTY: Final = {LAND: " · ", SWAMP: "~~ ", UNSEEN: " ? ", NOWHERE: "   "}
_LEGEND: Final = (
    "    TR0 on land   tr0 in swamp   ▪▪1 ~~1 a back   · land   ~~ swamp   × a secret trap",
    "    the digit is the seat: 0 and 2 the south, 1 and 3 the north",
)


def text(view: View) -> str:
    """The board of a view for a terminal, at most 100 columns wide."""
    lines = [
        reading.headline(view), "", *_board(view), "", *_LEGEND, "",
        *_seats(view), *_own_pieces(view), "", f"  {reading.call(view)}",
    ]  # fmt: skip
    return "\n".join(cut(line.rstrip(), WIDEST) for line in lines)


# ── The board ───────────────────────────────────────────────────────────────────────────────────


def _board(view: View) -> Iterator[str]:
    shape, rows = reading.board_of(view)
    widths = (_CELL + 1, _CELL, 1)
    wide = next(wide for wide in widths if shape.width * wide + _MARGIN <= WIDEST)
    pieces, notes = reading.by_row(view["state"]), reading.notes_of(view["state"])
    for south, row in enumerate(rows, 1):
        y = shape.height - south
        yield _row(y, row, pieces[y], [cell[0] for cell in notes if cell[1] == y], wide)
    yield from _columns(shape, wide)


@memoised
def _row(y: int, row: str, pieces: Sequence[Piece], notes: Sequence[int], wide: int) -> str:
    standing = {x: (kind, seat) for x, kind, seat in pieces}
    cells = (_cell(ground, standing.get(x), x in notes) for x, ground in enumerate(row))
    return f"{y:>3} " + "".join(_fitted(cell, wide) for cell in cells)


def _columns(shape: Shape, wide: int) -> Iterator[str]:
    if wide >= _CELL:
        yield " " * _MARGIN + "".join(f"{x:^{_CELL}}".ljust(wide) for x in range(shape.width))
    else:
        yield " " * _MARGIN + "".join(f"{x:<5}" for x in range(0, shape.width, 5))


def _cell(ground: str, piece: tuple[str | None, int] | None, noted: bool) -> str:  # noqa: FBT001
    if piece is None:
        return _EMPTY[ground][0] + "× " if noted else _EMPTY[ground]
    kind, seat = piece
    code = CODES.get(kind or "", _BACKS[ground])
    return f"{code.lower() if ground == SWAMP else code}{seat}"


def _fitted(cell: str, wide: int) -> str:
    """A cell in its columns; in one alone the seat, or what is in the middle."""
    if wide >= _CELL:
        return cell.ljust(wide)
    return cell[2] if cell[2].isdigit() else cell[1]


# ── Beside it ───────────────────────────────────────────────────────────────────────────────────


def _seats(view: View) -> Iterator[str]:
    state = view["state"]
    for seat, name in enumerate(reading.names(view)):
        made = f"{state['moves_made'][seat]} moves"
        note = reading.seat_note(view, seat)
        yield f"  {seat}  {fit(name, reading.NAME_WIDTH)}  {made:<10} {note}"
        for what, which in reading.beside_the_board(state, seat):
            yield f"     {what}: {which}"


def _own_pieces(view: View) -> Iterator[str]:
    """For a seat the ids of its own pieces, which its commands name."""
    viewer = view["viewer"].removeprefix("seat ")
    own = [piece for piece in view["state"]["pieces"] if str(piece["seat"]) == viewer]
    if not own or own[0]["id"] is None:
        return
    yield ""
    entries = [f"{one['id']:>3} {one['kind']} {reading.place(one['at'])}" for one in own]
    for first in range(0, len(entries), 5):
        yield "  " + "".join(f"{entry:<19}" for entry in entries[first : first + 5])
