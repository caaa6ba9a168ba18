"""A table to try a game's rules at: given a state, when a seat commands, then these events.

    table = Table(GAME, seats=2, options={"length": 40})
    table.given(spaces=(3, 5), phase="race", …)        # fields of the state, replaced
    assert table.when(0, ChooseCard(card=2)) == [CardChosen(seat=0, card=2)]
    assert table.refusal(0, ChooseCard(card=2)) == "out-of-turn"

There is no match around it: no clock, no log, no seats that have a name.
"""

from __future__ import annotations

from typing import Any, Self

import msgspec

from referee.core.game import Asker, At, Command, Event, Game, Steps, complete_options, play
from referee.core.randomness import Chance
from referee.core.ruling import Refusal, first_broken

SEED = bytes(range(32))


class Table:
    """One game in play, without the service around it. ``now`` is the time of commands, in ms."""

    def __init__(
        self, game: Game, *, seats: int, options: dict[str, Any] | None = None, seed: bytes = SEED
    ) -> None:
        self.game = game
        self.now = 1_700_000_000_000
        self.chance = Chance(seed, "table", [""] * seats)
        self.options = complete_options(game, msgspec.convert(options or {}, game.options), seats)
        start = game.start(self.options, seats)
        self.dealt, self.state = play(start, game.deal(At(start, self.by(None), self.chance)), game)

    def by(self, seat: int | None) -> Asker:
        """The asker for a seat, or the organizer for None, now."""
        return Asker("organizer" if seat is None else "seat", seat, self.now)

    def given(self, **fields: Any) -> Self:
        """Replace fields of the state."""
        self.state = msgspec.structs.replace(self.state, **fields)
        return self

    def when(self, seat: int | None, command: Command) -> list[Event]:
        """The events of a lawful command; raises ``Refusal`` for another."""
        self._judge(seat, command)
        rules = self._rules(command)
        story = rules.decide(At(self.state, self.by(seat), self.chance), command)
        return self._played(self.state, story)

    def refusal(self, seat: int | None, command: Command) -> str | None:
        """The id of the ruling that refuses the command, or None where it is lawful."""
        try:
            self._judge(seat, command)
        except Refusal as refusal:
            return refusal.ruling
        return None

    def leaves(self, seat: int) -> list[Event]:
        """A seat withdraws: the events that follow."""
        left = self.game.leave(self.state, seat)
        story = self.game.after_leaving(At(left, self.by(seat), self.chance))
        return self._played(left, story)

    def legal(self, seat: int | None) -> list[Command]:
        """Every listed form that the rulings let through, in order."""
        by = self.by(seat)
        return [
            form
            for rules in self.game.commands
            if self.state.phase in rules.phases
            for form in rules.forms(self.state, by)
            if self.refusal(seat, form) is None
        ]

    def _played(self, state: Any, story: Steps[Any]) -> list[Event]:
        events, after = play(state, story, self.game)
        self.state = self.game.stamped(after, self.now)
        return events

    def _judge(self, seat: int | None, command: Command) -> None:
        rules, by = self._rules(command), self.by(seat)
        admission = self.game.admission
        for earlier in ("not-seated", "withdrawn"):
            if earlier in admission:
                self._ask(admission, by, command, earlier)
        if "out-of-turn" in admission:
            self._ask(admission, by, command, "out-of-turn")
        elif seat not in self.game.to_act(self.state):
            raise Refusal("out-of-turn", "It is another seat's turn.")
        if "wrong-phase" in admission:
            self._ask(admission, by, command, "wrong-phase")
        elif self.state.phase not in rules.phases:
            raise Refusal("wrong-phase", "Another kind of command is owed.")
        broken = first_broken(rules.rulings, self.state, by, command)
        if broken is not None:
            raise broken

    def _ask(self, admission: Any, by: Asker, command: Command, ruling: str) -> None:
        detail = admission[ruling](self.state, by, command)
        if detail is not None:
            raise Refusal(ruling, detail)

    def _rules(self, command: Command) -> Any:
        return next(rules for rules in self.game.commands if rules.command is type(command))
