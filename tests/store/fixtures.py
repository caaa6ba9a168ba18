"""A real Redis for whoever needs one: never an imitation, which differs where it matters.

`REFEREE_TEST_REDIS_URL` names one (its database is emptied before each test; every worker of a
parallel run takes a database of its own), else a container is started where a Docker engine
answers, else the embedded server.
"""

import contextlib
import os
import shutil
import subprocess
import warnings
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
import redis

from referee.store import MatchStore, open_store
from referee.store.embedded.server import EmbeddedRedis


def _docker_answers() -> bool:
    """Whether there is an engine, and we may use it."""
    if shutil.which("docker") is None:
        return False
    with contextlib.suppress(subprocess.TimeoutExpired):
        asked = subprocess.run(["docker", "version"], capture_output=True, timeout=5, check=False)
        return asked.returncode == 0
    return False


@contextlib.contextmanager
def _container() -> Generator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from testcontainers.redis import RedisContainer  # noqa: PLC0415 - only where an engine answers

        with RedisContainer("redis:8-alpine") as server:
            yield f"redis://{server.get_container_host_ip()}:{server.get_exposed_port(6379)}"


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
    given = os.environ.get("REFEREE_TEST_REDIS_URL")
    if given:
        yield _own_database(given)
    elif _docker_answers():
        with _container() as url:
            yield url
    else:
        with EmbeddedRedis(tmp_path_factory.mktemp("redis")) as server:
            yield server.url


@pytest.fixture
def redis_url(redis_server_url: str) -> str:
    """The URL of a server with nothing in it."""
    client = redis.Redis.from_url(redis_server_url)
    client.flushdb()
    client.close()
    return redis_server_url


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
