"""The page of `replay report`: what a step takes in it, and to make, in matches of 600 commits.

With `--long` they have 2,500, and all games together take several minutes.

No game is so long by itself: where one is over it is taken back, and goes on otherwise.
"""

from __future__ import annotations

import time
from typing import Final

from rich.table import Table

from referee.catalogue import catalogue
from referee.core.audit import audit
from referee.core.commit import read_match_file
from referee.core.match import match_file
from referee.core.rules import Rules
from referee.core.slices import Slices, at_once
from referee.core.table.commands import TakeBack
from referee.core.visibility import ORGANIZER, SPECTATOR, Viewer
from referee.report.page import Look, Page, page
from referee.report.words import all_called
from referee.selfplay import Setup, Trial, chance_of, seed_of

COMMITS: Final = 600
LONG: Final = 2_500
_BACK: Final = 40
"""So many commits are taken back where a match is over."""


def long_match(rules: Rules, commits: int = COMMITS) -> bytes:
    """The match file of a match of so many commits, with the most seats: each one looks on."""
    setup = Setup(seats=rules.game.players[-1], seed=seed_of("report"))
    trial = Trial(rules, setup, chance_of("report"))
    while len(trial.steps) < commits:
        trial.go_on()
        if trial.match.over:
            trial.steps.pop()
            back_to = max(2, trial.match.version - _BACK)
            trial.take(trial.organizer(), TakeBack(to=back_to, reason="once more"))
    return match_file(trial.match, [step.decided.data for step in trial.steps])


def main(*, long: bool = False) -> list[Table]:
    """A row a game and viewer: bytes a step, the page in all, its CPU, and the longest slice."""
    commits = LONG if long else COMMITS
    table = Table(title=f"The page of a match of {commits:,} commits")
    for head in ("game", "seen by"):
        table.add_column(head)
    for head in ("seats", "bytes a step", "page, KB", "CPU, s", "ms a step", "longest slice, ms"):
        table.add_column(head, justify="right")
    for rules in catalogue():
        data = long_match(rules, commits)
        for viewer in (ORGANIZER, SPECTATOR):
            seats = f"{rules.game.players[-1]}"
            table.add_row(rules.game.id, str(viewer), seats, *_measured(rules, data, viewer))
    return [table]


def _measured(rules: Rules, data: bytes, viewer: Viewer) -> tuple[str, ...]:
    file = read_match_file(data)
    names = [seat.name for seat in rules.read_commit(file.commits[0]).ev[0].seats]
    slices: list[float] = []
    made = at_once(
        _timed(page(rules, file, audit(rules, file), Look(viewer, all_called(names))), slices)
    )
    size, cpu = len(made.html.encode()), sum(slices)
    figures = size / made.steps, size / 1000, cpu / 1000, cpu / made.steps, max(slices)
    return tuple(f"{figure:,.1f}" for figure in figures)


def _timed(work: Slices[Page], slices: list[float]) -> Slices[Page]:
    """The same work; how long each of its slices took, in ms of CPU."""
    while True:
        began = time.process_time()
        try:
            next(work)
        except StopIteration as done:
            made: Page = done.value
            return made
        finally:
            slices.append(1000 * (time.process_time() - began))
        yield
