"""What the tests of the API share."""

from collections.abc import AsyncIterator

import pytest

from tests.http import site
from tests.http.site import Api, Table, application
from tests.http.straight import Straight
from tests.live import servers as live


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that says so by both ways on which commands are taken."""
    if metafunc.definition.get_closest_marker("both_ways") and "api" in metafunc.fixturenames:
        metafunc.parametrize("api", ["ordinary", "straight"], indirect=True)


@pytest.fixture
async def api(request: pytest.FixtureRequest, redis_url: str) -> AsyncIterator[Api]:
    """The application on an empty store, where seeds may be chosen.

    Commands go to the application, the ordinary way, or `straight` through the server's protocol.
    """
    async with application(redis_url) as front:
        straight = getattr(request, "param", "ordinary") == "straight"
        yield Api(front, Straight(front) if straight else None)


@pytest.fixture
def counting_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The application of this test is a new one, whose counters stand at nothing."""
    monkeypatch.setattr(site, "IDLE", [])


@pytest.fixture
async def table(api: Api) -> Table:
    """A private match of two."""
    return await api.create()


@pytest.fixture
async def public(api: Api) -> Table:
    """A public match of two."""
    return await api.create(public=True)


@pytest.fixture(scope="module")
def match(servers: list[live.Server]) -> str:
    """A public match on a real server."""
    return live.Table(servers[0], "giro-galoppo", 3, public=True).match
