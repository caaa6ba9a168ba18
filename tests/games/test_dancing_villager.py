"""dancing-villager by its rulings: worked cases, what each refuses and what it brings about."""

from __future__ import annotations

from typing import Any

import pytest

from referee.games.dancing_villager import GAME
from referee.games.dancing_villager.events import (
    Called,
    DogAdded,
    DogJoined,
    DogsEscaped,
    DogTamed,
    Grabbed,
    Rolled,
    RoundEnded,
    SticksRemoved,
    VillagerLost,
    WindowClosed,
)
from referee.games.dancing_villager.types import (
    Call,
    Count,
    Grab,
    GrabNote,
    Kind,
    Ready,
    ReportRoll,
)
from tests.games.dancing_villager_table import (
    ASSAULT,
    FLAT,
    NOTHING,
    SERVICE,
    TAME,
    Dance,
    a_roll,
    at_a_table,
    closing,
    count_of,
)


class TestWorkedCases:
    """The worked cases of the page, as written."""

    def test_two_hands_down_take_two_charcoal(self) -> None:
        """Case 1: three seats, two down, the rest flat: two charcoal sticks go."""
        dance = at_a_table(3)
        dance.rolls("dfff", "fdff", "ffff")
        assert dance.closes() == [
            WindowClosed(Count(0, 2, doubled=False, removes="charcoal", sticks=2), None),
            SticksRemoved("charcoal", 2),
        ]
        assert (dance.state.charcoal, dance.state.meat) == (1, 5)

    def test_five_up_less_two_down_take_three_meat(self) -> None:
        """Case 2: five up, two down: three meat sticks go."""
        dance = at_a_table(3)
        dance.rolls("uuuu", "uddf", "ffff")
        assert dance.closes() == [
            WindowClosed(Count(5, 2, doubled=False, removes="meat", sticks=3), None),
            SticksRemoved("meat", 3),
        ]
        assert (dance.state.charcoal, dance.state.meat) == (3, 2)

    def test_two_up_and_two_down_take_nothing_and_no_dog_joins(self) -> None:
        """Case 3: equal numbers: nothing goes, and the roll is not all flat."""
        dance = at_a_table(3)
        assert dance.rolls(*NOTHING) == [Rolled(a_roll(*NOTHING))]
        count = Count(2, 2, doubled=False, removes=None, sticks=0)
        assert dance.closes() == [WindowClosed(count, None)]

    def test_two_hands_down_one_on_top_are_an_assault(self) -> None:
        """Case 4: two down, doubled, are four of three charcoal: assault."""
        dance = at_a_table(3)
        dance.rolls("dd^ff", "ffff", "ffff")
        events = dance.closes()
        count = Count(0, 2, doubled=True, removes="charcoal", sticks=4)
        assert events[0] == WindowClosed(count, "assault")
        assert events[-1] == RoundEnded("assault")

    def test_a_dog_joins_when_all_lie_flat(self) -> None:
        """Case 5: all flat: a dog joins with the roll."""
        dance = at_a_table(3)
        assert dance.rolls(*FLAT) == [Rolled(a_roll(*FLAT)), DogJoined(2)]
        assert (dance.state.village, dance.state.pack) == (2, 23)

    def test_no_dog_joins_when_one_leans(self) -> None:
        """Case 5: all flat but one leaning: none joins."""
        dance = at_a_table(3)
        dance.rolls("ffff", "ffff", "fffl")
        assert (dance.state.village, dance.state.pack) == (1, 24)

    def test_the_last_villager_lost_sends_all_dogs_to_the_pack(self) -> None:
        """Case 6: a mistake with one villager left: dogs to the pack, villagers back."""
        dance = at_a_table(3).given(villagers=(4, 1, 4), dogs=(0, 3, 0), pack=21)
        dance.rolls("uuff", "d", "dfff")
        dance.grabs(1, "bonfire")
        assert dance.closes()[1:] == [VillagerLost(1, "mistake"), DogsEscaped(1, 3)]
        assert dance.state.villagers == (4, 4, 4)
        assert (dance.state.dogs, dance.state.pack) == ((0, 0, 0), 24)

    def test_a_mistake_and_an_assault_take_the_last_villager_once(self) -> None:
        """Case 7: one villager left, a dog grabbed in an assault: the starting number again."""
        dance = at_a_table(3).given(villagers=(4, 1, 4))
        dance.rolls("ddff", "d", "ffff")
        dance.grabs(1, "dog")
        dance.grabs(0, "bonfire")
        assert dance.closes()[1:] == [
            VillagerLost(1, "mistake"),
            VillagerLost(2, "assault"),
            DogsEscaped(1, 0),
            RoundEnded("assault"),
        ]
        assert dance.state.villagers == (4, 4, 3)


