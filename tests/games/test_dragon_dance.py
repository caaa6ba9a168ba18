"""Dragon Dance: where a card may lie, what it pays, and how turns go round.

The scenes start from one card at 0, 0 with its corners red, yellow, green and blue:

        0   1
    0   R   Y
    1   G   B
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from referee.core.game import Command
from referee.core.randomness import Chance
from referee.games.dragon_dance import GAME, rules
from referee.games.dragon_dance.cards import DECK, EGGS, FACES, HEADS, SCALES, look
from referee.games.dragon_dance.events import (
    Dealt,
    Drew,
    FirstCard,
    GoingOut,
    Kept,
    Laid,
    Passed,
    RoundEnded,
)
from referee.games.dragon_dance.tops import EMPTY, laid_on
from referee.games.dragon_dance.types import Block, Draw, Keep, Lay, Options, Placed
from tests.games.table import SEED, Table

FIRST = ("RYGB", 0, 0, False)
CROSS = (FIRST, ("YGBR", -1, -1, False), ("GRYB", 1, -1, False))
Cards = Sequence[str]


def on_field(
    cards: Sequence[tuple[str, int, int, bool]], options: Options, by: int | None
) -> dict[str, Any]:
    """The fields of a state in which these cards lie, in this order, the last laid by a seat."""
    tops = EMPTY
    for card, x, y, turned in cards:
        tops = laid_on(tops, x, y, look(card, options.faces, turned=turned))
    laid_by = [*[None] * (len(cards) - 1), by]
    placed = tuple(Placed(*card, seat) for card, seat in zip(cards, laid_by, strict=False))
    return {"field": placed, "tops": tops}


def scene(
    *hands: Cards,
    cards: Sequence[tuple[str, int, int, bool]] = (FIRST,),
    pile: Cards | None = None,
    options: dict[str, Any] | None = None,
    **fields: Any,
) -> Table:
    """A table where these cards lie and these hands are held; the rest of the deck is the pile.

    Where a seat goes out, the last card is its own.
    """
    table = Table(GAME, seats=len(hands), options=options)
    used = {card for hand in hands for card in hand} | {card for card, *_ in cards}
    left = tuple(card for card in DECK if card not in used) if pile is None else tuple(pile)
    return table.given(
        hands=tuple(map(tuple, hands)),
        hand_counts=tuple(map(len, hands)),
        pile=left,
        pile_count=len(left),
        **on_field(cards, table.options, fields.get("going_out")),
        **fields,
    )


def lay(card: str, x: int, y: int, *, turned: bool = False) -> Lay:
    """A command to lay a card."""
    return Lay(card, x, y, turned)


def judged_by(command: type[Command]) -> list[str]:
    """The ids of the rulings that judge such a command, in order."""
    (of_it,) = (rules for rules in GAME.commands if rules.command is command)
    return [clause.id for clause in of_it.rulings]


def points_of(table: Table, command: Command) -> int:
    """What laying a card pays seat 0."""
    laid = table.when(0, command)[0]
    assert isinstance(laid, Laid)
    return laid.points


# ── the cards ─────────────────────────────────────────────────────────────────────────────────────


def test_the_deck_has_24_scales_16_heads_and_12_eggs() -> None:
    """All 52 cards, each once: every order of four colours, every pair of ends, three eggs each."""
    assert (len(SCALES), len(HEADS), len(EGGS)) == (24, 16, 12)
    assert len(set(DECK)) == 52
    assert SCALES[:3] == ("RYGB", "RYBG", "RGYB")
    assert SCALES[-1] == "BGYR"
    assert (HEADS[0], HEADS[1], HEADS[-1]) == ("HRR", "HRY", "HBB")
    assert (EGGS[0], EGGS[-1]) == ("ER1", "EB3")


def test_a_head_shows_its_own_colour_above_and_its_tail_below() -> None:
    """The faces of heads and eggs follow their names."""
    assert (FACES["HRY"], FACES["EG2"], FACES["GYRB"]) == ("RRYY", "GGGG", "GYRB")


# ── the worked cases ──────────────────────────────────────────────────────────────────────────────


def test_case_1_two_boxes_of_the_same_colours_pay_2() -> None:
    """YRBG at 1, 0: its left boxes lie on yellow and blue."""
    table = scene(["YRBG", "HBB"], ["RGYB"])
    assert table.when(0, lay("YRBG", 1, 0)) == [
        Laid(seat=0, card="YRBG", x=1, y=0, turned=False, covers=2, points=2)
    ]


def test_case_2_one_box_that_matches_does_not_do() -> None:
    """RGYB at 0, 0 covers red on red, but green would lie on yellow."""
    table = scene(["RGYB", "HBB"], ["YRBG"])
    assert table.refusal(0, lay("RGYB", 0, 0)) == "match-colour"


def test_case_3_a_head_on_one_box_pays_4_and_turned_does_not_match() -> None:
    """HBR at 1, 1: blue on blue; turned it shows red there."""
    table = scene(["HBR", "HBB"], ["YRBG"])
    assert table.refusal(0, lay("HBR", 1, 1, turned=True)) == "match-colour"
    assert points_of(table, lay("HBR", 1, 1)) == 4


def test_case_4_a_head_on_two_boxes_pays_5_at_one_end_or_at_both() -> None:
    """HGR turned at 0, -2 over two greens of three cards; HRG at -1, 0 over the first card alone.

    With the three cards the box at -1, 0 is blue, and HRG would not match there.
    """
    turned = scene(["HGR", "HRG"], ["YRBG"], cards=CROSS)
    assert turned.refusal(0, lay("HRG", -1, 0)) == "match-colour"
    assert points_of(turned, lay("HGR", 0, -2, turned=True)) == 5
    both_ends = scene(["HRG", "HBB"], ["YRBG"])
    assert points_of(both_ends, lay("HRG", -1, 0)) == 5


@pytest.mark.parametrize(
    ("head", "x", "y", "points"), [("HBB", 1, 1, 9), ("HBR", 1, 0, 7)], ids=["all", "head end"]
)
def test_case_5_an_egg_on_a_whole_head_pays_9_and_on_its_end_7(
    head: str, x: int, y: int, points: int
) -> None:
    """EB2 on four blue boxes, and on two with the other two beside the field."""
    cards = ((head, 1, 1, False),)
    table = scene(["EB2", "HBB"], ["YRBG"], cards=cards)
    assert points_of(table, lay("EB2", x, y)) == points


def test_case_5_an_egg_on_a_head_with_another_tail_does_not_match() -> None:
    """EB2 on all of HBR would put blue on red."""
    table = scene(["EB2", "HBB"], ["YRBG"], cards=(("HBR", 1, 1, False),))
    assert table.refusal(0, lay("EB2", 1, 1)) == "match-colour"


@pytest.mark.parametrize(
    ("head", "x", "y", "ruling"),
    [
        ("HBB", 2, 0, "decapitated"),
        ("HBB", 1, 2, "decapitated"),
        ("HBR", 2, 1, "match-colour"),
        ("HBB", 1, 1, None),
        ("HBR", 1, 0, None),
    ],
    ids=["one head box", "tail alone", "does not match", "all of it", "head end"],
)
def test_case_5_a_block_must_cover_both_boxes_of_the_head_end(
    head: str, x: int, y: int, ruling: str | None
) -> None:
    """As a block the egg covers the whole head end; colours are judged before that."""
    table = scene(
        [], ["EB2"], cards=((head, 1, 1, False),), phase="respond", going_out=0, asked=(1,)
    )
    assert table.refusal(1, Block("EB2", x, y, turned=False)) == ruling


def test_case_6_no_egg_lies_on_an_egg() -> None:
    """One box of an egg under one of another is enough for a refusal."""
    table = scene(["EB2", "HBB"], ["YRBG"], cards=(("EB1", 1, 1, False),))
    assert table.refusal(0, lay("EB2", 2, 2)) == "beaten-egg"
    assert table.refusal(0, lay("EB2", 1, 1)) == "beaten-egg"


def test_case_6_an_egg_may_lie_on_a_head_that_lies_on_an_egg() -> None:
    """The dragon lies between: the egg under it is no longer on top."""
    cards = (("EB1", 1, 1, False), ("HBR", 1, 2, False))
    table = scene(["EB2", "HBB"], ["YRBG"], cards=(*cards, ("HBB", 1, 1, False)))
    assert points_of(table, lay("EB2", 1, 1)) == 9


def test_case_7_a_last_card_that_is_a_scale_is_refused_so_that_the_seat_draws() -> None:
    """With a scale alone that would fit, drawing is lawful and laying is not."""
    table = scene(["YRBG"], ["HRR"], points=(30, 0))
    assert table.refusal(0, lay("YRBG", 1, 0)) == "last-card"
    assert table.when(0, Draw()) == [Drew(seat=0, card="RYBG")]


@pytest.mark.parametrize(("points", "ruling"), [(14, "last-card"), (15, None)])
def test_case_8_a_last_head_needs_15_points(points: int, ruling: str | None) -> None:
    """Points that the head itself pays do not count."""
    table = scene(["HRG"], ["YRBG"], points=(points, 0))
    assert table.refusal(0, lay("HRG", -1, 0)) == ruling


def test_case_8_with_15_points_it_goes_out() -> None:
    """The others are asked at once."""
    table = scene(["HRG"], ["YRBG"], ["HRR"], points=(15, 0, 0))
    assert table.when(0, lay("HRG", -1, 0))[1:] == [GoingOut(seat=0)]
    assert (table.state.phase, table.state.going_out) == ("respond", 0)
    assert (table.state.asked, table.state.turn) == ((1, 2), 0)


# ── rulings of a lay ──────────────────────────────────────────────────────────────────────────────


def test_only_cards_of_the_own_hand_are_laid() -> None:
    """Another's card, one on the field and a name that is no card are refused alike."""
    table = scene(["YRBG", "HBB"], ["RGYB"])
    for card in ("RGYB", "RYGB", "XXXX", ""):
        assert table.refusal(0, lay(card, 1, 0)) == "card-in-hand"


