"""A log as a story: the match after each commit, and the commits' events as somebody saw them.

Nothing is judged here: what the log records is taken as fact, as long as it can be.
"""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from referee.catalogue import UnknownGame, catalogue
from referee.core.audit import broken
from referee.core.commit import Commit
from referee.core.match import Match
from referee.core.rules import BadLog, Rules, past_among
from referee.core.table.events import MatchCreated
from referee.core.told.safe import clean
from referee.core.verify import take_backs
from referee.core.views import view_of
from referee.core.visibility import ORGANIZER, SPECTATOR, Viewer, events_seen, seat_viewer
from referee.report.disputes import located, plainly, whereabouts
from referee.report.words import Json, all_called, tell
from replay.exits import Disputed, Unusable
from replay.reading import reading
from replay.sources import Log, load, single
from replay.telling.people import people

_KEPT_APART: Final = 64
"""At least so many commits lie between states that are kept, and at most so many are kept."""
_ROLES: Final = {"organizer": ORGANIZER, "spectator": SPECTATOR}
_SEAT: Final = re.compile(r"(?:seat[ :]?)?([0-9]{1,4})")


@contextmanager
def legible(log: Log, version: int) -> Generator[bytes]:
    """A commit's bytes, for whoever reads them.

    Raises:
        Disputed: in place of what was raised of bytes that are no commit; it says where they are.
    """
    try:
        yield log.file.commits[version - 1]
    except BadLog as error:
        if not isinstance(error.__cause__, msgspec.DecodeError):
            raise
        place = located(version, whereabouts(log.file, version))
        raise Disputed(f"{place} cannot be read", log.source) from error


