"""Creating a match: what a request for one holds, what is wrong with it, and its first commit."""

from __future__ import annotations

import secrets
import string
from typing import Any, Final

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict

from referee.catalogue import Catalogue, UnknownGame
from referee.core.commit import SALT_BYTES
from referee.core.game import BadOptions, complete_options, seat_errors
from referee.core.match import ClockSetting, Hex, Label, MatchId, SeatName, Seed
from referee.core.randomness import SEED_BYTES, commitment
from referee.core.rules import Decided, Rules
from referee.core.table.commands import CreateMatch
from referee.service.answers import Created
from referee.service.asking.bodies import Body, loosely, read_struct
from referee.service.errors import (
    BadRequest,
    MatchTaken,
    Misshapen,
    Part,
    SeedNotAllowed,
    UnknownThing,
)
from referee.service.lists import summary_of
from referee.store import Conflict, MatchStore

ID_LETTERS: Final = string.ascii_lowercase + string.digits
ID_LENGTH: Final = 20
"""Characters of a match id made here: 103 bits, so that no two are ever the same."""


class NewMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A request to create a match.

    `entropy`: a hex string a seat; `seed` (64 hex digits) and `match` (an id) only where
    the server allows it.
    """

    game: str
    seats: tuple[SeatName, ...]
    options: dict[str, Any] = field(default_factory=dict)
    tournament: Label | None = None
    table: Label | None = None
    public: bool = False
    clock: ClockSetting | None = None
    entropy: tuple[Hex, ...] | None = None
    seed: Seed | None = None
    match: MatchId | None = None


async def create(
    store: MatchStore, games: Catalogue, body: Body, at: int, by: str, *, allow_seed: bool
) -> Created:
    """Create a match as ordered in `body`, at `at`, Unix ms, by an organizer as the log names one.

    Raises:
        BadRequest, Misshapen: the order is not one that can be played.
        UnknownThing: there is no such game.
        SeedNotAllowed, MatchTaken: about a chosen seed or id.
        StoreAway: the store is away.
    """
    order = read_order(body, games)
    rules = rules_for(order, games, allow_seed=allow_seed)
    begun = first_commit(order, rules, at, by)
    if order.match is not None and await store.last(order.match):
        raise MatchTaken(order.match)
    await _append(store, rules, begun)
    match, setting = begun.match, begun.match.setting
    return Created(
        match=setting.match,
        game=setting.game,
        ruleset=setting.ruleset,
        version=match.version,
        seats=tuple(seat.name for seat in match.seats),
        seed_commitment=commitment(setting.seed),
        head=match.head,
    )


async def _append(store: MatchStore, rules: Rules, begun: Decided) -> None:
    match, setting = begun.match, begun.match.setting
    game, tournament = setting.game, setting.tournament
    await store.register(setting.match, setting.created, game=game, tournament=tournament)
    summary, deadline = summary_of(match), rules.deadline(match)
    try:
        await store.append(setting.match, 1, begun.data, summary=summary, deadline=deadline)
    except Conflict:
        raise MatchTaken(setting.match) from None


def read_order(body: Body, games: Catalogue) -> NewMatch:
    """The order in a body.

    Raises:
        BadRequest, Misshapen: it is none; faults of the options are named with the others.
    """
    try:
        return read_struct(body, NewMatch)
    except Misshapen as fault:
        raise Misshapen(str(fault), [*fault.parts, *_options_part(loosely(body), games)]) from None


def _options_part(value: Any, games: Catalogue) -> list[Part]:
    """The options in a misshapen order, where it can be told what they should be."""
    if not isinstance(value, dict) or not isinstance(value.get("options", {}), dict):
        return []
    try:
        options = games.current(value.get("game", "")).game.options
    except (UnknownGame, TypeError):
        return []
    return [Part(value.get("options", {}), options, "options")]


def rules_for(order: NewMatch, games: Catalogue, *, allow_seed: bool) -> Rules:
    """The rules by which an ordered match is played.

    Raises:
        UnknownThing: there is no such game.
        SeedNotAllowed: the order names a seed or an id, and may not.
    """
    try:
        rules = games.current(order.game)
    except UnknownGame:
        raise UnknownThing(f"There is no game {order.game!r}.") from None
    if (order.seed is not None or order.match is not None) and not allow_seed:
        raise SeedNotAllowed("This server lets nobody choose a match's seed or id.")
    return rules


def completed(order: NewMatch, rules: Rules) -> CreateMatch:
    """The command for an order: its id and seed made where they are not given."""
    made = {
        "ruleset": rules.game.ruleset,
        "match": order.match or "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH)),
        "seed": order.seed or secrets.token_hex(SEED_BYTES),
        "entropy": ("",) * len(order.seats) if order.entropy is None else order.entropy,
    }
    return CreateMatch(**asdict(order) | made)


def first_commit(order: NewMatch, rules: Rules, at: int, by: str = "organizer") -> Decided:
    """The first commit of an ordered match.

    Raises:
        BadRequest, Misshapen: the match cannot be played like that.
    """
    seats = len(order.seats)
    entropies = seats if order.entropy is None else len(order.entropy)
    errors = seat_errors(rules.game, seats, entropies)
    try:
        if errors:
            # No match, but its options' faults are to be named with the others.
            _check_options(order.options, seats, rules)
        else:
            salt = secrets.token_bytes(SALT_BYTES)
            return rules.create(completed(order, rules), at, by=by, salt=salt)
    except BadOptions as fault:
        errors += fault.errors
    except msgspec.ValidationError as fault:
        part = Part(order.options, rules.game.options, "options")
        raise Misshapen(str(fault), [part], [*errors, *_faults_of_the_rest(order, rules)]) from None
    except OverflowError:
        errors += [("options", "holds a number beyond 64 bits")]
    raise BadRequest("A match cannot be created like that.", errors)


def _check_options(options: Any, seats: int, rules: Rules) -> None:
    nearest = min(rules.game.players, key=lambda count: abs(count - seats))
    shaped = msgspec.convert(options, rules.game.options, strict=True)
    complete_options(rules.game, shaped, nearest)


def _faults_of_the_rest(order: NewMatch, rules: Rules) -> tuple[tuple[str, str], ...]:
    """What the game finds wrong with those options that are of the right shape."""
    options: Any = order.options
    if not isinstance(options, dict):
        return ()
    kept = {name: value for name, value in options.items() if _is_shaped(name, value, rules)}
    try:
        _check_options(kept, len(order.seats), rules)
    except BadOptions as fault:
        return fault.errors
    except (msgspec.ValidationError, OverflowError):
        pass
    return ()


def _is_shaped(name: str, value: Any, rules: Rules) -> bool:
    try:
        msgspec.convert({name: value}, rules.game.options, strict=True)
    except (msgspec.ValidationError, OverflowError):
        return False
    return True
