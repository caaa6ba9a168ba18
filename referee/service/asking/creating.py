"""Creating a match: what a request for one holds, what is wrong with it, and its first commit."""

import hashlib
import secrets
import string
from contextlib import suppress
from typing import Any, Final

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from referee.catalogue import Catalogue, UnknownGame
from referee.core.commit import SALT_BYTES, open_envelope
from referee.core.game import BadOptions, complete_options, seat_errors
from referee.core.match import (
    CALLS,
    Calls,
    ClockSetting,
    Entropy,
    IdleSeconds,
    MatchId,
    Round,
    SeatName,
    Seed,
)
from referee.core.randomness import SEED_BYTES
from referee.core.rules import Decided, Rules
from referee.core.table.commands import CreateMatch, term_errors
from referee.service.asking import names
from referee.service.asking.bodies import Body, loosely, read_struct
from referee.service.asking.names import Name
from referee.service.errors import (
    BadRequest,
    Fault,
    MatchTaken,
    Misshapen,
    OrderKeyReused,
    Part,
    SeedNotAllowed,
    UnknownThing,
)
from referee.service.lists import summary_of
from referee.service.taking.at_hand import Known, known_of
from referee.store import Conflict, InLists, MatchStore, StoreAway, WrongTime

ID_LETTERS: Final = string.ascii_lowercase + string.digits
ID_LENGTH: Final = 20
"""Characters of a match id made here: 103 bits, so that no two are ever the same."""
DRAWS: Final = 64
"""Ids that are drawn, while the primaries of those before are away."""
TRIES: Final = 8
"""Times that a match is begun, while the store's clock is being set, before that is given up."""


