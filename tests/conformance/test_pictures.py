"""Pictures and words: they never fail, hold nothing foreign, and say something of everything."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

import msgspec

from referee.core.match import Match
from referee.core.rules import Rules
from referee.core.told import drawn
from referee.core.views import view_of
from referee.core.visibility import Viewer, events_seen
from tests.conformance.matches import HOSTILE, all_played, as_json, some_of, viewers

SVG = "{http://www.w3.org/2000/svg}"
COLUMNS = 100
FORBIDDEN = {"script", "foreignObject", "image", "iframe", "object", "embed", "a", "animate", "set"}
FOREIGN = re.compile(r"(?i)(https?:|//|javascript:|data:|@import|url\((?!['\"]?#))")
BIDI = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f]")


def json_view(rules: Rules, match: Match, viewer: Viewer) -> dict[str, Any]:
    """The view as a client gets it."""
    view: dict[str, Any] = as_json(view_of(rules, match, viewer))
    return view


class Drawing(msgspec.Struct, frozen=True):
    """A view of a match whose seats have hostile names, and what it looks like."""

    match: str
    view: dict[str, Any]
    text: str
    svg: str


@cache
def drawings(rules: Rules) -> tuple[Drawing, ...]:
    """What every viewer sees in the midst and at the end of every match."""
    views = [
        (str(one), json_view(rules, match, viewer))
        for one in all_played(rules)
        for match in some_of(one.steps, 2)
        for viewer in viewers(match)
    ]
    return tuple(
        Drawing(of, view, drawn.text(rules.game, view), drawn.svg(rules.game, view))
        for of, view in views
    )


def test_the_same_view_gives_the_same_pictures(rules: Rules) -> None:
    """Whoever asks, and however often."""
    for one in drawings(rules)[::5]:
        assert one.text == drawn.text(rules.game, one.view)
        assert one.svg == drawn.svg(rules.game, one.view)


def test_every_view_can_be_drawn_as_text(rules: Rules) -> None:
    """Lines without control characters."""
    for one in drawings(rules):
        assert one.text.strip(), one.match
        lines = one.text.splitlines()
        assert all(line.isprintable() or BIDI.search(line) for line in lines), one.match
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", one.text)


def test_text_fits_a_terminal(rules: Rules) -> None:
    """A hundred columns, where names are not longer than names are."""
    for one in drawings(rules):
        seats = [row | {"name": f"player {seat}"} for seat, row in enumerate(one.view["seats"])]
        text = drawn.text(rules.game, one.view | {"seats": seats})
        wide = [line for line in text.splitlines() if len(line) > COLUMNS]
        assert not wide, (one.match, wide)


def test_text_does_not_say_none(rules: Rules) -> None:
    """What is hidden or absent is drawn, not printed as the program's own word for it."""
    for one in drawings(rules):
        assert not re.search(r"\b(None|null|True|False)\b", one.text), one.match


def test_every_view_can_be_drawn_as_svg(rules: Rules) -> None:
    """Well-formed XML whose root is an SVG with a view box."""
    for one in drawings(rules):
        root = ET.fromstring(one.svg)  # noqa: S314 -- our own text, no entities
        assert root.tag == f"{SVG}svg", one.match
        assert root.get("viewBox") or root.get("width")


def test_an_svg_brings_nothing_in_from_outside(rules: Rules) -> None:
    """No scripts, no links, no images, no style sheets, no handlers: it opens with no network."""
    tags, attributes = set[str](), set[tuple[str, str]]()  # thousands of pictures share them
    for one in drawings(rules):
        for element in ET.fromstring(one.svg).iter():  # noqa: S314 -- our own text
            tags.add(element.tag)
            attributes.update(element.attrib.items())
            if element.tag == f"{SVG}style":
                assert not FOREIGN.search(element.text or "")
    for tag in tags:
        assert tag.startswith(SVG), tag
        assert tag.removeprefix(SVG) not in FORBIDDEN, tag
    for name, value in attributes:
        assert not name.lower().startswith("on"), name
        assert not name.endswith("href") or value.startswith("#"), value
        assert not FOREIGN.search(value), (name, value)


