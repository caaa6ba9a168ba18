"""Who may do what and when in dancing-villager: modes, the window, withdrawals, pauses."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import json

from referee.core.game import Asker, At, Command, ListOf, OneOf, Outcome, Standing, play
from referee.games.dancing_villager import GAME
from referee.games.dancing_villager.events import (
    Called,
    DogTamed,
    Grabbed,
    Rolled,
    RoundEnded,
    VillagerLost,
    WindowClosed,
)
from referee.games.dancing_villager.types import Close, Grab, GrabNote, Ready, ReportRoll
from tests.games.dancing_villager_table import SERVICE, Dance, a_roll, at_a_table

FLAT = ("ffff", "ffff", "ffff")
TAME = ("uuuu", "ufff", "ffff")
ASSAULT = ("dddf", "ffff", "ffff")
ORGANIZER = None


def virtual_grab() -> Dance:
    """Three seats, the window of a roll that calls for nothing open since now."""
    return Dance(3).opened("uuff", "ffff", "ffff")


class TestVirtualPlay:
    """Who gets which refusal where the service rolls."""

    @pytest.mark.parametrize("command", [Ready(), ReportRoll(()), Grab("dog"), Close()])
    def test_the_organizer_holds_no_seat(self, command: Command) -> None:
        """not-seated, whatever the command, in either phase."""
        assert Dance(3).refusal(ORGANIZER, command) == "not-seated"
        assert virtual_grab().refusal(ORGANIZER, command) == "not-seated"

    @pytest.mark.parametrize("seat", [-1, 3, 99])
    def test_a_seat_that_does_not_exist_is_not_seated(self, seat: int) -> None:
        """not-seated: seats are 0 to 2."""
        assert Dance(3).refusal(seat, Ready()) == "not-seated"

    @pytest.mark.parametrize("command", [Ready(), ReportRoll(()), Grab("dog"), Close()])
    def test_a_seat_that_is_out_says_nothing(self, command: Command) -> None:
        """Being out comes before turn and phase."""
        dance = Dance(3)
        dance.leaves(1)
        assert dance.refusal(1, command) == "withdrawn"

    def test_ready_is_said_once(self) -> None:
        """out-of-turn: the seat that has said it is not in to_act; before, it is lawful."""
        dance = Dance(3)
        assert dance.refusal(0, Ready()) is None
        dance.when(0, Ready())
        assert dance.refusal(0, Ready()) == "out-of-turn"
        assert dance.refusal(1, Ready()) is None

    def test_nobody_owes_a_ready_while_the_window_is_open(self) -> None:
        """out-of-turn: to_act is empty then."""
        dance = virtual_grab()
        assert GAME.to_act(dance.state) == ()
        assert dance.refusal(0, Ready()) == "out-of-turn"

    def test_a_grab_before_the_roll_is_another_phase(self) -> None:
        """wrong-phase for a seat in to_act, out-of-turn for one that is not."""
        dance = Dance(3)
        dance.when(0, Ready())
        assert dance.refusal(1, Grab("dog")) == "wrong-phase"
        assert dance.refusal(0, Grab("dog")) == "out-of-turn"

    def test_every_seat_may_grab_while_the_window_is_open(self) -> None:
        """Nobody is in to_act, and still no seat is out of turn."""
        dance = virtual_grab()
        assert [dance.refusal(seat, Grab("dog")) for seat in range(3)] == [None] * 3

    @pytest.mark.parametrize("command", [ReportRoll(a_roll(*FLAT)), Close()])
    def test_a_command_of_the_other_mode_is_another_phase(self, command: Command) -> None:
        """wrong-phase in either phase, also after the own ready, and for a seat's close."""
        dance = Dance(3)
        dance.when(0, Ready())
        assert dance.refusal(0, command) == "wrong-phase"
        assert dance.refusal(1, command) == "wrong-phase"
        assert virtual_grab().refusal(1, command) == "wrong-phase"

    def test_a_seat_does_not_close_when_the_window_has_ended(self) -> None:
        """wrong-phase for a seat, lawful for the service."""
        dance = virtual_grab()
        dance.now += 5000
        assert dance.refusal(1, Close()) == "wrong-phase"
        assert dance.refusal(SERVICE, Close()) is None

    def test_the_service_closes_no_window_before_the_roll(self) -> None:
        """wrong-phase: there is none."""
        assert Dance(3).refusal(SERVICE, Close()) == "wrong-phase"

    def test_an_organizer_in_a_seat_is_judged_as_that_seat(self) -> None:
        """Acting for a seat gives its rights and no others."""
        dance = virtual_grab()
        by = Asker("organizer", 1, dance.now)
        assert [judge(dance.state, by, Grab("dog")) for judge in GAME.admission.values()] == [
            None
        ] * 4
        assert GAME.admission["wrong-phase"](dance.state, by, Close()) is not None


