"""The board of a view as one SVG that needs nothing from outside."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from referee.core.told.memoised import memoised
from referee.core.told.reading import View, names_of
from referee.core.told.safe import narrowed
from referee.core.told.svg import BOLD, MIDDLE, Svg, at, document, el, join, named
from referee.games.giants_dance.shown import reading
from referee.games.giants_dance.types import CATEGORIES, HOME

WIDE: Final = 132
HIGH: Final = 92
"""A field's width and height."""
MARGIN: Final = 20
ROW: Final = 34
"""How far apart the rows of dances are."""
HAND_ROW: Final = 54
WIDTH: Final = 2 * MARGIN + reading.COLUMNS * WIDE
HEAD_ROOM: Final = (reading.COLUMNS - 2) * WIDE - 34
NAME_ROOM: Final = 220
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
_STROKE: Final = {"stroke_width": 2, "stroke_linecap": "round", "stroke_linejoin": "round"}
_FAINT: Final = {"fill": _SOFT}
_WHITE: Final = {"fill": "#fff", **MIDDLE, **BOLD}


def svg(view: View) -> str:
    """The board of a view as an SVG document."""
    state, names = view["state"], [narrowed(name, 15, NAME_ROOM) for name in names_of(view, 24)]
    dances = MARGIN + reading.ROWS * HIGH + 44
    hands = dances + len(state["bids"]) * ROW + 40
    height = hands + len(names) * HAND_ROW + MARGIN
    return document(
        WIDTH,
        height,
        reading.headline(view),
        el("rect", width=WIDTH, height=height, fill=_PAPER),
        _trail(reading.part(state, *reading.ON_TRAIL)),
        _scoreboard(reading.headline(view), view["to_act"], _standings(state, names)),
        at(MARGIN, dances, _dances(reading.part(state, *_OF_DANCES))),
        *(
            at(MARGIN, hands + seat * HAND_ROW, _hand(seat, name, *_held(state, seat)))
            for seat, name in enumerate(names)
        ),
        width=WIDTH,
        height=height,
        font_family="Georgia, serif",
        fill=_INK,
    )


def _spots() -> Iterator[tuple[int, int]]:
    """(row, column) of fields 0..19 on the ring."""
    right, bottom = reading.COLUMNS - 1, reading.ROWS - 1
    yield from ((0, column) for column in range(right))
    yield from ((row, right) for row in range(bottom))
    yield from ((bottom, column) for column in range(right, 0, -1))
    yield from ((row, 0) for row in range(bottom, 0, -1))


# ── Shapes ────────────────────────────────────────────────────────────────────────────────────────


def _rect(x: float, y: float, wide: float, high: float, fill: str, edge: str = "none") -> Svg:
    return el("rect", x=x, y=y, width=wide, height=high, rx=5, fill=fill, stroke=edge)


def _words(x: float, y: float, words: object, size: int, **more: str) -> Svg:
    return el("text", words, x=x, y=y, font_size=size, **more)


def _sign(x: float, y: float, kind: str, color: str = _INK, scale: float = 1) -> Svg:
    where = f"translate({x} {y}) scale({scale})"
    return el("path", d=_PATHS[kind], transform=where, fill="none", stroke=color, **_STROKE)


def _giant(x: float, y: float, seat: int) -> Svg:
    """A giant standing on (x, y): a head, a wide gown, and its seat's number."""
    color = _COLORS[seat]
    return at(
        x,
        y,
        el("circle", cy=-28, r=5, fill=color),
        el("path", d="M-4 -23h8l6 23h-20z", fill=color),
        _words(0, -5, seat, 12, **_WHITE),
    )


def _token(x: float, y: float, seat: int | None, kind: str | None, back: object = "") -> Svg:
    """A round token: its owner's colour, its sign; grey where nobody may know."""
    fill = _BACK if seat is None else _COLORS[seat]
    inner = _sign(0, 0, kind, "#fff", 0.75) if kind else _words(0, 5, back, 13, **_WHITE)
    return at(x, y, el("circle", r=10, fill=fill), inner)


