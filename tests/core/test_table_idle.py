"""Matches that nobody plays any more: the service ends them, where that was laid down."""

from __future__ import annotations

import pytest

from referee.core.match import ClockSetting
from referee.core.table.commands import (
    IDLE,
    ExcuseOutage,
    OfferDraw,
    Outage,
    Pause,
    Resume,
    Void,
)
from referee.core.table.events import SeedRevealed, Voided
from referee.core.visibility import SPECTATOR
from tests.core.play import SEED, START, Play

HOUR = 3600
FORSAKEN = Void(IDLE)


def test_a_match_that_is_idle_for_its_time_is_void() -> None:
    """At the very end of it, with the reason `idle`; the seed is revealed as at every end."""
    play = Play(idle_s=HOUR)
    assert play.rules.awaited(play.match) == START + HOUR * 1000
    play.wait(HOUR - 0.001)
    assert play.rules.overdue(play.match, play.now) is None
    assert play.refusal("service", FORSAKEN) == "idle"
    play.wait(0.001)
    assert play.rules.overdue(play.match, play.now) == FORSAKEN
    assert play.take("service", FORSAKEN) == [Voided("idle"), SeedRevealed(SEED.hex())]
    assert (play.match.status, play.rules.awaited(play.match)) == ("void", None)
    play.verify()


def test_every_commit_begins_its_time_anew() -> None:
    """Also one that is not of the game, and an outage that is excused."""
    play = Play(idle_s=HOUR)
    play.wait(HOUR)
    play.take(1, OfferDraw())
    play.wait(HOUR)
    play.take("service", ExcuseOutage((Outage(play.now - 5000, play.now),)))
    assert play.rules.awaited(play.match) == play.now + HOUR * 1000
    assert play.refusal("service", FORSAKEN) == "idle"


def test_a_paused_match_is_not_idle() -> None:
    """However long; its time begins with the resume."""
    play = Play(idle_s=HOUR)
    play.take("organizer", Pause())
    play.wait(100 * HOUR)
    assert play.rules.awaited(play.match) is None
    assert play.refusal("service", FORSAKEN) == "idle"
    play.take("organizer", Resume())
    assert play.rules.awaited(play.match) == play.now + HOUR * 1000


def test_idleness_is_no_part_of_the_deadline() -> None:
    """The view's is that of clocks and windows alone; the service looks at what is earlier."""
    play = Play(idle_s=60)
    assert play.view(SPECTATOR)["deadline"] is None
    timed = Play(idle_s=60, clock=ClockSetting(90))
    assert timed.view(SPECTATOR)["deadline"] == START + 90_000
    assert timed.rules.awaited(timed.match) == START + 60_000
    sooner = Play(idle_s=120, clock=ClockSetting(90))
    assert sooner.rules.awaited(sooner.match) == START + 90_000


@pytest.mark.parametrize(("idle_s", "reason"), [(0, IDLE), (60, "tired")])
def test_the_service_ends_no_match_for_anything_else(idle_s: int, reason: str) -> None:
    """Neither where nothing was laid down, nor for a reason of its own."""
    play = Play(idle_s=idle_s)
    play.wait(10 * HOUR)
    assert play.refusal("service", Void(reason)) == "idle"
    play.take("organizer", Void(IDLE))
    play.verify()
