"""The Giants' Dance as each viewer sees it: nobody sees more than at the table."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from referee.core.game import Event
from referee.core.visibility import ORGANIZER, SPECTATOR, Scope, Viewer, redact, seat_viewer
from referee.games.giants_dance import GAME
from referee.games.giants_dance.events import (
    CardsDrawn,
    ChallengePlaced,
    Danced,
    GiantMoved,
    Laid,
    SquareScored,
    StreetScored,
    TokensTurnedUp,
    TurnedToken,
    Winners,
)
from referee.games.giants_dance.types import ChallengeToken, ChallengeTokens, Move, StreetDance
from tests.games.giants_dance_table import (
    NOTHING,
    about_to_dance,
    bid,
    cards,
    hold,
    lay,
    on_trail,
    piles,
    seen,
    token,
    with_bids,
)
from tests.games.table import Table

OWN, OTHER = seat_viewer(0), seat_viewer(1)
EVERYBODY = (OWN, OTHER, SPECTATOR, ORGANIZER)


def told(event: Event, viewer: Viewer) -> dict[str, Any]:
    """An event as a viewer is told it, as it stands in JSON."""
    shown: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(redact(event, Scope(viewer))))
    return shown


def test_the_state_of_the_page_comes_out_as_written() -> None:
    """Seat 0's view, four turns in, key by key in the page's order."""
    table = on_trail(2, 4, order=(0, 1), challenge=True)
    hold(table, 0, "r3 p1 p2", moves=(3, 4, 1), tokens=(0, 1))
    hold(table, 1, "r1 r2 r4", moves=(2, 2, 2))
    piles(piles(table, 0, (1,) * 6, "r1 " * 8), 1, (1,) * 5, "p1 " * 8)
    with_bids(table, "church", [replace(bid(1, 5), values=(3,), tokens=1)])
    table.given(
        phase="move",
        turn=4,
        movement=replace(table.state.movement, played=((2,), (1, 3))),
        street_tokens=(token(1, 1, "rotate"), token(2, 1, "parade", "up")),
        street_dance=StreetDance((2, 0), (True, False)),
        challenge_tokens=ChallengeTokens(
            church=(ChallengeToken(0, "rotate", "down"), ChallengeToken(1, "parade", "down"))
        ),
    )
    none: dict[str, list[Any]] = {"rotate": [], "parade": []}
    expected = {
        "phase": "move",
        "turn": 4,
        "dancing": None,
        "token_value": 2,
        "trail": list(table.options.trail),
        "fields": [2, 4],
        "order": [0, 1],
        "movement": {
            "hands": [[3, 4, 1], None],
            "hand_counts": [3, 3],
            "piles": [None, None],
            "pile_counts": [6, 5],
            "played": [[2], [1, 3]],
        },
        "dance": {
            "hands": [
                [
                    {"kind": "rotate", "value": 3},
                    {"kind": "parade", "value": 1},
                    {"kind": "parade", "value": 2},
                ],
                None,
            ],
            "hand_counts": [3, 3],
            "piles": [None, None],
            "pile_counts": [8, 8],
        },
        "stock": {"tokens": [{"rotate": 0, "parade": 1}, None], "counts": [1, 0]},
        "street_tokens": [
            {"field": 1, "face": "down", "owner": None, "kind": None},
            {"field": 2, "face": "up", "owner": 1, "kind": "parade"},
        ],
        "bids": {
            "church": {
                "rotate": [{"seat": 1, "sum": 5, "overbid": True, "values": [3], "tokens": 1}],
                "parade": [],
            },
            **dict.fromkeys(("sluice", "justice", "heroes", "flax", "market"), none),
        },
        "street_dance": {"sums": [2, None], "danced": [True, False]},
        "challenge_tokens": {
            "church": [
                {"seat": 0, "kind": "rotate", "face": "down"},
                {"seat": 1, "kind": None, "face": "down"},
            ],
            **{square: [] for square in ("sluice", "justice", "heroes", "flax")},
        },
        "scored": [],
        "points": [0, 0],
        "double_dances": [0, 0],
        "challenges_won": [0, 0],
        "market_wins": [0, 0],
        "street_wins": [0, 0],
    }
    assert msgspec.json.encode(seen(table, OWN)) == msgspec.json.encode(expected)


def test_hands_and_stocks_are_ones_own_and_piles_nobodys() -> None:
    """A spectator sees no hand, a seat its own, nobody but the organizer a pile."""
    table = Table(GAME, seats=3)
    for viewer, hands in (
        (SPECTATOR, [None] * 3),
        (OWN, [list(table.state.movement.hands[0]), None, None]),
    ):
        view = msgspec.to_builtins(seen(table, viewer))
        assert [hand and list(hand) for hand in view["movement"]["hands"]] == hands
        assert [hand is None for hand in view["dance"]["hands"]] == [one is None for one in hands]
        assert [one is None for one in view["stock"]["tokens"]] == [one is None for one in hands]
        assert view["movement"]["piles"] == view["dance"]["piles"] == [None] * 3
    everything = msgspec.to_builtins(seen(table, ORGANIZER))
    assert everything["movement"]["piles"] == table.state.movement.piles
    assert None not in everything["dance"]["piles"]


def test_a_face_down_token_on_a_street_is_nobodys_knowledge() -> None:
    """Not even its owner's; the organizer sees it, and everybody once it is turned up."""
    table = on_trail(0, 5).given(street_tokens=(token(1, 0, "rotate"), token(2, 0, "parade", "up")))
    for viewer in (OWN, OTHER, SPECTATOR):
        down, up = seen(table, viewer)["street_tokens"]
        assert (down["owner"], down["kind"]) == (None, None)
        assert (up["owner"], up["kind"]) == (0, "parade")
    assert seen(table, ORGANIZER)["street_tokens"][0]["kind"] == "rotate"