class TestRolling:
    """Rulings roll-own, net-count, pile-doubles, leaning-zero, standing-tames, all-flat."""

    @pytest.mark.parametrize(
        "hands",
        [
            ("ffff", "ffff"),
            ("ffff", "ffff", "ffff", "ffff"),
            ("fff", "ffff", "ffff"),
            ("ffff", "fffff", "ffff"),
            ("", "", ""),
            (),
        ],
    )
    def test_a_report_with_another_number_is_refused(self, hands: tuple[str, ...]) -> None:
        """roll-own: too few seats, too many, too few villagers, too many, none."""
        assert at_a_table(3).refusal(None, ReportRoll(a_roll(*hands))) == "roll-own"

    def test_a_report_lists_what_each_seat_still_has(self) -> None:
        """roll-own is quiet about a seat that has lost some, and then four are one too many."""
        dance = at_a_table(3).given(villagers=(4, 2, 4))
        assert dance.refusal(None, ReportRoll(a_roll("ffff", "ff", "ffff"))) is None
        assert dance.refusal(None, ReportRoll(a_roll(*FLAT))) == "roll-own"

    def test_a_seat_that_is_out_rolls_nothing(self) -> None:
        """roll-own: a withdrawn seat is listed, with no villagers."""
        dance = at_a_table(3)
        dance.leaves(1)
        assert dance.refusal(None, ReportRoll(a_roll("ffff", "", "ffff"))) is None
        assert dance.refusal(None, ReportRoll(a_roll(*FLAT))) == "roll-own"

    def test_the_service_rolls_what_each_seat_has(self) -> None:
        """roll-own in virtual play: as many villagers as each seat has."""
        dance = Dance(3).given(villagers=(4, 1, 2), ready=(True, True, False))
        called, rolled = dance.when(2, Ready())[:2]
        assert called == Called(2)
        assert isinstance(rolled, Rolled)
        assert [len(own) for own in rolled.villagers] == [4, 1, 2]

    @pytest.mark.parametrize(
        ("hands", "removes", "sticks"),
        [
            (("uuu", "fff"), "meat", 3),
            (("ddf", "fff"), "charcoal", 2),
            (("uuu", "ddf"), "meat", 1),
            (("uff", "ddd"), "charcoal", 2),
            (("udf", "fff"), None, 0),
            (("lls", "fff"), None, 0),
            (("ull", "sss"), "meat", 1),
        ],
    )
    def test_the_larger_sum_less_the_smaller_is_taken(
        self, hands: tuple[str, ...], removes: Kind | None, sticks: int
    ) -> None:
        """net-count: up takes meat, down takes charcoal, equal nothing; the rest count nothing."""
        count = count_of(*hands)
        assert (count.removes, count.sticks) == (removes, sticks)

    @pytest.mark.parametrize(
        ("hands", "sticks"),
        [
            (("uuf^", "fff"), 4),
            (("uu^f", "fff"), 4),
            (("uu^f^", "ff^f"), 4),
            (("uul", "ff^s"), 4),
            (("uus^", "fff"), 4),
            (("uuf", "fff"), 2),
            (("uul", "fff"), 2),
        ],
    )
    def test_a_pile_doubles_once(self, hands: tuple[str, ...], sticks: int) -> None:
        """pile-doubles: however many piles and whatever lies on top; the top counts as it lies."""
        assert count_of(*hands).sticks == sticks

    def test_a_pile_is_told_where_nothing_is_taken(self) -> None:
        """Doubled is true also where nothing is removed."""
        expected = Count(1, 1, doubled=True, removes=None, sticks=0)
        assert count_of("ud^f", "fff") == expected

    def test_a_report_in_which_nothing_lies_below_is_refused(self) -> None:
        """pile-doubles: all on top is impossible; all but one may be."""
        dance = at_a_table(2, villagers=2)
        assert dance.refusal(None, ReportRoll(a_roll("f^f^", "u^d^"))) == "pile-doubles"
        assert dance.refusal(None, ReportRoll(a_roll("f^f^", "u^d"))) is None

    def test_a_villager_that_leans_on_top_is_refused(self) -> None:
        """leaning-zero: leaning is not on top; leaning alone is fine."""
        dance = at_a_table(2, villagers=2)
        assert dance.refusal(None, ReportRoll(a_roll("ff", "fl^"))) == "leaning-zero"
        assert dance.refusal(None, ReportRoll(a_roll("ff", "ll"))) is None

    def test_the_first_broken_ruling_of_a_report_is_named(self) -> None:
        """Of several broken rulings the first in page order is the refusal."""
        dance = at_a_table(2, villagers=2)
        assert dance.refusal(None, ReportRoll(a_roll("l^f^", "l^"))) == "roll-own"
        assert dance.refusal(None, ReportRoll(a_roll("l^f^", "l^l^"))) == "pile-doubles"

    def test_each_standing_villager_tames_a_dog_with_the_roll(self) -> None:
        """standing-tames: one by one, by seat, whatever else the roll means."""
        dance = at_a_table(3)
        hands = ("suuu", "uuff", "fssf")
        assert dance.rolls(*hands) == [
            Rolled(a_roll(*hands)),
            DogTamed(0, "pack"),
            DogTamed(2, "pack"),
            DogTamed(2, "pack"),
        ]
        assert (dance.state.dogs, dance.state.pack) == ((1, 0, 2), 21)
        assert dance.state.call == "tame"

    def test_an_empty_pack_gives_no_dog_to_a_standing_villager(self) -> None:
        """standing-tames: the dogs that are there go by seat, then there are none."""
        dance = at_a_table(2, villagers=3).given(pack=1, village=24)
        assert dance.rolls("fss", "sss")[1:] == [DogTamed(0, "pack")]
        assert dance.state.pack == 0

    @pytest.mark.parametrize("hands", [("ffs", "fff"), ("ffl", "fff"), ("udf", "fff")])
    def test_no_dog_joins_a_roll_with_anything_but_flat(self, hands: tuple[str, ...]) -> None:
        """all-flat: standing, leaning and equal hands prevent it."""
        dance = at_a_table(2, villagers=3)
        assert not [event for event in dance.rolls(*hands) if isinstance(event, DogJoined)]

    def test_a_dog_joins_flat_piles(self) -> None:
        """all-flat: piles do not matter."""
        assert at_a_table(2, villagers=2).rolls("ff^", "f^f")[1:] == [DogJoined(2)]

    def test_no_dog_joins_from_an_empty_pack(self) -> None:
        """all-flat: an empty pack gives none."""
        dance = at_a_table(2, villagers=2).given(pack=0, village=25)
        assert dance.rolls("ff", "ff")[1:] == []
        assert dance.state.village == 25

    def test_a_roll_counts_up_and_clears_the_table(self) -> None:
        """The roll's number goes up; grabs, mistakes, the saved seat and ready are cleared."""
        dance = Dance(2, villagers=1).given(
            roll=2,
            ready=(True, False),
            grabs=(GrabNote(0, "dog"),),
            mistakes=(True, False),
            bonfire_by=1,
        )
        dance.when(1, Ready())
        state = dance.state
        assert (state.phase, state.roll, state.ready) == ("grab", 3, (False, False))
        assert (state.grabs, state.mistakes, state.bonfire_by) == ((), (False, False), None)
        assert state.last_roll is not None


