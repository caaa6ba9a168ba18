"""The field and the seats of a view as one SVG that needs nothing from outside.

The cards are drawn as they lie, in laying order, each over those before it; the last one has a
bright rim. Drawn from the view alone: what the viewer may not know is None there and is drawn
as a card's back. Names are untrusted and escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from referee.core.told.safe import called, narrowed, xml
from referee.games.dragon_dance.cards import kind
from referee.games.dragon_dance.surface import Frame, face_of, frame, letters
from referee.games.dragon_dance.words import (
    call,
    dragon,
    note,
    points,
    stage,
)

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

_PAINT: Final = {"R": "#c5392f", "Y": "#e6b53a", "G": "#3d9256", "B": "#2f6fb7"}
_STYLE: Final = (
    "text{font-family:'Trebuchet MS','Segoe UI',Verdana,sans-serif;fill:#2c2620}"
    f".title{{font-size:26px;font-weight:bold}}.name{{font-size:{NAME_SIZE}px;font-weight:bold}}"
    f".note{{font-size:14px;fill:#6a5d4d}}.call{{font-size:{CALL_SIZE}px}}"
    ".letter{font-size:13px;font-weight:bold;fill:#fff;fill-opacity:.9;text-anchor:middle}"
    ".axis{font-size:11px;fill:#8fae9f;text-anchor:middle}"
)
_DEFS: Final = (
    '<defs><pattern id="dance-scales" width="22" height="22" patternUnits="userSpaceOnUse">'
    '<path d="M0 11a11 11 0 0 0 22 0M-11 22a11 11 0 0 0 22 0M11 22a11 11 0 0 0 22 0M-11 0a11 11 '
    '0 0 0 22 0M11 0a11 11 0 0 0 22 0" fill="none" stroke="#fff" stroke-opacity=".38" '
    'stroke-width="1.6"/></pattern>'
    '<pattern id="dance-back" width="16" height="16" patternUnits="userSpaceOnUse">'
    '<path d="M0 0h16v16H0z" fill="#4b3b66"/><path d="M0 8a8 8 0 0 0 16 0M-8 16a8 8 0 0 0 16 0'
    'M8 16a8 8 0 0 0 16 0" fill="none" stroke="#a893c9" stroke-width="1.4"/></pattern></defs>'
)
_HEAD: Final = (
    '<path d="M14 40C10 24 18 12 34 10L40 2L45 10L57 3L56 12C70 15 80 24 79 36C66 33 60 37 52 41Z" '
    'fill="#fff7e3" stroke="#2c2620" stroke-width="2" stroke-linejoin="round"/>'
    '<circle cx="49" cy="21" r="4.5" fill="#2c2620"/><circle cx="50.5" cy="19.5" r="1.4" '
    'fill="#fff"/><path d="M74 27q2 1 3 3M58 33q8 -3 18 0" fill="none" stroke="#2c2620" '
    'stroke-width="2" stroke-linecap="round"/>'
)
_TAIL: Final = (
    '<path d="M18 44C18 66 40 58 50 62C62 66 60 80 78 74C70 86 50 84 44 76C34 70 8 74 10 44Z" '
    'fill="#fff7e3" fill-opacity=".85" stroke="#2c2620" stroke-width="2" stroke-linejoin="round"/>'
)
_EGG: Final = (
    '<path d="M44 9C60 9 73 34 73 50C73 68 60 79 44 79C28 79 15 68 15 50C15 34 28 9 44 9Z" '
    'fill="#fff7e3" fill-opacity=".55" stroke="#2c2620" stroke-width="2"/>'
    '<path d="M16 46l9 7l9 -8l10 8l10 -8l9 8l9 -7" fill="none" stroke="#2c2620" '
    'stroke-width="2" stroke-linejoin="round"/>'
)
_ART: Final = {"scale": "", "head": _TAIL + _HEAD, "egg": _EGG}


class Spot(NamedTuple):
    """Where the upper left corner of a card is in the picture, and how large the card is drawn."""

    x: int
    y: int
    scale: float


def svg(view: Mapping[str, Any]) -> str:
    """The board of a view (the JSON object of a match) as an SVG document."""
    around = frame(view)
    size = _box_size(around)
    bottom = FIELD_TOP + size * (around.bottom - around.top + 3)
    height = bottom + SEAT * len(view["seats"]) + 68
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="Dragon Dance"><style>{_STYLE}</style>{_DEFS}'
        f'<rect width="{WIDTH}" height="{height}" rx="18" fill="#f5efe1"/>'
        f'<text class="title" x="28" y="46">{xml(stage(view))}</text>'
    )
    parts = (*_field(view, around, size, bottom), *_seats(view, bottom))
    said = xml(narrowed(call(view), CALL_SIZE, CALL_ROOM))
    told = f'<text class="call" x="28" y="{height - 26}">{said}</text>'
    return head + "".join(parts) + told + "</svg>"


# ---------------------------------------------------------------- the field


def _box_size(around: Frame) -> int:
    """The side of a box in the picture, so that the field with a margin fits its place."""
    across, down = around.right - around.left + 3, around.bottom - around.top + 3
    return min(BOX, FIELD_WIDTH // across, FIELD_HEIGHT // down)


def _field(view: Mapping[str, Any], around: Frame, size: int, bottom: int) -> Iterator[str]:
    yield (
        f'<rect x="16" y="{FIELD_TOP - 8}" width="{WIDTH - 32}" height="{bottom - FIELD_TOP}" '
        f'rx="16" fill="#1f5a45"/>'
    )
    left = (WIDTH - size * (around.right - around.left + 1)) // 2
    top = FIELD_TOP + size
    yield from _axes(around, size, left, top)
    field = view["state"]["field"]
    for number, placed in enumerate(field):
        x, y = left + size * (placed["x"] - around.left), top + size * (placed["y"] - around.top)
        rim = _rim("#fff3b0") if number == len(field) - 1 else ""
        spot = Spot(x, y, size / BOX)
        yield _card(view, placed["card"], spot, turned=placed["turned"], rim=rim)


def _axes(around: Frame, size: int, left: int, top: int) -> Iterator[str]:
    """The numbers of the columns and the rows, at the field's upper and left edge."""
    middle = size // 2
    for x in range(around.left, around.right + 1):
        at = left + size * (x - around.left) + middle
        yield f'<text class="axis" x="{at}" y="{top - 8}">{x}</text>'
    for y in range(around.top, around.bottom + 1):
        at = top + size * (y - around.top) + middle + 4
        yield f'<text class="axis" x="{left - 16}" y="{at}">{y}</text>'


