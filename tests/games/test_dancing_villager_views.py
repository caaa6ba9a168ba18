"""What each viewer of dancing-villager sees, and the table as text, as SVG and in words."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from referee.core.randomness import Chance
from referee.core.told.safe import columns
from referee.core.visibility import (
    ORGANIZER,
    PUBLIC,
    SPECTATOR,
    Scope,
    Viewer,
    redact,
    seat_viewer,
    visibility_of,
)
from referee.games.dancing_villager import GAME
from referee.games.dancing_villager.shown.reading import wrapped
from referee.games.dancing_villager.types import Count, GrabNote, State
from tests.games.dancing_villager_table import Dance, as_viewed, at_a_table, turn

TAME = ("uuuu", "ufff", "ffff")
OTHERS = [seat_viewer(0), seat_viewer(2), SPECTATOR]

PAGE_KEYS = [
    "phase",
    "round",
    "roll",
    "villagers",
    "dogs",
    "village",
    "pack",
    "dog_seat",
    "charcoal",
    "meat",
    "ready",
    "last_roll",
    "count",
    "call",
    "grabs",
    "bonfire_by",
    "mistakes",
    "window_ends",
]


def seen(dance: Dance, viewer: Viewer) -> dict[str, Any]:
    """The state as a viewer sees it, as JSON values."""
    view: dict[str, Any] = as_viewed(dance, viewer)["state"]
    return view


@pytest.mark.parametrize("viewer", [ORGANIZER, *OTHERS])
def test_the_state_has_the_keys_of_the_page(viewer: Viewer) -> None:
    """All of them in its order, for every viewer, and no other."""
    assert list(seen(Dance(3), viewer)) == PAGE_KEYS
    assert list(seen(Dance(3).opened(*TAME), viewer)) == PAGE_KEYS


@pytest.mark.parametrize("viewer", OTHERS)
def test_the_open_window_hides_what_is_right(viewer: Viewer) -> None:
    """Count and call are null to seats and spectators, the rest is seen."""
    dance = Dance(3).opened(*TAME)
    dance.grabs(0, "dog")
    whole, view = seen(dance, ORGANIZER), seen(dance, viewer)
    assert (view["count"], view["call"]) == (None, None)
    assert view == whole | {"count": None, "call": None}
    assert view["grabs"] == [{"seat": 0, "what": "dog"}]
    assert view["last_roll"][1][0] == {"pose": "up", "on_top": False}


def test_the_scorer_sees_no_more_than_the_others() -> None:
    """Whoever reports may play too."""
    dance = at_a_table(3, scorer=2)
    dance.rolls(*TAME)
    view = seen(dance, seat_viewer(2))
    assert (view["count"], view["call"]) == (None, None)


def test_the_organizer_sees_count_and_call() -> None:
    """In the open window."""
    view = seen(Dance(3).opened("u^uuf", "ddff", "ffff"), ORGANIZER)
    assert view["count"] == {"up": 3, "down": 2, "doubled": True, "removes": "meat", "sticks": 2}
    assert view["call"] is None
    assert seen(Dance(3).opened(*TAME), ORGANIZER)["call"] == "tame"


@pytest.mark.parametrize("viewer", [ORGANIZER, *OTHERS])
def test_after_the_close_everybody_sees_all(viewer: Viewer) -> None:
    """And it stays until the next roll."""
    dance = Dance(3).opened(*TAME)
    dance.grabs(2, "dog")
    dance.closes()
    view = seen(dance, viewer)
    assert view["call"] == "tame"
    assert view["count"]["sticks"] == 5
    assert view["grabs"] == [{"seat": 2, "what": "dog"}]
    assert view == seen(dance, ORGANIZER)


@pytest.mark.parametrize("viewer", OTHERS)
def test_an_open_window_stays_hidden_after_the_match(viewer: Viewer) -> None:
    """Looking back at a version with an open window shows what it showed then."""
    state = Dance(3).opened(*TAME).state
    view = redact(state, Scope(viewer, state, finished=True))
    assert (view["count"], view["call"]) == (None, None)


@pytest.mark.parametrize("viewer", OTHERS)
@pytest.mark.parametrize(
    ("count", "call"),
    [
        (Count(0, 9, doubled=True, removes="charcoal", sticks=18), "assault"),
        (Count(0, 0, doubled=False, removes=None, sticks=0), None),
    ],
)
def test_what_is_hidden_changes_no_byte_of_a_view(viewer: Viewer, count: Count, call: Any) -> None:
    """Two states that differ in count and call alone look the same."""
    one = Dance(3).opened(*TAME)
    bytes_of_one = msgspec.json.encode(as_viewed(one, viewer))
    one.given(count=count, call=call)
    assert msgspec.json.encode(as_viewed(one, viewer)) == bytes_of_one


def test_every_event_is_public() -> None:
    """Hands over a table and villagers on it are seen by all; no event carries a secret."""
    for event in GAME.events:
        for field in event.__struct_fields__:
            assert visibility_of(event, field) is PUBLIC


def test_only_the_close_tells_something_new() -> None:
    """So that the seats cannot take it back by themselves; a hand shown may be."""
    revealing = [kind.__name__ for kind in GAME.events if GAME.reveals(blank(kind))]
    assert revealing == ["WindowClosed"]


def blank(kind: type[Any]) -> Any:
    """An event of that type, its fields empty."""
    return kind(*[None for _ in kind.__struct_fields__])


def test_every_field_of_the_state_says_who_may_see_it() -> None:
    """A field without a word would be hidden; count and call alone depend on the phase."""
    kinds = {name: visibility_of(State, name) for name in State.__struct_fields__}
    assert {name for name, seen in kinds.items() if seen.kind == "internal"} == {"out", "options"}
    guarded = {name for name, seen in kinds.items() if seen is not PUBLIC}
    assert guarded == {"out", "options", "count", "call"}


# ── pictures and words ────────────────────────────────────────────────────────────────────────────

HOSTILE = "<b>&\"'\x1b[31m\u202e犬" + "w" * 80


def stages() -> list[Dance]:
    """Tables of all sizes and phases, with much and with little on them."""
    full = Dance(4, villagers=12, charcoal=20, meat=20, dogs=99, target=24, window_ms=600_000)
    full.opened("u^" * 12, "d^" * 12, "ls" * 6, "s^l" * 6)
    full.given(village=30, grabs=tuple(GrabNote(n % 4, "dog") for n in range(100)))
    closed = Dance(3).opened(*TAME)
    closed.grabs(1, "bonfire")
    closed.closes()
    left = Dance(3)
    left.leaves(1)
    over = Dance(2)
    over.leaves(0)
    return [Dance(2), full, closed, left, over, at_a_table(4, scorer=2)]


@pytest.mark.parametrize("dance", stages())
@pytest.mark.parametrize("viewer", [ORGANIZER, seat_viewer(0), SPECTATOR])
@pytest.mark.parametrize("name", ["red", HOSTILE])
def test_the_text_fits_a_terminal(dance: Dance, viewer: Viewer, name: str) -> None:
    """At most a hundred columns, no control characters, the names and the bonfire in it."""
    text = GAME.text(named(as_viewed(dance, viewer), name))
    assert all(columns(line) <= 100 for line in text.split("\n"))
    assert all(mark == "\n" or mark.isprintable() for mark in text)
    assert "charcoal" in text
    assert name[:3] in text


@pytest.mark.parametrize("dance", stages())
@pytest.mark.parametrize("viewer", [ORGANIZER, seat_viewer(0), SPECTATOR])
@pytest.mark.parametrize("name", ["red", HOSTILE])
def test_the_svg_stands_by_itself(dance: Dance, viewer: Viewer, name: str) -> None:
    """Well-formed, without references, scripts or styles from elsewhere; names are text."""
    svg = GAME.svg(named(as_viewed(dance, viewer), name))
    root = ET.fromstring(svg)  # noqa: S314 -- our own picture
    kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert kinds <= {"svg", "title", "g", "rect", "ellipse", "circle", "path", "text"}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not {name for name in attributes if "href" in name or name.startswith("on")}
    assert svg.count("http") == 1
    assert name[:3] in "".join(root.itertext())


def named(view: dict[str, Any], name: str) -> dict[str, Any]:
    """The view with all seats of that name."""
    return view | {"seats": [seat | {"name": name} for seat in view["seats"]]}


def test_the_text_of_an_open_window_does_not_count_for_its_viewer() -> None:
    """The organizer reads the answer, a seat does not."""
    dance = Dance(3).opened(*TAME)
    assert "5 up, 0 down: 5 meat" in GAME.text(as_viewed(dance, ORGANIZER))
    for picture in (GAME.text, GAME.svg):
        drawn = picture(as_viewed(dance, seat_viewer(1)))
        assert "meat runs out" not in drawn
        assert "5 up" not in drawn


def test_the_text_of_a_table() -> None:
    """A whole picture, read by a person once and kept."""
    dance = Dance(3).given(dogs=(0, 2, 1), pack=21, villagers=(4, 3, 4))
    dance.opened("u^uff", "dls", "ffff")
    dance.grabs(2, "dog")
    dance.grabs(0, "bonfire")
    dance.closes()
    assert GAME.text(as_viewed(dance, seat_viewer(1))).split("\n") == [
        "Dancing Villager · round 1, roll 1 · before the roll",
        "─" * 96,
        "Bonfire   charcoal ▮▮▮   meat ▮▮▮▯▯",
        "Village   1 dog, before player 0",
        "Pack      21 dogs",
        "",
        "► 0 player 0                    villagers ●●●           dogs 0 of 7    to act, wrong",
        r"          \o/^ \o/  -o-  -o-",
        "► 1 player 1 (you)              villagers ●●●           dogs 2 of 7    to act",
        "          /o\\  _o/  |o|",
        "► 2 player 2                    villagers ●●●           dogs 1 of 7    to act, wrong",
        "          -o-  -o-  -o-  -o-",
        "",
        "Roll      2 up, 1 down, doubled: 2 meat · nothing runs out",
        "Grabs     1 player 2: dog · 2 player 0: bonfire",
        "To act    player 0 · player 1 · player 2",
        KEY,
    ]


KEY = r"Key       \o/ up · /o\ down · -o- flat · _o/ leaning · |o| standing · ^ on top of another"


def test_the_result_is_in_the_pictures() -> None:
    """Places and scores, also of who left."""
    dance = Dance(2).given(dogs=(1, 3), pack=20)
    dance.leaves(0)
    for picture in (GAME.text, GAME.svg):
        drawn = picture(as_viewed(dance, SPECTATOR))
        assert "1. player 1 (3)" in drawn
        assert "–. player 0 (0)" in drawn


@pytest.mark.parametrize(
    ("name", "shown"), [("\u202e", "seat 0"), (" a\u2028b\t", "a b"), ("\x1b[31mred", "[31mred")]
)
def test_a_name_is_made_safe_wherever_it_stands(name: str, shown: str) -> None:
    """On one line, control signs out, its seat's number where nothing is left."""
    view = named(as_viewed(Dance(2), SPECTATOR), name)
    for picture in (GAME.text(view), GAME.svg(view)):
        assert shown in picture
        assert name not in picture
    assert GAME.tell({"type": "game_won", "seat": 0}, [name, "Bo"]) == f"{shown} wins"
    roll = [[{"pose": "up", "on_top": False}], []]
    told = GAME.tell({"type": "rolled", "villagers": roll}, [name, "Bo"])
    assert told == f"The villagers are rolled: {shown} 1 hands up"


