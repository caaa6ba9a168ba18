"""giro-galoppo for people: the board as text and SVG, events in words."""

from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from referee.core.told.safe import columns, room
from referee.core.visibility import SPECTATOR, Scope, Viewer, redact, seat_viewer
from referee.games.giro_galoppo import GAME
from referee.games.giro_galoppo.shown.svg import NAME_ROOM, NAME_SIZE
from referee.games.giro_galoppo.types import ChooseCard
from tests.games.table import Table

NASTY = "\x1b[31m<script>&\"'\u202e\r\n" + "名" * 60
NAMES = ["Anna", NASTY, "\u200b\x07", "Dora", "Emil"]


def view(table: Table, viewer: Viewer, result: Any = None) -> dict[str, Any]:
    """The view of a match as the service sends it, as far as pictures read it."""
    state = msgspec.json.encode(redact(table.state, Scope(viewer, table.state)))
    return {
        "status": "active" if result is None else "finished",
        "options": msgspec.to_builtins(table.options),
        "seats": [
            {"seat": seat, "name": NAMES[seat], "withdrawn": space is None}
            for seat, space in enumerate(table.state.spaces)
        ],
        "to_act": list(GAME.to_act(table.state)),
        "viewer": str(viewer),
        "state": msgspec.json.decode(state),
        "result": result,
    }


def racing(seats: int = 3, **options: Any) -> Table:
    """A table in the race: seat 0 in the gate, the others on 1, 2, …; seat 0 has laid a 4."""
    table = Table(GAME, seats=seats, options=options)
    course = msgspec.structs.replace(table.state.course, obstacles=(6, 14, 17, 36, 39))
    table.given(phase="race", placing=None, round=1, course=course, spaces=tuple(range(seats)))
    table.when(0, ChooseCard(4))
    return table


def everywhere() -> list[dict[str, Any]]:
    """Views of every phase, size of table and length of course, for a seat and a spectator."""
    tables: list[Table] = []
    for seats in (2, 3, 4, 5):
        tables += [Table(GAME, seats=seats), racing(seats), racing(seats, ties="rearmost-only")]
        tables += [racing(seats, length=length) for length in (37, 60, 80)]
        tables.append(racing(seats).given(spaces=tuple(44 - seat for seat in range(seats))))
        left = racing(seats)
        left.leaves(seats - 1)
        tables.append(left)
    return [view(table, viewer) for table in tables for viewer in (SPECTATOR, seat_viewer(0))]


def test_a_board_in_text() -> None:
    """Every space with its number, what stands there, the own hand, what is laid, who is to act."""
    table = racing(2)
    plain = {
        **view(table, seat_viewer(0)),
        "seats": [{"seat": 0, "name": "Anna"}, {"seat": 1, "name": "Bo"}],
    }
    assert GAME.text(plain) == BOARD


BOARD = """\
Giro Galoppo · the race · round 1

  gate ▐ ♞0
    ♞1  ·   ·   ·   ·   ▟▙  ·   ·   ·   ·   ≈≈  ·   ·   ▟▙  ·   ·   ▟▙  ·   ·   ·
     1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18  19  20
    ·   ·   ·   ≈≈  ·   ·   ·   ·   ·   ·   ·   ·   ▒▒  ·   ·   ▟▙  ·   ·   ▟▙  ·  ▓ finish
    21  22  23  24  25  26  27  28  29  30  31  32  33  34  35  36  37  38  39  40
  behind the line
    ·   ·   ·   ·   ·   ·
    41  42  43  44  45  46
  ≈≈ river   ▒▒ moor   ▟▙ obstacle   ▪ a card not shown

  ♞0  Anna                      the gate   cards 1 2 3 4 5 6  the 4 lies face down
  ♞1  Bo                        space 1    cards ▪ ▪ ▪ ▪ ▪ ▪  to act

  Waiting for a card of Bo."""


def test_text_keeps_to_a_hundred_columns_and_to_printable_signs() -> None:
    """Whatever the names: no control sign, no line too long, no blank at a line's end."""
    for one in everywhere():
        for line in GAME.text(one).splitlines():
            assert columns(line) <= 100
            assert line.isprintable()
            assert line == line.rstrip()


