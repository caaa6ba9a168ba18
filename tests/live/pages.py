"""Pages of the documentation whose commands are run: each prints what the page shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

DOCS: Final = Path(__file__).parents[2] / "docs"
TOOLS: Final = ("bash", "curl", "jq")
"""What the pages' commands are pasted into; `.ci/run` installs them."""
_MARK: Final = "-- end of block --"


class Block(Struct):
    """A fenced block: its kind, its text, and the output that the page shows after it."""

    kind: str
    text: str
    shown: str | None = None


def blocks(page: str) -> list[Block]:
    """A page's blocks in order, each with the output that follows it."""
    text = (DOCS / page).read_text()
    found: list[Block] = []
    for kind, body in re.findall(r"^```(.*)\n((?:.*\n)*?)^```$", text, re.MULTILINE):
        if kind in ("json", "text"):
            found[-1].shown = body
        elif kind:
            found.append(Block(kind, body))
    return found


def run(scripts: Sequence[str], replaced: Mapping[str, str], folder: Path, **env: str) -> list[str]:
    """Run them in order in one shell, with what the page's words stand for; what each printed."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    assert not missing, f"the page's commands need {missing}, which the system's packages bring"
    lines = ["set -eu -o pipefail -o allexport"]
    for script in scripts:
        lines += [script, f'echo "{_MARK}"']
    whole = "\n".join([*lines, "wait"])
    for word, meant in replaced.items():
        whole = whole.replace(word, meant)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash"],
        input=whole,
        cwd=folder,
        env={"PATH": path, **env},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout.split(f"{_MARK}\n")


def assert_prints(block: Block, printed: str) -> None:
    """A block prints what the page shows, where … stands for anything."""
    if block.shown is not None:
        pattern = ".*".join(map(re.escape, block.shown.strip().split("…")))
        shows = re.fullmatch(pattern, printed.strip(), re.DOTALL)
        assert shows, f"{block.text}\nprints\n{printed}"
