"""The table's stories: the events that an accepted command of the table brings.

A story yields events one by one and is handed the match with each folded in.
"""

from collections.abc import Generator
from typing import Any

from msgspec.structs import replace

from referee.core.game import Asker, At, Event, Game, Standing, Steps
from referee.core.match import Match, Offer, OfferKind
from referee.core.table import commands, events
from referee.core.table.events import Ending
from referee.core.table.rulings import takeback_stale

MatchSteps = Generator[Event, Match, Match]


class TableAt(At[Match], frozen=True):
    """Where a story of the table begins: its state is the whole match; and the match's game."""

    game: Game

    def in_game(self, match: Match, by: Asker | None = None) -> At[Any]:
        """Where a story of the game goes on within one of the table."""
        return At(match.state, by or self.by, self.chance)


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
    reason = "flag" if flagged and outcome.reason == "withdrawal" else outcome.reason
    match = yield ended(reason, outcome.ranking)
    return (yield from _reveal(match))


def ended(reason: Ending, rows: tuple[Standing, ...]) -> events.MatchEnded:
    """The event by which a match ends with these rows, which may stand in any order."""
    ranking = in_order(rows)
    return events.MatchEnded(reason, ranking, winners(ranking))


def in_order(ranking: tuple[Standing, ...]) -> tuple[Standing, ...]:
    """Rows by place, then seat; those without a place last."""
    return tuple(sorted(ranking, key=lambda row: (row.place is None, row.place or 0, row.seat)))


def winners(ranking: tuple[Standing, ...]) -> tuple[int, ...]:
    """The seats on place 1, ascending."""
    return tuple(sorted(row.seat for row in ranking if row.place == 1))


def dealt(match: Match, at: TableAt) -> MatchSteps:
    """The game's own deal, once there is everybody's entropy, on which its chance depends."""
    if not match.dealt:
        return match
    at.chance.entropy = match.entropy
    return (yield from by_the_game(match, at.game.deal(at.in_game(match))))


def add_entropy(at: TableAt, command: commands.AddEntropy) -> MatchSteps:
    """A seat adds to the chance of the match."""
    match = yield events.EntropyAdded(at.seat, command.hex)
    return (yield from dealt(match, at))


def deal(at: TableAt, command: commands.Deal) -> MatchSteps:
    """An arbiter waits no longer."""
    match = yield events.DealtWithout(at.state.owed, command.reason)
    return (yield from dealt(match, at))


def _withdraw(match: Match, at: TableAt, left: events.Withdrawn) -> MatchSteps:
    owed_before = match.owed
    match = yield left
    if match.status != "paused" or not at.game.waits_while_paused:
        seat = replace(at.by, seat=left.seat)
        match = yield from by_the_game(match, at.game.after_leaving(at.in_game(match, seat)))
    match = yield from _lapse_of_leaver(match, left.seat)
    match = yield from ending(at.game, match, flagged=left.why == "flagged")
    match = yield from _agreed(match, at)
    match = yield from lapses(match, None, owed_before, at.game)
    if match.call and match.call.seat == left.seat:
        match = yield from _call_over(at, events.CallWithdrawn(left.seat))
    return match


def _lapse_of_leaver(match: Match, seat: int) -> MatchSteps:
    for offer, kind in _pending(match):
        if offer.seat == seat:
            match = yield events.OfferLapsed(seat, kind)
    return match


def resign(at: TableAt, _command: commands.Resign) -> MatchSteps:
    """The asking seat withdraws, and what follows from it follows."""
    return _withdraw(at.state, at, events.Withdrawn(at.seat, "resigned"))


def forfeit(at: TableAt, command: commands.Forfeit) -> MatchSteps:
    """A seat is taken out by an arbiter."""
    return _withdraw(at.state, at, events.Withdrawn(command.seat, "forfeited", command.reason))


