"""dancing-villager when a window has closed: what is left, what escapes, and how it ends."""

from __future__ import annotations

import pytest

from referee.core.game import Outcome, Standing
from referee.games.dancing_villager import GAME
from referee.games.dancing_villager.events import (
    DogAdded,
    DogsEscaped,
    DogTamed,
    GameWon,
    RoundEnded,
    SticksRemoved,
    VillagerLost,
)
from referee.games.dancing_villager.types import Call, Ready
from tests.games.dancing_villager_table import ASSAULT, NOTHING, TAME, Dance, at_a_table


class TestAfterTheWindow:
    """Rulings escape, round-end, new-dog."""

    def test_dogs_of_this_close_escape_too(self) -> None:
        """escape: a dog just tamed goes with the others; a new one still comes to the village."""
        dance = at_a_table(2).given(villagers=(1, 6), dogs=(2, 0), pack=22)
        dance.rolls("u", "uuuuff")
        dance.grabs(0, "dog")
        dance.grabs(0, "bonfire")
        assert dance.closes()[1:] == [
            DogTamed(0, "village"),
            VillagerLost(0, "mistake"),
            DogsEscaped(0, 3),
            RoundEnded("tame"),
            DogAdded(1),
        ]
        state = dance.state
        assert (state.village, state.pack, state.dogs, state.villagers) == (1, 24, (0, 0), (6, 6))

    def test_all_seats_may_escape_at_once(self) -> None:
        """escape: after all losses are taken, by seat."""
        dance = at_a_table(2, villagers=3).given(villagers=(1, 1), dogs=(1, 2), pack=21)
        dance.given(charcoal=1)
        dance.rolls("d", "f")
        assert dance.closes()[1:] == [
            VillagerLost(0, "assault"),
            VillagerLost(1, "assault"),
            DogsEscaped(0, 1),
            DogsEscaped(1, 2),
            RoundEnded("assault"),
        ]
        assert dance.state.villagers == (3, 3)

    def test_no_seat_escapes_a_win_with_the_dogs_it_loses(self) -> None:
        """Ruling escape comes before the look at who has won."""
        dance = at_a_table(2).given(villagers=(1, 6), dogs=(6, 0), pack=18)
        dance.rolls("u", "uuuuff")
        dance.grabs(0, "dog")
        dance.grabs(0, "bonfire")
        dance.closes()
        assert (dance.state.phase, dance.state.dogs) == ("ready", (0, 0))

    @pytest.mark.parametrize(("hands", "how"), [(TAME, "tame"), (ASSAULT, "assault")])
    def test_a_call_fills_up_the_sticks(self, hands: tuple[str, ...], how: Call) -> None:
        """round-end: all sticks are back, a new round begins, nothing is removed besides."""
        dance = at_a_table(3).given(meat=3, charcoal=2, round=4, roll=6)
        dance.rolls(*hands)
        events = dance.closes()
        assert events[-1] == RoundEnded(how)
        assert not [event for event in events if isinstance(event, SticksRemoved)]
        state = dance.state
        assert (state.meat, state.charcoal, state.round, state.roll) == (5, 3, 5, 0)

    def test_sticks_stay_after_any_other_roll(self) -> None:
        """round-end: without a call those left stay, and so does the round."""
        dance = at_a_table(3)
        dance.rolls("uuff", "ffff", "ffff")
        dance.closes()
        dance.rolls("dfff", "ffff", "ffff")
        dance.closes()
        state = dance.state
        assert (state.meat, state.charcoal, state.round, state.roll) == (3, 2, 1, 2)

    @pytest.mark.parametrize(
        ("seats", "taker", "opposite"),
        [(2, 0, 1), (2, 1, 0), (3, 0, 1), (3, 2, 0), (4, 0, 2), (4, 3, 1)],
    )
    def test_a_new_dog_stands_opposite_the_last_taker(
        self, seats: int, taker: int, opposite: int
    ) -> None:
        """new-dog: half the seats further on, clockwise; with three seats the next."""
        dance = at_a_table(seats, villagers=3).given(village=2, pack=23)
        dance.rolls(*["uuu"] * seats)
        dance.grabs((taker + 1) % seats, "dog")
        dance.grabs(taker, "dog")
        assert dance.closes()[-1] == DogAdded(opposite)
        assert dance.state.dog_seat == opposite

    def test_seats_that_are_out_count_as_places(self) -> None:
        """new-dog: withdrawn seats are counted, the dog may even stand before one."""
        dance = at_a_table(4)
        dance.leaves(2)
        dance.rolls("uuu", "uuu", "", "fff")
        dance.grabs(0, "dog")
        assert dance.closes()[-1] == DogAdded(2)

    def test_dogs_that_are_left_have_a_new_one_join_them(self) -> None:
        """new-dog: one comes if any was taken, however many stand there still."""
        dance = at_a_table(3).given(village=3, pack=22)
        dance.rolls(*TAME)
        dance.grabs(0, "dog")
        dance.closes()
        assert (dance.state.village, dance.state.pack) == (3, 21)

    def test_no_dog_comes_if_none_was_taken(self) -> None:
        """new-dog: after a tame without hands the dogs there stay."""
        dance = at_a_table(3)
        dance.rolls(*TAME)
        assert dance.closes()[1:] == [RoundEnded("tame")]
        assert (dance.state.village, dance.state.pack) == (1, 24)

    def test_no_dog_comes_from_an_empty_pack(self) -> None:
        """new-dog: an empty pack gives none."""
        dance = at_a_table(2).given(pack=0, village=13, dogs=(6, 6))
        dance.given(options=GAME.complete(dance.options.__class__(mode="table", target=8), 2))
        dance.rolls("uuuuuf", "ffffff")
        dance.grabs(0, "dog")
        assert dance.closes()[1:] == [DogTamed(0, "village"), RoundEnded("tame")]


