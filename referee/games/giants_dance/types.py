"""giants-dance in types: its options, its state and its commands.

Fields of the trail are numbered 0 (the Market Square at the start) to 20 (the Market Square at
the end). Everything "by seat" is a tuple with one entry a seat.
"""

from typing import Annotated, Any, Final, Generic, Literal, Protocol, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from referee.core.bounds import every_seat_once, so_many, within
from referee.core.game import Command, GameState
from referee.core.visibility import (
    Internal,
    OwnEntry,
    Public,
    Scope,
    SecretEntries,
    entries_seen_if,
    is_own,
    seen_if,
)

P = TypeVar("P", bound=str)
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Category = Literal["rotate", "parade"]
Kind = Literal[Category, "distract"]
Square = Literal["church", "sluice", "justice", "heroes", "flax"]
Ground = Literal["street", Square]
Place = Literal[Square, "market"]
DancePlace = Literal[Ground, "market"]
Face = Literal["down", "up"]

CATEGORIES: Final[tuple[Category, ...]] = ("rotate", "parade")
KINDS: Final[tuple[Kind, ...]] = (*CATEGORIES, "distract")
SQUARES: Final[tuple[Square, ...]] = ("church", "sluice", "justice", "heroes", "flax")
STREETS: Final = 14
HOME: Final = 20
"""The last field: the Market Square at the end of the trail."""
HAND: Final = 3
"""Movement cards in a hand, and dance cards: three of each."""
MOVEMENT_CARDS: Final = 10
DANCE_CARDS: Final = 6
"""Dance cards of one category."""
LONGEST_MOVE: Final = 6
HIGHEST_VALUE: Final = 9
"""The most that a dance card or a dance token may be worth."""

PLACE_NAMES: Final[dict[str, str]] = {
    "street": "the street",
    "church": "Church Square",
    "sluice": "the Sluice",
    "justice": "the Square of Justice",
    "heroes": "Heroes Square",
    "flax": "the Flaxmarket",
    "market": "the Market Square",
}
"""What people call the places, as it stands within a sentence."""

DEFAULT_TRAIL: Final[tuple[Ground, ...]] = (
    *("street", "street", "street", "church"),
    *("street", "street", "street", "sluice"),
    *("street", "street", "justice"),
    *("street", "street", "heroes"),
    *("street", "street", "flax"),
    *("street", "street"),
)


class _Both(Protocol[T_co]):
    @property
    def rotate(self) -> T_co: ...
    @property
    def parade(self) -> T_co: ...


def of(both: _Both[T], kind: Category) -> T:
    """The part for one category of what has one for each, under the category's name."""
    return both.rotate if kind == "rotate" else both.parade


# ── Options ───────────────────────────────────────────────────────────────────────────────────────

DanceValues = Annotated[tuple[Annotated[int, within(1, HIGHEST_VALUE)], ...], so_many(DANCE_CARDS)]
MoveValues = Annotated[tuple[Annotated[int, within(1, LONGEST_MOVE)], ...], so_many(MOVEMENT_CARDS)]


