"""The field and the seats of a view as one SVG that needs nothing from outside.

The cards are drawn as they lie, in laying order, each over those before it; the last one has a
bright rim. What the viewer may not know is None in a view, and drawn as a card's back.
"""

from collections.abc import Iterator
from itertools import starmap
from typing import Final

from referee.core.told.reading import View
from referee.core.told.safe import called, narrowed
from referee.core.told.svg import BOLD, FONT, MIDDLE, Svg, at, document, el, named, pieces_of
from referee.core.told.words import count_of
from referee.games.dragon_dance.cards import face, kind, look
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
    columns, rows = reading.columns_and_rows(view)
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
            *_axes(columns, rows, size),
            *_cards(view, columns, rows, size),
            *_boxes(view, columns, rows, size),
        ),
        *_seats(view, bottom),
        el("text", said, x=28, y=height - 26, font_size=CALL_SIZE),
        font_family=FONT,
        fill=_INK,
    )


# ── The field ───────────────────────────────────────────────────────────────────────────────────


def _axes(columns: range, rows: range, size: int) -> Iterator[Svg]:
    """The numbers of the columns and the rows, at the field's upper and left edge."""
    middle = size // 2
    for step, x in enumerate(columns):
        yield el("text", x, x=size * step + middle, y=-8, **_AXIS)
    for step, y in enumerate(rows):
        yield el("text", y, x=-16, y=size * step + middle + 4, **_AXIS)


def _cards(view: View, columns: range, rows: range, size: int) -> Iterator[Svg]:
    field = view["state"]["field"]
    for number, placed in enumerate(field, 1):
        x, y = size * columns.index(placed["x"]), size * rows.index(placed["y"])
        rim = _rim(_LAST) if number == len(field) else Svg()
        card = _card(view, placed["card"], rim, turned=placed["turned"])
        yield at(x, y, *card, scale=size / BOX)


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


def _card(view: View, card: str, rim: Svg, *, turned: bool = False) -> tuple[Svg, ...]:
    """What a card shows; its letters stand upright, also on a turned one."""
    printing = view["options"]["faces"]
    paints = starmap(_paint, enumerate(face(card, printing)))
    letters = starmap(_letter, enumerate(look(card, printing, turned=turned).upper()))
    half_turn = f"rotate(180 {BOX} {BOX})" if turned else None
    below = el("g", *paints, _SCALES, _PIECES.get(kind(card), ""), transform=half_turn)
    return el("title", card), below, *letters, _EDGE, rim


def _paint(index: int, letter: str) -> Svg:
    x, y = BOX * (index % 2), BOX * (index // 2)
    return el("rect", x=x, y=y, width=BOX, height=BOX, fill=_PAINT[letter])


def _letter(index: int, letter: str) -> Svg:
    x, y = 9 + (CARD - 18) * (index % 2), 15 + (CARD - 22) * (index // 2)
    return el("text", letter, x=x, y=y, **_LETTER)


def _rim(paint: str) -> Svg:
    side = CARD + 6
    line = {"rx": 11, "fill": "none", "stroke": paint, "stroke_width": 5}
    return el("rect", x=-3, y=-3, width=side, height=side, **line)


# ── The seats ───────────────────────────────────────────────────────────────────────────────────


def _seats(view: View, bottom: int) -> Iterator[Svg]:
    for entry in view["seats"]:
        seat = entry["seat"]
        name = narrowed(called(entry["name"], seat), NAME_SIZE, NAME_ROOM)
        yield from _seat(view, seat, name, bottom + SEAT * seat + 4)


def _seat(view: View, seat: int, name: str, top: int) -> Iterator[Svg]:
    if seat in view["to_act"]:
        yield el("rect", x=16, y=top, width=WIDTH - 32, height=SEAT - 6, rx=12, fill="#f0dfb4")
    body = {"black": _INK, "white": "#fdfbf5"}[reading.dragon(view, seat)]
    yield el("circle", cx=44, cy=top + 34, r=15, fill=body, stroke=_INK)
    yield el("text", name, x=72, y=top + 30, **_NAME)
    yield el("text", _standing(view, seat), x=72, y=top + 52, **_NOTE)
    right = {"x": WIDTH - 36, "text_anchor": "end"}
    yield el("text", reading.note(view, seat), y=top + 40, **right, **_NAME)
    yield from _hand(view, seat, top + 10)


def _standing(view: View, seat: int) -> str:
    state = view["state"]
    points, total = count_of(state["points"][seat], "point"), state["total_points"][seat]
    won = state["rounds_won"][seat]
    return f"{reading.dragon(view, seat)} dragon · {points} · {total} in all · won {won}"


def _hand(view: View, seat: int, top: int) -> Iterator[Svg]:
    """The cards of a seat, the one just drawn with a rim; backs where they are hidden."""
    count, hand = view["state"]["hand_counts"][seat], view["state"]["hands"][seat]
    step = min(HAND_STEP, (WIDTH - HAND_LEFT - HAND_RIGHT) // max(count, 1))
    for number, card in enumerate(hand or (None,) * count):
        x = HAND_LEFT + step * number
        if card is None:
            yield _back(x, top)
        else:
            rim = _rim(_DRAWN) if card == reading.just_drawn(view, seat) else Svg()
            yield at(x, top, named({"card": card}, *_card(view, card, rim)), scale=SMALL)


def _back(x: int, top: int) -> Svg:
    side = round(CARD * SMALL)
    back = {"rx": 5, "fill": "url(#dance-back)", "stroke": _INK}
    return el("rect", x=x, y=top, width=side, height=side, **back)
