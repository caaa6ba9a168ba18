"""dancing-villager played at random to its end: what holds in every state on the way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec import UNSET, msgpack, structs

from referee.core.game import Command, Event, Outcome
from referee.core.randomness import Chance
from referee.games.dancing_villager import GAME
from referee.games.dancing_villager.sample import sample
from referee.games.dancing_villager.types import (
    POSES,
    THINGS,
    Close,
    Grab,
    Ready,
    ReportRoll,
    Roll,
    State,
    Villager,
)
from tests.games.dancing_villager_table import SERVICE, Dance, a_roll, turn

MOST_STEPS = 40_000


def trial(number: int) -> tuple[Dance, Chance]:
    """A match with options of its own, and a source of choices for it."""
    pick = Chance(number.to_bytes(32, "big"), "trial", [])
    seats = 2 + number % 3
    return Dance(seats, **GAME.vary(pick, seats)), pick


def played(dance: Dance, pick: Chance) -> Iterator[tuple[State, list[Event]]]:
    """Each step until the match is over: the state before it, and its events.

    Now and then a seat withdraws.
    """
    for _ in range(MOST_STEPS):
        if dance.state.phase == "over":
            return
        before = dance.state
        staying = [seat for seat, out in enumerate(before.out) if not out]
        leaves = pick.below(150) == 0
        yield before, dance.leaves(pick.shuffle(staying)[0]) if leaves else turn(dance, pick)
    pytest.fail("the match does not end")


def check_state(state: State) -> None:
    """What holds between two commits, whatever was played."""
    options, number = state.options, state.options.villagers
    assert number is not None
    assert sum(state.dogs) + state.village + state.pack == options.dogs
    for seat, out in enumerate(state.out):
        low, high = (0, 0) if out else (1, number)
        assert low <= state.villagers[seat] <= high
        assert not (out and (state.dogs[seat] or state.ready[seat]))
    assert 1 <= state.charcoal <= options.charcoal
    assert 1 <= state.meat <= options.meat
    assert state.pack >= 0
    if state.phase != "over":
        assert state.village >= 1
        assert max(state.dogs) < options.target
    assert (state.window_ends is not None) == (state.phase == "grab" and options.mode == "virtual")


def check_fold(before: State, after: State, events: list[Event], at: int) -> None:
    """Events read back from bytes fold to the state that deciding them gave."""
    state = before
    for event in events:
        kind = type(event)
        read = msgpack.decode(msgpack.encode(event), type=kind)
        state = GAME.events[kind].fold(state, read)
    assert GAME.stamped(state, at) == after


def check_trial(number: int) -> int:
    """Play one match to its end and check every step; the number of steps."""
    dance, pick = trial(number)
    drawn = steps = 0
    for before, events in played(dance, pick):
        steps += 1
        check_state(dance.state)
        state = before
        for event in events:
            drawn += GAME.draws(state, event)
            state = GAME.events[type(event)].fold(state, event)
        assert dance.chance.draws == drawn
        if dance.state.out == before.out:
            check_fold(before, dance.state, events, dance.now)
    outcome = GAME.outcome(dance.state)
    assert outcome is not None
    check_ranking(dance.state, outcome)
    return steps


def check_ranking(state: State, outcome: Outcome) -> None:
    """Every seat has a row; those out have no place; the first has most dogs."""
    rows = {row.seat: row for row in outcome.ranking}
    assert sorted(rows) == list(range(len(state.out)))
    for seat, out in enumerate(state.out):
        assert rows[seat].score == state.dogs[seat]
        assert (rows[seat].place is None) == out
    first = [row for row in rows.values() if row.place == 1]
    assert first
    assert max(state.dogs) in {row.score for row in first}


@pytest.mark.parametrize("number", range(40))
def test_a_random_match_ends_and_keeps_its_pieces(number: int) -> None:
    """Dogs, villagers and sticks are conserved, folds and draw numbers agree, and it ends."""
    assert check_trial(number) > 0


@pytest.mark.long
@pytest.mark.parametrize("number", range(40, 1040))
def test_many_random_matches_end_and_keep_their_pieces(number: int) -> None:
    """As above, for a thousand more."""
    assert check_trial(number) > 0


def test_every_event_and_command_comes_up() -> None:
    """Trials leave no kind of event and no ruling's story untried."""
    seen: set[type] = set()
    for number in range(40):
        for _, events in played(*trial(number)):
            seen |= {type(event) for event in events}
        if seen == set(GAME.events):
            return
    assert seen == set(GAME.events)


def rolls_to_try(state: State) -> Iterator[Roll]:
    """Right and wrong reports for the villagers there are."""
    right = tuple((Villager("flat", on_top=False),) * number for number in state.villagers)
    yield right
    yield right[:-1]
    yield (*right, ())
    yield ((*right[0], Villager("up", on_top=False)), *right[1:])
    yield tuple((Villager("up", on_top=True),) * number for number in state.villagers)
    for pose in POSES:
        for on_top in (False, True):
            yield tuple((Villager(pose, on_top=on_top), *own[1:]) if own else () for own in right)


def commands_to_try(state: State) -> Iterator[Command]:
    """A broad sweep of well-formed commands, lawful or not."""
    yield Ready()
    yield Close()
    hands = range(-1, len(state.out) + 1) if state.options.mode == "table" else (UNSET,)
    for what in THINGS:
        for seat in hands:
            yield Grab(what, seat)
    yield from map(ReportRoll, rolls_to_try(state))


def is_in(state: State, seat: object) -> bool:
    """Whether a seat exists and has not withdrawn."""
    return isinstance(seat, int) and 0 <= seat < len(state.out) and not state.out[seat]


