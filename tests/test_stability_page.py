"""What holds from 1.0 on: whatever a program may meet by name stands on a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest
from click import Context, Group

from referee.__main__ import main as referee
from referee.catalogue import catalogue
from referee.core.rules import Rules
from referee.core.table import TABLE
from referee.core.table.rulings import RULINGS
from referee.http.metrics import Metrics
from referee.http.problems import KINDS
from referee.settings import NAMES
from replay import exits
from replay.exits import INTERRUPTED, PIPE_CLOSED
from replay.group import SUMMARIES

ROOT: Final = Path(__file__).parents[1]
STABILITY: Final = (ROOT / "docs" / "stability.md").read_text()
REPLAY: Final = (ROOT / "docs" / "replay.md").read_text()
PAGES: Final = "\n".join(
    path.read_text()
    for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), ROOT / "schemas/reference.md")
)


def names() -> Iterator[str]:
    """Each name, as it stands on a page."""
    yield from (f"`{name}`" for name in NAMES)
    assert isinstance(referee, Group)
    yield from (f"`referee {name}" for name in referee.list_commands(Context(referee)))
    yield from (f"## {name}\n" for name in SUMMARIES)
    yield from (f"`{kind.type}`" for kind in KINDS.values())
    found = (family.name for family in Metrics().registry.collect())
    yield from (f"`{name}" for name in found if name.startswith("referee_"))
    yield from (f"| `{ruling.id}` |" for ruling in RULINGS)
    yield from (f"`{of.command.__struct_config__.tag}`" for of in TABLE)


def test_every_name_that_a_program_meets_stands_on_a_page() -> None:
    """Settings, commands, kinds of problems, metrics, and the rulings of the table."""
    assert [name for name in names() if name not in PAGES] == []


@pytest.mark.parametrize("rules", list(catalogue()), ids=lambda rules: rules.game.ruleset)
def test_every_game_stands_on_a_page_by_name(rules: Rules) -> None:
    """Its commands, events and rulings, below its ruleset."""
    below = PAGES.partition(f"## {rules.game.ruleset}\n")[2].partition("\n## ")[0]
    kinds = [*(of.command for of in rules.game.commands), *rules.game.events]
    known = [f"`{kind.__struct_config__.tag}`" for kind in kinds]
    known += [
        f"| `{ruling.id}` | {ruling.text} | {ruling.origin} |" for ruling in rules.game.rulings
    ]
    assert [name for name in known if name not in below] == []


def test_every_route_is_said_to_hold() -> None:
    """Those that the API's document describes, and the two that it cannot."""
    described = msgspec.json.decode((ROOT / "schemas" / "openapi.json").read_bytes())["paths"]
    routes = {f"{way.upper()} {path}" for path, of in described.items() for way in of}
    beside = {"GET /v1/matches/{match}/live", "GET /schema/openapi.json"}
    assert set(re.findall(r"`((?:GET|POST) /[^`]*)`", STABILITY)) == routes | beside


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_of_replay_says_what_its_json_is(name: str) -> None:
    """In its own section: the shape that holds."""
    section = REPLAY.partition(f"## {name}\n")[2].partition("\n## ")[0]
    assert "--json" in section


def test_the_statuses_are_those_with_which_replay_ends() -> None:
    """Zero, one and two, and what a shell says of Ctrl-C and of a closed pipe."""
    ends = (exits.FINE, exits.DISPUTED, exits.UNUSABLE, f"{INTERRUPTED}, {PIPE_CLOSED}")
    listed = re.findall(r"^\| ([0-9, ]+) \|", STABILITY, re.MULTILINE)
    assert listed == list(map(str, ends))
