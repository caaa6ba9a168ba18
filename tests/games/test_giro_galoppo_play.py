"""giro-galoppo in play: whole rounds against a second reading of the rules, whole matches."""

from itertools import pairwise, product
from typing import Any

import msgspec
import pytest

from referee.core.game import Command
from referee.core.randomness import Chance
from referee.core.visibility import ORGANIZER, SPECTATOR, Scope, Viewer, redact, seat_viewer
from referee.games.giro_galoppo import GAME
from referee.games.giro_galoppo.events import CardChosen, HorseMoved
from referee.games.giro_galoppo.types import RACING_CARDS, ChooseCard, PlaceObstacle, State
from tests.games.table import Table

Move = tuple[int, int, int, int, str, tuple[int, int, int] | None]
"""seat, card, from, to, outcome, pushed (seat, from, to)."""


# ── a second reading ──────────────────────────────────────────────────────────────────────────────


def second_reading(state: State, cards: tuple[int | None, ...]) -> tuple[list[Move], list[Any]]:
    """A round by the rulebook, written without the rules under test: its moves, where all stand."""
    stands: list[Any] = list(state.spaces)
    course = state.course
    solid = set(course.river) | set(course.moor) | set(course.obstacles)
    oldest_first = [*reversed(state.options.age_order or ())]
    moves: list[Move] = []
    for card in range(1, 7):
        waiting = {seat for seat in oldest_first if cards[seat] == card}
        first = True
        while waiting:
            lowest = min(stands[seat] for seat in waiting)
            seat = [one for one in oldest_first if one in waiting and stands[one] == lowest][0]  # noqa: RUF015 -- reads as the rule does
            waiting.discard(seat)
            here = stands[seat]
            if not first and state.options.ties == "rearmost-only":
                moves.append((seat, card, here, here, "held", None))
            elif here + card in solid:
                moves.append((seat, card, here, here, "blocked", None))
            else:
                pushed = _second_push(stands, solid, seat, here + card)
                moves.append((seat, card, here, here + card, "moved", pushed))
            first = False
    return moves, stands


def _second_push(
    stands: list[Any], solid: set[int], seat: int, goal: int
) -> tuple[int, int, int] | None:
    there = [other for other, space in enumerate(stands) if space == goal]
    stands[seat] = goal
    for other in there:
        stands[other] = None
        free = [space for space in range(1, goal) if space not in solid and space not in stands]
        stands[other] = max(free, default=0)
        return other, goal, stands[other]
    return None


def check_round(table: Table, cards: tuple[int, ...]) -> None:
    """Play these cards, and compare every move and the end with the second reading."""
    before, riders = table.state, GAME.to_act(table.state)
    laid: list[int | None] = [None] * len(before.spaces)
    events: list[Any] = []
    for seat, card in zip(riders, cards, strict=True):
        laid[seat] = card
        events = table.when(seat, ChooseCard(card))
    moves, stands = second_reading(before, tuple(laid))
    assert [as_move(event) for event in events if isinstance(event, HorseMoved)] == moves
    assert list(table.state.spaces) == stands
    over = any(space is not None and space > before.course.length for space in stands)
    assert (table.state.phase == "over") == over
    assert table.state.round == before.round + (0 if over else 1)


def as_move(event: HorseMoved) -> Move:
    """A move as the second reading writes it."""
    push = event.pushed
    pushed = None if push is None else (push.seat, push.from_, push.to)
    return (event.seat, event.card, event.from_, event.to, event.outcome, pushed)


def anywhere(name: str, seats: int) -> Table:
    """A table in the race under random options, with obstacles and horses at random."""
    pick = Chance(bytes(32), name, [])
    table = Table(GAME, seats=seats, options=GAME.vary(pick, seats))
    while table.state.phase == "obstacles":
        (seat,) = GAME.to_act(table.state)
        table.when(seat, pick.one_of(table.legal(seat)))
    # Close together, so that they meet: around a place anywhere from the gate to the line.
    course = table.state.course
    around = pick.below(course.length - 3)
    free = [space for space in range(around, around + 12) if 0 < space <= course.length]
    free = [space for space in free if not course.blocks(space)]
    spaces = tuple(0 if around < 4 and pick.below(2) else space for space in pick.shuffle(free))
    return table.given(spaces=(spaces + (0,) * seats)[:seats])


