"""A table for dancing-villager's tests: rolls in short notation, windows, and the service."""

from __future__ import annotations

from typing import Any, Final

from msgspec import json

from referee.core.game import Asker, Event
from referee.core.randomness import Chance
from referee.core.visibility import Scope, Viewer, redact
from referee.games.dancing_villager import GAME
from referee.games.dancing_villager.events import Rolled, WindowClosed, rolled, stamped
from referee.games.dancing_villager.sample import sample
from referee.games.dancing_villager.types import (
    Close,
    Count,
    Grab,
    Pose,
    ReportRoll,
    Roll,
    State,
    Thing,
    Villager,
)
from tests.games.table import Table

SERVICE: Final = -99
"""Stands for the service where a table asks for a seat."""

FLAT = ("ffff", "ffff", "ffff")
TAME = ("uuuu", "ufff", "ffff")
"""Five hands-up of three seats: the meat of a new round runs out."""
ASSAULT = ("dddf", "ffff", "ffff")
"""Three hands-down: the charcoal of a new round runs out."""
NOTHING = ("uuff", "ddff", "ffff")

_POSES: Final[dict[str, Pose]] = {
    "f": "flat",
    "u": "up",
    "d": "down",
    "l": "leaning",
    "s": "standing",
}


def a_roll(*hands: str) -> Roll:
    """A roll by seat, a letter a villager: f u d l s, with `^` after one that is on top.

    >>> a_roll("u^")[0][0]
    Villager(pose='up', on_top=True)
    """
    return tuple(_hand(hand) for hand in hands)


def _hand(letters: str) -> tuple[Villager, ...]:
    return tuple(
        Villager(_POSES[letter], on_top=after == "^")
        for letter, after in zip(letters, letters[1:] + " ", strict=False)
        if letter != "^"
    )


class Dance(Table):
    """A match of dancing-villager; `SERVICE` asks as the service does."""

    state: State

    def __init__(self, seats: int, **options: Any) -> None:
        super().__init__(GAME, seats=seats, options=options)

    def by(self, seat: int | None) -> Asker:
        """The asker for a seat, the organizer for None, or the service."""
        if seat == SERVICE:
            return Asker("service", None, self.now)
        return super().by(seat)

    def opened(self, *hands: str) -> Dance:
        """Open the window of a roll as if it had just come."""
        self.state = stamped(rolled(self.state, Rolled(a_roll(*hands))), self.now)
        return self

    def rolls(self, *hands: str) -> list[Event]:
        """Table mode: the organizer reports a roll."""
        return self.when(None, ReportRoll(a_roll(*hands)))

    def grabs(self, seat: int, what: Thing) -> list[Event]:
        """A hand on a thing, in the way of the mode."""
        if self.options.mode == "table":
            return self.when(None, Grab(what, seat))
        return self.when(seat, Grab(what))

    def closes(self) -> list[Event]:
        """The window closes in the way of the mode, in virtual play at its very end."""
        if self.options.mode == "table":
            return self.when(None, Close())
        assert self.state.window_ends is not None
        self.now = max(self.now, self.state.window_ends)
        return self.when(SERVICE, Close())


def at_a_table(seats: int, **options: Any) -> Dance:
    """A match in table mode."""
    return Dance(seats, mode="table", **options)


def closing(events: list[Event]) -> WindowClosed:
    """The closing of the window, the first event of a close."""
    assert isinstance(events[0], WindowClosed)
    return events[0]


def count_of(*hands: str) -> Count:
    """What a roll of so many seats counts as, told at the close."""
    dance = at_a_table(len(hands), villagers=len(hands[0].replace("^", "")), meat=20, charcoal=20)
    dance.rolls(*hands)
    return closing(dance.closes()).count


def as_viewed(dance: Dance, viewer: Viewer, **changed: Any) -> dict[str, Any]:
    """The JSON object of the match as a viewer may see it; `changed` replaces parts of it."""
    state = dance.state
    over = state.phase == "over"
    view = {
        "status": "finished" if over else "active",
        "viewer": str(viewer),
        "options": dance.options,
        "seats": [
            {"seat": seat, "name": f"player {seat}", "withdrawn": out}
            for seat, out in enumerate(state.out)
        ],
        "to_act": GAME.to_act(state),
        "state": redact(state, Scope(viewer, state, over)),
        "result": GAME.outcome(state),
    }
    seen: dict[str, Any] = json.decode(json.encode(view | changed))
    return seen


def turn(dance: Dance, pick: Chance) -> list[Event]:
    """One step of a match that plays itself: somebody's sample, or the close that is due."""
    everybody: tuple[int | None, ...] = (*range(len(dance.state.out)), None)
    asked = pick.shuffle(GAME.to_act(dance.state) or everybody)
    for seat in asked[: 1 + pick.below(len(asked))]:
        dance.now += pick.below(40)
        command = sample(dance.state, dance.by(seat), pick)
        if command is not None:
            return dance.when(seat, command)
    return dance.closes() if dance.state.window_ends is not None else []
