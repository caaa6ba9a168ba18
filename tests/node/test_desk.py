"""The desk's code: typed by the API's document, its libraries by their packages, its words."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

import referee.http
from referee.catalogue import catalogue
from referee.core.rules import Rules
from referee.core.told import drawn
from tests.conformance.matches import all_played, some_of, viewers
from tests.conformance.test_pictures import json_view
from tests.node.tools import HERE, OPENAPI_TYPESCRIPT, TSC, node, run

pytestmark = pytest.mark.node

DESK: Final = Path(referee.http.__path__[0]) / "desk"
DOCUMENT: Final = Path(__file__).parents[2] / "schemas" / "openapi.json"
STRICT: Final = (
    *("--allowJs", "--checkJs", "--noEmit", "--strict", "--noUncheckedIndexedAccess"),
    *("--noUnusedLocals", "--noUnusedParameters", "--skipLibCheck"),
    *("--module", "esnext", "--moduleResolution", "bundler"),
    *("--target", "es2023", "--lib", "es2023,dom,dom.iterable,dom.asynciterable"),
)
LIBRARIES: Final = {
    "preact.js": ("htm/preact/standalone.module.js", "htm/preact"),
    "uqr.js": ("uqr/dist/index.mjs", "uqr"),
}
"""Where each library lies in its package, and which package has its types."""


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_is_what_its_package_has(name: str) -> None:
    """To the byte, at the version that is pinned with its hash."""
    packaged = HERE / "node_modules" / LIBRARIES[name][0]

    assert (DESK / "vendor" / name).read_bytes() == packaged.read_bytes()


def test_the_types_are_right(tmp_path: Path) -> None:
    """At the compiler's strictest, against types made from the API's document."""
    desk = tmp_path / "desk"
    shutil.copytree(DESK, desk, ignore=shutil.ignore_patterns("*.css", "*.html"))
    (tmp_path / "node_modules").symlink_to(HERE / "node_modules")
    made = run(OPENAPI_TYPESCRIPT, DOCUMENT, "--output", desk / "openapi.d.ts")
    assert made.returncode == 0, made.stdout + made.stderr
    for name, (_, package) in LIBRARIES.items():
        (desk / "vendor" / name).write_text(f'export * from "{package}";\n', "utf-8")

    said = run(TSC, *STRICT, "main.js", cwd=desk).stdout

    assert said == ""


def words_of(language: str) -> Any:
    """The words of a language: each section by its keys, sentences by whether they are one."""
    program = (
        f'import words from "./words.{language}.js";'
        "console.log(JSON.stringify(words, (_, value) =>"
        ' typeof value === "function" ? "said" : value));'
    )
    done = node("--no-warnings", "--input-type=module", "-e", program, cwd=DESK)
    assert done.returncode == 0, done.stderr
    return msgspec.json.decode(done.stdout)


def keys_of(words: Any) -> Any:
    """The keys alone."""
    return {key: keys_of(inner) for key, inner in words.items()} if isinstance(words, dict) else ""


def test_german_has_words_for_what_english_has() -> None:
    """And for nothing else; with the same fields in the desk's own words."""
    english, german = words_of("en"), words_of("de")

    assert keys_of(german) == keys_of(english)
    for key, text in english["ui"].items():
        fields = re.findall(r"\{\w+\}", text)
        assert sorted(re.findall(r"\{\w+\}", german["ui"][key])) == sorted(fields), key


WORDED: Final = ("dancing-villager", "dragon-dance", "giants-dance", "giganten", "giro-galoppo")
"""The games that have words on the desk: then they have them for everything, in both languages."""
worded = pytest.mark.parametrize("rules", [*map(catalogue().current, WORDED)], ids=WORDED)


def test_a_game_has_words_in_every_section_or_in_none() -> None:
    """None is called by its name and then told by its types."""
    words = words_of("en")

    for section in ("games", "about", "help", "commands", "events"):
        assert sorted(words[section].keys() - {"table"}) == list(WORDED), section


