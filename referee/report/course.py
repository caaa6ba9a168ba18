"""A match followed for its page, step by step: boards, their words, what is told, the rulings."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from referee.core.commit import MatchFile
from referee.core.match import Match
from referee.core.rules import Rules, past_among
from referee.core.slices import Slices
from referee.core.told import drawn
from referee.core.told.safe import clean_lines
from referee.core.verify import Dispute, gone_back_to
from referee.core.views import view_of
from referee.report.boards import (
    Drawings,
    Splice,
    by_column,
    by_element,
    by_group,
    by_line,
    compact,
)
from referee.report.due import due_instead
from referee.report.entries import Entry, Look, entry, rests
from referee.report.moments import chapter
from referee.report.words import Json, length

_STANDS, _RUNS, _FALLEN = range(3)
_UNTOLD: Final = "[[],0,0,[],[],0]"


class Course:
    """A match as far as it has been followed.

    `parts` are the log's, each with its heading and its entries; `steps` what goes with each step
    besides, as JSON: `[rulings by number, how many of the table besides, clocks, seats to act or 0,
    what others are told, how many of the rulings were kept: on those behind them its events rest]`;
    `rulings` the numbers of rulings by their ids; `view` the last that was drawn, as the viewer who
    knows least sees it, and `ended` when that was; `opening` the picture and words of the step that
    the page opens at; `due` what makes of them those that should stand there.
    """

    def __init__(self, rules: Rules, file: MatchFile, look: Look, fault: Dispute | None) -> None:
        self.rules, self.file, self.look = rules, file, look
        self.boards = Drawings(by_group, by_element)
        self.words = Drawings(by_line, by_column)
        self.parts: list[tuple[str, list[Entry]]] = []
        self.steps: list[str] = []
        self.rulings: dict[str, int] = {}
        self.taken_back: set[int] = set()
        self.view: Json | None = None
        self.ended = ""
        self.opening = ("", "")
        self.due: tuple[list[Splice], list[Splice]] | None = None
        self._fault = fault
        self._kept: dict[int, Match] = {}
        self._standing: list[int] = []  # commits that were not taken back

    @property
    def log(self) -> list[Entry]:
        """All entries."""
        return [one for _, entries in self.parts for one in entries]

    def follow(self) -> Iterator[None]:
        """Follow the match for as long as its log can be, in slices."""
        back_to = yield from gone_back_to(self.file.commits)
        back_to |= self._due_back_to()
        match: Match | None = None
        for version, data in enumerate(self.file.commits[: self.look.most], 1):
            before, stood = match, self.view
            try:
                match = self.rules.fold(before, data, past=past_among(self._kept))
                yield from self._draw(match)
                yield from self._draw_due(before, data, version)
            except Exception:  # noqa: BLE001 - a forged log holds what no rule expects
                return
            if version in back_to:
                self._kept[version] = match
            self._tell(before, data, version, chapter(self.rules.game, stood or self.view or {}))
            yield

    def _due_back_to(self) -> set[int]:
        """Where a take-back should have gone that went elsewhere."""
        due = self._fault.expected if self._fault else None
        to = due.get("to") if isinstance(due, dict) else None
        return {to} if isinstance(to, int) else set()

    @property
    def cut(self) -> bool:
        """Whether there is more of it than is to be drawn."""
        return self.look.most == len(self.steps) < len(self.file.commits)

    def see_the_end(self, match: Match) -> None:
        """Have `view` and `ended` be of the match's end, however far it was followed."""
        self.view, self.ended = self._seen(match, -1), self.look.when(match.at)

    # ── Boards ────────────────────────────────────────────────────────────────────────────────────

    def _draw(self, match: Match) -> Slices[None]:
        views, drawings = list[Json](), list[tuple[str, str]]()
        for number in range(len(self.look.viewers)):
            view = self._seen(match, number)
            yield
            known = [drawings[n][0] for n in range(number) if _alike(views[n], view)]
            board = known[0] if known else (yield from self._board(view))
            yield
            views.append(view)
            drawings.append((board, self._words(view)))
            yield
        yield from self.boards.add([board for board, _ in drawings])
        yield from self.words.add([words for _, words in drawings])
        self.view = views[-1]
        at_fault = self._fault.version if self._fault else None
        if at_fault is None or match.version <= at_fault:
            self.opening = drawings[0]

    def _seen(self, match: Match, viewer: int) -> Json:
        view = msgspec.json.encode(view_of(self.rules, match, self.look.viewers[viewer]))
        seen: Json = self.look.renamed(msgspec.json.decode(view))
        return seen

    def _board(self, view: Json) -> Slices[str]:
        # As for one who looks on: what a seat may name now is marked for whoever plays.
        board = drawn.svg(self.rules.game, {**view, "viewer": "spectator"})
        yield
        # Quotes of one kind are as good as those of the other, and JSON escapes but one.
        return board if "'" in board else board.replace('"', "'")

    def _words(self, view: Json) -> str:
        return clean_lines(drawn.text(self.rules.game, view))

    def _draw_due(self, before: Match | None, data: bytes, version: int) -> Slices[None]:
        """What the rules make of the commit at fault, where that is another board."""
        if self._fault is None or self._fault.version != version:
            return
        commit = self.rules.read_commit(data)
        due = due_instead(self.rules, before, commit, self._fault, past_among(self._kept))
        if due is not None:
            view = self._seen(due, 0)
            board = yield from self._board(view)
            self.due = self.boards.instead(board), self.words.instead(self._words(view))

    # ── What is told ──────────────────────────────────────────────────────────────────────────────

    def _tell(self, before: Match | None, data: bytes, version: int, part: str) -> None:
        try:
            commit = self.rules.read_commit(data)
            told = entry(self.rules, self.look, version, commit)
            kept, behind, of_table = rests(self.rules, self.look, before, commit)
        except Exception:  # noqa: BLE001 - likewise
            told, step = Entry(version, "", "", ("This commit cannot be told.",)), _UNTOLD
        else:
            numbers = [
                self.rulings.setdefault(one.id, len(self.rulings)) for one in (*kept, *behind)
            ]
            others = [text if text != told.told[0] else 0 for text in told.told[1:]]
            view = self.view or {}
            step = compact([numbers, of_table, _clocks(view), _to_act(view), others, len(kept)])
        self.steps.append(step)
        self.ended = told.when
        if told.back_to is not None:
            goes = bisect_right(self._standing, told.back_to)
            self.taken_back.update(self._standing[goes:])
            del self._standing[goes:]
        self._standing.append(version)
        if not self.parts or self.parts[-1][0] != part:
            self.parts.append((part, []))
        self.parts[-1][1].append(told)


def _alike(one: Json, other: Json) -> bool:
    """Whether two viewers see the same."""
    return {**one, "viewer": ""} == {**other, "viewer": ""}


def _to_act(view: Json) -> Any:
    """The seats that owe a command; 0 while the match is paused, and nobody may send one."""
    return 0 if view["status"] == "paused" else view["to_act"]


def _clocks(view: Json) -> Any:
    """What each seat's clock says, and whether it stands, runs or has run out; 0 for none."""
    clock = view.get("clock")
    if clock is None:
        return 0
    return [
        [length(left), _FALLEN if fallen else _RUNS if seat in clock["running"] else _STANDS]
        for seat, (left, fallen) in enumerate(zip(clock["left_ms"], clock["flagged"], strict=True))
    ]
