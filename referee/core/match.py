"""What a match is made of: its setting, its seats, and all that the log says of it so far."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from referee.core.commit import FORMAT, Header, write_match_file
from referee.core.game import Standing
from referee.core.patterns import MATCH_ID, spelled
from referee.core.visibility import Public, ToSeat, meaning

Name = Annotated[str, Meta(min_length=1, max_length=100)]
Reason = Annotated[str, Meta(min_length=1, max_length=1000)]
CallText = Annotated[str, Meta(min_length=1, max_length=500)]
RulingId = Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,64}$(?!\n)")]
Hex = Annotated[str, Meta(max_length=128, pattern=r"^([0-9a-fA-F]{2})*$(?!\n)")]
Entropy = tuple[Hex, ...] | Literal["seats"]
"""What the seats add to the seed: a hex string a seat, `""` for none; or each sends its own."""
MatchId = Annotated[str, spelled(MATCH_ID)]
Seed = Annotated[str, Meta(pattern=r"^[0-9a-fA-F]{64}$(?!\n)")]
Round = Annotated[int, Meta(ge=1, le=1000)]
IdleSeconds = Annotated[int, Meta(ge=0, le=31_536_000)]
"""Seconds without a commit after which an active match is void; 0 for never."""
Calls = Annotated[int, Meta(ge=0, le=1000)]
SHORTEST_IDLE_S: Final = 60
"""Seconds without a commit after which a match may be ended at the earliest."""
CALLS: Final = 3
"""How often a seat may call an arbiter, where nothing else is said."""
Milliseconds = int
"""A time or a length of time; times count from 1970-01-01T00:00:00Z."""
Status = Literal["active", "paused", "finished", "void"]
GOES_ON: Final[tuple[Status, ...]] = ("active", "paused")


class SeatName(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat as it is asked for: the player's name."""

    name: Public[Name]


class ClockSetting(Struct, frozen=True, forbid_unknown_fields=True):
    """A clock: seconds at the start, seconds added after each own command, what a flag does."""

    base_s: Public[Annotated[int, Meta(ge=1, le=30 * 86400)]]
    increment_s: Public[Annotated[int, Meta(ge=0, le=86400)]] = 0
    on_flag: Public[Literal["forfeit", "note"]] = "forfeit"


class Setting(Struct, frozen=True):
    """What is fixed when a match is created."""

    match: str
    ruleset: str
    options: Any
    seed: bytes
    public: bool
    tournament: str | None
    round: int | None
    table: str | None
    clock: ClockSetting | None
    idle_s: int
    calls: int
    created: Milliseconds

    @property
    def game(self) -> str:
        """The id of the game that is played."""
        return self.ruleset.rpartition("/")[0]


class Seat(Struct, frozen=True, gc=False):
    """A player's place.

    `generation` counts the tokens that were issued for it, from 0; `calls` how often it has called
    an arbiter.
    """

    name: str
    withdrawn: bool = False
    generation: int = 0
    calls: int = 0


RESULT: Final = {
    "certified": False,
    "reason": "played-out",
    "ranking": [{"seat": 1, "place": 1, "score": 12}, {"seat": 0, "place": 2, "score": 9}],
    "winners": [1],
}
"""An example of a result."""


class Result(Struct, frozen=True, gc=False):
    """How a match ended."""

    certified: Annotated[
        bool, meaning("Whether an organizer has certified it; until then it may change.", False)
    ]
    reason: Annotated[
        Literal["played-out", "withdrawal", "adjudicated", "agreed", "flag"],
        meaning("Why it ended.", "played-out"),
    ]
    ranking: Annotated[
        tuple[Standing, ...],
        meaning("Rows by place, then seat, those without a place last.", RESULT["ranking"]),
    ]
    winners: Annotated[tuple[int, ...], meaning("The seats that have won.", [1])]


class Offer(Struct, frozen=True, gc=False):
    """A pending offer of a draw (`to` None) or request for a take-back to version `to`."""

    seat: int
    accepted: tuple[int, ...] = ()
    to: int | None = None


OfferKind = Literal["draw", "takeback"]


class Call(Struct, frozen=True, gc=False):
    """A call to the arbiter that stands: who calls is public, and what about is not."""

    seat: Annotated[Public[int], meaning("The seat that calls.", 1)]
    text: Annotated[
        ToSeat[str | None],
        meaning("What it says; null but for that seat and organizers.", "A die fell down.", None),
    ]
    about: Annotated[
        ToSeat[int | None],
        meaning("The version that it is about, if it says so; likewise.", 11, None),
    ]


class ClockFace(Struct, frozen=True, gc=False):
    """Time left in ms by seat, as it stood at `read_at`; `flagged` seats have run out."""

    left: tuple[int, ...]
    flagged: tuple[bool, ...]
    read_at: Milliseconds


class Match(Struct, frozen=True):
    """A match as its log tells it, up to and with commit `version`.

    `revealed` is the last version that told somebody something, or drew from chance; `left` the
    last in which a seat withdrew; `draws` is the next draw number, and `entropy`, a hex string a
    seat, what draws depend on besides the seed; `dealt` is the version that dealt, 0 before the
    deal, when `state` is as the game starts; `owed` are the seats that owe a command now,
    ascending: their entropy before the deal, none once the match is over; `spent` whose offers of
    which kind came to nothing since the last command of the game; `held` says that the organizer
    has paused the match, and not a `call`.
    """

    setting: Setting
    version: int
    head: bytes
    at: Milliseconds
    status: Status
    seats: tuple[Seat, ...]
    state: Any
    entropy: tuple[str, ...]
    draws: int
    revealed: int
    dealt: int = 0
    owed: tuple[int, ...] = ()
    left: int = 0
    seed_revealed: bool = False
    result: Result | None = None
    draw: Offer | None = None
    takeback: Offer | None = None
    spent: tuple[tuple[int, OfferKind], ...] = ()
    call: Call | None = None
    held: bool = False
    paused_at: Milliseconds | None = None
    clock: ClockFace | None = None

    @property
    def over(self) -> bool:
        """The match is finished or void."""
        return self.status not in GOES_ON

    @property
    def running(self) -> tuple[int, ...]:
        """The seats whose clocks run, ascending."""
        return self.owed if self.dealt and self.status == "active" else ()

    @property
    def still_in(self) -> tuple[int, ...]:
        """The seats that have not withdrawn, ascending."""
        return tuple(n for n, seat in enumerate(self.seats) if not seat.withdrawn)


def match_file(match: Match, commits: Sequence[bytes]) -> bytes:
    """The match file of a match and all its commits, unsigned."""
    return write_match_file(header_of(match), commits)


def header_of(match: Match) -> Header:
    """The header of the match file of a match, unsigned."""
    setting = match.setting
    names = setting.match, setting.game, setting.ruleset
    return Header(FORMAT, *names, match.head.hex(), match.version)
