"""What the tests of `replay` share: a finished match, and the command to run on it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from click.testing import CliRunner

from referee.core.verify import Dispute
from replay.group import replay
from tests.replay.logs import Record, table


class Ran(NamedTuple):
    """What a run of the command gave."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output, read as JSON."""
        return json.loads(self.out)


Run = Callable[..., Ran]
Keep = Callable[..., Path]
Finds = Callable[[bytes], Dispute]


@pytest.fixture(scope="session")
def played() -> Record:
    """A match of three, played to its end."""
    return table().play().record()


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs `replay` in this process; what it does not mean to raise comes through."""

    def run(*args: object, stdin: str | None = None) -> Ran:
        # `main` turns click's own exceptions into a status just as the runner does.
        got = CliRunner(catch_exceptions=False).invoke(replay, list(map(str, args)), input=stdin)
        return Ran(got.exit_code, got.stdout, got.stderr)

    return run


@pytest.fixture
def keep(tmp_path: Path) -> Keep:
    """Writes a match file, `m.match` where no other name is given, and says where it is."""

    def keep(data: bytes, name: str = "m.match") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    return keep


def first_dispute(ran: Ran) -> Dispute:
    """The first dispute of the first log."""
    return msgspec.convert(ran.json["logs"][0]["disputes"][0], Dispute)


@pytest.fixture
def dispute(run: Run, keep: Keep) -> Finds:
    """Verifies a match file that must be in dispute, and gives its first dispute."""

    def dispute(data: bytes) -> Dispute:
        ran = run("verify", keep(data), "--json")
        assert ran.status == 1
        assert ran.json["logs"][0]["verdict"] == "in dispute"
        return first_dispute(ran)

    return dispute
