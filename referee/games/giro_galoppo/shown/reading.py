"""What both pictures of giro-galoppo read from a view."""

from collections.abc import Mapping
from typing import Any, Final

from referee.core.told.reading import View, at_rest, place_of, waited_for

NAME_WIDTH: Final = 24
"""Columns of a terminal that a name takes in a picture."""
PER_ROW: Final = 20
"""Spaces drawn in a row."""
BEHIND: Final = 6
"""Spaces drawn behind the line: the highest card, played from the last space, ends there."""


def headline(view: View) -> str:
    """The game, how far a view's match has come, and the variation if it is played."""
    state, status = view["state"], view["status"]
    said = {"obstacles": "placing the obstacles", "race": "the race", "over": "the race is over"}
    phase = "over" if status == "finished" else state["phase"]
    rounds = [f"round {state['round']}"] if state["round"] else []
    varied = view["options"]["ties"] == "rearmost-only"
    variation = ["of equal cards the rearmost moves"] if varied else []
    halted = [status] if status in ("paused", "void") else []
    return " · ".join(["Giro Galoppo", said[phase], *rounds, *variation, *halted])


def call(view: View) -> str:
    """One sentence on whom the table waits for, or on why it waits for nobody."""
    wanted = "an obstacle" if view["state"]["phase"] == "obstacles" else "a card"
    waiting = f"Waiting for {wanted} of {waited_for(view, NAME_WIDTH)}."
    return at_rest(view, NAME_WIDTH) or waiting


def space_named(space: int | None) -> str:
    """Where a horse is, as people say it: the gate for 0, None for one that is gone."""
    if space is None:
        return "has left the race"
    return "the gate" if space == 0 else f"space {space}"


def note(view: View, seat: int) -> str:
    """What else there is to say of a seat: its place at the end, or what it does now."""
    place = place_of(view, seat)
    if place is not None:
        return f"place {place}"
    if view["state"]["has_chosen"][seat]:
        return laid(view["state"]["chosen"][seat])
    return "to act" if seat in view["to_act"] else ""


def laid(card: int | None) -> str:
    """A card that lies face down, as its viewer knows it."""
    return f"{'a card' if card is None else f'the {card}'} lies face down"


def hand(state: Mapping[str, Any], seat: int) -> list[int | None]:
    """The cards of a seat, None for each that its viewer may not see."""
    return list(state["hands"][seat] or (None,) * state["hand_counts"][seat])
