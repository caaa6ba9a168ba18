"""Untrusted text: what is shown of it obeys nothing, fits its place, and is no markup."""

from __future__ import annotations

import unicodedata
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.told import plainly
from referee.core.told.safe import (
    called,
    clean,
    clean_lines,
    columns,
    cut,
    fit,
    narrowed,
    room,
    xml,
)

ANY = st.text(st.characters())
"""Any text, lone surrogates included."""
WIDTHS = st.integers(1, 40)


# ── Made safe ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("Ann Bee", "Ann Bee"),
        ("Ann\x1b[31m", "Ann[31m"),
        ("Ann\x07\x7f\x9b2J", "Ann2J"),
        ("  Ann \t\r\n Bee ", "Ann Bee"),
        ("Ann\u2028Bee\u2029Cee\u0085Dee", "Ann Bee Cee Dee"),
        ("Ann\u3000Bee\xa0Cee", "Ann Bee Cee"),
        ("\u202eAnn\u202c \u2066Bee\u2069 \u200f", "Ann Bee"),
        ("A\u200bn\u200dn\ufeff\xad", "Ann"),
        ("\ue000Ann\ud800\ufffe", "Ann"),
        ("Zoe\u0308 \u5f20\u4f1f \U0001f40e", "Zoe\u0308 \u5f20\u4f1f \U0001f40e"),
    ],
)
def test_a_name_keeps_what_can_be_shown_on_one_line(name: str, left: str) -> None:
    """Controls, formats (directions among them) and stray code points go; blanks are single."""
    assert clean(name) == left


@given(ANY)
def test_clean_text_holds_nothing_that_is_obeyed(text: str) -> None:
    """Whatever came in: printable, one line, and clean already when cleaned again."""
    safe = clean(text)
    assert safe.isprintable()
    assert safe == safe.strip()
    assert "  " not in safe
    assert not any(unicodedata.category(sign)[0] == "C" for sign in safe)
    assert clean(safe) == safe


@given(ANY)
def test_a_drawing_keeps_its_lines_and_blanks_and_nothing_that_is_obeyed(text: str) -> None:
    """The lines are as many as before, and each is printable but for blanks of other widths."""
    safe = clean_lines(text)
    assert safe.count("\n") == text.count("\n")
    for sign in safe.replace("\n", ""):
        assert sign.isprintable() or unicodedata.category(sign) == "Zs"


def test_a_drawing_of_printable_lines_stays_as_it_is() -> None:
    """Alignment is kept: runs of blanks are part of a drawing."""
    board = "  ┌──┐\n  │♜0│\n\n   x   "
    assert clean_lines(board) == board


@pytest.mark.parametrize("name", ["", " ", "\u200b", "\u3164", "\u2800 \u115f", "\ufe0f\u0301"])
def test_a_name_that_would_not_show_is_its_seat(name: str) -> None:
    """Blanks, letters without a shape and marks without a letter are nothing to be called by."""
    assert called(name, 3) == "seat 3"


def test_a_name_that_shows_is_what_its_seat_is_called() -> None:
    """Cleaned, but otherwise the player's own."""
    assert called(" Ann\u202e ", 3) == "Ann"


# ── Markup ────────────────────────────────────────────────────────────────────────────────────────


@given(ANY)
def test_escaped_text_comes_back_from_xml_as_text(text: str) -> None:
    """As content and as an attribute: no element, no entity, no lost character that XML has."""
    kept = "".join(sign for sign in text if sign not in "\r\t\n" and _in_xml(sign))
    told = xml(text.replace("\r", "").replace("\t", "").replace("\n", ""))
    element = ET.fromstring(f"<text a=\"{told}\" b='{told}'>{told}</text>")  # noqa: S314 -- ours
    assert (element.text or "", len(element)) == (kept, 0)
    assert element.attrib == {"a": kept, "b": kept}


def _in_xml(sign: str) -> bool:
    """XML 1.0, production 2, without its three controls."""
    point = ord(sign)
    return 0x20 <= point <= 0xD7FF or 0xE000 <= point <= 0xFFFD or point >= 0x10000


# ── In a terminal ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "wide"),
    [
        ("", 0),
        ("Ann", 3),
        ("Zoë", 3),
        ("Zoe\u0308", 3),
        ("犬が", 4),
        ("Ａ", 2),
        ("ｱ", 1),
        ("\U0001f40e", 2),
        ("♜…●", 3),
        ("\u0e01\u0e33\u0e34", 2),
        ("\u1112\u1161\u11ab", 2),
        ("\U0001f1e9\U0001f1ea", 2),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", 2),
    ],
)
def test_text_takes_as_many_columns_as_a_terminal_gives_it(text: str, wide: int) -> None:
    """Two for a wide sign or for several drawn as one, none for a mark or what joins a syllable."""
    assert columns(text) == wide


