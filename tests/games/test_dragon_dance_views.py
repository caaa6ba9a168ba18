"""Dragon Dance: what each viewer sees, and the pictures and words made of it."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from referee.core.game import Event
from referee.core.table.stories import ended
from referee.core.visibility import ORGANIZER, SPECTATOR, Scope, Viewer, redact, seat_viewer
from referee.games.dragon_dance import GAME
from referee.games.dragon_dance.events import (
    Blocked,
    Dealt,
    Declined,
    Drew,
    FirstCard,
    GoingOut,
    HandReturned,
    Kept,
    Laid,
    LetStood,
    Passed,
    PilesShuffled,
    RoundEnded,
    WentOut,
)
from referee.games.dragon_dance.shown.svg import CALL_SIZE, NAME_SIZE
from tests.games.table import Table
from tests.games.test_dragon_dance import CROSS, lay, scene
from tests.games.test_dragon_dance_ends import finishing, going_out

SEATS = (seat_viewer(0), seat_viewer(1), seat_viewer(2))
NAMES = ["Ann", "Bo", "Cy"]


def as_json(value: Any, scope: Scope) -> dict[str, Any]:
    """A struct as the scope's viewer gets it, sent as JSON and read again."""
    shown: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(redact(value, scope)))
    return shown


def seen(table: Table, viewer: Viewer, *, finished: bool = False) -> dict[str, Any]:
    """The state as the viewer sees it."""
    return as_json(table.state, Scope(viewer, table.state, finished))


def event_seen(event: Event, viewer: Viewer) -> dict[str, Any]:
    """An event as the viewer sees it."""
    return as_json(event, Scope(viewer))


def view(
    table: Table, viewer: Viewer = ORGANIZER, names: list[str] | None = None
) -> dict[str, Any]:
    """The whole view of a match, as far as pictures look at it."""
    gone = table.state.withdrawn
    called = names or NAMES[: len(gone)]
    outcome = GAME.outcome(table.state)
    return {
        "status": "finished" if outcome else "active",
        "options": msgspec.to_builtins(table.options),
        "seats": [
            {"seat": seat, "name": name, "withdrawn": gone[seat]}
            for seat, name in enumerate(called)
        ],
        "to_act": list(GAME.to_act(table.state)),
        "viewer": str(viewer),
        "state": seen(table, viewer),
        "result": outcome and msgspec.to_builtins(ended(outcome.reason, outcome.ranking)),
    }


def drawn() -> Table:
    """Seat 0 has drawn HBG; three seats."""
    return scene(["HRR", "HBG"], ["ER1"], ["HGG"], phase="drawn", drawn="HBG", pile=["RYBG", "EB1"])


# ── visibility ────────────────────────────────────────────────────────────────────────────────────


def test_the_keys_of_the_state_are_those_of_the_page_in_its_order() -> None:
    """For every viewer, bookkeeping left out."""
    keys = [
        *("phase", "round", "turn", "hands", "hand_counts", "pile", "pile_count", "field"),
        *("points", "rounds_won", "total_points", "point_honours", "drawn", "going_out"),
        *("asked", "passes"),
    ]
    for viewer in (ORGANIZER, SPECTATOR, *SEATS):
        assert list(seen(drawn(), viewer)) == keys
    card = seen(drawn(), SPECTATOR)["field"][0]
    assert card == {"card": "RYGB", "x": 0, "y": 0, "turned": False, "seat": None}


@pytest.mark.parametrize("finished", [False, True])
def test_a_hand_is_its_own_seats_and_the_pile_nobodys(*, finished: bool) -> None:
    """Null entry by entry, also when the match has finished; counts are public."""
    table = drawn()
    for seat, viewer in enumerate(SEATS):
        hands = seen(table, viewer, finished=finished)["hands"]
        assert hands[seat] == list(table.state.hands[seat])
        assert [hand for other, hand in enumerate(hands) if other != seat] == [None, None]
        assert seen(table, viewer, finished=finished)["pile"] is None
        assert seen(table, viewer)["hand_counts"] == [2, 1, 1]
        assert seen(table, viewer)["pile_count"] == 2
    assert seen(table, SPECTATOR, finished=finished)["hands"] == [None] * 3


def test_the_organizer_sees_all_hands_and_the_pile() -> None:
    """Nothing is hidden from it."""
    shown = seen(drawn(), ORGANIZER)
    assert shown["hands"] == [["HRR", "HBG"], ["ER1"], ["HGG"]]
    assert (shown["pile"], shown["drawn"]) == (["RYBG", "EB1"], "HBG")


