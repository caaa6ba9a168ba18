"""The events of dragon-dance in words, and what its pictures say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from referee.core.told.safe import called, cut
from referee.games.dragon_dance.cards import kind

NAME_WIDTH: Final = 22
"""Columns of a terminal that a name takes in a picture."""


def tell(event: Mapping[str, Any], names: Sequence[str]) -> str:
    """One event, as its viewer sees it, as a sentence.

    ``event``: the JSON object, hidden fields None; ``names`` by seat, taken for untrusted text.
    Raises ``KeyError`` for an event that is not of this game.
    """
    safe = [called(name, seat) for seat, name in enumerate(names)]
    return _SENTENCES[event["type"]](event, safe)


def short(view: Mapping[str, Any], seat: int) -> str:
    """What a seat of a view is called in a picture: at most ``NAME_WIDTH`` columns."""
    return cut(called(view["seats"][seat]["name"], seat), NAME_WIDTH)


def listed(parts: Sequence[str]) -> str:
    """Words in a row: ``"Ann"``, ``"Ann and Bo"``, ``"Ann, Bo and Cy"``; ``"nobody"`` for none."""
    if len(parts) < 2:  # noqa: PLR2004 -- nothing to join
        return "".join(parts) or "nobody"
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def dragon(rounds_won: int) -> str:
    """The dragon that a seat plays with: black until it has won a round, then white."""
    return "white" if rounds_won else "black"


def stage(view: Mapping[str, Any]) -> str:
    """A headline: the game, how far a view's match has come, and what stands in the middle."""
    state = view["state"]
    rounds = f"round {state['round']} of {view['options']['max_rounds']} at most"
    pile = f"{state['pile_count']} in the pile"
    return f"Dragon Dance · {rounds} · {pile}"


def call(view: Mapping[str, Any]) -> str:
    """One sentence on who is to act, and what it may do; or on why nobody is."""
    names = [short(view, seat["seat"]) for seat in view["seats"]]
    if view["status"] != "active":
        return _at_rest(view, names)
    state, waited_for = view["state"], listed([names[seat] for seat in view["to_act"]])
    out = None if state["going_out"] is None else names[state["going_out"]]
    return {
        "lay": f"{waited_for} is to lay a card, or to draw one.",
        "drawn": f"{waited_for} is to lay the card just drawn, or to keep it.",
        "respond": f"{out} is going out; {waited_for} is to block the head, or to let it stand.",
        "finish": f"{out} has gone out; {waited_for} may lay one card more.",
    }[state["phase"]]


def _at_rest(view: Mapping[str, Any], names: Sequence[str]) -> str:
    """What is to be said of a match that is not being played."""
    if view["status"] == "finished":
        winners: Sequence[int] = view["result"]["winners"]
        return f"The match is over: {listed([names[seat] for seat in winners])} won."
    return {"paused": "The match is paused.", "void": "The match does not count."}[view["status"]]


def note(view: Mapping[str, Any], seat: int) -> str:
    """What else there is to say of a seat: that it left, its place, or that it goes out."""
    if view["seats"][seat]["withdrawn"]:
        return "withdrew"
    for row in (view["result"] or {"ranking": ()})["ranking"]:
        if row["seat"] == seat and row["place"] is not None:
            return f"place {row['place']}"
    if seat != view["state"]["going_out"]:
        return ""
    return "goes out" if view["state"]["phase"] == "respond" else "is out"


def points(number: int) -> str:
    """A number of points in words."""
    return f"{number} point{'' if number == 1 else 's'}"


def _card(event: Mapping[str, Any]) -> str:
    return f"the {kind(event['card'])} {event['card']}"


def _where(event: Mapping[str, Any]) -> str:
    turned = ", turned" if event["turned"] else ""
    boxes = f"{event['covers']} box{'' if event['covers'] == 1 else 'es'}"
    return f"at {event['x']}, {event['y']}{turned}, on {boxes} for {points(event['points'])}"


def _dealt(event: Mapping[str, Any], names: Sequence[str]) -> str:
    hands = zip(names, event["hands"], strict=False)
    seen = [f"{name} gets {' '.join(hand)}" for name, hand in hands if hand]
    return "; ".join(["The cards are shuffled and dealt", *seen]) + "."


def _first_card(event: Mapping[str, Any], _names: Sequence[str]) -> str:
    return f"The {kind(event['card'])} {event['card']} is turned up."


def _laid(event: Mapping[str, Any], names: Sequence[str]) -> str:
    return f"{names[event['seat']]} lays {_card(event)} {_where(event)}."


def _drew(event: Mapping[str, Any], names: Sequence[str]) -> str:
    card = "a card" if event["card"] is None else _card(event)
    return f"{names[event['seat']]} draws {card}."


def _kept(event: Mapping[str, Any], names: Sequence[str]) -> str:
    return f"{names[event['seat']]} keeps the card."


def _passed(event: Mapping[str, Any], names: Sequence[str]) -> str:
    return f"{names[event['seat']]} can neither lay nor draw and passes."


def _going_out(event: Mapping[str, Any], names: Sequence[str]) -> str:
    return f"That was {names[event['seat']]}'s last card: does anybody block the head?"


def _let_stood(event: Mapping[str, Any], names: Sequence[str]) -> str:
    return f"{names[event['seat']]} lets the head stand."


def _blocked(event: Mapping[str, Any], names: Sequence[str]) -> str:
    by, out = names[event["by"]], names[event["seat"]]
    return f"{by} blocks the head of {out} with {_card(event)} {_where(event)}."


def _went_out(event: Mapping[str, Any], names: Sequence[str]) -> str:
    return f"{names[event['seat']]} goes out, for {points(event['bonus'])}."


def _declined(event: Mapping[str, Any], names: Sequence[str]) -> str:
    return f"{names[event['seat']]} lays no more."


def _round_ended(event: Mapping[str, Any], names: Sequence[str]) -> str:
    scored = zip(names, event["points"], strict=False)
    scores = ", ".join(f"{name} {number}" for name, number in scored)
    best: Sequence[int] = event["most_points"]
    most = listed([names[seat] for seat in best])
    return f"{_how(event, names)} ({scores}). Most points: {most}."


def _how(event: Mapping[str, Any], names: Sequence[str]) -> str:
    if event["how"] == "stuck":
        return "Nobody can go on: the round ends with no dragon"
    if event["dragon"] is None:
        return "The round ends; the dragon has left the table"
    return f"The round is over, and {names[event['dragon']]} has won it"


def _hand_returned(event: Mapping[str, Any], names: Sequence[str]) -> str:
    cards = f"{event['count']} card{'' if event['count'] == 1 else 's'}"
    return f"The hand of {names[event['seat']]}, {cards}, goes shuffled under the pile."


_SENTENCES: Final[Mapping[str, Callable[[Mapping[str, Any], Sequence[str]], str]]] = {
    "dealt": _dealt,
    "first_card": _first_card,
    "laid": _laid,
    "drew": _drew,
    "kept": _kept,
    "passed": _passed,
    "going_out": _going_out,
    "let_stood": _let_stood,
    "blocked": _blocked,
    "went_out": _went_out,
    "declined": _declined,
    "round_ended": _round_ended,
    "hand_returned": _hand_returned,
}
