"""The table of a view as SVG: the bonfire in the middle, the seats round it, clockwise.

Words about the roll stand below left, the grabs below right::

            seat 2
     seat 1  fire  seat 3
            seat 0
"""

from collections.abc import Iterator, Mapping, Sequence
from math import cos, hypot, pi, sin
from typing import Any, Final

from referee.core.told.memoised import memoised
from referee.core.told.reading import View
from referee.core.told.safe import narrowed, room
from referee.core.told.svg import Svg, at, document, el, join, named, pieces_of
from referee.core.told.words import count_of
from referee.games.dancing_villager.shown import reading

WIDE: Final = 920
HIGH: Final = 760
CENTRE: Final = (460, 380)
PANEL: Final = (260, 140)
PLACES: Final = {
    2: ((330, 612), (330, 8)),
    3: ((330, 612), (10, 150), (650, 150)),
    4: ((330, 612), (10, 310), (330, 8), (650, 310)),
}
"""The upper left corner of each seat's panel, by the number of seats."""

COLOURS: Final = ("#b8382e", "#20639b", "#2b7a4b", "#8a5a9e")
MARGIN: Final = 14
LARGE: Final = 17
SMALL: Final = 14
"""The sizes of type in a panel: of a name in bold, and of what is said of it in plain."""
PLAIN: Final = 0.8
"""How wide plain type is beside a bold one."""
SIDE: Final = 300
"""How wide the lines beside the table may get."""
DOGS_DRAWN: Final = 6
LINES: Final = 6

_PIECES: Final = pieces_of(__package__)
_BODY: Final = "M0-5V4M0 4L-5 13M0 4L5 13"
_ARMS: Final = {
    "up": "M0-2L-9-9M0-2L9-9",
    "down": "M0-2L-9 6M0-2L9 6",
    "flat": "M0-2H-9M0-2H9",
    "leaning": "M0-2H-9M0-2H9",
    "standing": "M0-2L-8 2M0-2L8 2",
}
_TURN: Final = {"flat": 90, "leaning": 38}


def svg(view: View) -> str:
    """The table as a self-contained SVG document; `view` as for the text."""
    x, y = CENTRE
    lines = {"fill": "none", "stroke_linecap": "round", "stroke_linejoin": "round"}
    return document(
        WIDE,
        HIGH,
        "Dancing Villager",
        el("rect", width=WIDE, height=HIGH, rx=18, fill="#f6efe1"),
        el("ellipse", cx=x, cy=y, rx=190, ry=190, fill="#e4d6b8"),
        el("g", _fire(view["state"], view["options"]), *_village(view), *_panels(view), **lines),
        *_words(view),
        font_family="Georgia, serif",
        fill="#3a2f23",
    )


def _fire(state: Mapping[str, Any], options: Mapping[str, Any]) -> Svg:
    return _sticks(*((state[kind], options[kind]) for kind in ("charcoal", "meat")))


@memoised
def _sticks(charcoal: tuple[int, int], meat: tuple[int, int]) -> Svg:
    """The bonfire, and round it the sticks: of each kind how many are left, and of how many."""
    ring = [("charcoal", place < charcoal[0]) for place in range(charcoal[1])]
    ring += [("meat", place < meat[0]) for place in range(meat[1])]
    sticks = (_stick(kind, turn, len(ring), there=there) for turn, (kind, there) in enumerate(ring))
    return at(*CENTRE, named({"what": "bonfire"}, _PIECES["bonfire"]), *sticks)


