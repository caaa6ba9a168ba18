"""What the tests of the API share."""

from collections.abc import AsyncIterator

import pytest

from tests.http.site import Api, Table, application


@pytest.fixture
async def api(redis_url: str) -> AsyncIterator[Api]:
    """The application on an empty store, where seeds may be chosen."""
    async with application(redis_url) as front:
        yield Api(front)


@pytest.fixture
async def table(api: Api) -> Table:
    """A private match of two."""
    return await api.create()


@pytest.fixture
async def public(api: Api) -> Table:
    """A public match of two."""
    return await api.create(public=True)
