"""The table's rulings: functions of (match, by, command). Their texts stand in rulings.toml."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from referee.core import clock
from referee.core.game import Asker, Command
from referee.core.match import Match, Offer
from referee.core.ruling import parse_rulings, ruling
from referee.core.table.commands import (
    Adjudicate,
    ClaimTimeout,
    ExcuseOutage,
    RequestTakeback,
    TakeBack,
)

_TEXTS: Final = files("referee.core.table").joinpath("rulings.toml").read_text("utf-8")
RULINGS: Final = parse_rulings(_TEXTS)
"""The rulings that every game has."""


def _concerned(by: Asker, command: Command) -> tuple[int, ...]:
    """The seats that a command is about: the one that asks, and the one it names."""
    named: int | None = getattr(command, "seat", None)
    return tuple(seat for seat in (by.seat, named) if seat is not None)


@ruling("not-seated")
def not_seated(match: Match, by: Asker, command: Command) -> str | None:
    """A seat's command must come from a seat of this match, and name one where it names any."""
    seats = _concerned(by, command)
    if not seats:
        return "This command is a seat's, and no seat was named."
    for seat in seats:
        if not 0 <= seat < len(match.seats):
            return f"There is no seat {seat}: the seats are 0 to {len(match.seats) - 1}."
    return None


@ruling("withdrawn")
def withdrawn(match: Match, by: Asker, command: Command) -> str | None:
    """A seat that has withdrawn has no part in the match any more."""
    for seat in _concerned(by, command):
        if match.seats[seat].withdrawn:
            return f"Seat {seat} has withdrawn from the match."
    return None


@ruling("not-paused")
def not_paused(match: Match, _by: Asker, _command: Command) -> str | None:
    """Only a paused match can be resumed."""
    return None if match.status == "paused" else f"The match is {match.status}, not paused."


@ruling("match-not-finished")
def match_not_finished(match: Match, _by: Asker, _command: Command) -> str | None:
    """Only a finished match's result can be certified."""
    return None if match.status == "finished" else f"The match is {match.status}, not finished."


@ruling("result-certified")
def result_certified(match: Match, _by: Asker, _command: Command) -> str | None:
    """A certified result stands, unless an arbiter adjudicates anew."""
    return "The result is certified." if match.result and match.result.certified else None


@ruling("ranking-complete")
def ranking_complete(match: Match, _by: Asker, command: Adjudicate) -> str | None:
    """A ranking names every seat once; places count from 1, equal places are shared (1, 1, 3)."""
    if sorted(row.seat for row in command.ranking) != list(range(len(match.seats))):
        return f"The ranking must name each of the seats 0 to {len(match.seats) - 1} once."
    places = [row.place for row in command.ranking if row.place is not None]
    for place in places:
        if place != 1 + sum(other < place for other in places):
            return f"Place {place} does not follow: places count from 1, and equal ones are shared."
    return None


@ruling("draw-offered")
def draw_offered(match: Match, _by: Asker, _command: Command) -> str | None:
    """One offer of a draw at a time."""
    return f"Seat {match.draw.seat} has offered a draw already." if match.draw else None


@ruling("no-draw-offered")
def no_draw_offered(match: Match, by: Asker, _command: Command) -> str | None:
    """A draw is accepted or declined only while another seat offers it, and accepted once."""
    return _not_answerable(match.draw, by, "a draw")


@ruling("takeback-requested")
def takeback_requested(match: Match, _by: Asker, _command: Command) -> str | None:
    """One request for a take-back at a time."""
    if match.takeback:
        return f"Seat {match.takeback.seat} has asked for a take-back already."
    return None


@ruling("no-takeback-requested")
def no_takeback_requested(match: Match, by: Asker, _command: Command) -> str | None:
    """A take-back is accepted or declined only while another seat asks for it."""
    return _not_answerable(match.takeback, by, "a take-back")


def _not_answerable(offer: Offer | None, by: Asker, what: str) -> str | None:
    if offer is None:
        return f"Nobody has asked for {what}."
    if offer.seat == by.seat:
        return f"Seat {by.seat} has asked for {what} itself."
    if by.seat in offer.accepted:
        return f"Seat {by.seat} has agreed to {what} already."
    return None


@ruling("takeback-target")
def takeback_target(match: Match, _by: Asker, command: RequestTakeback | TakeBack) -> str | None:
    """A match goes back only to a version that it had, before the present one."""
    if not 1 <= command.to < match.version:
        return f"There is no version {command.to} before the present {match.version}."
    return None


@ruling("takeback-reveals")
def takeback_reveals(match: Match, _by: Asker, command: RequestTakeback) -> str | None:
    """Players do not take back what told a seat something new, or drew from chance."""
    if match.revealed > command.to:
        return (
            f"Commit {match.revealed} revealed something: only the organizer may go back past it."
        )
    return None


@ruling("takeback-withdrawal")
def takeback_withdrawal(match: Match, _by: Asker, command: RequestTakeback) -> str | None:
    """Players do not go back past a withdrawal: the seat that left would be in again."""
    if match.left > command.to:
        return f"In commit {match.left} a seat left: only the organizer may go back past it."
    return None


@ruling("takeback-stale")
def takeback_stale(match: Match, _by: Asker, _command: object) -> str | None:
    """A take-back is agreed to only while nothing was revealed, and nobody left, since."""
    to = (match.takeback and match.takeback.to) or 0
    if match.revealed > to:
        return f"Commit {match.revealed} has revealed something since."
    return f"In commit {match.left} a seat has left since." if match.left > to else None


@ruling("no-clock")
def no_clock(match: Match, _by: Asker, _command: Command) -> str | None:
    """Time is claimed and granted only in a match with a clock."""
    return "The match has no clock." if match.clock is None else None


@ruling("clock-runs")
def clock_runs(match: Match, by: Asker, command: ClaimTimeout) -> str | None:
    """A flag falls once, when the time of a seat that owes a command has run out."""
    face = match.clock
    if face is None or command.seat not in match.owed:
        return f"No clock of seat {command.seat} is running."
    if face.flagged[command.seat]:
        return f"The flag of seat {command.seat} has fallen already."
    left = clock.left_at(face, command.seat, match.owed, by.at)
    return f"Seat {command.seat} has {left} ms left." if left > 0 else None


@ruling("outage")
def outage(match: Match, by: Asker, command: ExcuseOutage) -> str | None:
    """Outages lie one after another since the commit before: no time is given back twice."""
    if not command.outages:
        return "No outage is named."
    free = match.at
    for one in command.outages:
        if not free <= one.from_ < one.until <= by.at:
            return (
                f"The time from {one.from_} to {one.until} ms does not lie between {free}, up to "
                f"which nothing more is to be excused, and the present, {by.at}."
            )
        free = one.until
    return None
