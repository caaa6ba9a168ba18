"""The race course of a view as one SVG that needs nothing from outside.

The track winds down the page, twenty spaces a row, and ends behind the line::

    gate  1  2  3  …  20 ┐
       ┌ 40 39 38  …  21 ┘
       └ 41 42 …

Drawn from the view alone: what the viewer may not know is None there and is drawn as a card's
back. Names are untrusted and escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from referee.core.told.safe import called, narrowed, xml
from referee.games.giro_galoppo.words import place, stage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PER_ROW: Final = 20
BEHIND: Final = 6
"""Spaces drawn behind the line: the highest card, played from the last space, ends there."""

CELL: Final = 46
PITCH: Final = 92
LEFT: Final = 136
TOP: Final = 132
SEAT: Final = 50
WIDTH: Final = LEFT + PER_ROW * CELL + 100
NAME_LEFT: Final = 84
SPACE_LEFT: Final = 400
NAME_SIZE: Final = 17
NAME_ROOM: Final = SPACE_LEFT - NAME_LEFT - 16
"""How wide a name may get before what is said of its horse."""

_COATS: Final = ("#b83a2e", "#2a62a8", "#c98a00", "#2f7d4f", "#74479c")
_INK: Final = "#3a2c1c"

_STYLE: Final = (
    "text{font-family:'Trebuchet MS','Segoe UI',Verdana,sans-serif;fill:#3a2c1c}"
    ".number{font-size:10px;fill:#5b5630;text-anchor:middle}"
    ".card{font-size:17px;font-weight:bold;text-anchor:middle}"
    ".badge{font-size:11px;font-weight:bold;fill:#fff;text-anchor:middle}"
    f".name{{font-size:{NAME_SIZE}px;font-weight:bold}}"
    ".note{font-size:15px}"
)
_DEFS: Final = (
    '<defs><pattern id="giro-line" width="12" height="12" patternUnits="userSpaceOnUse">'
    '<path d="M0 0h12v12H0z" fill="#fff"/><path d="M0 0h6v6H0zM6 6h6v6H6z" fill="#222"/></pattern>'
    '<pattern id="giro-back" width="6" height="6" patternUnits="userSpaceOnUse">'
    '<path d="M0 0h6v6H0z" fill="#7d8fa6"/><path d="M0 3L3 0L6 3L3 6z" fill="#a9b7c8"/></pattern>'
    "</defs>"
)

_RIVER: Final = (
    '<rect x="-20" y="-20" width="40" height="40" rx="9" fill="#5aa9d6"/>'
    '<path d="M-16 -8q4 -5 8 0t8 0t8 0t8 0M-16 0q4 -5 8 0t8 0t8 0t8 0M-16 8q4 -5 8 0t8 0t8 0t8 0" '
    'fill="none" stroke="#e2f3fb" stroke-width="2" stroke-linecap="round"/>'
)
_MOOR: Final = (
    '<rect x="-20" y="-20" width="40" height="40" rx="9" fill="#75804a"/>'
    '<ellipse cy="7" rx="15" ry="6" fill="#555f38"/>'
    '<path d="M-9 8q-1 -12 -5 -18M-4 9q0 -12 1 -21M3 9q1 -11 4 -17M8 8q1 -9 6 -14" '
    'fill="none" stroke="#d7dd9a" stroke-width="2" stroke-linecap="round"/>'
)
_HURDLE: Final = (
    '<path d="M-14 -15v29M14 -15v29" stroke="#6a4a2a" stroke-width="4" stroke-linecap="round"/>'
    '<path d="M-14 -9h28M-14 2h28" stroke="#fff" stroke-width="6"/>'
    '<path d="M-14 -9h28M-14 2h28" stroke="#c23b2e" stroke-width="6" stroke-dasharray="7 7"/>'
)
_HORSE: Final = (
    "M-9 12C-9 4 -3 2 -3 -2L-9 0.5C-10.5 1.2 -12.5 -0.5 -12 -2L-6 -9L-5.5 -13L-2 -10.5"
    "C5 -10.5 9 -4 9 12Z"
)


def svg(view: Mapping[str, Any]) -> str:
    """The board of a view (the JSON object of a match) as an SVG document."""
    bottom = TOP + (_row(_last(view)) + 1) * PITCH - CELL // 2
    height = bottom + SEAT * len(view["seats"]) + 24
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="Giro Galoppo"><style>{_STYLE}</style>{_DEFS}'
        f'<rect width="{WIDTH}" height="{height}" rx="18" fill="#f4efe2"/>'
    )
    parts = (*_heading(view, bottom), *_course(view), *_horses(view), *_seats(view, bottom))
    return head + "".join(parts) + "</svg>"


def _heading(view: Mapping[str, Any], bottom: int) -> Iterator[str]:
    yield f'<text x="28" y="44" font-size="28" font-weight="bold">{xml(stage(view))}</text>'
    yield (
        f'<rect x="16" y="64" width="{WIDTH - 32}" height="{bottom - 76}" rx="16" fill="#b9cf8f"/>'
    )


# ---------------------------------------------------------------- the course


def _course(view: Mapping[str, Any]) -> Iterator[str]:
    path = _track(_last(view))
    for colour, width in (("#8d6b3c", CELL + 4), ("#ecd3a0", CELL)):
        yield f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'
    yield _gate()
    for space in range(1, _last(view) + 1):
        yield _space(view["state"]["course"], space)
    yield _finish(view["state"]["course"]["length"])


def _last(view: Mapping[str, Any]) -> int:
    """The last space drawn."""
    return int(view["state"]["course"]["length"]) + BEHIND


def _row(space: int) -> int:
    return (space - 1) // PER_ROW


def _at(space: int) -> tuple[int, int]:
    """Where the middle of a space is; every second row runs from right to left."""
    row, column = divmod(space - 1, PER_ROW)
    if row % 2:
        column = PER_ROW - 1 - column
    return LEFT + column * CELL + CELL // 2, TOP + row * PITCH


def _track(last: int) -> str:
    """The path along the middle of the track, from the gate to the far end of the last space."""
    path = f"M{LEFT - 8} {TOP}"
    for row in range(_row(last)):
        end, y = LEFT + (0 if row % 2 else PER_ROW * CELL), TOP + row * PITCH
        path += f"H{end}A{PITCH // 2} {PITCH // 2} 0 0 {1 - row % 2} {end} {y + PITCH}"
    return f"{path}H{_far_end(last)}"


def _far_end(space: int) -> int:
    """The x of the border between a space and the one after it."""
    x, _ = _at(space)
    return x + (-1 if _row(space) % 2 else 1) * CELL // 2


def _gate() -> str:
    return (
        f'<rect x="28" y="{TOP - 56}" width="{LEFT - 36}" height="112" rx="10" '
        f'fill="#d9b878" stroke="#8d6b3c" stroke-width="3"/>'
        f'<path d="M{LEFT - 8} {TOP - 52}v104" stroke="{_INK}" stroke-width="5" '
        'stroke-dasharray="9 4"/>'
    )


def _space(course: Mapping[str, Any], space: int) -> str:
    x, y = _at(space)
    border = f'<path d="M{_far_end(space)} {y - 21}v42" stroke="#cfae72" stroke-width="1.5"/>'
    number = f'<text class="number" x="{x}" y="{y + CELL // 2 + 14}">{space}</text>'
    return border + _standing_on(course, space, x, y) + number


def _standing_on(course: Mapping[str, Any], space: int, x: int, y: int) -> str:
    for kind, drawing in (("river", _RIVER), ("moor", _MOOR), ("obstacles", _HURDLE)):
        if space in course[kind]:
            return f'<g transform="translate({x} {y})">{drawing}</g>'
    return ""


def _finish(length: int) -> str:
    x, y = _far_end(length), TOP + _row(length) * PITCH
    return (
        f'<g transform="translate({x - 6} {y - 30})">'
        '<rect width="12" height="60" fill="url(#giro-line)" stroke="#222"/></g>'
    )


# ---------------------------------------------------------------- horses


def _horses(view: Mapping[str, Any]) -> Iterator[str]:
    spaces = view["state"]["spaces"]
    in_gate = [seat for seat, space in enumerate(spaces) if space == 0]
    for stall, seat in enumerate(in_gate):
        yield _horse(seat, 54 + stall % 2 * 44, TOP - 36 + stall // 2 * 36)
    for seat, space in enumerate(spaces):
        if space:
            yield _horse(seat, *_at(space))


def _horse(seat: int, x: int, y: int) -> str:
    coat = _COATS[seat % len(_COATS)]
    return (
        f'<g transform="translate({x} {y})"><circle r="17" fill="{coat}" stroke="#fff" '
        f'stroke-width="2.5"/><path d="{_HORSE}" transform="translate(1 0)" fill="#fff"/>'
        f'<circle cx="12" cy="11" r="8" fill="{_INK}" stroke="#fff" stroke-width="1.5"/>'
        f'<text class="badge" x="12" y="15">{seat}</text></g>'
    )


# ---------------------------------------------------------------- the seats


def _seats(view: Mapping[str, Any], bottom: int) -> Iterator[str]:
    for seat, entry in enumerate(view["seats"]):
        top = bottom + 4 + SEAT * seat
        yield from _seat(view, seat, called(entry["name"], seat), top)


def _seat(view: Mapping[str, Any], seat: int, name: str, top: int) -> Iterator[str]:
    acts = seat in view["to_act"]
    yield (
        f'<rect x="16" y="{top}" width="{WIDTH - 32}" height="{SEAT - 6}" rx="10" '
        f'fill="{"#fbe6a4" if acts else "#fffaf0"}"/>'
    )
    yield _horse(seat, 48, top + 22)
    yield _label("name", NAME_LEFT, top + 28, narrowed(name, NAME_SIZE, NAME_ROOM))
    yield _label("note", SPACE_LEFT, top + 28, _whereabouts(view["state"], seat))
    yield from _cards(view["state"], seat, top + 5)
    yield _label("note", 790, top + 28, _note(view, seat, acts=acts))


def _label(kind: str, x: int, y: int, words: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{xml(words)}</text>'


def _whereabouts(state: Mapping[str, Any], seat: int) -> str:
    space = state["spaces"][seat]
    return "has left the race" if space is None else place(space)


def _note(view: Mapping[str, Any], seat: int, *, acts: bool) -> str:
    for row in (view["result"] or {"ranking": ()})["ranking"]:
        if row["seat"] == seat and row["place"] is not None:
            return f"place {row['place']}"
    if view["state"]["has_chosen"][seat]:
        return "has laid a card"
    return "to act" if acts else ""


def _cards(state: Mapping[str, Any], seat: int, top: int) -> Iterator[str]:
    """The hand, and apart from it the card laid face down."""
    laid, count = state["has_chosen"][seat], state["hand_counts"][seat]
    chosen = state["chosen"][seat]
    hand = state["hands"][seat] or (None,) * count
    in_hand = _without(hand, chosen) if laid else list(hand)
    for index, card in enumerate(in_hand):
        yield _card(card, 540 + 32 * index, top)
    if laid:
        yield _card(chosen, 750, top)


def _without(hand: tuple[int | None, ...] | list[int | None], chosen: int | None) -> list[Any]:
    left = list(hand)
    left.remove(chosen)
    return left


def _card(card: int | None, x: int, top: int) -> str:
    fill = "url(#giro-back)" if card is None else "#fff"
    number = "" if card is None else f'<text class="card" x="14" y="23">{card}</text>'
    return (
        f'<g transform="translate({x} {top})"><rect width="28" height="34" rx="4" fill="{fill}" '
        f'stroke="{_INK}" stroke-width="1.5"/>{number}</g>'
    )
