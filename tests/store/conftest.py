"""The store's time limits in its own tests."""

import pytest

from referee.store import heartbeat, streams
from referee.store.connection import pipeline, servers


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a machine ten times slower keeps; a test about one of them sets its own."""
    monkeypatch.setattr(servers, "CONNECT_S", 20.0)
    monkeypatch.setattr(servers, "HANDSHAKE_S", 20.0)
    monkeypatch.setattr(pipeline, "CONNECT_S", 20.0)
    monkeypatch.setattr(pipeline, "ANSWER_S", 20.0)
    monkeypatch.setattr(pipeline, "WAIT_MS", 10_000)
    monkeypatch.setattr(streams, "SETTLE_S", 40.0)
    monkeypatch.setattr(heartbeat, "ASKED_S", 20.0)