@pytest.mark.parametrize("ties", ["all-move", "rearmost-only"])
@pytest.mark.parametrize("spaces", [(0, 0, 0), (3, 5, 4), (9, 10, 13), (38, 37, 40)])
def test_every_three_cards_from_here_go_as_read_a_second_time(
    ties: str, spaces: tuple[int, ...]
) -> None:
    """All 216 choices of three seats, from the gate, in the field, at the river, at the line."""
    start = Table(GAME, seats=3, options={"ties": ties, "age_order": [1, 2, 0]})
    course = msgspec.structs.replace(start.state.course, obstacles=(6, 17, 20, 27, 35))
    start.given(phase="race", placing=None, round=1, course=course, spaces=spaces)
    state = start.state
    for cards in product(RACING_CARDS, repeat=3):
        start.state = state
        check_round(start, cards)


@pytest.mark.parametrize("trial", range(60))
def test_rounds_anywhere_go_as_read_a_second_time(trial: int) -> None:
    """2 to 5 horses close together on random courses: some random choices each."""
    rounds_from_anywhere(f"anywhere {trial}", 2 + trial % 4, rounds=12)


@pytest.mark.long
@pytest.mark.timeout(0)
def test_many_rounds_anywhere_go_as_read_a_second_time() -> None:
    """The same, many more times."""
    for trial in range(4_000):
        rounds_from_anywhere(f"anywhere at length {trial}", 2 + trial % 4, rounds=60)


def rounds_from_anywhere(name: str, seats: int, *, rounds: int) -> None:
    """Random choices from one random position, each from that position again."""
    table, pick = anywhere(name, seats), Chance(bytes(32), name + " cards", [])
    state = table.state
    for _ in range(rounds):
        table.state = state
        # Few different cards, so that many are equal.
        few = pick.shuffle(RACING_CARDS)[: 1 + pick.below(6)]
        check_round(table, tuple(few[pick.below(len(few))] for _ in range(seats)))


# ── whole matches ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("trial", range(12))
def test_matches_at_random_keep_every_law_of_the_game(trial: int) -> None:
    """Under varied options, with withdrawals in some, checked after every commit."""
    play_match(f"match {trial}", 2 + trial % 4, leavers=trial % 3)


@pytest.mark.long
@pytest.mark.timeout(0)
def test_many_matches_at_random_keep_every_law_of_the_game() -> None:
    """The same, many more times."""
    for trial in range(1_200):
        play_match(f"match at length {trial}", 2 + trial % 4, leavers=trial % 3)


def play_match(name: str, seats: int, leavers: int) -> None:
    """One match to its end, withdrawals at random moments, every law checked all along."""
    pick = Chance(bytes(32), name, [])
    table = Table(GAME, seats=seats, options=GAME.vary(pick, seats))
    while GAME.outcome(table.state) is None:
        check_laws(table)
        check_legal(table)
        if leavers and pick.below(20) == 0:
            leavers -= 1
            riders = [seat for seat, space in enumerate(table.state.spaces) if space is not None]
            table.leaves(riders[pick.below(len(riders))])
            continue
        actors = GAME.to_act(table.state)
        seat = actors[pick.below(len(actors))]
        table.when(seat, pick.one_of(table.legal(seat)))
    check_laws(table)
    check_ranking(table)
    assert table.chance.draws == 0


def check_laws(table: Table) -> None:
    """What holds between any two commits."""
    state = table.state
    check_course(state)
    check_hands(state)
    standing = [space for space in state.spaces if space]
    assert len(set(standing)) == len(standing)
    assert not any(state.course.blocks(space) for space in standing)
    assert all(0 <= space <= state.course.length + 6 for space in standing)
    assert state.moves_left == 0
    assert (state.placing is not None) == (state.phase == "obstacles")
    assert (GAME.to_act(state) == ()) == (state.phase == "over")
    assert (GAME.outcome(state) is None) == (state.phase != "over")
    assert (state.round == 0) == (len(state.course.obstacles) < 5)


def check_course(state: State) -> None:
    """Obstacles on sand, apart from each other and from nature; two late ones once all stand."""
    course = state.course
    natural = {*course.river, *course.moor}
    assert all(high - low > 1 for low, high in pairwise(sorted(course.obstacles)))
    assert not any({space - 1, space, space + 1} & natural for space in course.obstacles)
    assert all(1 <= space <= course.length for space in (*natural, *course.obstacles))
    assert len(course.obstacles) <= 5
    if len(course.obstacles) == 5:
        last = max(*course.river, *course.moor)
        assert sum(space > last for space in course.obstacles) >= 2


