"""A match whose seats add entropy themselves: before the deal, the deal, and after it."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import pytest

from referee.catalogue import catalogue
from referee.core.commit import Commit
from referee.core.game import Asker, Command, Game
from referee.core.judging import Legal, NotAllowed
from referee.core.match import ClockSetting
from referee.core.table.commands import (
    IDLE,
    AcceptDraw,
    AcceptTakeback,
    AddEntropy,
    Adjudicate,
    AnswerCall,
    CallArbiter,
    Certify,
    ClaimTimeout,
    Deal,
    DeclineDraw,
    DeclineTakeback,
    ExcuseOutage,
    Forfeit,
    GrantTime,
    OfferDraw,
    Outage,
    Pause,
    Rank,
    ReissueToken,
    RequestTakeback,
    Resign,
    Resume,
    TakeBack,
    Void,
    WithdrawCall,
)
from referee.core.table.events import DealtWithout, EntropyAdded
from referee.core.told import drawn
from referee.core.verify import verify
from referee.core.visibility import ORGANIZER, SPECTATOR, seat_viewer
from referee.games.dancing_villager import GAME as VILLAGER
from referee.games.dancing_villager.types import Grab
from referee.games.dragon_dance import GAME as DRAGON
from referee.games.giro_galoppo import GAME as GIRO
from referee.games.giro_galoppo.types import ChooseCard, PlaceObstacle
from tests.core.play import Play, types_of

ONE, TWO = "a0" * 16, "C0FFEE" * 20
NOW: Deal = Deal("the round begins")
GAMES = pytest.mark.parametrize("game", [each.game for each in catalogue()], ids=lambda g: g.id)


def waiting(game: Game = GIRO, **how: Any) -> Play:
    """A match of two seats that have not added entropy yet."""
    return Play(game, seats=2, entropy="seats", **how)


def dealt(game: Game = GIRO, **how: Any) -> Play:
    """The same after both have."""
    play = waiting(game, **how)
    play.take(0, AddEntropy(ONE))
    play.take(1, AddEntropy(TWO))
    return play


# ── Before the deal ───────────────────────────────────────────────────────────────────────────────


@GAMES
def test_nothing_is_dealt_when_the_match_is_created(game: Game) -> None:
    """Also in games in which nothing is: no state, nothing due, nothing legal; entropy is owed."""
    play = waiting(game, clock=ClockSetting(60))
    (created,) = play.decided[0].events
    assert created.entropy == "seats"  # type: ignore[attr-defined]
    for viewer in (ORGANIZER, SPECTATOR, seat_viewer(0)):
        view = play.view(viewer)
        assert (view["state"], view["deadline"], view["to_act"]) == (None, None, [0, 1])
        assert view["clock"]["running"] == []
    for who in (0, 1, "organizer"):
        assert play.rules.legal(play.match, play.asker(who)) == Legal((), True, ())  # noqa: FBT003
    play.verify()


def test_what_a_game_would_have_due_or_lawful_waits_for_the_deal() -> None:
    """A window that were open from the start, a report that somebody may send at once."""
    early = dataclasses.replace(VILLAGER, version=2, deadline=lambda _state: 5)
    play = waiting(early)
    assert play.rules.deadline(play.match) is None
    assert play.rules.overdue(play.match, 6) is None
    play = waiting(VILLAGER, options={"mode": "table"})
    assert play.rules.legal(play.match, play.asker("organizer")).complete
    play.take("organizer", NOW)
    assert not play.rules.legal(play.match, play.asker("organizer")).complete


def test_who_has_added_entropy_owes_nothing_more() -> None:
    """The others still do, and see what was added."""
    play = waiting()
    assert play.take(1, AddEntropy(TWO)) == [EntropyAdded(1, TWO)]
    assert play.match.owed == (0,)
    assert play.view(SPECTATOR)["state"] is None


BEFORE_DEAL: list[tuple[int | str, Command]] = [
    *((0, command) for command in (Resign(), OfferDraw(), AcceptDraw(), DeclineDraw())),
    *((0, command) for command in (RequestTakeback(1), AcceptTakeback(), DeclineTakeback())),
    *((0, command) for command in (CallArbiter("x", None), WithdrawCall(), ClaimTimeout(1))),
    *((0, command) for command in (PlaceObstacle(2), ChooseCard(99))),
    *(("organizer", command) for command in (Forfeit(0, "x"), GrantTime(0, 5), Certify())),
    *(("organizer", command) for command in (TakeBack(1, "x"), AnswerCall("x", None))),
    ("service", ExcuseOutage((Outage(1, 2),))),
]


@pytest.mark.parametrize(("who", "command"), BEFORE_DEAL, ids=lambda one: type(one).__name__)
def test_all_else_is_refused(who: int | str, command: Command) -> None:
    """Whatever else is wrong with it besides; whoever is to leave is dealt in first."""
    assert waiting().refusal(who, command) == "before-deal"


def test_what_every_command_must_be_is_judged_first() -> None:
    """A seat of this match, which is not over and not paused."""
    play = waiting()
    assert play.refusal(7, PlaceObstacle(2)) == "not-seated"
    play.take("organizer", Pause())
    assert play.refusal(0, PlaceObstacle(2)) == "match-paused"
    play.take("organizer", Void("nobody came"))
    assert play.refusal(0, PlaceObstacle(2)) == "match-over"


def test_a_games_own_admission_is_judged_before_too() -> None:
    """Where a game says who may send what, that is looked at on its first state."""
    play = waiting(VILLAGER)
    assert play.refusal(0, Grab("dog")) == "before-deal"
    assert play.refusal("organizer", Grab("dog")) == "not-seated"


def test_nothing_is_dealt_while_the_match_is_paused() -> None:
    """It is resumed first; a seat's token may be replaced meanwhile."""
    play = waiting()
    play.take("organizer", Pause())
    play.take("organizer", ReissueToken(0))
    assert play.refusal(0, AddEntropy(ONE)) == "match-paused"
    assert play.refusal("organizer", NOW) == "match-paused"
    play.take("organizer", Resume())
    assert (play.match.owed, play.match.status) == ((0, 1), "active")
    play.verify()


