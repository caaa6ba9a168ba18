"""The table: commands that every game has, whatever is played.

Resigning, draws, take-backs, pauses, clocks, and an arbiter's rulings: forfeit, void,
adjudicate, take back, grant time, certify. Each is a command with rulings of its own, and each
leaves events in the log that say who and why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from referee.core.game import Command
from referee.core.judging import match_over, match_paused
from referee.core.ruling import Clause
from referee.core.table import commands, rulings, stories
from referee.core.table.stories import MatchSteps, TableAt


@dataclass(frozen=True, slots=True)
class TableRules:
    """What the table says about one type of command; `roles` are those who may send it."""

    command: type[Command]
    roles: frozenset[str]
    rulings: tuple[Clause, ...]
    decide: Callable[[TableAt, Any], MatchSteps]


_SEAT: Final = frozenset({"seat"})
_ARBITER: Final = frozenset({"organizer"})
_ANYONE: Final = frozenset({"seat", "organizer", "service"})
_SERVICE: Final = frozenset({"service"})
_IN_PLAY: Final = (rulings.not_seated, match_over, match_paused, rulings.withdrawn)

TABLE: Final = (
    TableRules(
        commands.Resign,
        _SEAT,
        (rulings.not_seated, match_over, rulings.withdrawn),
        stories.resign,
    ),
    TableRules(commands.OfferDraw, _SEAT, (*_IN_PLAY, rulings.draw_offered), stories.offer_draw),
    TableRules(
        commands.AcceptDraw, _SEAT, (*_IN_PLAY, rulings.no_draw_offered), stories.accept_draw
    ),
    TableRules(
        commands.DeclineDraw, _SEAT, (*_IN_PLAY, rulings.no_draw_offered), stories.decline_draw
    ),
    TableRules(
        commands.RequestTakeback,
        _SEAT,
        (
            *_IN_PLAY,
            rulings.takeback_requested,
            rulings.takeback_target,
            rulings.takeback_reveals,
            rulings.takeback_withdrawal,
        ),
        stories.request_takeback,
    ),
    TableRules(
        commands.AcceptTakeback,
        _SEAT,
        (*_IN_PLAY, rulings.no_takeback_requested, rulings.takeback_stale),
        stories.accept_takeback,
    ),
    TableRules(
        commands.DeclineTakeback,
        _SEAT,
        (*_IN_PLAY, rulings.no_takeback_requested),
        stories.decline_takeback,
    ),
    TableRules(
        commands.ClaimTimeout,
        _ANYONE,
        (*_IN_PLAY, rulings.no_clock, rulings.clock_runs),
        stories.claim_timeout,
    ),
    TableRules(
        commands.Certify,
        _ARBITER,
        (rulings.match_not_finished, rulings.result_certified),
        stories.certify,
    ),
    TableRules(commands.Pause, _ARBITER, (match_over, match_paused), stories.pause),
    TableRules(commands.Resume, _ARBITER, (match_over, rulings.not_paused), stories.resume),
    TableRules(
        commands.Forfeit,
        _ARBITER,
        (rulings.not_seated, match_over, rulings.withdrawn),
        stories.forfeit,
    ),
    TableRules(commands.Void, _ARBITER, (rulings.result_certified,), stories.void),
    TableRules(commands.Adjudicate, _ARBITER, (rulings.ranking_complete,), stories.adjudicate),
    TableRules(
        commands.TakeBack,
        _ARBITER,
        (match_over, rulings.takeback_target),
        stories.take_back,
    ),
    TableRules(
        commands.GrantTime,
        _ARBITER,
        (rulings.not_seated, match_over, rulings.withdrawn, rulings.no_clock),
        stories.grant_time,
    ),
    TableRules(commands.ReissueToken, _ARBITER, (rulings.not_seated,), stories.reissue_token),
    TableRules(
        commands.ExcuseOutage,
        _SERVICE,
        (match_over, match_paused, rulings.outage),
        stories.excuse_outage,
    ),
)

BEHIND_ROUTES: Final = frozenset({commands.ReissueToken, commands.ExcuseOutage})
"""Commands that stand in the log, but are not sent to `POST …/commands`."""
