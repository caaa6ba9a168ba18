"""The Giants' Dance before the first command: options, every way they can be wrong, the deal."""

from collections import Counter
from typing import Any

import msgspec
import pytest

from referee.core.game import BadOptions, complete_options
from referee.core.randomness import Chance
from referee.games.giants_dance import GAME
from referee.games.giants_dance.events import SetUp
from referee.games.giants_dance.setup import GAPS, all_tokens, spaced_trail, token_fields
from referee.games.giants_dance.types import DEFAULT_TRAIL, SQUARES, Options
from tests.games.giants_dance_table import cards
from tests.games.table import SEED, Table

STREETS = [field for field, ground in enumerate(DEFAULT_TRAIL, 1) if ground == "street"]


def errors(seats: int = 2, **options: Any) -> list[tuple[str, str]]:
    """The errors of these options, none where they are lawful."""
    try:
        complete_options(GAME, msgspec.convert(options, Options), seats)
    except BadOptions as bad:
        return list(bad.errors)
    return []


def paths(seats: int = 2, **options: Any) -> list[str]:
    """The paths at which these options are refused."""
    return [path for path, _message in errors(seats, **options)]


def trail(**changes: str) -> list[str]:
    """The default trail with other grounds on some fields: `trail(f4="street")`."""
    grounds: list[str] = list(DEFAULT_TRAIL)
    for field, ground in changes.items():
        grounds[int(field[1:]) - 1] = ground
    return grounds


def deck(**changes: list[int]) -> dict[str, Any]:
    """A dance deck with other values of a category."""
    values = [1, 2, 3, 4, 5, 6]
    return {"dance_deck": {"rotate": values, "parade": values, **changes}}


# ── Options ───────────────────────────────────────────────────────────────────────────────────────


def test_every_default_is_filled_in() -> None:
    """Without options: the page's trail and decks, tokens of 2, challenges, seats by height."""
    options = GAME.complete(Options(), 3)
    assert msgspec.to_builtins(options) == {
        "trail": DEFAULT_TRAIL,
        "movement_deck": (1, 1, 2, 2, 2, 3, 3, 3, 4, 4),
        "dance_deck": {"rotate": (1, 2, 3, 4, 5, 6), "parade": (1, 2, 3, 4, 5, 6)},
        "token_value": 2,
        "challenge": True,
        "height_order": (0, 1, 2),
    }
    assert [DEFAULT_TRAIL.index(square) + 1 for square in SQUARES] == [4, 8, 11, 14, 17]


def test_completed_options_are_complete() -> None:
    """Completing twice changes nothing: a log's options can be read back."""
    once = GAME.complete(Options(height_order=(1, 0)), 2)
    assert GAME.complete(once, 2) == once


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"trail": trail()[:-1]}, ["options.trail"]),
        ({"trail": [*trail(), "street"]}, ["options.trail"]),
        ({"trail": trail(f4="street")}, ["options.trail"]),
        ({"trail": trail(f1="church")}, ["options.trail"]),
        ({"trail": trail(f4="sluice")}, ["options.trail"] * 2),
        ({"trail": []}, ["options.trail"]),
        ({"movement_deck": [2] * 9}, ["options.movement_deck"]),
        ({"movement_deck": [2] * 11}, ["options.movement_deck"]),
        ({"movement_deck": [1, 1, 2, 2, 2, 3, 3, 3, 4, 7]}, ["options.movement_deck[9]"]),
        ({"movement_deck": [0, 1, 2, 2, 2, 3, 3, 3, 4, 4]}, ["options.movement_deck[0]"]),
        ({"movement_deck": [1, 1, 1, 2, 2, 2, 2, 2, 3, 3]}, ["options.movement_deck"]),
        (deck(rotate=[1] * 5), ["options.dance_deck.rotate"]),
        (deck(parade=[1] * 7), ["options.dance_deck.parade"]),
        (deck(rotate=[1, 2, 3, 4, 5, 10]), ["options.dance_deck.rotate[5]"]),
        (deck(parade=[0, 2, 3, 4, 5, 6]), ["options.dance_deck.parade[0]"]),
        ({"token_value": 0}, ["options.token_value"]),
        ({"token_value": 10}, ["options.token_value"]),
        ({"height_order": [0]}, ["options.height_order"]),
        ({"height_order": []}, ["options.height_order"]),
        ({"height_order": [0, 2]}, ["options.height_order"]),
        ({"height_order": [-1, 0]}, ["options.height_order"]),
        ({"height_order": [1, 1]}, ["options.height_order"]),
        ({"height_order": [0, 1, 1]}, ["options.height_order"]),
    ],
)
def test_options_that_cannot_be_played_are_refused_with_their_path(
    given: dict[str, Any], where: list[str]
) -> None:
    """Each option, each way it can be wrong, and where."""
    assert paths(**given) == where


