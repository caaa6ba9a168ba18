"""The programs that the tests of clusters run: those of `REFEREE_TEST_SERVERS`, or the one at hand.

`REFEREE_TEST_SERVERS=PATH,PATH` runs each of these tests on each of them.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from referee.store.embedded.server import find_server


def programs() -> list[Path]:
    """The servers to run, one after another."""
    named = os.environ.get("REFEREE_TEST_SERVERS", "")
    return [Path(path).absolute() for path in named.split(",") if path] or [find_server()]


def name_of(program: Path) -> str:
    """What a server says that it is: `redis-7.0.15`.

    Raises:
        pytest.UsageError: it is none.
    """
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise pytest.UsageError(f"REFEREE_TEST_SERVERS: {error}") from None
    found = re.match(r"(\w+) server v=(\S+)", said.stdout)
    if found is None:
        raise pytest.UsageError(f"REFEREE_TEST_SERVERS: {program} is no server of Redis")
    return f"{found[1].lower()}-{found[2]}"


def pytest_report_header() -> str:
    """Which servers the tests of clusters run on."""
    return f"servers: {', '.join(map(name_of, programs()))}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Whoever asks for a `program` is run with each."""
    if "program" in metafunc.fixturenames:
        metafunc.parametrize("program", programs(), ids=name_of, scope="session")
