"""The rules of dancing-villager: what refuses a command, and what follows from one.

The course of a match::

    ready … ready ─► roll ─► grabs, only noted ─► close ─► ready … (a new round after a call)
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from referee.core.game import (
    Asker,
    Command,
    CommandRules,
    Event,
    ListOf,
    OneOf,
    Outcome,
    Standing,
    Steps,
    Template,
    apart,
    ranked,
)
from referee.core.randomness import Chance
from referee.core.ruling import ruling
from referee.games.dancing_villager.admission import PHASES, may_report, seats_in, to_act
from referee.games.dancing_villager.counting import all_flat, draws_of, standing, throw
from referee.games.dancing_villager.folds import put
from referee.games.dancing_villager.types import (
    POSES,
    THINGS,
    Called,
    Close,
    Count,
    DogAdded,
    DogJoined,
    DogsEscaped,
    DogTamed,
    GameWon,
    Grab,
    Grabbed,
    Ready,
    ReportRoll,
    Roll,
    Rolled,
    RoundEnded,
    State,
    SticksRemoved,
    VillagerLost,
    WindowClosed,
)

# ---------------------------------------------------------------- rulings that refuse


@ruling("roll-own")
def roll_own(state: State, _by: Asker, command: ReportRoll) -> str | None:
    """A report lists every seat with exactly the villagers that it still has."""
    if len(command.villagers) != len(state.villagers):
        there = len(state.villagers)
        return f"Seats in the report: {len(command.villagers)}; seats at the table: {there}."
    for seat, (own, has) in enumerate(zip(command.villagers, state.villagers, strict=True)):
        if len(own) != has:
            return f"Seat {seat} rolls {has} villagers, the report lists {len(own)}."
    return None


@ruling("pile-doubles")
def pile_doubles(_state: State, _by: Asker, command: ReportRoll) -> str | None:
    """At least one villager of a roll lies below."""
    villagers = list(chain.from_iterable(command.villagers))
    if villagers and all(villager.on_top for villager in villagers):
        return f"None of the {len(villagers)} villagers lies below, so none can be on top."
    return None


@ruling("leaning-zero")
def leaning_zero(_state: State, _by: Asker, command: ReportRoll) -> str | None:
    """A villager that leans is not on top."""
    for seat, own in enumerate(command.villagers):
        for place, villager in enumerate(own):
            if villager.pose == "leaning" and villager.on_top:
                return f"Villager {place} of seat {seat} cannot both lean and lie on top."
    return None


@ruling("grab-again")
def grab_again(state: State, by: Asker, command: Grab) -> str | None:
    """In one window a seat grabs the bonfire once, and dogs as often as the village holds dogs."""
    seat = grabber(by, command)
    before = sum(note.seat == seat and note.what == command.what for note in state.grabs)
    if command.what == "bonfire" and before >= 1:
        return f"Seat {seat} has grabbed the bonfire in this window."
    if command.what == "dog" and before >= state.village:
        dogs = "1 dog" if state.village == 1 else f"{state.village} dogs"
        return f"The village holds {dogs}, and seat {seat} has grabbed {before} in this window."
    return None


@ruling("window")
def window(state: State, by: Asker, command: Grab | Close) -> str | None:
    """Virtual play: grabs count before ``window_ends``, and only from then on may it close."""
    ends = state.window_ends
    if ends is None:
        return None
    if isinstance(command, Grab) and by.at >= ends:
        return f"The window ended at {ends} ms, this grab came at {by.at}."
    if isinstance(command, Close) and by.at < ends:
        return f"The window is open until {ends} ms, it is {by.at} now."
    return None


def grabber(by: Asker, command: Grab) -> int | None:
    """Whose hand it was: the seat reported in table mode, the asking seat in virtual play."""
    return by.seat if command.seat is UNSET else command.seat


# ---------------------------------------------------------------- what follows from a command


def say_ready(state: State, by: Asker, _command: Ready, chance: Chance) -> Steps[State]:
    """A seat is ready; with the last of them all villagers are rolled."""
    seat = by.seat
    if seat is None:
        raise ValueError("a seat says ready")
    state = yield Called(seat)
    return (yield from roll_if_due(state, by, chance))


def roll_if_due(state: State, _by: Asker, chance: Chance) -> Steps[State]:
    """Virtual play: the roll, where no seat is waited for any more.

    It comes with the last ready, and where a withdrawal leaves only seats that are ready.
    """
    due = state.phase == "ready" and state.options.mode == "virtual" and not to_act(state)
    if not due:
        return state
    return (yield from _roll(state, throw(state, chance)))


def report_roll(state: State, _by: Asker, command: ReportRoll, _chance: Chance) -> Steps[State]:
    """The villagers on the real table."""
    return (yield from _roll(state, command.villagers))


def _roll(state: State, villagers: Roll) -> Steps[State]:
    """The roll, its standing villagers, and then the end or a dog that joins.

    Rulings ``standing-tames``, ``win``, ``all-flat``.
    """
    state = yield Rolled(villagers)
    state = yield from _tame_for_standing(state, villagers)
    if _reached_target(state):
        return (yield from _end(state))
    if all_flat(villagers) and state.pack:
        state = yield DogJoined(state.village + 1)
    return state


def _tame_for_standing(state: State, villagers: Roll) -> Steps[State]:
    for seat, number in enumerate(standing(villagers)):
        for _ in range(min(number, state.pack)):
            state = yield DogTamed(seat, "pack")
    return state


def grab(_state: State, by: Asker, command: Grab, _chance: Chance) -> Steps[State]:
    """The grab is noted, right or wrong (ruling ``judged-at-close``)."""
    seat = grabber(by, command)
    if seat is None:
        raise ValueError("a hand belongs to a seat")
    return (yield Grabbed(seat, command.what))


def close(state: State, _by: Asker, _command: Close, _chance: Chance) -> Steps[State]:
    """The window closes, and everything that its roll and its grabs bring, step by step."""
    state = yield WindowClosed(_known(state.count), state.call)
    takers = _takers(state)
    for seat in takers:
        state = yield DogTamed(seat, "village")
    state = yield from _lose(state)
    state = yield from _escape(state)
    state = yield from _clear_sticks(state)
    if takers and state.pack:
        state = yield DogAdded((takers[-1] + len(state.out) // 2) % len(state.out))
    if _reached_target(state) or _rounds_are_up(state):
        return (yield from _end(state))
    return state


def _known(count: Count | None) -> Count:
    if count is None:
        raise ValueError("a window opens with a roll, and a roll has a count")
    return count


def _takers(state: State) -> list[int]:
    """Who takes a dog each, in the order of hands (rulings ``tame``, ``too-late``)."""
    if state.call != "tame":
        return []
    return [note.seat for note in state.grabs if note.what == "dog"][: state.village]


def _lose(state: State) -> Steps[State]:
    """One villager for a mistake, one in an assault (rulings ``wrong-move``, ``assault``)."""
    for seat in seats_in(state):
        if state.mistakes[seat]:
            state = yield VillagerLost(seat, "mistake")
        attacked = state.call == "assault" and seat != state.bonfire_by
        if attacked and state.villagers[seat]:
            state = yield VillagerLost(seat, "assault")
    return state


def _escape(state: State) -> Steps[State]:
    """Who has no villager left gives its dogs away and starts again (ruling ``escape``)."""
    for seat in seats_in(state):
        if not state.villagers[seat]:
            state = yield DogsEscaped(seat, state.dogs[seat])
    return state


def _clear_sticks(state: State) -> Steps[State]:
    """A call fills up the sticks, otherwise those counted go.

    Rulings ``round-end`` and ``net-count``. None goes off in a round that ends: what is to be
    done is done before the sticks are taken away.
    """
    if state.call is not None:
        return (yield RoundEnded(state.call))
    count = _known(state.count)
    if count.removes is not None:
        state = yield SticksRemoved(count.removes, count.sticks)
    return state


def _reached_target(state: State) -> bool:
    return max(state.dogs) >= state.options.target


def _rounds_are_up(state: State) -> bool:
    most = state.options.max_rounds
    return most is not None and state.round > most


def _end(state: State) -> Steps[State]:
    """The match is won by the first in the ranking, or by all who share that place."""
    for row in _ranking(state):
        if row.place == 1:
            state = yield GameWon(row.seat)
    return state


# ---------------------------------------------------------------- withdrawal and the end


def leave(state: State, seat: int) -> State:
    """The seat gives its villagers away and its dogs to the pack; its noted grabs are struck out.

    The roll on the table still counts whole. The last seat left ends the match.
    """
    after = replace(
        state,
        villagers=put(state.villagers, seat, 0),
        dogs=put(state.dogs, seat, 0),
        pack=state.pack + state.dogs[seat],
        ready=put(state.ready, seat, value=False),
        out=put(state.out, seat, value=True),
    )
    if state.phase == "grab":
        kept = tuple(note for note in state.grabs if note.seat != seat)
        after = replace(after, grabs=kept)
    if len(seats_in(after)) == 1:
        after = replace(after, phase="over", window_ends=None)
    return after


def outcome(state: State) -> Outcome | None:
    """The ranking once it is over: by itself, or because one seat is left."""
    if state.phase != "over":
        return None
    alone = len(seats_in(state)) == 1
    return Outcome("withdrawal" if alone else "played-out", tuple(_ranking(state)))


def _ranking(state: State) -> list[Standing]:
    """By dogs, which are the score, then villagers, then shared (ruling ``ranking``)."""
    scores = {seat: (state.dogs[seat], state.villagers[seat]) for seat in seats_in(state)}
    return ranked(scores, dict(enumerate(state.dogs)))


# ---------------------------------------------------------------- the service's part


def deadline(state: State) -> int | None:
    """When the window ends, in virtual play."""
    return state.window_ends


def overdue(_state: State) -> Close:
    """What the service sends then."""
    return Close()


def resumed(state: State, paused_ms: int) -> State:
    """An open window ends later by the length of the pause."""
    if state.window_ends is None:
        return state
    return replace(state, window_ends=state.window_ends + paused_ms)


def draws(state: State, event: Event) -> int:
    """The draw numbers of an event: rolls draw, and only where the service rolls."""
    if isinstance(event, Rolled) and state.options.mode == "virtual":
        return draws_of(event.villagers)
    return 0


def reveals(event: Event) -> bool:
    """The close tells every seat what was right: no hand can be taken back after it."""
    return isinstance(event, WindowClosed)


# ---------------------------------------------------------------- what may be asked


def ready_forms(_state: State, _by: Asker) -> Iterable[Command]:
    """There is but one way to say it."""
    return (Ready(),)


def no_forms(_state: State, _by: Asker) -> Iterable[Command]:
    """Too many to list: see the template."""
    return ()


def report_template(state: State, by: Asker) -> Template | None:
    """What a report lists: by seat its villagers, each with a pose and whether it is on top."""
    if state.options.mode != "table" or not may_report(state, by):
        return None
    villager = {"pose": OneOf(POSES), "on_top": OneOf((False, True))}
    of_a_seat = ListOf(villager, (min(state.villagers), max(state.villagers)))
    seats = len(state.villagers)
    return Template("report_roll", {"villagers": ListOf(of_a_seat, (seats, seats))})


def grab_forms(state: State, by: Asker) -> Iterable[Command]:
    """Both things, for the own hand or, reported, for the hand of every seat still in."""
    if state.options.mode == "virtual":
        return [Grab(what) for what in THINGS]
    if not may_report(state, by):
        return ()
    return [Grab(what, seat) for seat in seats_in(state) for what in THINGS]


def close_forms(_state: State, _by: Asker) -> Iterable[Command]:
    """There is but one way to say it."""
    return (Close(),)


COMMANDS: Final = (
    CommandRules(
        command=Ready,
        phases=frozenset({PHASES[Ready]}),
        rulings=(),
        decide=apart(say_ready),
        forms=ready_forms,
    ),
    CommandRules(
        command=ReportRoll,
        phases=frozenset({PHASES[ReportRoll]}),
        rulings=(roll_own, pile_doubles, leaning_zero),
        decide=apart(report_roll),
        forms=no_forms,
        template=report_template,
    ),
    CommandRules(
        command=Grab,
        phases=frozenset({PHASES[Grab]}),
        rulings=(grab_again, window),
        decide=apart(grab),
        forms=grab_forms,
    ),
    CommandRules(
        command=Close,
        phases=frozenset({PHASES[Close]}),
        rulings=(window,),
        decide=apart(close),
        forms=close_forms,
    ),
)
