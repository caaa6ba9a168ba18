"""A table to try a game's rules at: given a state, when a seat commands, then these events.

    table = Table(GAME, seats=2, options={"length": 40})
    table.given(spaces=(3, 5), phase="race", …)        # fields of the state, replaced
    assert table.when(0, ChooseCard(card=2)) == [CardChosen(seat=0, card=2)]
    assert table.refusal(0, ChooseCard(card=2)) == "out-of-turn"

The match around it is a frame to judge in: it has no clock and no log, and stays active.
"""

from __future__ import annotations

from typing import Any, Self

import msgspec

from referee.core.game import Asker, At, Command, Event, Game, Steps, play
from referee.core.match import Match
from referee.core.randomness import Chance
from referee.core.ruling import Refusal
from referee.selfplay import Setup
from tests.core.play import SALT, rules_of

SEED = bytes(range(32))


class Table:
    """One game in play, without the service around it. `now` is the time of commands, in ms."""

    def __init__(
        self, game: Game, *, seats: int, options: dict[str, Any] | None = None, seed: bytes = SEED
    ) -> None:
        self.game = game
        self.rules = rules_of(game)
        self.now = 1_700_000_000_000
        self.chance = Chance(seed, "table", [""] * seats)
        setup = Setup(match="table", seats=seats, options=options or {}, seed=seed)
        self._frame = self.rules.create(setup.order(self.rules), self.now, salt=SALT).match
        self.options = self._frame.setting.options
        start = game.start(self.options, seats)
        self.dealt, self.state = play(start, game.deal(At(start, self.by(None), self.chance)), game)

    @property
    def match(self) -> Match:
        """The frame with the state in it as it stands."""
        owed = self.game.to_act(self.state)
        return msgspec.structs.replace(self._frame, state=self.state, owed=owed)

    def by(self, seat: int | None) -> Asker:
        """The asker for a seat, or the organizer for None, now."""
        return Asker("organizer" if seat is None else "seat", seat, self.now)

    def given(self, **fields: Any) -> Self:
        """Replace fields of the state."""
        self.state = msgspec.structs.replace(self.state, **fields)
        return self

    def when(self, seat: int | None, command: Command) -> list[Event]:
        """The events of a lawful command; raises `Refusal` for another."""
        self.rules.judge(self.match, self.by(seat), command)
        of = next(of for of in self.game.commands if of.command is type(command))
        return self._played(
            self.state, of.decide(At(self.state, self.by(seat), self.chance), command)
        )

    def refusal(self, seat: int | None, command: Command) -> str | None:
        """The id of the ruling that refuses the command, or None where it is lawful."""
        try:
            self.rules.judge(self.match, self.by(seat), command)
        except Refusal as refusal:
            return refusal.ruling
        return None

    def leaves(self, seat: int) -> list[Event]:
        """A seat withdraws: the events that follow."""
        left = self.game.leave(self.state, seat)
        story = self.game.after_leaving(At(left, self.by(seat), self.chance))
        return self._played(left, story)

    def legal(self, seat: int | None) -> list[Command]:
        """Every command that is lawful for a seat, in order."""
        return list(self.rules.legal(self.match, self.by(seat)).commands)

    def _played(self, state: Any, story: Steps[Any]) -> list[Event]:
        events, after = play(state, story, self.game)
        self.state = self.game.stamped(after, self.now)
        return events
