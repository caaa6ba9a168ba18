"""A commit as the page of a match tells it: what happened, by whom, why it was lawful."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from msgspec import Struct

from referee.core.commit import Commit
from referee.core.game import Event
from referee.core.judging import Malformed, NotAllowed
from referee.core.match import Match
from referee.core.rules import Rules, read_asker
from referee.core.ruling import Ruling
from referee.core.table.commands import CreateMatch
from referee.core.told.safe import clean
from referee.core.visibility import ORGANIZER, SPECTATOR, Viewer, events_seen, seat_viewer
from referee.report.explained import Weighed, explaining, in_short, weighed
from referee.report.json_values import plain
from referee.report.moments import CALLS, RULINGS, moment
from referee.report.spoken import spoken
from referee.report.words import Json, tell, who
from referee.report.words import moment as time_of


class Refused(Protocol):
    """A command that was refused after commit `version`, as the record beside a log has it."""

    @property
    def by(self) -> str: ...  # noqa: D102
    @property
    def seat(self) -> int | None: ...  # noqa: D102
    @property
    def version(self) -> int: ...  # noqa: D102
    @property
    def command(self) -> Any: ...  # noqa: D102
    @property
    def ruling(self) -> str: ...  # noqa: D102
    @property
    def detail(self) -> str: ...  # noqa: D102


class Look(Struct, frozen=True):
    """For whose eyes a page is, and how it tells what is seen.

    `names` as sentences have them; `renamed` changes names in a JSON value; `when` tells a time in
    Unix ms; `refusals` are those that are known, whosever they are; `most` is how many commits are
    drawn.
    """

    viewer: Viewer
    names: tuple[str, ...]
    renamed: Callable[[Any], Any] = lambda value: value
    when: Callable[[int], str] = time_of
    refusals: Sequence[Refused] = ()
    most: int | None = None

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        """Who can be looked on as: by the organizer everybody, by others nobody else."""
        if self.viewer != ORGANIZER:
            return (self.viewer,)
        return (ORGANIZER, *map(seat_viewer, range(len(self.names))), SPECTATOR)

    def refused(self, version: int) -> list[Refused]:
        """What was refused after a commit, as far as the viewer may know: a seat knows its own."""
        return [one for one in self.refusals if one.version == version and self._knows(one)]

    def _knows(self, refused: Refused) -> bool:
        of_own = refused.seat is not None and refused.seat == self.viewer.seat
        return of_own or self.viewer == ORGANIZER


class Entry(Struct, frozen=True):
    """A commit in the page's log.

    `told` what happened, as each viewer was told it; `ruled` what an arbiter or a call to one has
    to do with it; `kinds` what it is to those who look for something; `refused` what was refused
    after it, as seat and words; `back_to` the version that the match goes back to.
    """

    version: int
    when: str
    by: str
    told: tuple[str, ...]
    ruled: str = ""
    kinds: tuple[str, ...] = ()
    refused: tuple[tuple[int | None, str], ...] = ()
    back_to: int | None = None


def entry(rules: Rules, look: Look, version: int, commit: Commit[Any, Any]) -> Entry:
    """A commit told to all who can look on."""
    seen = [
        [plain(event) for event in events_seen(version, commit.at, commit.ev, viewer)]
        for viewer in look.viewers
    ]
    told = [[tell(rules.game, event, look.names) for event in events] for events in seen]
    ruling = (CALLS | RULINGS) if commit.by.startswith("organizer") else CALLS
    own = list(zip(seen[0], told[0], strict=True))
    kinds = {moment(rules.game, commit.by, event) for event in seen[0]}
    return Entry(
        version,
        look.when(commit.at),
        who(commit.by, look.names),
        tuple(map(" ".join, told)),
        " ".join(text for event, text in own if event["type"] in ruling),
        tuple(sorted(kind for kind in kinds if kind)),
        tuple((one.seat, _refused(one, look.names)) for one in look.refused(version)),
        next((event["to"] for event in seen[0] if event["type"] == "taken_back"), None),
    )


def _refused(refused: Refused, names: Sequence[str]) -> str:
    command: Json = plain(refused.command)
    said = spoken(command) if isinstance(command, dict) and "type" in command else str(command)
    return clean(f"{who(refused.by, names)}: {said}. {refused.detail} ({refused.ruling})")


def rests(
    rules: Rules, look: Look, before: Match | None, commit: Commit[Any, Any]
) -> tuple[list[Ruling], tuple[Ruling, ...], int]:
    """The rulings that a commit kept, those behind its events, how many more of the table it kept.

    Which of them a command broke, and what follows from what is hidden, is not for everybody.
    """
    judged = _judged(rules, before, commit)
    if look.viewer != ORGANIZER and any(one.broken for one in judged):
        judged = ()
    shown, of_table = in_short(judged)
    open_events = [event for event in commit.ev if _sees_all_of(event, look.viewer)]
    kept = [one.ruling for one in shown if one.broken is None]
    return kept, explaining(rules, open_events), of_table


def _judged(rules: Rules, before: Match | None, commit: Commit[Any, Any]) -> tuple[Weighed, ...]:
    if before is None or isinstance(commit.cmd, CreateMatch):
        return ()
    try:
        return weighed(rules, before, read_asker(commit.by, commit.at), commit.cmd)
    except (NotAllowed, Malformed):
        return ()


def _sees_all_of(event: Event, viewer: Viewer) -> bool:
    """Whether nothing of an event is hidden from a viewer."""
    seen, all_of_it = (plain(events_seen(0, 0, (event,), who)) for who in (viewer, ORGANIZER))
    return bool(seen == all_of_it)
