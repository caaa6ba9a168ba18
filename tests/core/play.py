"""A match to try the table at: who commands what, and what follows.

    play = Play(seats=3)
    play.race()                                        # giro-galoppo: obstacles are placed
    assert play.take(0, Resign()) == [Withdrawn(0, "resigned")]
    assert play.refusal(0, Resign()) == "withdrawn"

Each command taken is also folded from its bytes, and the whole log is audited on request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import pytest

from referee.core.game import Asker, Command, Event, Game
from referee.core.match import ClockSetting, Match
from referee.core.rules import Decided, Rules
from referee.core.ruling import Refusal
from referee.core.table.commands import CreateMatch
from referee.core.verify import Verdict, verify
from referee.core.views import view_of
from referee.core.visibility import Viewer
from referee.games.giro_galoppo import GAME as GIRO
from referee.games.giro_galoppo.types import ChooseCard, PlaceObstacle
from referee.selfplay import Setup

START: Final = 1_700_000_000_000
SEED: Final = bytes(range(32))
SALT = bytes(range(12))
OBSTACLES: Final = (2, 4, 6, 35, 37)
"""Lawful places for the five obstacles of giro-galoppo, in order, under its default options."""

Who = int | str
_RULES: Final = {game.ruleset: Rules(game) for game in (GIRO,)}


def rules_of(game: Game) -> Rules:
    """The game's rules, made ready once."""
    return _RULES.setdefault(game.ruleset, Rules(game))


def order(
    game: Game = GIRO,
    *,
    seats: int = 3,
    options: dict[str, Any] | None = None,
    clock: ClockSetting | None = None,
    **changes: Any,
) -> CreateMatch:
    """The command that creates a match called `m1`; `changes` are fields of it."""
    names = ("red", "blue", "green", "black", "white")[:seats]
    setup = Setup(
        match="m1", seats=seats, options=options or {}, seed=SEED, clock=clock, names=names
    )
    return msgspec.structs.replace(setup.order(rules_of(game)), **changes)


class Play:
    """One match. `now` is the time of the next command, Unix ms; it only goes on when told."""

    def __init__(self, game: Game = GIRO, **how: Any) -> None:
        self.rules: Final = rules_of(game)
        self.now = START
        first = self.rules.create(order(game, **how), self.now, salt=SALT)
        self.decided: Final[list[Decided]] = [first]

    @property
    def match(self) -> Match:
        """The match as it stands."""
        return self.decided[-1].match

    @property
    def log(self) -> list[bytes]:
        """All commits."""
        return [one.data for one in self.decided]

    def at(self, version: int) -> Match:
        """The match as it stood after commit `version`."""
        return self.decided[version - 1].match

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += round(seconds * 1000)

    def asker(self, who: Who) -> Asker:
        """A seat by its number, the `"organizer"` or the `"service"`, now."""
        if isinstance(who, int):
            return Asker("seat", who, self.now)
        assert who in ("organizer", "service")
        return Asker(who, None, self.now)  # type: ignore[arg-type]

    def take(self, who: Who, command: Command, *, key: str | None = None) -> list[Event]:
        """A lawful command: the events that follow. Folding them gives what deciding gave."""
        before = self.match
        assert self.rules.flag_before(before, self.now, command) is None
        decided = self.rules.decide(
            before, self.asker(who), command, key=key, salt=SALT, past=self.at
        )
        assert self.rules.fold(before, decided.data, past=self.at) == decided.match
        self.decided.append(decided)
        return list(decided.events)

    def refusal(self, who: Who, command: Command) -> str:
        """The id of the ruling that refuses the command; the ruling exists, the detail speaks."""
        with pytest.raises(Refusal) as caught:
            self.rules.judge(self.match, self.asker(who), command)
        refusal = caught.value
        assert refusal.ruling in self.rules.rulings
        assert refusal.detail.endswith(".")
        return refusal.ruling

    def view(self, viewer: Viewer) -> dict[str, Any]:
        """The view as JSON has it."""
        view: dict[str, Any] = msgspec.json.decode(
            msgspec.json.encode(view_of(self.rules, self.match, viewer))
        )
        return view

    def verify(self) -> Verdict:
        """The audit of the whole log, which must find nothing."""
        verdict = verify(self.rules, "m1", self.log)
        assert verdict.dispute is None, verdict.dispute
        assert verdict.match == self.match
        return verdict

    # ── giro-galoppo ──────────────────────────────────────────────────────────────────────────────

    def race(self) -> Play:
        """Place the five obstacles: versions 2 to 6; then every seat owes a card."""
        for space in OBSTACLES:
            self.take(self.match.owed[0], PlaceObstacle(space))
        return self

    def choose(self, cards: Sequence[int]) -> Play:
        """Seats 0, 1, … choose these cards."""
        for seat, card in enumerate(cards):
            self.take(seat, ChooseCard(card))
        return self


def types_of(events: Sequence[Event]) -> list[str]:
    """The events' types as JSON writes them."""
    return [str(type(event).__struct_config__.tag) for event in events]
