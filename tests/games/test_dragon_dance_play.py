"""Dragon Dance: matches played at random to the end, held against a second reading of the rules.

The oracle below keeps the field as a map of boxes and asks every place for every card: slow, and
written without the game's own geometry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import pytest

from referee.core.game import Command, Event
from referee.core.randomness import Chance
from referee.core.seats import still_in
from referee.games.dragon_dance import GAME
from referee.games.dragon_dance.cards import DECK, FACES
from referee.games.dragon_dance.events import (
    Blocked,
    Dealt,
    Laid,
    PilesShuffled,
    RoundEnded,
    WentOut,
)
from referee.games.dragon_dance.types import Block, Decline, Draw, Keep, Lay, LetStand, State
from tests.games.table import Table

BOXES = ((0, 0), (1, 0), (0, 1), (1, 1))


class Top(NamedTuple):
    """The topmost box of a cell."""

    colour: str
    egg: bool


def face(state: State, card: str, *, turned: bool) -> str:
    """Four letters as they lie."""
    letters = {**FACES, **(state.options.faces or {})}[card]
    return letters[::-1] if turned else letters


def tops(state: State) -> dict[tuple[int, int], Top]:
    """The field from above, card by card."""
    shown: dict[tuple[int, int], Top] = {}
    for placed in state.field:
        letters = face(state, placed.card, turned=placed.turned)
        for (dx, dy), letter in zip(BOXES, letters, strict=True):
            shown[placed.x + dx, placed.y + dy] = Top(letter, placed.card[0] == "E")
    return shown


def head_end(state: State) -> set[tuple[int, int]]:
    """The two cells of the own end of the head that goes out, the last that its seat laid."""
    head = [placed for placed in state.field if placed.seat == state.going_out][-1]
    row = head.y + 1 if head.turned else head.y
    return {(head.x, row), (head.x + 1, row)}


def lay_ruling(state: State, shown: dict[tuple[int, int], Top], form: Lay) -> str | None:
    """The ruling that a lay of the turn's seat should break first."""
    assert state.turn is not None
    hand = state.hands[state.turn]
    if form.card not in hand:
        return "card-in-hand"
    letters = face(state, form.card, turned=form.turned)
    cells = [(form.x + dx, form.y + dy) for dx, dy in BOXES]
    under = [(shown[cell], own) for cell, own in zip(cells, letters, strict=True) if cell in shown]
    same = form.card[0] in "HE" and letters == letters[::-1]
    last = state.phase != "finish" and len(hand) == 1
    out = form.card[0] == "H" and len(under) > 1
    broken = {
        "draw-one": state.phase == "drawn" and form.card != state.drawn,
        "turning": state.options.turning == "none" and form.turned and not same,
        "cover": not under,
        "match-colour": any(top.colour != own for top, own in under),
        "beaten-egg": form.card[0] == "E" and any(top.egg for top, _ in under),
        "last-card": last and not (out and state.points[state.turn] >= state.options.need),
        "finish": state.phase == "finish" and form.card[0] == "E" and head_end(state) <= {*cells},
    }
    return next((ruling for ruling, breaks in broken.items() if breaks), None)


def sweep(state: State, shown: dict[tuple[int, int], Top], cards: tuple[str, ...]) -> Iterator[Lay]:
    """Every way to lay these cards on and round the field."""
    across = [x for x, _ in shown]
    down = [y for _, y in shown]
    columns, rows = range(min(across) - 2, max(across) + 2), range(min(down) - 2, max(down) + 2)
    for card, y, x, turned in product(cards, rows, columns, (False, True)):
        yield Lay(card, x, y, turned)


def check_lays(table: Table, seat: int) -> None:
    """Every lay is judged as the oracle judges it, and the lawful ones are listed in order."""
    state, shown = table.state, tops(table.state)
    hand = tuple(state.hands[seat])
    lawful: list[Lay] = []
    for form in sweep(state, shown, (*hand, state.field[-1].card)):
        expected = lay_ruling(state, shown, form)
        assert table.refusal(seat, form) == expected, (state, form)
        letters = face(state, form.card, turned=False)
        twin = form.turned and form.card[0] in "HE" and letters == letters[::-1]
        if expected is None and not twin:
            lawful.append(form)
    listed = table.legal(seat)
    assert [form for form in listed if isinstance(form, Lay)] == lawful
    others: dict[str, list[Command]] = {
        "lay": [] if lawful else [Draw()],
        "drawn": [Keep()],
        "finish": [Decline()],
    }
    assert listed[len(lawful) :] == others[state.phase]
    assert lawful or state.phase != "lay" or state.pile, "who can do neither has passed"


def check_blocks(table: Table, seat: int) -> None:
    """The blocks that no ruling refuses are those listed, but for eggs sent turned."""
    state, head = table.state, table.state.field[-1]
    cells = product(state.hands[seat], range(-2, 3), range(-2, 3))
    forms = [Block(card, head.x + dx, head.y + dy, turned=False) for card, dy, dx in cells]
    lawful = [form for form in forms if table.refusal(seat, form) is None]
    assert table.legal(seat) == [*lawful, LetStand()]
    shown = tops(state)
    for form in lawful:
        covered = {(form.x + dx, form.y + dy) for dx, dy in BOXES}
        assert head_end(state) <= covered
        colours = {shown[cell].colour for cell in covered if cell in shown}
        assert colours == {face(state, head.card, turned=False)[0]}


