"""A browser of the system that reaches this machine and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.live.servers import Server, serving

CHROMIUM: Final = "/usr/bin/chromium"
FLAGS: Final = (
    "--no-sandbox",  # a build runs as root in a container
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests; where there is none, they fail and say which is missing."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page without a past."""
    with browser.new_context() as context:
        yield context.new_page()


@pytest.fixture(scope="session")
def servers(lasting_redis_url: str) -> Iterator[list[Server]]:
    """One server: the pages that come from it ask no other."""
    with serving(lasting_redis_url) as one:
        yield one