def test_all_errors_are_told_not_only_the_first() -> None:
    """Several options wrong at once make as many errors, each with its numbers."""
    wrong: dict[str, Any] = {"token_value": 12, "movement_deck": [1] * 10, "height_order": [0, 5]}
    assert errors(**wrong, trail=trail(f4="sluice")) == [
        ("options.token_value", "must be 1 to 9, not 12"),
        ("options.height_order", "must name each seat from 0 to 1 once"),
        ("options.trail", "must have church once, not 0 times"),
        ("options.trail", "must have sluice once, not 2 times"),
        ("options.movement_deck", "must sum to 20, the way home, or more, not 10"),
    ]


def test_the_limits_themselves_are_lawful() -> None:
    """Values 1 and 6, 1 and 9, and a sum of exactly 20."""
    assert errors(movement_deck=[1, 1, 1, 1, 1, 1, 1, 1, 6, 6]) == []
    assert errors(dance_deck={"rotate": [1] * 6, "parade": [9] * 6}, token_value=9) == []
    assert errors(seats=5, height_order=[4, 2, 0, 1, 3], token_value=1) == []


def test_squares_may_stand_side_by_side_on_a_trail_of_ones_own() -> None:
    """Only the shuffled trail keeps squares apart."""
    assert errors(trail=[*SQUARES, *["street"] * 14]) == []


@pytest.mark.parametrize(
    "given",
    [
        {"trail": "random"},
        {"trail": trail(f1="market")},
        {"movement_deck": [2.0] * 10},
        {"dance_deck": {"polka": [1] * 6}},
        {"token_value": True},
        {"challenge": 1},
        {"tokens": 2},
    ],
)
def test_options_of_another_shape_are_the_schemas_to_refuse(given: dict[str, Any]) -> None:
    """Unknown words, fields and types never reach the game."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(given, Options)


@pytest.mark.parametrize(("given", "lacks"), [("rotate", "parade"), ("parade", "rotate")])
def test_a_dance_deck_names_both_categories(given: str, lacks: str) -> None:
    """Neither is filled in beside the other: the refusal names the one that is missing."""
    with pytest.raises(msgspec.ValidationError, match=rf"`{lacks}` - at `\$.dance_deck`"):
        msgspec.convert({"dance_deck": {given: [1] * 6}}, Options)


def test_the_schema_tells_the_bounds() -> None:
    """A client reads in the JSON Schema how many values each list has, and from where to where."""
    schema = msgspec.json.schema(Options)["$defs"]
    options, dance_deck = schema["Options"]["properties"], schema["DanceDeck"]
    assert bounds(options["movement_deck"]) == (10, 10, 1, 6)
    assert bounds(dance_deck["properties"]["rotate"]) == (6, 6, 1, 9)
    assert bounds(dance_deck["properties"]["parade"]) == (6, 6, 1, 9)
    assert dance_deck["required"] == ["rotate", "parade"]
    assert (options["token_value"]["minimum"], options["token_value"]["maximum"]) == (1, 9)
    assert [options["trail"]["anyOf"][0][most] for most in ("minItems", "maxItems")] == [19, 19]


def bounds(values: dict[str, Any]) -> tuple[int, int, int, int]:
    """Of a list in a schema: the least and most entries, the least and most of each."""
    each = values["items"]
    return values["minItems"], values["maxItems"], each["minimum"], each["maximum"]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_varied_options_are_lawful(seats: int) -> None:
    """`vary` only makes options that can be played, and tries every option."""
    tried: set[str] = set()
    for number in range(60):
        options = GAME.vary(Chance(SEED, f"vary {number}", []), seats)
        assert errors(seats, **options) == []
        tried |= set(options)
    assert tried == set(Options.__struct_fields__)


# ── The trail ─────────────────────────────────────────────────────────────────────────────────────


def test_shuffled_trails_keep_every_two_neighbours_one_to_four_streets_apart() -> None:
    """All lists of six gaps, 1 to 4 each, with a sum of 14, in lexicographic order."""
    assert len(GAPS) == 546
    assert list(GAPS) == sorted(GAPS)
    assert all(sum(gaps) == 14 and set(gaps) <= {1, 2, 3, 4} for gaps in GAPS)
    assert spaced_trail(SQUARES, (3, 3, 2, 2, 2, 2)) == DEFAULT_TRAIL


def test_a_shuffled_trail_follows_from_two_draws() -> None:
    """The squares' order is shuffled, then one number picks the gaps."""
    table = Table(GAME, seats=2, options={"trail": "shuffled"})
    chance = Chance(SEED, "table", [""] * 2)
    squares = chance.shuffle(SQUARES)
    assert table.state.trail == spaced_trail(squares, GAPS[chance.below(546)])
    assert table.state.trail != DEFAULT_TRAIL
    assert sorted(table.state.trail) == sorted(DEFAULT_TRAIL)


