"""The board of a view as one SVG that needs nothing from outside.

A piece that the viewer knows is a shield: its name, its strength on land to the left and in swamp
to the right. What it may not know is a back. Both have the id by which commands name them.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from referee.core.told.memoised import memoised
from referee.core.told.reading import View
from referee.core.told.safe import narrowed
from referee.core.told.svg import BOLD, FONT, MIDDLE, Svg, at, document, el, join, named, pieces_of
from referee.games.giganten.boards import SIZE, Shape
from referee.games.giganten.shown import reading
from referee.games.giganten.shown.reading import LAND, NOWHERE, SWAMP, UNSEEN

CELL: Final = 40
_LEFT: Final = 40
_TOP: Final = 84
_LINE: Final = 20
_SMALL: Final = 12
_TILE_LINES: Final = 5
"""A cell of a tile that is to be laid, and how many lines of type such tiles take."""
_NARROWEST: Final = 14 * CELL
_NAME_ROOM: Final = 200
_INK: Final = "#2d2a22"
_SOFT: Final = "#8a8370"
_PAPER: Final = "#f4f0e4"
_GROUND: Final = {LAND: "#9cbd6d", SWAMP: "#b98562", UNSEEN: "#d8d2c0"}
_RIM: Final = {LAND: "#86a85a", SWAMP: "#a06c4b", UNSEEN: "#c4bda9"}
_SEATS: Final = ("#f2d24b", "#e8853a", "#f6e9a6", "#f0b489")
"""Yellow backs for the south, orange ones for the north; partners are paler."""
_STRENGTHS: Final = {
    "tyra-7": (7, 1), "tyra-6": (6, 2), "tri": (5, 4), "dilo": (4, 2), "stego": (3, 3),
    "docus": (2, 5), "deino-2": (2, 6), "deino-1": (1, 7), "blitz": (8, 0), "nest": (0, 0),
    "flug": ("*", "*"), "culak": ("*", "*"),
}  # fmt: skip
_PIECES: Final = pieces_of(__package__)
_AXIS: Final = {"font_size": 11, "fill": _SOFT, **MIDDLE}
_KIND: Final = {"font_size": 8.5, **BOLD, **MIDDLE}
_ID: Final = {"font_size": 8, "fill": "#6b6450"}
_IN_LAND: Final = {"font_size": 9, "fill": "#2f7d32", **BOLD}
_IN_SWAMP: Final = {"font_size": 9, "fill": "#c25a12", "text_anchor": "end", **BOLD}
_HELD: Final = {"font_size": 9, "fill": "#fff", **BOLD, **MIDDLE}
_SEAT: Final = {"font_size": 15, **BOLD}
_NOTE: Final = {"font_size": 13}


def svg(view: View) -> str:
    """The board of a view as an SVG document."""
    shape, rows = reading.board_of(view)
    wide = _LEFT + max(_NARROWEST, shape.width * CELL) + _LEFT
    foot = _TOP + shape.height * CELL + 44
    beside = [
        list(reading.beside_the_board(view["state"], seat)) for seat in range(len(view["seats"]))
    ]
    high = foot + _LINE * sum(_lines(view, *each) for each in enumerate(beside)) + 12
    return document(
        wide,
        high,
        f"{reading.headline(view)}. {reading.call(view)}",
        el("rect", width=wide, height=high, rx=14, fill=_PAPER),
        el("text", reading.headline(view), x=_LEFT, y=34, font_size=24, **BOLD),
        el("text", reading.call(view), x=_LEFT, y=60, font_size=15),
        *_cells(shape, rows),
        _axes(shape.width, shape.height),
        *_notes(view["state"], shape),
        *(_piece(piece, _corner(shape, piece["at"])) for piece in view["state"]["pieces"]),
        *_pending(view["state"], shape),
        *_panels(view, beside, wide, foot),
        font_family=FONT,
        fill=_INK,
    )


# ── The board ───────────────────────────────────────────────────────────────────────────────────


def _corner(shape: Shape, cell: Sequence[int]) -> tuple[int, int]:
    """Where the upper left corner of a cell is drawn."""
    return _LEFT + cell[0] * CELL, _TOP + (shape.height - 1 - cell[1]) * CELL


def _cells(shape: Shape, rows: Sequence[str]) -> Iterator[Svg]:
    for y, row in enumerate(reversed(rows)):
        _left, top = _corner(shape, (0, y))
        yield _row(row, y, top)


@memoised
def _row(row: str, y: int, top: int) -> Svg:
    drawn = list[Svg]()
    for x, ground in enumerate(row):
        if ground != NOWHERE:
            square = el("rect", width=CELL, height=CELL, fill=_GROUND[ground], stroke=_RIM[ground])
            waves = [_PIECES["waves"]] if ground == SWAMP else []
            cell = named({"to": (x, y), "at": (x, y)}, square, *waves)
            drawn.append(at(_LEFT + x * CELL, top, cell))
    return join(drawn)


@memoised
def _axes(width: int, height: int) -> Svg:
    drawn, bottom = list[Svg](), _TOP + height * CELL + 16
    for x in range(width):
        drawn.append(el("text", x, x=_LEFT + x * CELL + CELL // 2, y=bottom, **_AXIS))
    for y in range(height):
        beside = bottom - 16 - CELL * (y + 1) + CELL // 2 + 4
        drawn.append(el("text", y, x=_LEFT - 14, y=beside, **_AXIS))
    return join(drawn)


def _notes(state: reading.Seen, shape: Shape) -> Iterator[Svg]:
    for seat, cell in enumerate(state["secret_trap"]):
        if cell is not None:
            ring = el(
                "circle", cx=20, cy=20, r=17, fill="none", stroke=_SEATS[seat], stroke_width=3,
                stroke_dasharray="5 3",
            )  # fmt: skip
            yield at(*_corner(shape, cell), ring, _PIECES["note"])


@memoised
def _piece(piece: reading.Seen, corner: tuple[int, int]) -> Svg:
    fill, kind = _SEATS[piece["seat"]], piece["kind"]
    shield = el("rect", x=4, y=4, width=32, height=32, rx=5, fill=fill, stroke=_INK)
    inside = [shield, *([_PIECES["back"]] if kind is None else _face(kind))]
    if piece["id"] is not None:
        inside.append(el("text", piece["id"], x=6, y=12, **_ID))
    if piece["held"]:
        inside.append(el("circle", cx=32, cy=8, r=7, fill="#8b1e1e"))
        inside.append(el("text", piece["held"], x=32, y=11, **_HELD))
    cell = piece["at"]
    names = {"piece": piece["id"], "challenge": cell, "to": cell, "at": cell}
    return at(*corner, named(names, *inside))


def _face(kind: str) -> Iterator[Svg]:
    yield el("text", kind.partition("-")[0].capitalize(), x=20, y=24, **_KIND)
    if kind in _STRENGTHS:
        land, swamp = _STRENGTHS[kind]
        yield el("text", land, x=7, y=34, **_IN_LAND)
        yield el("text", swamp, x=33, y=34, **_IN_SWAMP)


def _pending(state: reading.Seen, shape: Shape) -> Iterator[Svg]:
    """The cell into which the winner may step, and the winner."""
    if state["pending"] is None:
        return
    winner = next(p["at"] for p in state["pieces"] if p["id"] == state["pending"]["winner"])
    frame = {"rx": 6, "fill": "none", "stroke": "#8b1e1e", "stroke_width": 3}
    for cell, dashes in ((winner, None), (state["pending"]["to"], "6 4")):
        edge = el("rect", x=2, y=2, width=36, height=36, **frame, stroke_dasharray=dashes)
        yield at(*_corner(shape, cell), edge)


# ── The seats ───────────────────────────────────────────────────────────────────────────────────


def _lines(view: View, seat: int, beside: Sequence[tuple[str, str]]) -> int:
    """How many lines a seat's panel takes."""
    return 2 + len(beside) + (_TILE_LINES if reading.to_lay(view["state"], seat) else 0)


