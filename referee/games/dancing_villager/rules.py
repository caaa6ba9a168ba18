"""The rules of dancing-villager: who may speak, and what refuses a command.

In virtual play seats speak, and the service closes the window. In table mode the organizer
speaks, and the seat named `scorer`, about all seats. What follows from a command is told in
`course_of_play`.
"""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final

from msgspec import UNSET

from referee.core.game import Asker, Command, ListOf, OneOf, Template, rules_for
from referee.core.ruling import Clause, ruling
from referee.core.seats import still_in
from referee.core.told.words import count_of
from referee.games.dancing_villager.course_of_play import (
    close,
    grab,
    grabber,
    report_roll,
    say_ready,
    to_act,
)
from referee.games.dancing_villager.types import (
    POSES,
    THINGS,
    Close,
    Grab,
    Options,
    Ready,
    ReportRoll,
    State,
)

# ── Who may speak ───────────────────────────────────────────────────────────────────────────────

OTHER_MODE: Final[Mapping[str, type[Command]]] = {"virtual": ReportRoll, "table": Ready}
"""The command that a mode does not know."""


def malformed(options: Options, command: Command) -> tuple[tuple[str, str], ...]:
    """What is wrong with the form of a command in this mode, as (path, message)."""
    if type(command) is not Grab:
        return ()
    if options.mode == "table" and command.seat is UNSET:
        return (("seat", "required in table mode: whose hand it was"),)
    if options.mode == "virtual" and command.seat is not UNSET:
        return (("seat", "not taken in virtual play: a seat grabs for itself"),)
    return ()


def may_report(state: State, by: Asker) -> bool:
    """Whether `by` may report in table mode: the organizer, or the scorer while still in."""
    if by.seat is None:
        return by.role == "organizer"
    return by.seat == state.options.scorer and not state.out[by.seat]


def spoken_of(command: Command) -> int | None:
    """The seat that a report names, or None where it names none."""
    if type(command) is Grab and command.seat is not UNSET:
        return command.seat
    return None


def _speaks_without_seat(state: State, by: Asker, command: Command) -> bool:
    if state.options.mode == "table":
        return by.role == "organizer"
    return by.role == "service" and type(command) is Close


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
        if seat is not None and 0 <= seat < len(state.out) and state.out[seat]:
            return f"Seat {seat} has withdrawn."
    return None


@ruling("out-of-turn")
def out_of_turn(state: State, by: Asker, command: Command) -> str | None:
    """Table mode: only the organizer and the scorer speak. Virtual: a ready is owed but once.

    While the window is open no seat is in `to_act`, and every one may grab.
    """
    if state.options.mode == "table":
        return None if may_report(state, by) else _reporters(state.options)
    kind = type(command)
    grabs_now = kind is Grab and state.phase == "grab"
    if grabs_now or kind in (ReportRoll, Close) or by.seat in to_act(state):
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
    if type(command) is OTHER_MODE[mode]:
        return f"This match is played in {mode} mode, which does not know that command."
    if mode == "virtual" and by.seat is not None and type(command) is Close:
        return "No seat closes the window: it closes by itself at its end."
    if state.phase in PHASES[type(command)]:
        return None
    if state.phase == "ready":
        return "The next roll is awaited: there is no window open."
    return "The villagers are rolled: their window must close before the next roll."


ADMISSION: Final[Mapping[str, Clause]] = {
    clause.id: clause for clause in (not_seated, withdrawn, out_of_turn, wrong_phase)
}


# ── What is lawful ──────────────────────────────────────────────────────────────────────────────


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
        dogs = count_of(state.village, "dog")
        return f"The village holds {dogs}, and seat {seat} has grabbed {before} in this window."
    return None


@ruling("window")
def window(state: State, by: Asker, command: Grab | Close) -> str | None:
    """Virtual play: grabs count before `window_ends`, and only from then on may it close."""
    ends = state.window_ends
    if ends is None:
        return None
    if type(command) is Grab and by.at >= ends:
        return f"The window ended at {ends} ms, this grab came at {by.at}."
    if type(command) is Close and by.at < ends:
        return f"The window is open until {ends} ms, it is {by.at} now."
    return None


# ── What may be asked ───────────────────────────────────────────────────────────────────────────


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
    return [Grab(what, seat) for seat in still_in(state.out) for what in THINGS]


REPORTED: Final = (roll_own, pile_doubles, leaning_zero)
COMMANDS: Final = (
    rules_for(Ready, "ready", say_ready),
    rules_for(ReportRoll, "ready", report_roll, *REPORTED, template=report_template),
    rules_for(Grab, "grab", grab, grab_again, window, forms=grab_forms),
    rules_for(Close, "grab", close, window),
)
PHASES: Final = {rules.command: rules.phases for rules in COMMANDS}
