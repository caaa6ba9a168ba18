"""Giganten for people: the board as text and SVG, events in words."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from referee.core.told.safe import columns
from referee.core.visibility import ORGANIZER, SPECTATOR, Viewer, seat_viewer
from referee.games.giganten import GAME
from referee.games.giganten.events import (
    Challenged,
    LeftBoard,
    Moved,
    NestTaken,
    PiecesMoved,
    SetUpDone,
    Sprung,
    TilesLaid,
)
from referee.games.giganten.types import Waiting
from tests.games.giganten_table import battle, go, laid, ready, seen, some_set_up, told, turn_of
from tests.games.table import Table

NASTY = "\x1b[31m<script>&\"'\u202e\r\n" + "名" * 60
NAMES = ["Anna", NASTY, "\u200b\x07", "Dora"]


def view(table: Table, viewer: Viewer, **more: Any) -> dict[str, Any]:
    """The view of a match as the service sends it, as far as pictures read it."""
    return {
        "status": "active",
        "options": msgspec.to_builtins(table.options),
        "seats": [
            {"seat": seat, "name": NAMES[seat], "withdrawn": gone}
            for seat, gone in enumerate(table.state.withdrawn)
        ],
        "to_act": list(GAME.to_act(table.state)),
        "viewer": str(viewer),
        "state": seen(table, viewer),
        "result": None,
        **more,
    }


def rows(picture: str) -> dict[int, str]:
    """The board's rows of a text, by y."""
    *lines, _coordinates = picture.split("\n\n")[1].splitlines()
    return {int(line[:3]): line[4:] for line in lines}


def everywhere() -> list[dict[str, Any]]:
    """Views of every phase, kind of board and viewer, with everything that can be shown."""
    held = battle("0 tri 5,5 held 2", "1 trap 6,9 known", blank="trap", trap_effect="hold",
                  secret_trap=True, reserve="any")  # fmt: skip
    held.given(secret_trap=((3, 3), (4, 8)), reserve=(("tri",), ("flug",)), reserve_counts=(1, 1))
    held.given(out=((Waiting(70, "flug"),), ()), lost=(("stego", "stego"), ("tri",)))
    asked = battle("0 tri 5,5", "1 dilo 5,7", seats=4, swamp=[(5, 7)])
    asked.when(0, go(1, (5, 6), (5, 7)))
    over = battle("0 tri 5,5", "1 nest 5,7")
    over.when(0, go(1, (5, 6), (5, 7)))
    tables = [
        Table(GAME, seats=2), Table(GAME, seats=4, options={"board": "six"}), laid(2), laid(4),
        ready(2), ready(4), ready(2, board="column"), held, asked, over,
        battle("0 tri 5,5", board=long_row(), seats=4, bystanders=False),
    ]  # fmt: skip
    return [
        view(table, viewer)
        for table in tables
        for viewer in (SPECTATOR, ORGANIZER, seat_viewer(0), seat_viewer(1))
    ]


