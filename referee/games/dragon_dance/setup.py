"""The options judged, the first state, the deal of a round, and random options for trials."""

from collections.abc import Iterator
from typing import Any, Final

from referee.core.game import At, Piles, Steps
from referee.core.randomness import Chance
from referee.core.seats import clockwise
from referee.games.dragon_dance import events
from referee.games.dragon_dance.cards import COLOURS, DECK, is_egg, is_head
from referee.games.dragon_dance.types import Options, State


def faults(options: Options, _seats: int) -> Iterator[tuple[str, str]]:
    """Every face that cannot be printed on its card."""
    for card, face in (options.faces or {}).items():
        wrong = _wrong_with(card, face)
        if wrong is not None:
            yield f"options.faces.{card}", wrong


def _wrong_with(card: str, face: str) -> str | None:
    if card not in DECK:
        return "is no card of this game"
    if len(face) != len(COLOURS) or not set(face) <= set(COLOURS):
        return f"must be four letters of {COLOURS}, not {face!r}"
    if is_head(card) and face[0] != face[1]:
        return f"the first two letters of a head must be alike, not {face!r}"
    if is_egg(card) and face != face[0] * 4:
        return f"the four letters of an egg must be alike, not {face!r}"
    return None


def start(options: Options, seats: int) -> State:
    """The state before any event: nothing is dealt, round 0."""
    nobody = (0,) * seats
    return State(
        turn=options.starter,
        hands=((),) * seats,
        hand_counts=nobody,
        points=nobody,
        rounds_won=nobody,
        total_points=nobody,
        point_honours=nobody,
        withdrawn=(False,) * seats,
        options=options,
    )


def deal(at: At[State]) -> Steps[State]:
    """The first round begins."""
    return deal_round(at.state, at.chance)


def deal_round(state: State, chance: Chance) -> Steps[State]:
    """All cards are shuffled and dealt one by one from the starter, then one is turned up."""
    cards = chance.about("the cards").shuffle(DECK)
    order = clockwise(state.withdrawn, state.starter(state.round + 1) - 1)
    used = state.options.hand * len(order)
    hands: list[tuple[str, ...]] = [()] * len(state.points)
    for place, seat in enumerate(order):
        hands[seat] = cards[place : used : len(order)]
    state = yield events.Dealt(hands=tuple(hands), pile=cards[used:])
    return (yield events.FirstCard(card=state.pile[0]))


PILES: Final = Piles(
    of=lambda state: (state.pile,),
    shuffled=lambda piles: events.PilesShuffled(pile=piles[0] or ()),
)


def vary(pick: Chance, seats: int) -> dict[str, Any]:
    """Random lawful options, each left out now and then, as a client would send them.

    `max_rounds` is kept small most of the time, so that a trial takes a moment.
    """
    chosen: dict[str, Any] = {
        "starter": pick.below(seats),
        "hand": pick.between(3, 9),
        "need": pick.one_of((0, 5, 10, 15, 20, 40)),
        "to_win": pick.between(1, 2),
        "turning": pick.one_of(("half", "none")),
        "faces": pick.one_of((None, {}, _random_faces(pick))),
    }
    kept = {name: value for name, value in chosen.items() if pick.below(4)}
    rounds = pick.one_of((1, 2, 3, 5, None))
    return kept if rounds is None else {**kept, "max_rounds": rounds}


def _random_faces(pick: Chance) -> dict[str, str]:
    """Other faces for up to eight cards."""
    cards = pick.shuffle(DECK)[: pick.between(1, 8)]
    return {card: _random_face(pick, card) for card in cards}


def _random_face(pick: Chance, card: str) -> str:
    upper_left, *others = (pick.one_of(COLOURS) for _ in range(4))
    if is_egg(card):
        return upper_left * 4
    if is_head(card):
        others[0] = upper_left
    return upper_left + "".join(others)
