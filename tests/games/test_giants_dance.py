"""The Giants' Dance by its rulings: worked cases, what each refuses and what it brings about."""

import pytest

from referee.core.ruling import Refusal
from referee.games.giants_dance import GAME
from referee.games.giants_dance.events import (
    CardsDrawn,
    ChallengePlaced,
    Danced,
    GiantMoved,
    Laid,
    NoDance,
    SquarePoints,
    SquareScored,
    StreetScored,
    TokensTaken,
    TokensTurnedUp,
    TurnedChallenge,
    TurnedToken,
    Winners,
)
from referee.games.giants_dance.types import ChallengeToken, Move, PlaceChallenge, StreetDance
from tests.games.giants_dance_table import (
    NOTHING,
    SQUARE_FIELDS,
    about_to_dance,
    bid,
    cards,
    challenges,
    hold,
    lay,
    on_trail,
    only,
    piles,
    token,
    with_bids,
)
from tests.games.table import Table

SQUARES = ("church", "sluice", "justice", "heroes", "flax")


def refused(table: Table, seat: int, command: object) -> tuple[str, str]:
    """The ruling that refuses a command, and its sentence."""
    with pytest.raises(Refusal) as caught:
        table.when(seat, command)  # type: ignore[arg-type]
    return caught.value.ruling, caught.value.detail


# ── The page's worked cases ───────────────────────────────────────────────────────────────────────


def test_a_dance_at_the_church_must_be_overbid_category_by_category() -> None:
    """Case 1: after a 3, the other's 3 and a token of 2 may be laid, its 3 alone may not."""
    table = hold(hold(on_trail(0, 0), 1, "r3 p6", moves=(4,)), 0, "r3 p1", moves=(4,))
    table.when(1, Move(4))
    assert table.when(1, lay("r3"))[0] == Danced(1, "church", Laid((3,), 0, 3, True), None)  # noqa: FBT003
    table.when(0, Move(4))
    assert table.refusal(0, lay("r3")) == "overbid"
    assert table.refusal(0, lay("r3 p1")) == "overbid"
    assert table.refusal(0, lay("p1")) is None
    hold(table, 0, "r3 p1", tokens=(1, 0))
    assert table.when(0, lay("r3", 1))[0] == Danced(0, "church", Laid((3,), 1, 5, True), None)  # noqa: FBT003


def test_one_giant_alone_with_both_dances_and_its_challenge_gets_nine() -> None:
    """Case 2: 1 + 1 for dancing, 2 + 2 for winning, 1 for the double, 2 for the challenge."""
    table = hold(about_to_dance(0, 4, 5), 0, "r1 p1")
    table.given(challenge_tokens=challenges(church=[(0, "rotate")]))
    scored = only(table.when(0, lay("r1 p1")), SquareScored)
    assert scored == [
        SquareScored(
            "church",
            (SquarePoints(0, dancing=2, winning=4, double=1, challenge=2),),
            Winners(0, 0),
            (TurnedChallenge(0, "rotate"),),
        )
    ]
    assert table.state.points == (9, 0)


def test_at_the_market_a_giant_that_cannot_overbid_lays_what_it_likes() -> None:
    """Case 3: under a 7, rotate 2 and 1 may be laid, either or both, for 1 point."""
    for laid in ("r2", "r1", "r2 r1"):
        table = with_bids(about_to_dance(1, 20, 20), "market", [bid(0, 7)])
        hold(table, 1, "r2 r1")
        scored = only(table.when(1, lay(laid)), SquareScored)[-1]
        assert scored.square == "market"
        assert scored.points == (SquarePoints(0, 2, 3, 0, 0), SquarePoints(1, 1, 0, 0, 0))
        assert scored.winners == Winners(0, None)


def test_at_the_market_a_giant_that_could_overbid_has_to() -> None:
    """Case 3: with a 6 and a 2 under a 7, the 8 may be laid and the 6 alone may not."""
    table = hold(with_bids(about_to_dance(1, 20, 20), "market", [bid(0, 7)]), 1, "r6 r2")
    assert table.refusal(1, lay("r6")) == "market-exception"
    assert table.refusal(1, lay("r2")) == "market-exception"
    assert table.when(1, lay("r2 r6"))[0] == Danced(1, "market", Laid((2, 6), 0, 8, True), None)  # noqa: FBT003
    assert table.state.points == (2, 5)