def check_state(table: Table) -> None:
    """What is true of every state between two commands."""
    state = table.state
    cards = Counter([*state.pile, *(placed.card for placed in state.field)])
    cards.update(card for hand in state.hands for card in hand)
    assert cards == Counter(DECK)
    assert state.hand_counts == tuple(map(len, state.hands))
    assert state.pile_count == len(state.pile)
    assert (state.phase == "respond") == bool(state.asked)
    assert (state.phase == "drawn") == (state.drawn is not None)
    assert (state.phase in ("respond", "finish")) == (state.going_out is not None)
    assert 0 <= state.passes < len(state.points)
    assert len(GAME.to_act(state)) == (state.phase != "over")
    colours = Counter(top.colour for top in tops(state).values())
    codes = Counter(state.tops.boxes.decode().replace(".", "").upper())
    assert colours == codes


def check_points(state: State, events: list[Event]) -> None:
    """The points of each seat are those that the events of its round paid."""
    paid = [0] * len(state.points)
    for event in events:
        if isinstance(event, Laid | Blocked):
            paid[event.by if isinstance(event, Blocked) else event.seat] += event.points
        elif isinstance(event, WentOut):
            paid[event.seat] += event.bonus
        elif isinstance(event, Dealt):
            paid = [0] * len(state.points)
    assert state.points == tuple(paid)


def play(number: int, *, thorough: int, withdrawals: bool) -> tuple[Table, list[Event]]:
    """One match at random by its number; every `thorough`-th state is held against the oracle."""
    pick = Chance(number.to_bytes(32, "big"), "trial", [])
    seats = 2 + number % 4
    options: dict[str, Any] = GAME.vary(pick, seats)
    table = Table(GAME, seats=seats, options=options, seed=(number + 1).to_bytes(32, "big"))
    events = list(table.dealt)
    step = 0
    while GAME.outcome(table.state) is None:
        check_state(table)
        (seat,) = GAME.to_act(table.state)
        if step % thorough == 0:
            (check_blocks if table.state.phase == "respond" else check_lays)(table, seat)
        step += 1
        if withdrawals and pick.below(60) == 0:
            left = still_in(table.state.withdrawn)
            events += table.leaves(pick.one_of(left))
            continue
        legal = table.legal(seat)
        events += table.when(seat, pick.one_of(legal))
        check_points(table.state, events)
    check_state(table)
    assert sum(GAME.draws(table.state, event) for event in events) == table.chance.draws
    return table, events


@pytest.mark.parametrize("number", range(9))
def test_a_match_at_random_ends_and_is_judged_as_the_oracle_judges(number: int) -> None:
    """Cards are conserved, points add up, lists are complete and in order, draws are counted."""
    table, _ = play(number, thorough=6, withdrawals=number % 3 == 2)
    outcome = GAME.outcome(table.state)
    assert outcome is not None
    assert sorted(row.seat for row in outcome.ranking) == list(range(len(table.state.points)))
    assert min(row.place for row in outcome.ranking if row.place is not None) == 1


def test_matches_at_random_come_upon_everything_that_can_happen() -> None:
    """Every event, both ends of a round, both ends of a match, and a blocked head.

    But a pile that is shuffled anew, which an arbiter's take-back brings.
    """
    happened: Counter[str] = Counter()
    everything = {kind.__name__ for kind in GAME.events if kind is not PilesShuffled} | {
        *("dragon", "stuck", "played-out", "withdrawal")
    }
    for number in range(80):
        if everything <= set(happened):
            break
        table, events = play(1000 + number, thorough=10**6, withdrawals=number % 4 == 3)
        happened.update(type(event).__name__ for event in events)
        happened.update(event.how for event in events if isinstance(event, RoundEnded))
        outcome = GAME.outcome(table.state)
        assert outcome is not None
        happened[outcome.reason] += 1
    assert everything <= set(happened)


@pytest.mark.long
@pytest.mark.parametrize("number", range(2000, 2400))
def test_many_matches_at_random_are_judged_as_the_oracle_judges(number: int) -> None:
    """The same, over many seeds and every fifth state."""
    table, _ = play(number, thorough=5, withdrawals=number % 2 == 1)
    assert GAME.outcome(table.state) is not None


@pytest.mark.parametrize("number", range(4))
def test_what_others_hold_and_the_pile_change_no_list_and_no_refusal(number: int) -> None:
    """In a match at random, at every tenth state: the unknown cards exchanged, equal answers."""
    pick = Chance(number.to_bytes(32, "big"), "twins", [])
    table = Table(GAME, seats=3, options={"max_rounds": 1}, seed=(number + 77).to_bytes(32, "big"))
    step = 0
    while GAME.outcome(table.state) is None:
        (seat,) = GAME.to_act(table.state)
        legal = table.legal(seat)
        step += 1
        if step % 10 == 0:
            genuine, state = table.state, table.state
            table.given(**_exchanged(state, seat, pick))
            assert table.legal(seat) == legal
            for form in sweep(state, tops(state), state.hands[seat][:2]):
                mine = table.refusal(seat, form)
                table.state, exchanged = genuine, table.state
                assert table.refusal(seat, form) == mine
                table.state = exchanged
            table.state = genuine
        table.when(seat, pick.one_of(legal))


def _exchanged(state: State, seat: int, pick: Chance) -> dict[str, Any]:
    """The same state, all cards unknown to `seat` shuffled among their places."""
    others = [other for other in range(len(state.hands)) if other != seat]
    unknown = [*state.pile, *(card for other in others for card in state.hands[other])]
    shuffled = list(pick.shuffle(unknown))
    hands = list(state.hands)
    for other in others:
        hands[other] = tuple(shuffled.pop() for _ in state.hands[other])
    return {"hands": tuple(hands), "pile": tuple(shuffled)}
