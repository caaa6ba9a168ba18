"""Random matches of every game, played once and looked at by many tests."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

import msgspec

from referee.catalogue import catalogue
from referee.core.game import Asker
from referee.core.match import CALLS, ClockSetting, Match
from referee.core.rules import Rules
from referee.core.visibility import ORGANIZER, SPECTATOR, Viewer, seat_viewer
from referee.selfplay import Setup, Step, Trial, chance_of, play, seed_of
from tests.core.play import rules_of
from tests.small_game import GAME as THREE_IN_A_ROW
from tests.toy_game import GAME as PEBBLES

ALL: Final = (*catalogue(), rules_of(PEBBLES), rules_of(THREE_IN_A_ROW))
"""The rules of every game that is installed, and of the two that are for tests alone."""

HOSTILE: Final = (
    '"><script>alert(1)</script>',
    "]]>&amp;<!--",
    "\u202eevil\u2066\u200f",
    "' onload='x",
    "🐴" * 50,
)
"""Names that somebody may try."""

CLOCKS: Final = (None, ClockSetting(600, 2), ClockSetting(60, 0, "note"), ClockSetting(30, 1))


class Played(msgspec.Struct, frozen=True):
    """A match that was played, and how it was set up."""

    rules: Rules
    setup: Setup
    steps: tuple[Step, ...]

    @property
    def log(self) -> list[bytes]:
        """Its commits."""
        return [step.decided.data for step in self.steps]

    @property
    def end(self) -> Match:
        """The match at its end."""
        return self.steps[-1].decided.match

    def at(self, version: int) -> Match:
        """The match after commit `version`."""
        return self.steps[version - 1].decided.match

    def __str__(self) -> str:
        """What a failing test says, so that the match can be played again."""
        return f"{self.rules.game.ruleset} {self.setup}"


def numbers_of_seats(rules: Rules) -> Sequence[int]:
    """Every number of seats that the game takes."""
    return rules.game.players


def setup_of(rules: Rules, number: int, *, seats: int | None = None, trouble: int = 0) -> Setup:
    """The set-up of trial `number`: even ones under default options, odd ones varied."""
    pick = chance_of("setup", rules.game.id, number)
    choice = numbers_of_seats(rules)
    seats = choice[pick.below(len(choice))] if seats is None else seats
    return Setup(
        seats=seats,
        options=rules.game.vary(pick, seats) if number % 2 else {},
        seed=seed_of("match", rules.game.id, number),
        names=HOSTILE[:seats],
        clock=CLOCKS[pick.below(len(CLOCKS))] if trouble else None,
        calls=number % 4 if trouble else CALLS,
        entropy="seats" if trouble and number % 2 else None,
        trouble=trouble,
    )


def played(rules: Rules, setup: Setup, number: int) -> Played:
    """The trial of that set-up and number."""
    steps = tuple(play(rules, setup, chance_of("play", rules.game.id, number)))
    return Played(rules, setup, steps)


@cache
def quiet(rules: Rules) -> tuple[Played, ...]:
    """For each number of seats a match under default options and one under varied ones."""
    return tuple(
        played(rules, setup_of(rules, 10 * seats + odd, seats=seats), 10 * seats + odd)
        for seats in numbers_of_seats(rules)
        for odd in (0, 1)
    )


@cache
def troubled(rules: Rules) -> tuple[Played, ...]:
    """Matches at tables where people resign, offer draws, take back, and an arbiter rules."""
    return tuple(
        played(rules, setup_of(rules, number, trouble=6), number) for number in range(100, 108)
    )


def all_played(rules: Rules) -> tuple[Played, ...]:
    """Quiet and troubled ones."""
    return quiet(rules) + troubled(rules)


def viewers(match: Match) -> tuple[Viewer, ...]:
    """Everybody who can look: organizer, each seat, spectators."""
    return ORGANIZER, *map(seat_viewer, range(len(match.seats))), SPECTATOR


def askers(match: Match, at: int | None = None) -> tuple[Asker, ...]:
    """Everybody who can ask: each seat, one that does not exist, organizer and service."""
    now = match.at if at is None else at
    seats = [Asker("seat", seat, now) for seat in range(len(match.seats) + 1)]
    return (*seats, Asker("organizer", None, now), Asker("service", None, now))


def asker_of(viewer: Viewer, at: int) -> Asker:
    """How a viewer asks (spectators ask for nothing: as a seat that does not exist)."""
    if viewer.role == "organizer":
        return Asker("organizer", None, at)
    return Asker("seat", 99 if viewer.seat is None else viewer.seat, at)


@cache
def hints_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The types of a struct's fields, with what is said about them; read once for each struct."""
    return typing.get_type_hints(kind, include_extras=True)


def as_json(value: Any) -> Any:
    """A value as a client gets it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def some_of(steps: tuple[Step, ...], most: int) -> Iterator[Match]:
    """The matches after at most so many steps, spread over the whole, the last one included."""
    stride = max(1, -(-len(steps) // most))
    for step in steps[len(steps) - 1 :: -stride]:
        yield step.decided.match


def phases(rules: Rules) -> dict[str, tuple[Played, int]]:
    """For each phase in which a match can stand: one that stood there, and at which version."""
    found: dict[str, tuple[Played, int]] = {}
    for one in quiet(rules):
        for step in one.steps:
            match = step.decided.match
            if not match.over:
                found.setdefault(match.state.phase, (one, match.version))
    return found


def go_on(one: Played, version: int, number: int = 0) -> Trial:
    """A trial that stands where `one` stood after `version`, free to go another way."""
    trial = Trial(one.rules, one.setup, chance_of("go on", version, number))
    trial.steps[:] = one.steps[:version]
    trial.now = trial.match.at
    return trial


def to_the_end(trial: Trial, most: int = 5000) -> Match:
    """Play on until it is over."""
    while not trial.match.over:
        assert len(trial.steps) < most, f"{trial.rules.game.ruleset} does not end"
        trial.go_on()
    return trial.match
