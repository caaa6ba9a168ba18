"""Pictures and words of a game that has none of its own: its state as a list, events as fields."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from referee.core.told.reading import View, at_rest, waited_for
from referee.core.told.safe import called, clean, columns, cut
from referee.core.told.svg import document, el

WIDEST: Final = 100
NAME: Final = 24
_SIZE: Final = 16
_LINE: Final = 22


def text(view: View) -> str:
    """A view's state for a terminal: a line a field, at most 100 columns wide."""
    return "\n".join(_lines(view))


def svg(view: View) -> str:
    """A view's state as a picture: the same lines."""
    lines = list(_lines(view))
    rows = [
        el("text", line, x=_LINE, y=(row + 2) * _LINE, xml_space="preserve")
        for row, line in enumerate(lines)
    ]
    wide = _LINE * 2 + _SIZE * max(map(columns, lines)) * 2 // 3
    high = (len(lines) + 3) * _LINE
    return document(wide, high, lines[0], *rows, font_family="monospace", font_size=_SIZE)


def tell(event: Mapping[str, Any], names: Sequence[str]) -> str:
    """An event's type and fields, after whose it is, as a sentence."""
    seat = event.get("seat")
    who = "" if seat is None else f"{called(names[seat], seat)}: "
    fields = [
        f"{_worded(name)} {_worded(value)}"
        for name, value in event.items()
        if name not in {"type", "seat", "version", "index", "at"}
    ]
    return f"{who}{', '.join([_worded(event['type']), *fields])}."


def chapter(view: View) -> str:
    """The round that is played; where the game counts none, all of it is one part."""
    number = view["state"].get("round")
    return f"Round {number}" if number else "Play"


def _lines(view: View) -> Iterator[str]:
    waiting = at_rest(view, NAME) or f"To act: {waited_for(view, NAME)}."
    yield cut(f"{view['game']} · {waiting}", WIDEST)
    for seat in view["seats"]:
        number = seat["seat"]
        gone = " (withdrew)" if seat["withdrawn"] else ""
        yield f"  seat {number}: {cut(called(seat['name'], number), NAME)}{gone}"
    for name, value in view["state"].items():
        yield cut(f"  {_worded(name)}: {_worded(value)}", WIDEST)


def _worded(value: Any) -> str:
    """A value of JSON as people write it; `?` for what is hidden or absent."""
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{_worded(name)} {_worded(entry)}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        return " ".join(map(_worded, value)) or "none"
    return clean(str(value)).replace("_", " ")