class TestTableMode:
    """Who gets which refusal at a real table."""

    def test_the_organizer_and_the_scorer_report_all(self) -> None:
        """A whole roll reported by the scorer, the next one by the organizer."""
        dance = at_a_table(3, scorer=2)
        assert dance.when(2, ReportRoll(a_roll(*TAME))) == [Rolled(a_roll(*TAME))]
        assert dance.when(2, Grab("dog", 0)) == [Grabbed(0, "dog")]
        assert dance.when(ORGANIZER, Grab("bonfire", 1)) == [Grabbed(1, "bonfire")]
        assert isinstance(dance.when(2, Close())[0], WindowClosed)
        assert dance.rolls("ffff", "fff", "ffff")

    @pytest.mark.parametrize(
        "command",
        [Ready(), ReportRoll(a_roll(*FLAT)), Grab("dog", 1), Grab("bonfire", 0), Close()],
    )
    def test_every_other_seat_is_out_of_turn(self, command: Command) -> None:
        """out-of-turn for a seat that is not the scorer, in either phase."""
        dance = at_a_table(3, scorer=2)
        assert dance.refusal(0, command) == "out-of-turn"
        dance.rolls(*FLAT)
        assert dance.refusal(0, command) == "out-of-turn"

    def test_without_a_scorer_only_the_organizer_reports(self) -> None:
        """out-of-turn for every seat."""
        dance = at_a_table(3)
        report = ReportRoll(a_roll(*FLAT))
        assert [dance.refusal(seat, report) for seat in range(3)] == ["out-of-turn"] * 3
        assert dance.refusal(ORGANIZER, report) is None

    @pytest.mark.parametrize("asker", [ORGANIZER, 1])
    def test_ready_belongs_to_the_other_mode(self, asker: int | None) -> None:
        """wrong-phase for the organizer and the scorer."""
        assert at_a_table(3, scorer=1).refusal(asker, Ready()) == "wrong-phase"

    @pytest.mark.parametrize("asker", [ORGANIZER, 1])
    def test_reports_come_in_their_phase(self, asker: int | None) -> None:
        """wrong-phase: grabs and closes after a roll, a roll after a close."""
        dance = at_a_table(3, scorer=1)
        assert dance.refusal(asker, Grab("dog", 0)) == "wrong-phase"
        assert dance.refusal(asker, Close()) == "wrong-phase"
        dance.rolls(*FLAT)
        assert dance.refusal(asker, ReportRoll(a_roll(*FLAT))) == "wrong-phase"

    @pytest.mark.parametrize("asker", [ORGANIZER, 1])
    def test_a_reported_seat_must_exist_and_be_in(self, asker: int | None) -> None:
        """not-seated and withdrawn are asked of the seat whose hand it was."""
        dance = at_a_table(4, scorer=1)
        dance.leaves(3)
        dance.rolls("fff", "fff", "fff", "")
        assert dance.refusal(asker, Grab("dog", 4)) == "not-seated"
        assert dance.refusal(asker, Grab("dog", -1)) == "not-seated"
        assert dance.refusal(asker, Grab("dog", 3)) == "withdrawn"
        assert dance.refusal(asker, Grab("dog", 2)) is None

    def test_a_scorer_that_is_out_reports_no_more(self) -> None:
        """withdrawn: then the organizer is left."""
        dance = at_a_table(3, scorer=1)
        dance.leaves(1)
        report = ReportRoll(a_roll("ffff", "", "ffff"))
        assert dance.refusal(1, report) == "withdrawn"
        assert dance.refusal(ORGANIZER, report) is None

    def test_the_service_has_no_part_in_it(self) -> None:
        """No window ends by itself, and the service holds no seat."""
        dance = at_a_table(3)
        dance.rolls(*FLAT)
        assert GAME.deadline(dance.state) is None
        assert dance.refusal(SERVICE, Close()) == "not-seated"

    def test_a_window_is_open_until_it_is_closed(self) -> None:
        """Time does not matter at a real table."""
        dance = at_a_table(3)
        dance.rolls(*FLAT)
        dance.now += 10_000_000
        assert dance.refusal(ORGANIZER, Grab("dog", 0)) is None
        dance.now -= 10_000_000
        assert dance.refusal(ORGANIZER, Close()) is None


