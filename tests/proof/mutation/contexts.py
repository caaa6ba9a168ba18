"""A plugin of pytest: coverage notes each line under the test that runs it."""

from __future__ import annotations

from collections.abc import Generator

import coverage
import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Fixtures of a test are run by it as well."""
    running = coverage.Coverage.current()
    assert running is not None
    running.switch_context(item.nodeid)
    return (yield)