@pytest.mark.parametrize(("name", "cut"), [("Bartholomew" * 3, "Barthol"), ("W" * 30, "WWWW")])
def test_a_long_name_leaves_room_for_what_is_said_of_its_seat(name: str, cut: str) -> None:
    """In a panel of the SVG a name ends before the words at the right edge."""
    dance = Dance(3).opened(*TAME)
    dance.grabs(0, "bonfire")
    dance.closes()
    root = ET.fromstring(GAME.svg(named(as_viewed(dance, SPECTATOR), name)))  # noqa: S314 -- ours
    texts = [text.text or "" for text in root.iter() if text.tag.endswith("text")]
    said = texts.index("to act, wrong")
    assert texts[said - 1].startswith(cut)
    assert len(texts[said - 1]) <= len(cut) + 3
    assert len(texts[said + 2]) > len(texts[said - 1])
    assert texts[said + 3] == "to act"


def test_a_match_that_is_over_names_the_last_round_that_was_played() -> None:
    """Though a round that has ended counts the next one up."""
    dance = Dance(3, max_rounds=1).opened(*TAME)
    dance.closes()
    assert (dance.state.round, dance.state.roll) == (2, 0)
    assert "Dancing Villager · round 1 · finished\n" in GAME.text(as_viewed(dance, SPECTATOR))
    again = Dance(3, target=1).opened(*TAME)
    again.grabs(0, "dog")
    again.closes()
    assert "round 1 · finished" in GAME.text(as_viewed(again, SPECTATOR))
    left = Dance(2)
    left.leaves(0)
    assert "round 1, roll 0 · finished" in GAME.text(as_viewed(left, SPECTATOR))