def test_the_street_pays_everyone_that_danced_and_all_that_are_highest() -> None:
    """Case 4: sums 9, 9, 4 and one that never danced score 4, 4, 1, 0."""
    table = about_to_dance(3, 20, 20, 20, 20)
    table.given(street_dance=StreetDance((9, 9, 4, 0), (True, True, True, False)))
    events = table.when(3, NOTHING)
    assert events[-1] == StreetScored((9, 9, 4, 0), (4, 4, 1, 0))
    assert table.state.points == (4, 4, 1, 0)
    assert table.state.street_wins == (1, 1, 0, 0)


def test_a_giant_never_walks_past_the_market() -> None:
    """Case 5: from 18 a card of 4 leads to 20."""
    table = hold(on_trail(18, 19), 0, moves=(4,))
    assert table.when(0, Move(4)) == [GiantMoved(0, 4, 18, 20)]


def test_of_two_giants_on_a_field_the_one_behind_acts() -> None:
    """Case 6: X and behind it Y on 3, Z on 5: Y acts, and then whoever is last after that."""
    table = on_trail(3, 3, 5)
    assert GAME.to_act(table.state) == (1,)
    hold(table, 1, moves=(2,)).when(1, Move(2))
    assert table.state.order == (0, 1, 2)
    table.when(1, NOTHING)
    assert GAME.to_act(table.state) == (0,)


# ── Turn order and moving ─────────────────────────────────────────────────────────────────────────


def test_the_biggest_giant_begins() -> None:
    """last-first: at the start the biggest is last, and so acts first."""
    table = Table(GAME, seats=3, options={"challenge": False, "height_order": [1, 2, 0]})
    assert table.state.order == (0, 2, 1)
    assert GAME.to_act(table.state) == (0,)


def test_a_giant_that_is_still_last_plays_again() -> None:
    """last-first: the next turn is the same giant's while it stays behind."""
    table = hold(on_trail(1, 9), 0, moves=(2, 2))
    table.when(0, Move(2))
    table.when(0, NOTHING)
    assert (table.state.turn, GAME.to_act(table.state)) == (2, (0,))


def test_a_giant_that_arrives_later_stands_behind_all_that_are_there() -> None:
    """queue: two stand on the field, the third comes last; it is then the last of the three."""
    table = hold(on_trail(2, 3, 3, 6), 0, moves=(1,))
    table.when(0, Move(1))
    assert table.state.order == (0, 2, 1, 3)


def test_a_giant_that_walks_past_others_keeps_their_order() -> None:
    """queue: passing a field changes nothing between those that stand there."""
    table = hold(on_trail(2, 3, 3, 6), 0, moves=(4,))
    table.when(0, Move(4))
    assert table.state.fields == (6, 3, 3, 6)
    assert table.state.order == (2, 1, 0, 3)


def test_only_a_movement_value_in_hand_is_played() -> None:
    """card-in-hand: another value is refused with what is held; zero and less as well."""
    table = hold(on_trail(0, 5), 0, moves=(3, 1, 3))
    assert refused(table, 0, Move(2)) == (
        "card-in-hand",
        "You hold no movement card of value 2; your values are 1, 3, 3.",
    )
    assert table.refusal(0, Move(0)) == "card-in-hand"
    assert table.refusal(0, Move(-1)) == "card-in-hand"
    assert table.refusal(0, Move(3)) is None


def test_each_movement_value_is_listed_once() -> None:
    """card-in-hand: legal moves ascend, two equal cards make one form."""
    table = hold(on_trail(0, 5), 0, moves=(3, 1, 3))
    assert table.legal(0) == [Move(1), Move(3)]


def test_a_played_movement_card_lies_open_and_leaves_the_hand() -> None:
    """card-in-hand: of two equal cards the first goes, the order of the others stays."""
    table = hold(on_trail(0, 5), 0, moves=(3, 1, 3))
    table.when(0, Move(3))
    assert table.state.movement.hands[0] == (1, 3)
    assert table.state.movement.hand_counts[0] == 2
    assert table.state.movement.played[0] == (3,)


def test_the_exact_value_is_walked() -> None:
    """move-exact: from 2 a card of 3 leads to 5."""
    table = hold(on_trail(2, 9), 0, moves=(3,))
    assert table.when(0, Move(3)) == [GiantMoved(0, 3, 2, 5)]