@given(ANY, WIDTHS)
def test_cut_text_fits_and_loses_nothing_that_would_fit(text: str, width: int) -> None:
    """Whole where it fits; else a beginning of it and an ellipsis, one wide sign short at most."""
    safe = clean(text)
    short = cut(safe, width)
    assert columns(short) <= width
    if columns(safe) <= width:
        assert short == safe
    else:
        assert short[-1] == "…"
        assert safe.startswith(short[:-1])
        assert columns(short) >= width - 1


@given(ANY, WIDTHS)
def test_fitted_text_takes_exactly_its_columns(text: str, width: int) -> None:
    """So that tables stay straight whatever a player is called."""
    fitted = fit(clean(text), width)
    assert columns(fitted) == width
    assert fitted.rstrip() == cut(clean(text), width).rstrip()


def test_a_cut_keeps_the_marks_of_the_letters_that_it_keeps() -> None:
    """An accent stands on its letter, not on the ellipsis."""
    assert cut("e\u0301" * 5, 3) == "e\u0301e\u0301…"
    assert cut("犬犬犬", 4) == "犬…"
    assert cut("犬犬犬", 5) == "犬犬…"
    assert cut("犬", 1) == "…"
    assert (
        cut("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7Ann", 5)
        == "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7…"
    )


# ── In a picture ──────────────────────────────────────────────────────────────────────────────────


@given(ANY, st.integers(8, 30), st.integers(40, 400))
def test_narrowed_text_has_room(text: str, size: int, most: int) -> None:
    """Whole where there is room for it; else a beginning of it and an ellipsis."""
    safe = clean(text)
    short = narrowed(safe, size, most)
    assert room(short, size) <= most
    assert short == safe or (short[-1] == "…" and safe.startswith(short[:-1]))
    assert (short == safe) == (room(safe, size) <= most)


def test_text_that_takes_just_the_room_there_is_stays_whole() -> None:
    """To the last unit."""
    assert narrowed("犬犬", 10, room("犬犬", 10)) == "犬犬"


def test_broad_letters_take_more_room_than_others() -> None:
    """A name in capitals or in wide signs is cut earlier, one of slim letters later."""
    assert room("MWM", 10) > room("ABC", 10) > room("abc", 10) > room("ill", 10)
    assert room("犬犬犬", 10) == pytest.approx(room("MWM", 10))
    assert room("e\u0301", 10) == room("e", 10)


def test_what_has_no_words_of_its_own_is_told_by_its_fields() -> None:
    """Without underscores, what is absent as a question mark, an empty list as none."""
    event = {"type": "stone_laid", "seat": 0, "at_last": True, "on": [1, 2], "for": None, "by": []}
    assert plainly.tell(event, ["Ada"]) == "Ada: stone laid, at last yes, on 1 2, for ?, by none."


def test_where_an_event_stands_is_no_field_of_it() -> None:
    """Its version, index and stamp go unsaid, a field of fields is told with their names."""
    event = {
        "type": "stone_laid", "seat": 1, "version": 7, "index": 0, "at": 5,
        "left": {"of_red": 1, "of_blue": None},
    }  # fmt: skip
    assert plainly.tell(event, ["Ada", "Bo"]) == "Bo: stone laid, left of red 1, of blue ?."


def test_a_board_without_a_picture_is_a_line_a_seat_and_a_line_a_field() -> None:
    """After the game, and whom it waits for or why it does not."""
    seats = [
        {"seat": 0, "name": "Ada", "withdrawn": False},
        {"seat": 1, "name": "Bo", "withdrawn": True},
    ]
    view = {
        "game": "heaps", "status": "active", "to_act": [0], "seats": seats,
        "state": {"stones_left": [3, 1], "last_by": None},
    }  # fmt: skip
    lines = ["  seat 0: Ada", "  seat 1: Bo (withdrew)", "  stones left: 3 1", "  last by: ?"]

    assert plainly.text(view).splitlines() == ["heaps · To act: Ada.", *lines]
    assert plainly.text(view | {"status": "paused"}).splitlines()[0] == (
        "heaps · The match is paused."
    )