def test_hidden_cards_are_drawn_as_hidden() -> None:
    """A rival's cards are backs, its choice only a card; the own ones are numbers."""
    table = racing(2)
    own, rivals = (GAME.text(view(table, seat_viewer(seat))) for seat in (0, 1))
    assert "cards 1 2 3 4 5 6" in own
    assert "the 4 lies face down" in own
    assert "a card lies face down" in rivals
    assert "cards ▪ ▪ ▪ ▪ ▪ ▪" in rivals
    watched = GAME.text(view(table, SPECTATOR))
    assert "cards 1" not in watched


def test_pictures_of_states_apart_only_in_hidden_cards_are_equal() -> None:
    """Nothing but the view is drawn."""
    table, other = racing(2), racing(2)
    other.given(chosen=(6, None))
    for viewer in (SPECTATOR, seat_viewer(1)):
        assert GAME.svg(view(table, viewer)) == GAME.svg(view(other, viewer))
        assert GAME.text(view(table, viewer)) == GAME.text(view(other, viewer))


def test_the_text_says_who_won() -> None:
    """Places of the result stand with their seats."""
    table = racing(3).given(phase="over", spaces=(41, 40, 43), has_chosen=(False,) * 3)
    ranking = [{"seat": 2, "place": 1, "score": 43}, {"seat": 0, "place": 2, "score": 41}]
    ranking.append({"seat": 1, "place": None, "score": 40})  # type: ignore[dict-item]
    result = {"ranking": ranking, "winners": [2]}
    lines = GAME.text(view(table, SPECTATOR, result)).splitlines()
    assert lines[-1] == "  seat 2 won."
    assert lines[0] == "Giro Galoppo · the race is over · round 1"
    assert [line.rsplit("  ", 1)[-1] for line in lines if line.startswith("  ♞")] == [
        "place 2",
        "cards ▪ ▪ ▪ ▪ ▪ ▪",
        "place 1",
    ]


@pytest.mark.parametrize(
    ("status", "result", "head", "foot"),
    [
        ("paused", None, "the race · round 1 · paused", "The match is paused."),
        ("void", None, "the race · round 1 · void", "The match is void."),
        (
            "finished",
            {"ranking": [], "winners": [0, 2]},
            "the race is over · round 1",
            "Anna and seat 2 won.",
        ),
        (
            "finished",
            {"ranking": [], "winners": []},
            "the race is over · round 1",
            "Nobody won.",
        ),
    ],
)
def test_pictures_say_that_a_match_stands_still(
    status: str, result: Any, head: str, foot: str
) -> None:
    """Paused, void, or ended by other means than the race: nobody is waited for."""
    halted = view(racing(3), SPECTATOR, result) | {"status": status}
    lines = GAME.text(halted).splitlines()
    assert (lines[0], lines[-1]) == (f"Giro Galoppo · {head}", f"  {foot}")
    assert f"Giro Galoppo · {head}</text>" in GAME.svg(halted)


def test_a_name_in_the_svg_ends_before_the_space_of_its_horse() -> None:
    """Whatever letters it is made of."""
    shown = view(racing(3), SPECTATOR)
    for seat, name in enumerate(("Ben the Baker of Dendermonde & Sons", "W" * 60, "名" * 60)):
        shown["seats"][seat]["name"] = name
    root = ET.fromstring(GAME.svg(shown))  # noqa: S314 -- our own drawing
    names = [one.text or "" for one in root.iter() if one.get("font-size") == "17"]
    names = [name for name in names if not name.isdecimal()]
    assert [name[-1] for name in names] == ["…"] * 3
    assert all(room(name, NAME_SIZE) <= NAME_ROOM for name in names)


def test_every_svg_is_well_formed_and_needs_nothing_from_outside() -> None:
    """It parses, names no address but its namespace, and holds no script."""
    for one in everywhere():
        drawn = GAME.svg(one)
        root = ET.fromstring(drawn)  # noqa: S314 -- our own drawing
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert drawn.count("http") == 1
        tags = {element.tag.rsplit("}", 1)[-1] for element in root.iter()}
        assert not tags & {"script", "image", "foreignObject", "a", "use"}


