"""A run that goes on until everything that a ruleset knows has been seen.

Every type of command taken, every type of event told, every ruling that can refuse refusing:
the game's and the table's. What fails says the seed and the command; what was not seen in the
end is listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from referee.core.game import Asker, Command
from referee.core.judging import Malformed, NotAllowed
from referee.core.match import ClockSetting, Match
from referee.core.randomness import Chance
from referee.core.rules import Rules
from referee.core.ruling import Refusal
from referee.core.table import TABLE, commands
from referee.selfplay import Move, Trial, chance_of
from tests.conformance import sweep
from tests.conformance.matches import askers, setup_of

ADMISSION: Final = (
    "not-seated", "match-over", "match-paused", "withdrawn", "before-deal", "out-of-turn",
    "wrong-phase",
)  # fmt: skip
CANDIDATES: Final = 12
HURRIED: Final = 7
"""The last digit of trials in which flags fall, however short the game is."""
HURRY_S: Final = 3
FORMS: Final = 40


def everything(rules: Rules) -> frozenset[str]:
    """What there is to see, as `command …`, `event …` and `ruling …`."""
    judging = [clause for of in rules.game.commands for clause in of.rulings]
    judging += [clause for of in TABLE for clause in of.rulings]
    return frozenset(
        [f"command {_tag(kind)}" for kind in rules.commands]
        + [f"event {_tag(kind)}" for kind in rules.events]
        + [f"ruling {clause.id}" for clause in judging]
        + [f"ruling {ruling}" for ruling in ADMISSION]
    )


def _tag(kind: type[msgspec.Struct]) -> str:
    return str(kind.__struct_config__.tag)


class Run:
    """Trials one after another; `seen` is what they have shown so far."""

    def __init__(self, rules: Rules) -> None:
        self.rules: Final = rules
        self.seen: Final[set[str]] = set()
        self._refusals = True

    @property
    def missing(self) -> list[str]:
        """What has not been seen yet, in order."""
        return sorted(everything(self.rules) - self.seen)

    def play(self, number: int, *, refusals: bool = True) -> None:
        """Play trial `number`, and try what is refused; what breaks says which and where."""
        self._refusals = refusals
        setup = setup_of(self.rules, number, trouble=5 * (number % 3))
        if number % 10 == HURRIED:
            setup = msgspec.structs.replace(setup, clock=ClockSetting(HURRY_S))
        seed = setup.seed.hex()
        trial = Trial(self.rules, setup, chance_of("coverage", self.rules.game.id, number))
        try:
            self._play(trial)
        except Exception as error:
            last = trial.steps[-1]
            error.add_note(f"trial {number} of {self.rules.game.ruleset}: {setup}, seed {seed}")
            error.add_note(f"after commit {trial.match.version}: {last.by} {last.command}")
            raise

    def _play(self, trial: Trial) -> None:
        for step in trial.steps:
            self.seen.update(f"event {_tag(type(event))}" for event in step.decided.events)
        while not trial.match.over:
            if trial.pick.below(8) == 0:
                self._try_what_is_refused(trial)
            self._note(trial)
            trial.go_on()
        self._note(trial)
        self._rule_on_the_end(trial)

    def _note(self, trial: Trial) -> None:
        step = trial.steps[-1]
        self.seen.add(f"command {_tag(type(step.command))}")
        self.seen.update(f"event {_tag(type(event))}" for event in step.decided.events)

    def _rule_on_the_end(self, trial: Trial) -> None:
        """An arbiter looks at what is finished, and at it again."""
        self._try_what_is_refused(trial)
        seats = range(len(trial.match.seats))
        ranking = tuple(commands.Rank(seat, seat + 1) for seat in seats)
        rulings: tuple[Command, ...] = (
            commands.Certify(),
            commands.Adjudicate(ranking, "on appeal"),
            commands.Void("a stray card"),
        )
        for command in rulings:
            trial.take(trial.organizer(), command)
            self._note(trial)
            self._try_what_is_refused(trial)

    def _try_what_is_refused(self, trial: Trial) -> None:
        self._excuse(trial)
        if not self._refusals:
            return
        match, pick = trial.match, trial.pick
        anything = (*sweep.sample(self.rules, pick, CANDIDATES), *table_commands(match))
        for by in askers(match, trial.now):
            for command in (*anything, *self._nearly_lawful(match, by, pick)):
                ruling = self._refusal(match, by, command)
                if ruling is not None:
                    self.seen.add(f"ruling {ruling}")

    def _nearly_lawful(self, match: Match, by: Asker, pick: Chance) -> Iterator[Command]:
        """Forms that could be lawful now, and what could be sent with something changed in it."""
        if match.over or by.seat not in (None, *match.still_in):
            return
        game = self.rules.game
        forms: list[Command] = []
        for of in game.commands:
            if match.state.phase in of.phases and (by.seat is not None or game.admission):
                forms += sweep.some(pick, list(of.forms(match.state, by)), FORMS)
        sampled = game.sample(match.state, by, pick) if game.sample else None
        for command in (*forms[:3], *([sampled] if sampled else [])):
            changed = list(sweep.mutated(command))
            forms += [one for one in changed if sweep.can_be_sent(self.rules, one)]
        yield from forms

    def _refusal(self, match: Match, by: Asker, command: Command) -> str | None:
        try:
            self.rules.judge(match, by, command)
        except Refusal as refusal:
            return refusal.ruling
        except (Malformed, NotAllowed):
            return None
        return None

    def _excuse(self, trial: Trial) -> None:
        """The store was away for a moment, and play goes on."""
        if trial.match.status != "active" or not trial.match.dealt or trial.pick.below(8):
            return
        outage = commands.Outage(trial.match.at, trial.match.at + 1)
        trial.now = max(trial.now, trial.match.at + 1)
        move: Move = (Asker("service", None, trial.now), commands.ExcuseOutage((outage,)))
        trial.take(*move)
        self._note(trial)


def table_commands(match: Match) -> Iterator[Command]:
    """Every type of command of the table, lawful now or not."""
    seats = len(match.seats)
    for kind in (
        commands.Resign, commands.OfferDraw, commands.AcceptDraw, commands.DeclineDraw,
        commands.AcceptTakeback, commands.DeclineTakeback, commands.Certify, commands.Pause,
        commands.Resume, commands.WithdrawCall,
    ):  # fmt: skip
        yield kind()
    yield commands.AnswerCall("play on")
    for about in (None, 0):
        yield commands.CallArbiter("look at this", about)
    yield commands.AddEntropy("0f" * 16)
    yield commands.Deal("no more waiting")
    for to in (0, 1, match.version - 1, match.version):
        yield commands.RequestTakeback(to)
        yield commands.TakeBack(to, "why not")
    for seat in range(seats + 1):
        yield commands.ClaimTimeout(seat)
        yield commands.Forfeit(seat, "late")
        yield commands.GrantTime(seat, 5)
        yield commands.ReissueToken(seat)
    yield commands.Void("a stray card")
    yield commands.Adjudicate((commands.Rank(0, 2),), "on appeal")
    yield commands.ExcuseOutage((commands.Outage(match.at + 5, match.at),))