def allowed(dance: Dance, asker: int | None, command: Command) -> bool:
    """The page's word on a command, told in another way than the rulings tell it."""
    state, table = dance.state, dance.options.mode == "table"
    if table:
        speaks = asker is None or (asker == dance.options.scorer and is_in(state, asker))
    else:
        speaks = asker == SERVICE if isinstance(command, Close) else is_in(state, asker)
    phase = "ready" if isinstance(command, Ready | ReportRoll) else "grab"
    if not speaks or state.phase != phase:
        return False
    if isinstance(command, Ready):
        return not table and asker in GAME.to_act(state)
    if isinstance(command, ReportRoll):
        return table and possible(state, command.villagers)
    ends = state.window_ends
    if isinstance(command, Close):
        return ends is None or dance.now >= ends
    assert isinstance(command, Grab)
    return may_grab(state, command.seat if table else asker, command) and (
        ends is None or dance.now < ends
    )


def may_grab(state: State, seat: object, command: Grab) -> bool:
    """Whether that hand is in the match, and free to grab once more."""
    done = [note for note in state.grabs if (note.seat, note.what) == (seat, command.what)]
    limit = 1 if command.what == "bonfire" else state.village
    return is_in(state, seat) and len(done) < limit


def possible(state: State, roll: Roll) -> bool:
    """Whether villagers can come to lie so."""
    numbers_fit = [len(own) for own in roll] == list(state.villagers)
    everyone = [one for own in roll for one in own]
    lies = any(not one.on_top for one in everyone)
    return numbers_fit and lies and not any(one == LEANS_ON_TOP for one in everyone)


LEANS_ON_TOP = Villager("leaning", on_top=True)


def check_sweep(dance: Dance) -> None:
    """Refusals, legal and the page agree on every command of a broad sweep, for every asker."""
    tried = list(commands_to_try(dance.state))
    for asker in (None, SERVICE, *range(-1, len(dance.state.out) + 1)):
        listed = dance.legal(asker)
        lawful = [one for one in tried if dance.refusal(asker, one) is None]
        assert lawful == [one for one in tried if allowed(dance, asker, one)]
        one_by_one = [one for one in lawful if not isinstance(one, ReportRoll)]
        assert sorted(listed, key=repr) == sorted(one_by_one, key=repr)


def check_hidden(dance: Dance) -> None:
    """A state that differs in count and call alone brings the same refusals and legal."""
    state = dance.state
    if state.phase != "grab":
        return
    told = refusals_of(dance)
    for call in ("tame", "assault", None):
        dance.state = structs.replace(state, call=call)
        assert refusals_of(dance) == told
    dance.state = state


def refusals_of(dance: Dance) -> list[tuple[object, ...]]:
    """All refusals with their words, who owes a command, and what is legal."""
    tried = list(commands_to_try(dance.state))
    askers = range(len(dance.state.out))
    words = [
        clause(dance.state, dance.by(asker), command)
        for asker in askers
        for command in tried
        for rules in GAME.commands
        if rules.command is type(command)
        for clause in (*GAME.admission.values(), *rules.rulings)
    ]
    legal = [tuple(dance.legal(asker)) for asker in askers]
    return [tuple(words), *legal, GAME.to_act(dance.state), (GAME.deadline(dance.state),)]


@pytest.mark.parametrize("number", range(30))
def test_legal_refusals_and_the_page_agree(number: int) -> None:
    """For every asker and a broad sweep of commands, in states all along random matches."""
    dance, pick = trial(number)
    for step, _ in enumerate(played(dance, pick)):
        if dance.state.phase != "over" and (step < 12 or step % 29 == 0):
            check_sweep(dance)
            check_hidden(dance)
            ends = dance.state.window_ends
            if ends is not None:
                now, dance.now = dance.now, ends
                check_sweep(dance)
                dance.now = now


def test_a_seat_of_a_trial_is_mostly_right() -> None:
    """Nine hands in ten go where they should, and nobody grabs twice what it may once."""
    pick = Chance(bytes(32), "hands", [])
    dance = Dance(3).opened(*("uuuu", "ufff", "ffff"))
    picks = [sample(dance.state, dance.by(1), pick) for _ in range(1000)]
    assert 850 < picks.count(Grab("dog")) < 950
    assert picks.count(Grab("dog")) + picks.count(Grab("bonfire")) == 1000
    dance.grabs(1, "dog")
    later = [sample(dance.state, dance.by(1), pick) for _ in range(1000)]
    assert set(later) == {None, Grab("bonfire")}


def test_a_seat_of_a_trial_holds_still_where_nothing_is_right() -> None:
    """Nine times in ten; and when the window has ended it always does."""
    pick = Chance(bytes(32), "still", [])
    dance = Dance(3).opened(*("uuff", "ddff", "ffff"))
    picks = [sample(dance.state, dance.by(1), pick) for _ in range(1000)]
    assert 850 < picks.count(None) < 950
    dance.now += 5000
    assert {sample(dance.state, dance.by(1), pick) for _ in range(100)} == {None}


def test_a_trial_at_a_real_table_is_reported_by_its_organizer_and_scorer() -> None:
    """Nobody else has anything to say; the reports fit the villagers there are."""
    pick = Chance(bytes(32), "report", [])
    dance = Dance(3, mode="table", scorer=1).given(villagers=(4, 1, 2))
    assert sample(dance.state, dance.by(0), pick) is None
    for asker in (None, 1):
        report = sample(dance.state, dance.by(asker), pick)
        assert isinstance(report, ReportRoll)
        assert dance.refusal(asker, report) is None
    dance.when(None, ReportRoll(a_roll("ffff", "f", "ff")))
    assert dance.legal(1) != []