def test_an_svg_keeps_within_its_borders() -> None:
    """Every thing placed by a translation, and every word, lies within the picture."""
    for one in everywhere():
        root = ET.fromstring(GAME.svg(one))  # noqa: S314 -- our own drawing
        _, _, width, height = map(int, root.attrib["viewBox"].split())
        for element in root.iter("{http://www.w3.org/2000/svg}g"):
            if "transform" not in element.attrib:
                continue
            at = element.attrib["transform"].removeprefix("translate(").removesuffix(")")
            x, y = map(int, at.split())
            assert 20 <= x <= width - 20
            assert 20 <= y <= height - 20


def test_an_svg_draws_every_horse_space_and_obstacle() -> None:
    """One horse on the course and one beside its name for each seat, 46 numbers, 8 obstacles."""
    drawn = GAME.svg(view(racing(3), SPECTATOR))
    assert drawn.count('r="17"') == 6
    assert drawn.count('data-space="') == 46
    assert drawn.count('stroke-dasharray="7 7"') == 5
    assert drawn.count("#5aa9d6") == 2
    assert drawn.count("#75804a") == 1


def test_names_are_escaped() -> None:
    """A name is text in the SVG, whatever it holds."""
    drawn = GAME.svg(view(racing(3), SPECTATOR))
    assert "<script" not in drawn
    assert "[31m&lt;script&gt;&amp;&quot;&#x27;" in drawn
    assert "seat 2" in drawn


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"type": "obstacle_placed", "seat": 0, "space": 7}, "Anna puts an obstacle on space 7."),
        ({"type": "card_chosen", "seat": 0, "card": None}, "Anna lays a card face down."),
        ({"type": "card_chosen", "seat": 3, "card": 4}, "Dora lays a 4 face down."),
        (
            {"type": "cards_shown", "cards": [2, None, None, 6, 6]},
            "The cards are turned over: Anna 2, Dora 6, Emil 6.",
        ),
        (
            {
                "type": "horse_moved",
                "seat": 0,
                "card": 4,
                "from": 0,
                "to": 4,
                "outcome": "moved",
                "pushed": None,
            },
            "Anna plays 4 and rides from the gate to space 4.",
        ),
        (
            {
                "type": "horse_moved",
                "seat": 0,
                "card": 2,
                "from": 3,
                "to": 5,
                "outcome": "moved",
                "pushed": {"seat": 3, "from": 5, "to": 0},
            },
            "Anna plays 2 and rides from space 3 to space 5, pushing Dora back to the gate.",
        ),
        (
            {
                "type": "horse_moved",
                "seat": 0,
                "card": 2,
                "from": 9,
                "to": 9,
                "outcome": "blocked",
                "pushed": None,
            },
            "Anna plays 2, would end on space 11, which is blocked, and stays on space 9.",
        ),
        (
            {
                "type": "horse_moved",
                "seat": 2,
                "card": 2,
                "from": 0,
                "to": 0,
                "outcome": "held",
                "pushed": None,
            },
            "seat 2 plays 2 too, is held by the tie and stays in the gate.",
        ),
        (
            {"type": "hands_returned"},
            "All six cards are played: every rider takes them up again.",
        ),
        ({"type": "race_over"}, "The finishing line is crossed: the race is over."),
    ],
)
def test_events_are_told_in_the_games_words(event: dict[str, Any], said: str) -> None:
    """One sentence an event, hidden parts unsaid."""
    assert GAME.tell(event, NAMES) == said


def test_an_event_of_another_game_is_not_told() -> None:
    """An unknown event is an error, never skipped."""
    with pytest.raises(KeyError):
        GAME.tell({"type": "dice_rolled"}, NAMES)


def test_a_told_name_is_one_line_of_printable_signs() -> None:
    """Control and direction signs of a name do not reach a terminal."""
    assert GAME.tell({"type": "obstacle_placed", "seat": 1, "space": 7}, NAMES).isprintable()