def test_a_card_that_only_touches_covers_nothing() -> None:
    """Beside the field, at a corner of it, and far away in every direction."""
    table = scene(["YRBG", "HBB"], ["RGYB"])
    for x, y in ((2, 0), (-2, 0), (0, 2), (0, -2), (2, 2), (-2, -2), (100, -100), (-100, 100)):
        assert table.refusal(0, lay("YRBG", x, y)) == "cover"


def test_a_card_may_cover_a_whole_card_for_4_points() -> None:
    """Ruling same-spot: BGYR turned shows what RYGB shows."""
    table = scene(["BGYR", "HBB"], ["RGYB"])
    assert points_of(table, lay("BGYR", 0, 0, turned=True)) == 4


def test_colours_match_at_negative_places_too() -> None:
    """A card whose lower right box lies on the red one at 0, 0, and one that does not match."""
    table = scene(["YGBR", "YGRB", "HBB"], ["RGYB"])
    assert table.refusal(0, lay("YGRB", -1, -1)) == "match-colour"
    assert points_of(table, lay("YGBR", -1, -1)) == 1


def test_the_detail_of_a_mismatch_names_the_box_and_both_colours() -> None:
    """The refusal says what was wrong with this command."""
    table = scene(["RGYB", "HBB"], ["YRBG"])
    detail = rules.match_colour(table.state, table.by(0), lay("RGYB", 0, 0))
    assert detail == "The box [1, 0] shows Y; RGYB would lay G there."


