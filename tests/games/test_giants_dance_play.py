"""The Giants' Dance played at random to the end: what always holds, whatever is played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from referee.core.game import Command, Event
from referee.core.randomness import Chance
from referee.core.seats import still_in
from referee.core.visibility import SPECTATOR, Scope, redact, seat_viewer
from referee.games.giants_dance import GAME
from referee.games.giants_dance.events import Danced, PilesShuffled, SquareScored, StreetScored
from referee.games.giants_dance.setup import all_tokens
from referee.games.giants_dance.types import (
    SQUARES,
    ChallengeToken,
    Dance,
    DanceCard,
    Move,
    State,
    Stock,
    StreetDance,
    Tokens,
)
from tests.games.giants_dance_table import only
from tests.games.table import SEED, Table

SEATS = (2, 3, 4, 5)
KINDS = ("rotate", "parade")


class Trial:
    """One match at random: options, commands and now and then a withdrawal."""

    def __init__(self, seats: int, number: int, *, leaving: bool = False) -> None:
        self.pick = Chance(SEED, f"trial {number}", [""] * seats)
        self.leaving = leaving
        seed = bytes([number % 251, seats]) * 16
        options = GAME.vary(self.pick, seats)
        self.table = Table(GAME, seats=seats, options=options, seed=seed)
        self.events: list[Event] = list(self.table.dealt)

    def steps(self) -> Iterator[list[Event]]:
        """The events of each commit, until the match is over."""
        while GAME.to_act(self.table.state):
            events = self._withdrawal() if self._somebody_leaves() else self._command()
            self.events += events
            yield events

    def _somebody_leaves(self) -> bool:
        return self.leaving and self.pick.below(25) == 0

    def _withdrawal(self) -> list[Event]:
        return self.table.leaves(self.pick.one_of(still_in(self.table.state.withdrawn)))

    def _command(self) -> list[Event]:
        (seat,) = GAME.to_act(self.table.state)
        return self.table.when(seat, self.pick.one_of(self.table.legal(seat)))


# ── What is conserved ─────────────────────────────────────────────────────────────────────────────


def holds_all_cards(table: Table, events: list[Event]) -> bool:
    """Every card is in one place: hand, pile, played, at a square, or on the street."""
    state, options = table.state, table.options
    deck = Counter(("rotate", value) for value in options.dance_deck.rotate)
    deck.update(("parade", value) for value in options.dance_deck.parade)
    return all(
        Counter(
            state.movement.hands[seat] + state.movement.piles[seat] + state.movement.played[seat]
        )
        == Counter(options.movement_deck)
        and _dance_cards(state, seat, events) == deck
        for seat in range(len(state.fields))
    )


def _dance_cards(state: State, seat: int, events: list[Event]) -> Counter[tuple[str, int]]:
    held = state.dance.hands[seat] + state.dance.piles[seat]
    laid = [event for event in only(events, Danced) if event.seat == seat]
    return Counter((card.kind, card.value) for card in held) + Counter(
        (kind, value)
        for event in laid
        for kind in KINDS
        if (part := getattr(event, kind))
        for value in part.values
    )


def holds_all_tokens(table: Table, events: list[Event]) -> bool:
    """Every dance token is on a street, in its owner's stock, or laid by its owner."""
    state, counted = table.state, Counter[tuple[int, str]]()
    counted.update((token.owner, token.kind) for token in state.street_tokens)
    for seat, stock in enumerate(state.stock.tokens):
        counted.update({(seat, kind): getattr(stock, kind) for kind in KINDS})
    for event in only(events, Danced):
        parts = {kind: getattr(event, kind) for kind in KINDS}
        counted.update({(event.seat, kind): part.tokens for kind, part in parts.items() if part})
    return +counted == Counter(all_tokens(len(state.fields)))


def counts_are_right(state: State) -> bool:
    """Every public count is the length of what it counts."""
    return (
        state.movement.hand_counts == tuple(map(len, state.movement.hands))
        and state.movement.pile_counts == tuple(map(len, state.movement.piles))
        and state.dance.hand_counts == tuple(map(len, state.dance.hands))
        and state.dance.pile_counts == tuple(map(len, state.dance.piles))
        and state.stock.counts == tuple(one.rotate + one.parade for one in state.stock.tokens)
    )


