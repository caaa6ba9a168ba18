"""What the tests of the archive share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from referee.archive import Archive, open_archive
from referee.archive import store as falling_through
from tests.archive.hall import Hall


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An archive in a folder that is not there yet."""
    return open_archive(str(tmp_path / "archive"))


@pytest.fixture
async def hall(redis_url: str, archive: Archive) -> AsyncIterator[Hall]:
    """An empty store, and an empty archive behind it."""
    async with Hall(redis_url, archive) as opened:
        yield opened


@pytest.fixture
def at_leisure(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many look-ups as there are: the test is not about their limit."""
    monkeypatch.setattr(falling_through, "LOOKUPS", 10_000)
