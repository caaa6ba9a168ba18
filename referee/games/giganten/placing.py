"""Before play: tiles laid, pieces set up; what is lawful, what it leads to, the form to fill."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations, product
from operator import or_
from typing import Final

from msgspec import UNSET

from referee.core.game import Asker, At, ListOf, OneOf, Slot, Steps, Template
from referee.core.randomness import Chance
from referee.core.ruling import ruling
from referee.core.seats import still_in
from referee.games.giganten import events
from referee.games.giganten.boards import by_row, named, neighbours
from referee.games.giganten.setup import (
    TURNS,
    area_of,
    far_apart,
    ground_of,
    least_on_board,
    set_of,
)
from referee.games.giganten.turns import play_begins
from referee.games.giganten.types import (
    DINOSAURS,
    KINDS,
    RESERVE,
    Cell,
    Kind,
    LaidTile,
    LayTiles,
    SetUp,
    State,
    partner_of,
    side_of,
)

_ON_LAND: Final = ("blitz", "nest")
_FAMILIES: Final = {"tyra-7": "tyra", "tyra-6": "tyra", "deino-2": "deino", "deino-1": "deino"}
"""Kinds with two numbers: as one kind they are not different."""


# ── Tiles ───────────────────────────────────────────────────────────────────────────────────────


@ruling("tile-choice")
def tiles_drawn(state: State, by: Asker, command: LayTiles) -> str | None:
    """Exactly the tiles that the seat has drawn."""
    drawn = state.tiles[by.own]
    if sorted(laid.tile for laid in command.tiles) == sorted(drawn):
        return None
    return f"Seat {by.own} has drawn {' and '.join(drawn)}, and lays these."


def tile_forms(state: State, by: Asker) -> Iterator[LayTiles]:
    """The drawn tiles in each order, each turned in each way."""
    orders = sorted(set(permutations(state.tiles[by.own])))
    for order in orders:
        for turns in product(TURNS, repeat=len(order)):
            yield LayTiles(tuple(map(LaidTile, order, turns)))


def lay_tiles(at: At[State], command: LayTiles) -> Steps[State]:
    """A seat's tiles lie; with the last ones the board shows."""
    state = yield events.TilesLaid(at.seat, command.tiles)
    return (yield from board_when_laid(state))


def board_when_laid(state: State) -> Steps[State]:
    """All tiles are turned up together, once all are laid."""
    if state.phase != "tiles" or not all(state.laid):
        return state
    per_seat = {seat: iter(tiles) for seat, tiles in enumerate(state.laid)}
    tiles = [next(per_seat[spot.seat]) for spot in state.shape.spots]
    return (yield events.BoardRevealed(state.laid, ground_of(state.options, state.shape, tiles)))


# ── Rulings on a set-up ─────────────────────────────────────────────────────────────────────────


def own_area(state: State, seat: int) -> tuple[Cell, ...]:
    """Where a seat sets up."""
    return area_of(state.options, state.shape, side_of(seat))


def _partners_cells(state: State, seat: int) -> frozenset[Cell]:
    """Where a seat's partner stands already."""
    partner = partner_of(seat, len(state.ready))
    return frozenset(piece.at for piece in state.pieces if piece.seat == partner)


@ruling("setup-area")
def in_own_area(state: State, by: Asker, command: SetUp) -> str | None:
    """In the own area, one a cell, none where the partner stands."""
    area, taken = frozenset(own_area(state, by.own)), set(_partners_cells(state, by.own))
    for piece in command.pieces:
        if piece.at not in area:
            return f"{named(piece.at)} is not in the area of seat {by.own}."
        if piece.at in taken:
            return f"Two pieces cannot stand on {named(piece.at)}."
        taken.add(piece.at)
    return None


@ruling("setup-set")
def whole_set(state: State, _by: Asker, command: SetUp) -> str | None:
    """Pieces and reserve together are the seat's set."""
    given = Counter(piece.kind for piece in command.pieces)
    given.update(command.reserve or ())
    wanted = set_of(state.options)
    for kind in KINDS:
        if given[kind] != wanted[kind]:
            return f"A set has {kind} {wanted[kind]} times, not {given[kind]} times."
    return None