class TestReady:
    """The ready of every seat, and the roll that the service makes of them."""

    def test_the_roll_waits_for_the_last_seat(self) -> None:
        """Virtual: each ready is told; the last brings the roll in the same commit."""
        dance = Dance(3)
        assert dance.when(1, Ready()) == [Called(1)]
        assert GAME.to_act(dance.state) == (0, 2)
        assert dance.when(0, Ready()) == [Called(0)]
        last = dance.when(2, Ready())
        assert last[0] == Called(2)
        assert isinstance(last[1], Rolled)
        assert GAME.to_act(dance.state) == ()

    @pytest.mark.parametrize(
        ("weights", "on_top", "pose"),
        [
            ({"flat": 0, "up": 1, "down": 0, "leaning": 0, "standing": 0}, 100, "up"),
            ({"flat": 0, "up": 0, "down": 0, "leaning": 0, "standing": 1}, 100, "standing"),
        ],
    )
    def test_the_weights_decide_the_poses(
        self, weights: dict[str, int], on_top: int, pose: str
    ) -> None:
        """A pose with all the weight always comes; all but the first villager lie on top, if any.

        A standing villager draws no number for lying on another one, and never does.
        """
        dance = Dance(2, pose_weights=weights, on_top_weight=on_top, dogs=99, target=24)
        dance.when(0, Ready())
        before, drawn = dance.state, dance.chance.draws
        rolled = dance.when(1, Ready())[1]
        assert isinstance(rolled, Rolled)
        villagers = [one for own in rolled.villagers for one in own]
        assert {one.pose for one in villagers} == {pose}
        piled = pose == "up"
        assert [one.on_top for one in villagers] == [False] + [piled] * 11
        assert GAME.draws(before, rolled) == dance.chance.draws - drawn == (23 if piled else 12)

    def test_a_reported_roll_draws_nothing(self) -> None:
        """Table mode takes no number from chance."""
        dance = at_a_table(3)
        (rolled,) = dance.rolls(*TAME)
        assert GAME.draws(dance.state, rolled) == dance.chance.draws == 0


