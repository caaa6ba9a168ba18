"""Who asks what of a match: who they are, what they may, how often, and what they send."""

import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Final, Literal

import msgspec
from msgspec import UNSET, Struct

from referee.core.game import Asker, Command
from referee.core.match import Match
from referee.core.rules import Rules
from referee.core.ruling import Refusal
from referee.core.table.commands import ReissueToken
from referee.core.visibility import ORGANIZER, SPECTATOR, Viewer, seat_viewer
from referee.service.asking.bodies import UNREADABLE, Body, check, misshapen
from referee.service.errors import (
    Forbidden,
    ServiceError,
    StaleVersion,
    TooFast,
    Unauthorized,
    UnknownMatch,
)

# ── Who asks ──────────────────────────────────────────────────────────────────────────────────────


class Bearer(Struct, frozen=True, gc=False):
    """Whom a token names: the organizer of all matches, or a seat or spectator of one.

    None stands for nobody. `generation`: of a seat's token, which lives while it is the seat's
    current one. `name`: an organizer's, where the token has one.
    """

    role: Literal["organizer", "seat", "spectator"]
    match: str | None = None
    seat: int | None = None
    generation: int = 0
    name: str | None = None

    @property
    def organizer(self) -> str:
        """An organizer as the log names one: `organizer` or `organizer:NAME`."""
        return "organizer" if self.name is None else f"organizer:{self.name}"

    def __str__(self) -> str:
        """As the log names who commands: `seat:2`, `organizer:NAME`."""
        if self.seat is not None:
            return f"seat:{self.seat}"
        return self.organizer if self.role == "organizer" else self.role


def vouched_for(match: str, bearer: Bearer | None) -> bool:
    """Whether a token says by itself that its bearer may know of a match, if there is one."""
    return bearer is not None and (bearer.role == "organizer" or bearer.match == match)


def no_match(match: str, bearer: Bearer | None) -> Unauthorized | UnknownMatch:
    """The answer where a match does not exist, or must not be known to exist."""
    if bearer is None:
        return Unauthorized("This match takes a token.")
    return UnknownMatch(match)


def organizer_only(bearer: Bearer | None) -> Bearer:
    """The bearer, who is an organizer.

    Raises:
        Unauthorized: nobody asks.
        Forbidden: somebody else does.
    """
    if bearer is None:
        raise Unauthorized("This takes an organizer's token.")
    if bearer.role != "organizer":
        raise Forbidden("Only an organizer may do this.")
    return bearer


def viewer_of(match: Match, bearer: Bearer | None) -> Viewer:
    """As whom the bearer sees a match.

    Raises:
        Unauthorized: nobody asks for a private match, or the token is dead.
        UnknownMatch: the match is private, and the token is another match's.
    """
    if bearer is not None and bearer.role == "organizer":
        return ORGANIZER
    if bearer is None or bearer.match != match.setting.match:
        if match.setting.public:
            return SPECTATOR
        raise no_match(match.setting.match, bearer)
    if bearer.role == "spectator" or bearer.seat is None:
        return SPECTATOR
    _check_alive(match, bearer, bearer.seat)
    return seat_viewer(bearer.seat)


def _check_alive(match: Match, bearer: Bearer, seat: int) -> None:
    if seat >= len(match.seats) or match.seats[seat].generation != bearer.generation:
        raise Unauthorized("This token is dead: the seat has a newer one.")


def asker_of(match: Match, bearer: Bearer | None, seat: int | None, at: int) -> Asker:
    """Who commands: a seat, or the organizer, who may act for a `seat`.

    Raises:
        Unauthorized: nobody does, or the token is dead.
        UnknownMatch: the match is private, and the token is another match's.
        Forbidden: a spectator does, or a seat for another one.
        Refusal: the organizer acts for a seat that does not exist.
    """
    if bearer is None:
        raise Unauthorized("This takes a token of a seat, or an organizer's.")
    if bearer.role == "organizer":
        return _organizer(match, bearer, seat, at)
    if bearer.match != match.setting.match and not match.setting.public:
        raise UnknownMatch(match.setting.match)
    if bearer.match != match.setting.match or bearer.role != "seat" or bearer.seat is None:
        raise Forbidden("Only a seat of this match, or an organizer, may do this.")
    _check_alive(match, bearer, bearer.seat)
    if seat is not None and seat != bearer.seat:
        raise Forbidden(f"A token of seat {bearer.seat} does not act for seat {seat}.")
    return Asker("seat", bearer.seat, at)


def _organizer(match: Match, bearer: Bearer, seat: int | None, at: int) -> Asker:
    if seat is None:
        return Asker("organizer", None, at, bearer.organizer if bearer.name else None)
    if not 0 <= seat < len(match.seats):
        last = len(match.seats) - 1
        raise Refusal("not-seated", f"There is no seat {seat}: the seats are 0 to {last}.")
    return Asker("seat", seat, at, bearer.organizer)


def may_read_log(match: Match, bearer: Bearer | None) -> None:
    """Return where the bearer may have the whole log, with all that was hidden.

    Raises what `viewer_of` raises, and:
        Unauthorized: nobody asks, and it is too early.
        Forbidden: it is too early, or a spectator asks for a private match's log.
    """
    viewer = viewer_of(match, bearer)
    if viewer.role == "organizer" or (
        match.over and (viewer.role == "seat" or match.setting.public)
    ):
        return
    if bearer is None:
        raise Unauthorized("The log takes an organizer's token until the match has finished.")
    if match.over:
        raise Forbidden("The log of a private match is for its seats and the organizer.")
    raise Forbidden("The log is the organizer's until the match has finished.")


# ── How often they may ────────────────────────────────────────────────────────────────────────────

