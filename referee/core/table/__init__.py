"""The table: commands that every game has, whatever is played.

Resigning, draws, take-backs, pauses, clocks, calls to an arbiter, and an arbiter's rulings: answer
a call, forfeit, void, adjudicate, take back, grant time, certify. Each is a command with rulings
of its own, and each leaves events in the log that say who and why.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from referee.core.game import Command
from referee.core.judging import before_deal, match_over, match_paused
from referee.core.ruling import Clause
from referee.core.table import commands, rulings, stories
from referee.core.table.stories import MatchSteps, TableAt


@dataclass(frozen=True, slots=True)
class TableRules:
    """What the table says about one type of command.

    `roles` are those who may send it; `itself`: a seat, and no organizer who acts for it.
    """

    command: type[Command]
    roles: frozenset[str]
    rulings: tuple[Clause, ...]
    decide: Callable[[TableAt, Any], MatchSteps]


def _rules(
    by: str, command: type[Command], decide: Callable[[TableAt, Any], MatchSteps], *clauses: Clause
) -> TableRules:
    return TableRules(command, frozenset(by.split()), clauses, decide)


_SEAT: Final = "seat"
_ARBITER: Final = "organizer"
_STILL_IN: Final = (rulings.not_seated, match_over, rulings.withdrawn, before_deal)
_ENTROPY: Final = (rulings.not_seated, match_over, match_paused, rulings.withdrawn)
_IN_PLAY: Final = (*_ENTROPY, before_deal)
_DRAW: Final = (*_IN_PLAY, rulings.no_draw_offered)
_TAKEBACK: Final = (*_IN_PLAY, rulings.no_takeback_requested)
_OFFER: Final = (*_IN_PLAY, rulings.draw_offered, rulings.offer_again)
_MAY_GO_BACK: Final = (
    rulings.takeback_requested,
    rulings.offer_again,
    rulings.takeback_target,
    rulings.takeback_reveals,
    rulings.takeback_withdrawal,
)
_FLAG: Final = (*_IN_PLAY, rulings.no_clock, rulings.clock_runs)
_RESULT: Final = (before_deal, rulings.match_not_finished, rulings.result_certified)
_CALL: Final = (
    *_STILL_IN,
    rulings.arbiter_called,
    rulings.calls_spent,
    rulings.call_about,
)
_ANSWER: Final = (match_over, before_deal, rulings.no_call)
_RESUME: Final = (match_over, rulings.not_paused, rulings.arbiter_called)
_VOID: Final = (rulings.result_certified, rulings.idle)
_OUTAGE: Final = (match_over, match_paused, before_deal, rulings.outage)
_GOING_BACK: Final = (match_over, before_deal, rulings.takeback_target)

TABLE: Final = (
    _rules("itself", commands.AddEntropy, stories.add_entropy, *_ENTROPY, rulings.entropy_asked),
    _rules(_ARBITER, commands.Deal, stories.deal, match_over, match_paused, rulings.entropy_asked),
    _rules(_SEAT, commands.Resign, stories.resign, *_STILL_IN),
    _rules(_SEAT, commands.OfferDraw, stories.offer_draw, *_OFFER),
    _rules(_SEAT, commands.AcceptDraw, stories.accept_draw, *_DRAW),
    _rules(_SEAT, commands.DeclineDraw, stories.decline_draw, *_DRAW),
    _rules(_SEAT, commands.RequestTakeback, stories.request_takeback, *_IN_PLAY, *_MAY_GO_BACK),
    _rules(
        _SEAT, commands.AcceptTakeback, stories.accept_takeback, *_TAKEBACK, rulings.takeback_stale
    ),
    _rules(_SEAT, commands.DeclineTakeback, stories.decline_takeback, *_TAKEBACK),
    _rules("seat organizer service", commands.ClaimTimeout, stories.claim_timeout, *_FLAG),
    _rules(_ARBITER, commands.Certify, stories.certify, *_RESULT),
    _rules(_ARBITER, commands.Pause, stories.pause, match_over, match_paused),
    _rules(_ARBITER, commands.Resume, stories.resume, *_RESUME),
    _rules(_SEAT, commands.CallArbiter, stories.call_arbiter, *_CALL),
    _rules(_SEAT, commands.WithdrawCall, stories.withdraw_call, *_STILL_IN, rulings.no_call),
    _rules(_ARBITER, commands.AnswerCall, stories.answer_call, *_ANSWER),
    _rules(_ARBITER, commands.Forfeit, stories.forfeit, *_STILL_IN),
    _rules("organizer service", commands.Void, stories.void, *_VOID),
    _rules(_ARBITER, commands.Adjudicate, stories.adjudicate, rulings.ranking_complete),
    _rules(_ARBITER, commands.TakeBack, stories.take_back, *_GOING_BACK),
    _rules(_ARBITER, commands.GrantTime, stories.grant_time, *_STILL_IN, rulings.no_clock),
    _rules(_ARBITER, commands.ReissueToken, stories.reissue_token, rulings.not_seated),
    _rules("service", commands.ExcuseOutage, stories.excuse_outage, *_OUTAGE),
)

BEHIND_ROUTES: Final = frozenset({commands.ReissueToken, commands.ExcuseOutage})
"""Commands that stand in the log, but are not sent to `POST …/commands`."""
