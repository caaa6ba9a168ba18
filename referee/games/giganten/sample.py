"""Random play for trials: lawful set-ups, and moves that go where something happens.

Play at random among all lawful moves is long, and two sides that have lost every piece that takes
a nest could go on for ever. So a trial's seats know what no player does: where the nests are.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Final

from msgspec import UNSET

from referee.core.game import Asker, Command
from referee.core.randomness import Chance
from referee.core.ruling import Clause, first_broken
from referee.games.giganten.fights import CHALLENGERS, fought
from referee.games.giganten.forms import (
    bring_in_forms,
    double_forms,
    forms_of_piece,
    own_pieces,
    return_forms,
)
from referee.games.giganten.moving import BRING_IN, DOUBLE_MOVE, MOVE, RETURN
from referee.games.giganten.placing import is_fit_for_nest, own_area, reserve_choice, spelled_out
from referee.games.giganten.setup import SIEGE, set_of
from referee.games.giganten.types import (
    RESERVE,
    Cell,
    EndTurn,
    Kind,
    Move,
    Piece,
    PlacedPiece,
    SetUp,
    State,
    partner_of,
    side_of,
)

_NEAREST: Final = 2
_OTHERS: Final = 5
"""So many pieces are looked at: those nearest to an enemy, and others."""

_FEW: Final = 3
"""So many of a side that take nests are few."""

_HUNT: Final = 20
"""After so many moves of a seat it goes for the nests."""


def sample(state: State, by: Asker, pick: Chance) -> Command | None:
    """A set-up; in play often a challenge, a step towards a nest, or a piece of the reserve."""
    if by.seat is not None and state.phase == "setup" and not state.ready[by.seat]:
        return _some_set_up(state, by.own, pick)
    if by.seat is None or state.phase != "play":
        return None
    if few_take_nests(state):
        return _some_move(state, by, pick)
    if pick.below(8) == 0:
        return None
    return _something_beside(state, by, pick) or _some_move(state, by, pick)


def _something_beside(state: State, by: Asker, pick: Chance) -> Command | None:
    """Now and then what is no plain move: from the reserve, back onto the board, a double move."""
    if state.brought_in and pick.below(3) == 0:
        return EndTurn()
    if state.reserve[by.own] and pick.below(2):
        return _some_form(state, by, pick, BRING_IN, bring_in_forms(state, by))
    if state.may_double and pick.below(6) == 0:
        return _some_form(state, by, pick, DOUBLE_MOVE, double_forms(state, by))
    if state.out[by.own] and pick.below(3) == 0:
        return _some_form(state, by, pick, RETURN, return_forms(state, by))
    return None


def _some_form(
    state: State, by: Asker, pick: Chance, clauses: tuple[Clause, ...], forms: Iterable[Command]
) -> Command | None:
    """One of some forms, if it is lawful."""
    choice = tuple(forms)
    form = pick.one_of(choice) if choice else None
    return None if form is None or first_broken(clauses, state, by, form) else form


# ── Moves ───────────────────────────────────────────────────────────────────────────────────────


def _some_move(state: State, by: Asker, pick: Chance) -> Command | None:
    """The most promising of some pieces' lawful moves."""
    goals = _goals(state, by.own)
    pieces = pick.shuffle(own_pieces(state, by.own))
    takers = sorted(filter(_takes_nests, pieces), key=lambda piece: _distance(piece.at, goals))
    others = pieces if is_siege(state) else pieces[:_OTHERS]
    near = {piece.id: piece for piece in (*takers[:_NEAREST], *others)}
    moves = [
        move
        for piece in near.values()
        for move in forms_of_piece(state, piece)
        if first_broken(MOVE, state, by, move) is None
    ]
    hope = _hope_in_siege if is_siege(state) else _hope_of_few if few_take_nests(state) else _hope
    hopes = [hope(state, move, goals, pick) for move in moves]
    return max(zip(hopes, moves, strict=True), key=itemgetter(0))[1] if moves else None


