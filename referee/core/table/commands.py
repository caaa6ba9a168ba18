"""The table's commands: what seats, the organizer and the service may ask for in any game."""

from typing import Annotated, Any, Final

from msgspec import Meta, Struct, field

from referee.core.game import Command
from referee.core.match import (
    SHORTEST_IDLE_S,
    Calls,
    CallText,
    ClockSetting,
    Entropy,
    IdleSeconds,
    MatchId,
    Name,
    Reason,
    Round,
    RulingId,
    SeatName,
    Seed,
)


class CreateMatch(Command, frozen=True):
    """A match's first command; its fields are those of the request, every default filled in."""

    match: MatchId
    game: str
    ruleset: str
    seats: tuple[SeatName, ...]
    options: Any
    tournament: Name | None
    round: Round | None
    table: Name | None
    public: bool
    clock: ClockSetting | None
    idle_s: IdleSeconds
    calls: Calls
    entropy: Entropy
    seed: Seed


def term_errors(tournament: str | None, number: int | None, idle_s: int) -> list[tuple[str, str]]:
    """What is wrong with a match's round `number` and its `idle_s`, as (path, message)."""
    errors: list[tuple[str, str]] = []
    if number is not None and tournament is None:
        errors.append(("round", "is one of a tournament, and none is named"))
    if 0 < idle_s < SHORTEST_IDLE_S:
        errors.append(("idle_s", f"must be 0, for never, or at least {SHORTEST_IDLE_S}"))
    return errors


class AddEntropy(Command, frozen=True):
    """Add to the chance of the match, before anything is dealt; upper case counts as lower."""

    hex: Annotated[str, Meta(pattern=r"^[0-9a-fA-F]{32,128}$(?!\n)")]


class Deal(Command, frozen=True):
    """Wait no longer for the seats that have not added entropy."""

    reason: Reason


class Resign(Command, frozen=True):
    """The seat withdraws."""


class OfferDraw(Command, frozen=True):
    """Offer the other seats a draw."""


class AcceptDraw(Command, frozen=True):
    """Agree to the draw on offer."""


class DeclineDraw(Command, frozen=True):
    """Refuse the draw on offer."""


class RequestTakeback(Command, frozen=True):
    """Ask the other seats to go back to the state after commit `to`."""

    to: int


class AcceptTakeback(Command, frozen=True):
    """Agree to the take-back that is asked for."""


class DeclineTakeback(Command, frozen=True):
    """Refuse the take-back that is asked for."""


class ClaimTimeout(Command, frozen=True):
    """Say that a seat's clock has run out."""

    seat: int


class Certify(Command, frozen=True):
    """Make a finished match's result final."""


class Pause(Command, frozen=True):
    """Stop play and clocks."""


class Resume(Command, frozen=True):
    """Let play and clocks go on."""


class CallArbiter(Command, frozen=True):
    """Ask for an arbiter, who alone is told why; `about`: the version that it is about."""

    text: CallText
    about: int | None = None


class WithdrawCall(Command, frozen=True):
    """Take the call back: no arbiter is needed any more."""


class AnswerCall(Command, frozen=True):
    """An arbiter's answer to the call, for its seat alone; `ruling`: the id of one it rests on."""

    reason: Reason
    ruling: RulingId | None = None


class Forfeit(Command, frozen=True):
    """Take a seat out of the match."""

    seat: int
    reason: Reason


class Void(Command, frozen=True):
    """Declare that the match does not count; of one that nobody plays the service does: `IDLE`."""

    reason: Reason


IDLE: Final = "idle"
"""Why the service declares a match void in which nothing happens any more."""


MOST_POINTS: Final = 1 << 53
"""No score is beyond this: so far every reader of JSON holds whole numbers exactly."""

Score = (
    Annotated[int, Meta(ge=-MOST_POINTS, le=MOST_POINTS)]
    | Annotated[float, Meta(ge=float(-MOST_POINTS), le=float(MOST_POINTS))]
)


class Rank(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A row of a ranking as an arbiter gives it: place from 1, or null for none."""

    seat: int
    place: Annotated[int, Meta(ge=1)] | None
    score: Score | None = None


class Adjudicate(Command, frozen=True):
    """Set the result of a match."""

    ranking: tuple[Rank, ...]
    reason: Reason


class TakeBack(Command, frozen=True):
    """Go back to the state after commit `to`, whatever was revealed since.

    Piles that have changed are shuffled anew, so that nobody knows the next card, unless
    `keep_piles`.
    """

    to: int
    reason: Reason
    keep_piles: bool = False


class GrantTime(Command, frozen=True):
    """Give a seat more time on its clock."""

    seat: int
    seconds: Annotated[int, Meta(ge=1, le=30 * 86400)]


class ReissueToken(Command, frozen=True):
    """Make a seat's tokens so far void; the new one is handed out beside the log."""

    seat: int


class Outage(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A time in which the referee could record nothing, Unix ms."""

    from_: int = field(name="from")
    until: int


class ExcuseOutage(Command, frozen=True):
    """Charge no clock, and no window of a game, for times in which nobody could move."""

    outages: tuple[Outage, ...]
