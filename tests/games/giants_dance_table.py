"""Situations of the Giants' Dance to try rulings in: giants on fields, cards in hands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from referee.core.game import Event, put
from referee.core.visibility import Scope, Viewer, redact
from referee.games.giants_dance import GAME
from referee.games.giants_dance.types import (
    Bid,
    ChallengeToken,
    ChallengeTokens,
    Dance,
    DanceCard,
    PlaceBids,
    State,
    Stock,
    StreetToken,
    Tokens,
)
from tests.games.table import Table

KINDS = {"r": "rotate", "p": "parade"}
SQUARE_FIELDS = {"church": 4, "sluice": 8, "justice": 11, "heroes": 14, "flax": 17, "market": 20}


def cards(short: str) -> tuple[DanceCard, ...]:
    """`"r3 p1"`: rotate 3 and parade 1."""
    return tuple(DanceCard(KINDS[one[0]], int(one[1:])) for one in short.split())  # type: ignore[arg-type]


def lay(short: str = "", rotate_tokens: int = 0, parade_tokens: int = 0) -> Dance:
    """A dance: `lay("r3 p1", 2)` lays rotate 3, parade 1 and two rotate tokens."""
    laid = cards(short)
    rotate, parade = (
        tuple(card.value for card in laid if card.kind == kind) for kind in ("rotate", "parade")
    )
    return Dance(rotate, parade, rotate_tokens, parade_tokens)


NOTHING = lay()


def on_trail(*fields: int, order: Sequence[int] | None = None, **options: Any) -> Table:
    """A table before a move, giants on these fields; on one field the lower seat came first."""
    table = Table(GAME, seats=len(fields), options={"challenge": False, **options})
    last_to_first = order if order is not None else _queued(fields)
    return table.given(fields=fields, order=tuple(last_to_first), street_tokens=())


def _queued(fields: Sequence[int]) -> list[int]:
    walking = [seat for seat in range(len(fields)) if fields[seat] < 20]
    return sorted(walking, key=lambda seat: (fields[seat], -seat))


def about_to_dance(seat: int, *fields: int, **options: Any) -> Table:
    """A table at which `seat` has just moved to its field and owes a dance."""
    return on_trail(*fields, **options).given(phase="dance", dancing=seat)


def hold(table: Table, seat: int, short: str = "", **more: Any) -> Table:
    """Give a seat these dance cards; `moves`: movement values; `tokens`: (rotate, parade)."""
    state: State = table.state
    hands = put(state.dance.hands, seat, cards(short))
    dance = replace(state.dance, hands=hands, hand_counts=tuple(map(len, hands)))
    walks = put(state.movement.hands, seat, more.get("moves", state.movement.hands[seat]))
    movement = replace(state.movement, hands=walks, hand_counts=tuple(map(len, walks)))
    tokens = put(state.stock.tokens, seat, Tokens(*more.get("tokens", (0, 0))))
    counts = tuple(one.rotate + one.parade for one in tokens)
    return table.given(dance=dance, movement=movement, stock=Stock(tokens, counts))


def piles(table: Table, seat: int, moves: tuple[int, ...], short: str = "") -> Table:
    """Give a seat these draw piles, the next card first."""
    state: State = table.state
    walks = put(state.movement.piles, seat, moves)
    dances = put(state.dance.piles, seat, cards(short))
    return table.given(
        movement=replace(state.movement, piles=walks, pile_counts=tuple(map(len, walks))),
        dance=replace(state.dance, piles=dances, pile_counts=tuple(map(len, dances))),
    )


def bid(seat: int, total: int, *, overbid: bool = True) -> Bid:
    """A dance of one card of that value."""
    return Bid(seat, total, overbid, (total,), 0)


def with_bids(
    table: Table, place: str, rotate: Sequence[Bid] = (), parade: Sequence[Bid] = ()
) -> Table:
    """Dances that lie at a place already."""
    there = PlaceBids(tuple(rotate), tuple(parade))
    return table.given(bids=table.state.bids.put(place, there))


def token(field: int, owner: int, kind: str, face: str = "down") -> StreetToken:
    """A dance token on a street."""
    return StreetToken(field, face, owner, kind)  # type: ignore[arg-type]


def only(events: Sequence[Event], kind: type[Any]) -> list[Any]:
    """The events of one type."""
    return [event for event in events if isinstance(event, kind)]


def seen(table: Table, viewer: Viewer) -> dict[str, Any]:
    """The state as a viewer sees it."""
    shown: dict[str, Any] = redact(table.state, Scope(viewer, table.state))
    return shown


def challenges(**by_square: list[tuple[int, str]]) -> ChallengeTokens:
    """Challenge tokens that lie face down: (seat, kind) by square."""
    return ChallengeTokens(
        **{
            square: tuple(ChallengeToken(seat, kind, "down") for seat, kind in laid)  # type: ignore[arg-type]
            for square, laid in by_square.items()
        }
    )
