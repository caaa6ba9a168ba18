"""What follows from a command of dancing-villager, as stories of events.

The course of a match:

    ready … ready ─► roll ─► grabs, only noted ─► close ─► ready … (a new round after a call)
"""

from msgspec import UNSET

from referee.core.game import Asker, At, Outcome, Standing, Steps, ranked
from referee.core.randomness import Chance
from referee.core.seats import still_in
from referee.games.dancing_villager import events
from referee.games.dancing_villager.counting import all_flat, counted, standing, throw
from referee.games.dancing_villager.types import Close, Count, Grab, Ready, ReportRoll, Roll, State

# ── Stories ─────────────────────────────────────────────────────────────────────────────────────


def say_ready(at: At[State], _command: Ready) -> Steps[State]:
    """A seat is ready; with the last of them all villagers are rolled."""
    state = yield events.Called(at.seat)
    return (yield from _roll_if_due(state, at.chance))


def roll_if_due(at: At[State]) -> Steps[State]:
    """The roll, where a withdrawal or the end of a pause leaves only seats that are ready."""
    return (yield from _roll_if_due(at.state, at.chance))


def _roll_if_due(state: State, chance: Chance) -> Steps[State]:
    """Virtual play: the roll, where no seat is waited for any more."""
    due = state.phase == "ready" and state.options.mode == "virtual" and not to_act(state)
    if not due:
        return state
    return (yield from _roll(state, throw(state, chance)))


def report_roll(at: At[State], command: ReportRoll) -> Steps[State]:
    """The villagers on the real table."""
    return (yield from _roll(at.state, command.villagers))


def _roll(state: State, villagers: Roll) -> Steps[State]:
    """The roll, its standing villagers, and then the end or a dog that joins.

    Rulings `standing-tames`, `win`, `all-flat`.
    """
    state = yield events.Rolled(villagers)
    state = yield from _tame_for_standing(state, villagers)
    if _reached_target(state):
        return (yield from _end(state))
    if all_flat(villagers) and state.pack:
        state = yield events.DogJoined(state.village + 1)
    return state


def _tame_for_standing(state: State, villagers: Roll) -> Steps[State]:
    for seat, number in enumerate(standing(villagers)):
        for _ in range(min(number, state.pack)):
            state = yield events.DogTamed(seat, "pack")
    return state


def grab(at: At[State], command: Grab) -> Steps[State]:
    """The grab is noted, right or wrong (ruling `judged-at-close`)."""
    return (yield events.Grabbed(grabber(at.by, command), command.what))


def close(at: At[State], _command: Close) -> Steps[State]:
    """The window closes, and everything that its roll and its grabs bring, step by step."""
    count = at.state.count or counted(())
    state = yield events.WindowClosed(count, at.state.call)
    takers = _takers(state)
    for seat in takers:
        state = yield events.DogTamed(seat, "village")
    state = yield from _lose(state)
    state = yield from _escape(state)
    state = yield from _clear_sticks(state, count)
    if takers and state.pack:
        state = yield events.DogAdded((takers[-1] + len(state.out) // 2) % len(state.out))
    if _reached_target(state) or _rounds_are_up(state):
        return (yield from _end(state))
    return state


def _takers(state: State) -> list[int]:
    """Who takes a dog each, in the order of hands (rulings `tame`, `too-late`)."""
    if state.call != "tame":
        return []
    return [note.seat for note in state.grabs if note.what == "dog"][: state.village]


def _lose(state: State) -> Steps[State]:
    """One villager for a mistake, one in an assault (rulings `wrong-move`, `assault`)."""
    for seat in still_in(state.out):
        if state.mistakes[seat]:
            state = yield events.VillagerLost(seat, "mistake")
        attacked = state.call == "assault" and seat != state.bonfire_by
        if attacked and state.villagers[seat]:
            state = yield events.VillagerLost(seat, "assault")
    return state


def _escape(state: State) -> Steps[State]:
    """Who has no villager left gives its dogs away and starts again (ruling `escape`)."""
    for seat in still_in(state.out):
        if not state.villagers[seat]:
            state = yield events.DogsEscaped(seat, state.dogs[seat])
    return state


def _clear_sticks(state: State, count: Count) -> Steps[State]:
    """A call fills up the sticks, otherwise those counted go.

    Rulings `round-end` and `net-count`. None goes off in a round that ends: what is to be
    done is done before the sticks are taken away.
    """
    if state.call is not None:
        return (yield events.RoundEnded(state.call))
    if count.removes is not None:
        state = yield events.SticksRemoved(count.removes, count.sticks)
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
            state = yield events.GameWon(row.seat)
    return state


# ── Questions ───────────────────────────────────────────────────────────────────────────────────


def to_act(state: State) -> tuple[int, ...]:
    """The seats that have not said ready; nobody in table mode or while the window is open."""
    if state.phase != "ready" or state.options.mode == "table":
        return ()
    out, by_seat = state.out, enumerate(state.ready)
    return tuple([seat for seat, ready in by_seat if not ready and not out[seat]])


def grabber(by: Asker, command: Grab) -> int:
    """Whose hand it was: the seat reported in table mode, the asking seat in virtual play."""
    return by.own if command.seat is UNSET else command.seat


def outcome(state: State) -> Outcome | None:
    """The ranking once it is over: by itself, or because one seat is left."""
    if state.phase != "over":
        return None
    alone = len(still_in(state.out)) == 1
    return Outcome("withdrawal" if alone else "played-out", tuple(_ranking(state)))


def _ranking(state: State) -> list[Standing]:
    """By dogs, which are the score, then villagers, then shared (ruling `ranking`)."""
    scores = {seat: (state.dogs[seat], state.villagers[seat]) for seat in still_in(state.out)}
    return ranked(scores, dict(enumerate(state.dogs)))


def deadline(state: State) -> int | None:
    """When the window ends, in virtual play."""
    return state.window_ends


def overdue(_state: State) -> Close:
    """What the service sends then."""
    return Close()
