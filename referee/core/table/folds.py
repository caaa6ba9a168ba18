"""The table's folds: what each of its events makes of a match. A recorded event is a fact."""

from collections.abc import Callable
from typing import Any, Final, Literal

from msgspec.structs import asdict, replace

from referee.core import clock
from referee.core.commit import first_prev
from referee.core.game import Command, Event, Game, put
from referee.core.match import Call, Match, Offer, OfferKind, Result, Seat, Setting
from referee.core.randomness import commitment
from referee.core.table import commands, events


def created(event: events.MatchCreated, at: int, game: Game, options: Any) -> Match:
    """The match at its creation, before the game's own set-up: version 0, no head yet."""
    setting = Setting(
        match=event.match,
        ruleset=event.ruleset,
        options=options,
        seed=bytes.fromhex(event.seed),
        public=event.public,
        tournament=event.tournament,
        round=event.round,
        table=event.table,
        clock=event.clock,
        idle_s=event.idle_s,
        calls=event.calls,
        created=at,
    )
    seats = tuple(Seat(one.name) for one in event.seats)
    awaited = event.entropy == "seats"
    return Match(
        setting=setting,
        version=0,
        head=first_prev(event.match, event.ruleset),
        at=at,
        status="active",
        seats=seats,
        state=game.start(options, len(seats)),
        entropy=("",) * len(seats) if isinstance(event.entropy, str) else event.entropy,
        draws=0,
        revealed=0,
        dealt=0 if awaited else 1,
        owed=tuple(range(len(seats))) if awaited else (),
        clock=clock.start(event.clock, len(seats), at) if event.clock else None,
    )


def announced(order: commands.CreateMatch) -> events.MatchCreated:
    """The event by which an ordered match is created."""
    promise = commitment(bytes.fromhex(order.seed))
    return events.MatchCreated(**asdict(order), seed_commitment=promise)


def _with_seat(match: Match, seat: int, **changes: Any) -> tuple[Seat, ...]:
    seats = list(match.seats)
    seats[seat] = replace(seats[seat], **changes)
    return tuple(seats)


def _fold_entropy(match: Match, event: events.EntropyAdded, _game: Game) -> Match:
    awaited = tuple(seat for seat in match.owed if seat != event.seat)
    entropy = put(match.entropy, event.seat, event.hex.lower())
    return replace(match, entropy=entropy, owed=awaited, dealt=0 if awaited else match.version + 1)


def _fold_dealt_without(match: Match, _event: events.DealtWithout, _game: Game) -> Match:
    return replace(match, owed=(), dealt=match.version + 1)


def _fold_withdrawn(match: Match, event: events.Withdrawn, game: Game) -> Match:
    return replace(
        match,
        seats=_with_seat(match, event.seat, withdrawn=True),
        left=match.version + 1,
        state=game.leave(match.state, event.seat),
    )


def _provisional(reason: Any, event: events.MatchEnded | events.Adjudicated) -> Result:
    return Result(certified=False, reason=reason, ranking=event.ranking, winners=event.winners)


def _fold_ended(match: Match, event: events.MatchEnded, _game: Game) -> Match:
    result = _provisional(event.reason, event)
    return _over(match, "finished", result)


def _fold_adjudicated(match: Match, event: events.Adjudicated, _game: Game) -> Match:
    return _over(match, "finished", _provisional("adjudicated", event))


def _fold_voided(match: Match, _event: events.Voided, _game: Game) -> Match:
    return _over(match, "void", None)


def _over(match: Match, status: Literal["finished", "void"], result: Result | None) -> Match:
    return replace(
        match,
        status=status,
        result=result,
        draw=None,
        takeback=None,
        call=None,
        held=False,
        paused_at=None,
    )


def _fold_seed(match: Match, _event: events.SeedRevealed, _game: Game) -> Match:
    return replace(match, seed_revealed=True)


def _fold_certified(match: Match, _event: events.Certified, _game: Game) -> Match:
    return replace(match, result=replace(match.result, certified=True))  # type: ignore[type-var]


def _fold_paused(match: Match, _event: events.Paused, _game: Game) -> Match:
    return replace(match, status="paused", paused_at=match.at, held=match.call is None)


def _fold_resumed(match: Match, event: events.Resumed, game: Game) -> Match:
    state = game.resumed(match.state, event.paused_ms)
    return replace(match, status="active", paused_at=None, held=False, state=state)


def _fold_called(match: Match, event: events.ArbiterCalled, _game: Game) -> Match:
    calls = match.seats[event.seat].calls + 1
    call = Call(event.seat, event.text, event.about)
    return replace(match, call=call, seats=_with_seat(match, event.seat, calls=calls))


def _fold_call_over(match: Match, _event: Event, _game: Game) -> Match:
    return replace(match, call=None)


