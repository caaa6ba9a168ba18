"""The Giants' Dance compared with a second reading of its rules, match after match."""

from __future__ import annotations

from typing import get_args

import pytest

from referee.core.game import Command
from referee.core.randomness import Chance
from referee.games.giants_dance import GAME
from referee.games.giants_dance.types import Dance, Kind, Move, Place, PlaceChallenge
from tests.games.giants_dance_reading import KINDS, Reading, as_it_stands
from tests.games.table import SEED, Table


class TwoReadings:
    """One match at random, told to the rules and to the second reading."""

    def __init__(self, seats: int, number: int, leaving: int) -> None:
        self.pick = Chance(SEED, f"reading {number}", [""] * seats)
        self.leaving = leaving
        options = GAME.vary(self.pick, seats)
        self.table = Table(GAME, seats=seats, options=options, seed=bytes([number % 251, 7]) * 16)
        self.reading = Reading(self.table.state, self.table.options.height_order)

    def play(self) -> None:
        """To the end: after every step both say the same of everything."""
        self.agree()
        while GAME.to_act(self.table.state):
            if self.leaving and not self.pick.below(self.leaving):
                seat = self.pick.one_of(self.reading.still_in())
                self.reading.leaves(seat)
                self.table.leaves(seat)
            else:
                self.command()
            self.agree()
        outcome = GAME.outcome(self.table.state)
        assert outcome is not None
        places = {row.seat: row.place for row in outcome.ranking}
        assert places == self.reading.places()

    def command(self) -> None:
        """Judge some commands by both readings, then take a lawful one in both."""
        (seat,) = GAME.to_act(self.table.state)
        for _ in range(8):
            some = self.some_command(seat)
            assert self.table.refusal(seat, some) == self.reading.ruling(some), some
        chosen = self.pick.one_of(self.table.legal(seat))
        assert self.reading.ruling(chosen) is None
        self.reading.take(chosen)
        self.table.when(seat, chosen)

    def agree(self) -> None:
        """Everything stands alike."""
        acting = [*GAME.to_act(self.table.state), None][0]
        assert self.reading.stands() == as_it_stands(self.table.state, acting)

    def some_command(self, seat: int) -> Command:
        """A command of the kind that is owed, lawful or not."""
        if self.table.state.phase == "challenge":
            return PlaceChallenge(*map(self.pick.one_of, (get_args(Place), get_args(Kind))))
        if self.table.state.phase == "move":
            return Move(self.pick.below(9) - 1)
        hand, stock = self.table.state.dance.hands[seat], self.table.state.stock.tokens[seat]
        cards = {kind: [one.value for one in hand if one.kind == kind] for kind in KINDS}
        rotate, parade = (self.some_values(cards[kind]) for kind in KINDS)
        tokens = self.some_tokens(stock.rotate), self.some_tokens(stock.parade)
        return Dance(rotate, parade, *tokens)

    def some_values(self, own: list[int]) -> tuple[int, ...]:
        """Some of the own values, now and then one more."""
        some = [value for value in own if self.pick.below(2)]
        return (*self.pick.shuffle(some), *([1 + self.pick.below(9)] * (self.pick.below(8) == 0)))

    def some_tokens(self, own: int) -> int:
        """Most often so many as are owned or fewer."""
        return self.pick.below(own + 1) if self.pick.below(8) else self.pick.below(own + 3) - 1


@pytest.mark.parametrize("number", range(16))
def test_matches_go_as_read_a_second_time(number: int) -> None:
    """Every ruling, every state, every place; in every second match seats withdraw."""
    TwoReadings(2 + number // 2 % 4, number, leaving=30 * (number % 2)).play()


@pytest.mark.long
@pytest.mark.timeout(0)
def test_many_matches_go_as_read_a_second_time() -> None:
    """The same, many more times, withdrawals rare or frequent."""
    for number in range(16, 3_000):
        TwoReadings(2 + number % 4, number, leaving=(0, 60, 30, 12)[number // 4 % 4]).play()
