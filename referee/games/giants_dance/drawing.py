"""A view drawn as SVG: one self-contained picture, nothing in it comes from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from referee.core.told.safe import narrowed, xml
from referee.games.giants_dance.board import (
    COLUMNS,
    ROWS,
    SHORT_NAMES,
    SPOTS,
    View,
    best_of,
    challenges_at,
    giants_at,
    headline,
    names_of,
    place_of,
    tokens_at,
)
from referee.games.giants_dance.types import CATEGORIES

_State = Mapping[str, Any]

_WIDE, _HIGH = 132, 92
"""A field's width and height."""
_MARGIN: Final = 20
_RING_BOTTOM: Final = _MARGIN + ROWS * _HIGH
_ROW: Final = 34
_HAND_ROW: Final = 54
_WIDTH: Final = 2 * _MARGIN + COLUMNS * _WIDE
_HEAD_ROOM: Final = (COLUMNS - 2) * _WIDE - 34
_NAME_ROOM: Final = 220
"""How wide the sentence in the middle may get, and a name there or beside a hand."""
_COLORS: Final = ("#b8322a", "#23639f", "#2c7d48", "#a86f00", "#75408f")
_INK: Final = "#33291f"
_SOFT: Final = "#85765f"
_PAPER: Final = "#f7f0e1"
_STREET: Final = "#e9dcc1"
_SQUARE: Final = "#fffaf0"
_BACK: Final = "#a3957c"
_PATHS: Final = {
    "rotate": "M5 -3A6 6 0 1 0 6 1M6 -7L5.4 -2.4L1 -3.6",
    "parade": "M5 -5C2 -9 -6 -7 -4 -3C-3 0 4 0 4.600 3.500C5 8 -4 8 -5.500 4.500",
    "distract": "M-5 -5L5 5M-5 5L5 -5",
    "scored": "M-5 0L-1.500 4L6 -5",
}
"""The signs of the categories and of the distraction, and a tick, as strokes around (0, 0)."""


def svg(view: Mapping[str, Any]) -> str:
    """The board of a view as an SVG document."""
    seats = len(view["seats"])
    table = _RING_BOTTOM + 44
    hands = table + 6 * _ROW + 40
    height = hands + seats * _HAND_ROW + _MARGIN
    parts = [
        _rect(0, 0, _WIDTH, height, _PAPER, round_=0),
        *(_field(view["state"], field) for field in range(len(SPOTS))),
        *_scoreboard(view),
        *_places(view["state"], table),
        *(_hand(view, seat, hands + seat * _HAND_ROW) for seat in range(seats)),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}" font-family="Georgia, serif" fill="{_INK}">'
        f"<title>{xml(headline(view))}</title>{''.join(parts)}</svg>\n"
    )


# ---------------------------------------------------------------- strokes and shapes


def _rect(  # noqa: PLR0913 -- a rectangle has its four numbers, a colour and corners
    x: float, y: float, wide: float, high: float, fill: str, *, round_: int = 5, edge: str = "none"
) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="{round_}" '
        f'fill="{fill}" stroke="{edge}"/>'
    )


def _words(x: float, y: float, words: object, size: int = 14, more: str = "") -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}"{more}>{xml(str(words))}</text>'


def _name(x: float, y: float, name: str) -> str:
    return _words(x, y, narrowed(name, 15, _NAME_ROOM), 15)


_MIDDLE: Final = ' text-anchor="middle"'
_WHITE: Final = ' fill="#fff" text-anchor="middle" font-weight="bold"'
_BOLD: Final = ' font-weight="bold"'
_FAINT: Final = f' fill="{_SOFT}"'