def order_is_right(state: State) -> bool:
    """Every giant on the trail once, fields never falling from last position to first."""
    on_trail = [seat for seat, at in enumerate(state.fields) if at is not None and at < 20]
    fields = [state.fields[seat] or 0 for seat in state.order]
    return sorted(state.order) == on_trail and fields == sorted(fields)


def scored_is_right(state: State) -> bool:
    """Between turns exactly the squares that every giant has reached are scored, in order."""
    if state.phase == "dance":
        return True
    squares = [ground for ground in state.trail if ground != "street"]
    behind = min((at for at in state.fields if at is not None), default=0)
    due = [square for square in squares if state.trail.index(square) + 1 <= behind]
    ended = state.phase == "over" and state.fields.count(None) < len(state.fields) - 1
    return list(state.scored) == [*due, "market"][: len(due) + ended] or (
        state.phase == "over" and not ended
    )


def points_are_right(state: State, events: list[Event]) -> bool:
    """Points are what the scoring events say."""
    points = [0] * len(state.fields)
    for event in only(events, SquareScored):
        for row in event.points:
            points[row.seat] += row.dancing + row.winning + row.double + row.challenge
    for event in only(events, StreetScored):
        points = [had + more for had, more in zip(points, event.points, strict=True)]
    return tuple(points) == state.points


def check(trial: Trial) -> None:
    """All of the above."""
    state = trial.table.state
    assert holds_all_cards(trial.table, trial.events)
    assert holds_all_tokens(trial.table, trial.events)
    assert counts_are_right(state)
    assert order_is_right(state)
    assert scored_is_right(state)
    assert points_are_right(state, trial.events)


def play_through(seats: int, number: int, *, leaving: bool) -> Trial:
    """Play a match to its end, checking after every commit, and how it ended."""
    trial = Trial(seats, number, leaving=leaving)
    check(trial)
    for _events in trial.steps():
        check(trial)
    outcome = GAME.outcome(trial.table.state)
    assert outcome is not None
    assert sorted(row.seat for row in outcome.ranking) == list(range(seats))
    gone = {row.seat for row in outcome.ranking if row.place is None}
    assert gone == {seat for seat, at in enumerate(trial.table.state.fields) if at is None}
    assert (outcome.reason == "withdrawal") == (len(gone) == seats - 1)
    return trial


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("leaving", [False, True])
def test_play_at_random_ends_and_loses_nothing(seats: int, leaving: bool) -> None:  # noqa: FBT001
    """Cards, tokens, counts, order, scored squares and points hold after every commit."""
    for number in range(5):
        play_through(seats, number, leaving=leaving)


@pytest.mark.long
@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("leaving", [False, True])
def test_much_play_at_random_ends_and_loses_nothing(seats: int, leaving: bool) -> None:  # noqa: FBT001
    """The same over many more matches."""
    for number in range(5, 400):
        play_through(seats, number, leaving=leaving)


def test_random_play_meets_every_event_and_every_place() -> None:
    """A handful of matches uses every event, dances at all seven places, turns challenges up."""
    events = [event for seats in SEATS for event in play_through(seats, 9, leaving=False).events]
    events += [event for seats in SEATS for event in play_through(seats, 12, leaving=False).events]
    # Piles are shuffled anew by an arbiter's take-back alone.
    assert {type(event) for event in events} == {*GAME.events} - {PilesShuffled}
    assert {event.place for event in only(events, Danced)} == {*SQUARES, "street", "market"}
    assert any(event.challenges_turned_up for event in only(events, SquareScored))
    laid = [part for event in only(events, Danced) for part in (event.rotate, event.parade) if part]
    assert any(not part.overbid and part.tokens for part in laid)


def test_folding_the_events_gives_the_same_state() -> None:
    """Nothing is drawn or decided while folding: start and events are enough."""
    for seats in SEATS:
        trial = play_through(seats, 3, leaving=False)
        state = GAME.start(trial.table.options, seats)
        for event in trial.events:
            state = GAME.events[type(event)].fold(state, event)
        assert state == trial.table.state


# ── Legal and nothing else ────────────────────────────────────────────────────────────────────────