def test_the_drawn_card_is_seen_by_who_drew_it() -> None:
    """Null to the others and to spectators."""
    table = drawn()
    assert [seen(table, viewer)["drawn"] for viewer in (*SEATS, SPECTATOR)] == [
        "HBG",
        None,
        None,
        None,
    ]


def test_a_deal_shows_each_seat_its_own_hand_and_the_organizer_alone_the_pile() -> None:
    """The event has the page's two fields; of the pile the others see how many cards it has."""
    event = Dealt(hands=(("RYGB",), ("ER1",)), pile=("HRR", "EB1"))
    dealt, hidden = {"type": "dealt"}, [None, None]
    one, nobody = seat_viewer(1), SPECTATOR
    assert event_seen(event, one) == {**dealt, "hands": [None, ["ER1"]], "pile": hidden}
    assert event_seen(event, nobody) == {**dealt, "hands": [None, None], "pile": hidden}
    assert event_seen(event, ORGANIZER) == {
        **dealt,
        "hands": [["RYGB"], ["ER1"]],
        "pile": ["HRR", "EB1"],
    }


def test_a_card_drawn_is_shown_to_its_seat_alone() -> None:
    """The others see that one was drawn."""
    event = Drew(seat=1, card="ER1")
    assert event_seen(event, seat_viewer(1))["card"] == "ER1"
    for viewer in (seat_viewer(0), SPECTATOR):
        assert event_seen(event, viewer) == {"type": "drew", "seat": 1, "card": None}


def test_a_hand_under_the_pile_shows_its_number_alone() -> None:
    """Not even its old owner learns the order."""
    event = HandReturned(seat=1, count=2, cards=("ER1", "HRR"))
    for viewer in (seat_viewer(1), seat_viewer(0), SPECTATOR, ORGANIZER):
        assert event_seen(event, viewer) == {"type": "hand_returned", "seat": 1, "count": 2}


PLACE = {"x": -1, "y": 2, "turned": True, "covers": 3, "points": 4}
PUBLIC_EVENTS: list[tuple[Event, dict[str, Any]]] = [
    (FirstCard("RYGB"), {"type": "first_card", "card": "RYGB"}),
    (
        Laid(0, "RYGB", -1, 2, turned=True, covers=3, points=4),
        {"type": "laid", "seat": 0, "card": "RYGB", **PLACE},
    ),
    (Kept(0), {"type": "kept", "seat": 0}),
    (Passed(0), {"type": "passed", "seat": 0}),
    (GoingOut(0), {"type": "going_out", "seat": 0}),
    (LetStood(0), {"type": "let_stood", "seat": 0}),
    (
        Blocked(1, 0, "EB1", -1, 2, turned=True, covers=3, points=4),
        {"type": "blocked", "by": 1, "seat": 0, "card": "EB1", **PLACE},
    ),
    (WentOut(0, bonus=5), {"type": "went_out", "seat": 0, "bonus": 5}),
    (Declined(0), {"type": "declined", "seat": 0}),
    (
        RoundEnded("stuck", (1, 2), None, (1,)),
        {
            "type": "round_ended",
            "how": "stuck",
            "points": [1, 2],
            "dragon": None,
            "most_points": [1],
        },
    ),
]


@pytest.mark.parametrize(
    ("event", "shown"), PUBLIC_EVENTS, ids=[e["type"] for _, e in PUBLIC_EVENTS]
)
def test_everything_else_that_happens_is_seen_by_all(event: Event, shown: dict[str, Any]) -> None:
    """With the fields of the page, in its order."""
    for viewer in (seat_viewer(0), seat_viewer(1), SPECTATOR, ORGANIZER):
        assert event_seen(event, viewer) == shown
        assert list(event_seen(event, viewer)) == list(shown)


def test_states_that_differ_in_hidden_things_alone_look_the_same() -> None:
    """Other hands and the pile exchanged: equal views, lists, refusals and details."""
    table, twin = drawn(), drawn()
    twin.given(hands=(("HRR", "HBG"), ("HGG",), ("EB1",)), pile=("ER1", "RYBG"))
    for viewer in (seat_viewer(0), SPECTATOR):
        assert seen(table, viewer) == seen(twin, viewer)
        assert GAME.text(view(table, viewer)) == GAME.text(view(twin, viewer))
        assert GAME.svg(view(table, viewer)) == GAME.svg(view(twin, viewer))
    assert table.legal(0) == twin.legal(0)
    for card in ("HRR", "HBG", "ER1", "HGG", "EB1"):
        for x in range(-3, 4):
            command = lay(card, x, 1)
            assert _answer(table, command) == _answer(twin, command)