# ── The deal ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("shuffled", [False, True])
def test_chance_is_used_in_the_order_of_the_page(seats: int, shuffled: bool) -> None:  # noqa: FBT001
    """The trail, by seat the movement and the dance pile, then all tokens on ascending fields."""
    options: dict[str, Any] = {"trail": "shuffled"} if shuffled else {}
    table = Table(GAME, seats=seats, options=options)
    (event,) = table.dealt
    assert isinstance(event, SetUp)
    chance = Chance(SEED, "table", [""] * seats, draws=2 if shuffled else 0)
    deck = cards("r1 r2 r3 r4 r5 r6 p1 p2 p3 p4 p5 p6")
    for seat in range(seats):
        movement, dance = chance.shuffle(table.options.movement_deck), chance.shuffle(deck)
        assert event.hands[seat].movement + event.piles[seat].movement == movement
        assert event.hands[seat].dance + event.piles[seat].dance == dance
    laid = [(token.owner, token.kind) for token in event.street_tokens]
    assert laid == list(chance.shuffle(all_tokens(seats)))
    assert [token.field for token in event.street_tokens] == token_fields(event.trail, seats)
    assert {token.face for token in event.street_tokens} == {"down"}
    assert chance.draws == table.chance.draws
    assert GAME.draws(GAME.start(table.options, seats), event) == chance.draws


def test_each_giant_holds_three_and_three() -> None:
    """Of ten movement cards seven are left in the pile, of twelve dance cards nine."""
    state = Table(GAME, seats=3).state
    assert (state.movement.hand_counts, state.movement.pile_counts) == ((3, 3, 3), (7, 7, 7))
    assert (state.dance.hand_counts, state.dance.pile_counts) == ((3, 3, 3), (9, 9, 9))


def test_tokens_lie_on_the_streets_by_number_of_seats() -> None:
    """2: two on each of the last two; 3: none on the first two; 4 as 2; 5: two on the last six."""
    assert token_fields(DEFAULT_TRAIL, 2) == [*STREETS[:12], 18, 18, 19, 19]
    assert token_fields(DEFAULT_TRAIL, 3) == STREETS[2:]
    assert token_fields(DEFAULT_TRAIL, 4) == [*STREETS[:12], 18, 18, 19, 19]
    assert token_fields(DEFAULT_TRAIL, 5) == [
        *STREETS[:8],
        *(12, 12, 13, 13, 15, 15, 16, 16, 18, 18, 19, 19),
    ]


def test_streets_are_counted_along_the_trail_in_use() -> None:
    """With all squares first, the last two streets are 18 and 19, the first two 6 and 7."""
    trail_in_use = (*SQUARES, *("street",) * 14)
    assert token_fields(trail_in_use, 3) == list(range(8, 20))
    assert token_fields((*("street",) * 14, *SQUARES), 2)[-4:] == [13, 13, 14, 14]


@pytest.mark.parametrize(("seats", "of_a_kind"), [(2, 4), (3, 2), (4, 2), (5, 2)])
def test_each_seat_has_its_tokens(seats: int, of_a_kind: int) -> None:
    """Two of either category; with two seats a second set, all as its own."""
    counted = Counter(all_tokens(seats))
    expected = {(seat, kind): of_a_kind for seat in range(seats) for kind in ("rotate", "parade")}
    assert counted == expected


def test_the_smallest_stands_in_front() -> None:
    """`height_order` from smallest to biggest; the biggest is last and acts first."""
    table = Table(GAME, seats=4, options={"height_order": [2, 0, 3, 1]})
    assert table.state.order == (1, 3, 0, 2)
    assert table.state.fields == (0, 0, 0, 0)
