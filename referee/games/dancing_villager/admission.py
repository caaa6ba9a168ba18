"""Who may speak: the table's rulings as dancing-villager asks them.

In virtual play seats speak, and the service closes the window. In table mode the organizer
speaks, and the seat named ``scorer``, about all seats.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import UNSET

from referee.core.game import Asker, Command
from referee.core.ruling import Clause, ruling
from referee.games.dancing_villager.types import Close, Grab, Options, Ready, ReportRoll, State

PHASES: Final[Mapping[type[Command], str]] = {
    Ready: "ready",
    ReportRoll: "ready",
    Grab: "grab",
    Close: "grab",
}
OTHER_MODE: Final[Mapping[str, type[Command]]] = {"virtual": ReportRoll, "table": Ready}
"""The command that a mode does not know."""


def malformed(options: Options, command: Command) -> tuple[tuple[str, str], ...]:
    """What is wrong with the form of a command in this mode, as (path, message)."""
    if not isinstance(command, Grab):
        return ()
    if options.mode == "table" and command.seat is UNSET:
        return (("seat", "required in table mode: whose hand it was"),)
    if options.mode == "virtual" and command.seat is not UNSET:
        return (("seat", "not taken in virtual play: a seat grabs for itself"),)
    return ()


def to_act(state: State) -> tuple[int, ...]:
    """The seats that have not said ready; nobody in table mode or while the window is open."""
    if state.phase != "ready" or state.options.mode == "table":
        return ()
    return tuple(
        seat
        for seat, (ready, out) in enumerate(zip(state.ready, state.out, strict=True))
        if not ready and not out
    )


def seats_in(state: State) -> tuple[int, ...]:
    """The seats that have not withdrawn."""
    return tuple(seat for seat, out in enumerate(state.out) if not out)


def may_report(state: State, by: Asker) -> bool:
    """Whether ``by`` may report in table mode: the organizer, or the scorer while still in."""
    if by.seat is None:
        return by.role == "organizer"
    return by.seat == state.options.scorer and not state.out[by.seat]


def spoken_of(command: Command) -> int | None:
    """The seat that a report names, or None where it names none."""
    if isinstance(command, Grab) and command.seat is not UNSET:
        return command.seat
    return None


def _speaks_without_seat(state: State, by: Asker, command: Command) -> bool:
    if state.options.mode == "table":
        return by.role == "organizer"
    return by.role == "service" and isinstance(command, Close)


@ruling("not-seated")
def not_seated(state: State, by: Asker, command: Command) -> str | None:
    """The asking seat, and the one reported, sit at the table; the organizer in table mode."""
    if by.seat is None and not _speaks_without_seat(state, by, command):
        return f"The {by.role} holds no seat, and this is for a seat to say."
    for seat in (by.seat, spoken_of(command)):
        if seat is not None and not 0 <= seat < len(state.out):
            return f"There is no seat {seat}: they are 0 to {len(state.out) - 1}."
    return None


@ruling("withdrawn")
def withdrawn(state: State, by: Asker, command: Command) -> str | None:
    """Neither the asking seat nor the one reported has withdrawn."""
    for seat in (by.seat, spoken_of(command)):
        if seat is not None and seat not in seats_in(state):
            return f"Seat {seat} has withdrawn."
    return None


@ruling("out-of-turn")
def out_of_turn(state: State, by: Asker, command: Command) -> str | None:
    """Table mode: only the organizer and the scorer speak. Virtual: a ready is owed but once.

    While the window is open no seat is in ``to_act``, and every one may grab.
    """
    if state.options.mode == "table":
        return None if may_report(state, by) else _reporters(state.options)
    grabs_now = isinstance(command, Grab) and state.phase == "grab"
    if grabs_now or isinstance(command, ReportRoll | Close) or by.seat in to_act(state):
        return None
    if state.phase == "grab":
        return "The villagers are rolled: nobody owes a ready before the next roll."
    return f"Seat {by.seat} has said ready: the others are waited for."


def _reporters(options: Options) -> str:
    also = "" if options.scorer is None else f" or seat {options.scorer}, the scorer,"
    return f"At a real table the organizer{also} reports."


@ruling("wrong-phase")
def wrong_phase(state: State, by: Asker, command: Command) -> str | None:
    """The mode knows the command, and it is owed in this phase; no seat closes the window."""
    mode = state.options.mode
    if isinstance(command, OTHER_MODE[mode]):
        return f"This match is played in {mode} mode, which does not know that command."
    if mode == "virtual" and isinstance(command, Close) and by.seat is not None:
        return "No seat closes the window: it closes by itself at its end."
    if state.phase == PHASES[type(command)]:
        return None
    if state.phase == "ready":
        return "The next roll is awaited: there is no window open."
    return "The villagers are rolled: their window must close before the next roll."


ADMISSION: Final[Mapping[str, Clause]] = {
    clause.id: clause for clause in (not_seated, withdrawn, out_of_turn, wrong_phase)
}