class TestForm:
    """What is a 400 and no refusal."""

    def test_a_grab_names_its_seat_in_table_mode_only(self) -> None:
        """Without a seat at a real table, and with one in virtual play, it is malformed."""
        virtual, table = Dance(2).options, at_a_table(2).options
        assert dict(GAME.malformed(virtual, Grab("dog", 0))) == {
            "seat": "not taken in virtual play: a seat grabs for itself"
        }
        assert dict(GAME.malformed(table, Grab("dog"))) == {
            "seat": "required in table mode: whose hand it was"
        }
        assert not GAME.malformed(virtual, Grab("dog"))
        assert not GAME.malformed(table, Grab("dog", 77))
        for command in (Ready(), Close(), ReportRoll(())):
            assert not GAME.malformed(virtual, command)
            assert not GAME.malformed(table, command)

    def test_a_grab_without_a_seat_has_no_such_field(self) -> None:
        """On the wire an absent seat is absent, not null."""
        assert json.encode(Grab("dog")) == b'{"type":"grab","what":"dog"}'
        assert json.decode(b'{"type":"grab","what":"dog"}', type=Grab) == Grab("dog")

    @pytest.mark.parametrize(
        "body",
        [
            b'{"type":"grab"}',
            b'{"type":"grab","what":"cat"}',
            b'{"type":"grab","what":"dog","seat":null}',
            b'{"type":"grab","what":"dog","seat":"0"}',
            b'{"type":"report_roll"}',
            b'{"type":"report_roll","villagers":[[{"pose":"up"}]]}',
            b'{"type":"report_roll","villagers":[[{"pose":"sitting","on_top":false}]]}',
            b'{"type":"report_roll","villagers":[[{"pose":"up","on_top":1}]]}',
            b'{"type":"report_roll","villagers":[[{"pose":"up","on_top":true,"x":1}]]}',
            b'{"type":"ready","seat":0}',
            b'{"type":"close","now":true}',
        ],
    )
    def test_the_schema_refuses_other_shapes(self, body: bytes) -> None:
        """Missing fields, other words and types, unknown fields."""
        with pytest.raises(ValueError, match=r"\w"):
            json.decode(body, type=Ready | ReportRoll | Grab | Close)