def test_an_egg_pays_5_besides_its_boxes() -> None:
    """EB1 on the one blue box."""
    table = scene(["EB1", "HBB"], ["RGYB"])
    assert points_of(table, lay("EB1", 1, 1)) == 6


def test_a_scale_or_a_head_may_lie_on_an_egg() -> None:
    """Only an egg is refused there."""
    cards = (("EB1", 1, 1, False),)
    assert points_of(scene(["RGYB", "HRR"], ["YRBG"], cards=cards), lay("RGYB", 0, 0)) == 1
    assert points_of(scene(["HBB", "HRR"], ["YRBG"], cards=cards), lay("HBB", 1, 1)) == 7


def test_a_last_head_must_cover_two_boxes() -> None:
    """On one box it is refused, whatever the points."""
    table = scene(["HBR"], ["YRBG"], points=(40, 0))
    assert table.refusal(0, lay("HBR", 1, 1)) == "last-card"


def test_a_last_egg_is_refused_and_a_card_before_the_last_is_not() -> None:
    """The ruling speaks of the last card alone."""
    assert scene(["EB1"], ["YRBG"], points=(40, 0)).refusal(0, lay("EB1", 1, 1)) == "last-card"
    assert scene(["EB1", "HRR"], ["YRBG"]).refusal(0, lay("EB1", 1, 1)) is None


