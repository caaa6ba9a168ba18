"""All fights: who challenges whom, on which ground, and who is left.

Strengths decide (rulings `terrain`, `strength`), but for Flug, Culak, Blitz, nest, ghost and
trap (`flug-fights` to `trap-fights`); the table holds what comes of them all.
"""

from collections.abc import Iterator
from typing import Final

from referee.games.giganten.types import KINDS, FightOutcome, Ground, Kind

# Rows challenge, columns are challenged, by the ground under the challenged: W the challenger
# wins, L it loses, = a draw, X both leave, N it takes the nest, T the trap has it, . cannot be.
_TABLE: Final = """
L        t7 t6 tr di st do d2 d1 fl bl ne cu gh tp
tyra-7   =  W  W  W  W  W  W  W  =  L  N  L  W  T
tyra-6   L  =  W  W  W  W  W  W  =  L  N  L  W  T
tri      L  L  =  W  W  W  W  W  =  L  N  W  W  T
dilo     L  L  L  =  W  W  W  W  =  L  N  W  W  T
stego    L  L  L  L  =  W  W  W  W  L  N  W  W  T
docus    L  L  L  L  L  =  X  W  =  L  N  W  W  T
deino-2  L  L  L  L  L  X  =  W  =  L  N  W  W  T
deino-1  L  L  L  L  L  L  L  =  =  L  N  W  W  T
flug     =  =  =  =  L  =  =  =  X  L  N  =  W  T
culak    W  W  L  L  L  L  L  L  =  L  =  =  W  T

S        t7 t6 tr di st do d2 d1 fl bl ne cu gh tp
tyra-7   =  L  L  L  L  L  L  L  =  .  .  L  W  T
tyra-6   W  =  L  X  L  L  L  L  =  .  .  L  W  T
tri      W  W  =  W  W  L  L  L  =  .  .  =  W  T
dilo     W  X  L  =  L  L  L  L  =  .  .  =  W  T
stego    W  W  L  W  =  L  L  L  W  .  .  =  W  T
docus    W  W  W  W  W  =  L  L  =  .  .  =  W  T
deino-2  W  W  W  W  W  W  =  L  =  .  .  L  W  T
deino-1  W  W  W  W  W  W  W  =  =  .  .  L  W  T
flug     =  =  =  =  L  =  =  =  X  .  .  =  W  T
culak    W  W  =  =  =  =  W  W  =  .  .  =  W  T
"""

OUTCOMES: Final[dict[str, FightOutcome]] = {
    "W": "challenger", "L": "defender", "=": "draw", "X": "both-lost",
    "N": "challenger", "T": "defender",
}  # fmt: skip
"""What a letter of the table means for who is left; a trap may hold or send back its prey."""


def _fights() -> Iterator[tuple[tuple[Kind, Kind, str], FightOutcome]]:
    for half in _TABLE.strip().split("\n\n"):
        heading, *rows = half.splitlines()
        for row in rows:
            challenger, *letters = row.split()
            for challenged, letter in zip(KINDS, letters, strict=True):
                if letter != ".":
                    yield (challenger, challenged, heading[0]), OUTCOMES[letter]  # type: ignore[misc]


FIGHTS: Final[dict[tuple[Kind, Kind, str], FightOutcome]] = dict(_fights())
"""By challenger, challenged and ground."""

CHALLENGERS: Final[frozenset[Kind]] = frozenset(challenger for challenger, *_ in FIGHTS)
"""Who may challenge at all: no Blitz, ghost, nest or trap."""


def fought(challenger: Kind, challenged: Kind, ground: Ground) -> FightOutcome:
    """Who is left of a fight; against Blitz and nest the ground makes no difference.

    Raises:
        KeyError: a kind challenges that never does.
    """
    on_land = FIGHTS[challenger, challenged, "L"]
    return FIGHTS.get((challenger, challenged, ground), on_land)
