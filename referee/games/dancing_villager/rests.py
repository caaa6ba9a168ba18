"""Which rulings each event rests on, besides those that judged its command."""

from typing import Final

from referee.core.game import Rests
from referee.core.table.events import MatchEnded
from referee.games.dancing_villager.types import (
    DogAdded,
    DogJoined,
    DogsEscaped,
    DogTamed,
    GameWon,
    Grabbed,
    RoundEnded,
    SticksRemoved,
    VillagerLost,
    WindowClosed,
)

RESTS: Final[Rests] = {
    Grabbed: ("judged-at-close",),
    WindowClosed: ("judged-at-close", "net-count", "runs-out", "too-late"),
    DogTamed: lambda event: ("standing-tames" if event.from_ == "pack" else "tame",),
    DogJoined: ("all-flat",),
    VillagerLost: lambda event: ("assault" if event.why == "assault" else "wrong-move",),
    DogsEscaped: ("escape",),
    SticksRemoved: ("net-count", "round-end"),
    RoundEnded: ("round-end",),
    DogAdded: ("new-dog",),
    GameWon: ("win",),
    MatchEnded: ("ranking",),
}
