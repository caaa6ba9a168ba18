"""giro-galoppo in words: its events, how far a race has come, what it waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from referee.core.told.safe import called, cut

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


NAME_WIDTH: Final = 24
"""Columns of a terminal that a name takes in a picture."""


def tell(event: Mapping[str, Any], names: Sequence[str]) -> str:
    """One event, as its viewer sees it, as a sentence.

    ``event``: the JSON object, hidden fields None; ``names`` by seat, taken for untrusted text.
    Raises ``KeyError`` for an event that is not of this game.
    """
    return _SENTENCES[event["type"]](event, [called(name, seat) for seat, name in enumerate(names)])


def stage(view: Mapping[str, Any]) -> str:
    """A headline: the game, how far a view's match has come, and the variation if it is played."""
    state, status = view["state"], view["status"]
    said = {"obstacles": "placing the obstacles", "race": "the race", "over": "the race is over"}
    phase = "over" if status == "finished" else state["phase"]
    rounds = [f"round {state['round']}"] if state["round"] else []
    varied = view["options"]["ties"] == "rearmost-only"
    variation = ["of equal cards the rearmost moves"] if varied else []
    halted = [status] if status in ("paused", "void") else []
    return " · ".join(["Giro Galoppo", said[phase], *rounds, *variation, *halted])


def call(view: Mapping[str, Any]) -> str:
    """One sentence on whom the table waits for, or on why it waits for nobody."""
    names = [cut(called(seat["name"], seat["seat"]), NAME_WIDTH) for seat in view["seats"]]
    if view["status"] == "finished":
        winners = [names[seat] for seat in view["result"]["winners"]]
        return f"{' and '.join(winners)} won." if winners else "Nobody won."
    if view["status"] != "active":
        return {"paused": "The match is paused.", "void": "The match is void."}[view["status"]]
    wanted = "an obstacle" if view["state"]["phase"] == "obstacles" else "a card"
    return f"Waiting for {wanted} of {', '.join(names[seat] for seat in view['to_act'])}."


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