class TestWindow:
    """Ruling window, and the service's clock."""

    def test_it_ends_a_fixed_time_after_the_roll(self) -> None:
        """The commit of the roll starts it; that is the deadline, and then a close is due."""
        dance = Dance(2, window_ms=1234)
        dance.when(0, Ready())
        assert GAME.deadline(dance.state) is None
        dance.now += 777
        dance.when(1, Ready())
        assert dance.state.window_ends == dance.now + 1234
        assert GAME.deadline(dance.state) == dance.now + 1234
        assert GAME.overdue(dance.state) == Close()

    def test_a_later_commit_does_not_move_it(self) -> None:
        """Grabs, and whoever leaves, change nothing about its end."""
        dance = virtual_grab()
        ends = dance.state.window_ends
        dance.now += 1000
        dance.grabs(0, "dog")
        dance.leaves(2)
        assert dance.state.window_ends == ends

    def test_grabs_count_before_its_end(self) -> None:
        """One millisecond before is in time; at the end and later is refused."""
        dance = virtual_grab()
        dance.now += 4999
        assert dance.refusal(0, Grab("dog")) is None
        dance.now += 1
        assert dance.refusal(0, Grab("dog")) == "window"
        dance.now += 60_000
        assert dance.refusal(0, Grab("dog")) == "window"

    def test_it_never_closes_before_its_end(self) -> None:
        """Whatever is grabbed; from the end on it may."""
        dance = virtual_grab()
        for seat in range(3):
            dance.grabs(seat, "dog")
            dance.grabs(seat, "bonfire")
        dance.now += 4999
        assert dance.refusal(SERVICE, Close()) == "window"
        dance.now += 1
        assert dance.refusal(SERVICE, Close()) is None

    def test_a_grab_too_many_is_named_before_a_grab_too_late(self) -> None:
        """grab-again stands before window on the page."""
        dance = virtual_grab()
        dance.grabs(0, "bonfire")
        dance.now += 5000
        assert dance.refusal(0, Grab("bonfire")) == "grab-again"
        assert dance.refusal(1, Grab("bonfire")) == "window"

    def test_a_pause_moves_its_end(self) -> None:
        """At the resume it ends later by the length of the pause."""
        state = virtual_grab().state
        assert state.window_ends is not None
        assert GAME.resumed(state, 250).window_ends == state.window_ends + 250

    def test_a_pause_without_a_window_moves_nothing(self) -> None:
        """Before the roll, and at a real table."""
        before, table = Dance(2).state, at_a_table(3).opened(*FLAT).state
        assert GAME.resumed(before, 250) == before
        assert GAME.resumed(table, 250) == table

    def test_the_close_ends_it(self) -> None:
        """No end is left after the close."""
        dance = virtual_grab()
        dance.closes()
        assert dance.state.window_ends is None
        assert GAME.to_act(dance.state) == (0, 1, 2)