class TestCalls:
    """Rulings runs-out, tame, assault, judged-at-close, wrong-move, too-late, grab-again."""

    @pytest.mark.parametrize(
        ("sticks", "hands", "call"),
        [
            ({"meat": 5}, TAME, "tame"),
            ({"meat": 6}, TAME, None),
            ({"meat": 1}, TAME, "tame"),
            ({"charcoal": 3}, ASSAULT, "assault"),
            ({"charcoal": 4}, ASSAULT, None),
            ({"meat": 1, "charcoal": 1}, NOTHING, None),
        ],
    )
    def test_a_kind_runs_out_when_as_many_are_counted_as_are_left(
        self, sticks: dict[str, int], hands: tuple[str, ...], call: Call | None
    ) -> None:
        """runs-out: at least those left, and never when nothing is to be removed."""
        dance = at_a_table(3).given(**sticks)
        dance.rolls(*hands)
        assert closing(dance.closes()).call == call

    def test_dogs_go_in_the_order_of_hands(self) -> None:
        """tame: each dog to the seat that grabs it first; a seat may take two."""
        dance = at_a_table(3).given(village=3, pack=22)
        dance.rolls(*TAME)
        for seat in (2, 0, 2, 1):
            assert dance.grabs(seat, "dog") == [Grabbed(seat, "dog")]
        assert dance.closes()[1:] == [
            DogTamed(2, "village"),
            DogTamed(0, "village"),
            DogTamed(2, "village"),
            RoundEnded("tame"),
            DogAdded(0),
        ]
        assert (dance.state.dogs, dance.state.village, dance.state.pack) == ((1, 0, 2), 1, 21)

    def test_the_first_at_the_bonfire_is_safe(self) -> None:
        """assault: every other seat loses one villager; a second hand is too late."""
        dance = at_a_table(3)
        dance.rolls(*ASSAULT)
        dance.grabs(1, "bonfire")
        dance.grabs(0, "bonfire")
        assert dance.closes()[1:] == [
            VillagerLost(0, "assault"),
            VillagerLost(2, "assault"),
            RoundEnded("assault"),
        ]
        assert (dance.state.bonfire_by, dance.state.mistakes) == (1, (False, False, False))

    def test_an_assault_that_nobody_answers_takes_one_of_each(self) -> None:
        """assault: without a hand at the bonfire nobody is safe."""
        dance = at_a_table(3)
        dance.rolls(*ASSAULT)
        lost = [VillagerLost(seat, "assault") for seat in range(3)]
        assert dance.closes()[1:] == [*lost, RoundEnded("assault")]

    @pytest.mark.parametrize("hands", [TAME, ASSAULT, NOTHING])
    def test_a_grab_is_only_noted(self, hands: tuple[str, ...]) -> None:
        """judged-at-close: whatever is right, a grab yields the same and decides nothing."""
        dance = at_a_table(3)
        dance.rolls(*hands)
        assert dance.grabs(1, "dog") == [Grabbed(1, "dog")]
        assert dance.grabs(2, "bonfire") == [Grabbed(2, "bonfire")]
        state = dance.state
        assert (state.mistakes, state.bonfire_by) == ((False, False, False), None)
        assert state.grabs == (GrabNote(1, "dog"), GrabNote(2, "bonfire"))

    def test_a_wrong_hand_costs_one_villager_however_often(self) -> None:
        """wrong-move: once a roll; the wrongly grabbed dog stays in the village."""
        dance = at_a_table(3).given(village=3, pack=22)
        dance.rolls(*NOTHING)
        dance.grabs(1, "dog")
        dance.grabs(1, "dog")
        dance.grabs(1, "bonfire")
        assert dance.closes()[1:] == [VillagerLost(1, "mistake")]
        assert (dance.state.village, dance.state.mistakes) == (3, (False, True, False))

    def test_an_assault_may_hit_a_seat_that_was_wrong(self) -> None:
        """wrong-move: mistake and assault take one each, the mistake first, by seat."""
        dance = at_a_table(3)
        dance.rolls(*ASSAULT)
        dance.grabs(2, "dog")
        assert dance.closes()[1:5] == [
            VillagerLost(0, "assault"),
            VillagerLost(1, "assault"),
            VillagerLost(2, "mistake"),
            VillagerLost(2, "assault"),
        ]

    def test_a_seat_may_be_wrong_and_safe(self) -> None:
        """wrong-move: a dog and then the bonfire first in an assault: one villager, not two."""
        dance = at_a_table(2)
        dance.rolls("dddfff", "ffffff")
        dance.grabs(0, "dog")
        dance.grabs(0, "bonfire")
        assert dance.closes()[1:3] == [VillagerLost(0, "mistake"), VillagerLost(1, "assault")]

    def test_a_seat_may_be_wrong_and_tame(self) -> None:
        """wrong-move: the bonfire grabbed in a tame is a mistake, the dog is kept all the same."""
        dance = at_a_table(2)
        dance.rolls("uuuuuf", "ffffff")
        dance.grabs(1, "bonfire")
        dance.grabs(1, "dog")
        assert dance.closes()[1:3] == [DogTamed(1, "village"), VillagerLost(1, "mistake")]

    def test_a_right_hand_that_comes_too_late_is_no_mistake(self) -> None:
        """too-late: when the dogs are gone it takes nothing and costs nothing."""
        dance = at_a_table(3)
        dance.rolls(*TAME)
        dance.grabs(0, "dog")
        dance.grabs(1, "dog")
        assert dance.closes()[1:3] == [DogTamed(0, "village"), RoundEnded("tame")]
        assert dance.state.mistakes == (False, False, False)

    def test_the_bonfire_is_grabbed_once_a_window(self) -> None:
        """grab-again: the second time is refused, another seat's first is not."""
        dance = at_a_table(3)
        dance.rolls(*NOTHING)
        dance.grabs(0, "bonfire")
        assert dance.refusal(None, Grab("bonfire", 0)) == "grab-again"
        assert dance.refusal(None, Grab("bonfire", 1)) is None
        assert dance.refusal(None, Grab("dog", 0)) is None

    def test_dogs_are_grabbed_as_often_as_there_are_dogs(self) -> None:
        """grab-again: each seat as often as the village holds dogs, and afresh in every window."""
        dance = at_a_table(3).given(village=2, pack=23)
        dance.rolls(*NOTHING)
        dance.grabs(0, "dog")
        assert dance.refusal(None, Grab("dog", 0)) is None
        dance.grabs(0, "dog")
        assert dance.refusal(None, Grab("dog", 0)) == "grab-again"
        dance.closes()
        dance.rolls("uuf", "ddff", "ffff")
        assert dance.refusal(None, Grab("dog", 0)) is None

    def test_a_dog_that_joined_with_the_roll_may_be_grabbed_too(self) -> None:
        """grab-again counts the dogs that stand there while the window is open."""
        dance = Dance(2, pose_weights=ONLY_FLAT)
        dance.when(0, Ready())
        dance.when(1, Ready())
        assert dance.state.village == 2
        dance.grabs(0, "dog")
        dance.grabs(0, "dog")
        assert dance.refusal(0, Grab("dog")) == "grab-again"


