"""Which rulings each event rests on, besides those that judged its command."""

from typing import Final

from referee.core.game import Rests
from referee.core.table.events import MatchEnded
from referee.games.dragon_dance.types import Blocked, FirstCard, Laid, RoundEnded, WentOut


def _round_ended(event: RoundEnded) -> tuple[str, ...]:
    return ("stuck", "round-honours") if event.how == "stuck" else ("round-honours",)


RESTS: Final[Rests] = {
    FirstCard: ("next-starter",),
    Laid: ("turns", "same-spot", "points"),
    Blocked: ("same-spot", "points", "after-block"),
    WentOut: ("out-bonus",),
    RoundEnded: _round_ended,
    MatchEnded: ("match-win",),
}