def check_hands(state: State) -> None:
    """Cards are conserved: six less one a round played, and choices are cards in the hand."""
    gone = [space is None for space in state.spaces]
    played = max(0, state.round - 1) % 6 + (state.phase == "over" and state.round > 0)
    for seat, hand in enumerate(state.hands):
        assert state.hand_counts[seat] == len(hand)
        assert list(hand) == sorted(set(hand))
        assert set(hand) <= set(RACING_CARDS)
        assert (state.chosen[seat] is not None) == state.has_chosen[seat]
        assert state.chosen[seat] is None or state.chosen[seat] in hand
        if gone[seat]:
            assert (hand, state.has_chosen[seat]) == ((), False)
        elif len(gone) - sum(gone) > 1:
            assert len(hand) == 6 - played


def check_legal(table: Table) -> None:
    """Of every number near the course and the hand exactly those of `legal` are accepted."""
    state = table.state
    for seat in range(len(state.spaces)):
        sweep: list[Command] = [
            PlaceObstacle(space) for space in range(-3, state.course.length + 9)
        ]
        sweep += [ChooseCard(card) for card in range(-2, 10)]
        accepted = [command for command in sweep if table.refusal(seat, command) is None]
        if seat in GAME.to_act(state):
            assert accepted == table.legal(seat) != []
        else:
            assert accepted == []


def check_ranking(table: Table) -> None:
    """A row for every seat; places by distance behind the line; withdrawn seats have nothing."""
    ended, state = GAME.outcome(table.state), table.state
    assert ended is not None
    assert sorted(row.seat for row in ended.ranking) == list(range(len(state.spaces)))
    assert [row.score for row in sorted(ended.ranking, key=lambda row: row.seat)] == list(
        state.spaces
    )
    placed = [row for row in ended.ranking if row.place is not None]
    assert [row.place for row in placed] == list(range(1, len(placed) + 1))
    if ended.reason == "played-out":
        line = state.course.length
        behind = sorted((space for space in state.spaces if space and space > line), reverse=True)
        assert [row.score for row in placed] == behind != []
    else:
        assert [row.score for row in placed] == [
            space for space in state.spaces if space is not None
        ]


# ── who sees what ─────────────────────────────────────────────────────────────────────────────────


def in_a_round() -> Table:
    """Three seats in the first round; 0 and 1 have laid cards."""
    table = Table(GAME, seats=3)
    course = msgspec.structs.replace(table.state.course, obstacles=(6, 17, 20, 36, 39))
    table.given(phase="race", placing=None, round=1, course=course, spaces=(4, None, 9))
    hands = ((1, 2, 5), (), (1, 3, 6))
    table.given(hands=hands, hand_counts=(3, 0, 3))
    table.when(0, ChooseCard(5))
    return table


def seen(table: Table, viewer: Viewer, *, finished: bool = False) -> Any:
    """The state as a viewer gets it on the wire."""
    shown = redact(table.state, Scope(viewer, table.state, finished))
    return msgspec.json.decode(msgspec.json.encode(shown))


def test_the_state_on_the_wire_is_the_pages() -> None:
    """Exactly the page's keys, in its order, with lists by seat."""
    assert list(seen(in_a_round(), seat_viewer(0)).items()) == [
        ("phase", "race"),
        (
            "course",
            {"length": 40, "river": [11, 24], "moor": [33], "obstacles": [6, 17, 20, 36, 39]},
        ),
        ("placing", None),
        ("round", 1),
        ("spaces", [4, None, 9]),
        ("hands", [[1, 2, 5], None, None]),
        ("hand_counts", [3, 0, 3]),
        ("chosen", [5, None, None]),
        ("has_chosen", [True, False, False]),
    ]


@pytest.mark.parametrize("finished", [False, True])
@pytest.mark.parametrize(
    ("viewer", "hands", "chosen"),
    [
        (seat_viewer(0), [[1, 2, 5], None, None], [5, None, None]),
        (seat_viewer(1), [None, [], None], [None, None, None]),
        (seat_viewer(2), [None, None, [1, 3, 6]], [None, None, None]),
        (SPECTATOR, [None, None, None], [None, None, None]),
        (ORGANIZER, [[1, 2, 5], [], [1, 3, 6]], [5, None, None]),
    ],
)
def test_each_viewer_sees_its_own_hand_and_choice(
    viewer: Viewer, hands: list[Any], chosen: list[Any], *, finished: bool
) -> None:
    """Own entries only, the organizer all, and no more than that after the match."""
    view = seen(in_a_round(), viewer, finished=finished)
    assert (view["hands"], view["chosen"]) == (hands, chosen)


