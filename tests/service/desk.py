"""Services on a real store, without HTTP, and what may go wrong between the two."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import redis

from referee.catalogue import Catalogue, catalogue
from referee.core.game import Asker
from referee.core.match import Match
from referee.core.rules import Decided, Rules
from referee.core.verify import fold_log
from referee.selfplay import Setup
from referee.service import Bearer, Body, Service
from referee.service.answers import Accepted
from referee.store import MatchStore
from referee.store.scripts import log_key
from tests.clients import order_of

ORGANIZER: Final = Bearer("organizer")
GAME: Final = "giro-galoppo"
RULES: Final = catalogue().current(GAME)
PLACE: Final = {"type": "place_obstacle", "space": 20}
SEED: Final = "07" * 32


def body(value: Any) -> Body:
    """Plain values as a body."""
    return Body(msgspec.json.encode(value))


def service_on(
    store: MatchStore, *, games: Catalogue | None = None, capacity: int = 100
) -> Service:
    """A service of the tests: it lets seeds be chosen."""
    return Service(store, games or catalogue(), allow_seed=True, capacity=capacity)


async def create(service: Service, match: str = "m", seats: int = 2, **order: Any) -> str:
    """A new match of that id."""
    asked = order_of(seats, match=match, seed=SEED) | order
    return (await service.create(ORGANIZER, body(asked))).match


def seat(number: int, match: str = "m", generation: int = 0) -> Bearer:
    """The bearer of a seat's token."""
    return Bearer("seat", match, number, generation)


async def send(service: Service, number: int, command: Any, **conditions: Any) -> Accepted:
    """A seat's command to the match `m`."""
    return await service.command("m", seat(number), body(command), **conditions)


async def version(service: Service, match: str = "m") -> int:
    """The match's version, as this service shows it."""
    return (await service.view(match, ORGANIZER)).version


async def log_of(store: MatchStore, match: str = "m") -> list[bytes]:
    """A match's commits, as they stand in the log."""
    return [entry.data for entry in await store.read(match)]


def folded(commits: list[bytes]) -> Match:
    """The match that these commits tell."""
    return fold_log(RULES, commits)


def next_commit(commits: list[bytes], number: int, command: Any) -> Decided:
    """What a seat's command makes of a match, decided by somebody else, with no time passed."""
    asked, match = RULES.read_command(msgspec.json.encode(command)), folded(commits)
    return RULES.decide(match, Asker("seat", number, match.at), asked, salt=bytes(12))


def rewrite(redis_url: str, commits: list[bytes], match: str = "m") -> None:
    """Make a log another one, as a failover does that lost its end."""
    with redis.Redis.from_url(redis_url) as client:
        client.delete(log_key(match))
        for number, data in enumerate(commits, 1):
            client.xadd(log_key(match), {"c": data}, id=f"{number}-0")


def first_commit(rules: Rules, match: str = "m", at: int = 1_000_000, **how: Any) -> bytes:
    """The first commit of a match by these rules, stamped `at`."""
    setup = Setup(match=match, seats=rules.game.players[0], seed=bytes.fromhex(SEED), **how)
    return rules.create(setup.order(rules), at, salt=bytes(12)).data