def candidates(trial: Trial) -> list[Command]:
    """A broad sweep: every move nearby, and dances of up to four cards with any tokens."""
    pick, values = trial.pick, range(-1, 10)
    dances = [
        Dance(
            tuple(pick.shuffle(values)[: pick.below(4)]),
            tuple(pick.shuffle(values)[: pick.below(3)]),
            pick.below(5) - 1,
            pick.below(5) - 1,
        )
        for _one in range(10)
    ]
    return [*map(Move, range(-1, 8)), *dances, *near_legal(trial)]


def near_legal(trial: Trial) -> list[Command]:
    """Dances one card or token beside what is held."""
    (seat,) = GAME.to_act(trial.table.state)
    hand = trial.table.state.dance.hands[seat]
    rotate, parade = (tuple(one.value for one in hand if one.kind == kind) for kind in KINDS)
    stock = trial.table.state.stock.tokens[seat]
    return [
        Dance(rotate[::-1], parade[::-1], stock.rotate, stock.parade),
        Dance(parade, rotate, 0, 0),
        Dance(rotate + rotate[:1], (), 0, 0),
        Dance(rotate[:1], (), stock.rotate + 1, 0),
        Dance((), parade[:1], 0, stock.parade + 1),
        Dance((), (), -1, 1),
    ]


def normal(command: Command) -> Command:
    """The form under which `legal` lists a command: values ascending."""
    if not isinstance(command, Dance):
        return command
    rotate, parade = tuple(sorted(command.rotate)), tuple(sorted(command.parade))
    return replace(command, rotate=rotate, parade=parade)


def by_the_book(state: State, seat: int, dance: Dance) -> bool:
    """Whether a dance is lawful, worked out once more from the rulebook alone."""
    field = state.fields[seat] or 0
    place = "market" if field == 20 else state.trail[field - 1]
    left = list(state.dance.hands[seat])
    for kind in KINDS:
        for value in getattr(dance, kind):
            if DanceCard(kind, value) not in left:  # type: ignore[arg-type]
                return False
            left.remove(DanceCard(kind, value))  # type: ignore[arg-type]
    return all(_category_by_the_book(state, seat, dance, kind, place) for kind in KINDS)


def _category_by_the_book(state: State, seat: int, dance: Dance, kind: str, place: str) -> bool:
    had = getattr(state.stock.tokens[seat], kind)
    laid = getattr(dance, f"{kind}_tokens")
    if not 0 <= laid <= had:
        return False
    total = sum(getattr(dance, kind)) + laid * state.token_value
    if total == 0 or place == "street":
        return True
    best = max((bid.sum for bid in getattr(getattr(state.bids, place), kind)), default=0)
    held = [card.value for card in state.dance.hands[seat] if card.kind == kind]
    could = sum(held) + had * state.token_value > best
    return total > best or (place == "market" and not could)


def check_legal(trial: Trial) -> None:
    """`legal` and the rulings agree, and both agree with the book."""
    (seat,) = GAME.to_act(trial.table.state)
    legal = trial.table.legal(seat)
    assert 0 < len(legal) <= 200
    assert len(set(legal)) == len(legal)
    for command in candidates(trial):
        lawful = trial.table.refusal(seat, command) is None
        assert lawful == (normal(command) in legal), command
    if trial.table.state.phase == "dance":
        for form in GAME.commands[2].forms(trial.table.state, trial.table.by(seat)):
            assert isinstance(form, Dance)
            assert (form in legal) == by_the_book(trial.table.state, seat, form)


@pytest.mark.parametrize("seats", SEATS)
def test_what_is_listed_is_accepted_and_everything_else_refused(seats: int) -> None:
    """`legal` is complete, lists each different form once, and agrees with the rulings."""
    for number in range(20, 24):
        trial = Trial(seats, number)
        check_legal(trial)
        for _events in trial.steps():
            if GAME.to_act(trial.table.state):
                check_legal(trial)


def test_the_longest_list_has_two_hundred_dances() -> None:
    """Two seats, three different cards and all eight tokens in stock, on a street."""
    table = Table(GAME, seats=2, options={"challenge": False})
    hand = (DanceCard("rotate", 1), DanceCard("rotate", 2), DanceCard("parade", 3))
    table.given(
        phase="dance",
        dancing=1,
        fields=(0, 1),
        order=(0, 1),
        dance=replace(table.state.dance, hands=(hand, hand)),
        stock=Stock((Tokens(0, 0), Tokens(4, 4)), (0, 8)),
    )
    assert len(set(table.legal(1))) == 200