def test_an_undealt_match_may_end() -> None:
    """Void, or by a result, which is certified as any other; the seed is told."""
    play = waiting()
    assert types_of(play.take("organizer", Void("x"))) == ["voided", "seed_revealed"]
    assert play.view(SPECTATOR)["state"] is None
    assert play.refusal(0, AddEntropy(ONE)) == play.refusal("organizer", NOW) == "match-over"
    assert play.refusal("organizer", Certify()) == "match-not-finished"
    play.take("organizer", Adjudicate((Rank(0, 1), Rank(1, None)), "the other did not come"))
    play.take("organizer", Certify())
    assert play.view(SPECTATOR)["to_act"] == []
    play.verify()


def test_a_match_that_nobody_adds_entropy_to_ends_as_idle() -> None:
    """The service ends it as any other that nobody plays; nothing else is ever due before."""
    play = waiting(clock=ClockSetting(60), idle_s=90)
    play.wait(89)
    assert play.rules.overdue(play.match, play.now) is None
    play.wait(1)
    assert play.rules.overdue(play.match, play.now) == Void(IDLE)
    play.take("service", Void(IDLE))
    play.verify()


@GAMES
def test_the_board_is_empty_and_says_why(game: Game) -> None:
    """One line, as text and in the picture."""
    view = waiting(game).view(SPECTATOR)
    line = "Nothing is dealt yet: the entropy of red and blue is awaited."
    assert drawn.text(game, view) == line
    assert drawn.svg(game, view).count("<text") == 1
    assert f">{line}</text>" in drawn.svg(game, view)


# ── The deal ──────────────────────────────────────────────────────────────────────────────────────


@GAMES
def test_the_last_entropy_deals(game: Game) -> None:
    """In its commit, what a match with these entropies from the beginning would have dealt."""
    play, given = dealt(game), Play(game, seats=2, entropy=(ONE, TWO))
    added, *deal = play.decided[-1].events
    assert added == EntropyAdded(1, TWO)
    assert deal == list(given.decided[0].events[1:])
    assert (play.match.state, play.match.draws) == (given.match.state, given.match.draws)
    assert play.match.owed == given.match.owed
    play.verify()


def test_every_seats_entropy_changes_the_deal() -> None:
    """Whichever seat sent it, and in whichever order they did."""
    play = waiting(DRAGON)
    play.take(1, AddEntropy(TWO))
    play.take(0, AddEntropy(ONE))
    assert play.match.state == dealt(DRAGON).match.state
    other = waiting(DRAGON)
    other.take(0, AddEntropy(TWO))
    other.take(1, AddEntropy(ONE))
    assert other.match.state.pile != play.match.state.pile


