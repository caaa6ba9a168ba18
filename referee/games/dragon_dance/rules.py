"""The course of play: what follows from each lawful command, as stories of events.

A round: the cards are dealt, one is turned up, and each turn lays one card or draws one. Who
lays a head as the last card goes out; the others may block it with an egg, else each lays one
card more, and the round ends. It also ends when, with an empty pile, everybody has passed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Literal

from referee.core.game import Asker, Command, CommandRules, Event, Outcome, Steps, apart, ranked
from referee.core.randomness import Chance
from referee.games.dragon_dance import judging
from referee.games.dragon_dance.cards import DECK, is_egg, is_head
from referee.games.dragon_dance.tops import covered
from referee.games.dragon_dance.turns import clockwise, seats_in, starter
from referee.games.dragon_dance.types import (
    Block,
    Blocked,
    Dealt,
    Decline,
    Declined,
    Draw,
    Drew,
    FirstCard,
    GoingOut,
    HandReturned,
    Keep,
    Kept,
    Laid,
    Lay,
    LetStand,
    LetStood,
    Passed,
    RoundEnded,
    State,
    WentOut,
)

HEAD_POINTS: Final = 3
EGG_POINTS: Final = 5
OUT_BONUS: Final = 5
FINISH_BONUS: Final = 2


def certain(seat: int | None) -> int:
    """A seat where the rules leave no doubt that there is one; ``ValueError`` where there is none.

    Every command of this game is for a seat, and in phase ``respond`` one is going out.
    """
    if seat is None:
        raise ValueError("the rules promise a seat here")
    return seat


# ---------------------------------------------------------------- points


def boxes_points(state: State, command: Lay | Block) -> tuple[int, int]:
    """Ruling ``points``: the boxes covered, and 1 for each, a head 3 more, an egg 5 more."""
    boxes = covered(state.tops, command.x, command.y)
    extra = HEAD_POINTS * is_head(command.card) + EGG_POINTS * is_egg(command.card)
    return boxes, boxes + extra


def finish_bonus(state: State, seat: int, command: Lay, boxes: int) -> int:
    """Ruling ``finish``: 2 more for a last card that is a head covering at least two boxes."""
    last = state.phase == "finish" and len(state.hands[seat]) == 1
    out = last and is_head(command.card) and boxes >= judging.LAST_CARD_COVERS
    return FINISH_BONUS if out else 0


# ---------------------------------------------------------------- a round


def deal(state: State, _by: Asker, chance: Chance) -> Steps[State]:
    """All cards are shuffled and dealt one by one from the starter, then one is turned up."""
    cards = chance.shuffle(DECK)
    first = starter(state, state.round + 1)
    order = (first, *clockwise(state, first))
    used = state.options.hand * len(order)
    hands: list[tuple[str, ...]] = [()] * len(state.points)
    for place, seat in enumerate(order):
        hands[seat] = cards[place : used : len(order)]
    state = yield Dealt(hands=tuple(hands), pile=cards[used:])
    return (yield FirstCard(card=state.pile[0]))


def go_on(state: State, by: Asker, chance: Chance) -> Steps[State]:
    """What follows by itself once a command or a withdrawal is done."""
    if state.phase == "lay":
        return (yield from pass_on(state, by, chance))
    if state.phase == "respond" and not state.asked:
        return (yield WentOut(seat=certain(state.going_out), bonus=OUT_BONUS))
    if state.phase == "finish" and state.turn is None:
        return (yield from end_round(state, "dragon", by, chance))
    return state


def pass_on(state: State, by: Asker, chance: Chance) -> Steps[State]:
    """Rulings ``draw-one`` and ``stuck``: who can neither lay nor draw passes by itself."""
    while state.turn is not None and not state.pile and not can_lay(state, state.turn):
        state = yield Passed(seat=state.turn)
        if state.passes == len(seats_in(state)):
            return (yield from end_round(state, "stuck", by, chance))
    return state


def can_lay(state: State, seat: int) -> bool:
    """Whether the seat can lay any card of its hand by every ruling, ``last-card`` included."""
    return judging.first_lay(state, Asker("seat", seat, 0)) is not None


def end_round(
    state: State, how: Literal["dragon", "stuck"], by: Asker, chance: Chance
) -> Steps[State]:
    """Ruling ``round-honours``, and the next round unless the match is decided."""
    left = seats_in(state)
    most = max(state.points[seat] for seat in left)
    state = yield RoundEnded(
        how=how,
        points=state.points,
        dragon=state.going_out if state.going_out in left else None,
        most_points=tuple(seat for seat in left if state.points[seat] == most),
    )
    return state if state.phase == "over" else (yield from deal(state, by, chance))


# ---------------------------------------------------------------- commands


def lay(state: State, by: Asker, command: Lay, chance: Chance) -> Steps[State]:
    """A card is laid and pays; in a turn, a last one goes out, and the others are asked."""
    seat, finishing = certain(by.seat), state.phase == "finish"
    boxes, points = boxes_points(state, command)
    points += finish_bonus(state, seat, command, boxes)
    turned = judging.is_turned(state, command)
    state = yield Laid(seat, command.card, command.x, command.y, turned, boxes, points)
    if not finishing and not state.hands[seat]:
        return (yield GoingOut(seat=seat))
    return (yield from go_on(state, by, chance))


def draw(state: State, by: Asker, _command: Draw, _chance: Chance) -> Steps[State]:
    """Ruling ``draw-one``: one card, which may be laid at once."""
    return (yield Drew(seat=certain(by.seat), card=state.pile[0]))


def keep(state: State, by: Asker, _command: Keep, chance: Chance) -> Steps[State]:
    """The drawn card is kept, and the turn goes on."""
    state = yield Kept(seat=certain(by.seat))
    return (yield from go_on(state, by, chance))


def block(state: State, by: Asker, command: Block, chance: Chance) -> Steps[State]:
    """Ruling ``after-block``: the egg pays, who has no card left draws, the blocker first."""
    seat, out = certain(by.seat), certain(state.going_out)
    boxes, points = boxes_points(state, command)
    turned = judging.is_turned(state, command)
    where = (command.card, command.x, command.y, turned)
    state = yield Blocked(seat, out, *where, boxes, points)
    for drawing in (seat, out):
        if not state.hands[drawing]:
            state = yield Drew(seat=drawing, card=state.pile[0])
    return (yield from go_on(state, by, chance))


def let_stand(state: State, by: Asker, _command: LetStand, chance: Chance) -> Steps[State]:
    """The seat does not block; when nobody does, the head stands."""
    state = yield LetStood(seat=certain(by.seat))
    return (yield from go_on(state, by, chance))


def decline(state: State, by: Asker, _command: Decline, chance: Chance) -> Steps[State]:
    """The seat lays no card in the finish."""
    state = yield Declined(seat=certain(by.seat))
    return (yield from go_on(state, by, chance))


# ---------------------------------------------------------------- the match


def to_act(state: State) -> tuple[int, ...]:
    """The seat whose turn it is; while a seat goes out, the first that is asked."""
    if state.phase == "respond":
        return state.asked[:1]
    return () if state.turn is None else (state.turn,)


def outcome(state: State) -> Outcome | None:
    """Rounds won, then total points, then shared (ruling ``match-win``); who withdrew, last."""
    if state.phase != "over":
        return None
    left = seats_in(state)
    scores = {seat: (state.rounds_won[seat], state.total_points[seat]) for seat in left}
    ranking = ranked(scores, dict(enumerate(state.total_points)))
    return Outcome("withdrawal" if len(left) == 1 else "played-out", tuple(ranking))


def after_leaving(state: State, by: Asker, chance: Chance) -> Steps[State]:
    """The hand goes shuffled under the pile, and what the withdrawal brings about follows."""
    seat = certain(by.seat)
    hand = state.hands[seat]
    if hand:
        state = yield HandReturned(seat=seat, count=len(hand), cards=chance.shuffle(hand))
    return (yield from go_on(state, by, chance))


def draws(_state: State, event: Event) -> int:
    """Two events come of a shuffle: the deal, and a hand that goes under the pile."""
    return int(isinstance(event, Dealt | HandReturned))


def reveals(event: Event) -> bool:
    """A card drawn is news to its seat, a turn that passes by itself tells of a hand."""
    return isinstance(event, Drew | Passed)


def _only(command: Command) -> Callable[[State, Asker], Iterator[Command]]:
    def forms(_state: State, _by: Asker) -> Iterator[Command]:
        yield command

    return forms


COMMANDS: Final = (
    CommandRules(
        command=Lay,
        phases=frozenset({"lay", "drawn", "finish"}),
        rulings=judging.TO_LAY,
        decide=apart(lay),
        forms=judging.lays,
    ),
    CommandRules(
        command=Draw,
        phases=frozenset({"lay"}),
        rulings=(judging.no_pass,),
        decide=apart(draw),
        forms=_only(Draw()),
    ),
    CommandRules(
        command=Keep,
        phases=frozenset({"drawn"}),
        rulings=(),
        decide=apart(keep),
        forms=_only(Keep()),
    ),
    CommandRules(
        command=Block,
        phases=frozenset({"respond"}),
        rulings=judging.TO_BLOCK,
        decide=apart(block),
        forms=judging.blocks,
    ),
    CommandRules(
        command=LetStand,
        phases=frozenset({"respond"}),
        rulings=(),
        decide=apart(let_stand),
        forms=_only(LetStand()),
    ),
    CommandRules(
        command=Decline,
        phases=frozenset({"finish"}),
        rulings=(),
        decide=apart(decline),
        forms=_only(Decline()),
    ),
)