def test_rulings_of_a_lay_are_named_in_the_order_of_the_page() -> None:
    """A command that breaks several names the first; each mended one uncovers the next."""
    assert judged_by(Lay) == [
        *("card-in-hand", "draw-one", "turning", "cover"),
        *("match-colour", "beaten-egg", "last-card", "finish"),
    ]
    options = {"turning": "none"}
    drawn = {"phase": "drawn", "drawn": "EB1"}
    cards = (("EB3", 1, 1, False),)
    table = scene(["YRBG", "EB1"], ["RGYB"], cards=cards, options=options, **drawn)
    assert table.refusal(0, lay("GYRB", 9, 9, turned=True)) == "card-in-hand"
    assert table.refusal(0, lay("YRBG", 9, 9, turned=True)) == "draw-one"
    assert table.refusal(0, lay("EB1", 9, 9)) == "cover"
    assert table.refusal(0, lay("EB1", 1, 1)) == "beaten-egg"
    table.given(drawn="YRBG")
    assert table.refusal(0, lay("YRBG", 9, 9, turned=True)) == "turning"


# ── turning ───────────────────────────────────────────────────────────────────────────────────────


def test_a_half_turn_reads_the_face_backwards() -> None:
    """GBRY turned is YRBG and so fits at 1, 0."""
    table = scene(["GBRY", "HBB"], ["RGYB"])
    assert table.refusal(0, lay("GBRY", 1, 0)) == "match-colour"
    assert points_of(table, lay("GBRY", 1, 0, turned=True)) == 2
    assert table.state.field[-1] == Placed("GBRY", 1, 0, turned=True, seat=0)


def test_without_turning_a_turned_card_is_refused_and_not_listed() -> None:
    """Without half turns cards lie as printed."""
    table = scene(["GBRY", "HBB"], ["RGYB"], options={"turning": "none"})
    assert table.refusal(0, lay("GBRY", 1, 0, turned=True)) == "turning"
    assert table.legal(0)
    assert not any(isinstance(form, Lay) and form.turned for form in table.legal(0))


@pytest.mark.parametrize("turning", ["half", "none"])
@pytest.mark.parametrize("card", ["EB1", "HBB"])
def test_a_card_that_looks_the_same_is_laid_unturned(card: str, turning: str) -> None:
    """Sent turned it is lawful, lies unturned, and is listed unturned only."""
    table = scene([card, "RGYB"], ["HRR"], options={"turning": turning})
    assert not any(isinstance(form, Lay) and form.turned for form in table.legal(0)[:1])
    (laid, *_) = table.when(0, lay(card, 1, 1, turned=True))
    assert isinstance(laid, Laid)
    assert not laid.turned
    assert not table.state.field[-1].turned


def test_another_printing_decides_what_looks_the_same() -> None:
    """A head printed with one colour all over cannot be turned, and is listed unturned only."""
    options = {"faces": {"HBR": "BBBB"}}
    table = scene(["HBR", "HRR"], ["RGYB"], options=options)
    listed = [form for form in table.legal(0) if isinstance(form, Lay) and form.card == "HBR"]
    assert {form.turned for form in listed} == {False}
    assert table.when(0, lay("HBR", 1, 1, turned=True))[0] == Laid(
        seat=0, card="HBR", x=1, y=1, turned=False, covers=1, points=4
    )


def test_a_scale_that_looks_the_same_turned_is_still_listed_both_ways() -> None:
    """Only heads and eggs are laid unturned for it: a scale lies as it was sent."""
    table = scene(["RGBY", "HRR"], ["RGYB"], options={"faces": {"RGBY": "BRRB"}})
    listed = [form for form in table.legal(0) if isinstance(form, Lay) and form.card == "RGBY"]
    assert {form.turned for form in listed} == {False, True}
    table.when(0, lay("RGBY", 1, 1, turned=True))
    assert table.state.field[-1].turned


def test_another_printing_decides_what_matches() -> None:
    """A scale printed otherwise is judged by that face."""
    table = scene(["RGBY", "HRR"], ["RGYB"], options={"faces": {"RGBY": "YYBB"}})
    assert points_of(table, lay("RGBY", 1, 0)) == 2


