"""The Giants' Dance when a seat resigns or forfeits, in every phase."""

from referee.core.game import Outcome, Standing
from referee.games.giants_dance import GAME
from referee.games.giants_dance.events import SquarePoints, SquareScored, StreetScored, Winners
from referee.games.giants_dance.types import Move, PlaceChallenge, StreetDance
from tests.games.giants_dance_table import (
    NOTHING,
    about_to_dance,
    bid,
    hold,
    lay,
    on_trail,
    only,
    token,
    with_bids,
)
from tests.games.table import Table


def placed_all(table: Table, *, but: int) -> Table:
    """Everybody places every challenge token, until `but` tokens are left to place."""
    left = 3 * len(table.state.fields)
    while left > but:
        (seat,) = GAME.to_act(table.state)
        table.when(seat, table.legal(seat)[0])
        left -= 1
    return table


def test_a_seat_that_leaves_while_placing_is_skipped() -> None:
    """In `challenge` the next seat places; the tokens laid stay where they are."""
    table = Table(GAME, seats=3)
    table.when(2, PlaceChallenge("church", "rotate"))
    assert table.leaves(1) == []
    assert GAME.to_act(table.state) == (0,)
    table.when(0, PlaceChallenge("church", "rotate"))
    assert table.leaves(2) == []
    assert len(table.state.challenge_tokens.church) == 2


def test_a_seat_that_leaves_before_its_turn_to_place_is_not_waited_for() -> None:
    """In `challenge` a seat that is not to act leaves: the placing seat still acts."""
    table = Table(GAME, seats=3)
    assert table.leaves(0) == []
    assert GAME.to_act(table.state) == (2,)
    placed = []
    while table.state.phase == "challenge":
        (seat,) = GAME.to_act(table.state)
        placed.append(seat)
        table.when(seat, table.legal(seat)[0])
    assert placed == [2, 1] * 3


def test_the_first_move_is_due_when_the_last_to_place_leaves() -> None:
    """In `challenge` the phase ends as soon as every seat still in has placed three."""
    table = placed_all(Table(GAME, seats=3), but=1)
    assert GAME.to_act(table.state) == (0,)
    assert table.leaves(0) == []
    assert (table.state.phase, table.state.turn, GAME.to_act(table.state)) == ("move", 1, (2,))


def test_the_giant_to_move_leaves_and_its_turn_is_over() -> None:
    """In `move` the next giant acts, in the next turn; the squares that fall due are scored."""
    table = with_bids(on_trail(3, 5, 6), "church", [bid(1, 2)])
    assert [event.square for event in only(table.leaves(0), SquareScored)] == ["church"]
    assert table.state.fields == (None, 5, 6)
    assert (table.state.phase, table.state.turn, GAME.to_act(table.state)) == ("move", 2, (1,))
    assert table.state.points == (0, 3, 0)


def test_another_giant_leaves_before_a_move_and_nothing_follows() -> None:
    """In `move` the giant to move stays to move, in the same turn."""
    table = on_trail(3, 5, 6)
    assert table.leaves(1) == []
    assert (table.state.turn, GAME.to_act(table.state), table.state.order) == (1, (0,), (0, 2))


def test_the_dancing_giant_leaves_without_dancing_or_drawing() -> None:
    """In `dance` its turn ends at once: no event of its own, and the next giant moves."""
    table = hold(about_to_dance(0, 4, 4, 3), 0, "r1 r2 r3")
    held = table.state.dance.hands[0]
    assert table.leaves(0) == []
    assert (table.state.phase, table.state.turn, GAME.to_act(table.state)) == ("move", 2, (2,))
    assert table.state.dancing is None
    assert table.state.dance.hands[0] == held


def test_squares_that_fall_due_by_the_dancing_giant_are_scored_at_once() -> None:
    """In `dance`: it was the last before the church, on a street, and leaves."""
    table = with_bids(about_to_dance(0, 3, 5, 6), "church", [bid(2, 2)])
    assert [event.square for event in only(table.leaves(0), SquareScored)] == ["church"]
    assert table.state.points == (0, 0, 3)


def test_squares_that_fall_due_while_another_dances_wait_for_the_end_of_its_turn() -> None:
    """In `dance` the last giant leaves: the dancing one may still overbid on the square."""
    table = with_bids(about_to_dance(1, 1, 4, 6), "church", [bid(2, 2)])
    hold(table, 1, "r3")
    assert table.leaves(0) == []
    assert GAME.to_act(table.state) == (1,)
    scored = only(table.when(1, lay("r3")), SquareScored)
    assert [event.winners for event in scored] == [Winners(1, None)]


