"""Trials: matches that play themselves, without the service.

A trial takes random lawful commands until the match is over, stamps them with a time that goes
on, sends what the service owes when something falls due, and now and then does what happens at
a real table: somebody resigns, offers a draw, asks to take back, an arbiter pauses or forfeits.
Everything is decided by a `Chance` of the trial's own, so that the same start plays the same match
again.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from referee.core.commit import SALT_BYTES
from referee.core.game import Asker, Command
from referee.core.match import CALLS, ClockSetting, Entropy, Match, SeatName, match_file
from referee.core.randomness import Chance
from referee.core.rules import Decided, Rules
from referee.core.ruling import Refusal
from referee.core.table import commands as table

BEGINNING: Final = 1_750_000_000_000
"""The time of a trial's first commit, Unix ms."""

PACE_MS: Final = 4000
"""A command follows the one before within this time."""

MOST_COMMITS: Final = 20_000
"""A trial that is longer has gone wrong: no lawful play at random may go on for ever."""

Move = tuple[Asker, Command]


class Stuck(RuntimeError):
    """A trial cannot go on: nobody has anything to do, or it does not come to an end."""


class Step(Struct, frozen=True):
    """A commit of a trial: the match before it, who commanded what, and what came of it.

    `before` is None at the creation.
    """

    before: Match | None
    by: Asker
    command: Command
    decided: Decided


class Setup(Struct, frozen=True, kw_only=True):
    """How a trial begins: what a creating request says, and how troubled its table is.

    `seats`: how many; `options`: as a client would send them; `seed`: 32 bytes, the match's;
    `entropy`: a hex string a seat, "seats" where each sends its own, None for none; `trouble`: in
    so many commits one is of the table (0: none is); `most`: commits after which the trial gives
    up.
    """

    match: str = "trial"
    seats: int
    options: Mapping[str, Any] = {}
    seed: bytes
    clock: ClockSetting | None = None
    idle_s: int = 0
    calls: int = CALLS
    names: tuple[str, ...] = ()
    entropy: Entropy | None = None
    trouble: int = 0
    most: int = MOST_COMMITS

    def order(self, rules: Rules) -> table.CreateMatch:
        """The command that creates the match."""
        names = self.names or tuple(f"player {seat}" for seat in range(self.seats))
        return table.CreateMatch(
            match=self.match,
            game=rules.game.id,
            ruleset=rules.game.ruleset,
            seats=tuple(map(SeatName, names)),
            options=self.options,
            tournament=None,
            round=None,
            table=None,
            public=False,
            clock=self.clock,
            idle_s=self.idle_s,
            calls=self.calls,
            entropy=("",) * self.seats if self.entropy is None else self.entropy,
            seed=self.seed.hex(),
        )


def seed_of(*parts: object) -> bytes:
    """32 bytes that follow from `parts` (anything with a clear `str`)."""
    return hashlib.sha256("|".join(map(str, parts)).encode()).digest()


def chance_of(*parts: object) -> Chance:
    """A trial's own chance: the same for the same `parts`."""
    return Chance(seed_of(*parts), "trial", ())


def random_file(rules: Rules, setup: Setup, pick: Chance) -> tuple[bytes, Match]:
    """The match file of a random lawful match, and the match at its end."""
    steps = list(play(rules, setup, pick))
    match = steps[-1].decided.match
    return match_file(match, [step.decided.data for step in steps]), match


def play(rules: Rules, setup: Setup, pick: Chance) -> Iterator[Step]:
    """A random lawful match, commit by commit, until it is over.

    Raises:
        Stuck: there are `setup.most` commits and no end, or nobody can do anything.
    """
    trial = Trial(rules, setup, pick)
    yield trial.steps[0]
    while not trial.match.over:
        if len(trial.steps) >= setup.most:
            raise Stuck(f"{rules.game.ruleset} goes on after {setup.most} commits of random play")
        yield trial.go_on()