BURST_S: Final = 3
"""A bucket holds what flows into it in so many seconds."""
_SECOND: Final = 1_000_000_000


class CommandRates:
    """Counts what seats send to this process, whatever becomes of it.

    A bucket is kept as the moment at which it will be full again, so that one that has been full
    since is the same as none. A seat's new token begins with a bucket of its own: whoever has got
    hold of the old one cannot use up the seat's.

    `rate` is how many a second, 0 for no limit; `clock` gives monotonic nanoseconds.
    """

    def __init__(self, rate: int, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._one = _SECOND // rate if rate else 0
        self._all = self._one * rate * BURST_S
        self._clock = clock
        self._full_at: OrderedDict[Bearer, int] = OrderedDict()

    @property
    def kept(self) -> int:
        """How many buckets are not known to be full."""
        return len(self._full_at)

    def take(self, match: str, bearer: Bearer | None) -> None:
        """Count a command, or a check, of a seat's; others may send as many as they like.

        Raises:
            TooFast: there have been too many.
        """
        if not self._one or bearer is None or bearer.seat is None:
            return
        now = self._clock()
        full_at = max(self._full_at.get(bearer, 0), now) + self._one
        if full_at > now + self._all:
            raise TooFast(match, (full_at - self._all - now) / _SECOND)
        self._full_at[bearer] = full_at
        self._full_at.move_to_end(bearer)
        self._forget(now)

    def _forget(self, now: int) -> None:
        """Let buckets go that are full, the least recently used first."""
        while self._full_at[oldest := next(iter(self._full_at))] <= now:
            del self._full_at[oldest]


# ── What they have seen ───────────────────────────────────────────────────────────────────────────


class Place(Struct, frozen=True, gc=False):
    """A version that somebody has seen, and how the head after it began, in hex, if known.

    As text it is the tag of a view, and the id of a stream's message: `7.1f3a9c20d4e5f607`.
    """

    version: int
    head: str = ""

    def is_at(self, version: int, head: str) -> bool:
        """Whether a log that has this head after this version is the one that was seen."""
        return version == self.version and head.startswith(self.head)

    def __str__(self) -> str:
        return f"{self.version}.{self.head[:16]}" if self.head else str(self.version)


def check_place(expected: Collection[Place] | None, match: Match) -> None:
    """Return where a match is as expected; None expects nothing.

    Raises:
        StaleVersion: it is at none of these places.
    """
    if expected is None:
        return
    version, head = match.version, match.head.hex()
    if not any(place.is_at(version, head) for place in expected):
        raise StaleVersion(match.setting.match, version)


# ── What they ask ─────────────────────────────────────────────────────────────────────────────────


class Asked(Struct, frozen=True, gc=False):
    """A command, who asks it, and its conditions.

    `key`: its idempotency key; `expected`: the places at which alone it is wanted.
    """

    by: Asker
    command: Command
    key: str | None = None
    expected: Collection[Place] | None = None


class SentCommand(Struct, gc=False):
    """A command that came from outside, for the `seat` that an organizer acts for.

    `command` is what the body holds, once it was read.
    """

    bearer: Bearer | None
    body: Body
    seat: int | None = None
    expected: Collection[Place] | None = None
    key: str | None = None
    command: Command | None = None

    def ask(self, rules: Rules, match: Match, at: int) -> Asked:
        """Who sends it, and what it is."""
        try:
            by = asker_of(match, self.bearer, self.seat, at)
        except Refusal:
            self._read(rules)  # what is refused is noted
            raise
        return Asked(by, self.command or self._read(rules), self.key, self.expected)

    def _read(self, rules: Rules) -> Command:
        self.command = read_command(rules, self.body)
        return self.command


class Reissue(Struct, frozen=True):
    """An organizer makes a seat's tokens so far void."""

    bearer: Bearer | None
    seat: int

    def ask(self, rules: Rules, match: Match, at: int) -> Asked:  # noqa: ARG002 - as all requests
        """The command that stands in the log."""
        by = asker_of(match, organizer_only(self.bearer), None, at)
        return Asked(by, ReissueToken(self.seat))


class NothingDue(ServiceError):
    """The service owes the match nothing now."""


class Overdue(Struct, frozen=True):
    """What the service itself owes a match: a flag that has fallen, a window that has closed."""

    bearer: Bearer = Bearer("organizer")

    def ask(self, rules: Rules, match: Match, at: int) -> Asked:
        """The command that is due; raises `NothingDue`."""
        command = rules.overdue(match, at)
        if command is None:
            raise NothingDue
        return Asked(Asker("service", None, at), command)


Request = SentCommand | Reissue | Overdue
"""What somebody, its `bearer`, wants of a match: `ask` says it as things stand in the match.

Raises `ServiceError`, or `Refusal`.
"""


def read_command(rules: Rules, body: Body) -> Command:
    """The command in a body.

    Raises:
        BadRequest: it is not JSON (or MessagePack), or a key stands twice in an object.
        Misshapen: it is not one of the commands.
    """
    try:
        command = rules.read_command(body.data, msgpack=body.msgpack)
    except UNREADABLE as fault:
        raise misshapen(body, rules.sent, fault) from None
    if body.msgpack or not _plainly_once(body.data, command):
        check(body)
    return command


def _plainly_once(data: bytes, command: Command) -> bool:
    r"""Whether it is plain that no key stands twice: the usual case, without reading again.

    A flat object without escapes has exactly as many quotation marks as what it was read to, if
    nothing is written there that was not sent: a doubled key would bring more.
    """
    return (
        all(default is UNSET for default in command.__struct_defaults__)
        and data.count(b"{") == 1
        and b"\\" not in data
        and data.count(b'"') == msgspec.json.encode(command).count(b'"')
    )