def test_a_paused_match_says_so() -> None:
    """Instead of an open window."""
    view = as_viewed(Dance(3).opened(*TAME), SPECTATOR, status="paused")
    assert "paused, the window is open" in GAME.text(view)


def test_every_event_has_its_words() -> None:
    """One line each, with the names of the seats, over matches that play themselves."""
    told: dict[str, str] = {}
    names = ["red\n", "blue\x07", "green"]
    for number in range(20):
        pick = Chance(bytes([number] * 32), "words", [])
        dance = Dance(3, **GAME.vary(pick, 3))
        for _ in range(200):
            if dance.state.phase == "over":
                break
            for event in turn(dance, pick):
                line = GAME.tell(msgspec.to_builtins(event), names)
                assert line.isprintable()
                told[type(event).__name__] = line
    assert set(told) == {event.__name__ for event in GAME.events}


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"type": "called", "seat": 0}, "red is ready to roll"),
        (
            {
                "type": "rolled",
                "villagers": [
                    [{"pose": "up", "on_top": False}, {"pose": "flat", "on_top": True}],
                    [],
                ],
            },
            "The villagers are rolled: red 1 hands up, 1 flat on top",
        ),
        (
            {"type": "dog_tamed", "seat": 1, "from": "pack"},
            "A villager stands: blue tames a dog from the pack",
        ),
        (
            {"type": "dog_tamed", "seat": 1, "from": "village"},
            "blue tames a dog from the village",
        ),
        ({"type": "grabbed", "seat": 1, "what": "bonfire"}, "blue grabs the bonfire"),
        (
            {"type": "villager_lost", "seat": 0, "why": "mistake"},
            "red loses a villager for a wrong grab",
        ),
        (
            {"type": "dogs_escaped", "seat": 0, "dogs": 0},
            "red has no villager left: 0 dogs to the pack, all villagers back",
        ),
        ({"type": "sticks_removed", "kind": "meat", "number": 1}, "1 meat stick removed"),
        (
            {"type": "round_ended", "how": "assault"},
            "The round ends with an assault: all sticks are back",
        ),
        (
            {"type": "dog_added", "opposite": 1},
            "A dog comes from the pack and stands before blue",
        ),
        ({"type": "game_won", "seat": 1}, "blue wins"),
    ],
)
def test_an_event_in_words(event: dict[str, Any], words: str) -> None:
    """The game's words for it."""
    assert GAME.tell(event, ["red", "blue"]) == words


def test_lines_are_wrapped_by_what_a_terminal_shows() -> None:
    """Wide characters take two columns, combining ones none."""
    assert list(wrapped(["犬犬", "e\u0301e\u0301"], 9)) == ["犬犬 · e\u0301e\u0301"]
    assert list(wrapped(["犬犬", "e\u0301e\u0301"], 8)) == ["犬犬", "e\u0301e\u0301"]
    assert list(wrapped(["aa", "bb", "cc"], 7)) == ["aa · bb", "cc"]
    assert list(wrapped([], 7)) == []
