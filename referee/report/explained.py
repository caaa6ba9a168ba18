"""Why a command was lawful: the rulings that judged it, and those that its events rest on."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from referee.core.game import Asker, Command, Event
from referee.core.match import Match
from referee.core.rules import Rules
from referee.core.ruling import Ruling


class Weighed(Struct, frozen=True):
    """A ruling and what it said of the command: what is wrong, or None that it is satisfied."""

    ruling: Ruling
    broken: str | None

    @property
    def of_table(self) -> bool:
        """It is the table's, and no game's own."""
        return self.ruling.origin == "table"


def weighed(rules: Rules, match: Match, by: Asker, command: Command) -> tuple[Weighed, ...]:
    """The rulings as they judge, up to the first that is broken; raises as `Judge.judged`."""
    judged = rules.judged(match, by, command)
    return tuple(Weighed(rules.rulings[clause], broken) for clause, broken in judged)


def in_short(judged: Sequence[Weighed]) -> tuple[list[Weighed], int]:
    """Those that say something of this command, and how many of the table are kept besides."""
    ours = [one for one in judged if not one.of_table or one.broken is not None]
    if not any(not one.of_table for one in judged):
        return list(judged), 0
    return ours, len(judged) - len(ours)


def explaining(rules: Rules, events: Iterable[Event]) -> tuple[Ruling, ...]:
    """The rulings that refuse nothing and that these events rest on."""
    ids = {ruling for event in events for ruling in rules.rests_on(event)}
    return tuple(ruling for ruling in rules.game.rulings if ruling.id in ids)
