"""The events of giro-galoppo in words, as their viewer sees them: hidden fields are None."""

from typing import Final

from referee.core.game import Moments
from referee.core.told.reading import View
from referee.core.told.words import Names, Seen, by_type
from referee.games.giro_galoppo.shown.reading import space_named


def _card_chosen(event: Seen, names: Names) -> str:
    card = "a card" if event["card"] is None else f"a {event['card']}"
    return f"{names[event['seat']]} lays {card} face down."


def _cards_shown(event: Seen, names: Names) -> str:
    shown = zip(names, event["cards"], strict=True)
    cards = ", ".join(f"{name} {card}" for name, card in shown if card is not None)
    return f"The cards are turned over: {cards}."


def _horse_moved(event: Seen, names: Names) -> str:
    return _MOVES[event["outcome"]](event, names)


def _moved(event: Seen, names: Names) -> str:
    name, start, goal = names[event["seat"]], space_named(event["from"]), space_named(event["to"])
    ride = f"{name} plays {event['card']} and rides from {start} to {goal}"
    push = event["pushed"]
    if push is None:
        return f"{ride}."
    return f"{ride}, pushing {names[push['seat']]} back to {space_named(push['to'])}."


def _blocked(event: Seen, names: Names) -> str:
    name, stays = names[event["seat"]], _whereabouts(event["from"])
    card, goal = event["card"], space_named(event["from"] + event["card"])
    return f"{name} plays {card}, would end on {goal}, which is blocked, and stays {stays}."


def _held(event: Seen, names: Names) -> str:
    name, stays = names[event["seat"]], _whereabouts(event["from"])
    return f"{name} plays {event['card']} too, is held by the tie and stays {stays}."


def _whereabouts(space: int) -> str:
    return f"{'in' if space == 0 else 'on'} {space_named(space)}"


_MOVES: Final = {"moved": _moved, "blocked": _blocked, "held": _held}
tell = by_type(
    {
        "obstacle_placed": "{name} puts an obstacle on space {space}.",
        "card_chosen": _card_chosen,
        "cards_shown": _cards_shown,
        "horse_moved": _horse_moved,
        "hands_returned": "All six cards are played: every rider takes them up again.",
        "race_over": "The finishing line is crossed: the race is over.",
    }
)
"""One event of giro-galoppo, as its viewer sees it, as a sentence."""
MOMENTS: Final[Moments] = {
    "horse_moved": lambda event: "capture" if event["pushed"] else None,
    "race_over": "score",
}
"""Its moments: see `Game`."""


def chapter(view: View) -> str:
    """The obstacles, then the race round by round."""
    number = view["state"]["round"]
    return f"Round {number}" if number else "The obstacles"