def void(_at: TableAt, command: commands.Void) -> MatchSteps:
    """The match does not count."""
    match = yield events.Voided(command.reason)
    return (yield from _reveal(match))


def adjudicate(_at: TableAt, command: commands.Adjudicate) -> MatchSteps:
    """An arbiter's result, whatever the state."""
    ranking = in_order(tuple(Standing(r.seat, r.place, r.score) for r in command.ranking))
    match = yield events.Adjudicated(command.reason, ranking, winners(ranking))
    return (yield from _reveal(match))


def _reveal(match: Match) -> MatchSteps:
    if match.seed_revealed:
        return match
    return (yield events.SeedRevealed(match.setting.seed.hex()))


def certify(_at: TableAt, _command: commands.Certify) -> MatchSteps:
    """The result is final."""
    return (yield events.Certified())


def pause(_at: TableAt, _command: commands.Pause) -> MatchSteps:
    """Play and clocks stop."""
    return (yield events.Paused())


def resume(at: TableAt, _command: commands.Resume) -> MatchSteps:
    """Play and clocks go on, with what fell due meanwhile."""
    return _go_on(at.state, at)


def _go_on(match: Match, at: TableAt) -> MatchSteps:
    match = yield events.Resumed(at.by.at - (match.paused_at or at.by.at))
    owed_before = match.owed
    match = yield from _what_fell_due(match, at)
    return (yield from lapses(match, None, owed_before, at.game))


def call_arbiter(at: TableAt, command: commands.CallArbiter) -> MatchSteps:
    """An arbiter is called, and the match stands still until one has answered."""
    match = yield events.ArbiterCalled(at.seat, command.text, command.about)
    return match if match.status == "paused" else (yield events.Paused())


def withdraw_call(at: TableAt, _command: commands.WithdrawCall) -> MatchSteps:
    """The call falls away."""
    return _call_over(at, events.CallWithdrawn(at.seat))


def answer_call(at: TableAt, command: commands.AnswerCall) -> MatchSteps:
    """An arbiter's answer."""
    if at.state.call is None:
        raise LookupError("no call stands")
    seat = at.state.call.seat
    return _call_over(at, events.CallAnswered(seat, command.reason, command.ruling))


def _call_over(at: TableAt, event: events.CallWithdrawn | events.CallAnswered) -> MatchSteps:
    """Play goes on, unless the organizer had paused it before the call."""
    match = yield event
    return match if match.held else (yield from _go_on(match, at))


def grant_time(_at: TableAt, command: commands.GrantTime) -> MatchSteps:
    """A seat gets more time."""
    return (yield events.TimeGranted(command.seat, command.seconds))


def claim_timeout(at: TableAt, command: commands.ClaimTimeout) -> MatchSteps:
    """A flag falls: noted, or the seat is out, as the clock's setting says."""
    match = yield events.Flagged(command.seat)
    setting = match.setting.clock
    if setting is not None and setting.on_flag == "forfeit":
        match = yield from _withdraw(match, at, events.Withdrawn(command.seat, "flagged"))
    return match


def offer_draw(at: TableAt, _command: commands.OfferDraw) -> MatchSteps:
    """A draw is on offer."""
    return (yield events.DrawOffered(at.seat))


def accept_draw(at: TableAt, _command: commands.AcceptDraw) -> MatchSteps:
    """One seat more agrees; with all of them the match is drawn."""
    match = yield events.DrawAccepted(at.seat)
    return (yield from _agreed(match, at))


def decline_draw(at: TableAt, _command: commands.DeclineDraw) -> MatchSteps:
    """The offer is gone."""
    return (yield events.DrawDeclined(at.seat))


def _agreed(match: Match, at: TableAt) -> MatchSteps:
    """What everybody who is still in has agreed to comes about."""
    if match.over:
        return match
    if match.draw and _all_agree(match, match.draw):
        match = yield ended("agreed", _all_first(match, at.game))
        return (yield from _reveal(match))
    asked = match.takeback
    if asked and _all_agree(match, asked) and takeback_stale(match, at.by, asked) is None:
        match = yield from _gone_back(events.TakenBack(asked.to or 0), at)
    return match


