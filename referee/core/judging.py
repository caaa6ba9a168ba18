"""Judging: whether a command is lawful, by which ruling it is not, and all that would be.

One list of rulings a command type serves all three, so that they cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct

from referee.core.game import Asker, Command, CommandRules, Game, Template
from referee.core.match import GOES_ON, Match
from referee.core.ruling import Refusal, Ruling, ruling

if TYPE_CHECKING:
    from referee.core.table import TableRules


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


_Judges = Callable[[Any, Asker, Any], str | None]


class _Law(NamedTuple):
    """A ruling as it judges commands of one type, by the game's state or by the whole match."""

    id: str
    judges: _Judges
    of_state: bool

    def broken(self, match: Match, by: Asker, command: Command) -> str | None:
        """What is wrong with the command, None where nothing is."""
        return self.judges(match.state if self.of_state else match, by, command)


def _first_broken(
    laws: Sequence[_Law], match: Match, by: Asker, command: Command
) -> tuple[str, str] | None:
    """The first ruling that a command breaks, by its id, and what is wrong.

    As `broken` asks, without a call each: every command goes through all of its rulings.
    """
    state = match.state
    for law_id, judges, of_state in laws:
        detail = judges(state if of_state else match, by, command)
        if detail is not None:
            return law_id, detail
    return None