def test_an_svg_is_drawn_without_a_style_sheet(rules: Rules) -> None:
    """So that a page whose policy forbids styles from elsewhere can take it into itself."""
    for one in drawings(rules):
        assert "<style" not in one.svg
        assert " style=" not in one.svg
        assert " class=" not in one.svg


def test_an_svg_marks_what_commands_name_by_their_fields(rules: Rules) -> None:
    """A `data-` attribute has the names of a command's fields, and what is hidden has none.

    One that begins with `data-event-` has the name of an event's field, which no command has.
    """
    commands = fields_of(kind.command for kind in rules.game.commands)
    told = {f"event-{field}" for field in fields_of(rules.game.events) - commands}
    for one in drawings(rules):
        marks = re.findall(r' data-([\w-]+)="([^"]*)"', one.svg)
        names = {name for name, _ in marks} - told
        assert {field for name in names for field in name.split("-")} <= commands, one.match
        assert not [mark for mark in marks if "None" in mark[1]], one.match


def fields_of(types: Iterable[type[msgspec.Struct]]) -> set[str]:
    """The names of all their fields, as they are written."""
    return {field.encode_name for one in types for field in msgspec.structs.fields(one)}


def test_an_svg_is_one_document_without_a_type(rules: Rules) -> None:
    """No DOCTYPE and no entities of its own: it can stand inside a page."""
    for one in drawings(rules):
        assert "<!" not in one.svg
        assert "<?xml-" not in one.svg


def test_hostile_names_are_only_text(rules: Rules) -> None:
    """A name with tags, quotes or entities adds no element and no attribute to the picture."""
    one = next(one for one in all_played(rules) if len(one.end.seats) == max(rules.game.players))
    for match in some_of(one.steps, 4):
        for viewer in viewers(match):
            hostile = json_view(rules, match, viewer)
            plain = msgspec.json.decode(msgspec.json.encode(hostile))
            for seat, row in enumerate(plain["seats"]):
                row["name"] = "x" * len(HOSTILE[seat])
            assert _skeleton(drawn.svg(rules.game, hostile)) == _skeleton(
                drawn.svg(rules.game, plain)
            )


def _skeleton(picture: str) -> list[tuple[str, tuple[str, ...]]]:
    root = ET.fromstring(picture)  # noqa: S314 -- our own text
    return [(element.tag, tuple(element.attrib)) for element in root.iter()]


def test_every_event_is_told_in_one_line(rules: Rules) -> None:
    """As each viewer sees it, hidden parts left out, and nothing of the program's own words."""
    tags = {kind.__struct_config__.tag for kind in rules.game.events}
    for one in all_played(rules):
        names = [f"player {seat}" for seat in range(one.setup.seats)]
        for step in one.steps:
            for viewer in viewers(step.decided.match):
                for event in as_json(events_seen(1, 2, step.decided.events, viewer)):
                    if event["type"] in tags:
                        line = rules.game.tell(event, names)
                        assert line.strip(), event
                        assert line.isprintable(), (event, line)
                        assert not re.search(r"\b(None|null|True|False)\b", line), (event, line)


def test_words_about_hostile_names_stay_on_their_line(rules: Rules) -> None:
    """Whatever a player is called."""
    tags = {kind.__struct_config__.tag for kind in rules.game.events}
    one = all_played(rules)[0]
    names = ["\x1b[2J\nroot#", *HOSTILE][: one.setup.seats]
    for step in one.steps:
        for event in as_json(events_seen(1, 2, step.decided.events, viewers(one.end)[0])):
            if event["type"] in tags:
                line = rules.game.tell(event, names)
                assert not re.search(r"[\x00-\x1f\x7f-\x9f]", line), line