class TestWithdrawal:
    """What happens to a seat that leaves, in every phase and mode."""

    def test_its_dogs_go_to_the_pack_and_its_villagers_away(self) -> None:
        """Before the roll: nothing is left of it, and it is not waited for."""
        dance = Dance(3).given(dogs=(1, 2, 0), pack=21)
        assert dance.leaves(1) == []
        state = dance.state
        assert (state.villagers, state.dogs, state.pack) == ((4, 0, 4), (1, 0, 0), 23)
        assert GAME.to_act(state) == (0, 2)
        assert GAME.outcome(state) is None

    def test_the_roll_follows_if_all_others_are_ready(self) -> None:
        """In the same commit; the window ends as after any roll."""
        dance = Dance(3)
        dance.when(0, Ready())
        dance.when(2, Ready())
        (rolled, *_) = dance.leaves(1)
        assert isinstance(rolled, Rolled)
        assert [len(own) for own in rolled.villagers] == [4, 0, 4]
        assert dance.state.window_ends == dance.now + 5000

    def test_the_first_villager_of_a_roll_is_the_first_that_is_in(self) -> None:
        """Seat 0 is out: seat 1's first villager lies on nothing, and draws no number for it."""
        up = {"flat": 0, "up": 1, "down": 0, "leaning": 0, "standing": 0}
        dance = Dance(3, pose_weights=up, on_top_weight=100)
        dance.leaves(0)
        dance.when(1, Ready())
        before = dance.state
        rolled = dance.when(2, Ready())[1]
        assert isinstance(rolled, Rolled)
        assert [one.on_top for one in rolled.villagers[1]] == [False, True, True, True]
        assert dance.chance.draws == GAME.draws(before, rolled) == 15

    def test_a_ready_of_its_own_is_forgotten(self) -> None:
        """It is not ready any more, and the others are still waited for."""
        dance = Dance(3)
        dance.when(0, Ready())
        assert dance.leaves(0) == []
        assert dance.state.ready == (False, False, False)
        assert GAME.to_act(dance.state) == (1, 2)

    def test_its_noted_grabs_are_struck_out(self) -> None:
        """The next hand takes the dog; the roll on the table still counts whole."""
        dance = Dance(3).opened(*TAME)
        rolled = dance.state.last_roll
        dance.grabs(0, "dog")
        dance.grabs(1, "dog")
        assert dance.leaves(0) == []
        assert dance.state.grabs == (GrabNote(1, "dog"),)
        assert dance.state.last_roll == rolled
        closed, tamed, *_ = dance.closes()
        assert isinstance(closed, WindowClosed)
        assert (closed.call, closed.count.up) == ("tame", 5)
        assert tamed == DogTamed(1, "village")

    def test_an_assault_does_not_hit_who_is_out(self) -> None:
        """Only seats still in lose a villager, and the seat has no dogs to lose."""
        dance = Dance(3).opened(*ASSAULT)
        dance.grabs(0, "bonfire")
        dance.leaves(0)
        assert dance.closes()[1:] == [
            VillagerLost(1, "assault"),
            VillagerLost(2, "assault"),
            RoundEnded("assault"),
        ]
        assert dance.state.bonfire_by is None

    def test_what_a_close_has_told_stays(self) -> None:
        """After the close the grabs are history: leaving strikes none out."""
        dance = Dance(3).opened("ffff", "uuff", "ffff")
        dance.grabs(1, "dog")
        dance.closes()
        dance.leaves(1)
        assert dance.state.grabs == (GrabNote(1, "dog"),)
        assert dance.state.mistakes == (False, True, False)

    @pytest.mark.parametrize("phase", ["ready", "grab"])
    @pytest.mark.parametrize("mode", ["virtual", "table"])
    def test_the_last_seat_left_wins(self, mode: str, phase: str) -> None:
        """The match is over at once, in every phase: the others have no place and score 0."""
        dance = Dance(3, mode=mode).given(dogs=(1, 2, 3), pack=18)
        if phase == "grab":
            dance.opened(*TAME)
        dance.leaves(2)
        assert GAME.outcome(dance.state) is None
        assert dance.leaves(0) == []
        assert dance.state.phase == "over"
        assert (GAME.to_act(dance.state), GAME.deadline(dance.state)) == ((), None)
        assert GAME.outcome(dance.state) == Outcome(
            "withdrawal", (Standing(1, 1, 2), Standing(0, None, 0), Standing(2, None, 0))
        )

    def test_who_left_before_has_no_place_in_a_match_played_out(self) -> None:
        """Score 0, place null, and the others are ranked."""
        dance = at_a_table(3).given(dogs=(6, 3, 0), pack=15)
        dance.leaves(1)
        dance.rolls("uuuu", "", "ufff")
        dance.grabs(0, "dog")
        dance.closes()
        assert GAME.outcome(dance.state) == Outcome(
            "played-out", (Standing(0, 1, 7), Standing(2, 2, 0), Standing(1, None, 0))
        )

    def test_in_table_mode_nothing_follows(self) -> None:
        """A seat that leaves brings no roll: the table rolls itself."""
        dance = at_a_table(3)
        assert dance.leaves(0) == []
        assert (dance.state.phase, dance.state.roll) == ("ready", 0)

    def test_the_roll_waits_for_the_resume(self) -> None:
        """While paused nothing is rolled; the resume brings the roll, and the window from then."""
        assert GAME.waits_while_paused
        dance = Dance(3)
        dance.when(0, Ready())
        dance.when(2, Ready())
        left = GAME.leave(dance.state, 1)
        dance.now += 90_000
        events, after = play(left, GAME.after_resume(At(left, dance.by(None), dance.chance)), GAME)
        assert isinstance(events[0], Rolled)
        assert GAME.stamped(after, dance.now).window_ends == dance.now + 5000

    @pytest.mark.parametrize("dance", [Dance(3), at_a_table(3), virtual_grab()])
    def test_a_resume_with_nothing_due_brings_nothing(self, dance: Dance) -> None:
        """Seats not ready, a real table, an open window: no event."""
        story = GAME.after_resume(At(dance.state, dance.by(None), dance.chance))
        assert play(dance.state, story, GAME) == ([], dance.state)


