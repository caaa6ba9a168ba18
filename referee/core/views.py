"""Showing: a match, and what happened in it, as one viewer may see them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec
from msgspec import Struct

from referee.core import clock
from referee.core.game import Event, Game
from referee.core.match import Match
from referee.core.randomness import commitment
from referee.core.visibility import Scope, Viewer, redact


class SeatView(Struct, frozen=True):
    """A seat as everybody sees it."""

    seat: int
    name: str
    withdrawn: bool


class ClockView(Struct, frozen=True):
    """The clock as everybody sees it: ms left by seat as it stood at ``read_at``, Unix ms."""

    base_s: int
    increment_s: int
    on_flag: Literal["forfeit", "note"]
    left_ms: tuple[int, ...]
    flagged: tuple[bool, ...]
    running: tuple[int, ...]
    read_at: int


def view(game: Game, match: Match, viewer: Viewer) -> dict[str, Any]:
    """The match as one viewer may see it: the object of ``GET /v1/matches/{match}``."""
    setting = match.setting
    knows_seed = match.seed_revealed or viewer.role == "organizer"
    view: dict[str, Any] = {
        "match": setting.match,
        "game": game.id,
        "ruleset": setting.ruleset,
        "version": match.version,
        "status": match.status,
        "viewer": str(viewer),
        "options": setting.options,
        "seats": [
            SeatView(number, seat.name, seat.withdrawn) for number, seat in enumerate(match.seats)
        ],
        "to_act": match.owed,
        "deadline": deadline(game, match),
        "state": redact(match.state, Scope(viewer, match.state, match.over)),
        "result": match.result,
        "seed_commitment": commitment(setting.seed),
        "seed": setting.seed.hex() if knows_seed else None,
        "head": match.head.hex(),
    }
    return view | _extras(match)


def seen(version: int, at: int, events: Iterable[Event], viewer: Viewer) -> list[dict[str, Any]]:
    """A commit's events as one viewer may see them, each with its place in the log."""
    scope = Scope(viewer)
    placed: list[dict[str, Any]] = []
    for index, event in enumerate(events):
        shown: dict[str, Any] = {"version": version, "index": index, "at": at}
        shown.update(_as_map(redact(event, scope)))
        placed.append(shown)
    return placed


def deadline(game: Game, match: Match) -> int | None:
    """When, in Unix ms, something is due without anybody's command; None for never."""
    if match.status != "active":
        return None
    due = game.deadline(match.state)
    if match.clock is None:
        return due
    flag = clock.first_flag(match.clock, match.owed)
    return flag if due is None else due if flag is None else min(due, flag)


def _extras(match: Match) -> dict[str, Any]:
    """What only some matches have to show: a clock, offers on the table."""
    extras: dict[str, Any] = {}
    setting, face = match.setting.clock, match.clock
    if setting is not None and face is not None:
        extras["clock"] = ClockView(
            setting.base_s,
            setting.increment_s,
            setting.on_flag,
            face.left,
            face.flagged,
            match.owed if match.status == "active" else (),
            face.read_at,
        )
    if match.draw is not None:
        extras["draw_offer"] = {"seat": match.draw.seat, "accepted": match.draw.accepted}
    if match.takeback is not None:
        asked = match.takeback
        extras["takeback"] = {"seat": asked.seat, "to": asked.to, "accepted": asked.accepted}
    return extras


def _as_map(event: Event | dict[str, Any]) -> dict[str, Any]:
    if isinstance(event, dict):
        return event
    as_map: dict[str, Any] = msgspec.to_builtins(event)
    return as_map
