"""Where in a match readers want to look: where points are made, things are taken, or one rules."""

from typing import Final, Literal

from referee.core.game import Game
from referee.core.told.reading import View
from referee.core.told.words import Moment
from referee.report.words import Json

RULINGS: Final = frozenset(
    {"adjudicated", "certified", "call_answered", "paused", "resumed", "taken_back"}
    | {"time_granted", "voided", "withdrawn"}
)
"""Events of the table that are an arbiter's ruling, where an organizer's command brought them."""
CALLS: Final = frozenset({"arbiter_called", "call_withdrawn"})
_FLAGS: Final = frozenset({"flagged", "outage_excused"})


def moment(game: Game, by: str, event: Json) -> Moment | Literal["ruling"] | None:
    """What an event in a commit of `by` is to a reader."""
    kind = event["type"]
    if kind in CALLS | _FLAGS or (kind in RULINGS and by.startswith("organizer")):
        return "ruling"
    if kind == "match_ended":
        return "score"
    told = game.moments.get(kind)
    return told(event) if callable(told) else told


def over(view: View) -> bool:
    """Whether a match is over, in any viewer's view: what was hidden may be shown then."""
    return view["status"] in {"finished", "void"}


def chapter(game: Game, view: View) -> str:
    """What the part of the match is called that is played after a commit, in any viewer's view."""
    if over(view):
        return "After the end"
    return game.chapter(view) if view["state"] else "Before the deal"