def test_the_log_keeps_entropy_as_it_was_sent() -> None:
    """Draws take it in lower case."""
    play = dealt(DRAGON)
    sent = msgspec.msgpack.decode(play.log[-1], type=Commit[Any, Any]).cmd
    assert sent == {"type": "add_entropy", "hex": TWO}
    assert play.match.entropy == (ONE, TWO.lower())


def test_the_organizer_deals_without_what_is_missing() -> None:
    """It counts as none, and the log says whose it was and why."""
    play = waiting(DRAGON)
    play.take(1, AddEntropy(ONE))
    without, *deal = play.take("organizer", NOW)
    assert without == DealtWithout((0,), "the round begins")
    assert deal == list(Play(DRAGON, seats=2, entropy=("", ONE)).decided[0].events[1:])
    play.verify()


def test_clocks_run_from_the_deal_on() -> None:
    """What was waited for is charged to nobody."""
    play = waiting(clock=ClockSetting(60))
    play.wait(1000)
    play.take(0, AddEntropy(ONE))
    play.wait(1000)
    play.take(1, AddEntropy(TWO))
    assert play.match.clock is not None
    assert play.match.clock.left == (60_000, 60_000)
    assert play.rules.deadline(play.match) == play.now + 60_000


# ── Who, once, and how ────────────────────────────────────────────────────────────────────────────


def test_entropy_is_asked_of_a_seat_once_and_before_the_deal() -> None:
    """Dealing likewise; and not in a match that was created otherwise."""
    play = waiting()
    play.take(0, AddEntropy(ONE))
    assert play.refusal(0, AddEntropy(TWO)) == "entropy-asked"
    play.take(1, AddEntropy(TWO))
    for one in (play, Play(seats=2)):
        assert one.refusal(0, AddEntropy(TWO)) == "entropy-asked"
        assert one.refusal("organizer", NOW) == "entropy-asked"


@pytest.mark.parametrize(
    "by", [Asker("organizer", None, 0), Asker("seat", 0, 0, "organizer:ann")], ids=str
)
def test_nobody_adds_entropy_for_a_seat(by: Asker) -> None:
    """Not the organizer: then the deal could be chosen. No log may say so either."""
    play = waiting()
    with pytest.raises(NotAllowed, match="An organizer may not send add_entropy"):
        play.rules.judge(play.match, by, AddEntropy(ONE))
    play.take(0, AddEntropy(ONE))
    commit = msgspec.msgpack.decode(play.log[-1])
    forged = msgspec.msgpack.encode({**commit, "by": str(by)})
    dispute = verify(play.rules, "m1", [play.log[0], forged]).dispute
    assert dispute is not None
    assert (dispute.kind, dispute.version) == ("illegal", 2)


@pytest.mark.parametrize("digits", ["0" * 32, "F" * 128, "0123456789abcdefABCDEF" * 2])
def test_entropy_is_32_to_128_hex_digits(digits: str) -> None:
    """In lower or upper case."""
    sent = msgspec.json.encode({"type": "add_entropy", "hex": digits})
    assert waiting().rules.read_command(sent) == AddEntropy(digits)


@pytest.mark.parametrize("digits", ["", "0" * 31, "0" * 129, "g" * 32, "0" * 32 + "\n", "０" * 32])
def test_anything_else_is_none(digits: str) -> None:
    """It is malformed, and never comes before a ruling."""
    with pytest.raises(msgspec.ValidationError, match=r"\$\.hex"):
        waiting().rules.read_command(msgspec.json.encode({"type": "add_entropy", "hex": digits}))


@pytest.mark.parametrize("to", [1, 2])
def test_no_take_back_goes_to_before_the_deal(to: int) -> None:
    """Neither the players' nor the organizer's; to the deal itself it may."""
    play = dealt()
    play.take(0, PlaceObstacle(2))
    assert play.refusal("organizer", TakeBack(to, "x")) == "takeback-target"
    assert play.refusal(0, RequestTakeback(to)) == "takeback-target"
    play.take("organizer", TakeBack(3, "x"))
    assert play.match.state == play.at(3).state
    play.verify()


def test_none_goes_to_before_a_deal_without_some() -> None:
    """The organizer's deal is the deal."""
    play = waiting()
    play.take("organizer", NOW)
    play.take(0, PlaceObstacle(2))
    assert play.refusal("organizer", TakeBack(1, "x")) == "takeback-target"
    play.take("organizer", TakeBack(2, "x"))
