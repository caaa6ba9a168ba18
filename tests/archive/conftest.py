"""What the tests of the archive share."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from referee.archive import Archive, open_archive
from tests.archive.hall import Hall
from tests.archive.objects import Objects, serving_objects
from tests.http.site import Api, application


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
async def api(redis_url: str, archive: Archive) -> AsyncIterator[Api]:
    """The application on a store that falls through to the archive."""
    async with application(redis_url, archive=archive) as front:
        yield Api(front)


@pytest.fixture(scope="module")
def running_objects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Objects]:
    """An object store that a module's tests share."""
    with serving_objects(tmp_path_factory.mktemp("objects") / "log") as server:
        yield server


@pytest.fixture
def objects(running_objects: Objects, monkeypatch: pytest.MonkeyPatch) -> Objects:
    """The same, named in the environment as its clients expect."""
    for name, value in running_objects.environment.items():
        monkeypatch.setenv(name, value)
    return running_objects
