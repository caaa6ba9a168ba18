"""SVG that escapes by construction: what is not markup already can only become text.

>>> el("text", "<Ann>", x=3, font_size=12)
'<text x="3" font-size="12">&lt;Ann&gt;</text>'
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from referee.core.told.safe import xml

FONT: Final = "'Trebuchet MS','Segoe UI',Verdana,sans-serif"
MIDDLE: Final = {"text_anchor": "middle"}
BOLD: Final = {"font_weight": "bold"}


class Svg(str):
    """Markup: made by `el`, or written in the code as a constant. Nothing of a match's is."""

    __slots__ = ()


def el(tag: str, *inside: object, **attributes: Any) -> Svg:
    """An element with its attributes and what stands inside it.

    `inside`: `Svg` as it is, everything else as escaped text. `attributes`: values are escaped,
    None leaves one out; `_` stands for `-` in names, and one at the end (`class_`) for nothing.
    """
    head = _head(tag, **attributes)
    return Svg(f"{head}>{join(inside)}</{tag}>") if inside else Svg(f"{head}/>")


# A board is drawn again and again, and most of it as before; "typed" keeps 1 and 1.0 apart.
@lru_cache(maxsize=1 << 14, typed=True)
def _head(tag: str, **attributes: Any) -> str:
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_text(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{written}"


def join(parts: Iterable[object]) -> Svg:
    """Markup one after another; what is none is escaped."""
    return Svg("".join(part if isinstance(part, Svg) else _text(part) for part in parts))


def at(x: float, y: float, *inside: object, scale: float | None = None) -> Svg:
    """A group whose origin is at (x, y), drawn larger or smaller by `scale`."""
    larger = "" if scale is None else f" scale({scale:.3f})"
    return el("g", *inside, transform=f"translate({x} {y}){larger}")


def named(fields: Mapping[str, Any], *inside: object) -> Svg:
    """What commands may name: a group that says by which fields of theirs, and with what values.

    Each is an attribute `data-` with a field's name, or the names of several that name a thing
    together; a list's values stand with commas between them, as JavaScript writes a list. None
    leaves one out. What events alone name, so that a move can be shown, has `event-` before it.

    >>> named({"x-y": (3, -1), "card": None}, el("rect"))
    '<g data-x-y="3,-1"><rect/></g>'
    """
    said = {f"data-{name}": _plain(value) for name, value in fields.items() if value is not None}
    return el("g", *inside, **said)


def document(wide: float, high: float, label: str, *inside: object, **attributes: Any) -> Svg:
    """A whole picture of that size, with `label` as its words for those who cannot see it."""
    return el(
        "svg",
        *inside,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {wide} {high}",
        role="img",
        aria_label=label,
        **attributes,
    )


def pieces(svg: str) -> dict[str, Svg]:
    """What a picture is put together from: the groups of an SVG file of ours, by their ids.

    >>> pieces('<svg><g id="dot"><circle r="2"/></g></svg>')
    {'dot': '<circle r="2"/>'}
    """
    groups = re.findall(r'<g id="(\w+)">(.*?)</g>', svg, re.DOTALL)
    return {name: Svg(inside.replace("\n", "")) for name, inside in groups}


def pieces_of(package: str) -> dict[str, Svg]:
    """The pieces in the `pieces.svg` of a package, by its name."""
    return pieces(files(package).joinpath("pieces.svg").read_text("utf-8"))


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_plain, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(value: object) -> str:
    return xml(value if isinstance(value, str) else str(value))