# ── Who cannot know ───────────────────────────────────────────────────────────────────────────────


def disguised(state: State, viewer: int | None, pick: Chance) -> State:
    """Another state that looks the same to a viewer: what it may not know is dealt anew."""
    seats = range(len(state.fields))
    movement, dance = state.movement, state.dance
    walks = [
        _redealt(movement.hands[seat], movement.piles[seat], seat == viewer, pick) for seat in seats
    ]
    steps = [_redealt(dance.hands[seat], dance.piles[seat], seat == viewer, pick) for seat in seats]
    return replace(
        state,
        movement=replace(
            movement, hands=tuple(one for one, _ in walks), piles=tuple(one for _, one in walks)
        ),
        dance=replace(
            dance, hands=tuple(one for one, _ in steps), piles=tuple(one for _, one in steps)
        ),
        stock=replace(state.stock, tokens=_other_stocks(state, viewer, pick)),
        street_tokens=_other_tokens(state, pick),
        street_dance=_other_sums(state, viewer, pick),
        challenge_tokens=_other_challenges(state, viewer, pick),
    )


def _redealt(hand: Any, pile: Any, own: bool, pick: Chance) -> tuple[Any, Any]:  # noqa: FBT001
    if own:
        return hand, pick.shuffle(pile)
    cards = pick.shuffle(hand + pile)
    return cards[: len(hand)], cards[len(hand) :]


def _other_stocks(state: State, viewer: int | None, pick: Chance) -> tuple[Tokens, ...]:
    splits = [(count, pick.below(count + 1)) for count in state.stock.counts]
    return tuple(
        had if seat == viewer else Tokens(some, count - some)
        for seat, (had, (count, some)) in enumerate(zip(state.stock.tokens, splits, strict=True))
    )


def _other_tokens(state: State, pick: Chance) -> Any:
    down = [token for token in state.street_tokens if token.face == "down"]
    others = iter(pick.shuffle(down))
    return tuple(
        token if token.face == "up" else replace(next(others), field=token.field)
        for token in state.street_tokens
    )


def _other_sums(state: State, viewer: int | None, pick: Chance) -> StreetDance:
    street = state.street_dance
    if state.phase == "over":
        return street
    sums = [total if seat == viewer else pick.below(50) for seat, total in enumerate(street.sums)]
    return replace(street, sums=tuple(sums))


def _other_challenges(state: State, viewer: int | None, pick: Chance) -> Any:
    def other(token: ChallengeToken) -> ChallengeToken:
        known = token.seat == viewer or token.face == "up"
        return token if known else replace(token, kind=pick.shuffle((*KINDS, "distract"))[0])

    squares = {
        square: tuple(map(other, getattr(state.challenge_tokens, square))) for square in SQUARES
    }
    return replace(state.challenge_tokens, **squares)


def looks(table: Table, viewer: int | None, sweep: list[Command]) -> Any:
    """All that a viewer gets from a state: the view, who is to act, legal lists, refusals."""
    state, audience = table.state, SPECTATOR if viewer is None else seat_viewer(viewer)
    view = msgspec.json.encode(redact(state, Scope(audience, state)))
    if viewer is None or state.fields[viewer] is None:
        return view, GAME.to_act(state)
    by = table.by(viewer)
    judged = [
        clause(state, by, command)
        for rules in GAME.commands
        for command in sweep
        if type(command) is rules.command
        for clause in rules.rulings
    ]
    return view, GAME.to_act(state), table.legal(viewer), judged


@pytest.mark.parametrize("seats", SEATS)
def test_states_that_differ_in_hidden_things_look_the_same(seats: int) -> None:
    """Views, legal lists and refusals depend on nothing that the viewer may not know."""
    trial = Trial(seats, 30 + seats)
    for step, _events in enumerate(trial.steps()):
        if step % 3 or not GAME.to_act(trial.table.state):
            continue
        state, sweep = trial.table.state, candidates(trial)
        for viewer in (None, *range(seats)):
            before = looks(trial.table, viewer, sweep)
            trial.table.state = disguised(state, viewer, trial.pick)
            assert looks(trial.table, viewer, sweep) == before
            trial.table.state = state
