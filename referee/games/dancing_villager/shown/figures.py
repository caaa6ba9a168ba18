"""The pieces of dancing-villager as SVG, each drawn round its own origin. No ids, no references."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from math import cos, pi, sin
from typing import Any, Final

from referee.core.told.svg import Svg, at, el, pieces

PIECES: Final = pieces(files(__package__).joinpath("pieces.svg").read_text("utf-8"))
_BODY: Final = "M0-5V4M0 4L-5 13M0 4L5 13"
_ARMS: Final = {
    "up": "M0-2L-9-9M0-2L9-9",
    "down": "M0-2L-9 6M0-2L9 6",
    "flat": "M0-2H-9M0-2H9",
    "leaning": "M0-2H-9M0-2H9",
    "standing": "M0-2L-8 2M0-2L8 2",
}
_TURN: Final = {"flat": 90, "leaning": 38}


def villager(fallen: Mapping[str, Any], colour: str) -> Svg:
    """A villager as it came to lie, about 30 units wide and high."""
    pose = fallen["pose"]
    limbs = el("path", d=f"{_BODY}{_ARMS[pose]}", stroke="currentColor", stroke_width=4)
    turned = el("g", limbs, PIECES["head"], transform=f"rotate({_TURN.get(pose, 0)})")
    below = PIECES["below"] if fallen["on_top"] else ""
    return el("g", PIECES.get(pose, ""), below, turned, color=colour)


def stick(kind: str, turn: int, count: int, *, there: bool) -> Svg:
    """Stick number `turn` of `count` round the bonfire; a faint outline where it is gone."""
    angle = 2 * pi * turn / count
    fill = {"charcoal": "#3b3a38", "meat": "#b5533c"}[kind] if there else "none"
    edge = {"stroke": "#9b8f7a", "stroke_width": 1}
    shape = el("rect", x=-4, y=-15, width=8, height=30, rx=4, fill=fill, **edge)
    upright = el("g", shape, transform=f"rotate({angle * 180 / pi:.0f})")
    return at(round(84 * sin(angle)), round(-84 * cos(angle)), upright)