@ruling("setup-land")
def on_land(state: State, _by: Asker, command: SetUp) -> str | None:
    """Nest and Blitz on land."""
    for piece in command.pieces:
        if piece.kind in _ON_LAND and state.ground(piece.at) != "L":
            return f"{named(piece.at)} is swamp, and {piece.kind} stands on land."
    return None


@ruling("setup-nest-corner")
def nest_on_no_corner(state: State, _by: Asker, command: SetUp) -> str | None:
    """The nest on no corner cell."""
    for nest in _of_kind(command, "nest"):
        if nest in state.shape.corners:
            return f"{named(nest)} is a corner cell, and no nest stands on one."
    return None


def _of_kind(command: SetUp, kind: str) -> list[Cell]:
    return [piece.at for piece in command.pieces if piece.kind == kind]


@ruling("setup-nest-distance")
def nests_far_apart(state: State, by: Asker, command: SetUp) -> str | None:
    """A team's nests lie far apart, and the first to set up leaves its partner what it needs."""
    partner = partner_of(by.own, len(state.ready))
    if partner == by.own or state.withdrawn[partner]:
        return None
    if not state.ready[partner]:
        return _leaves_too_little(state, by.own, command)
    nests = [piece.at for piece in state.pieces if piece.seat == partner and piece.kind == "nest"]
    for nest in _of_kind(command, "nest"):
        for other in nests:
            if not far_apart(nest, other):
                return f"{named(nest)} is too near to the partner's nest on {named(other)}."
    return None


def _leaves_too_little(state: State, seat: int, command: SetUp) -> str | None:
    own, nests = {piece.at for piece in command.pieces}, _of_kind(command, "nest")
    free = [cell for cell in own_area(state, seat) if cell not in own]
    land = [cell for cell in free if state.ground(cell) == "L"]
    least = least_on_board(state.options)
    if len(free) < least:
        return f"The partner needs {least} cells, and {len(free)} are left."
    if len(land) < len(_ON_LAND):
        return f"The partner needs {len(_ON_LAND)} cells of land, and {len(land)} are left."
    if any(is_fit_for_nest(state, cell, nests) for cell in land):
        return None
    return "No cell is left on which the partner's nest could stand."


def is_fit_for_nest(state: State, land: Cell, others: Iterable[Cell]) -> bool:
    """Whether a nest may stand on a cell of land, given the other nests of the side."""
    return land not in state.shape.corners and all(far_apart(land, other) for other in others)


@ruling("setup-trap")
def no_trap_beside_nest(state: State, _by: Asker, command: SetUp) -> str | None:
    """No trap beside the own nest, where that is agreed; at a corner it may be."""
    if state.options.trap_beside_nest:
        return None
    traps = _of_kind(command, "trap")
    if command.secret_trap is not UNSET:
        traps.append(command.secret_trap)
    for nest in _of_kind(command, "nest"):
        for trap in traps:
            if trap in neighbours(nest):
                return f"A trap on {named(trap)} is beside the nest."
    return None


@ruling("secret-trap")
def secret_in_own_area(state: State, by: Asker, command: SetUp) -> str | None:
    """A secret trap only where the option allows one, in the own area."""
    cell = command.secret_trap
    if cell is UNSET:
        return None
    if not state.options.secret_trap:
        return "No secret trap is played with."
    if cell not in own_area(state, by.own):
        return f"{named(cell)} is not in the area of seat {by.own}."
    return None


@ruling("reserve")
def lawful_reserve(state: State, _by: Asker, command: SetUp) -> str | None:
    """Three dinosaurs or none, as the option says: any, all different, or exactly those agreed."""
    held, allowed = command.reserve or (), state.options.reserve
    if isinstance(allowed, tuple):
        agreed = Counter(held) == Counter(allowed)
        return None if agreed else f"The reserve is {', '.join(allowed)}."
    if not held:
        return None
    if allowed == "none":
        return "No reserve is held back."
    return _unlike_a_reserve(held, different=allowed == "distinct")


