"""The events of giro-galoppo in words, and names made safe to print."""

from __future__ import annotations

import unicodedata
from itertools import count
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def tell(event: Mapping[str, Any], names: Sequence[str]) -> str:
    """One event, as its viewer sees it, as a sentence.

    ``event``: the JSON object, hidden fields None; ``names`` by seat, taken for untrusted text.
    Raises ``KeyError`` for an event that is not of this game.
    """
    return _SENTENCES[event["type"]](event, [called(*named) for named in zip(names, count())])


def called(name: str, seat: int) -> str:
    """What a seat is called: its name made safe, or its number where nothing is left of it."""
    return clean(name) or f"seat {seat}"


def clean(name: str) -> str:
    r"""A name on one line: control and format characters out, runs of white space to one blank.

    >>> clean("Ann\x1b[31m \u202e Bee\n")
    'Ann[31m Bee'
    """
    kept = (" " if sign.isspace() else sign for sign in name)
    printable = (sign for sign in kept if not unicodedata.category(sign).startswith("C"))
    return " ".join("".join(printable).split())


def fit(name: str, width: int) -> str:
    """A clean name cut or padded to ``width`` columns of a terminal, wide signs counted as two.

    >>> fit("Annabella", 6), fit("Bo", 6)
    ('Annab…', 'Bo    ')
    """
    if columns(name) > width:
        while columns(name) > width - 1:
            name = name[:-1]
        name += "…"
    return name + " " * (width - columns(name))


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(map(_columns, text))


def _columns(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def stage(view: Mapping[str, Any]) -> str:
    """A headline: the game, how far a view's match has come, and the variation if it is played."""
    state = view["state"]
    said = {"obstacles": "placing the obstacles", "race": "the race", "over": "the race is over"}
    rounds = [f"round {state['round']}"] if state["round"] else []
    varied = view["options"]["ties"] == "rearmost-only"
    variation = ["of equal cards the rearmost moves"] if varied else []
    return " · ".join(["Giro Galoppo", said[state["phase"]], *rounds, *variation])


def place(space: int) -> str:
    """A space as people say it: the gate for 0."""
    return "the gate" if space == 0 else f"space {space}"


def _obstacle_placed(event: Mapping[str, Any], names: Sequence[str]) -> str:
    return f"{names[event['seat']]} puts an obstacle on space {event['space']}."


def _card_chosen(event: Mapping[str, Any], names: Sequence[str]) -> str:
    card = "a card" if event["card"] is None else f"a {event['card']}"
    return f"{names[event['seat']]} lays {card} face down."


def _cards_shown(event: Mapping[str, Any], names: Sequence[str]) -> str:
    shown = zip(names, event["cards"], strict=True)
    cards = ", ".join(f"{name} {card}" for name, card in shown if card is not None)
    return f"The cards are turned over: {cards}."


def _horse_moved(event: Mapping[str, Any], names: Sequence[str]) -> str:
    return _MOVES[event["outcome"]](event, names)


def _moved(event: Mapping[str, Any], names: Sequence[str]) -> str:
    name, start, goal = names[event["seat"]], place(event["from"]), place(event["to"])
    ride = f"{name} plays {event['card']} and rides from {start} to {goal}"
    push = event["pushed"]
    if push is None:
        return f"{ride}."
    return f"{ride}, pushing {names[push['seat']]} back to {place(push['to'])}."


def _blocked(event: Mapping[str, Any], names: Sequence[str]) -> str:
    name, stays = names[event["seat"]], _whereabouts(event["from"])
    return f"{name} plays {event['card']}, would end on an obstacle and stays {stays}."


def _held(event: Mapping[str, Any], names: Sequence[str]) -> str:
    name, stays = names[event["seat"]], _whereabouts(event["from"])
    return f"{name} plays {event['card']} too, is held by the tie and stays {stays}."


def _whereabouts(space: int) -> str:
    return f"{'in' if space == 0 else 'on'} {place(space)}"


def _hands_returned(_event: Mapping[str, Any], _names: Sequence[str]) -> str:
    return "All six cards are played: every rider takes them up again."


def _race_over(_event: Mapping[str, Any], _names: Sequence[str]) -> str:
    return "The finishing line is crossed: the race is over."


_MOVES: Final = {"moved": _moved, "blocked": _blocked, "held": _held}
_SENTENCES: Final = {
    "obstacle_placed": _obstacle_placed,
    "card_chosen": _card_chosen,
    "cards_shown": _cards_shown,
    "horse_moved": _horse_moved,
    "hands_returned": _hands_returned,
    "race_over": _race_over,
}
