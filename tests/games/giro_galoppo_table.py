"""Tables of giro-galoppo to start a test from, and its events and ranking made short."""

from typing import Any

import msgspec

from referee.games.giro_galoppo import GAME
from referee.games.giro_galoppo.events import HorseMoved
from referee.games.giro_galoppo.types import ChooseCard
from tests.games.table import Table

FAR = (14, 17, 27, 36, 39)
"""Five obstacles that most of these races never meet."""


def preparing(
    *placed: int, seats: int = 2, options: dict[str, Any] | None = None, placing: int = 0
) -> Table:
    """A table at which some obstacles stand already."""
    table = Table(GAME, seats=seats, options=options)
    course = msgspec.structs.replace(table.state.course, obstacles=placed)
    return table.given(course=course, placing=placing)


def short(*placed: int, river: tuple[int, int] = (2, 5), moor: int = 8) -> Table:
    """The shortest course, with natural and placed obstacles as given."""
    natural = {"river": list(river), "moor": [moor]}
    return preparing(*placed, options={"length": 20, "natural_obstacles": natural})


def racing(*spaces: int | None, obstacles: tuple[int, ...] = FAR, **options: Any) -> Table:
    """A table in the first round of the race, horses as given, full hands."""
    table = Table(GAME, seats=len(spaces), options=options)
    course = msgspec.structs.replace(table.state.course, obstacles=obstacles)
    return table.given(phase="race", placing=None, round=1, spaces=spaces, course=course)


def play_round(table: Table, *cards: int) -> list[Any]:
    """Every seat in the race lays a card, in seat order; the events of the last one's commit."""
    events: list[Any] = []
    for seat, card in zip(table.game.to_act(table.state), cards, strict=True):
        events = table.when(seat, ChooseCard(card))
    return events


def moves(events: list[Any]) -> list[tuple[int, int, int, str]]:
    """The moves among events: seat, from, to, outcome."""
    return [
        (event.seat, event.from_, event.to, event.outcome)
        for event in events
        if isinstance(event, HorseMoved)
    ]


def places(table: Table) -> list[tuple[int, int | None, int | float | None]]:
    """The ranking of a finished match: seat, place, score."""
    ended = table.game.outcome(table.state)
    assert ended is not None
    return [(row.seat, row.place, row.score) for row in ended.ranking]