def _card(x: float, card: Any) -> Svg:
    """A movement card (its value), a dance card, or a back where that is None."""
    if card is None:
        back = _rect(4, 4, 20, 32, "#b6a98f")
        return at(x, 0, _rect(0, 0, 28, 40, _BACK, _SOFT), back)
    paper = _rect(0, 0, 28, 40, "#fff", _SOFT)
    if isinstance(card, int):
        value = _words(14, 27, card, 17, **MIDDLE, **BOLD)
        return at(x, 0, named({"card": card}, paper, value))
    kind, value = card["kind"], _words(14, 19, card["value"], 17, **MIDDLE, **BOLD)
    sign = _sign(14, 31, kind, _SOFT, 0.7)
    return at(x, 0, named({kind: card["value"]}, paper, value, sign))


# ── The trail ─────────────────────────────────────────────────────────────────────────────────────


@memoised
def _trail(state: reading.State) -> Svg:
    spots = enumerate(_spots())
    return join(_field(state, field, row, column) for field, (row, column) in spots)


def _field(state: reading.State, field: int, row: int, column: int) -> Svg:
    ground, giants = reading.ground_of(state, field), reading.giants_at(state, field)
    if ground == "street":
        drawn = _street(field, giants, reading.tokens_at(state, field))
    else:
        bests = [reading.best_of(state, ground, kind) for kind in CATEGORIES]
        challenges = len(reading.challenges_at(state, ground))
        drawn = _square(field, ground, giants, bests, challenges, ground in state["scored"])
    return at(MARGIN + column * WIDE, MARGIN + row * HIGH, drawn)


@memoised
def _street(field: int, giants: Sequence[int], tokens: Sequence[reading.State]) -> Svg:
    lying = (
        _token(18 + 26 * index, 75, token["owner"], token["kind"])
        for index, token in enumerate(tokens)
    )
    marks, title = {"event-field": field or HOME}, reading.titled(field, "street")
    return named(marks, _ground(_STREET), _words(10, 19, title, 13), *_giants(giants), *lying)


@memoised
def _square(
    field: int,
    ground: str,
    giants: Sequence[int],
    bests: Sequence[int | None],
    challenges: int,
    scored: bool,  # noqa: FBT001 - where it is kept all stand in a row
) -> Svg:
    title = _words(10, 19, reading.titled(field, ground), 13, **BOLD)
    drawn = [_ground(_SQUARE), title, *_giants(giants)]
    if scored:
        drawn.append(_sign(WIDE - 18, 15, "scored", _COLORS[2]))
    drawn += _bests(bests)
    if challenges:
        drawn.append(_token(WIDE - 20, 75, None, None, challenges))
    return named({"square": ground, "event-field": field or HOME}, *drawn)


def _ground(fill: str) -> Svg:
    return _rect(2, 2, WIDE - 4, HIGH - 4, fill, _SOFT)


def _giants(seats: Sequence[int]) -> Iterator[Svg]:
    for index, seat in enumerate(seats):
        yield _giant(18 + 24 * index, 60, seat)


def _bests(bests: Sequence[int | None]) -> Iterator[Svg]:
    for index, (kind, best) in enumerate(zip(CATEGORIES, bests, strict=True)):
        if best is not None:
            yield _sign(18 + 42 * index, 75, kind, scale=0.9)
            yield _words(28 + 42 * index, 80, best, 15, **BOLD)


# ── The scoreboard in its middle ──────────────────────────────────────────────────────────────────

_HEADS: Final = {"points": 250, "field": 310, "moves": 370, "dances": 435, "tokens": 500}


_Standing = tuple[str, Sequence[str]]
"""A seat's name, and the cells of its row."""


def _standings(state: reading.State, names: Sequence[str]) -> list[_Standing]:
    return [(name, reading.counted(state, seat)) for seat, name in enumerate(names)]


@memoised
def _scoreboard(said: str, to_act: Sequence[int], standings: Sequence[_Standing]) -> Svg:
    headline = _words(0, 0, narrowed(said, 16, HEAD_ROOM), 16, **BOLD)
    heads = (_words(x, 38, head, 13, **_FAINT, **MIDDLE) for head, x in _HEADS.items())
    rows = (_row(seat, seat in to_act, *standing) for seat, standing in enumerate(standings))
    return at(MARGIN + WIDE + 24, MARGIN + HIGH + 34, headline, *heads, *rows)


