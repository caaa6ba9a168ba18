"""The events of dancing-villager, and what each changes: a recorded event is a fact."""

from typing import Final, Literal

from msgspec import field
from msgspec.structs import replace

from referee.core.game import Event, EventRules, Events, SeatEvent, put
from referee.core.seats import still_in
from referee.core.visibility import Public
from referee.games.dancing_villager.counting import RIGHT, call_of, counted, draws_of
from referee.games.dancing_villager.types import Call, Count, GrabNote, Kind, Roll, State, Thing


class Called(SeatEvent, frozen=True, gc=False):
    """A seat said ready."""


def called(state: State, event: Called) -> State:
    """The seat is ready."""
    return replace(state, ready=put(state.ready, event.seat, value=True))


class Rolled(Event, frozen=True, gc=False):
    """All villagers were rolled, and the window is open."""

    villagers: Public[Roll]


def rolled(state: State, event: Rolled) -> State:
    """The window opens; when it ends in virtual play is told by `stamped`."""
    nobody = (False,) * len(state.ready)
    count = counted(event.villagers)
    return replace(
        state,
        phase="grab",
        roll=state.roll + 1,
        ready=nobody,
        last_roll=event.villagers,
        count=count,
        call=call_of(count, charcoal=state.charcoal, meat=state.meat),
        grabs=(),
        bonfire_by=None,
        mistakes=nobody,
    )


def stamped(state: State, at: int) -> State:
    """The window that this commit opened ends `window_ms` after it (ruling `window`)."""
    opened = state.phase == "grab" and state.window_ends is None
    if opened and state.options.mode == "virtual":
        return replace(state, window_ends=at + state.options.window_ms)
    return state


class DogTamed(SeatEvent, frozen=True, gc=False):
    """A seat has one dog more: from the pack for a standing villager, or from the village."""

    from_: Public[Literal["pack", "village"]] = field(name="from")


def dog_tamed(state: State, event: DogTamed) -> State:
    """One dog more for the seat, one less where it came from."""
    dogs = put(state.dogs, event.seat, state.dogs[event.seat] + 1)
    if event.from_ == "pack":
        return replace(state, dogs=dogs, pack=state.pack - 1)
    return replace(state, dogs=dogs, village=state.village - 1)


class DogJoined(Event, frozen=True, gc=False):
    """All lay flat: one more dog from the pack; `village` is how many are there now."""

    village: Public[int]


def dog_joined(state: State, event: DogJoined) -> State:
    """A dog from the pack stands behind the ones in the village."""
    return replace(state, village=event.village, pack=state.pack - 1)


class Grabbed(SeatEvent, frozen=True, gc=False):
    """A grab was noted; whether it was right is decided at the close."""

    what: Public[Thing]


def grabbed(state: State, event: Grabbed) -> State:
    """The grab is noted, in the order of the log."""
    return replace(state, grabs=(*state.grabs, GrabNote(event.seat, event.what)))


class WindowClosed(Event, frozen=True, gc=False):
    """No grab counts any more, and everybody learns what the roll meant."""

    count: Public[Count]
    call: Public[Call | None]


def window_closed(state: State, event: WindowClosed) -> State:
    """The grabs are judged: who was wrong, and who was first at the bonfire in an assault."""
    right = RIGHT[event.call]
    wrong = {note.seat for note in state.grabs if note.what != right}
    saved = [note.seat for note in state.grabs if note.what == right == "bonfire"]
    return replace(
        state,
        phase="ready",
        count=event.count,
        call=event.call,
        bonfire_by=saved[0] if saved else None,
        mistakes=tuple(seat in wrong for seat in range(len(state.mistakes))),
        window_ends=None,
    )


class VillagerLost(SeatEvent, frozen=True, gc=False):
    """A seat has one villager less."""

    why: Public[Literal["mistake", "assault"]]


def villager_lost(state: State, event: VillagerLost) -> State:
    """One villager less."""
    left = state.villagers[event.seat] - 1
    return replace(state, villagers=put(state.villagers, event.seat, left))


class DogsEscaped(SeatEvent, frozen=True, gc=False):
    """A seat without villagers gave all its `dogs` to the pack and starts with all again."""

    dogs: Public[int]


def dogs_escaped(state: State, event: DogsEscaped) -> State:
    """All dogs of the seat to the pack, all its villagers back."""
    return replace(
        state,
        dogs=put(state.dogs, event.seat, state.dogs[event.seat] - event.dogs),
        pack=state.pack + event.dogs,
        villagers=put(state.villagers, event.seat, state.options.villagers),
    )


class SticksRemoved(Event, frozen=True, gc=False):
    """Sticks went off the bonfire, and some of that kind are left."""

    kind: Public[Kind]
    number: Public[int]


def sticks_removed(state: State, event: SticksRemoved) -> State:
    """Fewer sticks of that kind."""
    if event.kind == "meat":
        return replace(state, meat=state.meat - event.number)
    return replace(state, charcoal=state.charcoal - event.number)


class RoundEnded(Event, frozen=True, gc=False):
    """A kind ran out: the sticks are full again and a new round begins."""

    how: Public[Call]


def round_ended(state: State, _event: RoundEnded) -> State:
    """All sticks back, a new round before its first roll."""
    return replace(
        state,
        charcoal=state.options.charcoal,
        meat=state.options.meat,
        round=state.round + 1,
        roll=0,
    )


class DogAdded(Event, frozen=True, gc=False):
    """A dog came from the pack; it stands before seat `opposite`."""

    opposite: Public[int]


def dog_added(state: State, event: DogAdded) -> State:
    """A dog from the pack, before that seat."""
    return replace(state, village=state.village + 1, pack=state.pack - 1, dog_seat=event.opposite)


class GameWon(SeatEvent, frozen=True, gc=False):
    """The match is over and this seat is first; others may share the place."""


def game_won(state: State, _event: GameWon) -> State:
    """It is over; a window that this very roll opened is none."""
    return replace(state, phase="over", window_ends=None)


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
    if len(still_in(after.out)) == 1:
        after = replace(after, phase="over", window_ends=None)
    return after


def resumed(state: State, paused_ms: int) -> State:
    """An open window ends later by the length of the pause."""
    if state.window_ends is None:
        return state
    return replace(state, window_ends=state.window_ends + paused_ms)


def _drawn(state: State, event: Rolled) -> int:
    """Rolls draw where the service rolls."""
    return draws_of(event.villagers) if state.options.mode == "virtual" else 0


EVENTS: Final[Events] = {
    Called: EventRules(called),
    Rolled: EventRules(rolled, draws=_drawn),
    DogTamed: EventRules(dog_tamed, lambda e: ("standing-tames" if e.from_ == "pack" else "tame",)),
    DogJoined: EventRules(dog_joined, ("all-flat",)),
    Grabbed: EventRules(grabbed, ("judged-at-close",)),
    # The close tells every seat what was right: no hand can be taken back after it.
    WindowClosed: EventRules(
        window_closed, ("judged-at-close", "net-count", "runs-out", "too-late"), reveals=True
    ),
    VillagerLost: EventRules(
        villager_lost, lambda e: ("assault" if e.why == "assault" else "wrong-move",)
    ),
    DogsEscaped: EventRules(dogs_escaped, ("escape",)),
    SticksRemoved: EventRules(sticks_removed, ("net-count", "round-end")),
    RoundEnded: EventRules(round_ended, ("round-end",)),
    DogAdded: EventRules(dog_added, ("new-dog",)),
    GameWon: EventRules(game_won, ("win",)),
}