def test_any_card_brings_a_giant_home_from_the_last_street() -> None:
    """move-exact: on 19 every value held may be played, the surplus is lost."""
    table = hold(on_trail(19, 20), 0, moves=(1, 4, 6))
    assert table.legal(0) == [Move(1), Move(4), Move(6)]
    assert table.when(0, Move(6)) == [GiantMoved(0, 6, 19, 20)]


# ── Tokens ────────────────────────────────────────────────────────────────────────────────────────


def test_tokens_on_a_street_are_turned_up_and_the_own_ones_taken() -> None:
    """tokens: all are turned up, the giant takes its own, the other's stays face up."""
    table = hold(on_trail(0, 9), 0, moves=(2,))
    table.given(street_tokens=(token(2, 0, "parade"), token(2, 1, "rotate"), token(3, 0, "rotate")))
    assert table.when(0, Move(2)) == [
        GiantMoved(0, 2, 0, 2),
        TokensTurnedUp(2, (TurnedToken(0, "parade"), TurnedToken(1, "rotate"))),
        TokensTaken(0, 2, rotate=0, parade=1),
    ]
    assert table.state.street_tokens == (token(2, 1, "rotate", "up"), token(3, 0, "rotate"))
    assert (table.state.stock.tokens[0].parade, table.state.stock.counts) == (1, (1, 0))


def test_a_token_that_lies_face_up_is_taken_without_turning() -> None:
    """tokens: whoever comes later takes its own that others turned up."""
    table = hold(on_trail(0, 9), 0, moves=(2,))
    table.given(street_tokens=(token(2, 0, "rotate", "up"), token(2, 0, "rotate", "up")))
    assert table.when(0, Move(2))[1:] == [TokensTaken(0, 2, rotate=2, parade=0)]
    assert table.state.street_tokens == ()


def test_a_street_with_only_tokens_of_others_gives_nothing() -> None:
    """tokens: they are turned up once; a second visit brings no event."""
    table = hold(on_trail(0, 9), 0, moves=(2,)).given(street_tokens=(token(2, 1, "rotate"),))
    assert table.when(0, Move(2))[1:] == [TokensTurnedUp(2, (TurnedToken(1, "rotate"),))]
    again = hold(on_trail(0, 9), 0, moves=(2,))
    again.given(street_tokens=(token(2, 1, "rotate", "up"),))
    assert again.when(0, Move(2)) == [GiantMoved(0, 2, 0, 2)]


def test_walking_over_a_street_leaves_its_tokens() -> None:
    """tokens: only the field on which the move ends counts."""
    table = hold(on_trail(0, 9), 0, moves=(3,)).given(street_tokens=(token(2, 0, "rotate"),))
    assert table.when(0, Move(3)) == [GiantMoved(0, 3, 0, 3)]


def test_a_token_may_be_danced_with_in_the_turn_in_which_it_is_taken() -> None:
    """tokens: taken in the move, laid in the dance of the same turn."""
    table = hold(on_trail(0, 9), 0, "r1", moves=(2,))
    table.given(street_tokens=(token(2, 0, "parade"),))
    table.when(0, Move(2))
    table.when(0, lay(parade_tokens=1))
    assert table.state.street_dance.sums == (2, 0)
    assert table.state.stock.counts == (0, 0)


# ── The turn ──────────────────────────────────────────────────────────────────────────────────────


def test_every_move_is_followed_by_a_dance_that_is_owed_even_with_empty_hands() -> None:
    """dance-once: with no card and no token the empty dance is still asked for."""
    table = hold(on_trail(0, 9), 0, "", moves=(1,))
    table.when(0, Move(1))
    assert (table.state.phase, table.state.dancing) == ("dance", 0)
    assert table.legal(0) == [NOTHING]
    assert table.when(0, NOTHING)[0] == NoDance(0)


def test_a_giant_neither_dances_before_its_move_nor_twice() -> None:
    """dance-once: a dance is owed only after the move, a move only after the dance."""
    table = hold(on_trail(0, 1), 0, "r1", moves=(3, 1))
    assert table.refusal(0, lay("r1")) == "wrong-phase"
    table.when(0, Move(3))
    assert table.refusal(0, Move(1)) == "wrong-phase"
    table.when(0, lay("r1"))
    assert table.refusal(0, NOTHING) == "out-of-turn"


