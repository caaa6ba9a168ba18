"""Two matches that one viewer cannot tell apart, of which everything else is different.

They begin with other seeds that show the viewer the same, and go on with other commands of other
seats wherever the viewer is told the same of them. What is found here by the rules is then played
over HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.core.game import Asker, Command
from referee.core.match import Match
from referee.core.randomness import Chance
from referee.core.rules import Decided, Rules
from referee.core.ruling import Refusal
from referee.core.views import view_of
from referee.core.visibility import ORGANIZER, Viewer, events_seen
from referee.selfplay import BEGINNING, Setup, chance_of, seed_of

SALT: Final = bytes(12)
SEEDS: Final = 600
"""So many deals are looked through for two that show the viewer the same."""
STEPS: Final = 30


class Move(Struct, frozen=True):
    """What happens in both: a seat's commands, or what the service owes (`seat` None)."""

    seat: int | None
    ours: Any
    theirs: Any


class Twins(Struct, frozen=True):
    """How both are set up, and what happens in them."""

    rules: Rules
    viewer: Viewer
    ours: Setup
    theirs: Setup
    moves: tuple[Move, ...]

    @property
    def differences(self) -> int:
        """How much of what is hidden does."""
        other_choices = [move for move in self.moves if move.ours != move.theirs]
        return len(other_choices) + int(self.ours.seed != self.theirs.seed)


def twins_of(rules: Rules, viewer: Viewer, seats: int, number: int) -> Twins:
    """A pair, drawn by its number.

    Where no two deals show this viewer the same they have one, and only choices differ.
    """
    pick = chance_of("twins on the wire", rules.game.id, str(viewer), number)
    options = rules.game.vary(pick, seats) if number % 2 else {}
    dealt: dict[bytes, tuple[Setup, Match]] = {}
    name = f"{viewer}-{number}".replace(" ", "-")
    first = second = _dealt(rules, Setup(match=name, seats=seats, seed=bytes(32), options=options))
    for other in range(SEEDS):
        this = _dealt(rules, replace(first[0], seed=seed_of("twins", number, other)))
        like = dealt.setdefault(shown(rules, this[1], viewer), this)
        if like is not this:
            first, second = like, this
            if shown(rules, first[1], ORGANIZER) != shown(rules, second[1], ORGANIZER):
                break
    moves = _Both(rules, viewer, pick, first[1], second[1]).moves()
    return Twins(rules, viewer, first[0], second[0], tuple(moves))


def _dealt(rules: Rules, setup: Setup) -> tuple[Setup, Match]:
    return setup, rules.create(setup.order(rules), BEGINNING, salt=SALT).match


def shown(rules: Rules, match: Match, viewer: Viewer) -> bytes:
    """What the viewer sees of a match, but for what is a digest of everything."""
    view = replace(view_of(rules, match, viewer), head="", seed_commitment="")
    return msgspec.json.encode(replace(view, seed=None))


class _Both:
    """The two, played in lockstep for as long as the viewer sees the same of both."""

    def __init__(
        self, rules: Rules, viewer: Viewer, pick: Chance, ours: Match, theirs: Match
    ) -> None:
        self._rules, self._viewer, self._pick = rules, viewer, pick
        self._ours, self._theirs = ours, theirs

    def moves(self) -> Iterator[Move]:
        """What can happen in both."""
        for _ in range(STEPS):
            move = self._due() or self._chosen()
            if move is None or self._ours.over:
                return
            yield move

    def _due(self) -> Move | None:
        """What falls due by itself is waited for: who acts at the last moment is another test's."""
        due = self._rules.deadline(self._ours)
        if due is None:
            return None
        command = self._rules.overdue(self._ours, due)
        assert command is not None
        return self._both(Asker("service", None, due), command, command)

    def _chosen(self) -> Move | None:
        seat = self._pick.one_of(self._ours.owed or self._ours.still_in)
        by = Asker("seat", seat, self._ours.at + 1)
        for command in self._some(self._ours, by):
            others = [command]
            if seat != self._viewer.seat:
                others = [*self._some(self._theirs, by), command][:: self._pick.one_of((1, -1))]
            for other in others:
                move = self._both(by, command, other)
                if move is not None:
                    return move
        return None

    def _some(self, match: Match, by: Asker) -> list[Command]:
        sample = self._rules.game.sample
        sampled = sample(match.state, by, self._pick) if sample else None
        listed = self._rules.legal(match, by).commands
        return [*([sampled] if sampled else []), *self._pick.shuffle(listed)[:6]]

    def _both(self, by: Asker, command: Command, other: Command) -> Move | None:
        """The move, taken in both, where the viewer is told and shown the same of it."""
        try:
            ours = self._rules.decide(self._ours, by, command, salt=SALT)
            theirs = self._rules.decide(self._theirs, by, other, salt=SALT)
        except Refusal:
            return None
        if self._told(ours) != self._told(theirs):
            return None
        self._ours, self._theirs = ours.match, theirs.match
        return Move(by.seat, msgspec.to_builtins(command), msgspec.to_builtins(other))

    def _told(self, decided: Decided) -> tuple[bytes, bytes]:
        events = msgspec.json.encode(events_seen(0, 0, decided.events, self._viewer))
        return events, shown(self._rules, decided.match, self._viewer)