class Folded:
    """A log folded, with states kept here and there: the next one asked for is a short way on."""

    def __init__(self, rules: Rules, log: Log) -> None:
        self._rules, self._log = rules, log
        self._gone_back_to = {to for _, to in take_backs(log.file.commits)}
        self._apart = max(_KEPT_APART, len(log.file.commits) // _KEPT_APART)
        self._kept: dict[int, Match] = {}

    def at(self, version: int) -> Match:
        """The match after that commit. Raises what `Rules.fold` raises."""
        start = max((kept for kept in self._kept if kept <= version), default=0)
        match = self._kept.get(start)
        for number in range(start + 1, version + 1):
            with legible(self._log, number) as data:
                match = self._rules.fold(match, data, past=past_among(self._kept))
            if number % self._apart == 0 or number in self._gone_back_to:
                self._kept[number] = match
        if match is None:
            raise BadLog("nothing stands before the first commit")
        return match


@dataclass(frozen=True, slots=True)
class History:
    """A log with the rules that it is under; `names` is what its seats are called, to print.

    `people` is who sits there, in what names are printed by this command.
    Whatever reads or tells a commit raises `Disputed` where the log does not hold.
    """

    log: Log
    rules: Rules
    names: tuple[str, ...]
    people: tuple[str, ...]
    folded: Folded

    @property
    def commits(self) -> Sequence[bytes]:
        """The commits' bytes, the first of them version 1."""
        return self.log.file.commits

    @property
    def last(self) -> int:
        """The last version."""
        return len(self.commits)

    def version(self, at: int | None) -> int:
        """`at`, or the last version for None.

        Raises:
            Unusable: the log has no such version.
        """
        if at is not None and not 1 <= at <= self.last:
            message = f"there is no version {at}: the log has 1 to {self.last}"
            raise Unusable(message, self.log.source)
        return self.last if at is None else at

    def viewer(self, text: str) -> Viewer:
        """The viewer that a text names: `organizer`, `spectator`, or a seat.

        Raises:
            Unusable: it names none.
        """
        role = _ROLES.get(text.strip().lower())
        return seat_viewer(self.seat(text, beside=tuple(_ROLES))) if role is None else role

    def seat(self, text: str, *, beside: Sequence[str] = ()) -> int:
        """The seat that a text names: by number (`seat 0`, `seat:0`, `0`) or by its name.

        `beside` is what could have been named instead of a seat.

        Raises:
            Unusable: it names none, or several.
        """
        numbered = _SEAT.fullmatch(text.strip().lower())
        sought = clean(text).casefold()
        found = [seat for seat, name in enumerate(self.people) if name.casefold() == sought]
        if numbered is not None:
            found = [seat for seat in range(len(self.names)) if seat == int(numbered[1])]
        if len(found) != 1:
            what = f"{len(found)} seats are called" if found else "there is no"
            message = f"{what} {clean(text) or 'such seat'}: {', '.join((*beside, *self.names))}"
            raise Unusable(message, self.log.source)
        return found[0]

    def called(self, viewer: Viewer) -> str:
        """What a viewer is called: a seat by its number and name."""
        return viewer.role if viewer.seat is None else self.names[viewer.seat]

    def commit(self, version: int) -> Commit[Any, Any]:
        """One commit, read."""
        with reading(self.log.source, version), legible(self.log, version) as data:
            return self.rules.read_commit(data)

    def match(self, version: int) -> Match:
        """The match after a commit."""
        with reading(self.log.source):
            return self.folded.at(version)

    def view(self, match: Match, viewer: Viewer) -> dict[str, Any]:
        """The match as a viewer sees it: the JSON object of `GET /v1/matches/{match}`."""
        with reading(self.log.source, match.version):
            view: dict[str, Any] = people().renamed(_json(view_of(self.rules, match, viewer)))
            return view

    def seen(self, version: int, viewer: Viewer) -> list[dict[str, Any]]:
        """A commit's events as a viewer saw them."""
        commit = self.commit(version)
        with reading(self.log.source, version):
            seen = events_seen(version, commit.at, commit.ev, viewer)
            events: list[dict[str, Any]] = people().renamed(_json(seen))
            return events

    def told(self, version: int, events: Sequence[Json]) -> list[str]:
        """A commit's events, as a viewer saw them, in words: a sentence or two each."""
        with reading(self.log.source, version):
            return [tell(self.rules.game, event, self.names) for event in events]


def _json(value: Any) -> Any:
    """A value as whoever reads it as JSON has it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def rules_named(ruleset: str) -> Rules:
    """The rules of that name, among those that are installed here.

    Raises:
        Unusable: they are not; it says which are.
    """
    known = catalogue()
    try:
        return known.rules(ruleset)
    except UnknownGame:
        names = sorted(name for rules in known for name in known.rulesets(rules.game.id))
        listed = ", ".join(names)
        raise Unusable(f"the ruleset {ruleset} is not known here; known are {listed}") from None


def open_history(text: str) -> History:
    """The history of the one log that a source names. Raises what reading it raises."""
    return history_of(load(single(text)))


def history_of(log: Log) -> History:
    """A log with its rules and its seats' names."""
    try:
        rules = rules_named(log.file.header.ruleset)
    except Unusable as unusable:
        raise Unusable(unusable.message, log.source) from unusable
    names = people().seats(_names(rules, log))
    return History(log, rules, all_called(names), tuple(map(clean, names)), Folded(rules, log))


def _names(rules: Rules, log: Log) -> Sequence[str]:
    if not log.file.commits:
        raise Disputed("the header counts commits, and none follows", log.source)
    with reading(log.source, 1), legible(log, 1) as data:
        first = rules.read_commit(data)
    if not first.ev or not isinstance(first.ev[0], MatchCreated):
        raise Disputed("commit 1 does not create a match", log.source)
    return [seat.name for seat in first.ev[0].seats]


def end_on(log: Log) -> None:
    """What a command that judges nothing ends with: a word where the log contradicts itself.

    Raises:
        Disputed: its chain is broken, or its header is not that of its commits.
    """
    dispute = broken(log.file)
    if dispute is not None:
        raise Disputed(f"in dispute: {plainly(dispute, log.file)}", log.source)