class NewSeat(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat as it is asked for: the player's name."""

    name: Name


class NewMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A request to create a match.

    `round`: of a tournament; `idle_s`: seconds without a commit after which the match is void (0:
    never, or 60 and more); `calls`: how often a seat may call an arbiter; `entropy`: a hex string
    a seat, or "seats": each sends its own before the deal; `seed` (64 hex digits) and `match` (an
    id) only where the server allows it.
    """

    game: str
    seats: tuple[NewSeat, ...]
    options: dict[str, Any] = field(default_factory=dict)
    tournament: Name | None = None
    round: Round | None = None
    table: Name | None = None
    public: bool = False
    clock: ClockSetting | None = None
    idle_s: IdleSeconds | None = None
    calls: Calls = CALLS
    entropy: Entropy | None = None
    seed: Seed | None = None
    match: MatchId | None = None


_KINDS: Final = {field.name: field.type for field in msgspec.structs.fields(NewMatch)}
"""What each field of an order must be."""


class Terms(Struct, frozen=True):
    """What a server says of all matches that are created there.

    `allow_seed`: an order may choose seed and id; `idle_s`: where an order says nothing of it.
    """

    allow_seed: bool = False
    idle_s: int = 0


class Creation(Struct, frozen=True):
    """Who creates a match, an organizer as the log names one, with which key."""

    by: str
    key: str | None = None


class _Claim(Struct, frozen=True):
    """What the first to create a match with a key left behind: a digest of its order, and an id.

    Whoever comes later goes on with that id, so that there is one match, whoever dies meanwhile.
    """

    order: bytes
    match: str


_PACK: Final = msgspec.msgpack.Encoder()
_CLAIMS: Final = msgspec.msgpack.Decoder(_Claim)


async def create(
    store: MatchStore, games: Catalogue, terms: Terms, body: Body, creation: Creation
) -> tuple[str, Known | None]:
    """Create a match as ordered in `body`: its id, and what is known of it then.

    None instead of that says that the same order made it before, with the same key.

    Raises:
        BadRequest, Misshapen: the order is not one that can be played.
        UnknownThing: there is no such game.
        SeedNotAllowed, MatchTaken: about a chosen seed or id.
        OrderKeyReused: another order was given with this key.
        StoreAway: the store is away.
    """
    order = read_order(body, games)
    rules = rules_for(order, games, terms)
    for _ in range(TRIES):
        with suppress(WrongTime):
            return await _create(store, order, rules, terms, creation)
    raise StoreAway("the store's clock does not go on evenly")


async def _create(
    store: MatchStore, order: NewMatch, rules: Rules, terms: Terms, creation: Creation
) -> tuple[str, Known | None]:
    begun, key = await _begun(store, order, rules, terms, creation), creation.key
    taken = order.match is not None and await _is_made(store, order.match, key)
    if key is not None:
        claim = _Claim(_digest(order), begun.match.setting.match)
        earlier = await _earlier(store, key, claim)
        if earlier is None and taken:
            raise MatchTaken(claim.match)
        if earlier is not None:
            if await _is_made(store, earlier, key):
                return earlier, None
            begun = await _begun(store, replace(order, match=earlier), rules, terms, creation)
    return await _append(store, rules, begun, key)


async def _begun(
    store: MatchStore, order: NewMatch, rules: Rules, terms: Terms, creation: Creation
) -> Decided:
    """The match's first commit, at the time that it is for the match; nothing is appended."""
    match = order.match or _drawn(store)
    at = await store.time(match)
    return first_commit(replace(order, match=match), rules, terms, creation, at)


def _drawn(store: MatchStore) -> str:
    """A new id, of a match whose primary is there, as far as is known."""
    for _ in range(DRAWS):
        if not store.away(drawn := _new_id()):
            return drawn
    return _new_id()


def _new_id() -> str:
    number, letters = secrets.randbelow(len(ID_LETTERS) ** ID_LENGTH), []
    for _ in range(ID_LENGTH):
        number, place = divmod(number, len(ID_LETTERS))
        letters.append(ID_LETTERS[place])
    return "".join(letters)


async def _earlier(store: MatchStore, key: str, claim: _Claim) -> str | None:
    """The id of the match that was begun with this key before; None where none was.

    Raises:
        OrderKeyReused: it was begun with another order.
    """
    found = await store.claim(key, _PACK.encode(claim))
    if found is None:
        return None
    earlier = _CLAIMS.decode(found)
    if earlier.order != claim.order:
        raise OrderKeyReused(earlier.match, 1)
    return earlier.match


def _digest(order: NewMatch) -> bytes:
    """The same for the same order, in whatever form and order of fields it came."""
    return hashlib.sha256(msgspec.msgpack.encode(order, order="sorted")).digest()


async def _is_made(store: MatchStore, match_id: str, key: str | None) -> bool:
    """Whether there is a match of that id, created with this key.

    Raises:
        MatchTaken: there is one that was created without it.
    """
    first = await store.read(match_id, 0, 1)
    if first and (key is None or open_envelope(first[0].data).key != key):
        raise MatchTaken(match_id)
    return bool(first)


async def _append(
    store: MatchStore, rules: Rules, begun: Decided, key: str | None
) -> tuple[str, Known | None]:
    known, setting = known_of(rules, begun.match, begun.data), begun.match.setting
    name = setting.match
    try:
        await store.append(
            name,
            1,
            begun.data,
            at=begun.match.at,
            summary=summary_of(rules, begun.match),
            deadline=rules.awaited(begun.match),
            listed=InLists(setting.created, setting.game, setting.tournament),
        )
    except Conflict:
        await _is_made(store, name, key)  # by somebody with the same key, at the same time
        return name, None
    return name, known


def read_order(body: Body, games: Catalogue) -> NewMatch:
    """The order in a body, its names as they are kept.

    Raises:
        BadRequest, Misshapen: it is none; faults of the options are named with the others.
    """
    try:
        return _named(read_struct(body, NewMatch))
    except Misshapen as fault:
        value = loosely(body)
        parts = [*fault.parts, *_options_part(value, games)]
        raise Misshapen(str(fault), parts, _faults_of_the_sound(value, games)) from None


def _named(order: NewMatch) -> NewMatch:
    return replace(
        order,
        seats=tuple(NewSeat(names.kept(seat.name)) for seat in order.seats),
        tournament=order.tournament and names.kept(order.tournament),
        table=order.table and names.kept(order.table),
    )


def _options_part(value: Any, games: Catalogue) -> list[Part]:
    """The options in a misshapen order, where it can be told what they should be."""
    if not isinstance(value, dict) or not isinstance(value.get("options", {}), dict):
        return []
    try:
        options = games.current(value.get("game", "")).game.options
    except (UnknownGame, TypeError):
        return []
    return [Part(value.get("options", {}), options, "options")]


def _faults_of_the_sound(value: Any, games: Catalogue) -> list[Fault]:
    """What is wrong with those fields of a misshapen order that are of the right shape."""
    if not isinstance(value, dict):
        return []
    sound: dict[str, Any] = {}
    for name in _KINDS.keys() & value.keys():
        with suppress(msgspec.ValidationError, OverflowError):
            sound[name] = msgspec.convert(value[name], _KINDS[name], strict=True)
    # A tournament of the wrong shape is named all the same.
    named = {"tournament": "?"} if value.get("tournament") is not None else {}
    order = _named(NewMatch(**{"game": "", "seats": (), **named, **sound}))
    found = [*_faults_of_names(order), *_faults_of_terms(order)]
    with suppress(UnknownGame):
        rules = games.current(order.game)
        if "seats" in sound:
            found += [*_faults_of_seats(order, rules), *_faults_of_the_rest(order, rules)]
    return found


def rules_for(order: NewMatch, games: Catalogue, terms: Terms) -> Rules:
    """The rules by which an ordered match is played.

    Raises:
        UnknownThing: there is no such game.
        SeedNotAllowed: the order names a seed or an id, and may not.
    """
    try:
        rules = games.current(order.game)
    except UnknownGame:
        raise UnknownThing(f"There is no game {order.game!r}.") from None
    if (order.seed is not None or order.match is not None) and not terms.allow_seed:
        raise SeedNotAllowed("This server lets nobody choose a match's seed or id.")
    return rules


def completed(order: NewMatch, rules: Rules, terms: Terms) -> CreateMatch:
    """The command for an order that has its id: the seed made where it is not given."""
    made = {
        "ruleset": rules.game.ruleset,
        "seed": order.seed or secrets.token_hex(SEED_BYTES),
        "entropy": _entropy(order),
        "seats": tuple(SeatName(seat.name) for seat in order.seats),
        "idle_s": terms.idle_s if order.idle_s is None else order.idle_s,
    }
    return CreateMatch(**asdict(order) | made)


def _entropy(order: NewMatch) -> Entropy:
    return ("",) * len(order.seats) if order.entropy is None else order.entropy


def first_commit(
    order: NewMatch, rules: Rules, terms: Terms, creation: Creation, at: int
) -> Decided:
    """The first commit of an ordered match that has its id, stamped `at`, Unix ms.

    Raises:
        BadRequest, Misshapen: the match cannot be played like that.
    """
    errors = [*_faults_of_names(order), *_faults_of_seats(order, rules), *_faults_of_terms(order)]
    try:
        if errors:
            # No match, but its options' faults are to be named with the others.
            _check_options(order.options, len(order.seats), rules)
        else:
            command, salt = completed(order, rules, terms), secrets.token_bytes(SALT_BYTES)
            by, key = creation.by, creation.key
            return rules.create(command, at, by=by, key=key, salt=salt)
    except BadOptions as fault:
        errors += fault.errors
    except msgspec.ValidationError as fault:
        part = Part(order.options, rules.game.options, "options")
        raise Misshapen(str(fault), [part], [*errors, *_faults_of_the_rest(order, rules)]) from None
    except OverflowError:
        errors += [("options", "holds a number beyond 64 bits")]
    raise BadRequest("A match cannot be created like that.", errors)


def _faults_of_names(order: NewMatch) -> list[Fault]:
    players = [seat.name for seat in order.seats]
    given = [(f"seats[{seat}].name", name) for seat, name in enumerate(players)]
    for path, name in (("tournament", order.tournament), ("table", order.table)):
        given += [] if name is None else [(path, name)]
    found = [(path, names.wrong(name)) for path, name in given]
    faults = [(path, message) for path, message in found if message is not None]
    if order.tournament is not None:
        taken = names.alike(players)
        faults += [(f"seats[{seat}].name", "is another seat's as well") for seat in taken]
    return faults


def _faults_of_seats(order: NewMatch, rules: Rules) -> list[Fault]:
    return seat_errors(rules.game, len(order.seats), _entropy(order))


def _faults_of_terms(order: NewMatch) -> list[Fault]:
    return term_errors(order.tournament, order.round, order.idle_s or 0)


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