def _all_agree(match: Match, offer: Offer) -> bool:
    return all(seat == offer.seat or seat in offer.accepted for seat in match.still_in)


def _all_first(match: Match, game: Game) -> tuple[Standing, ...]:
    return tuple(
        Standing(number, None, None) if seat.withdrawn else Standing(number, 1, game.draw_score)
        for number, seat in enumerate(match.seats)
    )


def request_takeback(at: TableAt, command: commands.RequestTakeback) -> MatchSteps:
    """A take-back is asked for."""
    return (yield events.TakebackRequested(at.seat, command.to))


def accept_takeback(at: TableAt, _command: commands.AcceptTakeback) -> MatchSteps:
    """One seat more agrees; with all of them the match goes back."""
    match = yield events.TakebackAccepted(at.seat)
    return (yield from _agreed(match, at))


def decline_takeback(at: TableAt, _command: commands.DeclineTakeback) -> MatchSteps:
    """The request is gone."""
    return (yield events.TakebackDeclined(at.seat))


def take_back(at: TableAt, command: commands.TakeBack) -> MatchSteps:
    """The match goes back by an arbiter's word."""
    return _gone_back(
        events.TakenBack(command.to, command.reason), at, keep_piles=command.keep_piles
    )


def _gone_back(back: events.TakenBack, at: TableAt, *, keep_piles: bool = True) -> MatchSteps:
    match = yield back
    if not keep_piles:
        match = yield from _piles_shuffled(match, at)
    return match if match.status == "paused" else (yield from _what_fell_due(match, at))


def _piles_shuffled(match: Match, at: TableAt) -> MatchSteps:
    """Each pile that was not as it lies again: whoever drew from it would know its next card."""
    if at.game.piles is None:
        return match
    pairs = zip(*map(at.game.piles.of, (at.state.state, match.state)), strict=True)
    chance = at.chance
    anew = [
        None if was == now else chance.about("a pile shuffled anew").shuffle(now)
        for was, now in pairs
    ]
    if any(pile is not None for pile in anew):
        match = yield at.game.piles.shuffled(anew)
    return match


def _what_fell_due(match: Match, at: TableAt) -> MatchSteps:
    """What waited for the end of a pause, also of one that the match went back into."""
    match = yield from by_the_game(match, at.game.after_resume(at.in_game(match)))
    return (yield from ending(at.game, match))


def reissue_token(at: TableAt, command: commands.ReissueToken) -> MatchSteps:
    """A seat's tokens so far are void."""
    generation = at.state.seats[command.seat].generation + 1
    return (yield events.TokenReissued(command.seat, generation))


def excuse_outage(at: TableAt, command: commands.ExcuseOutage) -> MatchSteps:
    """Nobody is charged for the times in which nobody could move."""
    match = at.state
    for outage in command.outages:
        match = yield events.OutageExcused(outage.from_, outage.until)
    return match


def lapses(match: Match, acted: int | None, owed_before: tuple[int, ...], game: Game) -> MatchSteps:
    """After the game has gone on: offers whose seat is to act again fall away.

    `acted` is the seat whose command it was, if it was one; a seat that goes on owing the
    command that it owed when it made the offer keeps the offer. Of a match that is over nothing
    is left to lapse.
    """
    owed = () if match.over else game.to_act(match.state)
    for offer, kind in _pending(match):
        if offer.seat in owed and (offer.seat not in owed_before or offer.seat == acted):
            match = yield events.OfferLapsed(offer.seat, kind)
    return match


def _pending(match: Match) -> list[tuple[Offer, OfferKind]]:
    offers: dict[OfferKind, Offer | None] = {"draw": match.draw, "takeback": match.takeback}
    return [(offer, kind) for kind, offer in offers.items() if offer]
