"""The pieces of dancing-villager as SVG, each drawn round its own origin. No ids, no references."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi, sin
from typing import Any, Final

from referee.core.told.svg import Svg, at, el

_HEAD: Final = Svg('<circle cy="-9" r="4.5" stroke="none" fill="currentColor"/>')
_BODY: Final = "M0-5V4M0 4L-5 13M0 4L5 13"
_ARMS: Final = {
    "up": "M0-2L-9-9M0-2L9-9",
    "down": "M0-2L-9 6M0-2L9 6",
    "flat": "M0-2H-9M0-2H9",
    "leaning": "M0-2H-9M0-2H9",
    "standing": "M0-2L-8 2M0-2L8 2",
}
_TURN: Final = {"flat": 90, "leaning": 38}
_LYING_BELOW: Final = Svg('<rect x="-13" y="14" width="26" height="5" rx="2.5" fill="#8d8578"/>')
_HALO: Final = Svg('<circle r="16" fill="#ffe08a" stroke="#c99b1b"/>')
_PROP: Final = Svg('<path d="M9-2V13" stroke="#8d8578" stroke-width="4"/>')

DOG: Final = Svg(
    '<path d="M-9 4V9M-4 4V9M4 4V9M8 4V9M-10-1L-14-7" stroke="#6b4a2b" stroke-width="3"/>'
    '<rect x="-11" y="-4" width="20" height="9" rx="4.5" fill="#8a6239"/>'
    '<circle cx="11" cy="-6" r="5.5" fill="#8a6239"/>'
    '<path d="M8-10L7-15L12-11ZM15-5L19-4L15-3Z" fill="#6b4a2b"/>'
    '<circle cx="12" cy="-7" r="1" fill="#fff"/>'
)
"""A dog looking right, about 34 units wide and 24 high."""
BONFIRE: Final = Svg(
    '<path d="M-26 22L26 10M-26 10L26 22" stroke="#6b4a2b" stroke-width="8"/>'
    '<path d="M0-40C16-20 26-6 20 8C15 20-15 20-20 8C-25-5-10-12-8-24C-4-18-3-28 0-40Z"'
    ' fill="#e67e22"/>'
    '<path d="M1-18C9-6 12 2 9 8C6 14-6 14-9 8C-11 1-3-4 1-18Z" fill="#ffd54a"/>'
)
"""The flame, about 52 units wide and 66 high."""


def villager(fallen: Mapping[str, Any], colour: str) -> Svg:
    """A villager as it came to lie, about 30 units wide and high."""
    pose = fallen["pose"]
    limbs = el("path", d=f"{_BODY}{_ARMS[pose]}", stroke="currentColor", stroke_width=4)
    turned = el("g", limbs, _HEAD, transform=f"rotate({_TURN.get(pose, 0)})")
    behind = {"standing": _HALO, "leaning": _PROP}.get(pose, "")
    below = _LYING_BELOW if fallen["on_top"] else ""
    return el("g", behind, below, turned, color=colour)


def stick(kind: str, turn: int, count: int, *, there: bool) -> Svg:
    """Stick number `turn` of `count` round the bonfire; a faint outline where it is gone."""
    angle = 2 * pi * turn / count
    fill = {"charcoal": "#3b3a38", "meat": "#b5533c"}[kind] if there else "none"
    edge = {"stroke": "#9b8f7a", "stroke_width": 1}
    shape = el("rect", x=-4, y=-15, width=8, height=30, rx=4, fill=fill, **edge)
    upright = el("g", shape, transform=f"rotate({angle * 180 / pi:.0f})")
    return at(round(84 * sin(angle)), round(-84 * cos(angle)), upright)
