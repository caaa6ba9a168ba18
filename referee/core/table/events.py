"""The table's events: what happened around the game."""

from typing import Any, Literal

from msgspec import field

from referee.core.game import Event, Standing
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


class EntropyAdded(Event, frozen=True):
    """A seat added to the chance of the match; with the last one the game is dealt."""

    seat: Public[int]
    hex: Public[str]


class DealtWithout(Event, frozen=True):
    """An arbiter has the game dealt without the entropy of these seats."""

    seats: Public[tuple[int, ...]]
    reason: Public[str]


class Withdrawn(Event, frozen=True):
    """A seat left the match; `reason` is an arbiter's, where one took it out."""

    seat: Public[int]
    why: Public[Literal["resigned", "forfeited", "flagged"]]
    reason: Public[str | None] = None


class MatchEnded(Event, frozen=True):
    """The match is over by its own rules, by withdrawal, on time or by agreement."""

    reason: Public[Literal["played-out", "withdrawal", "agreed", "flag"]]
    ranking: Public[tuple[Standing, ...]]
    winners: Public[tuple[int, ...]]


class SeedRevealed(Event, frozen=True):
    """The seed behind every outcome of chance, 64 hex digits, now that the match is over."""

    seed: Public[str]


class DrawOffered(Event, frozen=True):
    """A seat offered a draw."""

    seat: Public[int]


class DrawAccepted(Event, frozen=True):
    """A seat agreed to the draw on offer."""

    seat: Public[int]


class DrawDeclined(Event, frozen=True):
    """A seat refused the draw on offer, which is gone."""

    seat: Public[int]


class TakebackRequested(Event, frozen=True):
    """A seat asked to go back to the state after commit `to`."""

    seat: Public[int]
    to: Public[int]


class TakebackAccepted(Event, frozen=True):
    """A seat agreed to go back."""

    seat: Public[int]


class TakebackDeclined(Event, frozen=True):
    """A seat refused to go back; the request is gone."""

    seat: Public[int]


class OfferLapsed(Event, frozen=True):
    """An offer fell away because the seat that made it is to act again."""

    seat: Public[int]
    offer: Public[OfferKind]


class TakenBack(Event, frozen=True):
    """The match went back to the state after commit `to`; the log keeps everything."""

    to: Public[int]
    reason: Public[str | None] = None


class Flagged(Event, frozen=True):
    """A seat's clock ran out."""

    seat: Public[int]


class Certified(Event, frozen=True):
    """The result is final."""


class Paused(Event, frozen=True):
    """Play and clocks stopped."""


class Resumed(Event, frozen=True):
    """Play and clocks went on after a pause of that many milliseconds."""

    paused_ms: Public[int]


class ArbiterCalled(Event, frozen=True):
    """A seat called an arbiter; what about is between the two."""

    seat: Public[int]
    text: ToSeat[str]
    about: ToSeat[int | None]


class CallWithdrawn(Event, frozen=True):
    """A seat's call fell away: it took it back, or left the match."""

    seat: Public[int]


class CallAnswered(Event, frozen=True):
    """An arbiter answered a seat's call; the answer is for that seat alone."""

    seat: Public[int]
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


class TimeGranted(Event, frozen=True):
    """A seat got more time on its clock."""

    seat: Public[int]
    seconds: Public[int]


class TokenReissued(Event, frozen=True):
    """A seat's tokens of an earlier generation are void."""

    seat: Public[int]
    generation: Public[int]


class OutageExcused(Event, frozen=True):
    """No clock was charged for the time from `from` to `until`, Unix ms."""

    from_: Public[int] = field(name="from")
    until: Public[int]
