"""Pebbles in types: fists, one guess a round, and a die that nobody sees until it counts."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Struct

from referee.core.bounds import within
from referee.core.game import Command, Event, GameState
from referee.core.visibility import Internal, OwnEntry, Public, Secret, ToSeat

MOST: Final = 3
"""A fist holds 0 to so many pebbles."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """`rounds`: 1..9."""

    rounds: Annotated[int, within(1, 9)] = 2


class State(GameState, frozen=True, gc=False):
    """`fists` by seat, None while open; `die`: the guesser's place among those still in."""

    phase: Public[Literal["hide", "guess", "over"]]
    round: Public[int]
    fists: OwnEntry[tuple[int | None, ...]]
    closed: Public[tuple[bool, ...]]
    die: Secret[int]
    guesser: Public[int | None]
    points: Public[tuple[int | None, ...]]
    options: Internal[Options]


class Hide(Command, frozen=True):
    """Close the fist on so many pebbles."""

    pebbles: int


class Guess(Command, frozen=True):
    """Say how many pebbles the fists hold together."""

    total: int


class DieRolled(Event, frozen=True):
    """A round begins: the die says, in secret, who will guess."""

    die: Secret[int]


class FistClosed(Event, frozen=True):
    """A seat holds pebbles."""

    seat: Public[int]
    pebbles: ToSeat[int]


class GuesserNamed(Event, frozen=True):
    """All fists are closed, and the die is shown."""

    seat: Public[int]


class FistsOpened(Event, frozen=True):
    """The guess, what the fists held (None: none), and the point, if the guess was right."""

    seat: Public[int]
    total: Public[int]
    fists: Public[tuple[int | None, ...]]
    right: Public[bool]
