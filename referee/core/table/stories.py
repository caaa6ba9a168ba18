"""The table's stories: the events that an accepted command of the table brings.

A story yields events one by one and is handed the match with each folded in.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal

from msgspec.structs import replace

from referee.core.game import Asker, Event, Game, Outcome, Standing, Steps
from referee.core.game import At as GameAt
from referee.core.match import Match, Offer
from referee.core.randomness import Chance
from referee.core.table import commands, events
from referee.core.table.rulings import takeback_stale

MatchSteps = Generator[Event, Match, Match]


@dataclass(frozen=True, slots=True)
class At:
    """What a table command is decided with: the game, who asks, and chance."""

    game: Game
    by: Asker
    chance: Chance


def by_the_game(match: Match, story: Steps[Any]) -> MatchSteps:
    """A game's story told at the table: each event folds into the match's game state."""
    try:
        event = next(story)
        while True:
            match = yield event
            event = story.send(match.state)
    except StopIteration:
        return match


def ending(game: Game, match: Match, *, flagged: bool = False) -> MatchSteps:
    """The end, where the game's own rules say that it has come."""
    outcome = None if match.over else game.outcome(match.state)
    if outcome is None:
        return match
    match = yield ended(outcome, flagged=flagged)
    return (yield events.SeedRevealed(match.setting.seed.hex()))


def ended(outcome: Outcome, *, flagged: bool = False) -> events.MatchEnded:
    """The event by which a match ends with this outcome."""
    reason = "flag" if flagged and outcome.reason == "withdrawal" else outcome.reason
    ranking = in_order(outcome.ranking)
    return events.MatchEnded(reason, ranking, winners(ranking))


def in_order(ranking: tuple[Standing, ...]) -> tuple[Standing, ...]:
    """Rows by place, then seat; those without a place last."""
    return tuple(sorted(ranking, key=lambda row: (row.place is None, row.place or 0, row.seat)))


def winners(ranking: tuple[Standing, ...]) -> tuple[int, ...]:
    """The seats on place 1, ascending."""
    return tuple(sorted(row.seat for row in ranking if row.place == 1))


def _withdraw(match: Match, at: At, left: events.Withdrawn) -> MatchSteps:
    owed_before = match.owed
    match = yield left
    if match.status != "paused" or not at.game.waits_while_paused:
        seat = replace(at.by, seat=left.seat)
        match = yield from by_the_game(
            match, at.game.after_leaving(GameAt(match.state, seat, at.chance))
        )
    match = yield from _lapse_of_leaver(match, left.seat)
    match = yield from ending(at.game, match, flagged=left.why == "flagged")
    match = yield from _agreed(match, at)
    return (yield from lapses(match, None, owed_before, at.game))


def _lapse_of_leaver(match: Match, seat: int) -> MatchSteps:
    if match.draw and match.draw.seat == seat:
        match = yield events.OfferLapsed(seat, "draw")
    if match.takeback and match.takeback.seat == seat:
        match = yield events.OfferLapsed(seat, "takeback")
    return match


def resign(match: Match, at: At, _command: commands.Resign) -> MatchSteps:
    """The asking seat withdraws, and what follows from it follows."""
    return _withdraw(match, at, events.Withdrawn(_seat(at), "resigned"))


def forfeit(match: Match, at: At, command: commands.Forfeit) -> MatchSteps:
    """A seat is taken out by an arbiter."""
    return _withdraw(match, at, events.Withdrawn(command.seat, "forfeited", command.reason))


def _seat(at: At) -> int:
    assert at.by.seat is not None, "a seat's command has a seat: not-seated judges it"  # noqa: S101
    return at.by.seat


def void(match: Match, _at: At, command: commands.Void) -> MatchSteps:
    """The match does not count."""
    match = yield events.Voided(command.reason)
    return (yield from _reveal(match))


def adjudicate(match: Match, _at: At, command: commands.Adjudicate) -> MatchSteps:
    """An arbiter's result, whatever the state."""
    ranking = in_order(tuple(Standing(r.seat, r.place, r.score) for r in command.ranking))
    match = yield events.Adjudicated(command.reason, ranking, winners(ranking))
    return (yield from _reveal(match))


def _reveal(match: Match) -> MatchSteps:
    if match.seed_revealed:
        return match
    return (yield events.SeedRevealed(match.setting.seed.hex()))


def certify(_match: Match, _at: At, _command: commands.Certify) -> MatchSteps:
    """The result is final."""
    return (yield events.Certified())


def pause(_match: Match, _at: At, _command: commands.Pause) -> MatchSteps:
    """Play and clocks stop."""
    return (yield events.Paused())


def resume(match: Match, at: At, _command: commands.Resume) -> MatchSteps:
    """Play and clocks go on, with what fell due meanwhile."""
    match = yield events.Resumed(at.by.at - (match.paused_at or at.by.at))
    owed_before = match.owed
    match = yield from _what_fell_due(match, at)
    return (yield from lapses(match, None, owed_before, at.game))


