"""The page about bounds: each number on it is the code's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from referee import slicing
from referee.archive import store as archived
from referee.core.told import memoised
from referee.http import reports, tokens
from referee.http.negotiation import LARGEST_BODY
from referee.http.routes.matches import list_events, list_matches
from referee.http.streams.websocket import MOST_FAULTS
from referee.service import answers, following, logs
from referee.service.asking import requests
from referee.service.service import CAPACITY
from referee.service.taking import past
from referee.serving import connections, server
from referee.settings import Settings
from referee.store import feed, streams

PAGE: Final = Path(__file__).parents[1] / "docs" / "bounds.md"
NUMBERS: Final = [
    connections.MOST_HEAD,
    connections.MOST_HEAD,
    LARGEST_BODY,
    connections.MOST_AHEAD,
    connections.ON_ITS_WAY,
    connections.MOST_UNSENT,
    connections.PIECE,
    connections.PATIENCE_S,
    connections.UNREAD_S,
    following.SEND_S,
    feed.QUEUE,
    following.TOGETHER,
    MOST_FAULTS,
    server.IDLE_S,
    Settings().command_rate,
    requests.BURST_S,
    tokens.KEPT,
    streams.REFUSALS_KEPT,
    answers.LARGEST_RECORD,
    500,
    reports.STEPS,
    logs.PAGE,
    logs.PIECE,
    1000 * slicing.SLICE_S,
    past.KEPT,
    past.FOUND,
    CAPACITY,
    archived.LOOKUPS,
    archived.MISSED_S,
    archived.FOUND_BYTES,
    memoised.ROOM,
]
"""In the page's order."""


def test_the_page_has_the_numbers_of_the_code() -> None:
    """Row by row; a bound that changes has to change there too."""
    rows = re.findall(r"^\| [^|]+ \| (\d+) \| ", PAGE.read_text(), re.MULTILINE)
    assert [int(number) for number in rows] == NUMBERS


def test_no_answer_has_more_than_one_page() -> None:
    """Of events and of matches."""
    for handler in (list_events, list_matches):
        limit = handler.fn.__annotations__["limit"]
        assert "le=500" in str(limit)