def test_a_dance_has_three_cards_at_most_whatever_is_held() -> None:
    """three-cards: judged before cards-held; four cards are refused by their number."""
    table = hold(about_to_dance(0, 1, 2), 0, "r1 r2 p3")
    assert table.refusal(0, lay("r1 r2 p3")) is None
    assert refused(table, 0, lay("r1 r2 p3 p9")) == (
        "three-cards",
        "A dance has at most 3 dance cards of both categories together, not 4.",
    )


def test_tokens_do_not_count_as_cards() -> None:
    """three-cards: three cards and any number of own tokens make one dance."""
    table = hold(about_to_dance(0, 1, 2), 0, "r1 r2 p3", tokens=(2, 2))
    table.when(0, lay("r1 r2 p3", 2, 2))
    assert table.state.street_dance.sums[0] == 14


def test_only_cards_in_hand_are_danced_with() -> None:
    """cards-held: a value of the other category, or one card twice, is refused."""
    table = hold(about_to_dance(0, 1, 2), 0, "r1 r2 p3")
    assert refused(table, 0, lay("r3")) == (
        "cards-held",
        "Rotate cards of value 3 in your hand: 0, not 1.",
    )
    assert table.refusal(0, lay("r1 r1")) == "cards-held"
    assert table.refusal(0, lay("p1")) == "cards-held"


def test_only_tokens_in_stock_are_danced_with() -> None:
    """cards-held: more tokens than are held, or less than none, are refused."""
    table = hold(about_to_dance(0, 1, 2), 0, "r1", tokens=(1, 0))
    assert refused(table, 0, lay("r1", 2)) == (
        "cards-held",
        "Rotate tokens in your stock: 1, not 2.",
    )
    assert table.refusal(0, lay("", 0, 1)) == "cards-held"
    assert table.refusal(0, lay("", -1)) == "cards-held"
    assert table.refusal(0, lay("", 1)) is None


def test_cards_held_is_judged_before_overbid() -> None:
    """Where both are broken the refusal names the first."""
    table = with_bids(hold(about_to_dance(0, 4, 5), 0, "r1"), "church", [bid(1, 5)])
    assert table.refusal(0, lay("r2")) == "cards-held"
    assert table.refusal(0, lay("r1")) == "overbid"


def test_an_equal_sum_does_not_overbid() -> None:
    """overbid: the sum must be more; the sentence says both numbers."""
    table = with_bids(hold(about_to_dance(0, 4, 5), 0, "r2 r3"), "church", [bid(1, 3), bid(2, 5)])
    assert refused(table, 0, lay("r2 r3")) == (
        "overbid",
        "At Church Square rotate stands at 5: 5 does not overbid it.",
    )


def test_a_category_nobody_has_danced_takes_any_sum() -> None:
    """overbid: a bid of one category says nothing about the other."""
    table = with_bids(hold(about_to_dance(0, 4, 5), 0, "p1"), "church", [bid(1, 9)])
    event = table.when(0, lay("p1"))[0]
    assert event == Danced(0, "church", None, Laid((1,), 0, 1, overbid=True))


@pytest.mark.parametrize("square", SQUARES)
def test_overbidding_is_judged_on_each_of_the_five_squares(square: str) -> None:
    """overbid: each square has its own highest sums."""
    table = about_to_dance(0, SQUARE_FIELDS[square], 5)
    hold(with_bids(table, square, [bid(1, 4)]), 0, "r4 r5")
    assert table.refusal(0, lay("r4")) == "overbid"
    assert table.refusal(0, lay("r5")) is None


def test_the_values_of_a_bid_ascend() -> None:
    """A dance may name its values in any order; what is recorded ascends."""
    table = hold(about_to_dance(0, 4, 5), 0, "p6 p2 p4")
    table.when(0, lay("p6 p2 p4"))
    assert table.state.bids.church.parade[0].values == (2, 4, 6)


def test_the_market_exception_counts_tokens_among_what_is_held() -> None:
    """market-exception: 6 and a token of 2 could beat a 7, so the 6 alone is refused."""
    table = with_bids(about_to_dance(1, 20, 20), "market", [bid(0, 7)])
    hold(table, 1, "r6", tokens=(1, 0))
    assert refused(table, 1, lay("r6")) == (
        "market-exception",
        "All your rotate cards and tokens make 8 and would overbid the 7, so 6 is too little.",
    )
    assert table.refusal(1, lay("r6", 1)) is None


