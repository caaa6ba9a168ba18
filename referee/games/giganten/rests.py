"""Which rulings each event rests on, besides those that judged its command."""

from typing import Final

from referee.core.game import Rests
from referee.games.giganten.types import (
    Advanced,
    Challenged,
    Immobile,
    LeftBoard,
    NestTaken,
    NoProgress,
    PassedOver,
    Sprung,
    Stayed,
)

_ON_FIGHTS: Final = ("nest", "trap", "ghost", "blitz", "culak", "flug")
"""Kinds whose fights have a ruling of their own."""


def _challenged(event: Challenged) -> tuple[str, ...]:
    own = tuple(f"{kind}-fights" for kind in _ON_FIGHTS if kind in event.kinds)
    return own or ("terrain", "strength")


RESTS: Final[Rests] = {
    Challenged: _challenged,
    Sprung: ("trap-fights",),
    Advanced: ("advance",),
    Stayed: ("advance",),
    LeftBoard: ("lost-open",),
    NestTaken: ("nest-win",),
    Immobile: ("immobile-loss",),
    PassedOver: ("immobile-loss",),
    NoProgress: ("no-progress",),
}
