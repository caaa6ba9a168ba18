"""The Giants' Dance drawn and told: pictures of any view, sentences for any event."""

import xml.etree.ElementTree as ET
from typing import Any

import msgspec
import pytest

from referee.core.game import Event
from referee.core.told.safe import columns, room
from referee.core.visibility import ORGANIZER, SPECTATOR, Scope, Viewer, redact, seat_viewer
from referee.games.giants_dance import GAME
from referee.games.giants_dance.events import (
    CardsDrawn,
    ChallengePlaced,
    Danced,
    GiantMoved,
    Laid,
    NoDance,
    PilesShuffled,
    SquarePoints,
    SquareScored,
    StreetScored,
    TokensTaken,
    TokensTurnedUp,
    TurnedChallenge,
    TurnedToken,
    Winners,
)
from referee.games.giants_dance.types import ChallengeToken, ChallengeTokens, StreetDance
from tests.games.giants_dance_table import (
    about_to_dance,
    bid,
    cards,
    hold,
    on_trail,
    piles,
    token,
    with_bids,
)
from tests.games.table import Table
from tests.games.test_giants_dance_play import Trial

NAMES = ["Indiaan", "Mars", "Goliath", "Bayard", "Kalleke"]


def view_of(table: Table, viewer: Viewer, *names: str, **more: Any) -> dict[str, Any]:
    """The whole view, as a client reads it."""
    called = names or NAMES[: len(table.state.fields)]
    view = {
        "viewer": str(viewer),
        "status": "active",
        "seats": [
            {"seat": seat, "name": name, "withdrawn": table.state.fields[seat] is None}
            for seat, name in enumerate(called)
        ],
        "to_act": GAME.to_act(table.state),
        "state": redact(table.state, Scope(viewer, table.state)),
        "result": None,
        **more,
    }
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(view))
    return decoded


def some_table() -> Table:
    """Two giants in mid-game, with bids, tokens, challenges and hands."""
    table = hold(about_to_dance(0, 4, 9), 0, "r3 p6", moves=(2, 5), tokens=(1, 0))
    piles(table, 0, (6, 6), "p5 p5")
    hold(table, 1, "r2 p4", moves=(1, 1))
    with_bids(table, "church", [bid(1, 2)], [bid(1, 7)])
    down = ChallengeToken(1, "distract", "down")
    return table.given(
        street_tokens=(token(1, 1, "rotate", "up"), token(2, 0, "parade")),
        challenge_tokens=ChallengeTokens(church=(down, ChallengeToken(0, "rotate", "up"))),
        street_dance=StreetDance((8, 5), (True, True)),
        scored=(),
    )


def line_with(text: str, part: str) -> str:
    """The first line that has a part in it."""
    return next(line for line in text.splitlines() if part in line)


# ── Text ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_text_shows_the_trail_with_giants_bids_and_tokens() -> None:
    """Giants stand on their fields, squares show the highest sums, tokens lie up or down."""
    text = GAME.text(view_of(some_table(), seat_viewer(0)))
    lines = text.splitlines()
    assert "4 Church" in lines[1]
    assert "♜0" in lines[2]
    assert "↻2 ∿7 [2]" in lines[3]
    assert "↻♜1" in lines[3]
    assert "●" in lines[3]
    assert "Indiaan may dance at Church Square." in text


def test_the_text_shows_a_seat_its_own_hand_and_sum_only() -> None:
    """Seat 0 sees what it holds; of seat 1 neither cards, nor sum, nor challenge."""
    text = GAME.text(view_of(some_table(), seat_viewer(0)))
    assert "♜0 Indiaan holds  moves 2 5   dances ↻3 ∿6   tokens ↻×1 ∿×0 of 2" in text
    assert "Mars holds" not in text
    assert "piles" not in text
    assert line_with(text, "Street").split()[1:] == ["♜0", "8", "·", "♜1", "?"]
    assert "♜1 ? · ♜0 ↻ won" in line_with(text, "challenge  ")


def test_the_text_of_a_spectator_shows_no_hand() -> None:
    """No hand, no pile, no sum."""
    text = GAME.text(view_of(some_table(), SPECTATOR))
    assert "holds" not in text
    assert line_with(text, "Street").split()[1:] == ["♜0", "?", "·", "♜1", "?"]


def test_the_text_of_an_organizer_shows_hands_and_piles() -> None:
    """Everything there is."""
    text = GAME.text(view_of(some_table(), ORGANIZER))
    assert "♜1 Mars holds  moves 1 1   dances ↻2 ∿4" in text
    assert "its piles  moves 6 6   dances ∿5 ∿5" in text
    assert "♜1 × · ♜0 ↻ won" in text


def test_bids_are_written_with_what_was_laid() -> None:
    """Cards and tokens with their sum; a dance that did not overbid stands behind a comma."""
    table = with_bids(about_to_dance(0, 20, 20), "market", [bid(1, 7), bid(0, 2, overbid=False)])
    assert "♜1 7 , ♜0 2" in line_with(GAME.text(view_of(table, SPECTATOR)), " ↻  ")


