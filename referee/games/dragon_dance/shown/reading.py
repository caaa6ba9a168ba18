"""What both pictures of dragon-dance read from a view."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from referee.core.told.reading import View, at_rest, names_of, note_of, waited_for
from referee.games.dragon_dance.cards import Printing, face, kind

NAME_WIDTH: Final = 22
"""Columns of a terminal that a name takes in a picture."""

PARTS: Final = {
    "scale": ("scale",) * 4,
    "head": ("head", "head", "tail", "tail"),
    "egg": ("egg",) * 4,
}
"""What each box of an unturned card shows, in the order of a face."""


# ── The field ───────────────────────────────────────────────────────────────────────────────────


class Box(NamedTuple):
    """The topmost box of a cell: its card's place in laying order, its letter, its part."""

    card: int
    letter: str
    part: str


Field = Sequence[Mapping[str, Any]]
"""The cards on the table, in laying order."""
Surface = Mapping[tuple[int, int], Box]
"""Each cell of the field that is covered, and what it shows."""


def boxes_of(card: str, printing: Printing, *, turned: bool = False) -> list[tuple[str, str]]:
    """The letter and the part of each of the four boxes as they lie, as the match prints them."""
    boxes = list(zip(face(card, printing), PARTS[kind(card)], strict=True))
    return boxes[::-1] if turned else boxes


def surface(field: Field, printing: Printing) -> Surface:
    """What the field shows from above."""
    return {
        (placed["x"] + index % 2, placed["y"] + index // 2): Box(number, letter, part)
        for number, placed in enumerate(field)
        for index, (letter, part) in enumerate(
            boxes_of(placed["card"], printing, turned=placed["turned"])
        )
    }


def columns_and_rows(field: Field) -> tuple[range, range]:
    """Every x and every y of the smallest rectangle that holds the field, or a card at 0, 0."""
    placed = field or ({"x": 0, "y": 0},)
    across, down = [card["x"] for card in placed], [card["y"] for card in placed]
    return range(min(across), max(across) + 2), range(min(down), max(down) + 2)


# ── Words beside it ─────────────────────────────────────────────────────────────────────────────


def headline(view: View) -> str:
    """The game, how far a view's match has come, and what stands in the middle."""
    state = view["state"]
    rounds = f"round {state['round']} of {view['options']['max_rounds']} at most"
    return f"Dragon Dance · {rounds} · {state['pile_count']} in the pile"


def call(view: View) -> str:
    """One sentence on who is to act, and what it may do; or on why nobody is."""
    return at_rest(view, NAME_WIDTH) or _call(view)


def _call(view: View) -> str:
    state, waiting_for = view["state"], waited_for(view, NAME_WIDTH)
    out = "" if state["going_out"] is None else names_of(view, NAME_WIDTH)[state["going_out"]]
    return {
        "lay": f"{waiting_for} is to lay a card, or to draw one.",
        "drawn": f"{waiting_for} is to lay the card just drawn, or to keep it.",
        "respond": f"{out} is going out; {waiting_for} is to block the head, or to let it stand.",
        "finish": f"{out} has gone out; {waiting_for} may lay one card more.",
    }[state["phase"]]


def dragon(view: View, seat: int) -> str:
    """The dragon that a seat plays with: black until it has won a round, then white."""
    return "white" if view["state"]["rounds_won"][seat] else "black"


def note(view: View, seat: int) -> str:
    """What else there is to say of a seat: that it left, its place, or that it goes out."""
    said = note_of(view, seat)
    if said or seat != view["state"]["going_out"]:
        return said
    return "goes out" if view["state"]["phase"] == "respond" else "is out"


def just_drawn(view: View, seat: int) -> str | None:
    """The card that this seat has just drawn, if it has and the viewer may know it."""
    drawn: str | None = view["state"]["drawn"]
    return drawn if seat == view["state"]["turn"] else None
