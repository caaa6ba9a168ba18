"""Processes are killed in the midst of play: what was acknowledged is there, once."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from pathlib import Path

import httpx
import pytest

from referee.store.embedded.server import EmbeddedRedis
from tests.faults.process import PLACE, Process, Tables, alive, running
from tests.live.servers import (
    ORGANIZER,
    SECRET,
    Server,
    Table,
    accepted,
    bearer,
    serving,
    wait_until,
)

SERVER = "-server"
"""What the embedded store's command line has: redis-server or valkey-server."""


async def test_keeps_what_it_acknowledged_when_it_is_killed(tmp_path: Path) -> None:
    """Killed and started again on the same data, twice; players repeat what got no answer."""
    with running(tmp_path / "data") as first:
        tables = Tables(first)
        tables.create(4)
        async with tables.play():
            process = first
            for _ in range(2):
                await tables.until(60)
                await asyncio.to_thread(process.kill)
                process = await asyncio.to_thread(Process, tmp_path / "data")
                tables.url[0] = process.url
            await tables.until(60)
        tables.check()
        assert process.stop() == 0
    assert "Traceback" not in first.log()


async def test_keeps_what_it_acknowledged_when_its_store_is_killed(tmp_path: Path) -> None:
    """The service starts it again by itself; meanwhile nothing is acknowledged."""
    with running(tmp_path / "data") as process:
        tables = Tables(process)
        tables.create(4)
        async with tables.play():
            killed = []
            for _ in range(2):
                await tables.until(60)
                killed += process.children(SERVER)
                os.kill(killed[-1], signal.SIGKILL)
            await tables.until(60)
        tables.check()
        assert tables.told.away
        assert len({*killed, *process.children(SERVER)}) == 3
        assert process.stop() == 0
    assert "Traceback" not in process.log()


def _gone(pids: list[int]) -> None:
    """Wait until these processes are."""
    wait_until(lambda: not [pid for pid in pids if alive(pid)], 30)


def test_takes_its_store_with_it_however_it_ends(tmp_path: Path) -> None:
    """Killed or stopped: no server is left behind that would hold the data."""
    for end in (Process.kill, Process.stop):
        with running(tmp_path / "data") as process:
            stores = process.children(SERVER)
            end(process)
        assert len(stores) == 1
        _gone(stores)


def test_stops_where_its_store_does_not_start_again(tmp_path: Path) -> None:
    """Data that cannot be loaded are told of, not served without."""
    with running(tmp_path / "data") as process:
        tables = Tables(process)
        tables.create(1)
        (store,) = process.children(SERVER)
        os.kill(store, signal.SIGSTOP)
        for file in (tmp_path / "data" / "redis" / "appendonlydir").glob("*.incr.aof"):
            file.write_bytes(file.read_bytes()[:-5])
        os.kill(store, signal.SIGKILL)

        assert process.wait() == 1
    assert "does not start again" in process.log()


def test_answers_what_is_under_way_when_it_is_told_to_stop(tmp_path: Path) -> None:
    """SIGTERM and SIGINT both end it well: exit status 0."""
    for sig in (signal.SIGTERM, signal.SIGINT):
        with running(tmp_path / "data") as process:
            tables = Tables(process)
            tables.create(1)
            with httpx.Client(base_url=process.url) as idle:
                assert idle.get("/health/ready").status_code == 200
                assert process.stop(sig) == 0
        assert "Traceback" not in process.log()


def test_a_lost_reply_leaves_the_command_taken_once(redis_url: str) -> None:
    """The connection ends after the request was sent: the repeat is answered, not taken again."""
    with serving(redis_url) as (server,):
        table = Table(server, "giro-galoppo", 2)
        path = f"{table.path}/commands"
        for number in range(20):
            command = {"type": "offer_draw"} if number % 2 == 0 else {"type": "decline_draw"}
            token, key = table.tokens[number % 2], f"k{number}"
            _send_and_leave(server, path, token, key, command["type"])
            answer = httpx.post(
                table.url("/commands"),
                json=command,
                headers={**bearer(token), "Idempotency-Key": key},
            )
            assert accepted(answer)["version"] == number + 2
        assert table.view()["version"] == 21


