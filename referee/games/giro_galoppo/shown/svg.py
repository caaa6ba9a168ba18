"""The race course of a view as one SVG that needs nothing from outside.

The track winds down the page, twenty spaces a row, and ends behind the line:

    gate  1  2  3  …  20 ┐
       ┌ 40 39 38  …  21 ┘
       └ 41 42 …

What the viewer may not know is None in a view, and drawn as a card's back.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from referee.core.told.memoised import memoised
from referee.core.told.reading import View
from referee.core.told.safe import called, narrowed
from referee.core.told.svg import BOLD, FONT, MIDDLE, Svg, at, document, el, join, named, pieces_of
from referee.games.giro_galoppo.shown import reading

CELL: Final = 46
PITCH: Final = 92
LEFT: Final = 136
TOP: Final = 132
SEAT: Final = 50
WIDTH: Final = LEFT + reading.PER_ROW * CELL + 100
NAME_LEFT: Final = 84
SPACE_LEFT: Final = 400
NAME_SIZE: Final = 17
NAME_ROOM: Final = SPACE_LEFT - NAME_LEFT - 16
"""How wide a name may get before what is said of its horse."""

_COATS: Final = ("#b83a2e", "#2a62a8", "#c98a00", "#2f7d4f", "#74479c")
_INK: Final = "#3a2c1c"

_PIECES: Final = pieces_of(__package__)
_NUMBER: Final = {"font_size": 10, "fill": "#5b5630", **MIDDLE}
_CARD: Final = {"font_size": 17, **BOLD, **MIDDLE}
_BADGE: Final = {"font_size": 11, "fill": "#fff", **BOLD, **MIDDLE}
_NAME: Final = {"font_size": NAME_SIZE, **BOLD}
_NOTE: Final = {"font_size": 15}


def svg(view: View) -> str:
    """The board of a view as an SVG document."""
    state = view["state"]
    bottom = TOP + (_row(_last(state["course"])) + 1) * PITCH - CELL // 2
    height = bottom + SEAT * len(view["seats"]) + 24
    return document(
        WIDTH,
        height,
        "Giro Galoppo",
        _PIECES["defs"],
        el("rect", width=WIDTH, height=height, rx=18, fill="#f4efe2"),
        *_heading(view, bottom),
        _course(state["course"]),
        *_horses(state["spaces"]),
        *_seats(view, bottom),
        font_family=FONT,
        fill=_INK,
    )


def _heading(view: View, bottom: int) -> Iterator[Svg]:
    yield el("text", reading.headline(view), x=28, y=44, font_size=28, **BOLD)
    yield el("rect", x=16, y=64, width=WIDTH - 32, height=bottom - 76, rx=16, fill="#b9cf8f")


# ── The course ──────────────────────────────────────────────────────────────────────────────────


@memoised
def _course(course: Mapping[str, Any]) -> Svg:
    last, length = _last(course), course["length"]
    ground = (
        el("path", d=_track(last), fill="none", stroke=colour, stroke_width=width)
        for colour, width in (("#8d6b3c", CELL + 4), ("#ecd3a0", CELL))
    )
    spaces = (named({"space": space}, *_on_space(course, space)) for space in range(1, last + 1))
    x, y = _far_end(length), TOP + _row(length) * PITCH
    line = el("rect", width=12, height=60, fill="url(#giro-line)", stroke="#222")
    return join([*ground, *_gate(), *spaces, at(x - 6, y - 30, line)])


def _last(course: Mapping[str, Any]) -> int:
    """The last space drawn."""
    return int(course["length"]) + reading.BEHIND


def _row(space: int) -> int:
    return (space - 1) // reading.PER_ROW


def _at(space: int) -> tuple[int, int]:
    """Where the middle of a space is; every second row runs from right to left."""
    row, column = divmod(space - 1, reading.PER_ROW)
    if row % 2:
        column = reading.PER_ROW - 1 - column
    return LEFT + column * CELL + CELL // 2, TOP + row * PITCH


def _track(last: int) -> str:
    """The path along the middle of the track, from the gate to the far end of the last space."""
    path = f"M{LEFT - 8} {TOP}"
    for row in range(_row(last)):
        end, y = LEFT + (0 if row % 2 else reading.PER_ROW * CELL), TOP + row * PITCH
        path += f"H{end}A{PITCH // 2} {PITCH // 2} 0 0 {1 - row % 2} {end} {y + PITCH}"
    return f"{path}H{_far_end(last)}"


def _far_end(space: int) -> int:
    """The x of the border between a space and the one after it."""
    x, _ = _at(space)
    return x + (-1 if _row(space) % 2 else 1) * CELL // 2


def _gate() -> Iterator[Svg]:
    ground = {"fill": "#d9b878", "stroke": "#8d6b3c", "stroke_width": 3}
    yield el("rect", x=28, y=TOP - 56, width=LEFT - 36, height=112, rx=10, **ground)
    bars = f"M{LEFT - 8} {TOP - 52}v104"
    yield el("path", d=bars, stroke=_INK, stroke_width=5, stroke_dasharray="9 4")


def _on_space(course: Mapping[str, Any], space: int) -> Iterator[Svg]:
    x, y = _at(space)
    corner = {"x": x - CELL // 2, "y": y - CELL // 2}
    yield el("rect", width=CELL, height=CELL, fill_opacity=0, **corner)
    border = f"M{_far_end(space)} {y - 21}v42"
    yield el("path", d=border, stroke="#cfae72", stroke_width=1.5)
    for kind in ("river", "moor", "obstacles"):
        if space in course[kind]:
            yield at(x, y, _PIECES[kind])
    yield el("text", space, **_NUMBER, x=x, y=y + CELL // 2 + 14)


# ── Horses ──────────────────────────────────────────────────────────────────────────────────────


def _horses(spaces: Sequence[int | None]) -> Iterator[Svg]:
    in_gate = [seat for seat, space in enumerate(spaces) if space == 0]
    for stall, seat in enumerate(in_gate):
        yield _horse(seat, 54 + stall % 2 * 44, TOP - 36 + stall // 2 * 36)
    for seat, space in enumerate(spaces):
        if space:
            yield _horse(seat, *_at(space))


@memoised
def _horse(seat: int, x: int, y: int) -> Svg:
    coat = _COATS[seat % len(_COATS)]
    return at(
        x,
        y,
        el("circle", r=17, fill=coat, stroke="#fff", stroke_width=2.5),
        _PIECES["horse"],
        el("circle", cx=12, cy=11, r=8, fill=_INK, stroke="#fff", stroke_width=1.5),
        el("text", seat, **_BADGE, x=12, y=15),
    )


# ── The seats ───────────────────────────────────────────────────────────────────────────────────


def _seats(view: View, bottom: int) -> Iterator[Svg]:
    for entry in view["seats"]:
        seat = entry["seat"]
        name = narrowed(called(entry["name"], seat), NAME_SIZE, NAME_ROOM)
        where = reading.space_named(view["state"]["spaces"][seat])
        said = name, where, reading.note(view, seat)
        top = bottom + 4 + SEAT * seat
        yield _seat(seat, said, seat in view["to_act"], top)
        yield _cards(reading.hand(view["state"], seat), _chosen(view["state"], seat), top + 5)


@memoised
def _seat(seat: int, said: tuple[str, str, str], acts: bool, top: int) -> Svg:  # noqa: FBT001
    fill = "#fbe6a4" if acts else "#fffaf0"
    name, where, note = said
    return join(
        [
            el("rect", x=16, y=top, width=WIDTH - 32, height=SEAT - 6, rx=10, fill=fill),
            _horse(seat, 48, top + 22),
            el("text", name, x=NAME_LEFT, y=top + 28, **_NAME),
            el("text", where, x=SPACE_LEFT, y=top + 28, **_NOTE),
            el("text", note, x=790, y=top + 28, **_NOTE),
        ]
    )


def _chosen(state: Mapping[str, Any], seat: int) -> list[int | None]:
    """The card laid face down, if one is."""
    return [state["chosen"][seat]] if state["has_chosen"][seat] else []


@memoised
def _cards(hand: list[int | None], chosen: Sequence[int | None], top: int) -> Svg:
    """The hand, and apart from it the card laid face down."""
    for card in chosen:
        hand.remove(card)
    laid = [_card(card, 750, top) for card in chosen]
    return join([*laid, *(_card(card, 540 + 32 * at, top) for at, card in enumerate(hand))])


def _card(card: int | None, x: int, top: int) -> Svg:
    fill = "url(#giro-back)" if card is None else "#fff"
    number = () if card is None else (el("text", card, **_CARD, x=14, y=23),)
    edge = {"stroke": _INK, "stroke_width": 1.5}
    face = el("rect", width=28, height=34, rx=4, fill=fill, **edge)
    return at(x, top, named({"card": card}, face, *number))