def test_what_has_no_words_is_told_by_its_names() -> None:
    """Of the game, the event and its fields; and it is known for the game's own."""
    program = """
        globalThis.localStorage = {getItem: () => "en"};
        const {gameName, isOfGame, tellCommand, tellEvent} = await import("./words.js");
        const match = {game: "three-in-a-row", seats: [{name: "Ada"}, {name: "Bo"}], state: {}};
        const event = {type: "marked", seat: 1, cell: 4, version: 3, index: 0};
        const paused = {type: "paused"};
        console.log(JSON.stringify([
          gameName(match.game), tellCommand(match, {type: "mark", cell: 4}),
          tellEvent(match, event), isOfGame(event), tellEvent(match, paused), isOfGame(paused),
        ]));
    """
    done = node("--no-warnings", "--input-type=module", "-e", program, cwd=DESK)
    assert done.returncode == 0, done.stderr

    told = ["Three in a row", "Mark, Cell 4", "Marked, Player Bo, Cell 4", True]
    assert msgspec.json.decode(done.stdout) == [*told, "The match is paused.", False]


NOT_ASKED_HERE: Final = {"create_match", "reissue_token", "excuse_outage"}
"""Commands that nobody sends as such: by other routes, or the service by itself."""


@worded
def test_every_command_and_event_has_words(rules: Rules) -> None:
    """Of every game and of the table: none is read out as its type and fields."""
    words, game = words_of("en"), rules.game.id
    commands = {kind.command.__struct_config__.tag for kind in rules.game.commands}
    of_table = {kind.__struct_config__.tag for kind in rules.commands} - commands - NOT_ASKED_HERE
    events = {kind.__struct_config__.tag for kind in rules.game.events}
    others = {kind.__struct_config__.tag for kind in rules.events} - events

    options = {field.encode_name for field in msgspec.structs.fields(rules.game.options)}

    assert {game} <= words["games"].keys() & words["about"].keys()
    assert options <= words["options"].keys()
    assert words["commands"][game].keys() == commands
    assert commands <= words["groups"].keys()
    assert words["commands"]["table"].keys() == of_table
    assert words["events"][game].keys() == events
    assert words["events"]["table"].keys() == others


SAID_ALIKE: Final = re.compile(
    r"(?:(?:\d|–)\. )?NAME\d(?: \(\d+\))?"  # a name, with place and score
    r"|Giganten|Giro Galoppo|[RYGB]{4}|H[RYGB]{2}|E[RYGB]\d"
    r"|Tyra|Tri|Dilo|Stego|Docus|Deino|Flug|Blitz|Nest|Culak|Ghost|Trap"
)
"""Names, games, cards and pieces, which are called alike in both languages."""


def written_in(rules: Rules) -> set[str]:
    """What stands in the pictures of some matches of a game, part by part."""
    texts: set[str] = set()
    for one in all_played(rules)[::4]:
        for match in some_of(one.steps, 6):
            for viewer in viewers(match)[:2]:
                view = json_view(rules, match, viewer)
                names = [row | {"name": f"NAME{row['seat']}"} for row in view["seats"]]
                picture = drawn.svg(rules.game, view | {"seats": names})
                texts.update(re.findall(r"<(?:text|title)[^>]*>([^<]*)<", picture))
    return {part for text in texts for part in html.unescape(text).split(" · ")}


@worded
def test_every_word_of_a_picture_is_german_to_who_reads_it(rules: Rules) -> None:
    """Whatever is written on a board, but names and what a card or piece is called."""
    parts = sorted(part for part in written_in(rules) if re.search(r"[A-Za-z]{2}", part))
    program = (
        'import board from "./board.de.js";'
        f"const parts = {msgspec.json.encode(parts).decode()};"
        "console.log(JSON.stringify("
        "parts.filter((part) => !board.some(([pattern]) => pattern.test(part)))));"
    )
    done = node("--no-warnings", "--input-type=module", "-e", program, cwd=DESK)
    assert done.returncode == 0, done.stderr

    left = msgspec.json.decode(done.stdout)
    assert [part for part in left if not SAID_ALIKE.fullmatch(part)] == []