class Judge:
    """What a ruleset, and the table around it, say of commands."""

    def __init__(
        self, game: Game, table: Sequence[TableRules], table_rulings: Sequence[Ruling]
    ) -> None:
        self.game: Final = game
        self.rulings: Final = {ruling.id: ruling for ruling in (*table_rulings, *game.rulings)}
        self._of_game: Final = {rules.command: rules for rules in game.commands}
        self._of_table: Final = {rules.command: rules for rules in table}
        self._admission: Final = self._admission_in_order()
        self._laws: Final = self._laws_in_order()
        past = len(self._admission)
        theirs = () if game.admission else self._of_game
        self._admitted_to: Final = {kind: self._laws[kind][past:] for kind in theirs}
        self._admitted: Final[set[tuple[Any, ...]]] = set()

    @property
    def commands(self) -> tuple[type[Command], ...]:
        """Every type of command: the game's, then the table's."""
        return (*self._of_game, *self._of_table)

    def judge(self, match: Match, by: Asker, command: Command) -> None:
        """Return where the command is lawful.

        Raises:
            Refusal: it names the first ruling that the command breaks.
            NotAllowed: `by` may not send its kind.
            Malformed: its shape does not fit the match's options, or it names an unknown ruling.
        """
        kind = type(command)
        if kind in self._of_table:
            self._check_sender(by, command)
            errors = self._misnamed(command)
        else:
            errors = self.game.malformed(match.setting.options, command)
        if errors:
            raise Malformed(errors)
        laws = self._laws[kind]
        if kind in self._admitted_to and self._admits(match, by, command):
            laws = self._admitted_to[kind]
        broken = _first_broken(laws, match, by, command)
        if broken is not None:
            raise Refusal(*broken)

    def _admits(self, match: Match, by: Asker, command: Command) -> bool:
        """Whether the table's admission lets in the game's command of a seat that owes one.

        Its rulings look at nothing that is not in the key, so that they are asked of each once, and
        not of every command. There are few: what a seat owes, and when.
        """
        seat, owed = by.seat, match.owed
        if seat is None or seat not in owed:
            return False
        withdrawn, dealt = match.seats[seat].withdrawn, match.dealt > 0
        key = type(command), seat, owed, match.state.phase, match.status, dealt, withdrawn
        if key in self._admitted:
            return True
        admits = _first_broken(self._admission, match, by, command) is None
        if admits:
            self._admitted.add(key)
        return admits

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
        for law in self._laws[type(command)]:
            judged.append((law.id, law.broken(match, by, command)))
            if judged[-1][1] is not None:
                break
        return tuple(judged)

    def _check_sender(self, by: Asker, command: Command) -> None:
        roles = self._of_table[type(command)].roles
        itself = by.role == "seat" and by.organizer is None
        if by.role in roles or (itself and "itself" in roles):
            return
        # An organizer may act for a seat: one who names none is refused by `not-seated`.
        if by.role != "organizer" or "seat" not in roles:
            of_organizer = by.role == "organizer" or by.organizer
            sender = "An organizer" if of_organizer else f"A {by.role}"
            raise NotAllowed(f"{sender} may not send {tag(command)}.")

    def _misnamed(self, command: Command) -> Sequence[tuple[str, str]]:
        named = getattr(command, "ruling", None)
        known = named is None or named in self.rulings
        return () if known else [("ruling", "must be the id of a ruling of this game")]

    def _laws_in_order(self) -> dict[type[Command], tuple[_Law, ...]]:
        """What judges each type of command: for the game's, first the admission to any of them."""
        of_table = {
            kind: tuple(_Law(clause.id, clause, of_state=False) for clause in rules.rulings)
            for kind, rules in self._of_table.items()
        }
        of_game = {
            kind: (
                *self._admission,
                *(_Law(clause.id, clause, of_state=True) for clause in rules.rulings),
            )
            for kind, rules in self._of_game.items()
        }
        return of_table | of_game

    def _admission_in_order(self) -> tuple[_Law, ...]:
        ours: dict[str, _Judges] = {
            "not-seated": _asks_from_a_seat,
            "match-over": match_over,
            "match-paused": match_paused,
            "withdrawn": _asks_still_in,
            "before-deal": before_deal,
            "out-of-turn": _asks_in_turn,
            "wrong-phase": self._asks_in_phase,
        }
        theirs: Mapping[str, _Judges] = self.game.admission
        return tuple(
            _Law(ruling, theirs.get(ruling, judges), of_state=ruling in theirs)
            for ruling, judges in ours.items()
        )

    def _asks_in_phase(self, match: Match, _by: Asker, command: Command) -> str | None:
        phase = match.state.phase
        if phase in self._of_game[type(command)].phases:
            return None
        owed = [tag_of(rules.command) for rules in self.game.commands if phase in rules.phases]
        return f"In phase {phase} the seat owes {' or '.join(owed)}, not {tag(command)}."

    def legal(self, match: Match, by: Asker) -> Legal:
        """Every lawful command of the game for `by`, in a fixed order."""
        if match.status != "active" or not match.dealt:
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
        laws = self._laws[rules.command]
        if forms and not self.game.admission:
            # The table admits by seat and kind alone: what holds for one form holds for all.
            if not self._admits(match, by, forms[0]):
                return []
            laws = self._admitted_to[rules.command]
        return [form for form in forms if _first_broken(laws, match, by, form) is None]


def tag_of(command: type[Command]) -> str:
    """A type of command as it stands in JSON: `choose_card`."""
    return str(command.__struct_config__.tag)


def tag(command: Command) -> str:
    """A command's type as it stands in JSON."""
    return tag_of(type(command))


# The table's admission to a game command, judged before the game's own rulings. Those that are
# registered as rulings are the table's own commands' as well.


@ruling("match-over")
def match_over(match: Match, _by: Asker, _command: Command) -> str | None:
    """Nothing is played once the match is finished or void."""
    return None if match.status in GOES_ON else f"The match is {match.status}."


@ruling("match-paused")
def match_paused(match: Match, _by: Asker, _command: Command) -> str | None:
    """Nothing is played while the match is paused."""
    return "The match is paused." if match.status == "paused" else None


@ruling("before-deal")
def before_deal(match: Match, _by: Asker, _command: Command) -> str | None:
    """Nothing is played before the deal, which waits for everybody's entropy."""
    if match.dealt or match.over:
        return None
    awaited = ", ".join(map(str, match.owed))
    return f"Nothing is dealt yet: the entropy of these seats is awaited: {awaited}."


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