class DanceDeck(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Each giant's twelve dance cards: the values of either category."""

    rotate: DanceValues
    parade: DanceValues


class Options(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What an organizer may choose.

    `trail`: the ground of fields 1..19, each square once, or "shuffled"; `movement_deck`: values
    with a sum of at least 20; `challenge`: whether challenge tokens are placed; `height_order`:
    the seats from smallest to biggest, None for the order in which they sit.
    """

    trail: Annotated[tuple[Ground, ...], so_many(HOME - 1)] | Literal["shuffled"] = DEFAULT_TRAIL
    movement_deck: MoveValues = (1, 1, 2, 2, 2, 3, 3, 3, 4, 4)
    dance_deck: DanceDeck = DanceDeck(rotate=(1, 2, 3, 4, 5, 6), parade=(1, 2, 3, 4, 5, 6))
    token_value: Annotated[int, within(1, HIGHEST_VALUE)] = 2
    challenge: bool = True
    height_order: Annotated[tuple[int, ...], every_seat_once()] | None = None


class Completed(Options, frozen=True, gc=False):
    """Options with the order of height filled in."""

    height_order: tuple[int, ...] = ()


# ── State ─────────────────────────────────────────────────────────────────────────────────────────


def _is_up(holder: Any, _scope: Scope) -> bool:
    return bool(holder.face == "up")


def _is_own_or_up(holder: Any, scope: Scope) -> bool:
    return is_own(holder, scope) or _is_up(holder, scope)


def _is_own_or_over(_holder: Any, scope: Scope, seat: int) -> bool:
    return scope.viewer.seat == seat or bool(scope.state.phase == "over")


class ByPlace(Struct, Generic[P, T], frozen=True, gc=False):
    """What lies at each place, in a field of the place's name."""

    def at(self, place: P) -> T:
        """What lies at one place."""
        there: T = getattr(self, place)
        return there

    def put(self, place: P, there: T) -> Self:
        """The same with something else at one place."""
        return replace(self, **{place: there})


class DanceCard(Struct, frozen=True, gc=False):
    """One dance card: its category and its value."""

    kind: Public[Category]
    value: Public[int]


class Movement(Struct, frozen=True, gc=False):
    """The movement cards by seat: hands in the order drawn, piles with the next card first."""

    hands: OwnEntry[tuple[tuple[int, ...], ...]]
    hand_counts: Public[tuple[int, ...]]
    piles: SecretEntries[tuple[tuple[int, ...], ...]]
    pile_counts: Public[tuple[int, ...]]
    played: Public[tuple[tuple[int, ...], ...]]


class DanceCards(Struct, frozen=True, gc=False):
    """The dance cards by seat: hands in the order drawn, piles with the next card first."""

    hands: OwnEntry[tuple[tuple[DanceCard, ...], ...]]
    hand_counts: Public[tuple[int, ...]]
    piles: SecretEntries[tuple[tuple[DanceCard, ...], ...]]
    pile_counts: Public[tuple[int, ...]]


class Tokens(Struct, frozen=True, gc=False):
    """How many dance tokens of either category a giant has in stock."""

    rotate: Public[int]
    parade: Public[int]


class Stock(Struct, frozen=True, gc=False):
    """The dance tokens taken and not yet laid, by seat."""

    tokens: OwnEntry[tuple[Tokens, ...]]
    counts: Public[tuple[int, ...]]


class StreetToken(Struct, frozen=True, gc=False):
    """A dance token lying on a street: nobody knows whose and which until it is turned up."""

    field: Public[int]
    face: Public[Face]
    owner: Annotated[int, seen_if(_is_up)]
    kind: Annotated[Category, seen_if(_is_up)]


class Bid(Struct, frozen=True, gc=False):
    """A dance of one category on a square: card values ascending, how many tokens, their sum.

    `overbid`: it was higher than every sum before it; the first always is.
    """

    seat: Public[int]
    sum: Public[int]
    overbid: Public[bool]
    values: Public[tuple[int, ...]]
    tokens: Public[int]


class PlaceBids(Struct, frozen=True, gc=False):
    """The dances at one place, in the order laid."""

    rotate: Public[tuple[Bid, ...]] = ()
    parade: Public[tuple[Bid, ...]] = ()


class Bids(ByPlace[Place, PlaceBids], frozen=True, gc=False):
    """The dances at the six places; they stay listed after scoring."""

    church: Public[PlaceBids] = PlaceBids()
    sluice: Public[PlaceBids] = PlaceBids()
    justice: Public[PlaceBids] = PlaceBids()
    heroes: Public[PlaceBids] = PlaceBids()
    flax: Public[PlaceBids] = PlaceBids()
    market: Public[PlaceBids] = PlaceBids()


class StreetDance(Struct, frozen=True, gc=False):
    """What was laid on the street over the whole game, one sum a seat (0: nothing), and who did."""

    sums: Annotated[tuple[int, ...], entries_seen_if(_is_own_or_over)]
    danced: Public[tuple[bool, ...]]


class ChallengeToken(Struct, frozen=True, gc=False):
    """A challenge token on a square; its kind is its owner's until a success turns it up."""

    seat: Public[int]
    kind: Annotated[Kind, seen_if(_is_own_or_up)]
    face: Public[Face]


class ChallengeTokens(ByPlace[Square, tuple[ChallengeToken, ...]], frozen=True, gc=False):
    """The challenge tokens on the five squares, in the order laid."""

    church: Public[tuple[ChallengeToken, ...]] = ()
    sluice: Public[tuple[ChallengeToken, ...]] = ()
    justice: Public[tuple[ChallengeToken, ...]] = ()
    heroes: Public[tuple[ChallengeToken, ...]] = ()
    flax: Public[tuple[ChallengeToken, ...]] = ()


class State(GameState, frozen=True, gc=False, kw_only=True):
    """Everything about a match; the page's keys in the page's order, then bookkeeping.

    `turn`: from 1, counting moves; `dancing`: the seat that moved and owes a dance;
    `fields`: 0..20 by seat, None for a withdrawn one; `order`: the seats on the trail
    from last position to first, without those home on field 20.
    """

    phase: Public[Literal["challenge", "move", "dance", "over"]]
    turn: Public[int] = 1
    dancing: Public[int | None] = None
    token_value: Public[int]
    trail: Public[tuple[Ground, ...]] = ()
    fields: Public[tuple[int | None, ...]]
    order: Public[tuple[int, ...]]
    movement: Public[Movement]
    dance: Public[DanceCards]
    stock: Public[Stock]
    street_tokens: Public[tuple[StreetToken, ...]] = ()
    bids: Public[Bids] = Bids()
    street_dance: Public[StreetDance]
    challenge_tokens: Public[ChallengeTokens] = ChallengeTokens()
    scored: Public[tuple[Place, ...]] = ()
    points: Public[tuple[int, ...]]
    double_dances: Public[tuple[int, ...]]
    challenges_won: Public[tuple[int, ...]]
    market_wins: Public[tuple[int, ...]]
    street_wins: Public[tuple[int, ...]]
    options: Internal[Completed]

    @property
    def withdrawn(self) -> tuple[bool, ...]:
        """By seat, whether it has left the game."""
        return tuple(field is None for field in self.fields)

    def field_of(self, seat: int) -> int:
        """The field of a seat that is still in."""
        return self.fields[seat] or 0

    def placed_by(self, seat: int) -> list[tuple[Square, Kind]]:
        """The challenge tokens that a seat has laid, in the order of squares."""
        return [
            (square, token.kind)
            for square in SQUARES
            for token in self.challenge_tokens.at(square)
            if token.seat == seat
        ]

    def next_to_place(self) -> int | None:
        """The seat that places a challenge token now: the fewest laid, then the biggest; or None.

        On the Market Square `order` is from biggest to smallest, withdrawn seats left out.
        """
        squares = map(self.challenge_tokens.at, SQUARES)
        laid = [token.seat for square in squares for token in square]
        seat = min(self.order, key=laid.count)
        return seat if laid.count(seat) < len(KINDS) else None

    def place_of(self, seat: int) -> DancePlace:
        """What the giant of a seat that is still in stands on."""
        field = self.fields[seat] or 0
        return self.trail[field - 1] if 0 < field < HOME else "market"


# ── Commands ──────────────────────────────────────────────────────────────────────────────────────


class PlaceChallenge(Command, frozen=True):
    """Lay one of the three challenge tokens face down at a square."""

    square: Place
    kind: Kind


class Move(Command, frozen=True):
    """Play a movement card: its value."""

    card: int


class Dance(Command, frozen=True):
    """Dance with card values and tokens of either category; with nothing at all: do not dance."""

    rotate: tuple[int, ...]
    parade: tuple[int, ...]
    rotate_tokens: int
    parade_tokens: int

    def sum_of(self, kind: Category, token_value: int) -> int:
        """What cards and tokens of one category make together."""
        if kind == "rotate":
            return sum(self.rotate) + self.rotate_tokens * token_value
        return sum(self.parade) + self.parade_tokens * token_value
