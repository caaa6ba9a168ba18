"""The events of dragon-dance in words, as their viewer sees them: hidden fields are None."""

from typing import Final

from referee.core.game import Moments
from referee.core.told.words import Names, Seen, by_type, count_of, listed
from referee.games.dragon_dance.cards import kind


def _card(event: Seen) -> str:
    return f"the {kind(event['card'])} {event['card']}"


def _where(event: Seen) -> str:
    turned = ", turned" if event["turned"] else ""
    boxes, pays = count_of(event["covers"], "box", "boxes"), count_of(event["points"], "point")
    return f"at {event['x']}, {event['y']}{turned}, on {boxes} for {pays}"


def _dealt(event: Seen, names: Names) -> str:
    hands = zip(names, event["hands"], strict=True)
    seen = [f"{name} gets {' '.join(hand)}" for name, hand in hands if hand]
    return "; ".join(["The cards are shuffled and dealt", *seen]) + "."


def _first_card(event: Seen, _names: Names) -> str:
    return f"The {kind(event['card'])} {event['card']} is turned up."


def _laid(event: Seen, names: Names) -> str:
    return f"{names[event['seat']]} lays {_card(event)} {_where(event)}."


def _drew(event: Seen, names: Names) -> str:
    card = "a card" if event["card"] is None else _card(event)
    return f"{names[event['seat']]} draws {card}."


def _blocked(event: Seen, names: Names) -> str:
    by, out = names[event["by"]], names[event["seat"]]
    return f"{by} blocks the head of {out} with {_card(event)} {_where(event)}."


def _round_ended(event: Seen, names: Names) -> str:
    scored = zip(names, event["points"], strict=True)
    scores = ", ".join(f"{name} {number}" for name, number in scored)
    most = listed([names[seat] for seat in event["most_points"]])
    return f"{_how(event, names)} ({scores}). Most points: {most}."


def _how(event: Seen, names: Names) -> str:
    if event["how"] == "stuck":
        return "Nobody can go on: the round ends with no dragon"
    if event["dragon"] is None:
        return "The round ends; the dragon has left the table"
    return f"The round is over, and {names[event['dragon']]} has won it"


tell = by_type(
    {
        "dealt": _dealt,
        "piles_shuffled": "The pile is shuffled anew.",
        "first_card": _first_card,
        "laid": _laid,
        "drew": _drew,
        "kept": "{name} keeps the card.",
        "passed": "{name} can neither lay nor draw and passes.",
        "going_out": "That was {name}'s last card: does anybody block the head?",
        "let_stood": "{name} lets the head stand.",
        "blocked": _blocked,
        "went_out": "{name} goes out, for {bonus:point}.",
        "declined": "{name} lays no more.",
        "round_ended": _round_ended,
        "hand_returned": "The hand of {name}, {count:card}, goes shuffled under the pile.",
    }
)
"""One event of dragon-dance, as its viewer sees it, as a sentence."""
MOMENTS: Final[Moments] = {"went_out": "score", "round_ended": "score", "blocked": "capture"}
"""Its moments: see `Game`."""
