"""The way through a match: where one is, who looks on, and where to go from there."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import click
from msgspec import Struct

from referee.core.match import Match
from referee.core.verify import Dispute
from referee.core.visibility import Viewer
from referee.report.moments import moment
from referee.report.words import who
from replay.exits import Disputed
from replay.judging.faults import Faults, noted
from replay.judging.weighing import Explained, asker, choices, legal_for, of_another, weigh
from replay.telling.history import History
from replay.telling.scenes import board, clocks, place, title, to_act, viewers_of

Sought = Literal["score", "capture", "ruling"]


class Scene(Struct, frozen=True):
    """What there is to see at a version: lines for people."""

    title: str
    status: str
    told: Sequence[str]
    board: str


@dataclass
class Walk:
    """Somebody on the way through a match; each step answers None, or why there is no such."""

    history: History
    version: int
    viewer: Viewer
    furthest: int = field(init=False, default=0)
    """The last version that was looked at."""
    _faults: Faults = field(init=False)

    def __post_init__(self) -> None:
        self._faults = Faults(self.history)

    def to(self, version: int) -> str | None:
        """To a version."""
        if version < 1:
            return "That is before the first commit."
        if version > self.history.last:
            return f"The last commit is {self.history.last}."
        self.version = version
        return None

    def seek(self, sought: Sought, step: Literal[1, -1] = 1) -> str | None:
        """To the next score, capture or ruling, or with -1 to the one before."""
        end = self.history.last + 1 if step == 1 else 0
        for version in range(self.version + step, end, step):
            if self._holds(version, sought):
                self.version = version
                return None
        return f"There is no {sought} {'after' if step == 1 else 'before'} this."

    def _holds(self, version: int, sought: Sought) -> bool:
        try:
            by = self.history.commit(version).by
            events = self.history.seen(version, self.viewer)
        except Disputed:
            return False
        return any(moment(self.history.rules.game, by, event) == sought for event in events)

    def look_as(self, name: str) -> str | None:
        """As another viewer, who is named."""
        try:
            self.viewer = self.history.viewer(name)
        except click.ClickException as error:
            return error.message
        return None

    def look_on(self, step: int) -> None:
        """As the viewer so many further round: organizer, spectator, the seats."""
        viewers = viewers_of(self.history)
        self.viewer = viewers[(viewers.index(self.viewer) + step) % len(viewers)]

    # ── What is seen there ────────────────────────────────────────────────────────────────────────

    def view(self) -> dict[str, Any]:
        """The match there, as JSON. Raises `Disputed` where the log does not get so far."""
        return self.history.view(self._match(), self.viewer)

    def fault(self) -> Dispute | None:
        """The first fault that anything rests on which was looked at, if one does."""
        return self._faults.until(self.furthest)

    def _match(self) -> Match:
        self.furthest = max(self.furthest, self.version)
        return self.history.match(self.version)

    def scene(self) -> Scene:
        """What there is to see, also where the log does not get so far."""
        history, version = self.history, self.version
        try:
            match, view = self._match(), self.view()
            told = history.told(version, history.seen(version, self.viewer))
            fault = self._faults.until(version)
            status = (
                None if fault is None else noted(fault),
                *place(history, view, match.at),
                to_act(history, view),
                *clocks(history, view),
            )
            drawn = board(history, view)
        except Disputed as disputed:
            lost = f"version {version} cannot be shown: {disputed.message}"
            return Scene(history.log.source, f"version {version} of {history.last}", [lost], "")
        return Scene(title(history, view), " · ".join(filter(None, status)), told, drawn)

    # ── What if ───────────────────────────────────────────────────────────────────────────────────

    def may_be_sent(self) -> list[str]:
        """What of the game could be sent here by whom is asked for, each with its line."""
        by = asker(self.history, self.version + 1, self._sender())
        listed = list(choices(legal_for(self.history, self._match(), by)))
        name = who(str(by), self.history.names)
        return [f"{name} may send" if listed else f"{name} may send nothing of the game", *listed]

    def _sender(self) -> str | None:
        """Who is asked for where nobody is named: who looks on, else whoever owes a command."""
        owed = self._match().owed
        seat = self.viewer.seat if self.viewer.seat is not None else next(iter(owed), None)
        return None if seat is None else str(seat)

    def what_if(self, text: str) -> Explained:
        """A command at this point, judged: in words, by its line, or JSON; perhaps `SEAT: …`.

        Raises:
            Unusable: it is no command, or nobody's.
        """
        name, colon, command = text.partition(": ")
        if not colon or text.lstrip().startswith("{"):
            name, command = "", text
        question = of_another(self.history, self.version + 1, command, name or self._sender())
        return weigh(self.history, question, legal_for(self.history, question.match, question.by))
