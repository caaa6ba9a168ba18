"""Shapes of answers that are made of plain values, written down for the API's description."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from referee.core.game import Template


class SeenEvent(Struct, frozen=True):
    """An event as its viewer may see it: its own fields stand beside these, hidden ones null.

    `version` and `index` say where it stands in the log, `at` when its commit was made (Unix ms).
    """

    version: int
    index: int
    at: int
    type: str


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