def long_row() -> list[dict[str, Any]]:
    """Eight tiles in a row: 56 columns of cells."""
    return [
        {"tile": "abcd"[n % 4], "turn": 0, "x": 7 * n, "y": 0, "seat": (0, 2, 1, 3)[n // 2]}
        for n in range(8)
    ]


def test_a_board_in_text() -> None:
    """Land and swamp, own pieces by name and seat, the others' backs, coordinates."""
    pieces = ("0 tri 0,0", "0 tyra-7 2,0", "1 stego 0,1", "1 flug 2,1")
    table = battle(*pieces, swamp=[(2, 0), (2, 1), (3, 1)])
    drawn = rows(GAME.text(view(table, seat_viewer(0))))
    assert drawn[0].startswith("TR0  ·  t70  · ")
    assert drawn[1].startswith("▪▪1  ·  ~~1 ~~ ")
    assert drawn[13].startswith(" ·  ▪▪1")
    assert sorted(drawn) == list(range(14))
    assert "     0   1   2   3 " in GAME.text(view(table, seat_viewer(0)))


def test_what_a_viewer_may_not_know_is_a_back() -> None:
    """For spectators every piece but a known trap."""
    table = battle("0 tri 0,0", "1 trap 2,0 known", blank="trap")
    assert rows(GAME.text(view(table, SPECTATOR)))[0].startswith("▪▪0  ·  TP1")
    assert rows(GAME.text(view(table, ORGANIZER)))[0].startswith("TR0  ·  TP1")


def test_secret_traps_held_pieces_and_what_lies_beside_are_said() -> None:
    """Each in a line of its seat."""
    table = battle("0 tri 5,5 held 2", secret_trap=True, trap_effect="hold", reserve="any")
    table.given(
        secret_trap=((0, 0), None), reserve=(("tri", "tri"), ("flug",)), reserve_counts=(2, 1),
        lost=(("stego", "tri", "stego"), ()), out=((), (Waiting(9, "culak"),)),
    )  # fmt: skip
    picture = GAME.text(view(table, seat_viewer(0)))
    for line in (
        "lost: tri, stego ×2", "reserve: tri ×2", "secret trap: 0,0", "held: 5,5 for 2",
        "reserve: 1 piece", "waiting: culak",
    ):  # fmt: skip
        assert f"     {line}\n" in picture, line
    assert rows(picture)[0].startswith(" × ")
    assert rows(picture)[0].index("·") == rows(picture)[1].index("·", 3)


def test_a_seat_sees_the_ids_of_its_own_pieces() -> None:
    """Which its commands name."""
    table = battle("0 tri 5,5", "1 dilo 7,7")
    assert "  1 tri 5,5" in GAME.text(view(table, seat_viewer(0)))
    assert "  2 dilo 7,7" in GAME.text(view(table, seat_viewer(1)))
    assert "1 tri" not in GAME.text(view(table, SPECTATOR))


def test_before_all_have_laid_only_the_own_tiles_show() -> None:
    """The others' cells are question marks."""
    table = Table(GAME, seats=2, options={"tile_draw": "fixed"})
    table.when(0, table.legal(0)[0])
    own = rows(GAME.text(view(table, seat_viewer(0))))
    assert own[13].startswith(" ?   ? ")
    assert own[0].startswith("~~   · ")
    assert rows(GAME.text(view(table, seat_viewer(1))))[0].startswith(" ?   ? ")
    assert "tiles: a b, laid a at 0, b at 0" in GAME.text(view(table, seat_viewer(0)))


def test_a_seat_sees_the_faces_of_the_tiles_that_it_is_to_lay() -> None:
    """As they are printed, and nobody else sees them; once laid they lie on the board."""
    table = Table(GAME, seats=2, options={"tile_draw": "fixed"})
    small = '<rect x="0" y="0" width="12" height="12" fill='
    assert GAME.svg(view(table, seat_viewer(0))).count(small) == 2
    assert GAME.svg(view(table, SPECTATOR)).count(small) == 0
    table.when(0, table.legal(0)[0])
    assert GAME.svg(view(table, seat_viewer(0))).count(small) == 0
    assert GAME.svg(view(table, seat_viewer(1))).count(small) == 2


@pytest.mark.parametrize("number", range(len(everywhere())))
def test_every_text_fits_a_terminal(number: int) -> None:
    """A hundred columns, for a board of 28 columns of cells and one of 56 too."""
    picture = GAME.text(everywhere()[number])
    assert max(map(columns, picture.splitlines())) <= 100
    assert "\x1b" not in picture
    assert "None" not in picture


@pytest.mark.parametrize(("width", "room"), [(24, 4), (25, 3), (26, 3)])
def test_a_cell_has_four_columns_where_all_of_a_row_fits(width: int, room: int) -> None:
    """With the row's number, which takes four of the hundred; else three."""
    places = [(0, 0), (7, 0), (14, 0), (width - 7, 7)]
    board = [
        {"tile": "abcd"[n], "turn": 0, "x": x, "y": y, "seat": n // 2}
        for n, (x, y) in enumerate(places)
    ]
    table = battle("0 tri 1,5", board=board, bystanders=False)
    drawn = rows(GAME.text(view(table, seat_viewer(0))))
    assert drawn[5].index("TR0") == room


@pytest.mark.parametrize("number", range(len(everywhere())))
def test_every_picture_is_svg_with_a_cell_a_square(number: int) -> None:
    """Well-formed, with every piece and nothing of a name as markup."""
    shown = everywhere()[number]
    root = ET.fromstring(GAME.svg(shown))  # noqa: S314 -- our own text
    texts = ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")]
    ids = [str(piece["id"]) for piece in shown["state"]["pieces"] if piece["id"] is not None]
    assert all(texts.count(number) for number in ids)
    assert not any(element.tag.endswith("script") for element in root.iter())


def test_an_svg_shows_kinds_to_their_own_side_alone() -> None:
    """The name and both strengths, or a back."""
    table = battle("0 tri 5,5", "1 dilo 7,7", bystanders=False)
    own, other = GAME.svg(view(table, seat_viewer(0))), GAME.svg(view(table, seat_viewer(1)))
    assert (">Tri<" in own, ">Dilo<" in own) == (True, False)
    assert (">Tri<" in other, ">Dilo<" in other) == (False, True)


def test_an_svg_frames_the_winner_and_the_cell_it_may_enter() -> None:
    """While it is asked."""
    table = battle("0 tri 5,5", "1 dilo 5,7")
    before = GAME.svg(view(table, SPECTATOR)).count("stroke-dasharray")
    table.when(0, go(1, (5, 6), (5, 7)))
    assert GAME.svg(view(table, SPECTATOR)).count("stroke-dasharray") == before + 1


def test_the_call_says_whom_the_table_waits_for() -> None:
    """In each phase, and why it waits for nobody."""
    tables = [
        (Table(GAME, seats=2), "Waiting for the tiles of Anna and "),
        (laid(2), "Waiting for Anna and "),
        (turn_of(battle("0 tri 5,5"), 0), "Anna is to move."),
    ]
    for table, words in tables:
        assert words in GAME.text(view(table, SPECTATOR))
    asked = battle("0 tri 5,5", "1 dilo 5,7")
    asked.when(0, go(1, (5, 6), (5, 7)))
    assert "Anna is asked to advance." in GAME.text(view(asked, SPECTATOR))
    assert "The match is paused." in GAME.text(view(asked, SPECTATOR, status="paused"))


# ── Words ───────────────────────────────────────────────────────────────────────────────────────

PLAYERS = ("Ada", "Ben", "Cleo", "Dov")


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (PiecesMoved(0, (Moved(7, (5, 5), (5, 6)),)), "Ada moves piece 7 from 5,5 to 5,6."),
        (
            Challenged(7, 9, (5, 7), ("tri", "dilo"), "S", "challenger"),
            "Piece 7, tri, challenges piece 9, dilo, in swamp at 5,7: the challenger wins.",
        ),
        (
            Challenged(7, 9, (5, 7), ("flug", "nest"), "L", "challenger"),
            "Piece 7, flug, challenges piece 9, nest, on land at 5,7: taken.",
        ),
        (
            Sprung(1, 7, (5, 8), "hold"),
            "A trap of Ben at 5,8 catches piece 7: it is held for two turns.",
        ),
        (
            LeftBoard(0, 7, "tri", "trapped", "out"),
            "The tri of Ada leaves the board and waits to return.",
        ),
        (NestTaken(7, 1), "Piece 7 has taken the nest of Ben."),
    ],
)
def test_events_in_words(event: Any, words: str) -> None:
    """One sentence each."""
    assert GAME.tell(told(event, SPECTATOR), PLAYERS) == words


def test_words_say_only_what_their_viewer_knows() -> None:
    """A set-up behind a screen, tiles that lie face down."""
    table = laid(2, hidden_setup=True)
    done = next(e for e in table.when(0, some_set_up(table, 0)) if isinstance(e, SetUpDone))
    assert GAME.tell(told(done, SPECTATOR), PLAYERS) == "Ada has set up behind the screen."
    assert GAME.tell(told(done, seat_viewer(0)), PLAYERS) == "Ada sets up 24 pieces."
    tiles = TilesLaid(1, table.state.laid[1])
    assert GAME.tell(told(tiles, SPECTATOR), PLAYERS) == "Ben has laid its tiles."


def test_all_have_laid_in_words() -> None:
    """From here on the board lies there for everybody."""
    revealed = {"type": "board_revealed"}
    assert GAME.tell(revealed, PLAYERS) == "All tiles are turned up: the board lies there."