def _row(seat: int, acts: bool, name: str, cells: Sequence[str]) -> Svg:  # noqa: FBT001
    y = 74 + 36 * seat
    frame = [_rect(-12, y - 19, 570, 27, _SQUARE)] if acts else []
    counts = (
        _words(x, y, cell, 15, **MIDDLE) for x, cell in zip(_HEADS.values(), cells, strict=True)
    )
    return join([*frame, _giant(6, y + 5, seat), _words(28, y, name, 15), *counts])


# ── The dances ────────────────────────────────────────────────────────────────────────────────────

_OF_DANCES: Final = ("bids", "challenge_tokens", "street_dance")
_COLUMNS: Final = {"rotate": 150, "parade": 420, "challenge": 690, "street": 850}


@memoised
def _dances(state: reading.State) -> Svg:
    drawn = [_words(x, -16, head, 13, **_FAINT) for head, x in _COLUMNS.items()]
    for index, place in enumerate(state["bids"]):
        challenges = reading.challenges_at(state, place)
        drawn.append(at(0, index * ROW, _dances_at(place, state["bids"][place], challenges)))
    for row, (seat, total) in enumerate(reading.street_sums(state)):
        drawn.append(_sum(_COLUMNS["street"], row * ROW, seat, total, filled=True))
    return join(drawn)


@memoised
def _dances_at(place: str, bids: reading.State, challenges: Sequence[reading.State]) -> Svg:
    drawn = [_words(0, 15, place.capitalize(), 15, **BOLD)]
    for kind in CATEGORIES:
        x = _COLUMNS[kind]
        drawn += (_bid(x + 50 * index, bid) for index, bid in enumerate(bids[kind]))
    for index, token in enumerate(challenges):
        x = _COLUMNS["challenge"] + 12 + 30 * index
        if token["face"] == "up":
            drawn.append(el("circle", cx=x, cy=10, r=13, fill="none", stroke=_INK))
        drawn.append(_token(x, 10, token["seat"], token["kind"], "?"))
    return join(drawn)


def _bid(x: float, bid: Mapping[str, Any]) -> Svg:
    """A sum, with what was laid to be read on hovering."""
    pieces = [*map(str, bid["values"]), *["token"] * bid["tokens"]]
    what = el("title", " + ".join(pieces))
    return el("g", what, _sum(x, 0, bid["seat"], bid["sum"], filled=bid["overbid"]))


def _sum(x: float, y: float, seat: int, words: object, *, filled: bool) -> Svg:
    """A sum in its seat's colour, which is no more than a frame where it did not overbid."""
    color = _COLORS[seat]
    fill, ink = (color, "#fff") if filled else (_SQUARE, color)
    number = _words(22, 15, words, 15, **{**_WHITE, "fill": ink})
    return at(x, y, _rect(0, -3, 44, 25, fill, color), number)


# ── Hands ─────────────────────────────────────────────────────────────────────────────────────────


@memoised
def _hand(seat: int, name: str, *held: Sequence[Any]) -> Svg:
    moves, dances, tokens = held
    cards = (
        _card(x + 33 * index, card)
        for x, hand in ((260, moves), (400, dances))
        for index, card in enumerate(hand)
    )
    stock = (_token(540 + 26 * index, 20, seat, kind, "?") for index, kind in enumerate(tokens))
    return join([_giant(8, 36, seat), _words(28, 27, name, 15), *cards, *stock])


def _held(state: reading.State, seat: int) -> Iterator[Sequence[Any]]:
    """What a seat holds: movement cards, dance cards, dance tokens; None for each unseen."""
    for cards in (state["movement"], state["dance"]):
        hand = cards["hands"][seat]
        yield [None] * cards["hand_counts"][seat] if hand is None else hand
    yield _stock(state["stock"], seat)


def _stock(stock: Mapping[str, Any], seat: int) -> Sequence[str | None]:
    tokens = stock["tokens"][seat]
    if tokens is None:
        return [None] * stock["counts"][seat]
    return [kind for kind in CATEGORIES for _ in range(tokens[kind])]
