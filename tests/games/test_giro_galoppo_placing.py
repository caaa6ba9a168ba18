"""giro-galoppo before the race: who places obstacles where, and what refuses them."""

import pytest

from referee.core.ruling import Refusal
from referee.games.giro_galoppo import GAME
from referee.games.giro_galoppo.events import ObstaclePlaced
from referee.games.giro_galoppo.types import ChooseCard, PlaceObstacle
from tests.games.giro_galoppo_table import preparing, short
from tests.games.table import Table


def test_case_7_a_placing_that_leaves_room_for_one_of_two_is_refused() -> None:
    """Worked case 7: 17 leaves 19 and 20, of which one fits; 16, 18 and 20 are lawful."""
    table = short(11, 14)
    assert table.refusal(0, PlaceObstacle(17)) == "obstacle-room"
    assert table.legal(0) == [PlaceObstacle(16), PlaceObstacle(18), PlaceObstacle(20)]


def test_case_8_of_two_broken_rulings_the_first_is_named() -> None:
    """Worked case 8: 19 breaks the final stretch and the room, and the stretch is named."""
    table = short(8, 11, moor=16)
    by, command = table.by(0), PlaceObstacle(19)
    broken = [
        clause.id
        for clause in GAME.commands[0].rulings
        if clause(table.state, by, command) is not None
    ]
    assert broken == ["obstacle-final-stretch", "obstacle-room"]
    assert table.refusal(0, command) == "obstacle-final-stretch"


def test_the_youngest_places_first_then_clockwise_until_five_stand() -> None:
    """`obstacle-order`: with seat 2 the youngest of three the seats place 2, 0, 1, 2, 0."""
    table = Table(GAME, seats=3, options={"age_order": [2, 0, 1]})
    placing: list[int] = []
    for space in (2, 5, 14, 36, 38):
        (seat,) = GAME.to_act(table.state)
        placing.append(seat)
        assert table.when(seat, PlaceObstacle(space)) == [ObstaclePlaced(seat, space)]
    assert placing == [2, 0, 1, 2, 0]
    assert table.state.course.obstacles == (2, 5, 14, 36, 38)


def test_after_the_fifth_obstacle_everybody_owes_a_card() -> None:
    """The race begins with round 1 in the commit of the fifth obstacle."""
    table = preparing(5, 14, 17, 36, seats=3, placing=1)
    assert (table.state.phase, table.state.round) == ("obstacles", 0)
    table.when(1, PlaceObstacle(38))
    state = table.state
    assert (state.phase, state.round, state.placing) == ("race", 1, None)
    assert GAME.to_act(state) == (0, 1, 2)
    assert table.refusal(1, PlaceObstacle(2)) == "wrong-phase"


def test_only_the_placing_seat_may_place_and_only_place() -> None:
    """Another seat is out of turn; the placing seat cannot choose a card yet."""
    table = preparing(5)
    assert table.refusal(1, PlaceObstacle(8)) == "out-of-turn"
    assert table.refusal(0, ChooseCard(1)) == "wrong-phase"


@pytest.mark.parametrize("space", [-(10**18), -1, 0, 41, 42, 10**18, 11, 24, 33])
def test_no_obstacle_off_the_sand(space: int) -> None:
    """`obstacle-sand` refuses what is off the course, and river and moor."""
    assert preparing().refusal(0, PlaceObstacle(space)) == "obstacle-sand"


@pytest.mark.parametrize("space", [1, 40])
def test_the_first_and_the_last_space_are_sand(space: int) -> None:
    """`obstacle-sand` stays quiet on the borders of the course."""
    assert preparing().refusal(0, PlaceObstacle(space)) is None


def test_no_second_obstacle_on_a_space() -> None:
    """`obstacle-single` refuses a space that holds an obstacle."""
    assert preparing(7).refusal(0, PlaceObstacle(7)) == "obstacle-single"


