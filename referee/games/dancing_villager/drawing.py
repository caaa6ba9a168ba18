"""The table of a view as SVG: the bonfire in the middle, the seats round it, clockwise.

Words about the roll stand below left, the grabs below right::

            seat 2
     seat 1  fire  seat 3
            seat 0
"""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot
from typing import Final

from referee.core.told.safe import narrowed, room
from referee.games.dancing_villager.figures import at, bonfire, dog, label, stick, villager
from referee.games.dancing_villager.layout import (
    View,
    dog_lines,
    grab_lines,
    head_line,
    judged,
    name,
    result_lines,
    roll_line,
    stick_lines,
    waits,
    wrapped,
)
from referee.games.dancing_villager.words import many

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

_OPEN: Final = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" '
    'font-family="Georgia, serif" fill="#3a2f23" role="img">'
    "<title>Dancing Villager</title>"
    f'<rect width="{WIDE}" height="{HIGH}" rx="18" fill="#f6efe1"/>'
    f'<ellipse cx="{CENTRE[0]}" cy="{CENTRE[1]}" rx="190" ry="190" fill="#e4d6b8"/>'
    '<g fill="none" stroke-linecap="round" stroke-linejoin="round">'
)


def svg(view: View) -> str:
    """The table as a self-contained SVG document; ``view`` as for the text."""
    pieces = "".join([*_fire(view), *_village(view), *_panels(view)])
    return f"{_OPEN}{pieces}</g>{''.join(_words(view))}</svg>"


def _fire(view: View) -> Iterator[str]:
    state, options = view["state"], view["options"]
    charcoal, meat = options["charcoal"], options["meat"]
    ring = [("charcoal", place < state["charcoal"]) for place in range(charcoal)]
    ring += [("meat", place < state["meat"]) for place in range(meat)]
    sticks = (stick(kind, turn, len(ring), there=there) for turn, (kind, there) in enumerate(ring))
    yield at(*CENTRE, bonfire() + "".join(sticks))


def _village(view: View) -> Iterator[str]:
    """The dogs between the bonfire and their seat, in rows of three; the rest as a number."""
    state = view["state"]
    x, y = _before(view, state["dog_seat"])
    drawn = min(state["village"], DOGS_DRAWN)
    left = x - 18 * (min(drawn, 3) - 1)
    for place in range(drawn):
        yield at(left + 36 * (place % 3), y + 26 * (place // 3) - 8, dog())


def _before(view: View, seat: int) -> tuple[float, float]:
    """A point between the bonfire and a seat's panel."""
    left, top = PLACES[len(view["seats"])][seat]
    dx, dy = left + PANEL[0] / 2 - CENTRE[0], top + PANEL[1] / 2 - CENTRE[1]
    far = 142 / hypot(dx, dy)
    return CENTRE[0] + dx * far, CENTRE[1] + dy * far


def _panels(view: View) -> Iterator[str]:
    for seat, (x, y) in enumerate(PLACES[len(view["seats"])]):
        yield at(x, y, _panel(view, seat))


def _panel(view: View, seat: int) -> str:
    frame = 4 if seat in view["to_act"] else 1.5
    opacity = 0.5 if view["seats"][seat]["withdrawn"] else 1
    card = (
        f'<rect width="{PANEL[0]}" height="{PANEL[1]}" rx="12" stroke-width="{frame}" '
        f'fill="#fffaf0" stroke="{COLOURS[seat]}" opacity="{opacity}"/>'
    )
    return card + "".join(_figures(view, seat))


def _figures(view: View, seat: int) -> Iterator[str]:
    """The villagers as rolled, six in a row."""
    rolled = view["state"]["last_roll"]
    for place, one in enumerate(rolled[seat] if rolled else ()):
        x, y = 28 + 41 * (place % 6), 72 + 42 * (place // 6)
        yield at(x, y, villager(one, COLOURS[seat]))


def _words(view: View) -> Iterator[str]:
    yield from _seat_words(view)
    yield label(16, 30, "Dancing Villager", 22, ' font-weight="bold"')
    yield from _lines(16, 54, head_line(view).split(" · "))
    yield from _lines(664, 30, [*stick_lines(view), *dog_lines(view)])
    yield from _lines(16, 640, ["Roll", *wrapped(roll_line(view).split(), 34, " ")])
    yield from _lines(604, 640, _last_words(view))


def _last_words(view: View) -> list[str]:
    """The ranking of a finished match, else the grabs, the last of them where they are many."""
    result = result_lines(view)
    if result:
        return ["Result", *result]
    grabs = grab_lines(view)
    return ["Grabs", *(grabs[-LINES + 1 :] if grabs else ["none"])]


def _lines(x: int, y: int, lines: list[str]) -> Iterator[str]:
    for place, line in enumerate(lines):
        yield label(x, y + 20 * place, narrowed(line, 15, SIDE / PLAIN), 15)


def _seat_words(view: View) -> Iterator[str]:
    state, target = view["state"], view["options"]["target"]
    for seat, (x, y) in enumerate(PLACES[len(view["seats"])]):
        doing = ", ".join(word for word in (waits(view, seat), judged(view, seat)) if word)
        left = PANEL[0] - 2 * MARGIN - PLAIN * room(f" {doing}", SMALL)
        bold = f' font-weight="bold" style="fill:{COLOURS[seat]}"'
        called = narrowed(name(view, seat), LARGE, left)
        yield label(x + MARGIN, y + 24, called, LARGE, bold)
        yield label(x + PANEL[0] - MARGIN, y + 24, doing, SMALL, ' text-anchor="end"')
        has = f"{many(state['villagers'][seat], 'villager')}, {state['dogs'][seat]}/{target} dogs"
        yield label(x + MARGIN, y + 44, has, SMALL)
