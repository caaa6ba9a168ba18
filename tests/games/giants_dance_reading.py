"""The Giants' Dance read a second time, in other terms than the rules': plain lists and loops.

A `Reading` begins with the hands, piles and tokens as dealt, is told the same commands and
withdrawals, and says which ruling refuses what, how everything stands, and who has which place.
Giants stand in queues by field, the first to arrive in front.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.core.game import Command
from referee.games.giants_dance.types import Dance, DanceCard, Move, PlaceChallenge, State

KINDS = ("rotate", "parade")
SQUARES = ("church", "sluice", "justice", "heroes", "flax")
HOME = 20


class Reading:
    """One match. `phase`, `turn`, `dancing` and `points` as the page's state has them."""

    def __init__(self, dealt: State, height_order: tuple[int, ...]) -> None:
        self.seats = range(len(dealt.fields))
        self.ground = ("market", *dealt.trail, "market")
        self.token_value = dealt.token_value
        self.biggest_first = height_order[::-1]
        self.phase, self.turn, self.dancing = str(dealt.phase), 1, -1
        self.queues: list[list[int]] = [list(height_order), *([] for _ in range(HOME))]
        self.gone: set[int] = set()
        self.moves = [list(hand) for hand in dealt.movement.hands]
        self.move_piles = [list(pile) for pile in dealt.movement.piles]
        self.cards = _as_pairs(dealt.dance.hands)
        self.card_piles = _as_pairs(dealt.dance.piles)
        self.stock: list[dict[str, int]] = [dict.fromkeys(KINDS, 0) for _ in self.seats]
        self.lying: list[list[Any]] = [
            [one.field, one.owner, one.kind, False] for one in dealt.street_tokens
        ]
        self.bids: dict[tuple[str, str], list[tuple[int, int]]] = {}
        self.street: dict[int, int] = {}
        self.challenges: list[tuple[str, int, str]] = []
        self.turned_up: set[tuple[str, int, str]] = set()
        self.scored: list[str] = []
        self.points, self.doubles, self.market, self.on_street = (
            [0] * len(self.seats) for _ in range(4)
        )

    # ── Who and where ─────────────────────────────────────────────────────────────────────────────

    def still_in(self) -> list[int]:
        """The seats that have not withdrawn."""
        return [seat for seat in self.seats if seat not in self.gone]

    def field(self, seat: int) -> int | None:
        """Where a giant stands."""
        return next((at for at, queue in enumerate(self.queues) if seat in queue), None)

    def order(self) -> list[int]:
        """The giants on the trail, from last position to first."""
        return [seat for queue in self.queues[:HOME] for seat in reversed(queue)]

    def acting(self) -> int | None:
        """The seat that owes a command."""
        if self.phase == "challenge":
            return self._placing()
        return {"move": [*self.order(), None][0], "dance": self.dancing}.get(self.phase)

    def _placing(self) -> int | None:
        for placed in range(3):
            for seat in self.biggest_first:
                if seat not in self.gone and len(self._laid_by(seat)) == placed:
                    return seat
        return None

    def _laid_by(self, seat: int) -> list[tuple[str, str]]:
        return [(square, kind) for square, owner, kind in self.challenges if owner == seat]

    # ── Judging ───────────────────────────────────────────────────────────────────────────────────

    def ruling(self, command: Command) -> str | None:
        """The ruling that refuses a command of the kind that the acting seat owes."""
        seat = self.acting()
        assert seat is not None
        if isinstance(command, PlaceChallenge):
            taken = {word for token in self._laid_by(seat) for word in token}
            fits = command.square in SQUARES and not taken & {command.square, command.kind}
            return None if fits else "challenge-place"
        if isinstance(command, Move):
            return None if command.card in self.moves[seat] else "card-in-hand"
        assert isinstance(command, Dance)
        return self._dance_ruling(seat, command)

    def _dance_ruling(self, seat: int, dance: Dance) -> str | None:
        if len(dance.rotate + dance.parade) > 3:
            return "three-cards"
        if not all(self._holds(seat, kind, *laid(dance, kind)) for kind in KINDS):
            return "cards-held"
        place = self._place(seat)
        for kind in KINDS:
            values, tokens = laid(dance, kind)
            nothing = not values and not tokens
            if place == "street" or nothing or self._beats(place, kind, values, tokens):
                continue
            own = [value for of, value in self.cards[seat] if of == kind]
            if place != "market":
                return "overbid"
            if self._beats(place, kind, own, self.stock[seat][kind]):
                return "market-exception"
        return None

    def _holds(self, seat: int, kind: str, values: Sequence[int], tokens: int) -> bool:
        own = [value for of, value in self.cards[seat] if of == kind]
        enough = all(values.count(value) <= own.count(value) for value in values)
        return enough and 0 <= tokens <= self.stock[seat][kind]

    def _place(self, seat: int) -> str:
        return self.ground[self.field(seat) or 0]

    def _sum(self, values: Sequence[int], tokens: int) -> int:
        return sum(values) + tokens * self.token_value

    def _beats(self, place: str, kind: str, values: Sequence[int], tokens: int) -> bool:
        there = self.bids.get((place, kind), [])
        return all(self._sum(values, tokens) > total for _seat, total in there)

    # ── Playing ───────────────────────────────────────────────────────────────────────────────────

    def take(self, command: Command) -> None:
        """The acting seat's lawful command."""
        seat = self.acting()
        assert seat is not None
        if isinstance(command, PlaceChallenge):
            self.challenges.append((command.square, seat, command.kind))
            self._begin_when_placed()
        elif isinstance(command, Move):
            self._move(seat, command.card)
        elif isinstance(command, Dance):
            self._dance(seat, command)
            self._end_turn()

    def _begin_when_placed(self) -> None:
        if self._placing() is None:
            self.phase = "move"

    def _move(self, seat: int, card: int) -> None:
        start = self.field(seat) or 0
        to = min(HOME, start + card)
        self.queues[start].remove(seat)
        self.queues[to].append(seat)
        self.moves[seat].remove(card)
        for token in self.lying:
            if token[0] == to:
                token[3] = True
        for token in [one for one in self.lying if one[:2] == [to, seat]]:
            self.lying.remove(token)
            self.stock[seat][token[2]] += 1
        self.phase, self.dancing = "dance", seat

    def _dance(self, seat: int, dance: Dance) -> None:
        place = self._place(seat)
        for kind in KINDS:
            values, tokens = laid(dance, kind)
            if not values and not tokens:
                continue
            self.stock[seat][kind] -= tokens
            for value in values:
                self.cards[seat].remove((kind, value))
            total = self._sum(values, tokens)
            if place == "street":
                self.street[seat] = self.street.get(seat, 0) + total
            else:
                self.bids.setdefault((place, kind), []).append((seat, total))
        if self.field(seat) != HOME:
            _draw(self.moves[seat], self.move_piles[seat])
            _draw(self.cards[seat], self.card_piles[seat])

    def leaves(self, seat: int) -> None:
        """A seat withdraws."""
        acting = self.acting() == seat
        at = self.field(seat)
        assert at is not None
        self.queues[at].remove(seat)
        self.gone.add(seat)
        if len(self.still_in()) == 1:
            self.phase, self.dancing = "over", -1
        elif self.phase == "challenge":
            self._begin_when_placed()
        elif acting:
            self._end_turn()

    # ── Scoring ───────────────────────────────────────────────────────────────────────────────────

    def _end_turn(self) -> None:
        self.dancing = -1
        for at in range(1, HOME + 1):
            place, reached = self.ground[at], sum(map(len, self.queues[at:]))
            due = place != "street" and place not in self.scored
            if due and reached == len(self.still_in()):
                self._score(place)
        if self.order():
            self.phase, self.turn = "move", self.turn + 1
            return
        self.phase = "over"
        danced = {seat: total for seat, total in self.street.items() if seat not in self.gone}
        for seat, total in danced.items():
            self.on_street[seat] = int(total == max(danced.values()))
            self.points[seat] += 1 + 3 * self.on_street[seat]

    def _score(self, place: str) -> None:
        self.scored.append(place)
        won = [self._score_category(place, kind) for kind in KINDS]
        if won[0] == won[1] and won[0] is not None:
            self.points[won[0]] += 1
            self.doubles[won[0]] += 1

    def _score_category(self, place: str, kind: str) -> int | None:
        best, winner = 0, None
        for seat, total in self.bids.get((place, kind), []):
            self._pay(seat, (2 if total > best else 1) if place == "market" else 1)
            if total > best:
                best, winner = total, seat
        if winner is None or winner in self.gone:
            return None
        self._pay(winner, 3 if place == "market" else 2)
        self.market[winner] += place == "market"
        if (place, winner, kind) in self.challenges:
            self._pay(winner, 2)
            self.turned_up.add((place, winner, kind))
        return winner

    def _pay(self, seat: int, points: int) -> None:
        self.points[seat] += 0 if seat in self.gone else points

    # ── What is compared ──────────────────────────────────────────────────────────────────────────

    def stands(self) -> dict[str, Any]:
        """Everything by the names of `as_it_stands`."""
        return {
            "phase": self.phase,
            "turn": self.turn,
            "acting": self.acting(),
            "fields": [self.field(seat) for seat in self.seats],
            "order": self.order(),
            "moves": self.moves,
            "cards": self.cards,
            "piles": [self.move_piles, self.card_piles],
            "stock": self.stock,
            "lying": self.lying,
            "bids": {place: bids for place, bids in self.bids.items() if bids},
            "street": self.street,
            "turned_up": self.turned_up,
            "scored": self.scored,
            "points": self.points,
            "tie-breaks": self._tie_breaks(),
        }

    def _tie_breaks(self) -> list[tuple[int, ...]]:
        won = [sum(owner == seat for _, owner, _ in self.turned_up) for seat in self.seats]
        return list(zip(won, self.doubles, self.market, self.on_street, strict=True))

    def places(self) -> dict[int, int | None]:
        """The place of each seat once the match is over."""
        by = {seat: (self.points[seat], *self._tie_breaks()[seat]) for seat in self.still_in()}
        first = {seat: 1 + sum(other > own for other in by.values()) for seat, own in by.items()}
        return {seat: first.get(seat) for seat in self.seats}