# ── what is listed ────────────────────────────────────────────────────────────────────────────────


def test_lays_are_listed_by_hand_then_y_then_x_and_cards_that_look_the_same_unturned() -> None:
    """The fixed order of legal, here over one card on the field."""
    table = scene(["EB1", "RGYB", "HBB"], ["YRBG"])
    assert table.legal(0) == [
        lay("EB1", 1, 1),
        lay("RGYB", -1, -1, turned=True),
        lay("RGYB", 1, -1),
        lay("RGYB", -1, 1),
        lay("RGYB", 1, 1, turned=True),
        lay("HBB", 1, 1),
    ]


def test_unturned_stands_before_turned_at_the_same_place() -> None:
    """Printed RYRB the scale fits the blue corner turned alone, printed BRYB both ways."""
    once = scene(["RGYB", "HRR"], ["YRBG"], options={"faces": {"RGYB": "RYRB"}})
    twice = scene(["RGYB", "HRR"], ["YRBG"], options={"faces": {"RGYB": "BRYB"}})
    assert _at(once, 1, 1) == [lay("RGYB", 1, 1, turned=True)]
    assert _at(twice, 1, 1) == [lay("RGYB", 1, 1), lay("RGYB", 1, 1, turned=True)]


def _at(table: Table, x: int, y: int) -> list[Command]:
    """The lays that are listed for seat 0 at one place."""
    return [form for form in table.legal(0) if isinstance(form, Lay) and (form.x, form.y) == (x, y)]


def test_draw_stands_alone_in_the_list() -> None:
    """Where nothing can be laid, drawing is all that is legal."""
    table = scene(["ER1"], ["YRBG"], points=(30, 0))
    assert table.legal(0) == [Draw()]


# ── drawing ───────────────────────────────────────────────────────────────────────────────────────


def test_who_can_lay_may_not_draw_and_is_told_what_fits() -> None:
    """Ruling no-pass, by the seat's own knowledge."""
    table = scene(["HRR", "YRBG"], ["RGYB"], cards=(("EB1", 0, 0, False),))
    assert table.refusal(0, Draw()) == "no-pass"
    detail = rules.no_pass(table.state, table.by(0), Draw())
    assert detail == "YRBG can be laid, at [1, -1]; who can lay may not draw."


def test_who_cannot_lay_draws_one_and_is_asked_to_lay_or_keep_it() -> None:
    """The drawn card is last in the hand, counted, and its owner's turn goes on."""
    table = scene(["HRR", "HRY"], ["RGYB"], cards=(("EB1", 0, 0, False),), pile=["HBG", "HGG"])
    assert table.when(0, Draw()) == [Drew(seat=0, card="HBG")]
    state = table.state
    assert (state.phase, state.turn, state.drawn) == ("drawn", 0, "HBG")
    assert (state.hands[0], state.hand_counts, state.pile) == (
        ("HRR", "HRY", "HBG"),
        (3, 1),
        ("HGG",),
    )
    assert state.pile_count == 1


def test_after_drawing_only_the_drawn_card_may_be_laid() -> None:
    """Another card is refused by draw-one, even where it fits."""
    table = scene(["HBR", "HBG"], ["RGYB"], phase="drawn", drawn="HBG")
    assert table.refusal(0, lay("HBR", 1, 1)) == "draw-one"
    assert table.refusal(0, lay("HBG", 1, 1)) is None
    assert {form.card for form in table.legal(0) if isinstance(form, Lay)} == {"HBG"}


def test_a_drawn_card_may_be_kept_though_it_fits() -> None:
    """Keep ends the turn and stands last in the list."""
    table = scene(["HBR", "HBG"], ["RGYB"], phase="drawn", drawn="HBG")
    assert table.legal(0)[-1] == Keep()
    assert table.when(0, Keep()) == [Kept(seat=0)]
    assert (table.state.phase, table.state.turn, table.state.drawn) == ("lay", 1, None)


def test_keeping_is_asked_for_even_where_the_drawn_card_fits_nowhere() -> None:
    """So that no silence tells what was drawn."""
    table = scene(
        ["HRR", "ER1"], ["RGYB"], cards=(("EB1", 0, 0, False),), phase="drawn", drawn="ER1"
    )
    assert table.legal(0) == [Keep()]