ONLY_FLAT = {"flat": 1000, "up": 1, "down": 0, "leaning": 0, "standing": 0}


class TestRulings:
    """The rulings as data."""

    def test_they_stand_in_page_order(self) -> None:
        """Every ruling of the page is data, in its order, and house rulings say so."""
        assert [one.id for one in GAME.rulings] == [
            "roll-own",
            "net-count",
            "pile-doubles",
            "leaning-zero",
            "standing-tames",
            "all-flat",
            "runs-out",
            "tame",
            "assault",
            "judged-at-close",
            "wrong-move",
            "too-late",
            "grab-again",
            "escape",
            "round-end",
            "new-dog",
            "window",
            "win",
            "ranking",
        ]
        house = {one.id for one in GAME.rulings if one.origin == "house"}
        assert house == {"judged-at-close", "too-late", "grab-again", "window"}

    def test_every_clause_is_in_the_book(self) -> None:
        """A command's rulings are judged in page order, and each has its text."""
        order = [one.id for one in GAME.rulings]
        for rules in GAME.commands:
            places = [order.index(clause.id) for clause in rules.rulings]
            assert places == sorted(places)

    @pytest.mark.parametrize(
        ("command", "words"),
        [
            (ReportRoll(a_roll("ffff")), "Seats in the report: 1; seats at the table: 3."),
            (
                ReportRoll(a_roll("ffff", "fff", "ffff")),
                "Seat 1 rolls 4 villagers, the report lists 3.",
            ),
            (
                ReportRoll(a_roll("ffff", "fl^ff", "ffff")),
                "Villager 1 of seat 1 cannot both lean and lie on top.",
            ),
        ],
    )
    def test_a_refusal_says_the_numbers(self, command: Any, words: str) -> None:
        """The detail says what was wrong with this very command."""
        dance = at_a_table(3)
        rules = next(one for one in GAME.commands if one.command is type(command))
        details = [clause(dance.state, dance.by(None), command) for clause in rules.rulings]
        assert [detail for detail in details if detail] == [words]


def test_the_service_alone_closes_in_virtual_play() -> None:
    """A whole turn of virtual play: ready, roll, grab, close, ready."""
    dance = Dance(2)
    dance.when(0, Ready())
    dance.when(1, Ready())
    dance.grabs(1, "dog")
    events = dance.closes()
    assert closing(events).call == dance.state.call
    assert dance.state.phase == "ready"
    assert dance.refusal(SERVICE, Ready()) == "not-seated"
