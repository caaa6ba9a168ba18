"""The Giants' Dance scored: when a place is due, who gets what, and who has won."""

from referee.core.game import Outcome, Standing
from referee.games.giants_dance import GAME
from referee.games.giants_dance.events import (
    CardsDrawn,
    Danced,
    GiantMoved,
    SquarePoints,
    SquareScored,
    StreetScored,
    TurnedChallenge,
    Winners,
)
from referee.games.giants_dance.types import Move
from tests.games.giants_dance_table import (
    NOTHING,
    about_to_dance,
    bid,
    challenges,
    hold,
    lay,
    on_trail,
    only,
    with_bids,
)

# ── Scoring ───────────────────────────────────────────────────────────────────────────────────────


def test_a_square_waits_for_the_last_giant() -> None:
    """when-scored: with one giant behind it the square is not scored."""
    table = hold(about_to_dance(0, 4, 3), 0, "r1")
    assert only(table.when(0, lay("r1")), SquareScored) == []
    assert table.state.scored == ()


def test_a_square_is_scored_when_the_last_giant_passes_it() -> None:
    """when-scored: the last giant jumps over the church, at the end of its turn it is scored."""
    table = with_bids(hold(on_trail(3, 5), 0, "", moves=(3,)), "church", [bid(1, 2)])
    assert table.when(0, Move(3)) == [GiantMoved(0, 3, 3, 6)]
    assert [event.square for event in only(table.when(0, NOTHING), SquareScored)] == ["church"]
    assert table.state.points == (0, 3)


def test_the_last_giant_dances_on_a_square_before_it_is_scored() -> None:
    """when-scored: it reaches the square, overbids, and wins it in the same commit."""
    table = hold(with_bids(about_to_dance(0, 4, 5), "church", [bid(1, 2)]), 0, "r3")
    kinds = [type(event) for event in table.when(0, lay("r3"))]
    assert kinds == [Danced, CardsDrawn, SquareScored]
    assert table.state.points == (3, 1)


def test_several_squares_are_scored_in_trail_order() -> None:
    """when-scored: a long jump, or a withdrawal, can make several due at once."""
    table = on_trail(3, 12).given(fields=(12, 12), order=(0, 1), phase="dance", dancing=0)
    squares = [event.square for event in only(table.when(0, NOTHING), SquareScored)]
    assert squares == ["church", "sluice", "justice"]
    assert table.state.scored == ("church", "sluice", "justice")


def test_squares_are_scored_along_the_trail_in_use() -> None:
    """when-scored: with another trail the order is that trail's, each square once."""
    trail = ["flax", "church", *["street"] * 7, "heroes", "sluice", "justice", *["street"] * 7]
    table = hold(on_trail(0, 9, trail=trail), 0, moves=(3,))
    table.when(0, Move(3))
    assert [one.square for one in only(table.when(0, NOTHING), SquareScored)] == ["flax", "church"]


def test_an_undanced_square_is_scored_for_nobody() -> None:
    """score-square: the event still tells that the square is done."""
    table = about_to_dance(0, 4, 5)
    scored = only(table.when(0, NOTHING), SquareScored)
    assert scored == [SquareScored("church", (), Winners(None, None), ())]


def test_each_category_of_a_square_is_won_by_its_highest_sum() -> None:
    """score-square: 1 a category danced, 2 for each won; no double for different winners."""
    table = about_to_dance(2, 5, 5, 4)
    with_bids(table, "church", [bid(0, 2), bid(1, 4)], [bid(1, 3), bid(0, 5)])
    scored = only(table.when(2, NOTHING), SquareScored)[0]
    assert scored.points == (SquarePoints(0, 2, 2, 0, 0), SquarePoints(1, 2, 2, 0, 0))
    assert scored.winners == Winners(1, 0)


def test_winning_both_categories_is_a_double_dance() -> None:
    """score-square: one point more, counted for the tie-break."""
    table = about_to_dance(1, 5, 4)
    with_bids(table, "church", [bid(0, 2)], [bid(0, 3)])
    table.when(1, NOTHING)
    assert (table.state.points, table.state.double_dances) == ((7, 0), (1, 0))


def test_a_challenge_counts_only_on_its_category_won() -> None:
    """score-square: a parade token on a square won in rotate stays face down."""
    table = with_bids(about_to_dance(1, 5, 4), "church", [bid(0, 2)])
    table.given(challenge_tokens=challenges(church=[(0, "parade"), (1, "rotate")]))
    assert only(table.when(1, NOTHING), SquareScored)[0].challenges_turned_up == ()
    assert {one.face for one in table.state.challenge_tokens.church} == {"down"}
    assert table.state.challenges_won == (0, 0)


def test_a_challenge_counts_only_on_its_own_square() -> None:
    """score-square: a rotate token elsewhere is no use at the church."""
    table = with_bids(about_to_dance(1, 5, 4), "church", [bid(0, 2)])
    table.given(challenge_tokens=challenges(sluice=[(0, "rotate")]))
    assert only(table.when(1, NOTHING), SquareScored)[0].challenges_turned_up == ()


def test_two_challenges_on_a_square_can_both_succeed() -> None:
    """score-square: each category has its winner; both tokens are turned up, in the order laid."""
    table = with_bids(about_to_dance(2, 5, 5, 4), "church", [bid(0, 2)], [bid(1, 3)])
    laid = challenges(church=[(1, "parade"), (2, "rotate"), (0, "rotate")])
    table.given(challenge_tokens=laid)
    scored = only(table.when(2, NOTHING), SquareScored)[0]
    assert scored.challenges_turned_up == (
        TurnedChallenge(1, "parade"),
        TurnedChallenge(0, "rotate"),
    )
    assert [one.face for one in table.state.challenge_tokens.church] == ["up", "down", "up"]
    assert (table.state.points, table.state.challenges_won) == ((5, 5, 0), (1, 1, 0))