def _answer(table: Table, command: Any) -> list[str | None]:
    rules = next(rules for rules in GAME.commands if rules.command is type(command))
    return [clause(table.state, table.by(0), command) for clause in rules.rulings]


def test_whom_a_question_reaches_does_not_depend_on_hands() -> None:
    """Going out with an egg of the colour among the others, and without, looks the same."""
    for hands in ((["EB1"], ["HGG"]), (["HGR"], ["HGG"])):
        table = scene(["HRG"], *hands, points=(15, 0, 0))
        table.when(0, lay("HRG", -1, 0))
        assert (table.state.phase, table.state.asked) == ("respond", (1, 2))


# ── pictures ──────────────────────────────────────────────────────────────────────────────────────


def test_the_text_shows_the_field_as_it_lies_with_the_last_card_marked() -> None:
    """Lines between cards, heavy ones round the last; the viewer's hand; who is to act."""
    table = scene(["HRG", "EB1"], ["ER1"], ["HGG"], cards=CROSS, points=(12, 0, 3))
    text = GAME.text(view(table, seat_viewer(0)))
    lines = text.splitlines()
    assert lines[2:12] == [
        "       -1   0   1   2",
        "      ┌───────┲━━━━━━━┓",
        "   -1 │ Y   G ┃ G   R ┃",
        "      │       ┃       ┃",
        "    0 │ B   R ┃ Y   B ┃",
        "      └───┬───┺━━━┯━━━┛",
        "    1     │ G   B │",
        "          └───────┘",
        "       R  scale · <R> head · ~R~ its tail · (R) egg · heavy lines: laid last",
        "      last: GRYB at 1, -1, turned up",
    ]
    assert "Ann holds" in text
    assert "Bo holds" not in text
    assert lines[-1] == "  Ann is to lay a card, or to draw one."


@pytest.mark.parametrize("viewer", [ORGANIZER, SPECTATOR, seat_viewer(1)])
def test_the_pictures_show_no_card_that_the_viewer_may_not_see(viewer: Viewer) -> None:
    """Hands are shown to their owners and the organizer, others as backs."""
    table = scene(["HRY", "EB1"], ["EG1"], ["HGG"], phase="drawn", drawn="EB1")
    for picture in (GAME.text(view(table, viewer)), GAME.svg(view(table, viewer))):
        assert ("HRY" in picture) == (viewer == ORGANIZER)
        assert ("EG1" in picture) == (viewer != SPECTATOR)


@pytest.mark.parametrize("phase", ["lay", "drawn", "respond", "finish", "over", "start"])
def test_both_pictures_are_drawn_in_every_phase(phase: str) -> None:
    """Text within 100 columns without trailing blanks; SVG well-formed, without a reference."""
    tables = {
        "lay": scene(["HRY"], ["EG1"], ["HGG"]),
        "drawn": drawn(),
        "respond": going_out(["EB2"], ["ER1"]),
        "finish": finishing(["EB2"], ["ER1"]),
        "over": going_out(["EB2"], ["ER1"]).given(
            phase="over", turn=None, going_out=None, asked=()
        ),
        "start": scene([], [], [], cards=()),
    }
    shown = view(tables[phase])
    text, svg = GAME.text(shown), GAME.svg(shown)
    assert all(len(line) <= 100 and line == line.rstrip() for line in text.splitlines())
    ET.fromstring(svg)  # noqa: S314 -- our own picture
    assert "href" not in svg
    assert svg.count("http") == 1


def test_names_are_made_safe() -> None:
    """Markup is escaped, control signs are left out, long names cut, empty ones replaced."""
    names = ["<b>&\x1b[31m", "x" * 300, "\n"]
    table = scene(["HRY"], ["EG1"], ["HGG"])
    text, svg = GAME.text(view(table, names=names)), GAME.svg(view(table, names=names))
    assert "\x1b" not in text + svg
    assert "<b>" not in svg
    assert "&lt;b&gt;&amp;[31m" in svg
    assert "seat 2" in text
    assert max(map(len, text.splitlines())) <= 100
    ET.fromstring(svg)  # noqa: S314 -- our own picture


