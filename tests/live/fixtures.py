"""Servers that tests share: they play different matches on them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.servers import Server, serving


@pytest.fixture(scope="session")
def servers(lasting_redis_url: str) -> Iterator[list[Server]]:
    """Three servers on one Redis, which all watch the same deadlines."""
    with serving(lasting_redis_url, 3) as three:
        yield three