def test_bids_of_a_withdrawn_seat_must_still_be_overbid() -> None:
    """Its dance stands: an equal sum is refused."""
    table = with_bids(hold(on_trail(3, 5, 3), 0, "r2 r3", moves=(1,)), "church", [bid(1, 2)])
    table.given(order=(0, 2, 1))
    table.leaves(1)
    table.when(0, Move(1))
    assert table.refusal(0, lay("r2")) == "overbid"
    assert table.refusal(0, lay("r3")) is None


def test_nobody_wins_a_category_whose_highest_sum_is_a_withdrawn_seats() -> None:
    """The others are paid for dancing only, the withdrawn seat for nothing."""
    table = with_bids(about_to_dance(0, 4, 5, 6), "church", [bid(1, 2), bid(2, 5)], [bid(2, 1)])
    table.leaves(2)
    scored = only(table.when(0, NOTHING), SquareScored)
    assert scored == [
        SquareScored("church", (SquarePoints(1, 1, 0, 0, 0),), Winners(None, None), ())
    ]
    assert table.state.points == (0, 1, 0)


def test_the_street_sum_of_a_withdrawn_seat_does_not_count() -> None:
    """The highest sum is that of the seats still in."""
    table = about_to_dance(0, 20, 20, 20)
    table.given(street_dance=StreetDance((3, 9, 3), (True, True, True)))
    table.leaves(1)
    assert table.when(0, NOTHING)[-1] == StreetScored((3, 9, 3), (4, 0, 4))


def test_a_seat_that_is_home_may_leave_too() -> None:
    """Its giant is gone from the Market Square, and nothing else follows."""
    table = on_trail(20, 1, 2)
    assert table.leaves(0) == []
    assert (table.state.fields, GAME.to_act(table.state)) == ((None, 1, 2), (1,))


def test_when_all_seats_left_are_home_the_match_is_scored_to_the_end() -> None:
    """The only giant on the trail leaves: all places, the Market and the street are scored."""
    table = with_bids(on_trail(20, 20, 2), "market", [bid(0, 2), bid(1, 5)])
    events = table.leaves(2)
    assert [event.square for event in only(events, SquareScored)] == [
        "church",
        "sluice",
        "justice",
        "heroes",
        "flax",
        "market",
    ]
    assert isinstance(events[-1], StreetScored)
    assert GAME.outcome(table.state) == Outcome(
        "played-out", (Standing(1, 1, 5), Standing(0, 2, 2), Standing(2, None, 0))
    )


def test_the_last_on_the_trail_leaves_while_another_dances_at_home() -> None:
    """The dance is still made; then the match is scored to the end."""
    table = hold(about_to_dance(1, 20, 20, 2), 1, "r1")
    assert table.leaves(2) == []
    assert GAME.to_act(table.state) == (1,)
    assert isinstance(table.when(1, lay("r1"))[-1], StreetScored)


def test_the_last_seat_left_ends_the_match_and_nothing_more_is_scored() -> None:
    """Reason `withdrawal`: points stay as they are, the withdrawn seat keeps its own."""
    for phase, dancing in (("move", None), ("dance", 0), ("dance", 1)):
        table = with_bids(on_trail(20, 20), "market", [bid(0, 5)])
        table.given(points=(3, 8), phase=phase, dancing=dancing)
        assert table.leaves(1) == []
        assert GAME.to_act(table.state) == ()
        assert GAME.outcome(table.state) == Outcome(
            "withdrawal", (Standing(0, 1, 3), Standing(1, None, 8))
        )


def test_a_match_can_end_by_withdrawal_while_challenges_are_placed() -> None:
    """In `challenge` the only seat left has won."""
    table = Table(GAME, seats=2)
    assert table.leaves(1) == []
    outcome = GAME.outcome(table.state)
    assert outcome == Outcome("withdrawal", (Standing(0, 1, 0), Standing(1, None, 0)))


def test_what_a_withdrawn_seat_had_stays_as_it_is() -> None:
    """Hand, stock, tokens on streets and challenge tokens stay; a later challenge is not won."""
    table = hold(on_trail(3, 5, 6), 0, "r1", tokens=(1, 1))
    table.given(street_tokens=(token(6, 0, "rotate", "up"),))
    before = table.state
    table.leaves(0)
    after = table.state
    assert (after.dance, after.movement, after.stock) == (
        before.dance,
        before.movement,
        before.stock,
    )
    assert after.street_tokens == before.street_tokens