def test_a_very_wide_field_is_drawn_one_letter_a_box() -> None:
    """Still within 100 columns; eggs in small letters."""
    cards = [(f"E{'RYGB'[step % 4]}{1 + step % 3}", step, step, False) for step in range(50)]
    table = scene(["HRY"], ["EG1"], ["HGG"], cards=cards)
    text = GAME.text(view(table))
    assert max(map(len, text.splitlines())) <= 100
    assert "    0 rr\n    1 ryy\n" in text


def test_an_organizers_own_printing_is_drawn() -> None:
    """In both pictures."""
    table = scene(["HRY"], ["EG1"], options={"faces": {"RYGB": "BBBB"}})
    assert "│ B   B │" in GAME.text(view(table)).replace("┃", "│")
    assert GAME.svg(view(table)) != GAME.svg(view(scene(["HRY"], ["EG1"])))


def over() -> Table:
    """Seat 0 has won by points, seat 1 left, seat 2 is second."""
    table = scene(["HRY"], ["EG1"], ["HGG"], withdrawn=(False, True, False))
    return table.given(phase="over", turn=None, total_points=(20, 30, 10))


def test_a_finished_match_shows_places_and_who_withdrew() -> None:
    """Beside the seats, in both pictures."""
    shown = view(over())
    lines = GAME.text(shown).splitlines()
    rows = [line for name in NAMES for line in lines if f" {name} " in line and "black" in line]
    assert [row.split("  ")[-1] for row in rows] == ["place 1", "withdrew", "place 2"]
    assert words_of(GAME.svg(shown), "place 1", "withdrew", "place 2") == [
        "place 1",
        "withdrew",
        "place 2",
    ]


def words_of(svg: str, *wanted: str) -> list[str]:
    """The texts of a picture that are among the wanted ones, in its order."""
    root = ET.fromstring(svg)  # noqa: S314 -- our own picture
    return [text.text or "" for text in root.iter() if text.text in wanted]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("finished", "Ann won."),
        ("paused", "The match is paused."),
        ("void", "The match is void."),
    ],
)
def test_a_match_that_is_not_being_played_says_so(status: str, said: str) -> None:
    """In both pictures, instead of whom it waits for."""
    shown = view(over()) if status == "finished" else view(drawn())
    shown["status"] = status
    assert GAME.text(shown).splitlines()[-1] == f"  {said}"
    assert words_of(GAME.svg(shown), said) == [said]


def test_who_goes_out_is_told_from_who_is_out() -> None:
    """While the others are asked, and once the head stands."""
    for table, said in (
        (going_out(["EB2"], ["ER1"]), "goes out"),
        (finishing(["EB2"], ["ER1"]), "is out"),
    ):
        assert f"  {said}\n" in GAME.text(view(table))
        assert words_of(GAME.svg(view(table)), "goes out", "is out") == [said]


def test_the_card_just_drawn_has_a_rim_in_the_hand_that_drew_it() -> None:
    """For its own seat and the organizer; for the others it is a back like any."""
    viewers = (SEATS[0], ORGANIZER, SEATS[1], SPECTATOR)
    assert [GAME.svg(view(drawn(), viewer)).count("#7b2d8b") for viewer in viewers] == [1, 1, 0, 0]


@pytest.mark.parametrize("name", ["W" * 100, "Bartholomew the Extraordinary of Dendermonde"])
def test_a_long_name_ends_before_the_hand(name: str) -> None:
    """Also one of wide letters, which is cut earlier; the sentence below ends in the picture."""
    shown = view(going_out(["EB2"], ["ER1"]), names=[name, name, name])
    root = ET.fromstring(GAME.svg(shown))  # noqa: S314 -- our own picture
    texts = [(e.get("font-size"), e.text or "") for e in root.iter() if e.tag.endswith("text")]
    cut = [text for kind, text in texts if kind == str(NAME_SIZE) and text[:2] == name[:2]]
    assert len(cut) == 3
    assert all(text.endswith("…") and len(text) <= (17 if "WW" in name else 28) for text in cut)
    said = next(text for kind, text in texts if kind == str(CALL_SIZE))
    assert said.endswith("…" if "WW" in name else "let it stand.")