def test_street_sums_are_shown_when_the_match_is_over() -> None:
    """Until then one's own; a match stopped in another phase does not show them."""
    table = on_trail(20, 20).given(street_dance=StreetDance((3, 4), (True, True)))
    assert seen(table, OTHER)["street_dance"]["sums"] == [None, 4]
    stopped = redact(table.state, Scope(OTHER, table.state, finished=True))
    assert stopped["street_dance"]["sums"] == [None, 4]
    table.given(phase="over")
    assert list(seen(table, SPECTATOR)["street_dance"]["sums"]) == [3, 4]


def test_everything_else_stays_hidden_when_the_match_is_over() -> None:
    """Hands, piles, stocks, face-down tokens and challenges that failed."""
    table = on_trail(20, 20).given(phase="over", street_tokens=(token(1, 0, "rotate"),))
    down = ChallengeToken(0, "rotate", "down")
    table.given(challenge_tokens=ChallengeTokens(church=(down, replace(down, face="up"))))
    view = redact(table.state, Scope(SPECTATOR, table.state, finished=True))
    assert view["movement"]["hands"] == view["dance"]["piles"] == [None, None]
    assert view["stock"]["tokens"] == [None, None]
    assert view["street_tokens"][0]["kind"] is None
    assert [one["kind"] for one in view["challenge_tokens"]["church"]] == [None, "rotate"]


def test_the_set_up_shows_a_seat_its_hand_and_nobody_a_pile() -> None:
    """`set_up`: hands own only, piles and faces for the organizer only."""
    (event,) = Table(GAME, seats=2).dealt
    for viewer in (OWN, OTHER, SPECTATOR):
        shown = told(event, viewer)
        assert [hand is not None for hand in shown["hands"]] == [
            viewer.seat == seat for seat in range(2)
        ]
        assert shown["piles"] == [None, None]
        assert {one["kind"] for one in shown["street_tokens"]} == {None}
        assert {one["owner"] for one in shown["street_tokens"]} == {None}
    assert None not in told(event, ORGANIZER)["piles"]


def test_a_challenge_tells_the_others_only_where_it_lies() -> None:
    """`challenge_placed`: the kind is the owner's knowledge."""
    event = ChallengePlaced(0, "flax", "distract")
    kinds = [told(event, viewer)["kind"] for viewer in EVERYBODY]
    assert kinds == ["distract", None, None, "distract"]


def test_cards_drawn_are_counted_for_everybody_and_shown_to_their_owner() -> None:
    """`cards_drawn`: as many nulls as cards."""
    event = CardsDrawn(0, (3,), cards("r1 p2"))
    for viewer in (OTHER, SPECTATOR):
        shown = told(event, viewer)
        assert shown == {
            "type": "cards_drawn",
            "seat": 0,
            "movement": [None],
            "dance": [None, None],
        }
    assert told(event, OWN)["movement"] == [3]
    assert told(event, OWN)["dance"][1] == {"kind": "parade", "value": 2}