def _fold_draw_offered(match: Match, event: events.DrawOffered, _game: Game) -> Match:
    return replace(match, draw=Offer(event.seat))


def _fold_draw_accepted(match: Match, event: events.DrawAccepted, _game: Game) -> Match:
    return replace(match, draw=_agreed_by(match.draw, event.seat))


def _agreed_by(offer: Offer | None, seat: int) -> Offer | None:
    return replace(offer, accepted=(*offer.accepted, seat)) if offer else None


def _fold_draw_declined(match: Match, _event: events.DrawDeclined, _game: Game) -> Match:
    return _came_to_nothing(match, "draw")


def _came_to_nothing(match: Match, kind: OfferKind) -> Match:
    offer: Offer | None = getattr(match, kind)
    spent = match.spent if offer is None else (*match.spent, (offer.seat, kind))
    return replace(match, spent=spent, **{kind: None})


def _fold_takeback_requested(match: Match, event: events.TakebackRequested, _game: Game) -> Match:
    return replace(match, takeback=Offer(event.seat, to=event.to))


def _fold_takeback_accepted(match: Match, event: events.TakebackAccepted, _game: Game) -> Match:
    return replace(match, takeback=_agreed_by(match.takeback, event.seat))


def _fold_takeback_declined(match: Match, _event: events.TakebackDeclined, _game: Game) -> Match:
    return _came_to_nothing(match, "takeback")


def _fold_lapsed(match: Match, event: events.OfferLapsed, _game: Game) -> Match:
    return _came_to_nothing(match, event.offer)


def _fold_flagged(match: Match, event: events.Flagged, _game: Game) -> Match:
    return replace(match, clock=clock.flag(match.clock, event.seat)) if match.clock else match


def _fold_granted(match: Match, event: events.TimeGranted, _game: Game) -> Match:
    if match.clock is None:
        return match
    return replace(match, clock=clock.grant(match.clock, event.seat, event.seconds * clock.SECOND))


def _fold_reissued(match: Match, event: events.TokenReissued, _game: Game) -> Match:
    return replace(match, seats=_with_seat(match, event.seat, generation=event.generation))


def _fold_excused(match: Match, event: events.OutageExcused, game: Game) -> Match:
    """What the game times stood still meanwhile, as in a pause.

    Of the clocks the commit's own reading left that time out: see `excused_ms`.
    """
    return replace(match, state=game.resumed(match.state, event.until - event.from_))


def excused_ms(command: Command) -> int:
    """How much of the time since the commit before nobody is charged for, by this command."""
    if not isinstance(command, commands.ExcuseOutage):
        return 0
    return sum(one.until - one.from_ for one in command.outages)


TABLE_EVENTS: Final[dict[type[Event], Callable[[Match, Any, Game], Match]]] = {
    events.EntropyAdded: _fold_entropy,
    events.DealtWithout: _fold_dealt_without,
    events.Withdrawn: _fold_withdrawn,
    events.MatchEnded: _fold_ended,
    events.SeedRevealed: _fold_seed,
    events.DrawOffered: _fold_draw_offered,
    events.DrawAccepted: _fold_draw_accepted,
    events.DrawDeclined: _fold_draw_declined,
    events.TakebackRequested: _fold_takeback_requested,
    events.TakebackAccepted: _fold_takeback_accepted,
    events.TakebackDeclined: _fold_takeback_declined,
    events.OfferLapsed: _fold_lapsed,
    events.Flagged: _fold_flagged,
    events.Certified: _fold_certified,
    events.Paused: _fold_paused,
    events.Resumed: _fold_resumed,
    events.ArbiterCalled: _fold_called,
    events.CallWithdrawn: _fold_call_over,
    events.CallAnswered: _fold_call_over,
    events.Voided: _fold_voided,
    events.Adjudicated: _fold_adjudicated,
    events.TimeGranted: _fold_granted,
    events.TokenReissued: _fold_reissued,
    events.OutageExcused: _fold_excused,
}


def gone_back(match: Match, past: Match, at: int, game: Game) -> Match:
    """The match after a take-back to `past`: play, seats and clocks as they were then.

    What does not go back: versions, draw numbers, what was revealed, who left when, the tokens'
    generations, whose offers came to nothing, calls to the arbiter, and a pause that is on. What
    the game times (a window that was open)
    has as long to run as it had then: the time between was no more than a pause.
    """
    seats = tuple(
        replace(now, withdrawn=then.withdrawn)
        for now, then in zip(match.seats, past.seats, strict=True)
    )
    stood_still = (match.paused_at or at) - (past.paused_at or past.at)
    state = game.resumed(past.state, stood_still)
    face = clock.stand(past.clock, at) if past.clock else None
    return replace(match, seats=seats, state=state, clock=face, draw=None, takeback=None)
