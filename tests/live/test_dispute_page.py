"""The page for arbiters: every command on it is run, and prints what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients import ORGANIZER
from tests.live.pages import DOCS, assert_prints, blocks, run
from tests.live.servers import serving
from tests.live.test_receipts import new_key


@pytest.mark.pages
@pytest.mark.timeout(600)
def test_disputes_are_settled_with_the_page(redis_url: str, tmp_path: Path) -> None:
    """The seven that are made up, then a call at a real service, to a certified result."""
    page = blocks("dispute.md")
    key = new_key(tmp_path / "key.pem")
    with serving(redis_url, REFEREE_SIGNING_KEY=key) as (server,):
        replaced = {"http://127.0.0.1:8080": server.url, "eyJ…": ORGANIZER}
        scripts = [block.text for block in page]
        printed = run(scripts, replaced, tmp_path, PYTHONPATH=str(DOCS.parent))
    for block, text in zip(page, printed, strict=False):
        assert_prints(block, text)
    assert all(block.shown for block in page)
    assert len(page) > 8