def _goals(state: State, seat: int) -> list[Cell]:
    """Where the way leads: to some enemies, and when play has lasted to their nests."""
    enemies = [piece for piece in state.pieces if side_of(piece.seat) != side_of(seat)]
    if is_siege(state) or not (state.moves_made[seat] >= _HUNT or few_take_nests(state)):
        return [piece.at for piece in enemies[:: 1 + len(enemies) // _OTHERS]]
    return [piece.at for piece in enemies if piece.kind == "nest"]


def _takes_nests(piece: Piece) -> bool:
    return piece.kind in CHALLENGERS and piece.kind != "culak"


def _distance(cell: Cell, goals: Iterable[Cell]) -> int:
    return min((abs(cell[0] - x) + abs(cell[1] - y) for x, y in goals), default=0)


def _hope(state: State, move: Move, goals: Sequence[Cell], pick: Chance) -> tuple[int, int]:
    """What to order moves by: chance, a challenge, how near it comes, a nest that is hunted."""
    chance = pick.below(8)
    against = None if move.challenge is UNSET else state.occupant(move.challenge)
    if against is None:
        return chance // 3, chance - _distance(move.to, goals)
    if against.kind != "nest":
        return 1 + chance // 3, chance
    is_hunted = state.moves_made[against.seat] >= _HUNT
    return (4 if is_hunted else chance // 7), chance


def few_take_nests(state: State) -> bool:
    """Whether a side is about to lose the last that take nests: two such could play for ever."""
    if is_siege(state):
        return False
    takers = Counter(side_of(piece.seat) for piece in state.pieces if _takes_nests(piece))
    return min(takers[0], takers[1]) <= _FEW


def _hope_of_few(state: State, move: Move, goals: Sequence[Cell], pick: Chance) -> tuple[int, int]:
    """What to order moves by: a nest, the way to one, hardly ever another fight; and no trap."""
    enemy = 1 - side_of(state.to_move)
    notes = [cell for seat, cell in enumerate(state.secret_trap) if side_of(seat) == enemy]
    against = None if move.challenge is UNSET else state.occupant(move.challenge)
    chance = pick.below(8)
    if move.to in notes:
        return -1, chance
    if against is None:
        return 1, chance // 2 - _distance(move.to, goals)
    if against.kind == "nest":
        return 2, chance
    return (2 if pick.below(256) == 0 else -1), chance


# ── Sieges ──────────────────────────────────────────────────────────────────────────────────────
#
# A side that has nothing to move is rare, for Blitz is never beaten. In a siege Blitz is walled in
# at its corner and nests are spared; the south seeks fights that it wins, the north those that it
# loses.


def is_siege(state: State) -> bool:
    """Whether a trial is to end by a side having nothing left that moves."""
    return state.options.no_progress_limit == SIEGE


def _hope_in_siege(
    state: State, move: Move, goals: Sequence[Cell], pick: Chance
) -> tuple[int, int]:
    """What to order moves by: a fight that ends as it should, then how much nearer it comes."""
    by, chance = state.the_piece(move.piece), pick.below(8)
    against = None if move.challenge is UNSET else state.occupant(move.challenge)
    if against is None:
        return 0, chance + 4 * (_distance(by.at, goals) - _distance(move.to, goals))
    wanted = "defender" if side_of(by.seat) else "challenger"
    outcome = fought(by.kind, against.kind, state.ground(against.at))
    return (1 if outcome == wanted and against.kind != "nest" else -1), chance


def _walled_in(state: State, seat: int, land: Sequence[Cell]) -> tuple[Cell, Cell] | None:
    """In a siege cells for nest and Blitz: side by side at the outer end of the first row."""
    row = state.shape.first_rows[side_of(seat)]
    corner, beside = row[:2] if seat in (0, 1) else row[:-3:-1]
    return (beside, corner) if is_siege(state) and {corner, beside} <= set(land) else None


# ── Set-ups ─────────────────────────────────────────────────────────────────────────────────────


def _some_set_up(state: State, seat: int, pick: Chance) -> SetUp:
    """A set-up that leaves the partner, where it is still to come, all that it needs."""
    partner = partner_of(seat, len(state.ready))
    taken = [piece for piece in state.pieces if piece.seat == partner]
    others = [piece.at for piece in taken if piece.kind == "nest"]
    cells = _free(state, seat, taken, pick)
    land = [cell for cell in cells if state.ground(cell) == "L"]
    wanted, corner = _walled_in(state, seat, land) or (None, None)
    is_first = partner != seat and not (state.ready[partner] or state.withdrawn[partner])
    nest = next(
        cell
        for cell in ([wanted] if wanted else land)
        if is_fit_for_nest(state, cell, others)
        and not (is_first and not _for_partner(state, land, cell, corner))
    )
    kept = _for_partner(state, land, nest, corner) if is_first else ()
    blitz = corner or next(cell for cell in land if cell != nest and cell not in kept)
    return _filled_in(state, nest, blitz, [c for c in cells if c not in (nest, blitz, *kept)], pick)


def _free(state: State, seat: int, taken: list[Piece], pick: Chance) -> tuple[Cell, ...]:
    """The free cells of a seat's area, in drawn order."""
    occupied = {piece.at for piece in taken}
    return pick.shuffle([cell for cell in own_area(state, seat) if cell not in occupied])


def _for_partner(
    state: State, land: list[Cell], nest: Cell, taken: Cell | None
) -> tuple[Cell, ...]:
    """Two cells of land for the partner, one of them far from the own nest; or none."""
    free = [cell for cell in land if cell not in (nest, taken)]
    far = next((cell for cell in free if is_fit_for_nest(state, cell, (nest,))), None)
    other = next((cell for cell in free if cell != far), None)
    return () if far is None or other is None else (far, other)


def _filled_in(state: State, nest: Cell, blitz: Cell, rest: list[Cell], pick: Chance) -> SetUp:
    """Nest and Blitz in their places, all other kinds on the rest as it comes."""
    held = _some_reserve(state, pick)
    kinds = set_of(state.options)
    kinds.subtract(("nest", "blitz", *held))
    if not state.options.trap_beside_nest:
        # The trap comes last of all, so that it can take a cell which is not beside the nest.
        rest.sort(key=lambda cell: abs(cell[0] - nest[0]) + abs(cell[1] - nest[1]) > 1)
    others = zip(spelled_out(kinds), [*rest[: kinds.total() - 1], rest[-1]], strict=False)
    pieces = [PlacedPiece("nest", nest), PlacedPiece("blitz", blitz)]
    pieces += [PlacedPiece(kind, cell) for kind, cell in others][::-1]
    secret = {"secret_trap": rest[-1]} if state.options.secret_trap and pick.below(3) else {}
    return SetUp(tuple(pieces), held or UNSET, **secret)


def _some_reserve(state: State, pick: Chance) -> tuple[Kind, ...]:
    """A lawful reserve, or none where none has to be."""
    allowed = state.options.reserve
    if isinstance(allowed, tuple):
        return allowed
    if allowed == "none" or pick.below(4) == 0:
        return ()
    drawn = pick.shuffle(reserve_choice(state))
    # Of the two Tyra, and of the two Deino, one at most is held back.
    families = {kind.partition("-")[0]: kind for kind in drawn} if allowed == "distinct" else {}
    return (tuple(families.values()) or drawn)[:RESERVE]