def laid(dance: Dance, kind: str) -> tuple[tuple[int, ...], int]:
    """The values and the tokens of one category."""
    if kind == "rotate":
        return dance.rotate, dance.rotate_tokens
    return dance.parade, dance.parade_tokens


def _as_pairs(hands: tuple[tuple[DanceCard, ...], ...]) -> list[list[tuple[str, int]]]:
    return [[(one.kind, one.value) for one in hand] for hand in hands]


def _draw(hand: list[Any], pile: list[Any]) -> None:
    while pile and len(hand) < 3:
        hand.append(pile.pop(0))


def as_it_stands(state: State, acting: int | None) -> dict[str, Any]:
    """A state of the rules in a reading's terms."""
    bids = {
        (place, kind): [(bid.seat, bid.sum) for bid in getattr(getattr(state.bids, place), kind)]
        for place in (*SQUARES, "market")
        for kind in KINDS
    }
    street = state.street_dance
    return {
        "phase": state.phase,
        "turn": state.turn,
        "acting": acting,
        "fields": list(state.fields),
        "order": list(state.order),
        "moves": [list(hand) for hand in state.movement.hands],
        "cards": _as_pairs(state.dance.hands),
        "piles": [
            [list(pile) for pile in state.movement.piles],
            _as_pairs(state.dance.piles),
        ],
        "stock": [{"rotate": one.rotate, "parade": one.parade} for one in state.stock.tokens],
        "lying": [
            [one.field, one.owner, one.kind, one.face == "up"] for one in state.street_tokens
        ],
        "bids": {place: there for place, there in bids.items() if there},
        "street": {seat: street.sums[seat] for seat, has in enumerate(street.danced) if has},
        "turned_up": {
            (square, one.seat, one.kind)
            for square in SQUARES
            for one in getattr(state.challenge_tokens, square)
            if one.face == "up"
        },
        "scored": list(state.scored),
        "points": list(state.points),
        "tie-breaks": list(
            zip(
                state.challenges_won,
                state.double_dances,
                state.market_wins,
                state.street_wins,
                strict=True,
            )
        ),
    }
