"""Which Redis the tests run on: the one that is named, a container, the embedded server."""

from __future__ import annotations

import contextlib
import socketserver
import threading
import warnings
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.store.fixtures import server_in_line


class Engine(socketserver.ThreadingUnixStreamServer):
    """A Docker engine on a Unix socket that answers, but has no image and gets none."""

    daemon_threads = True

    def __init__(self, path: Path, *, silent: bool) -> None:
        self.asked: list[str] = []
        self.ended = threading.Event()
        self.silent = silent
        super().__init__(str(path), Asked)

    def handle_error(self, *_: Any) -> None:
        """Whoever asked may be gone before the answer."""


class Asked(BaseHTTPRequestHandler):
    """One request to the engine."""

    protocol_version = "HTTP/1.1"
    server: Engine

    def do_GET(self) -> None:
        """It is there and says its version; it has no image."""
        self.server.asked.append(self.path)
        path = self.path.partition("?")[0]
        if path.endswith("/_ping"):
            self._answer(200, b"OK")
        elif path.endswith("/version"):
            self._answer(200, b'{"ApiVersion": "1.47", "Version": "27.0"}')
        else:
            self._answer(404, b'{"message": "no such image"}')

    do_HEAD = do_GET  # noqa: N815 - as the library names it

    def do_POST(self) -> None:
        """A pull: the registry is not there, or is waited for without an end."""
        self.server.asked.append(self.path)
        if self.server.silent:
            self.server.ended.wait()
        self._answer(500, b'{"message": "dial tcp: no such host"}')

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""

    def address_string(self) -> str:
        """A client of a Unix socket has none."""
        return ""


@contextlib.contextmanager
def engine(folder: Path, patch: pytest.MonkeyPatch, *, silent: bool = False) -> Generator[Engine]:
    """An engine that the tests would find, and no server that is named."""
    patch.delenv("REFEREE_TEST_REDIS_URL", raising=False)
    patch.setenv("DOCKER_HOST", f"unix://{folder}/docker.sock")
    with Engine(folder / "docker.sock", silent=silent) as made:
        serving = threading.Thread(target=made.serve_forever, args=(0.01,))
        serving.start()
        yield made
        made.ended.set()
        made.shutdown()
        serving.join()


def serves(url: str) -> bool:
    """Whether there is a Redis at this URL."""
    with redis.Redis.from_url(url) as client:
        return bool(client.ping())


def test_an_engine_without_the_image_leaves_the_embedded_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One warning, with the engine's own reason, and tests run."""
    with (
        engine(tmp_path, monkeypatch) as asked,
        pytest.warns(UserWarning, match="no such host") as told,
        server_in_line(tmp_path) as url,
    ):
        assert serves(url)
    assert len(told) == 1
    assert [path for path in asked.asked if "/images/create" in path]


def test_a_pull_without_an_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One warning, and tests run: nobody waits for a registry that is not reached."""
    with (
        engine(tmp_path, monkeypatch, silent=True),
        pytest.warns(UserWarning, match="did not come in 3 s") as told,
        server_in_line(tmp_path, patience=3) as url,
    ):
        assert serves(url)
    assert len(told) == 1


def test_without_an_engine_the_embedded_server_needs_no_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most machines have none."""
    monkeypatch.delenv("REFEREE_TEST_REDIS_URL", raising=False)
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with warnings.catch_warnings(), server_in_line(tmp_path) as url:
        warnings.simplefilter("error")
        assert serves(url)


def test_a_server_that_is_named_comes_before_any_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine is not even asked."""
    with engine(tmp_path, monkeypatch) as asked:
        monkeypatch.setenv("REFEREE_TEST_REDIS_URL", "redis://named:1/7")
        with server_in_line(tmp_path) as url:
            assert url == "redis://named:1/7"
    assert asked.asked == []