class Trial:
    """One match that plays itself; `steps` are its commits so far, `match` how it stands."""

    def __init__(self, rules: Rules, setup: Setup, pick: Chance) -> None:
        self.rules: Final = rules
        self.pick: Final = pick
        self.now = BEGINNING
        self._trouble = setup.trouble
        order = setup.order(rules)
        begun = rules.create(order, self.now, salt=self._salt())
        self.steps: Final = [Step(None, self.organizer(), order, begun)]

    @property
    def match(self) -> Match:
        """The match after the last step."""
        return self.steps[-1].decided.match

    def go_on(self) -> Step:
        """One commit more, of a match that is not over."""
        later = self.now + 1 + self.pick.below(PACE_MS)
        due = self.rules.deadline(self.match)
        if due is not None and due <= later:
            return self._owed_by_service(due)
        self.now = later
        move = self._some_trouble() or self._move()
        if move is not None:
            return self.take(*move)
        if due is None:
            raise Stuck(f"nobody can do anything in phase {self.match.state.phase!r}")
        return self._owed_by_service(due)

    def take(self, by: Asker, command: Command) -> Step:
        """Decide a command, which must be lawful, and keep what came of it."""
        decided = self.rules.decide(self.match, by, command, salt=self._salt(), past=self.at)
        self.steps.append(Step(self.match, by, command, decided))
        return self.steps[-1]

    def at(self, version: int) -> Match:
        """The match as it stood after commit `version`."""
        return self.steps[version - 1].decided.match

    def by_seat(self, seat: int) -> Asker:
        """A seat, now."""
        return Asker("seat", seat, self.now)

    def by_some_seat(self) -> Asker:
        """A seat that is still in, now."""
        return self.by_seat(self.some_seat())

    def organizer(self) -> Asker:
        """The organizer, now."""
        return Asker("organizer", None, self.now)

    def _salt(self) -> bytes:
        """A commit's salt, from the trial's own chance: the same start plays the same bytes."""
        drawn = self.pick.below(1 << 64)
        return hashlib.sha256(drawn.to_bytes(8, "big")).digest()[:SALT_BYTES]

    def _owed_by_service(self, due: int) -> Step:
        self.now = max(due, self.match.at)
        command = self.rules.overdue(self.match, self.now)
        if command is None:
            raise Stuck(f"a deadline has passed at {due} and nothing is overdue")
        return self.take(Asker("service", None, self.now), command)

    # ── Play ──────────────────────────────────────────────────────────────────────────────────────

    def _move(self) -> Move | None:
        """A command of the game: of a seat that owes one, or of anybody where nobody owes any."""
        owed = self.match.owed
        if not self.match.dealt:
            return self._before_the_deal()
        if owed:
            by = self.by_seat(self.pick.one_of(owed))
            command = self._sampled(by) or self._listed(by)
            if command is None:
                raise Stuck(f"{by} owes a command and has none")
            return by, command
        everybody = (*map(self.by_seat, self.match.still_in), self.organizer())
        tried = ((by, self._sampled(by)) for by in self.pick.shuffle(everybody))
        return next(((by, command) for by, command in tried if command is not None), None)

    def _before_the_deal(self) -> Move:
        """A seat adds entropy; at a troubled table the organizer may not wait for all."""
        if self._trouble and self.pick.below(self._trouble) == 0:
            return self.organizer(), table.Deal("the round begins")
        digits = self.pick.between(32, 128)
        return self.by_seat(self.pick.one_of(self.match.owed)), table.AddEntropy(
            f"{self.pick.below(1 << 64):016x}{self.pick.below(1 << 64):016X}".ljust(digits, "e")
        )

    def _sampled(self, by: Asker) -> Command | None:
        sample = self.rules.game.sample
        return None if sample is None else sample(self.match.state, by, self.pick)

    def _listed(self, by: Asker) -> Command | None:
        commands = self.rules.legal(self.match, by).commands
        return self.pick.one_of(commands) if commands else None

    # ── Trouble ───────────────────────────────────────────────────────────────────────────────────

    def _some_trouble(self) -> Move | None:
        if not self._trouble:
            return None
        if self.match.call:
            return self._end_of_call(self.match.call.seat)
        if self.match.status == "paused":
            call = None if self.pick.below(4) else self._lawful(_calls_the_arbiter(self))
            return call or (self.organizer(), table.Resume())
        if (self.match.draw or self.match.takeback) and self.pick.below(2):
            return self._answer()
        if self.pick.below(self._trouble):
            return None
        return self._lawful(self.pick.one_of(_TROUBLES)(self))

    def _answer(self) -> Move | None:
        by = self.by_some_seat()
        if self.match.draw:
            # Agreeing is rare, so that most matches are played out.
            agrees = self.pick.below(len(self.match.seats) * 4) == 0
            return self._lawful((by, table.AcceptDraw() if agrees else table.DeclineDraw()))
        return self._lawful(
            (by, table.AcceptTakeback() if self.pick.below(4) else table.DeclineTakeback())
        )

    def _end_of_call(self, seat: int) -> Move:
        """The call is taken back or answered; unless the match was paused before, play goes on."""
        if self.pick.below(3) == 0:
            return self.by_seat(seat), table.WithdrawCall()
        return self.organizer(), table.AnswerCall("play on")

    def _lawful(self, move: Move) -> Move | None:
        try:
            self.rules.judge(self.match, *move)
        except Refusal:
            return None
        return move

    def some_seat(self) -> int:
        """A seat that is still in."""
        return self.pick.one_of(self.match.still_in)

    def some_version(self) -> int:
        """A version not long before the present one."""
        return max(1, self.match.version - 1 - self.pick.below(6))


def _is_taken_back(trial: Trial) -> Move:
    to, keep_piles = trial.some_version(), not trial.pick.below(4)
    return trial.organizer(), table.TakeBack(to, "a card fell off the table", keep_piles)


def _calls_the_arbiter(trial: Trial) -> Move:
    about = trial.some_version() if trial.pick.below(2) else None
    return trial.by_some_seat(), table.CallArbiter("a card is marked", about)


_OFFERS: Final[tuple[Callable[[Trial], Move], ...]] = (
    lambda trial: (trial.by_some_seat(), table.OfferDraw()),
    lambda trial: (trial.by_some_seat(), table.RequestTakeback(trial.some_version())),
)
_TROUBLES: Final[tuple[Callable[[Trial], Move], ...]] = (
    lambda trial: (trial.by_some_seat(), table.Resign()),
    lambda trial: (trial.organizer(), table.Forfeit(trial.some_seat(), "came too late")),
    *_OFFERS * 4,
    *(_is_taken_back, lambda trial: (trial.organizer(), table.Pause())) * 2,
    _calls_the_arbiter,
    lambda trial: (trial.organizer(), table.GrantTime(trial.some_seat(), 30)),
    lambda trial: (trial.organizer(), table.ReissueToken(trial.some_seat())),
)
"""What happens at a troubled table, as often as it stands here."""