def _unlike_a_reserve(held: Sequence[Kind], *, different: bool) -> str | None:
    if len(held) != RESERVE:
        return f"A reserve is {RESERVE} pieces, not {len(held)}."
    for kind in held:
        if kind not in DINOSAURS:
            return f"A reserve is of dinosaurs, and {kind} is none."
    if different and len({_FAMILIES.get(kind, kind) for kind in held}) < RESERVE:
        return "The three of a reserve are of different kinds."
    return None


SET_UP: Final = (
    in_own_area, whole_set, on_land, nest_on_no_corner, nests_far_apart, no_trap_beside_nest,
    secret_in_own_area, lawful_reserve,
)  # fmt: skip
"""The rulings on a set-up, in the page's order."""


# ── The form of a set-up ────────────────────────────────────────────────────────────────────────


def set_up_template(state: State, by: Asker) -> Template:
    """What a set-up may hold: kinds of the set, cells of the area, reserve and secret trap."""
    kinds, area = spelled_out(set_of(state.options)), own_area(state, by.own)
    taken = _partners_cells(state, by.own)
    least, most = _lengths(state)
    each = {
        "kind": OneOf(tuple(dict.fromkeys(kinds))),
        "at": OneOf(tuple(cell for cell in area if cell not in taken)),
    }
    spend = {"kind": kinds}
    fields: dict[str, Slot] = {"pieces": ListOf(each, (least, most), distinct=("at",), spend=spend)}
    if state.options.reserve != "none":
        fields["reserve"] = _reserve_slot(state)
    if state.options.secret_trap:
        fields["secret_trap"] = OneOf(area, optional=True)
    return Template("set_up", fields)


def spelled_out(kinds: Counter[Kind]) -> tuple[Kind, ...]:
    """Kinds in their order, each as often as it is there."""
    return tuple(kind for kind in KINDS for _ in range(kinds[kind]))


def _lengths(state: State) -> tuple[int, int]:
    most = set_of(state.options).total()
    least = least_on_board(state.options)
    return (least, least) if isinstance(state.options.reserve, tuple) else (least, most)


def reserve_choice(state: State) -> tuple[Kind, ...]:
    """What a reserve may be made of, each kind as often as it may be held back."""
    allowed = state.options.reserve
    if isinstance(allowed, tuple):
        return tuple(sorted(allowed, key=KINDS.index))
    if allowed == "distinct":
        return DINOSAURS
    dinosaurs = set_of(state.options)
    return tuple(kind for kind in DINOSAURS for _ in range(dinosaurs[kind]))


def _reserve_slot(state: State) -> ListOf:
    spend = reserve_choice(state)
    kinds = OneOf(tuple(dict.fromkeys(spend)))
    optional = not isinstance(state.options.reserve, tuple)
    return ListOf(kinds, (RESERVE, RESERVE), spend=spend, optional=optional)


# ── What a set-up leads to ──────────────────────────────────────────────────────────────────────


def set_up(at: At[State], command: SetUp) -> Steps[State]:
    """A seat's pieces stand; with the last set-up play begins."""
    seat, reserve = at.seat, command.reserve or ()
    pieces = sorted(command.pieces, key=lambda piece: by_row(piece.at))
    state = yield events.SetUpDone(
        seat=seat,
        hidden=at.state.options.hidden_setup,
        pieces=tuple(events.StoodPiece(seat, piece.kind, piece.at) for piece in pieces),
        reserve=reserve,
        reserve_count=len(reserve),
        secret_trap=None if command.secret_trap is UNSET else command.secret_trap,
    )
    return (yield from play_when_set_up(state, at.chance))


def play_when_set_up(state: State, chance: Chance) -> Steps[State]:
    """The first turn, once nobody's set-up is waited for."""
    if state.phase != "setup" or to_set_up(state):
        return state
    return (yield from play_begins(state, chance))


def to_set_up(state: State) -> tuple[int, ...]:
    """The seats that have still to set up."""
    return still_in(map(or_, state.ready, state.withdrawn))
