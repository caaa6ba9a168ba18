"""The image: what is in it, and that it serves with next to no rights."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from uuid import uuid4

import pytest
from packaging.requirements import Requirement

from tests.clients import SECRET, accepted, bearer, created, order_of
from tests.image.container import BASE, IMAGE, Container, engine, inspected, ran
from tests.live.readers import listening
from tests.live.servers import Table
from tests.store.machines import Server as Store
from tests.store.machines import servers

pytestmark = [pytest.mark.image, pytest.mark.timeout(300)]

ROOT: Final = Path(__file__).parents[2]
LARGEST: Final = 75_000_000
"""Bytes that it may add to its base."""


@pytest.fixture
def volume() -> Iterator[str]:
    """A volume for `/data`."""
    name = f"referee-{uuid4().hex}"
    yield name
    engine("volume", "rm", "-f", name)


@contextlib.contextmanager
def running(container: Container) -> Iterator[Container]:
    """A container that serves; ended afterwards."""
    try:
        yield container.listening()
    finally:
        container.kill()


# ── What is in it ─────────────────────────────────────────────────────────────────────────────────


def test_it_adds_little_to_its_base() -> None:
    """All that it needs included."""
    assert inspected(IMAGE)["Size"] - inspected(BASE)["Size"] <= LARGEST


def test_it_has_all_of_the_lock_and_nothing_else() -> None:
    """The packages of `requirements/run.txt` at their versions, and the project."""
    program = (
        "import json, sys; from importlib.metadata import distributions;"
        "print(json.dumps([sys.version.split()[0], {d.name: d.version for d in distributions()}]))"
    )
    version, found = json.loads(ran("python", "-c", program)[1])
    here = {"python_full_version": version, "sys_platform": sys.platform}
    lines = (ROOT / "requirements" / "run.txt").read_text().splitlines()
    pins = [Requirement(line.rstrip("\\ ")) for line in lines if "==" in line]
    locked = {
        pin.name: str(pin.specifier).removeprefix("==")
        for pin in pins
        if pin.marker is None or pin.marker.evaluate(here)
    }
    del found["referee"]
    assert {name.lower().replace("_", "-"): text for name, text in found.items()} == locked


def test_it_says_what_it_is() -> None:
    """By the labels that registries read."""
    labels = inspected(IMAGE)["Config"]["Labels"]
    told = {name.removeprefix("org.opencontainers.image."): text for name, text in labels.items()}
    assert (told["title"], told["licenses"], told["base.name"]) == ("referee", "MIT", BASE)
    assert told["version"] in ran("referee", "--version")[1]
    assert len(told["revision"]) == 40


# ── What it does, as a user that it does not know, on a root that is read-only ────────────────────


async def test_it_serves_from_a_store_of_its_own(volume: str) -> None:
    """Its health check passes; told to stop it ends its streams, and keeps what was played."""
    data = f"--volume={volume}:/data"
    with running(Container("", data, REFEREE_SECRET="")) as container:
        token = ran("referee", "token", "organizer", options=(data,))[1].strip()
        desk = container.client.get(f"{container.url}/", follow_redirects=True)
        assert (desk.status_code, desk.url.path) == (200, "/desk/")
        made = created(container.url, order_of(2), token)
        path = f"/v1/matches/{made['match']}"
        found = inspected(IMAGE)
        health = (found.get("Healthcheck") or found["Config"]["Healthcheck"])["Test"]
        assert health[0] == "CMD"
        assert container.has_run(*health[1:])
        async with listening(f"{container.url}{path}/events", token) as stream:
            assert await stream.versions(1) == [1]
            stopped = asyncio.ensure_future(asyncio.to_thread(container.stop))
            assert await stream.rest() == []
            assert await stopped == 0
    with running(Container("", data, REFEREE_SECRET="")) as container:
        view = accepted(container.client.get(f"{container.url}{path}", headers=bearer(token)))
        assert (view["version"], view["head"]) == (1, made["head"])
        # What a container prints is kept by others: no token is there, and no link that has one.
        assert not [line for line in engine("logs", container.name).splitlines() if "token" in line]


def test_it_serves_from_a_store_elsewhere_and_replay_judges_what_was_played(
    tmp_path: Path,
) -> None:
    """Two of them on one store, their secrets in files."""
    store = Store(tmp_path)
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "tokens").write_text(SECRET)
    (secrets / "redis-url").write_text(store.url)
    options = [f"--volume={secrets}:/secrets:ro"]
    settings = {
        "REFEREE_SECRET": "",
        "REFEREE_SECRET_FILE": "/secrets/tokens",
        "REFEREE_REDIS_URL_FILE": "/secrets/redis-url",
    }
    with servers(store), contextlib.ExitStack() as stack:
        first, second = (
            stack.enter_context(running(Container("", *options, **settings))) for _ in range(2)
        )
        table = Table(first, "giro-galoppo", 2)
        for number in range(6):
            table.move((first, second)[number % 2])
        told = (f"--env=REFEREE_TOKEN={table.tokens[0]}",)
        table.rule({"type": "void", "reason": "enough"})
        judged = json.loads(ran("replay", "verify", "--json", table.url(), options=told)[1])
        assert judged["logs"][0]["verdict"] == "not signed"
        assert (first.stop(), second.stop()) == (0, 0)


def test_several_workers_need_a_place_to_count_in() -> None:
    """They say so, and serve where it is given."""
    status, said = ran("referee", "serve", options=("--env=REFEREE_WORKERS=2",), check=False)
    assert status == 1
    assert "REFEREE_WORKERS: several processes count together" in said
    assert "mount a /tmp that can be written to" in said
    options = ["--tmpfs=/tmp", "--tmpfs=/data:mode=0770"]
    with running(Container("", *options, REFEREE_WORKERS="2")) as container:
        assert container.metric("referee_live_streams") == 0
