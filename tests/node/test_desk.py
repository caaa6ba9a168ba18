"""The desk's code: typed by the API's document, its libraries by their packages, its words."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

import referee.http
from referee.catalogue import catalogue
from referee.core.rules import Rules
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


NOT_ASKED_HERE: Final = {"create_match", "reissue_token", "excuse_outage"}
"""Commands that nobody sends as such: by other routes, or the service by itself."""


@pytest.mark.parametrize("rules", list(catalogue()), ids=lambda rules: rules.game.id)
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