def test_the_distraction_is_never_turned_up() -> None:
    """distract: its owner wins both categories there and gets nothing for it."""
    table = with_bids(about_to_dance(1, 5, 4), "church", [bid(0, 2)], [bid(0, 2)])
    table.given(challenge_tokens=challenges(church=[(0, "distract")]))
    scored = only(table.when(1, NOTHING), SquareScored)[0]
    assert (scored.points[0].challenge, scored.challenges_turned_up) == (0, ())
    assert table.state.challenge_tokens.church[0].face == "down"


def test_at_the_market_dances_that_overbid_are_worth_two_and_the_highest_three_more() -> None:
    """score-market: the first dance counts as overbid; one without overbidding is worth 1."""
    table = about_to_dance(2, 20, 20, 20)
    with_bids(table, "market", [bid(0, 3), bid(1, 4), bid(2, 4, overbid=False)])
    scored = only(table.when(2, NOTHING), SquareScored)[-1]
    assert scored.points == (
        SquarePoints(0, 2, 0, 0, 0),
        SquarePoints(1, 2, 3, 0, 0),
        SquarePoints(2, 1, 0, 0, 0),
    )
    assert scored.winners == Winners(1, None)
    assert table.state.market_wins == (0, 1, 0)


def test_an_equal_sum_laid_without_overbidding_does_not_win_the_market() -> None:
    """score-market: 7 under a 7 is laid by the exception and wins nothing."""
    table = hold(with_bids(about_to_dance(1, 20, 20), "market", [bid(0, 7)]), 1, "r3 r4")
    scored = only(table.when(1, lay("r3 r4")), SquareScored)[-1]
    assert scored.winners == Winners(0, None)
    assert table.state.bids.market.rotate[1].overbid is False


def test_winning_both_at_the_market_is_a_double_dance_and_two_wins() -> None:
    """score-market: 2 + 2, 3 + 3 and 1; `market_wins` counts categories."""
    table = hold(about_to_dance(1, 20, 20), 1, "r1 p1")
    table.when(1, lay("r1 p1"))
    assert table.state.points == (0, 11)
    assert (table.state.double_dances, table.state.market_wins) == ((0, 1), (0, 2))


def test_the_end_scores_what_is_left_then_the_market_then_the_street() -> None:
    """when-scored, score-street: one commit, in this order; with it the match is over."""
    table = hold(on_trail(16, 20), 0, "r1", moves=(4,))
    table.given(scored=("church", "sluice", "justice", "heroes"))
    table.when(0, Move(4))
    events = table.when(0, lay("r1"))
    assert [type(event) for event in events] == [Danced, SquareScored, SquareScored, StreetScored]
    assert [event.square for event in only(events, SquareScored)] == ["flax", "market"]
    assert table.state.phase == "over"
    assert GAME.to_act(table.state) == ()


def test_nobody_on_the_street_scores_nothing_there() -> None:
    """score-street: without a dance there is no highest sum."""
    table = about_to_dance(1, 20, 20)
    assert table.when(1, NOTHING)[-1] == StreetScored((0, 0), (0, 0))
    assert table.state.street_wins == (0, 0)


# ── The winner ────────────────────────────────────────────────────────────────────────────────────


def ended(**counts: tuple[int, ...]) -> Outcome | None:
    """How a match of three ends with these counts."""
    table = on_trail(20, 20, 20).given(phase="over", **counts)
    return GAME.outcome(table.state)


def places(outcome: Outcome | None) -> dict[int, int | None]:
    """The places by seat."""
    assert outcome is not None
    return {row.seat: row.place for row in outcome.ranking}


def test_the_most_points_win() -> None:
    """winner: by points, whatever else was won."""
    outcome = ended(points=(7, 9, 8), challenges_won=(3, 0, 0))
    assert outcome is not None
    assert outcome.reason == "played-out"
    assert outcome.ranking == (Standing(1, 1, 9), Standing(2, 2, 8), Standing(0, 3, 7))


def test_ties_are_broken_by_challenges_then_doubles_then_the_market_then_the_street() -> None:
    """winner: each count decides only where all before it are equal; at last places are shared."""
    level = (5, 5, 5)
    assert places(ended(points=level, challenges_won=(0, 1, 2), double_dances=(9, 0, 0))) == {
        2: 1, 1: 2, 0: 3,
    }  # fmt: skip
    assert places(ended(points=level, double_dances=(0, 2, 1), market_wins=(2, 0, 0))) == {
        1: 1, 2: 2, 0: 3,
    }  # fmt: skip
    assert places(ended(points=level, market_wins=(1, 0, 2), street_wins=(0, 1, 0))) == {
        2: 1, 0: 2, 1: 3,
    }  # fmt: skip
    assert places(ended(points=level, street_wins=(1, 0, 1))) == {0: 1, 2: 1, 1: 3}
    assert places(ended(points=level)) == {0: 1, 1: 1, 2: 1}


def test_a_match_that_goes_on_has_no_outcome() -> None:
    """winner: judged once the match is over, not before."""
    assert GAME.outcome(on_trail(20, 19).state) is None