def test_a_dance_on_the_street_is_seen_but_not_what_was_laid() -> None:
    """`danced`: on the street only seat and place; on a square everything."""
    laid = Laid((3,), 1, 5, overbid=False)
    for viewer in (OTHER, SPECTATOR):
        assert told(Danced(0, "street", laid, None), viewer) == {
            "type": "danced",
            "seat": 0,
            "place": "street",
            "rotate": None,
            "parade": None,
        }
    assert told(Danced(0, "street", laid, None), OWN)["rotate"]["sum"] == 5
    for viewer in EVERYBODY:
        assert told(Danced(0, "church", laid, None), viewer)["rotate"]["values"] == [3]


@pytest.mark.parametrize(
    "event",
    [
        GiantMoved(0, 4, 18, 20),
        TokensTurnedUp(3, (TurnedToken(1, "rotate"),)),
        SquareScored("church", (), Winners(None, 1), ()),
        StreetScored((9, 4), (4, 1)),
    ],
)
def test_what_happens_in_the_open_is_told_to_everybody(event: Event) -> None:
    """Moves, turned tokens and scores are the same for every viewer."""
    assert [told(event, viewer) for viewer in EVERYBODY] == [told(event, ORGANIZER)] * 4


def test_a_move_is_written_with_the_words_of_the_page() -> None:
    """`giant_moved` says `from` and `to`."""
    assert told(GiantMoved(0, 4, 18, 20), SPECTATOR) == {
        "type": "giant_moved",
        "seat": 0,
        "card": 4,
        "from": 18,
        "to": 20,
    }


def test_a_dance_tells_the_others_no_more_than_its_counts() -> None:
    """Two dances on the street of as many cards look the same from another seat."""
    views = []
    for dance in (lay("r1 p6"), lay("p5 r2")):
        table = hold(about_to_dance(0, 1, 2), 0, "r1 p6 p5 r2", moves=(1,))
        events = table.when(0, dance)
        views.append((seen(table, OTHER), [told(event, OTHER) for event in events]))
    assert views[0] == views[1]


def test_a_refusal_says_nothing_of_another_seats_cards() -> None:
    """The sentence is the same whatever the other seat holds."""
    sentences = set()
    for others in ("r1 r2 r3", "p4 p5 p6"):
        table = with_bids(hold(about_to_dance(0, 4, 5), 0, "r2"), "church", [bid(1, 3)])
        hold(table, 1, others)
        clauses = [clause for rules in GAME.commands[2:] for clause in rules.rulings]
        commands = (lay("r2"), lay("r9"), lay("r1 r1 r1 r1"), NOTHING)
        sentences.add(
            tuple(clause(table.state, table.by(0), one) for clause in clauses for one in commands)
        )
    assert len(sentences) == 1


def test_what_cannot_be_taken_back_is_what_somebody_was_told() -> None:
    """`reveals`: tokens turned up, cards drawn, squares won, the street; not an open play."""
    won, undanced = Winners(1, None), Winners(None, None)
    assert GAME.reveals(TokensTurnedUp(3, (TurnedToken(1, "rotate"),)))
    assert GAME.reveals(CardsDrawn(0, (1,), ()))
    assert GAME.reveals(SquareScored("church", (), won, ()))
    assert GAME.reveals(StreetScored((0, 0), (0, 0)))
    assert not GAME.reveals(SquareScored("church", (), undanced, ()))
    assert not GAME.reveals(SquareScored("market", (), won, ()))
    assert not GAME.reveals(GiantMoved(0, 1, 0, 1))
    assert not GAME.reveals(Danced(0, "church", Laid((1,), 0, 1, overbid=True), None))
    assert not GAME.reveals(ChallengePlaced(0, "church", "rotate"))


def test_a_move_that_turns_nothing_up_tells_only_of_itself() -> None:
    """On a square there is nothing to reveal."""
    table = hold(on_trail(0, 9), 0, moves=(4,))
    assert not any(GAME.reveals(event) for event in table.when(0, Move(4)))