# ── words ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (
            Dealt((("RYGB", "ER1"), ("HRR",), ("HGG",)), ()),
            "The cards are shuffled and dealt; Ann gets RYGB ER1.",
        ),
        (FirstCard("ER1"), "The egg ER1 is turned up."),
        (
            Laid(1, "HBR", -1, 2, turned=True, covers=2, points=5),
            "Bo lays the head HBR at -1, 2, turned, on 2 boxes for 5 points.",
        ),
        (
            Laid(1, "RYGB", 0, 0, turned=False, covers=1, points=1),
            "Bo lays the scale RYGB at 0, 0, on 1 box for 1 point.",
        ),
        (PilesShuffled(("ER1",)), "The pile is shuffled anew."),
        (Drew(0, "ER1"), "Ann draws the egg ER1."),
        (Drew(1, "ER1"), "Bo draws a card."),
        (Kept(1), "Bo keeps the card."),
        (Passed(1), "Bo can neither lay nor draw and passes."),
        (GoingOut(2), "That was Cy's last card: does anybody block the head?"),
        (LetStood(2), "Cy lets the head stand."),
        (
            Blocked(1, 0, "EB2", 1, 1, turned=False, covers=4, points=9),
            "Bo blocks the head of Ann with the egg EB2 at 1, 1, on 4 boxes for 9 points.",
        ),
        (WentOut(0, 5), "Ann goes out, for 5 points."),
        (Declined(1), "Bo lays no more."),
        (
            RoundEnded("dragon", (9, 9, 1), 2, (0, 1)),
            "The round is over, and Cy has won it (Ann 9, Bo 9, Cy 1). Most points: Ann and Bo.",
        ),
        (
            RoundEnded("dragon", (9, 9, 1), None, (0,)),
            "The round ends; the dragon has left the table (Ann 9, Bo 9, Cy 1). Most points: Ann.",
        ),
        (
            RoundEnded("stuck", (1, 1, 1), None, (0, 1, 2)),
            (
                "Nobody can go on: the round ends with no dragon (Ann 1, Bo 1, Cy 1). "
                "Most points: Ann, Bo and Cy."
            ),
        ),
        (
            HandReturned(1, 2, ("ER1", "HRR")),
            "The hand of Bo, 2 cards, goes shuffled under the pile.",
        ),
    ],
)
def test_each_event_is_told_in_words_as_seat_0_sees_it(event: Event, said: str) -> None:
    """One sentence or two, what is hidden left out."""
    assert GAME.tell(event_seen(event, seat_viewer(0)), NAMES) == said


def test_every_event_can_be_told() -> None:
    """None is without words, none is told twice."""
    told = {type(event) for event, _ in PUBLIC_EVENTS} | {Dealt, Drew, HandReturned, PilesShuffled}
    assert told == set(GAME.events)


def test_events_of_a_draw_reveal_and_those_of_a_shuffle_count_one_draw() -> None:
    """What a take-back may not cross, a turn passed by itself too; and how folding keeps count."""
    table = drawn()
    returned, dealt = HandReturned(1, 1, ("ER1",)), Dealt((), ())
    assert [GAME.reveals(event) for event in (Drew(0, "ER1"), Passed(0), Kept(0))] == [
        True,
        True,
        False,
    ]
    counted = [GAME.draws(table.state, event) for event in (returned, dealt, Drew(0, "ER1"))]
    assert counted == [1, 1, 0]


def test_rulings_are_those_of_the_page_in_its_order() -> None:
    """Twenty, each with a text."""
    assert [ruling.id for ruling in GAME.rulings] == [
        *("turns", "no-pass", "draw-one", "cover", "match-colour", "same-spot", "beaten-egg"),
        *("points", "card-in-hand", "turning", "last-card", "block", "decapitated"),
        *("after-block", "out-bonus", "finish", "stuck", "round-honours", "match-win"),
        "next-starter",
    ]
    refusing = {clause.id for rules in GAME.commands for clause in rules.rulings}
    assert refusing <= {ruling.id for ruling in GAME.rulings}


def test_a_ruling_says_house_in_its_text_where_its_origin_does() -> None:
    """And nowhere else, so that a reader of either knows what is ours."""
    house = [ruling.id for ruling in GAME.rulings if "house" in ruling.origin]
    assert house == [ruling.id for ruling in GAME.rulings if "house" in ruling.text]
    assert house == [
        *("draw-one", "beaten-egg", "turning", "last-card", "block", "decapitated"),
        *("after-block", "finish", "stuck", "round-honours", "match-win", "next-starter"),
    ]
