"""Pebbles: each seat hides 0 to 3 pebbles, a die names who guesses their sum, two rounds or so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec.structs import replace

from referee.core.game import (
    Asker,
    At,
    Between,
    Command,
    EventRules,
    Events,
    Outcome,
    Standing,
    Steps,
    Template,
    put,
    ranked,
    rules_for,
)
from referee.core.randomness import Chance
from referee.core.ruling import ruling
from referee.core.told.reading import View, names_of
from referee.core.told.svg import document, el
from referee.core.told.words import Names, Seen, by_type, count_of
from tests.toy_game.types import (
    MOST,
    DieRolled,
    FistClosed,
    FistsOpened,
    Guess,
    GuesserNamed,
    Hide,
    Options,
    State,
)

NAME_WIDTH: Final = 24
"""Columns of a terminal that a name takes at most."""


@ruling("in-the-fist")
def in_the_fist(_state: State, _by: Asker, command: Hide) -> str | None:
    """A fist holds 0 to 3 pebbles."""
    if 0 <= command.pebbles <= MOST:
        return None
    return f"A fist holds 0 to {MOST} pebbles, not {command.pebbles}."


@ruling("guess-possible")
def guess_possible(state: State, _by: Asker, command: Guess) -> str | None:
    """The guess is a sum that the fists can have."""
    most = MOST * sum(state.closed)
    return None if 0 <= command.total <= most else f"The fists hold 0 to {most} together."


def start(options: Options, seats: int) -> State:
    """Before the first round."""
    nobody = (False,) * seats
    return State("hide", 0, (None,) * seats, nobody, 0, None, (0,) * seats, options)


def deal(at: At[State]) -> Steps[State]:
    """The die of the first round, among all seats."""
    return (yield from next_round(at.state, at.chance))


def next_round(state: State, chance: Chance) -> Steps[State]:
    """The die of the next round, among the seats still in."""
    die = chance.about("the die")
    return (yield DieRolled(die.below(len(seats_in(state)))))


def hide(at: At[State], command: Hide) -> Steps[State]:
    """A fist closes; with the last of them the guesser is named."""
    state = yield FistClosed(at.seat, command.pebbles)
    return (yield from name_guesser(state))


def after_leaving(at: At[State]) -> Steps[State]:
    """A seat has gone: its fist is no longer waited for."""
    return (yield from name_guesser(at.state))


def name_guesser(state: State) -> Steps[State]:
    """Who guesses, once all fists are closed; a guesser who has left is replaced."""
    if state.phase == "hide" and not to_act(state):
        guessers = seats_in(state)
        return (yield GuesserNamed(guessers[state.die % len(guessers)]))
    if state.phase == "guess" and state.guesser not in seats_in(state):
        return (yield GuesserNamed(seats_in(state)[0]))
    return state


def guess(at: At[State], command: Guess) -> Steps[State]:
    """The fists open, and a new round begins unless it was the last."""
    fists = at.state.fists
    total = sum(fist or 0 for fist in fists)
    state = yield FistsOpened(at.seat, command.total, fists, command.total == total)
    if state.phase == "over":
        return state
    return (yield from next_round(state, at.chance))


def die_rolled(state: State, event: DieRolled) -> State:
    """A new round."""
    return replace(state, phase="hide", round=state.round + 1, die=event.die)


def fist_closed(state: State, event: FistClosed) -> State:
    """One fist more."""
    return replace(
        state,
        fists=put(state.fists, event.seat, event.pebbles),
        closed=put(state.closed, event.seat, value=True),
    )


def guesser_named(state: State, event: GuesserNamed) -> State:
    """A seat owes a guess."""
    return replace(state, phase="guess", guesser=event.seat)


def fists_opened(state: State, event: FistsOpened) -> State:
    """A point, perhaps; after the last round nobody acts any more."""
    seats = len(state.fists)
    points = put(state.points, event.seat, (state.points[event.seat] or 0) + event.right)
    over = state.round == state.options.rounds
    return replace(
        state,
        phase="over" if over else "hide",
        fists=(None,) * seats,
        closed=(False,) * seats,
        guesser=None,
        points=points,
    )


def leave(state: State, seat: int) -> State:
    """The seat's fist and points go; with one seat left it is over."""
    left = replace(
        state,
        fists=put(state.fists, seat, None),
        closed=put(state.closed, seat, value=False),
        points=put(state.points, seat, None),
    )
    if len(seats_in(left)) > 1:
        return left
    return replace(left, phase="over", guesser=None)


