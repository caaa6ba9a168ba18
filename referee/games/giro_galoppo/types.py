"""giro-galoppo in types: its options, its state and its commands."""

from typing import Annotated, Final, Literal

from msgspec import UNSET, Struct, UnsetType

from referee.core.bounds import every_seat_once, so_many, within
from referee.core.game import Command, GameState
from referee.core.visibility import Internal, OwnEntry, Public

RACING_CARDS: Final = (1, 2, 3, 4, 5, 6)
"""A full hand: every seat has one racing card of each number."""

OBSTACLES: Final = 5
"""How many obstacles are placed before the race."""

GATE: Final = 0
"""The space number of the starting gate, which holds any number of horses."""

Ties = Literal["all-move", "rearmost-only"]


class NaturalObstacles(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Where the course has its two river spaces and its one moor space, by space number.

    Both have to be there: one left out (empty here) is a fault of the whole.
    """

    river: Annotated[tuple[int, ...], so_many(2)] | UnsetType = UNSET
    moor: Annotated[tuple[int, ...], so_many(1)] | UnsetType = UNSET

    def of(self, kind: Literal["river", "moor"]) -> tuple[int, ...]:
        """The spaces of one kind, none for a kind left out."""
        return getattr(self, kind) or ()


class Options(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What an organizer may set.

    `ties`: what equal cards do; `length`: spaces from the gate to the line;
    `natural_obstacles`: within 1..length-4; `age_order`: seats from youngest to oldest, None for
    the order in which they sit.
    """

    ties: Ties = "all-move"
    length: Annotated[int, within(20, 80)] = 40
    natural_obstacles: NaturalObstacles = NaturalObstacles(river=(11, 24), moor=(33,))
    age_order: Annotated[tuple[int, ...], every_seat_once()] | None = None


class Completed(Options, frozen=True, gc=False):
    """Options with the order of age filled in."""

    age_order: tuple[int, ...] = ()


class Course(Struct, frozen=True, gc=False):
    """The race course: spaces 1..length and what stands on them for the whole match.

    `river` and `moor` as the options give them, `obstacles` in the order placed.
    """

    length: Public[int]
    river: Public[tuple[int, ...]]
    moor: Public[tuple[int, ...]]
    obstacles: Public[tuple[int, ...]] = ()

    def blocks(self, space: int) -> bool:
        """Whether a river, the moor or an obstacle is on `space`: no horse may end there."""
        return space in self.obstacles or space in self.river or space in self.moor


class State(GameState, frozen=True, gc=False, kw_only=True):
    """A match between two events. Lists are by seat.

    `placing`: the seat to place, None once five stand. `round`: 0 while they are placed.
    `spaces`: 0 the gate, length+1 and on behind the line, None withdrawn. `chosen`: the card
    laid face down, which stays in the hand until it is shown. `moves_left`: horses that have
    yet to move (or be held) in the round being played.
    """

    phase: Public[Literal["obstacles", "race", "over"]] = "obstacles"
    course: Public[Course]
    placing: Public[int | None]
    round: Public[int] = 0
    spaces: Public[tuple[int | None, ...]]
    hands: OwnEntry[tuple[tuple[int, ...], ...]]
    hand_counts: Public[tuple[int, ...]]
    chosen: OwnEntry[tuple[int | None, ...]]
    has_chosen: Public[tuple[bool, ...]]
    options: Internal[Completed]
    moves_left: Internal[int] = 0

    @property
    def withdrawn(self) -> tuple[bool, ...]:
        """By seat, whether it has left the race."""
        return tuple(space is None for space in self.spaces)

    def space_of(self, seat: int) -> int:
        """The space of the horse of a seat that is still in the race."""
        space = self.spaces[seat]
        return GATE if space is None else space

    @property
    def is_won(self) -> bool:
        """A horse stands behind the finishing line."""
        return max(filter(None, self.spaces), default=GATE) > self.course.length


class PlaceObstacle(Command, frozen=True, gc=False):
    """Put one of the five obstacles on a space of the course."""

    space: int


class ChooseCard(Command, frozen=True, gc=False):
    """Lay one racing card of the own hand face down."""

    card: int