def test_the_text_of_a_finished_match_says_who_won() -> None:
    """One winner, a shared place, or nobody."""
    table = on_trail(20, 20).given(phase="over")
    for winners, said in (([1], "Mars won."), ([0, 1], "Indiaan and Mars won.")):
        text = GAME.text(view_of(table, SPECTATOR, status="finished", result={"winners": winners}))
        assert said in text
    ended = view_of(table, SPECTATOR, status="finished", result={"winners": []})
    assert "Nobody won." in GAME.text(ended)


@pytest.mark.parametrize("status", ["paused", "void"])
def test_pictures_say_that_a_match_stands_still(status: str) -> None:
    """Nobody is waited for while it is paused, or once it is void."""
    halted = view_of(some_table(), SPECTATOR, status=status)
    assert f"The match is {status}." in GAME.text(halted)
    assert f"The match is {status}." in texts(GAME.svg(halted))


def test_a_withdrawn_giant_is_out() -> None:
    """It stands nowhere, and the scoreboard says so."""
    table = on_trail(3, 5, 6)
    table.leaves(0)
    text = GAME.text(view_of(table, SPECTATOR))
    assert line_with(text, "♜0 Indiaan").split("♜0 Indiaan")[1].split()[:2] == ["0", "out"]
    assert text.count("♜0") == 1


@pytest.mark.parametrize(
    "name", ["巨人の踊り 巨人の踊り 巨人", "e\u0301" * 12, "x" * 64, "\x1b[31mred\n"]
)
def test_no_name_bends_the_frame(name: str) -> None:
    """Wide letters, accents, long names and control characters leave the columns in place."""
    text = GAME.text(view_of(some_table(), seat_viewer(0), name, "Mars"))
    plain = GAME.text(view_of(some_table(), seat_viewer(0)))
    assert len(text.splitlines()) == len(plain.splitlines())
    assert "\x1b" not in text
    row = line_with(text, ">♜0")
    assert columns(row) == columns(line_with(plain, ">♜0"))
    assert row.endswith("│")


def test_a_long_name_is_seen_to_be_cut() -> None:
    """In the scoreboard, the sentence above it and beside a hand, an ellipsis stands for more."""
    text = GAME.text(view_of(some_table(), seat_viewer(0), "Ros Beiaard of Dendermonde", "Mars"))
    assert line_with(text, ">♜0").split(">")[1].startswith("♜0 Ros Beiaard of …   0")
    assert "Turn 1: Ros Beiaard of … may dance at Church Square." in text
    assert " ♜0 Ros Beiaard of Dendermo… holds " in text


def test_a_name_that_does_not_show_is_its_seat() -> None:
    """In pictures and sentences alike."""
    shown = view_of(some_table(), seat_viewer(0), "\u200b", "\u3164")
    assert "Turn 1: seat 0 may dance" in GAME.text(shown)
    assert "seat 1" in texts(GAME.svg(shown))
    assert GAME.tell({"type": "no_dance", "seat": 1}, ["Anna", "\x07"]) == "seat 1 does not dance."


# ── SVG ───────────────────────────────────────────────────────────────────────────────────────────


def texts(svg: str) -> list[str]:
    """The words in an SVG document."""
    return [element.text or "" for element in ET.fromstring(svg).iter()]  # noqa: S314 -- our own


def test_the_svg_is_one_document_that_needs_nothing_else() -> None:
    """Well-formed, and without a reference, a script or a style from elsewhere."""
    svg = GAME.svg(view_of(some_table(), seat_viewer(0)))
    assert ET.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 -- our own
    for word in ("href", "url(", "<script", "<image", "@import", "<foreignObject"):
        assert word not in svg
    assert svg.count("http") == 1


def test_the_svg_escapes_names() -> None:
    """A name is text, never markup; what does not print is left out."""
    view = view_of(some_table(), SPECTATOR, "<script>&'", "Mars")
    view["seats"][1]["name"] = "a\x00b\ud800c\x1b"
    drawn = texts(GAME.svg(view))
    assert "<script>&'" in drawn
    assert "abc" in drawn


def test_a_name_in_the_svg_has_room() -> None:
    """In the scoreboard and beside a hand it ends before the numbers and the cards."""
    drawn = texts(GAME.svg(view_of(some_table(), SPECTATOR, "W" * 60, "名" * 60)))
    for sign in "W名":
        names = [words for words in drawn if words.startswith(sign)]
        assert len(names) == 2
        assert all(room(name, 15) <= 220 for name in names)


def test_the_svg_draws_hidden_cards_as_backs() -> None:
    """A spectator's picture has no face of a card; a seat's has its own."""
    own, public = (
        GAME.svg(view_of(some_table(), viewer)) for viewer in (seat_viewer(0), SPECTATOR)
    )
    assert (own.count('fill="#b6a98f"'), public.count('fill="#b6a98f"')) == (4, 8)
    assert own.count('height="40" rx="5" fill="#fff"') == 4
    assert 'height="40" rx="5" fill="#fff"' not in public


