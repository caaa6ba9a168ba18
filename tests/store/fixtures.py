"""A real Redis for whoever needs one: never an imitation, which differs where it matters.

`REFEREE_TEST_REDIS_URL` names one (its database is emptied before each test; every worker of a
parallel run takes a database of its own), else a container is started where a Docker engine
answers and has or gets the image, else the embedded server.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import pytest
import redis

from referee.store import MatchStore, open_store
from referee.store.embedded.server import EmbeddedRedis

IMAGE: Final = "redis:8-alpine"
PATIENCE_S: Final = 60.0
"""A pull that takes longer is given up: engines repeat what does not succeed, on and on."""


def _image_is_at_hand(patience: float) -> bool:
    """Whether an engine answers that has the image; a warning where that is all it lacks."""
    if shutil.which("docker") is None and "DOCKER_HOST" not in os.environ:
        return False
    command = [sys.executable, "-m", "tests.store.pull", IMAGE]
    try:
        asked = subprocess.run(
            command, capture_output=True, text=True, timeout=patience, check=False
        )
    except subprocess.TimeoutExpired:
        _warn(f"{IMAGE} did not come in {patience:g} s")
        return False
    if asked.returncode:
        _warn(asked.stderr.strip())
    return asked.stdout == "ready\n"


def _warn(why: str) -> None:
    warnings.warn(f"no container, the embedded server instead: {why}", stacklevel=2)


@contextlib.contextmanager
def _container() -> Generator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from testcontainers.redis import RedisContainer  # noqa: PLC0415 - only where an engine answers

        with RedisContainer(IMAGE) as server:
            yield f"redis://{server.get_container_host_ip()}:{server.get_exposed_port(6379)}"


@contextlib.contextmanager
def server_in_line(folder: Path, patience: float = PATIENCE_S) -> Generator[str]:
    """The URL of the first server that can be had; an embedded one keeps its data in `folder`."""
    given = os.environ.get("REFEREE_TEST_REDIS_URL")
    if given:
        yield _own_database(given)
    elif _image_is_at_hand(patience):
        with _container() as url:
            yield url
    else:
        with EmbeddedRedis(folder) as server:
            yield server.url


def _own_database(url: str) -> str:
    """The URL with this worker's database in it, where it names none."""
    parts = urlsplit(url)
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    if parts.scheme not in {"redis", "rediss"} or parts.path.strip("/"):
        return url
    return urlunsplit(parts._replace(path=f"/{worker}"))


@pytest.fixture(scope="session")
def redis_server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that lives as long as the run."""
    with server_in_line(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture
def redis_url(redis_server_url: str) -> str:
    """The URL of a server with nothing in it."""
    client = redis.Redis.from_url(redis_server_url)
    client.flushdb()
    client.close()
    return redis_server_url


@pytest.fixture(scope="session")
def lasting_redis_url(redis_server_url: str) -> str:
    """The URL of a database for services that outlive a test.

    Nobody empties it between tests, and what a service does by itself, beating and minding
    deadlines, it does in no other test's matches.
    """
    url = _another_database(redis_server_url)
    with redis.Redis.from_url(url) as client:
        client.flushdb()
    return url


def _another_database(url: str) -> str:
    """Eight on from the one named; where a server has only one, that one."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return f"{url}?db=8"
    if parts.scheme not in {"redis", "rediss"}:
        return url
    return urlunsplit(parts._replace(path=f"/{int(parts.path.strip('/') or 0) + 8}"))


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[MatchStore]:
    """An empty store, closed after the test."""
    opened = open_store(redis_url)
    yield opened
    await opened.aclose()


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    """A server of the test's own, to be killed and started again."""
    server = EmbeddedRedis(tmp_path / "data")
    server.start()
    yield server
    server.stop()