def test_laying_the_drawn_card_ends_the_turn() -> None:
    """The turn goes to the left."""
    table = scene(["HBR", "HBG"], ["RGYB"], phase="drawn", drawn="HBG")
    table.when(0, lay("HBG", 1, 1))
    assert (table.state.phase, table.state.turn, table.state.drawn) == ("lay", 1, None)
    assert (table.state.hands[0], table.state.points) == (("HBR",), (4, 0))


# ── an empty pile ─────────────────────────────────────────────────────────────────────────────────


BLUE = (("EB1", 0, 0, False),)


def test_with_an_empty_pile_a_turn_passes_by_itself() -> None:
    """Seat 1 can neither lay nor draw: seat 2 is next, in the same commit."""
    table = scene(["HBB", "HGG"], ["HRR", "HRY"], ["HBY", "HGR"], cards=BLUE, pile=[])
    events = table.when(0, lay("HBB", 1, 1))
    assert events[1:] == [Passed(seat=1)]
    assert (table.state.turn, table.state.passes) == (2, 1)


def test_a_lay_after_passes_counts_them_anew() -> None:
    """Seat 1 passed, seat 2 lays, seat 0 passes: that is one in a row."""
    table = scene(["HBB", "HGG"], ["HRR", "HRY"], ["HBY", "HGR"], cards=BLUE, pile=[])
    table.when(0, lay("HBB", 1, 1))
    assert table.when(2, lay("HBY", -1, 1))[1:] == [Passed(seat=0)]
    assert table.state.passes == 1


def test_the_last_card_ruling_counts_in_what_can_be_laid() -> None:
    """Seat 1 holds one scale that would fit: it passes all the same."""
    table = scene(["HBB", "HGG"], ["YBRG"], ["HBY", "HGR"], cards=BLUE, pile=[])
    assert table.when(0, lay("HBB", 1, 1))[1:] == [Passed(seat=1)]


def test_a_round_in_which_everybody_passes_is_stuck_and_counts() -> None:
    """Nobody wins it by a dragon; the most points are honoured; the next round is dealt."""
    table = scene(["HRR", "HBG"], ["HRY", "ER1"], cards=BLUE, pile=[], phase="drawn", drawn="HBG")
    table.given(points=(4, 9), hands=(("HRR", "HYG"), ("HRY", "ER1")), drawn="HYG")
    events = table.when(0, Keep())
    assert events[:4] == [
        Kept(seat=0),
        Passed(seat=1),
        Passed(seat=0),
        RoundEnded(how="stuck", points=(4, 9), dragon=None, most_points=(1,)),
    ]
    assert [type(event) for event in events[4:]] == [Dealt, FirstCard]
    state = table.state
    assert (state.round, state.turn, state.passes, state.points) == (2, 1, 0, (0, 0))
    assert (state.rounds_won, state.total_points, state.point_honours) == ((0, 0), (4, 9), (0, 1))


# ── the deal ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_cards_are_dealt_one_by_one_from_the_starter(seats: int) -> None:
    """Card i of the shuffled deck goes to the seat i places after the starter."""
    table = Table(GAME, seats=seats, options={"starter": seats - 1, "hand": 9})
    dealt, first = table.dealt
    assert isinstance(dealt, Dealt)
    order = [(seats - 1 + step) % seats for step in range(seats)]
    in_order = [dealt.hands[seat][turn] for turn in range(9) for seat in order]
    assert sorted([*in_order, *dealt.pile]) == sorted(DECK)
    assert first == FirstCard(card=dealt.pile[0])
    state = table.state
    assert (state.round, state.turn, state.phase) == (1, seats - 1, "lay")
    assert state.pile == dealt.pile[1:]
    assert state.field == (Placed(dealt.pile[0], 0, 0, turned=False, seat=None),)


def test_the_deal_is_the_shuffle_of_the_seed() -> None:
    """The deck goes into the shuffle scales first, then heads, then eggs; index 0 first."""
    table = Table(GAME, seats=2)
    shuffled = Chance(SEED, "table", ["", ""]).shuffle((*SCALES, *HEADS, *EGGS))
    assert table.state.hands == (shuffled[0:14:2], shuffled[1:14:2])
    assert (table.state.field[0].card, table.state.pile) == (shuffled[14], shuffled[15:])
    assert (table.state.pile_count, table.chance.draws) == (37, 1)