@pytest.mark.parametrize("seats", [2, 5])
def test_every_view_of_a_match_can_be_drawn_and_told(seats: int) -> None:
    """Each viewer, every few commits: at most 100 columns, well-formed SVG, a sentence an event."""
    trial = Trial(seats, 50, leaving=True)
    viewers = (ORGANIZER, SPECTATOR, *map(seat_viewer, range(seats)))
    for step, events in enumerate(trial.steps()):
        for viewer in viewers if step % 8 == 0 or not GAME.to_act(trial.table.state) else ():
            view = view_of(trial.table, viewer, **ended(trial.table))
            assert max(map(len, GAME.text(view).splitlines())) <= 100
            ET.fromstring(GAME.svg(view))  # noqa: S314 -- our own
        for event in events:
            assert {told(event, viewer)[-1] for viewer in viewers} == {"."}


def ended(table: Table) -> dict[str, Any]:
    """What a view says of how the match ended, if it has."""
    outcome = GAME.outcome(table.state)
    if outcome is None:
        return {}
    winners = [row.seat for row in outcome.ranking if row.place == 1]
    return {"status": "finished", "result": {"winners": winners}}


# ── Words ─────────────────────────────────────────────────────────────────────────────────────────


def told(event: Event, viewer: Viewer = ORGANIZER) -> str:
    """An event in words, as a viewer is told it."""
    shown = msgspec.json.decode(msgspec.json.encode(redact(event, Scope(viewer))))
    return GAME.tell(shown, NAMES)


@pytest.mark.parametrize(
    ("event", "owner", "others"),
    [
        (
            ChallengePlaced(0, "flax", "rotate"),
            "Indiaan lays a rotate challenge token face down at the Flaxmarket.",
            "Indiaan lays a challenge token face down at the Flaxmarket.",
        ),
        (
            Danced(0, "street", Laid((2, 3), 1, 7, overbid=False), None),
            "Indiaan dances on the street: rotate 7 (2 + 3 + 1 token).",
            "Indiaan dances on the street, unseen.",
        ),
        (
            CardsDrawn(0, (4,), cards("r1 p2")),
            "Indiaan draws 1 movement card (4) and 2 dance cards (rotate 1, parade 2).",
            "Indiaan draws 1 movement card and 2 dance cards.",
        ),
    ],
)
def test_hidden_events_are_told_by_what_the_viewer_knows(
    event: Event, owner: str, others: str
) -> None:
    """The owner reads everything, the others that it happened."""
    assert told(event, seat_viewer(0)) == owner
    assert told(event, seat_viewer(1)) == told(event, SPECTATOR) == others


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (
            PilesShuffled(((1, 2), *[None] * 4), (None, cards("r1"), *[None] * 3)),
            "Shuffled anew: Indiaan's movement cards and Mars's dance cards.",
        ),
        (GiantMoved(1, 4, 0, 4), "Mars plays a 4 and goes from the start to field 4."),
        (GiantMoved(1, 4, 18, 20), "Mars plays a 4 and goes from field 18 to the Market Square."),
        (
            TokensTurnedUp(3, (TurnedToken(1, "rotate"), TurnedToken(0, "parade"))),
            "Turned up on field 3: Mars's rotate and Indiaan's parade.",
        ),
        (TokensTaken(0, 3, 2, 1), "Indiaan takes 2 rotate tokens and 1 parade token from field 3."),
        (
            Danced(0, "church", None, Laid((5,), 0, 5, overbid=True)),
            "Indiaan dances at Church Square: parade 5 (5).",
        ),
        (NoDance(1), "Mars does not dance."),
        (
            SquareScored(
                "church",
                (SquarePoints(0, 0, 4, 0, 2),),
                Winners(0, 0),
                (TurnedChallenge(0, "parade"),),
            ),
            (
                "Scored: Church Square. Indiaan gets 4 for winning and 2 for the challenge."
                " Indiaan's parade challenge is turned up."
            ),
        ),
        (
            SquareScored("market", (), Winners(None, None), ()),
            "Scored: the Market Square. Nobody scores.",
        ),
        (
            StreetScored((9, 4), (4, 1)),
            "Scored: the street. Indiaan with 9 gets 4 points and Mars with 4 gets 1 point.",
        ),
        (StreetScored((0, 0), (0, 0)), "Scored: the street. Nobody danced there."),
    ],
)
def test_open_events_are_told_in_the_words_of_the_game(event: Event, words: str) -> None:
    """One sentence or a few, with every number."""
    assert told(event) == words


def test_an_event_of_another_game_is_not_told() -> None:
    """An unknown type is an error, never skipped."""
    with pytest.raises(KeyError):
        GAME.tell({"type": "horse_moved"}, NAMES)
