"""The field and the seats of a view as one SVG that needs nothing from outside.

The cards are drawn as they lie, in laying order, each over those before it; the last one has a
bright rim. What the viewer may not know is None in a view, and drawn as a card's back.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any, Final

from referee.core.told.memoised import memoised
from referee.core.told.reading import View
from referee.core.told.safe import called, narrowed
from referee.core.told.svg import BOLD, FONT, MIDDLE, Svg, at, document, el, join, named, pieces_of
from referee.core.told.words import count_of
from referee.games.dragon_dance.cards import Printing, face, kind, look
from referee.games.dragon_dance.shown import reading

BOX: Final = 44
CARD: Final = 2 * BOX
WIDTH: Final = 1080
FIELD_TOP: Final = 76
FIELD_WIDTH: Final = WIDTH - 112
FIELD_HEIGHT: Final = 700
SEAT: Final = 74
SMALL: Final = 0.55
"""The scale of a card in a hand."""
HAND_LEFT: Final = 408
HAND_STEP: Final = 54
CALL_SIZE: Final = 16
CALL_ROOM: Final = (WIDTH - 56) * 10 // 9
"""How wide the sentence may get, as bold type: it is set in a plain one, about a tenth narrower."""
NAME_SIZE: Final = 18
HAND_RIGHT: Final = 170
"""What a hand leaves free at the right for a word about its seat."""
NAME_ROOM: Final = HAND_LEFT - 72 - 16
"""How wide a name may get in the picture."""

_INK: Final = "#2c2620"
_LAST: Final = "#fff3b0"
_DRAWN: Final = "#7b2d8b"
_PAINT: Final = {"R": "#c5392f", "Y": "#e6b53a", "G": "#3d9256", "B": "#2f6fb7"}
_TABLE: Final = {"rx": 16, "fill": "#1f5a45"}
_PIECES: Final = pieces_of(__package__)
_TITLE: Final = {"font_size": 26, **BOLD}
_NAME: Final = {"font_size": NAME_SIZE, **BOLD}
_NOTE: Final = {"font_size": 14, "fill": "#6a5d4d"}
_LETTER: Final = {"font_size": 13, "fill": "#fff", "fill_opacity": 0.9, **BOLD, **MIDDLE}
_AXIS: Final = {"font_size": 11, "fill": "#8fae9f", **MIDDLE}
_SCALES: Final = el("rect", width=CARD, height=CARD, fill="url(#dance-scales)")
_EDGE: Final = el("rect", width=CARD, height=CARD, rx=7, fill="none", stroke=_INK, stroke_width=2.4)


def svg(view: View) -> str:
    """The board of a view as an SVG document."""
    field = view["state"]["field"]
    columns, rows = reading.columns_and_rows(field)
    # The side of a box: the field, with one box of margin all round, fits its place.
    size = min(BOX, FIELD_WIDTH // (len(columns) + 2), FIELD_HEIGHT // (len(rows) + 2))
    left, bottom = (WIDTH - size * len(columns)) // 2, FIELD_TOP + size * (len(rows) + 2)
    height = bottom + SEAT * len(view["seats"]) + 68
    said = narrowed(reading.call(view), CALL_SIZE, CALL_ROOM)
    return document(
        WIDTH,
        height,
        "Dragon Dance",
        _PIECES["defs"],
        el("rect", width=WIDTH, height=height, rx=18, fill="#f5efe1"),
        el("text", reading.headline(view), x=28, y=46, **_TITLE),
        el("rect", x=16, y=FIELD_TOP - 8, width=WIDTH - 32, height=bottom - FIELD_TOP, **_TABLE),
        at(
            left,
            FIELD_TOP + size,
            _axes((columns.start, len(columns)), (rows.start, len(rows)), size),
            _cards(field, view["options"]["faces"], (columns.start, rows.start), size),
            *_boxes(view, columns, rows, size),
        ),
        *_seats(view, bottom),
        el("text", said, x=28, y=height - 26, font_size=CALL_SIZE),
        font_family=FONT,
        fill=_INK,
    )


# ── The field ───────────────────────────────────────────────────────────────────────────────────


@memoised
def _axes(columns: tuple[int, int], rows: tuple[int, int], size: int) -> Svg:
    """The numbers of so many columns and rows from the first on, at the upper and left edge."""
    (left, across), (top, down), middle = columns, rows, size // 2
    drawn = list[Svg]()
    for step in range(across):
        drawn.append(el("text", left + step, x=size * step + middle, y=-8, **_AXIS))
    for step in range(down):
        drawn.append(el("text", top + step, x=-16, y=size * step + middle + 4, **_AXIS))
    return join(drawn)


@memoised
def _cards(
    field: Sequence[Mapping[str, Any]], printing: Printing, corner: tuple[int, int], size: int
) -> Svg:
    left, top = corner
    drawn = list[Svg]()
    for number, placed in enumerate(field, 1):
        card, rim = placed["card"], _LAST if number == len(field) else None
        where = size * (placed["x"] - left), size * (placed["y"] - top)
        drawn.append(_card(card, printing, rim, placed["turned"], where, size / BOX))
    return join(drawn)


def _boxes(view: View, columns: range, rows: range, size: int) -> Iterator[Svg]:
    """For whoever is to act, each box that the upper left one of a card may come to lie on."""
    if view["viewer"] not in {f"seat {seat}" for seat in view["to_act"]}:
        return
    for y in (rows.start - 1, *rows):
        for x in (columns.start - 1, *columns):
            corner = {"x": size * (x - columns.start), "y": size * (y - rows.start)}
            box = el("rect", width=size, height=size, fill_opacity=0, **corner)
            yield named({"x-y": (x, y)}, box)


# ── A card ──────────────────────────────────────────────────────────────────────────────────────


@memoised
def _card(
    card: str,
    printing: Printing,
    rim: str | None,
    turned: bool,  # noqa: FBT001 - memoised functions know no names
    where: tuple[int, int],
    scale: float,
) -> Svg:
    x, y = where
    return at(x, y, *_face(card, printing, turned=turned), *_rim(rim), scale=scale)


def _face(card: str, printing: Printing, *, turned: bool = False) -> tuple[Svg, ...]:
    """What a card shows; its letters stand upright, also on a turned one."""
    paints = starmap(_paint, enumerate(face(card, printing)))
    letters = starmap(_letter, enumerate(look(card, printing, turned=turned).upper()))
    half_turn = f"rotate(180 {BOX} {BOX})" if turned else None
    below = el("g", *paints, _SCALES, _PIECES.get(kind(card), ""), transform=half_turn)
    return el("title", card), below, *letters, _EDGE


def _paint(index: int, letter: str) -> Svg:
    x, y = BOX * (index % 2), BOX * (index // 2)
    return el("rect", x=x, y=y, width=BOX, height=BOX, fill=_PAINT[letter])


def _letter(index: int, letter: str) -> Svg:
    x, y = 9 + (CARD - 18) * (index % 2), 15 + (CARD - 22) * (index // 2)
    return el("text", letter, x=x, y=y, **_LETTER)


def _rim(paint: str | None) -> Iterator[Svg]:
    side = CARD + 6
    line = {"rx": 11, "fill": "none", "stroke": paint, "stroke_width": 5}
    if paint is not None:
        yield el("rect", x=-3, y=-3, width=side, height=side, **line)


# ── The seats ───────────────────────────────────────────────────────────────────────────────────


def _seats(view: View, bottom: int) -> Iterator[Svg]:
    for entry in view["seats"]:
        seat = entry["seat"]
        name = narrowed(called(entry["name"], seat), NAME_SIZE, NAME_ROOM)
        top = bottom + SEAT * seat + 4
        said = name, _standing(view, seat), reading.note(view, seat)
        yield _seat(said, reading.dragon(view, seat), seat in view["to_act"], top)
        yield _held(view, seat, top + 10)


@memoised
def _seat(said: tuple[str, str, str], dragon: str, acts: bool, top: int) -> Svg:  # noqa: FBT001
    name, standing, note = said
    frame = {"x": 16, "y": top, "width": WIDTH - 32, "height": SEAT - 6, "rx": 12}
    body = {"black": _INK, "white": "#fdfbf5"}[dragon]
    right = {"x": WIDTH - 36, "text_anchor": "end"}
    return join(
        [
            *([el("rect", **frame, fill="#f0dfb4")] if acts else []),
            el("circle", cx=44, cy=top + 34, r=15, fill=body, stroke=_INK),
            el("text", name, x=72, y=top + 30, **_NAME),
            el("text", standing, x=72, y=top + 52, **_NOTE),
            el("text", note, y=top + 40, **right, **_NAME),
        ]
    )


def _held(view: View, seat: int, top: int) -> Svg:
    state, printing = view["state"], view["options"]["faces"]
    hand = state["hands"][seat] or (None,) * state["hand_counts"][seat]
    return _hand(hand, reading.just_drawn(view, seat), printing, top)


def _standing(view: View, seat: int) -> str:
    state = view["state"]
    points, total = count_of(state["points"][seat], "point"), state["total_points"][seat]
    won = state["rounds_won"][seat]
    return f"{reading.dragon(view, seat)} dragon · {points} · {total} in all · won {won}"


@memoised
def _hand(cards: Sequence[str | None], drawn: str | None, printing: Printing, top: int) -> Svg:
    """The cards of a seat, the one just drawn with a rim; backs where they are hidden."""
    step = min(HAND_STEP, (WIDTH - HAND_LEFT - HAND_RIGHT) // max(len(cards), 1))
    return join(
        _back(HAND_LEFT + step * number, top)
        if card is None
        else _shown(
            card, _DRAWN if card == drawn else None, printing, HAND_LEFT + step * number, top
        )
        for number, card in enumerate(cards)
    )


def _shown(card: str, rim: str | None, printing: Printing, x: int, top: int) -> Svg:
    return at(x, top, named({"card": card}, *_face(card, printing), *_rim(rim)), scale=SMALL)


def _back(x: int, top: int) -> Svg:
    side = round(CARD * SMALL)
    back = {"rx": 5, "fill": "url(#dance-back)", "stroke": _INK}
    return el("rect", x=x, y=top, width=side, height=side, **back)