def _village(view: View) -> Iterator[Svg]:
    """The dogs between the bonfire and their seat, in rows of three; the rest as a number."""
    state = view["state"]
    x, y = _before(view, state["dog_seat"])
    drawn = min(state["village"], DOGS_DRAWN)
    left = x - 18 * (min(drawn, 3) - 1)
    for place in range(drawn):
        across, down = left + 36 * (place % 3), y + 26 * (place // 3) - 8
        yield at(round(across), round(down), named({"what": "dog"}, _PIECES["dog"]))


def _before(view: View, seat: int) -> tuple[float, float]:
    """A point between the bonfire and a seat's panel."""
    left, top = PLACES[len(view["seats"])][seat]
    dx, dy = left + PANEL[0] / 2 - CENTRE[0], top + PANEL[1] / 2 - CENTRE[1]
    far = 142 / hypot(dx, dy)
    return CENTRE[0] + dx * far, CENTRE[1] + dy * far


def _panels(view: View) -> Iterator[Svg]:
    for seat, (x, y) in enumerate(PLACES[len(view["seats"])]):
        rolled, out = view["state"]["last_roll"], view["seats"][seat]["withdrawn"]
        figures = rolled[seat] if rolled else ()
        panel = _panel(seat, figures, seat in view["to_act"], out)
        yield at(x, y, named({"seat": seat}, panel))


@memoised
def _panel(
    seat: int,
    figures: Sequence[Mapping[str, Any]],
    acts: bool,  # noqa: FBT001 - memoised functions know no names
    out: bool,  # noqa: FBT001
) -> Svg:
    card = el(
        "rect",
        width=PANEL[0],
        height=PANEL[1],
        rx=12,
        stroke_width=4 if acts else 1.5,
        fill="#fffaf0",
        stroke=COLOURS[seat],
        opacity=0.5 if out else 1,
    )
    rolled = (_figure(place, fallen, COLOURS[seat]) for place, fallen in enumerate(figures))
    return el("g", card, *rolled)


def _figure(place: int, fallen: Mapping[str, Any], colour: str) -> Svg:
    """A villager as rolled, six in a row."""
    x, y = 28 + 41 * (place % 6), 72 + 42 * (place // 6)
    return at(x, y, _villager(fallen, colour))


def _villager(fallen: Mapping[str, Any], colour: str) -> Svg:
    """A villager as it came to lie, about 30 units wide and high."""
    pose = fallen["pose"]
    limbs = el("path", d=f"{_BODY}{_ARMS[pose]}", stroke="currentColor", stroke_width=4)
    turned = el("g", limbs, _PIECES["head"], transform=f"rotate({_TURN.get(pose, 0)})")
    below = _PIECES["below"] if fallen["on_top"] else ""
    return el("g", _PIECES.get(pose, ""), below, turned, color=colour)


def _stick(kind: str, turn: int, count: int, *, there: bool) -> Svg:
    """Stick number `turn` of `count` round the bonfire; a faint outline where it is gone."""
    angle = 2 * pi * turn / count
    fill = {"charcoal": "#3b3a38", "meat": "#b5533c"}[kind] if there else "none"
    edge = {"stroke": "#9b8f7a", "stroke_width": 1}
    shape = el("rect", x=-4, y=-15, width=8, height=30, rx=4, fill=fill, **edge)
    upright = el("g", shape, transform=f"rotate({angle * 180 / pi:.0f})")
    return at(round(84 * sin(angle)), round(-84 * cos(angle)), upright)


def _words(view: View) -> Iterator[Svg]:
    yield from _seat_words(view)
    yield _label(16, 30, "Dancing Villager", 22, font_weight="bold")
    yield _lines(16, 54, reading.headline(view).split(" · "))
    yield _lines(664, 30, [*reading.stick_lines(view), *reading.dog_lines(view)])
    yield _lines(16, 640, ["Roll", *reading.wrapped(reading.roll_line(view).split(), 34, " ")])
    yield _lines(604, 640, _last_words(view))


def _last_words(view: View) -> list[str]:
    """The ranking of a finished match, else the grabs, the last of them where they are many."""
    result = reading.result_lines(view)
    if result:
        return ["Result", *result]
    grabs = reading.grab_lines(view)
    return ["Grabs", *(grabs[-LINES + 1 :] if grabs else ["none"])]


@memoised
def _lines(x: int, y: int, lines: list[str]) -> Svg:
    return join(
        _label(x, y + 20 * place, narrowed(line, 15, SIDE / PLAIN), 15)
        for place, line in enumerate(lines)
    )


def _label(x: float, y: float, words: str, size: int, **more: Any) -> Svg:
    return el("text", words, x=x, y=y, font_size=size, **more)


def _seat_words(view: View) -> Iterator[Svg]:
    state, target = view["state"], view["options"]["target"]
    for seat, (x, y) in enumerate(PLACES[len(view["seats"])]):
        villagers = count_of(state["villagers"][seat], "villager")
        has = f"{villagers}, {state['dogs'][seat]}/{target} dogs"
        said = reading.name(view, seat), reading.doing(view, seat), has
        yield _seat_said(x, y, COLOURS[seat], *said)


@memoised
def _seat_said(x: int, y: int, colour: str, name: str, doing: str, has: str) -> Svg:
    left = PANEL[0] - 2 * MARGIN - PLAIN * room(f" {doing}", SMALL)
    bold = {"font_weight": "bold", "fill": colour}
    return join(
        [
            _label(x + MARGIN, y + 24, narrowed(name, LARGE, left), LARGE, **bold),
            _label(x + PANEL[0] - MARGIN, y + 24, doing, SMALL, text_anchor="end"),
            _label(x + MARGIN, y + 44, has, SMALL),
        ]
    )
