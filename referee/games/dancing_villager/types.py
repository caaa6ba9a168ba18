"""What dancing-villager is made of: options, state and commands.

Seats are 0..n-1 in clockwise order; times are Unix milliseconds.
"""

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType

from referee.core.bounds import seat_number, within
from referee.core.game import Command, GameState
from referee.core.visibility import Internal, Public, Scope, seen_if

Mode = Literal["virtual", "table"]
Phase = Literal["ready", "grab", "over"]
Pose = Literal["flat", "up", "down", "leaning", "standing"]
Thing = Literal["dog", "bonfire"]
Kind = Literal["meat", "charcoal"]
Call = Literal["tame", "assault"]

POSES: Final[tuple[Pose, ...]] = ("flat", "up", "down", "leaning", "standing")
"""The poses in the order in which a draw number is read (and in which a picture explains them)."""
MOST_DOGS: Final = 99

THINGS: Final[tuple[Thing, ...]] = ("dog", "bonfire")

_Weight = Annotated[int, within(0, 1000)]
_Seat = Annotated[int, seat_number(4)]


class PoseWeights(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """How likely each pose is in virtual play: weights 0..1000, up or standing above 0."""

    flat: _Weight
    up: _Weight
    down: _Weight
    leaning: _Weight
    standing: _Weight


class Options(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """How a match is set up.

    `villagers` None is 6, 4 or 3 a seat for two, three or four seats; `scorer` is a seat that
    may report in table mode; `max_rounds` None plays on until somebody has `target` dogs.
    """

    mode: Mode = "virtual"
    scorer: _Seat | None = None
    villagers: Annotated[int, within(1, 12)] | None = None
    charcoal: Annotated[int, within(1, 20)] = 3
    meat: Annotated[int, within(1, 20)] = 5
    dogs: Annotated[int, within(1, MOST_DOGS)] = 25
    target: Annotated[int, within(1, 24)] = 7
    first_dog_seat: _Seat = 0
    pose_weights: PoseWeights = PoseWeights(flat=46, up=30, down=16, leaning=5, standing=3)
    on_top_weight: Annotated[int, within(0, 100)] = 4
    window_ms: Annotated[int, within(1, 600_000)] = 5000
    max_rounds: Annotated[int, within(1, 1_000_000)] | None = None


class Completed(Options, frozen=True, gc=False):
    """Options with the villagers that each seat starts with."""

    villagers: int = 0


class Villager(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """How one villager came to lie: its pose, and whether it lies on another one."""

    pose: Public[Pose]
    on_top: Public[bool]


Roll = tuple[tuple[Villager, ...], ...]
"""All villagers of a roll, by seat."""


class Count(Struct, frozen=True, gc=False):
    """What a roll adds up to: `sticks` of `removes`, after doubling and not capped."""

    up: Public[int]
    down: Public[int]
    doubled: Public[bool]
    removes: Public[Kind | None]
    sticks: Public[int]


class Grab(Command, frozen=True, gc=False):
    """A hand on a thing: `seat` says whose in table mode, and is absent in virtual play."""

    what: Thing
    seat: int | UnsetType = UNSET


class Ready(Command, frozen=True, gc=False):
    """Virtual play: the own villagers are in the hand; with the last seat's the roll follows."""


class ReportRoll(Command, frozen=True, gc=False):
    """Table mode: how the real villagers of every seat came to lie, by seat."""

    villagers: Roll


class Close(Command, frozen=True, gc=False):
    """No more grabs for this roll: judge it."""


class GrabNote(Struct, frozen=True, gc=False):
    """A grab as it is noted while the window is open, in the order of the log."""

    seat: Public[int]
    what: Public[Thing]


def _window_is_shut(state: Any, _scope: Scope) -> bool:
    return bool(state.phase != "grab")


_AtTheClose = seen_if(_window_is_shut)


class State(GameState, frozen=True, gc=False, kw_only=True):
    """A match as it stands. `count` and `call` are the organizer's until the window closes.

    `out` says which seats have withdrawn: the others always have a villager between commits.
    """

    phase: Public[Phase] = "ready"
    round: Public[int] = 1
    roll: Public[int] = 0
    villagers: Public[tuple[int, ...]]
    dogs: Public[tuple[int, ...]]
    village: Public[int] = 1
    pack: Public[int]
    dog_seat: Public[int]
    charcoal: Public[int]
    meat: Public[int]
    ready: Public[tuple[bool, ...]]
    last_roll: Public[Roll | None] = None
    count: Annotated[Count | None, _AtTheClose] = None
    call: Annotated[Call | None, _AtTheClose] = None
    grabs: Public[tuple[GrabNote, ...]] = ()
    bonfire_by: Public[int | None] = None
    mistakes: Public[tuple[bool, ...]]
    window_ends: Public[int | None] = None
    out: Internal[tuple[bool, ...]]
    options: Internal[Completed]