def _rim(paint: str) -> str:
    return (
        f'<rect x="-3" y="-3" width="{CARD + 6}" height="{CARD + 6}" rx="11" fill="none" '
        f'stroke="{paint}" stroke-width="5"/>'
    )


def _card(
    view: Mapping[str, Any], card: str, spot: Spot, *, turned: bool = False, rim: str = ""
) -> str:
    face = "".join(_box(index, letter) for index, letter in enumerate(letters(view, card)))
    half_turn = f' transform="rotate(180 {BOX} {BOX})"' if turned else ""
    upright = face_of(view, card, turned=turned)
    signs = "".join(_letter(index, letter) for index, (letter, _) in enumerate(upright))
    place = f"translate({spot.x} {spot.y}) scale({spot.scale:.3f})"
    return (
        f'<g transform="{place}"><title>{xml(card)}</title>'
        f"<g{half_turn}>{face}{_SCALES}{_ART[kind(card)]}</g>{signs}{_EDGE}{rim}</g>"
    )


_SCALES: Final = f'<rect width="{CARD}" height="{CARD}" fill="url(#dance-scales)"/>'
_EDGE: Final = (
    f'<rect width="{CARD}" height="{CARD}" rx="7" fill="none" stroke="#2c2620" stroke-width="2.4"/>'
)


def _box(index: int, letter: str) -> str:
    x, y = BOX * (index % 2), BOX * (index // 2)
    return f'<rect x="{x}" y="{y}" width="{BOX}" height="{BOX}" fill="{_PAINT[letter]}"/>'


def _letter(index: int, letter: str) -> str:
    x, y = 9 + (CARD - 18) * (index % 2), 15 + (CARD - 22) * (index // 2)
    return f'<text class="letter" x="{x}" y="{y}">{letter}</text>'


# ---------------------------------------------------------------- the seats


def _seats(view: Mapping[str, Any], bottom: int) -> Iterator[str]:
    for row, seat in enumerate(view["seats"]):
        yield from _seat(view, seat["seat"], bottom + SEAT * row + 4)


def _seat(view: Mapping[str, Any], seat: int, top: int) -> Iterator[str]:
    if seat in view["to_act"]:
        yield (
            f'<rect x="16" y="{top}" width="{WIDTH - 32}" height="{SEAT - 6}" rx="12" '
            'fill="#f0dfb4"/>'
        )
    body = "#fdfbf5" if view["state"]["rounds_won"][seat] else "#2c2620"
    name = narrowed(called(view["seats"][seat]["name"], seat), NAME_SIZE, NAME_ROOM)
    yield f'<circle cx="44" cy="{top + 34}" r="15" fill="{body}" stroke="#2c2620"/>'
    yield f'<text class="name" x="72" y="{top + 30}">{xml(name)}</text>'
    yield f'<text class="note" x="72" y="{top + 52}">{_standing(view, seat)}</text>'
    yield (
        f'<text class="name" x="{WIDTH - 36}" y="{top + 40}" text-anchor="end">'
        f"{note(view, seat)}</text>"
    )
    yield from _hand(view, seat, top + 10)


def _standing(view: Mapping[str, Any], seat: int) -> str:
    state = view["state"]
    won, total = state["rounds_won"][seat], state["total_points"][seat]
    return f"{dragon(won)} dragon · {points(state['points'][seat])} · {total} in all · won {won}"


def _hand(view: Mapping[str, Any], seat: int, top: int) -> Iterator[str]:
    count = view["state"]["hand_counts"][seat]
    hand = view["state"]["hands"][seat]
    step = min(HAND_STEP, (WIDTH - HAND_LEFT - HAND_RIGHT) // max(count, 1))
    for number in range(count):
        spot = Spot(HAND_LEFT + step * number, top, SMALL)
        yield _back(spot) if hand is None else _held(view, seat, hand[number], spot)


def _held(view: Mapping[str, Any], seat: int, card: str, spot: Spot) -> str:
    """A card in a hand; the one just drawn has a rim."""
    state = view["state"]
    drew = card == state["drawn"] and seat == state["turn"]
    return _card(view, card, spot, rim=_rim("#7b2d8b") if drew else "")


def _back(spot: Spot) -> str:
    side = round(CARD * spot.scale)
    return (
        f'<rect x="{spot.x}" y="{spot.y}" width="{side}" height="{side}" rx="5" '
        'fill="url(#dance-back)" stroke="#2c2620"/>'
    )
