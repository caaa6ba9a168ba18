"""Judging: whether a command is lawful, by which ruling it is not, and all that would be.

One list of rulings a command type serves all three, so that they cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct

from referee.core import table
from referee.core.game import Asker, Command, CommandRules, Game, Template
from referee.core.match import Match
from referee.core.ruling import Refusal, first_broken
from referee.core.table import rulings as table_rulings


class NotAllowed(Exception):
    """Whoever asks may not send this kind of command at all."""


class Malformed(ValueError):
    """A command whose shape does not fit the match's options: `errors` of (path, message)."""

    def __init__(self, errors: Sequence[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{path}: {message}" for path, message in errors))
        self.errors: Final = tuple(errors)


class Legal(Struct, frozen=True):
    """What a seat may do: commands in a fixed order; templates where there are too many."""

    commands: tuple[Command, ...]
    complete: bool
    templates: tuple[Template, ...]


class Judge:
    """What a ruleset, and the table around it, say of commands."""

    def __init__(self, game: Game) -> None:
        self.game: Final = game
        self.rulings: Final = {one.id: one for one in (*table_rulings.RULINGS, *game.rulings)}
        self._of_game: Final = {rules.command: rules for rules in game.commands}
        self._of_table: Final = {rules.command: rules for rules in table.TABLE}
        self._admission: Final = self._admission_in_order()

    @property
    def commands(self) -> tuple[type[Command], ...]:
        """Every type of command: the game's, then the table's."""
        return (*self._of_game, *self._of_table)

    def judge(self, match: Match, by: Asker, command: Command) -> None:
        """Return where the command is lawful.

        Raises:
            Refusal: it names the first ruling that the command breaks.
            NotAllowed: `by` may not send its kind.
            Malformed: its shape does not fit the match's options.
        """
        rules = self._of_game.get(type(command))
        if rules is None:
            self._judge_table_command(match, by, command)
            return
        errors = self.game.malformed(match.setting.options, command)
        if errors:
            raise Malformed(errors)
        broken = self._broken(match, by, command, rules)
        if broken is not None:
            raise broken

    def judged(
        self, match: Match, by: Asker, command: Command
    ) -> tuple[tuple[str, str | None], ...]:
        """The rulings that judge a command, in order, as (id, what is wrong or None).

        The last one is the first that is broken, where one is. Raises what `judge` raises
        besides a refusal.
        """
        with suppress(Refusal):
            self.judge(match, by, command)
        judged: list[tuple[str, str | None]] = []
        for clause, judge, subject in self._clauses(match, command):
            judged.append((clause, judge(subject, by, command)))
            if judged[-1][1] is not None:
                break
        return tuple(judged)

    def _clauses(
        self, match: Match, command: Command
    ) -> Iterator[tuple[str, Callable[..., str | None], Any]]:
        of_game = self._of_game.get(type(command))
        if of_game is None:
            for clause in self._of_table[type(command)].rulings:
                yield clause.id, clause, match
            return
        for ruling, judges_state, judge in self._admission:
            yield ruling, judge, match.state if judges_state else match
        for clause in of_game.rulings:
            yield clause.id, clause, match.state

    def _judge_table_command(self, match: Match, by: Asker, command: Command) -> None:
        rules = self._of_table[type(command)]
        if by.role not in rules.roles and not (by.role == "organizer" and "seat" in rules.roles):
            message = f"A {by.role} may not send {tag(command)}."
            raise NotAllowed(message)
        broken = first_broken(rules.rulings, match, by, command)
        if broken is not None:
            raise broken

    def _broken(
        self, match: Match, by: Asker, command: Command, rules: CommandRules
    ) -> Refusal | None:
        return self._not_admitted(match, by, command) or first_broken(
            rules.rulings, match.state, by, command
        )

    def _not_admitted(self, match: Match, by: Asker, command: Command) -> Refusal | None:
        for ruling, judges_state, judge in self._admission:
            detail = judge(match.state if judges_state else match, by, command)
            if detail is not None:
                return Refusal(ruling, detail)
        return None

    def _admission_in_order(self) -> tuple[tuple[str, bool, Callable[..., str | None]], ...]:
        ours: dict[str, Callable[..., str | None]] = {
            "not-seated": _asks_from_a_seat,
            "match-over": table_rulings.match_over,
            "match-paused": table_rulings.match_paused,
            "withdrawn": _asks_still_in,
            "out-of-turn": _asks_in_turn,
            "wrong-phase": self._asks_in_phase,
        }
        theirs: Mapping[str, Callable[..., str | None]] = self.game.admission
        return tuple(
            (ruling, ruling in theirs, theirs.get(ruling, judge)) for ruling, judge in ours.items()
        )

    def _asks_in_phase(self, match: Match, _by: Asker, command: Command) -> str | None:
        phase = match.state.phase
        if phase in self._of_game[type(command)].phases:
            return None
        owed = [tag_of(rules.command) for rules in self.game.commands if phase in rules.phases]
        return f"In phase {phase} the seat owes {' or '.join(owed)}, not {tag(command)}."

    def legal(self, match: Match, by: Asker) -> Legal:
        """Every lawful command of the game for `by`, in a fixed order."""
        if match.status != "active":
            return Legal((), complete=True, templates=())
        commands: list[Command] = []
        templates: list[Template] = []
        for rules in self.game.commands:
            if match.state.phase not in rules.phases or not self._may_owe(match, by):
                continue
            commands += self._lawful(match, by, rules)
            template = rules.template(match.state, by) if rules.template else None
            templates += [template] if template else []
        return Legal(tuple(commands), not templates, tuple(templates))

    def _may_owe(self, match: Match, by: Asker) -> bool:
        return "out-of-turn" in self.game.admission or by.seat in match.owed

    def _lawful(self, match: Match, by: Asker, rules: CommandRules) -> list[Command]:
        options, malformed = match.setting.options, self.game.malformed
        forms = [form for form in rules.forms(match.state, by) if not malformed(options, form)]
        if self.game.admission:
            return [form for form in forms if self._broken(match, by, form, rules) is None]
        # The table admits by seat and kind alone: what holds for one form holds for all.
        if not forms or self._not_admitted(match, by, forms[0]):
            return []
        state, clauses = match.state, rules.rulings
        return [form for form in forms if first_broken(clauses, state, by, form) is None]


def tag_of(command: type[Command]) -> str:
    """A type of command as it stands in JSON: `choose_card`."""
    return str(command.__struct_config__.tag)


def tag(command: Command) -> str:
    """A command's type as it stands in JSON."""
    return tag_of(type(command))


# The table's admission to a game command, judged before the game's own rulings.


def _asks_from_a_seat(match: Match, by: Asker, _command: Command) -> str | None:
    if by.seat is None:
        return "This command is a seat's, and no seat was named."
    if not 0 <= by.seat < len(match.seats):
        return f"There is no seat {by.seat}: the seats are 0 to {len(match.seats) - 1}."
    return None


def _asks_still_in(match: Match, by: Asker, _command: Command) -> str | None:
    if by.seat is not None and match.seats[by.seat].withdrawn:
        return f"Seat {by.seat} has withdrawn from the match."
    return None


def _asks_in_turn(match: Match, by: Asker, _command: Command) -> str | None:
    if by.seat in match.owed:
        return None
    owed = ", ".join(map(str, match.owed)) or "nobody"
    return f"Seat {by.seat} is not to act now: {owed} is."