def to_act(state: State) -> tuple[int, ...]:
    """Everybody whose fist is open; then the guesser."""
    if state.phase == "hide":
        return tuple(seat for seat in seats_in(state) if not state.closed[seat])
    return () if state.guesser is None else (state.guesser,)


def seats_in(state: State) -> tuple[int, ...]:
    """Who has points has not left."""
    return tuple(seat for seat, points in enumerate(state.points) if points is not None)


def outcome(state: State) -> Outcome | None:
    """Most points first."""
    if state.phase != "over":
        return None
    points = {seat: state.points[seat] for seat in seats_in(state)}
    rows: Sequence[Standing] = ranked(points, dict(enumerate(state.points)))
    return Outcome("played-out" if len(points) > 1 else "withdrawal", tuple(rows))


def _hides(_state: State, _by: Asker) -> Iterable[Command]:
    return map(Hide, range(MOST + 1))


def _guess_template(state: State, _by: Asker) -> Template:
    return Template("guess", {"total": Between((0, MOST * sum(state.closed)))})


def sample(state: State, _by: Asker, pick: Chance) -> Command | None:
    """A guess that can be right."""
    return Guess(pick.below(MOST * sum(state.closed) + 1)) if state.phase == "guess" else None


def vary(pick: Chance, _seats: int) -> dict[str, Any]:
    """Any number of rounds, or the default."""
    return {"rounds": 1 + pick.below(9)} if pick.below(3) else {}


def text(view: View) -> str:
    """A line a seat: its fist and its points."""
    state, names = view["state"], names_of(view, NAME_WIDTH)
    rows = zip(names, state["fists"], state["closed"], state["points"], strict=True)
    return "\n".join(
        f"{name}: {_fist(fist, closed=closed)}, {count_of(points or 0, 'point')}"
        for name, fist, closed, points in rows
    )


def _fist(pebbles: int | None, *, closed: bool) -> str:
    if not closed:
        return "open"
    return "?" if pebbles is None else str(pebbles)


def svg(view: View) -> str:
    """A circle a closed fist."""
    closed = view["state"]["closed"]
    radii = (15 if one else 5 for one in closed)
    circles = (el("circle", cx=20 + 40 * seat, cy=20, r=r) for seat, r in enumerate(radii))
    return document(40 * len(closed), 40, "Pebbles", *circles)


def _fist_closed(event: Seen, names: Names) -> str:
    pebbles = event["pebbles"]
    held = "pebbles" if pebbles is None else count_of(pebbles, "pebble")
    return f"{names[event['seat']]} holds {held}."


def _fists_opened(event: Seen, names: Names) -> str:
    verdict = "right" if event["right"] else "wrong"
    return f"{names[event['seat']]} guesses {event['total']}, and is {verdict}."


tell = by_type(
    {
        "die_rolled": "A die is rolled in secret.",
        "fist_closed": _fist_closed,
        "guesser_named": "{name} has to guess.",
        "fists_opened": _fists_opened,
    }
)
"""One event of pebbles, as its viewer sees it, as a sentence."""
COMMANDS = (
    rules_for(Hide, "hide", hide, in_the_fist, forms=_hides),
    rules_for(Guess, "guess", guess, guess_possible, template=_guess_template),
)
EVENTS: Final[Events] = {
    DieRolled: EventRules(die_rolled, draws=1),
    FistClosed: EventRules(fist_closed),
    GuesserNamed: EventRules(guesser_named, reveals=True),
    FistsOpened: EventRules(fists_opened, reveals=True),
}