def test_the_market_exception_judges_each_category_by_itself() -> None:
    """market-exception: rotate that could overbid has to, parade that could not is free."""
    table = with_bids(about_to_dance(1, 20, 20), "market", [bid(0, 3)], [bid(0, 5)])
    hold(table, 1, "r1 r4 p5")
    assert table.refusal(1, lay("r1 p5")) == "market-exception"
    assert table.refusal(1, lay("p5")) is None
    assert table.refusal(1, lay("r4 p5")) is None


def test_all_that_is_held_must_be_more_not_equal_for_the_market_to_demand_it() -> None:
    """market-exception: with exactly the 7 that lies there a giant cannot overbid."""
    table = hold(with_bids(about_to_dance(1, 20, 20), "market", [bid(0, 7)]), 1, "r4 r3")
    assert table.refusal(1, lay("r4")) is None
    assert table.refusal(1, lay("r4 r3")) is None


def test_at_the_market_nobody_has_to_dance() -> None:
    """market-exception: who could overbid may also stay out."""
    table = hold(with_bids(about_to_dance(1, 20, 20), "market", [bid(0, 7)]), 1, "r9")
    assert table.refusal(1, NOTHING) is None


def test_on_the_street_nothing_has_to_be_overbid() -> None:
    """street-dance: any cards and tokens, hidden, counted into one sum a seat."""
    table = hold(about_to_dance(0, 1, 2), 0, "r1 p2 p3", tokens=(1, 0), moves=(1, 1))
    event = table.when(0, lay("r1 p2", 1))[0]
    assert event == Danced(
        0, "street", Laid((1,), 1, 3, overbid=False), Laid((2,), 0, 2, overbid=False)
    )
    assert table.state.street_dance == StreetDance((5, 0), (True, False))


def test_dances_on_streets_add_up_over_the_game() -> None:
    """street-dance: a second dance is added to the first."""
    table = hold(about_to_dance(0, 1, 2), 0, "r4")
    table.given(street_dance=StreetDance((7, 3), (True, True)))
    table.when(0, lay("r4"))
    assert table.state.street_dance.sums == (11, 3)


def test_a_turn_without_a_dance_on_the_street_is_no_dance_there() -> None:
    """street-dance: the empty dance leaves `danced` false."""
    table = hold(about_to_dance(0, 1, 2), 0, "r4")
    table.when(0, NOTHING)
    assert table.state.street_dance == StreetDance((0, 0), (False, False))


def test_a_giant_home_dances_draws_nothing_and_is_out_of_the_order() -> None:
    """home: the last turn; what it holds stays listed and counts for nothing."""
    table = hold(on_trail(18, 19), 0, "r5 p1", moves=(2, 3), tokens=(0, 1))
    table.when(0, Move(2))
    assert table.state.order == (1,)
    assert GAME.to_act(table.state) == (0,)
    assert table.when(0, lay("r5"))[0] == Danced(0, "market", Laid((5,), 0, 5, True), None)  # noqa: FBT003
    assert only(table.when(1, Move(table.state.movement.hands[1][0])), GiantMoved)[0].to == 20
    assert table.state.dance.hands[0] == cards("p1")
    assert table.state.movement.hands[0] == (3,)
    assert table.state.stock.counts[0] == 1


def test_hands_are_refilled_to_three_and_three() -> None:
    """refill: one movement card, as many dance cards as were laid, from the top of the piles."""
    table = hold(on_trail(0, 9), 0, "r1 p2 p3", moves=(1, 2, 3))
    piles(table, 0, (4, 4), "r6 p6 r5")
    table.when(0, Move(1))
    events = table.when(0, lay("r1 p3"))
    assert events[1] == CardsDrawn(0, (4,), cards("r6 p6"))
    assert table.state.movement.hands[0] == (2, 3, 4)
    assert table.state.dance.hands[0] == cards("p2 r6 p6")
    assert table.state.movement.piles[0] == (4,)
    assert table.state.dance.piles[0] == cards("r5")
    assert (table.state.movement.pile_counts[0], table.state.dance.pile_counts[0]) == (1, 1)