class TestLegal:
    """What is listed as legal, in its order."""

    def test_before_the_roll(self) -> None:
        """A seat that has not said ready may say it, and nothing else."""
        dance = Dance(3)
        dance.when(1, Ready())
        assert dance.legal(0) == [Ready()]
        assert dance.legal(1) == []
        assert dance.legal(ORGANIZER) == []

    def test_while_the_window_is_open(self) -> None:
        """Both grabs, until they are used up or the window has ended."""
        dance = virtual_grab()
        assert dance.legal(0) == [Grab("dog"), Grab("bonfire")]
        dance.grabs(0, "dog")
        assert dance.legal(0) == [Grab("bonfire")]
        assert dance.legal(1) == [Grab("dog"), Grab("bonfire")]
        assert dance.legal(SERVICE) == []
        dance.now += 5000
        assert dance.legal(1) == []
        assert dance.legal(SERVICE) == [Close()]

    def test_at_a_real_table(self) -> None:
        """Grabs of every seat still in, by seat, then the close; other seats have nothing."""
        dance = at_a_table(3, scorer=2)
        dance.leaves(1)
        dance.rolls("ffff", "", "ffff")
        everything = [
            Grab("dog", 0),
            Grab("bonfire", 0),
            Grab("dog", 2),
            Grab("bonfire", 2),
            Close(),
        ]
        assert dance.legal(ORGANIZER) == everything
        assert dance.legal(2) == everything
        assert dance.legal(0) == []

    @pytest.mark.parametrize(("asker", "has_one"), [(ORGANIZER, True), (2, True), (0, False)])
    def test_a_report_has_a_template(self, asker: int | None, has_one: bool) -> None:  # noqa: FBT001
        """Whoever may report is told what a report lists; for the others there is nothing."""
        dance = at_a_table(3, scorer=2).given(villagers=(4, 2, 3))
        assert dance.legal(asker) == []
        template = template_for(dance, asker)
        poses = OneOf(("flat", "up", "down", "leaning", "standing"))
        of_a_seat = ListOf({"pose": poses, "on_top": OneOf((False, True))}, length=(2, 4))
        expected = {"villagers": ListOf(of_a_seat, length=(3, 3))}
        assert (template.fields if template else None) == (expected if has_one else None)

    def test_there_is_no_template_without_a_report(self) -> None:
        """Virtual play, and a scorer that is out."""
        assert template_for(Dance(3), 0) is None
        dance = at_a_table(3, scorer=2)
        dance.leaves(2)
        assert template_for(dance, 2) is None


def template_for(dance: Dance, asker: int | None) -> Any:
    """The template of a report for whoever asks."""
    rules = next(rules for rules in GAME.commands if rules.command is ReportRoll)
    assert rules.template is not None
    return rules.template(dance.state, dance.by(asker))


def test_everything_that_a_seat_said_is_told() -> None:
    """A ready is an event of its own, before the roll that it brings."""
    assert Dance(2).when(0, Ready()) == [Called(0)]