def _send_and_leave(server: Server, path: str, token: str, key: str, kind: str) -> None:
    """Send a command, and be gone before the answer."""
    body = f'{{"type":"{kind}"}}'
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(
            f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
            f"Idempotency-Key: {key}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )


def test_comes_back_with_the_store(embedded: EmbeddedRedis) -> None:
    """While it is away: 503 with Retry-After, live but not ready; then on as before."""
    with serving(embedded.url) as (server,):
        table = Table(server, "giro-galoppo", 2, public=True)
        table.play(0, PLACE)
        embedded.stop()

        for answer in (
            table.send(table.tokens[1], {**PLACE, "space": 22}),
            httpx.get(table.url()),
            httpx.get(f"{server.url}/health/ready"),
            httpx.get(f"{server.url}/v1/matches", headers=bearer(ORGANIZER)),
        ):
            assert answer.status_code == 503
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["type"] == "/problems/store-away"
            assert answer.headers["retry-after"] == "1"
        for path in ("/health/live", "/v1/games", "/metrics", "/schema"):
            assert httpx.get(f"{server.url}{path}").status_code == 200

        embedded.start()
        wait_until(lambda: httpx.get(f"{server.url}/health/ready").status_code == 200)
        assert table.view()["version"] == 2
        table.play(1, {**PLACE, "space": 22})


def test_starts_without_its_store_and_is_ready_once_it_is_there(embedded: EmbeddedRedis) -> None:
    """An external store may come up after the service."""
    url = embedded.url
    embedded.stop()
    with serving(url) as (server,):
        assert httpx.get(f"{server.url}/health/ready").status_code == 503
        embedded.start()
        wait_until(lambda: httpx.get(f"{server.url}/health/ready").status_code == 200)


# ── Several workers ─────────────────────────────────────────────────────────────────────────

WORKER = "spawn_main"


async def test_plays_on_while_workers_are_killed(tmp_path: Path) -> None:
    """They share one socket and one store; a dead one is replaced."""
    with running(tmp_path / "data", "--workers", "2") as process:
        tables = Tables(process)
        tables.create(3)
        before = process.children(WORKER)
        assert len(before) == 2
        async with tables.play():
            await tables.until(40)
            os.kill(before[0], signal.SIGKILL)
            await tables.until(40)
            await asyncio.to_thread(wait_until, lambda: len(process.children(WORKER)) == 2)
        tables.create(3)  # the first may be over by now: a worker takes its time to start
        async with tables.play():
            await tables.until(40)
        tables.check()
        assert set(process.children(WORKER)) != set(before)
        assert process.stop() == 0
    _gone(before)
    assert "a worker died" in process.log()
    assert "Traceback" not in process.log()


def test_workers_count_together_and_end_with_their_parent(tmp_path: Path) -> None:
    """Metrics are those of all, whichever is asked; a parent that is killed leaves nobody."""
    with running(tmp_path / "data", "--workers", "2") as process:
        tables = Tables(process)
        tables.create(12)
        for _ in range(8):
            text = httpx.get(f"{process.url}/metrics").text
            route = 'method="POST",route="/v1/matches",status="201"'
            assert f"referee_http_requests_total{{{route}}} 12.0" in text

        below = [*process.children(WORKER), *process.children(SERVER)]
        assert len(below) == 3
        process.kill()
        _gone(below)


# ── Starting ────────────────────────────────────────────────────────────────────────────────


def test_makes_a_secret_and_keeps_it_to_itself(tmp_path: Path) -> None:
    """The same one next time: tokens outlive the process."""
    with running(tmp_path / "data") as process:
        token = process.organizer
    secret = tmp_path / "data" / "secret"
    assert secret.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0

    with running(tmp_path / "data") as process:
        answer = httpx.get(f"{process.url}/v1/matches", headers=bearer(token))
        assert answer.status_code == 200
    assert secret.read_text() not in process.log()
    assert token not in process.log()


def test_prints_no_token_where_a_secret_is_given(tmp_path: Path) -> None:
    """Whoever has the secret can make tokens, and need not be told."""
    with running(tmp_path / "data", REFEREE_SECRET=SECRET) as process:
        assert [line for line in process.said if "token" in line] == []
        answer = httpx.get(f"{process.url}/v1/matches", headers=bearer(ORGANIZER))
        assert answer.status_code == 200
    assert not (tmp_path / "data" / "secret").exists()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"REFEREE_PORT": "x"}, "REFEREE_PORT: must be a whole number"),
        ({"REFEREE_SECRET": "short"}, "REFEREE_SECRET: must be secrets of at least 32 bytes"),
        ({"REFEREE_REDIS_URL": "redis://localhost"}, "REFEREE_SECRET: with REFEREE_REDIS_URL"),
        (
            {"REFEREE_SIGNING_KEY": "/nothing"},
            "REFEREE_SIGNING_KEY: must be the name of a PEM file",
        ),
        ({"REFEREE_HOST": "256.0.0.1"}, "Error:"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_does_not_start_with_a_setting_that_is_wrong(
    tmp_path: Path, settings: dict[str, str], told: str
) -> None:
    """It says which, and what it may be."""
    process = Process(tmp_path / "data", **settings)

    assert process.wait() == 1
    assert told in process.log()
    assert "Traceback" not in process.log()


def test_does_not_start_on_a_port_or_data_that_are_in_use(tmp_path: Path) -> None:
    """Two services never write to one folder."""
    with running(tmp_path / "data") as process:
        port = process.url.rpartition(":")[2]
        same_port = Process(tmp_path / "other", REFEREE_PORT=port)
        same_data = Process(tmp_path / "data")

        assert (same_port.wait(), same_data.wait()) == (1, 1)
        assert "in use" in same_port.log()
        assert "in use by another process" in same_data.log()
        assert httpx.get(f"{process.url}/health/ready").status_code == 200
