"""Which rulings each event rests on, besides those that judged its command."""

from typing import Final

from referee.core.game import Rests
from referee.core.table.events import MatchEnded
from referee.games.giants_dance.types import (
    HOME,
    CardsDrawn,
    Danced,
    GiantMoved,
    NoDance,
    SquareScored,
    StreetScored,
    TokensTaken,
    TokensTurnedUp,
)


def _giant_moved(event: GiantMoved) -> tuple[str, ...]:
    return "last-first", "queue", "move-exact", *(("home",) if event.to == HOME else ())


def _danced(event: Danced) -> tuple[str, ...]:
    return "dance-once", *(("street-dance",) if event.place == "street" else ())


def _square_scored(event: SquareScored) -> tuple[str, ...]:
    points = "score-market" if event.square == "market" else "score-square"
    return "when-scored", points, "distract"


RESTS: Final[Rests] = {
    GiantMoved: _giant_moved,
    TokensTurnedUp: ("tokens",),
    TokensTaken: ("tokens",),
    Danced: _danced,
    NoDance: ("dance-once",),
    CardsDrawn: ("refill",),
    SquareScored: _square_scored,
    StreetScored: ("score-street",),
    MatchEnded: ("winner",),
}