@pytest.mark.parametrize("space", [6, 8, 10, 12, 23, 25, 32, 34])
def test_no_obstacle_beside_an_obstacle_river_or_moor(space: int) -> None:
    """`obstacle-gap` refuses both neighbours of an obstacle, of each river and of the moor."""
    assert preparing(7).refusal(0, PlaceObstacle(space)) == "obstacle-gap"


@pytest.mark.parametrize("space", [5, 9, 13, 22, 26, 31, 35])
def test_one_free_space_between_two_obstacles_is_enough(space: int) -> None:
    """`obstacle-gap` stays quiet two spaces away."""
    assert preparing(7).refusal(0, PlaceObstacle(space)) is None


def test_the_last_two_obstacles_go_late_if_none_did() -> None:
    """`obstacle-final-stretch` by number: the fourth of five must go behind the moor."""
    table = preparing(2, 5, 8)
    assert table.refusal(0, PlaceObstacle(14)) == "obstacle-final-stretch"
    assert [form.space for form in table.legal(0)] == [35, 36, 37, 38, 39, 40]  # type: ignore[attr-defined]


def test_the_third_obstacle_may_still_go_early() -> None:
    """`obstacle-final-stretch` stays quiet while two are left to go late."""
    assert preparing(2, 5).refusal(0, PlaceObstacle(8)) is None


def test_the_fifth_obstacle_goes_late_if_only_one_did() -> None:
    """`obstacle-final-stretch` by number, with one behind the moor."""
    assert preparing(2, 5, 8, 36).refusal(0, PlaceObstacle(14)) == "obstacle-final-stretch"
    assert preparing(2, 5, 8, 36).refusal(0, PlaceObstacle(38)) is None


def test_the_middle_of_a_final_stretch_of_three_is_refused() -> None:
    """`obstacle-final-stretch` by room: of 18, 19, 20 the middle one spoils it at once."""
    table = short(moor=16)
    assert table.refusal(0, PlaceObstacle(19)) == "obstacle-final-stretch"
    assert table.refusal(0, PlaceObstacle(18)) is None
    assert table.refusal(0, PlaceObstacle(20)) is None


def test_the_last_natural_obstacle_is_the_highest_whatever_its_kind() -> None:
    """`obstacle-final-stretch` counts from a river where that is the last of the three."""
    natural = {"river": [36, 4], "moor": [10]}
    table = preparing(12, 14, 20, options={"natural_obstacles": natural})
    assert table.refusal(0, PlaceObstacle(30)) == "obstacle-final-stretch"
    assert table.refusal(0, PlaceObstacle(38)) is None


@pytest.mark.parametrize(
    ("placed", "space", "detail"),
    [
        ((), 41, "The course has spaces 1 to 40, and 41 is not one of them."),
        ((), 11, "Space 11 is a river, not sand."),
        ((), 33, "Space 33 is the moor, not sand."),
        ((7,), 7, "An obstacle stands on space 7 already."),
        ((7,), 8, "Space 8 adjoins an obstacle on space 7; one space between must stay free."),
        ((7,), 32, "Space 32 adjoins the moor on space 33; one space between must stay free."),
        (
            (2, 5, 8),
            14,
            (
                "With an obstacle on space 14, 0 of the five would stand after space 33 and 1 more "
                "could; 2 must."
            ),
        ),
    ],
)
def test_a_refused_placing_says_what_was_wrong_with_it(
    placed: tuple[int, ...], space: int, detail: str
) -> None:
    """The detail names the space, what is there, and the numbers."""
    with pytest.raises(Refusal) as refused:
        preparing(*placed).when(0, PlaceObstacle(space))
    assert refused.value.detail == detail


def test_a_placing_without_room_says_how_many_would_fit() -> None:
    """The detail of `obstacle-room` counts what fits and what is left to place."""
    with pytest.raises(Refusal) as refused:
        short(11, 14).when(0, PlaceObstacle(17))
    assert refused.value.detail == (
        "With an obstacle on space 17 there is room for 1 more, and 2 have still to be placed."
    )
