"""Shapes of answers that are made of plain values, written down for the API's description."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from referee.core.game import Template
from referee.core.match import Result
from referee.core.views import ClockView, SeatView
from referee.service.answers import Status


class SeenEvent(Struct, frozen=True):
    """An event as its viewer may see it: its own fields stand beside these, hidden ones null.

    `version` and `index` say where it stands in the log, `at` when its commit was made (Unix ms).
    """

    version: int
    index: int
    at: int
    type: str


class DrawOffer(Struct, frozen=True):
    """A draw that is on offer, and who has accepted it so far."""

    seat: int
    accepted: tuple[int, ...]


class PendingTakeback(Struct, frozen=True):
    """A take-back to version `to` that is asked for, and who has accepted it so far."""

    seat: int
    to: int
    accepted: tuple[int, ...]


class MatchView(Struct, frozen=True):
    """A match as one viewer may see it; what is hidden from the viewer is null.

    `options` and `state` are the game's own: their schemas stand in `GET /v1/games/{game}`.
    `to_act`: the seats that owe a command now. `deadline`: Unix ms. `clock`, `draw_offer` and
    `takeback` are there where the match has one.
    """

    match: str
    game: str
    ruleset: str
    version: int
    status: Status
    viewer: str
    options: dict[str, Any]
    seats: tuple[SeatView, ...]
    to_act: tuple[int, ...]
    deadline: int | None
    state: dict[str, Any]
    result: Result | None
    seed_commitment: str
    seed: str | None
    head: str
    clock: ClockView | UnsetType = UNSET
    draw_offer: DrawOffer | UnsetType = UNSET
    takeback: PendingTakeback | UnsetType = UNSET


class AcceptedCommand(Struct, frozen=True):
    """The commit that a command became, its events as the sender may see them.

    `head`: 64 hex digits. `receipt`, where the server signs: the Ed25519 signature over
    `match|version|head`, base64url without padding.
    """

    match: str
    version: int
    events: list[SeenEvent]
    head: str
    receipt: str | UnsetType = UNSET


class EventPage(Struct, frozen=True):
    """Events in order; `last` is the version that they lead to: ask on with `after` = `last`."""

    events: list[SeenEvent]
    last: int


class LegalList(Struct, frozen=True):
    """Legal commands in a fixed order; where `complete` is false, `templates` has the others."""

    version: int
    seat: int | None
    commands: list[dict[str, Any]]
    complete: bool
    templates: list[Template] | UnsetType = UNSET
