"""The table's rulings: functions of (match, by, command). Their texts stand in rulings.toml."""

from typing import Final

from referee.core import clock
from referee.core.game import Asker, Command
from referee.core.match import Match, Offer, OfferKind
from referee.core.ruling import ruling, rulings_of
from referee.core.table.commands import (
    IDLE,
    AddEntropy,
    Adjudicate,
    CallArbiter,
    ClaimTimeout,
    Deal,
    ExcuseOutage,
    OfferDraw,
    RequestTakeback,
    TakeBack,
    Void,
)

RULINGS: Final = rulings_of("referee.core.table")
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


@ruling("entropy-asked")
def entropy_asked(match: Match, by: Asker, _command: AddEntropy | Deal) -> str | None:
    """Entropy is asked of each seat once, and only before the deal."""
    if match.dealt:
        return "What could depend on entropy is dealt."
    if by.seat is None or by.seat in match.owed:
        return None
    return f"Seat {by.seat} has added its entropy already."


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


@ruling("offer-again")
def offer_again(match: Match, by: Asker, command: OfferDraw | RequestTakeback) -> str | None:
    """A seat whose offer came to nothing makes another of its kind only after more of the game."""
    kind: OfferKind = "draw" if type(command) is OfferDraw else "takeback"
    if (by.seat, kind) not in match.spent:
        return None
    what = "offer of a draw" if kind == "draw" else "request for a take-back"
    return f"Seat {by.seat} may make another {what} only after the next move in the game."


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
    """A match goes back only to a version that it had, before the present one, since the deal."""
    if not 1 <= command.to < match.version:
        return f"There is no version {command.to} before the present {match.version}."
    if command.to < match.dealt:
        return f"At version {command.to} nothing was dealt: that came with version {match.dealt}."
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


@ruling("arbiter-called")
def arbiter_called(match: Match, _by: Asker, _command: Command) -> str | None:
    """One call at a time, and the match stays paused while it stands."""
    return f"A call to the arbiter by seat {match.call.seat} stands." if match.call else None


@ruling("calls-spent")
def calls_spent(match: Match, by: Asker, _command: CallArbiter) -> str | None:
    """A seat calls the arbiter as often as was laid down when the match was created."""
    most = match.setting.calls
    if match.seats[by.own].calls < most:
        return None
    return f"Seat {by.seat} has called the arbiter as often as it may in this match: {most} times."


@ruling("call-about")
def call_about(match: Match, _by: Asker, command: CallArbiter) -> str | None:
    """A call that is about a version names one that the match has."""
    if command.about is None or 1 <= command.about <= match.version:
        return None
    return f"There is no version {command.about}: the match has 1 to {match.version}."


@ruling("no-call")
def no_call(match: Match, by: Asker, _command: Command) -> str | None:
    """A call is answered while it stands, and withdrawn by the seat that made it."""
    if match.call is None:
        return "No call to the arbiter stands."
    if by.seat not in (None, match.call.seat):
        return f"The call is one by seat {match.call.seat}, not by seat {by.seat}."
    return None


@ruling("idle")
def idle(match: Match, by: Asker, command: Void) -> str | None:
    """The service ends only a match that is active and has had no commit for its time."""
    due = idle_at(match)
    if by.role != "service" or (command.reason == IDLE and due is not None and due <= by.at):
        return None
    return "This match is not forsaken: it is for the organizer to declare it void."


def idle_at(match: Match) -> int | None:
    """When, in Unix ms, the match will have been without a commit for too long; None for never."""
    seconds = match.setting.idle_s
    return match.at + seconds * clock.SECOND if seconds and match.status == "active" else None


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
    if left <= 0:
        return None
    return f"Seat {command.seat} has {left // 1000}.{left % 1000:03} s left."


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
