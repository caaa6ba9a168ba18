"""Servers that the tests here share: they play different matches."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.servers import Server, serving


@pytest.fixture(scope="session")
def servers(redis_server_url: str) -> Iterator[list[Server]]:
    """Two servers on one Redis."""
    with serving(redis_server_url, 2) as both:
        yield both
