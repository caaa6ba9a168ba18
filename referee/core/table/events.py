"""The table's events: what happened around the game."""

from typing import Any, Literal

from msgspec import field

from referee.core.game import Event, SeatEvent, Standing
from referee.core.match import ClockSetting, Entropy, OfferKind, SeatName
from referee.core.visibility import Public, Secret, ToSeat


class MatchCreated(Event, frozen=True):
    """A match was created; the seed is committed to, and known to the organizer alone."""

    match: Public[str]
    game: Public[str]
    ruleset: Public[str]
    seats: Public[tuple[SeatName, ...]]
    options: Public[Any]
    tournament: Public[str | None]
    round: Public[int | None]
    table: Public[str | None]
    public: Public[bool]
    clock: Public[ClockSetting | None]
    idle_s: Public[int]
    calls: Public[int]
    entropy: Public[Entropy]
    seed_commitment: Public[str]
    seed: Secret[str]


class EntropyAdded(SeatEvent, frozen=True):
    """A seat added to the chance of the match; with the last one the game is dealt."""

    hex: Public[str]


class DealtWithout(Event, frozen=True):
    """An arbiter has the game dealt without the entropy of these seats."""

    seats: Public[tuple[int, ...]]
    reason: Public[str]


class Withdrawn(SeatEvent, frozen=True):
    """A seat left the match; `reason` is an arbiter's, where one took it out."""

    why: Public[Literal["resigned", "forfeited", "flagged"]]
    reason: Public[str | None] = None


Ending = Literal["played-out", "withdrawal", "agreed", "flag"]


class MatchEnded(Event, frozen=True):
    """The match is over by its own rules, by withdrawal, on time or by agreement."""

    reason: Public[Ending]
    ranking: Public[tuple[Standing, ...]]
    winners: Public[tuple[int, ...]]


class SeedRevealed(Event, frozen=True):
    """The seed behind every outcome of chance, 64 hex digits, now that the match is over."""

    seed: Public[str]


class DrawOffered(SeatEvent, frozen=True):
    """A seat offered a draw."""


class DrawAccepted(SeatEvent, frozen=True):
    """A seat agreed to the draw on offer."""


class DrawDeclined(SeatEvent, frozen=True):
    """A seat refused the draw on offer, which is gone."""


class TakebackRequested(SeatEvent, frozen=True):
    """A seat asked to go back to the state after commit `to`."""

    to: Public[int]


class TakebackAccepted(SeatEvent, frozen=True):
    """A seat agreed to go back."""


class TakebackDeclined(SeatEvent, frozen=True):
    """A seat refused to go back; the request is gone."""


class OfferLapsed(SeatEvent, frozen=True):
    """An offer fell away because the seat that made it is to act again."""

    offer: Public[OfferKind]


class TakenBack(Event, frozen=True):
    """The match went back to the state after commit `to`; the log keeps everything."""

    to: Public[int]
    reason: Public[str | None] = None


class Flagged(SeatEvent, frozen=True):
    """A seat's clock ran out."""


class Certified(Event, frozen=True):
    """The result is final."""


class Paused(Event, frozen=True):
    """Play and clocks stopped."""


class Resumed(Event, frozen=True):
    """Play and clocks went on after a pause of that many milliseconds."""

    paused_ms: Public[int]


class ArbiterCalled(SeatEvent, frozen=True):
    """A seat called an arbiter; what about is between the two."""

    text: ToSeat[str]
    about: ToSeat[int | None]


class CallWithdrawn(SeatEvent, frozen=True):
    """A seat's call fell away: it took it back, or left the match."""


class CallAnswered(SeatEvent, frozen=True):
    """An arbiter answered a seat's call; the answer is for that seat alone."""

    reason: ToSeat[str]
    ruling: ToSeat[str | None]


class Voided(Event, frozen=True):
    """The match does not count."""

    reason: Public[str]


class Adjudicated(Event, frozen=True):
    """An arbiter set the result."""

    reason: Public[str]
    ranking: Public[tuple[Standing, ...]]
    winners: Public[tuple[int, ...]]


class TimeGranted(SeatEvent, frozen=True):
    """A seat got more time on its clock."""

    seconds: Public[int]


class TokenReissued(SeatEvent, frozen=True):
    """A seat's tokens of an earlier generation are void."""

    generation: Public[int]


class OutageExcused(Event, frozen=True):
    """No clock was charged for the time from `from` to `until`, Unix ms."""

    from_: Public[int] = field(name="from")
    until: Public[int]