def test_a_short_pile_gives_what_it_has() -> None:
    """refill: two cards laid, one left in the pile; the movement pile is empty."""
    table = hold(about_to_dance(0, 1, 2), 0, "r1 p2 p3", moves=(2, 3))
    piles(table, 0, (), "r6")
    assert table.when(0, lay("r1 p3"))[1] == CardsDrawn(0, (), cards("r6"))


def test_nothing_drawn_is_no_event() -> None:
    """refill: with both piles empty the turn ends without a draw."""
    table = piles(hold(about_to_dance(0, 1, 2), 0, "r1", moves=(2,)), 0, ())
    assert table.when(0, NOTHING) == [NoDance(0)]


# ── Challenge tokens ──────────────────────────────────────────────────────────────────────────────


def placing(seats: int = 2, **options: object) -> Table:
    """A table at which challenge tokens are placed."""
    return Table(GAME, seats=seats, options=dict(options))


def test_challenge_tokens_are_placed_in_three_rounds_from_the_biggest() -> None:
    """challenge-place: biggest to smallest, three times, then the biggest moves."""
    table = placing(3, height_order=[1, 2, 0])
    acted = []
    while table.state.phase == "challenge":
        (seat,) = GAME.to_act(table.state)
        acted.append(seat)
        table.when(seat, table.legal(seat)[0])
    assert acted == [0, 2, 1] * 3
    assert (table.state.phase, table.state.turn, GAME.to_act(table.state)) == ("move", 1, (0,))


def test_placing_a_challenge_token_tells_where() -> None:
    """challenge-place: the token lies face down on its square."""
    table = placing()
    assert table.when(1, PlaceChallenge("heroes", "distract")) == [
        ChallengePlaced(1, "heroes", "distract")
    ]
    assert table.state.challenge_tokens.heroes == (ChallengeToken(1, "distract", "down"),)


def test_no_challenge_token_lies_at_the_market() -> None:
    """challenge-place: the Market Square is refused and not listed."""
    table = placing()
    assert refused(table, 1, PlaceChallenge("market", "rotate")) == (
        "challenge-place",
        "No challenge token may lie at the Market Square.",
    )
    assert len(table.legal(1)) == 15


def test_each_kind_and_each_square_is_used_once_a_seat() -> None:
    """challenge-place: after rotate at the church, neither again; another seat is free to."""
    table = placing()
    table.when(1, PlaceChallenge("church", "rotate"))
    assert table.refusal(0, PlaceChallenge("church", "rotate")) is None
    table.when(0, PlaceChallenge("church", "rotate"))
    assert refused(table, 1, PlaceChallenge("church", "parade"))[1] == (
        "You have a challenge token at Church Square already."
    )
    assert refused(table, 1, PlaceChallenge("flax", "rotate"))[1] == (
        "Your rotate challenge token is placed already."
    )
    assert len(table.legal(1)) == 8
    assert [one.seat for one in table.state.challenge_tokens.church] == [1, 0]


def test_without_challenges_the_match_begins_with_a_move() -> None:
    """The option `challenge: false` leaves the phase out."""
    table = placing(challenge=False)
    assert table.state.phase == "move"
    assert table.refusal(1, PlaceChallenge("church", "rotate")) == "wrong-phase"


# ── The record ────────────────────────────────────────────────────────────────────────────────────


def test_rulings_are_those_of_the_page_in_its_order() -> None:
    """The served rulings are the page's, and each command is judged in that order."""
    ids = [ruling.id for ruling in GAME.rulings]
    assert ids == [
        *("last-first", "queue", "card-in-hand", "move-exact", "tokens", "dance-once"),
        *("three-cards", "cards-held", "overbid", "market-exception", "street-dance", "home"),
        *("refill", "when-scored", "score-square", "score-market", "score-street"),
        *("challenge-place", "distract", "winner"),
    ]
    for rules in GAME.commands:
        judged = [ids.index(clause.id) for clause in rules.rulings]
        assert judged == sorted(judged)


def test_a_ruling_says_house_in_its_text_where_its_origin_does() -> None:
    """What is ours is told as ours, wholly or in part, and nothing else is."""
    house = [ruling.id for ruling in GAME.rulings if "house" in ruling.origin]
    assert house == [ruling.id for ruling in GAME.rulings if "house" in ruling.text]
    assert house == ["move-exact", "tokens", "score-market", "score-street", "winner"]