class TestTheEnd:
    """Rulings win and ranking, and max_rounds."""

    def test_a_standing_villager_may_win_with_the_roll(self) -> None:
        """win: looked at after the roll's standing villagers; no window opens, no dog joins."""
        dance = Dance(2, pose_weights=ONLY_STANDING, villagers=1, target=2, dogs=3)
        dance.given(dogs=(1, 0), pack=1, ready=(True, False))
        events = dance.when(1, Ready())
        assert events[2:] == [DogTamed(0, "pack"), GameWon(0)]
        state = dance.state
        assert (state.phase, state.window_ends, state.roll) == ("over", None, 1)
        assert GAME.deadline(state) is None

    def test_a_dog_taken_may_win(self) -> None:
        """win: looked at after a close, everything of it done."""
        dance = at_a_table(3).given(dogs=(0, 6, 0), pack=18)
        dance.rolls(*TAME)
        dance.grabs(1, "dog")
        assert dance.closes()[1:] == [
            DogTamed(1, "village"),
            RoundEnded("tame"),
            DogAdded(2),
            GameWon(1),
        ]
        assert GAME.outcome(dance.state) == Outcome(
            "played-out", (Standing(1, 1, 7), Standing(0, 2, 0), Standing(2, 2, 0))
        )

    def test_more_dogs_than_the_target_win_as_well(self) -> None:
        """win: two dogs taken at once may pass the target, and place higher."""
        dance = at_a_table(2).given(dogs=(6, 6), village=3, pack=10)
        dance.rolls("uuuuuf", "ffffff")
        for seat in (1, 0, 0):
            dance.grabs(seat, "dog")
        assert dance.closes()[-1] == GameWon(0)
        assert dance.state.dogs == (8, 7)

    def test_two_that_reach_the_target_together_share_the_win(self) -> None:
        """win: the faster hand does not decide; ranking: equal in both, the place is shared."""
        dance = at_a_table(3).given(dogs=(6, 0, 6), village=2, pack=11)
        dance.rolls(*TAME)
        dance.grabs(2, "dog")
        dance.grabs(0, "dog")
        assert dance.closes()[-2:] == [GameWon(0), GameWon(2)]

    def test_more_villagers_place_higher_among_equal_dogs(self) -> None:
        """ranking: dogs, then villagers."""
        dance = at_a_table(3).given(dogs=(6, 0, 6), village=2, pack=11, villagers=(3, 1, 4))
        dance.rolls("uuu", "u", "uuuu")
        dance.grabs(0, "dog")
        dance.grabs(2, "dog")
        assert dance.closes()[-1] == GameWon(2)
        outcome = GAME.outcome(dance.state)
        assert outcome is not None
        assert [(row.seat, row.place) for row in outcome.ranking] == [(2, 1), (0, 2), (1, 3)]

    def test_the_last_round_ends_the_match(self) -> None:
        """max_rounds: with the end of that round, ranked as it stands, one win for each winner."""
        dance = at_a_table(3, max_rounds=2)
        dance.rolls(*TAME)
        dance.closes()
        assert GAME.outcome(dance.state) is None
        dance.rolls(*NOTHING)
        dance.closes()
        assert dance.state.phase == "ready"
        dance.rolls(*TAME)
        assert dance.closes()[-3:] == [GameWon(0), GameWon(1), GameWon(2)]
        assert (dance.state.phase, dance.state.round) == ("over", 3)

    def test_a_match_goes_on_without_a_target_reached(self) -> None:
        """Ruling win is quiet below the target."""
        dance = at_a_table(3).given(dogs=(5, 0, 0), pack=19)
        dance.rolls(*TAME)
        dance.grabs(0, "dog")
        dance.closes()
        assert (dance.state.phase, GAME.outcome(dance.state)) == ("ready", None)


ONLY_STANDING = {"flat": 0, "up": 0, "down": 0, "leaning": 0, "standing": 1}