def test_a_choice_is_hidden_from_everybody_else() -> None:
    """`card_chosen` shows its card to its seat and the organizer."""
    event = CardChosen(seat=1, card=4)
    told = {
        str(viewer): redact(event, Scope(viewer))
        for viewer in (seat_viewer(0), seat_viewer(1), SPECTATOR, ORGANIZER)
    }
    hidden = {"type": "card_chosen", "seat": 1, "card": None}
    shown = {"type": "card_chosen", "seat": 1, "card": 4}
    assert told == {"seat 0": hidden, "seat 1": shown, "spectator": hidden, "organizer": shown}


def test_all_other_events_are_the_same_for_everybody_and_as_the_page_writes_them() -> None:
    """A round's events on the wire, as a spectator gets them."""
    table = in_a_round()
    table.given(spaces=(4, None, 8), hands=((5,), (), (1,)), hand_counts=(1, 0, 1))
    table.state = msgspec.structs.replace(table.state, has_chosen=(False,) * 3, chosen=(None,) * 3)
    table.when(2, ChooseCard(1))
    events = table.when(0, ChooseCard(5))[1:]
    wire = [[msgspec.to_builtins(redact(event, Scope(v))) for event in events] for v in VIEWERS]
    assert all(told == wire[0] for told in wire)
    assert wire[0] == [
        {"type": "cards_shown", "cards": (5, None, 1)},
        {
            "type": "horse_moved",
            "seat": 2,
            "card": 1,
            "from": 8,
            "to": 9,
            "outcome": "moved",
            "pushed": None,
        },
        {
            "type": "horse_moved",
            "seat": 0,
            "card": 5,
            "from": 4,
            "to": 9,
            "outcome": "moved",
            "pushed": {"seat": 2, "from": 9, "to": 8},
        },
        {"type": "hands_returned"},
    ]


VIEWERS = (seat_viewer(0), seat_viewer(1), seat_viewer(2), SPECTATOR, ORGANIZER)


@pytest.mark.parametrize("trial", range(12))
def test_what_a_rival_laid_makes_no_difference_to_anybody_else(trial: int) -> None:
    """Two matches apart only in hidden cards: equal views, legal commands, refusals, events."""
    pick = Chance(bytes(32), f"hidden {trial}", [])
    table, other = anywhere(f"hidden {trial}", 4), anywhere(f"hidden {trial}", 4)
    mine, rival = pick.shuffle(range(4))[:2]
    for one, hidden in ((table, (1, 2, 3)), (other, (4, 5, 6))):
        hands = tuple((2, 3, 6) if seat == mine else hidden for seat in range(4))
        one.given(hands=hands, hand_counts=(3,) * 4)
    told = table.when(rival, ChooseCard(1)), other.when(rival, ChooseCard(6))
    for viewer in (seat_viewer(mine), SPECTATOR):
        assert seen(table, viewer) == seen(other, viewer)
        first, second = ([redact(e, Scope(viewer)) for e in events] for events in told)
        assert first == second
    assert table.legal(mine) == other.legal(mine)
    for command in (ChooseCard(1), ChooseCard(3), ChooseCard(4), PlaceObstacle(3)):
        assert table.refusal(mine, command) == other.refusal(mine, command)
    assert GAME.to_act(table.state) == GAME.to_act(other.state)


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "choose_card"},
        {"type": "choose_card", "card": "4"},
        {"type": "choose_card", "card": 4.0},
        {"type": "choose_card", "card": True},
        {"type": "choose_card", "card": None},
        {"type": "choose_card", "card": 4, "seat": 1},
        {"type": "place_obstacle", "space": [4]},
        {"type": "place_obstacle", "card": 4},
        {"type": "trot"},
        {},
    ],
)
def test_commands_of_a_wrong_shape_do_not_decode(wrong: dict[str, Any]) -> None:
    """The schema refuses types, missing and unknown fields, but no number out of reach."""
    commands = PlaceObstacle | ChooseCard
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, commands)
    assert msgspec.convert({"type": "choose_card", "card": -7}, commands) == ChooseCard(-7)