def grant_time(_match: Match, _at: At, command: commands.GrantTime) -> MatchSteps:
    """A seat gets more time."""
    return (yield events.TimeGranted(command.seat, command.seconds))


def claim_timeout(match: Match, at: At, command: commands.ClaimTimeout) -> MatchSteps:
    """A flag falls: noted, or the seat is out, as the clock's setting says."""
    match = yield events.Flagged(command.seat)
    setting = match.setting.clock
    if setting is not None and setting.on_flag == "forfeit":
        match = yield from _withdraw(match, at, events.Withdrawn(command.seat, "flagged"))
    return match


def offer_draw(_match: Match, at: At, _command: commands.OfferDraw) -> MatchSteps:
    """A draw is on offer."""
    return (yield events.DrawOffered(_seat(at)))


def accept_draw(match: Match, at: At, _command: commands.AcceptDraw) -> MatchSteps:
    """One seat more agrees; with all of them the match is drawn."""
    match = yield events.DrawAccepted(_seat(at))
    return (yield from _agreed(match, at))


def decline_draw(_match: Match, at: At, _command: commands.DeclineDraw) -> MatchSteps:
    """The offer is gone."""
    return (yield events.DrawDeclined(_seat(at)))


def _agreed(match: Match, at: At) -> MatchSteps:
    """What everybody who is still in has agreed to comes about."""
    if match.over:
        return match
    if match.draw and _all_agree(match, match.draw):
        match = yield _drawn(match, at.game)
        return (yield events.SeedRevealed(match.setting.seed.hex()))
    asked = match.takeback
    if asked and _all_agree(match, asked) and takeback_stale(match, at.by, asked) is None:
        match = yield from _go_back(asked.to or 0, at)
    return match


def _all_agree(match: Match, offer: Offer) -> bool:
    return all(seat == offer.seat or seat in offer.accepted for seat in match.still_in)


def _drawn(match: Match, game: Game) -> events.MatchEnded:
    ranking = tuple(
        Standing(seat, None, None) if one.withdrawn else Standing(seat, 1, game.draw_score)
        for seat, one in enumerate(match.seats)
    )
    return events.MatchEnded("agreed", in_order(ranking), winners(ranking))


def request_takeback(_match: Match, at: At, command: commands.RequestTakeback) -> MatchSteps:
    """A take-back is asked for."""
    return (yield events.TakebackRequested(_seat(at), command.to))


def accept_takeback(match: Match, at: At, _command: commands.AcceptTakeback) -> MatchSteps:
    """One seat more agrees; with all of them the match goes back."""
    match = yield events.TakebackAccepted(_seat(at))
    return (yield from _agreed(match, at))


def decline_takeback(_match: Match, at: At, _command: commands.DeclineTakeback) -> MatchSteps:
    """The request is gone."""
    return (yield events.TakebackDeclined(_seat(at)))


def take_back(_match: Match, at: At, command: commands.TakeBack) -> MatchSteps:
    """The match goes back by an arbiter's word."""
    return _go_back(command.to, at, command.reason)


def _go_back(to: int, at: At, reason: str | None = None) -> MatchSteps:
    match = yield events.TakenBack(to, reason)
    return match if match.status == "paused" else (yield from _what_fell_due(match, at))


def _what_fell_due(match: Match, at: At) -> MatchSteps:
    """What waited for the end of a pause, also of one that the match went back into."""
    match = yield from by_the_game(
        match, at.game.after_resume(GameAt(match.state, at.by, at.chance))
    )
    return (yield from ending(at.game, match))


def reissue_token(match: Match, _at: At, command: commands.ReissueToken) -> MatchSteps:
    """A seat's tokens so far are void."""
    return (yield events.TokenReissued(command.seat, match.seats[command.seat].generation + 1))


def excuse_outage(match: Match, _at: At, command: commands.ExcuseOutage) -> MatchSteps:
    """Nobody is charged for the times in which nobody could move."""
    for one in command.outages:
        match = yield events.OutageExcused(one.from_, one.until)
    return match


def lapses(match: Match, acted: int | None, owed_before: tuple[int, ...], game: Game) -> MatchSteps:
    """After the game has gone on: offers whose seat is to act again fall away.

    ``acted`` is the seat whose command it was, if it was one; a seat that goes on owing the
    command that it owed when it made the offer keeps the offer. Of a match that is over nothing
    is left to lapse.
    """
    owed = () if match.over else game.to_act(match.state)
    for offer, kind in _pending(match):
        if offer.seat in owed and (offer.seat not in owed_before or offer.seat == acted):
            match = yield events.OfferLapsed(offer.seat, kind)
    return match


def _pending(match: Match) -> list[tuple[Offer, Literal["draw", "takeback"]]]:
    pending: list[tuple[Offer, Literal["draw", "takeback"]]] = []
    if match.draw:
        pending.append((match.draw, "draw"))
    if match.takeback:
        pending.append((match.takeback, "takeback"))
    return pending