def _panels(
    view: View, beside: Sequence[Sequence[tuple[str, str]]], wide: int, top: int
) -> Iterator[Svg]:
    for seat, (name, lines) in enumerate(zip(reading.names(view), beside, strict=True)):
        said = name, f"{view['state']['moves_made'][seat]} moves", reading.seat_note(view, seat)
        yield _panel(seat, said, lines, (top, wide), seat in view["to_act"])
        for place, tile in enumerate(reading.to_lay(view["state"], seat)):
            x, y = _LEFT + 34 + (SIZE + 3) * _SMALL * place, top + _LINE * (len(lines) + 2) - 8
            yield at(x, y, _tile(tile, view["options"]["tiles"][tile]))
        top += _LINE * _lines(view, seat, lines)


@memoised
def _tile(tile: str, face: Sequence[str]) -> Svg:
    """A tile as it is printed, with its letter."""
    drawn = [el("text", tile, x=-12, y=_SMALL, **_NOTE)]
    for y, row in enumerate(face):
        for x, ground in enumerate(row):
            where = {"x": x * _SMALL, "y": y * _SMALL, "width": _SMALL, "height": _SMALL}
            drawn.append(el("rect", **where, fill=_GROUND[ground], stroke=_RIM[ground]))
    return join(drawn)


@memoised
def _panel(
    seat: int,
    said: tuple[str, str, str],
    lines: Sequence[tuple[str, str]],
    place: tuple[int, int],
    acts: bool,  # noqa: FBT001 - memoised functions know no names
) -> Svg:
    (name, made, note), (top, wide) = said, place
    box = {"x": _LEFT - 8, "y": top - 2, "width": wide - 2 * _LEFT + 16, "height": 30}
    drawn = [el("rect", rx=8, fill="#fff", stroke=_SOFT, **box)] if acts else []
    square = {"width": 20, "height": 20, "rx": 4}
    drawn += [
        el("rect", x=_LEFT, y=top + 3, **square, fill=_SEATS[seat], stroke=_INK),
        el("text", seat, x=_LEFT + 10, y=top + 17, **_KIND),
        el("text", narrowed(name, 15, _NAME_ROOM), x=_LEFT + 34, y=top + 19, **_SEAT),
        el("text", made, x=_LEFT + 260, y=top + 19, **_NOTE),
        el("text", note, x=_LEFT + 360, y=top + 19, **_NOTE),
    ]
    for row, (what, which) in enumerate(lines):
        words = narrowed(f"{what}: {which}", 13, wide - 2 * _LEFT - 40)
        drawn.append(el("text", words, x=_LEFT + 34, y=top + _LINE * (row + 2), **_NOTE))
    return join(drawn)
