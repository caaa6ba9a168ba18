"""Which rulings each event rests on, besides those that judged its command."""

from typing import Final

from referee.core.game import Rests
from referee.core.table.events import MatchEnded
from referee.games.giro_galoppo.types import (
    CardChosen,
    HandsReturned,
    HorseMoved,
    ObstaclePlaced,
    RaceOver,
)


def _horse_moved(event: HorseMoved) -> tuple[str, ...]:
    if event.outcome == "held":
        return "move-order", "rearmost-only"
    if event.outcome == "blocked":
        return "move-order", "blocked"
    pushing = ("push-back",) if event.pushed else ()
    return "move-order", "move-full", *pushing, "behind-the-line"


RESTS: Final[Rests] = {
    ObstaclePlaced: ("obstacle-order",),
    CardChosen: ("one-choice",),
    HorseMoved: _horse_moved,
    HandsReturned: ("hands-back",),
    RaceOver: ("race-end",),
    MatchEnded: ("placing",),
}