def _sign(x: float, y: float, kind: str, color: str = _INK, scale: float = 1) -> str:
    return (
        f'<path d="{_PATHS[kind]}" transform="translate({x} {y}) scale({scale})" fill="none" '
        f'stroke="{color}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _giant(x: float, y: float, seat: int) -> str:
    """A giant standing on (x, y): a head, a wide gown, and its seat's number."""
    color = _COLORS[seat]
    return (
        f'<circle cx="{x}" cy="{y - 28}" r="5" fill="{color}"/>'
        f'<path d="M{x - 4} {y - 23}h8l6 23h-20z" fill="{color}"/>'
        + _words(x, y - 5, seat, 12, _WHITE)
    )


def _token(x: float, y: float, seat: int | None, kind: str | None, back: str = "") -> str:
    """A round token: its owner's colour, its sign; grey where nobody may know."""
    fill = _BACK if seat is None else _COLORS[seat]
    inner = _sign(x, y, kind, "#fff", 0.75) if kind else _words(x, y + 5, back, 13, _WHITE)
    return f'<circle cx="{x}" cy="{y}" r="10" fill="{fill}"/>{inner}'


def _card(x: float, y: float, value: object, kind: str | None = None) -> str:
    sign = _sign(x + 14, y + 31, kind, _SOFT, 0.7) if kind else ""
    number = _words(x + 14, y + (19 if kind else 27), value, 17, _MIDDLE + _BOLD)
    return _rect(x, y, 28, 40, "#fff", edge=_SOFT) + number + sign


def _card_back(x: float, y: float) -> str:
    return _rect(x, y, 28, 40, _BACK, edge=_SOFT) + _rect(x + 4, y + 4, 20, 32, "#b6a98f")


# ---------------------------------------------------------------- the trail


def _field(state: _State, field: int) -> str:
    row, column = SPOTS[field]
    x, y = _MARGIN + column * _WIDE, _MARGIN + row * _HIGH
    place = place_of(state, field)
    giants = giants_at(state, field)
    parts = [
        _rect(
            x + 2,
            y + 2,
            _WIDE - 4,
            _HIGH - 4,
            _STREET if place == "street" else _SQUARE,
            edge=_SOFT,
        ),
        _words(x + 10, y + 19, _title(field, place), 13, "" if place == "street" else _BOLD),
        *(_giant(x + 18 + 24 * index, y + 60, seat) for index, seat in enumerate(giants)),
    ]
    if place in state["scored"]:
        parts.append(_sign(x + _WIDE - 18, y + 15, "scored", _COLORS[2]))
    lying = _lying if place == "street" else _standing
    return "".join([*parts, *lying(state, field, x, y)])


def _title(field: int, place: str) -> str:
    return f"{field or ''} {'' if place == 'street' else SHORT_NAMES[place]}".strip()


def _lying(state: _State, field: int, x: float, y: float) -> list[str]:
    return [
        _token(x + 18 + 26 * index, y + 75, token["owner"], token["kind"])
        for index, token in enumerate(tokens_at(state, field))
    ]


def _standing(state: _State, field: int, x: float, y: float) -> list[str]:
    place, parts = place_of(state, field), list[str]()
    for index, kind in enumerate(CATEGORIES):
        best = best_of(state, place, kind)
        if best is not None:
            parts.append(_sign(x + 18 + 42 * index, y + 75, kind, _INK, 0.9))
            parts.append(_words(x + 28 + 42 * index, y + 80, best, 15, _BOLD))
    challenges = len(challenges_at(state, place))
    if challenges:
        parts.append(_token(x + _WIDE - 20, y + 75, None, None, str(challenges)))
    return parts


# ---------------------------------------------------------------- the scoreboard in its middle

_HEADS: Final = (("points", 250), ("field", 310), ("moves", 370), ("dances", 435), ("tokens", 500))


def _scoreboard(view: View) -> list[str]:
    x, y = _MARGIN + _WIDE + 24, _MARGIN + _HIGH + 34
    heads = [_words(x + at, y + 38, head, 13, _FAINT + _MIDDLE) for head, at in _HEADS]
    rows = [_score_row(view, seat, x, y + 74 + 36 * seat) for seat in range(len(view["seats"]))]
    return [_words(x, y, narrowed(headline(view), 16, _HEAD_ROOM), 16, _BOLD), *heads, *rows]


def _score_row(view: View, seat: int, x: float, y: float) -> str:
    state, name = view["state"], names_of(view)[seat]
    field = state["fields"][seat]
    walks, dances = (
        f"{state[pile]['hand_counts'][seat]}+{state[pile]['pile_counts'][seat]}"
        for pile in ("movement", "dance")
    )
    cells = [
        state["points"][seat],
        "out" if field is None else field,
        walks,
        dances,
        state["stock"]["counts"][seat],
    ]
    line = [
        _words(x + at, y, cell, 15, _MIDDLE)
        for (_head, at), cell in zip(_HEADS, cells, strict=True)
    ]
    mark = _rect(x - 12, y - 19, 570, 27, _SQUARE) if seat in view["to_act"] else ""
    return mark + _giant(x + 6, y + 5, seat) + _name(x + 28, y, name) + "".join(line)


# ---------------------------------------------------------------- the dances

_COLUMNS: Final = {"rotate": 150, "parade": 420, "challenge": 690}


def _places(state: _State, top: float) -> list[str]:
    heads = [_words(_MARGIN + at, top - 16, head, 13, _FAINT) for head, at in _COLUMNS.items()]
    rows = [
        _place_row(state, place, top + index * _ROW) for index, place in enumerate(state["bids"])
    ]
    return [*heads, *rows, *_street(state, top - 16)]


def _place_row(state: _State, place: str, y: float) -> str:
    parts = [_words(_MARGIN, y + 15, SHORT_NAMES[place], 15, _BOLD)]
    for kind in CATEGORIES:
        for index, bid in enumerate(state["bids"][place][kind]):
            parts.append(_bid(_MARGIN + _COLUMNS[kind] + 50 * index, y, bid))
    for index, token in enumerate(challenges_at(state, place)):
        parts.append(_challenge(_MARGIN + _COLUMNS["challenge"] + 12 + 30 * index, y + 10, token))
    return "".join(parts)


def _bid(x: float, y: float, bid: Mapping[str, Any]) -> str:
    """A sum in its seat's colour; only framed where it did not overbid; hover for what was laid."""
    color = _COLORS[bid["seat"]]
    fill, ink = (color, "#fff") if bid["overbid"] else (_SQUARE, color)
    pieces = [*map(str, bid["values"]), *["token"] * bid["tokens"]]
    middle = f' fill="{ink}" text-anchor="middle" font-weight="bold"'
    return (
        f"<g><title>{' + '.join(pieces)}</title>"
        + _rect(x, y - 3, 44, 25, fill, edge=color)
        + _words(x + 22, y + 15, bid["sum"], 15, middle)
        + "</g>"
    )


def _challenge(x: float, y: float, token: Mapping[str, Any]) -> str:
    ring = (
        f'<circle cx="{x}" cy="{y}" r="13" fill="none" stroke="{_INK}"/>'
        if token["face"] == "up"
        else ""
    )
    return ring + _token(x, y, token["seat"], token["kind"], "?")


def _street(state: _State, y: float) -> list[str]:
    x, street = _MARGIN + 850, state["street_dance"]
    parts = [_words(x, y, "street", 13, _FAINT)]
    laid = [seat for seat, danced in enumerate(street["danced"]) if danced]
    for row, seat in enumerate(laid):
        total = street["sums"][seat]
        shown = {"seat": seat, "sum": "?" if total is None else total, "overbid": True}
        parts.append(_bid(x, y + 16 + row * _ROW, {**shown, "values": (), "tokens": 0}))
    return parts


# ---------------------------------------------------------------- hands


def _hand(view: View, seat: int, y: float) -> str:
    state, name = view["state"], names_of(view)[seat]
    movement, dance = state["movement"], state["dance"]
    parts = [
        _giant(_MARGIN + 8, y + 36, seat),
        _name(_MARGIN + 28, y + 27, name),
    ]
    parts += _held(_MARGIN + 260, y, movement["hands"][seat], movement["hand_counts"][seat])
    parts += _held(_MARGIN + 400, y, dance["hands"][seat], dance["hand_counts"][seat])
    return "".join([*parts, *_stock(state, seat, _MARGIN + 540, y + 20)])


def _held(x: float, y: float, hand: Sequence[Any] | None, count: int) -> list[str]:
    if hand is None:
        return [_card_back(x + 33 * index, y) for index in range(count)]
    return [_face(x + 33 * index, y, card) for index, card in enumerate(hand)]


def _face(x: float, y: float, card: Any) -> str:
    return _card(x, y, card) if isinstance(card, int) else _card(x, y, card["value"], card["kind"])


def _stock(state: _State, seat: int, x: float, y: float) -> list[str]:
    tokens = state["stock"]["tokens"][seat]
    kinds: list[str | None] = (
        [None] * state["stock"]["counts"][seat]
        if tokens is None
        else [kind for kind in CATEGORIES for _one in range(tokens[kind])]
    )
    return [_token(x + 26 * index, y, seat, kind, "?") for index, kind in enumerate(kinds)]
