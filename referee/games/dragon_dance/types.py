"""dragon-dance in types: its options, its state and its commands.

A box is at `x` (to the right) and `y` (down), any whole numbers; a card stands at the box of its
upper left corner.
"""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from referee.core.bounds import seat_number, within
from referee.core.game import Command, GameState
from referee.core.seats import next_in
from referee.core.visibility import Internal, OwnEntry, Public, Scope, Secret, seen_if
from referee.games.dragon_dance.tops import EMPTY, Tops

Phase: TypeAlias = Literal["lay", "drawn", "respond", "finish", "over"]
Hand: TypeAlias = tuple[str, ...]
CardName: TypeAlias = Annotated[str, Meta(max_length=4)]
Coordinate: TypeAlias = Annotated[int, Meta(ge=-100, le=100)]


def _drawing_seat(state: Any, scope: Scope) -> bool:
    return scope.viewer.seat is not None and bool(scope.viewer.seat == state.turn)


class Options(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What an organizer may choose.

    `starter`: the seat that starts round 1. `hand`: cards dealt, 3 to 9. `need`: points
    that a seat must have before it may go out, 0 to 40. `to_win`: rounds to win by a dragon,
    1 or 2. `max_rounds`: 1 to 100. `turning`: whether a card may be laid upside down.
    `faces`: four letters of RYGB a card that is printed differently.
    """

    starter: Annotated[int, seat_number(5)] = 0
    hand: Annotated[int, within(3, 9)] = 7
    need: Annotated[int, within(0, 40)] = 15
    to_win: Annotated[int, within(1, 2)] = 2
    max_rounds: Annotated[int, within(1, 100)] = 12
    turning: Literal["half", "none"] = "half"
    faces: dict[str, str] | None = None


class Placed(Struct, frozen=True, gc=False):
    """A card on the field; `seat` laid it, None for the card turned up at the start."""

    card: Public[str]
    x: Public[int]
    y: Public[int]
    turned: Public[bool]
    seat: Public[int | None]

    @property
    def row_of_end(self) -> int:
        """The y of the two boxes of a head's own end: the upper row, turned the lower."""
        return self.y + self.turned


class State(GameState, frozen=True, gc=False, kw_only=True):
    """A match as it stands.

    `hands` in the order received, a drawn card last; `pile`: the next card first; `field`
    in laying order; `turn` stays with the seat that goes out while the others answer;
    `asked`: who has still to answer it.
    """

    phase: Public[Phase] = "lay"
    round: Public[int] = 0
    turn: Public[int | None]
    hands: OwnEntry[tuple[Hand, ...]]
    hand_counts: Public[tuple[int, ...]]
    pile: Secret[Hand] = ()
    pile_count: Public[int] = 0
    field: Public[tuple[Placed, ...]] = ()
    points: Public[tuple[int, ...]]
    rounds_won: Public[tuple[int, ...]]
    total_points: Public[tuple[int, ...]]
    point_honours: Public[tuple[int, ...]]
    drawn: Annotated[str | None, seen_if(_drawing_seat)] = None
    going_out: Public[int | None] = None
    asked: Public[tuple[int, ...]] = ()
    passes: Public[int] = 0
    # Who may still lay a card in the finish, who is out by seat, what the field shows from above.
    to_finish: Internal[tuple[int, ...]] = ()
    withdrawn: Internal[tuple[bool, ...]]
    tops: Internal[Tops] = EMPTY
    options: Internal[Options]

    @property
    def out(self) -> int:
        """The seat that goes out.

        Raises:
            LookupError: none does.
        """
        if self.going_out is None:
            raise LookupError("nobody goes out")
        return self.going_out

    @property
    def head(self) -> Placed:
        """The head with which a seat goes out: the last card that it laid."""
        return next(placed for placed in reversed(self.field) if placed.seat == self.going_out)

    def starter(self, number: int) -> int:
        """Ruling `next-starter`: the seat that starts round `number`, counted from 1."""
        return next_in(self.withdrawn, self.options.starter + number - 2)


class _Placing(Command, frozen=True, gc=False):
    """A card of one's hand goes on the field, its upper left box at `x`, `y`."""

    card: CardName
    x: Coordinate
    y: Coordinate
    turned: bool


class Lay(_Placing, frozen=True, gc=False):
    """Lay a card of one's hand on the field, its upper left box at `x`, `y`."""


class Draw(Command, frozen=True, gc=False):
    """Draw a card from the pile, where none in hand can be laid."""


class Keep(Command, frozen=True, gc=False):
    """Keep the drawn card: the turn ends."""


class Block(_Placing, frozen=True, gc=False):
    """Lay an egg on the head of the seat that goes out."""


class LetStand(Command, frozen=True, gc=False):
    """Lay no egg on the head of the seat that goes out."""


class Decline(Command, frozen=True, gc=False):
    """Lay no card when the others finish the round."""
