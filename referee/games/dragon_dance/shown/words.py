"""The events of dragon-dance in words, as their viewer sees them: hidden fields are None."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.core.told.words import Teller, by_type, count_of, listed
from referee.games.dragon_dance.cards import kind


def _of_its_seat(sentence: str) -> Teller:
    """What tells an event by its seat alone: `{}` stands for the name."""
    return lambda event, names: sentence.format(names[event["seat"]])


def _card(event: Mapping[str, Any]) -> str:
    return f"the {kind(event['card'])} {event['card']}"


def _where(event: Mapping[str, Any]) -> str:
    turned = ", turned" if event["turned"] else ""
    boxes, pays = count_of(event["covers"], "box", "boxes"), count_of(event["points"], "point")
    return f"at {event['x']}, {event['y']}{turned}, on {boxes} for {pays}"


def _dealt(event: Mapping[str, Any], names: Sequence[str]) -> str:
    hands = zip(names, event["hands"], strict=True)
    seen = [f"{name} gets {' '.join(hand)}" for name, hand in hands if hand]
    return "; ".join(["The cards are shuffled and dealt", *seen]) + "."


def _first_card(event: Mapping[str, Any], _names: Sequence[str]) -> str:
    return f"The {kind(event['card'])} {event['card']} is turned up."


def _laid(event: Mapping[str, Any], names: Sequence[str]) -> str:
    return f"{names[event['seat']]} lays {_card(event)} {_where(event)}."


def _drew(event: Mapping[str, Any], names: Sequence[str]) -> str:
    card = "a card" if event["card"] is None else _card(event)
    return f"{names[event['seat']]} draws {card}."


def _blocked(event: Mapping[str, Any], names: Sequence[str]) -> str:
    by, out = names[event["by"]], names[event["seat"]]
    return f"{by} blocks the head of {out} with {_card(event)} {_where(event)}."


def _went_out(event: Mapping[str, Any], names: Sequence[str]) -> str:
    return f"{names[event['seat']]} goes out, for {count_of(event['bonus'], 'point')}."


def _round_ended(event: Mapping[str, Any], names: Sequence[str]) -> str:
    scored = zip(names, event["points"], strict=True)
    scores = ", ".join(f"{name} {number}" for name, number in scored)
    most = listed([names[seat] for seat in event["most_points"]])
    return f"{_how(event, names)} ({scores}). Most points: {most}."


def _how(event: Mapping[str, Any], names: Sequence[str]) -> str:
    if event["how"] == "stuck":
        return "Nobody can go on: the round ends with no dragon"
    if event["dragon"] is None:
        return "The round ends; the dragon has left the table"
    return f"The round is over, and {names[event['dragon']]} has won it"


def _hand_returned(event: Mapping[str, Any], names: Sequence[str]) -> str:
    cards = count_of(event["count"], "card")
    return f"The hand of {names[event['seat']]}, {cards}, goes shuffled under the pile."


tell = by_type(
    {
        "dealt": _dealt,
        "first_card": _first_card,
        "laid": _laid,
        "drew": _drew,
        "kept": _of_its_seat("{} keeps the card."),
        "passed": _of_its_seat("{} can neither lay nor draw and passes."),
        "going_out": _of_its_seat("That was {}'s last card: does anybody block the head?"),
        "let_stood": _of_its_seat("{} lets the head stand."),
        "blocked": _blocked,
        "went_out": _went_out,
        "declined": _of_its_seat("{} lays no more."),
        "round_ended": _round_ended,
        "hand_returned": _hand_returned,
    }
)
"""One event of dragon-dance, as its viewer sees it, as a sentence."""
