"""Processes are killed in the midst of play: what was acknowledged is there, once."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from referee.http.tokens import Tokens
from referee.service import Bearer
from referee.serving.workers import shared_folder
from referee.store.embedded.server import EmbeddedRedis
from tests.clients import ORGANIZER, SECRET, accepted, ask, bearer
from tests.faults.process import PLACE, Process, Tables, alive, running
from tests.live.servers import Server, Table, serving, wait_until
from tests.store import machines

pytestmark = pytest.mark.crashes

SERVER = "-server"
"""What the embedded store's command line has: redis-server or valkey-server."""
WORKER = "spawn_main"
"""What a worker's has."""


async def test_keeps_what_it_acknowledged_when_it_is_killed(tmp_path: Path) -> None:
    """Killed and started again on the same data, twice; players repeat what got no answer.

    Its store goes with it each time, and so do its workers where it has some.
    """
    with running(tmp_path / "data", "--workers", "2") as first:
        tables = Tables(first)
        tables.create(4)
        async with tables.play():
            process = first
            for _ in range(2):
                await tables.until(30)
                below = process.children(SERVER) + process.children(WORKER)
                assert len(below) == (3 if process is first else 1)
                await asyncio.to_thread(process.kill)
                await asyncio.to_thread(_gone, below)
                process = await asyncio.to_thread(Process, tmp_path / "data")
                tables.url[0] = process.url
            await tables.until(30)
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
                await tables.until(30)
                killed += process.children(SERVER)
                os.kill(killed[-1], signal.SIGKILL)
            await tables.until(30)
        tables.check()
        assert tables.told.away
        assert len({*killed, *process.children(SERVER)}) == 3
        assert process.stop() == 0
    assert "Traceback" not in process.log()


def _gone(pids: list[int]) -> None:
    """Wait until these processes are."""
    wait_until(lambda: not [pid for pid in pids if alive(pid)], 30)


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


def test_a_lost_reply_leaves_the_command_taken_once(servers: list[Server]) -> None:
    """The connection ends after the request was sent: the repeat is answered, not taken again."""
    table = Table(servers[0], "giro-galoppo", 2)
    path = f"{table.path}/commands"
    for number in range(20):
        command, key = {"type": ("pause", "resume")[number % 2]}, f"k{number}"
        _send_and_leave(servers[0], path, ORGANIZER, key, command["type"])
        answer = table.send(ORGANIZER, command, servers[0], **{"Idempotency-Key": key})
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


def test_is_ready_whenever_its_store_is_there(embedded: EmbeddedRedis) -> None:
    """An external store may come up after the service, go, and come back.

    While it is away: 503 with Retry-After, live but not ready; then on as before.
    """
    url = embedded.url
    embedded.stop()
    with serving(url) as (server,):
        ready = f"{server.url}/health/ready"
        assert ask(ready).status_code == 503
        embedded.start()
        wait_until(lambda: ask(ready).status_code == 200)
        table = Table(server, "giro-galoppo", 2, public=True)
        table.play(0, PLACE)
        embedded.stop()
        wait_until(lambda: ask(ready).status_code == 503)

        for answer in (
            table.send(table.tokens[1], {**PLACE, "space": 22}),
            ask(table.url()),
            ask(ready),
            ask(f"{server.url}/v1/matches", headers=bearer(ORGANIZER)),
        ):
            assert answer.status_code == 503
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["type"] == "/problems/store-away"
            assert answer.headers["retry-after"] == "1"
        for path in ("/health/live", "/v1/games", "/metrics", "/schema"):
            assert ask(f"{server.url}{path}").status_code == 200

        embedded.start()
        wait_until(lambda: ask(ready).status_code == 200)
        assert table.view()["version"] == 2
        table.play(1, {**PLACE, "space": 22})


def test_is_ready_only_while_as_many_replicas_are_there_as_it_is_to_wait_for(
    tmp_path: Path,
) -> None:
    """Without them every command would be 503, and so the probe says."""
    primary = machines.Server(tmp_path)
    replica = machines.Server(tmp_path, f"replicaof 127.0.0.1 {primary.port}")
    with (
        machines.servers(primary, replica),
        serving(primary.url, REFEREE_MIN_REPLICAS="1") as (server,),
    ):
        ready = f"{server.url}/health/ready"
        wait_until(lambda: ask(ready).status_code == 200)
        replica.pause()
        wait_until(lambda: ask(ready).status_code == 503)
        assert ask(ready).json()["type"] == "/problems/store-away"
        replica.resume()
        wait_until(lambda: ask(ready).status_code == 200)


def test_metrics_with_a_port_of_their_own_are_there_alone(embedded: EmbeddedRedis) -> None:
    """A seat's secrets are among them on a quiet server: what was refused, by its ruling."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with serving(embedded.url, REFEREE_METRICS_PORT=str(port)) as (server,):
        table = Table(server, "giro-galoppo", 2)
        assert table.send(table.tokens[1], PLACE).status_code == 422
        assert ask(f"{server.url}/metrics").status_code == 404
        assert 'ruling="out-of-turn"' in ask(f"http://127.0.0.1:{port}/metrics").text


# ── Several workers ───────────────────────────────────────────────────────────────────────────────


async def test_workers_serve_as_one_and_play_on_while_one_is_killed(tmp_path: Path) -> None:
    """They share one socket, one store and their metrics, whichever is asked.

    A dead one is replaced.
    """
    with running(tmp_path / "data", "--workers", "2") as process:
        tables = Tables(process)
        tables.create(3)
        _count_together(process, 3)
        before = process.children(WORKER)
        assert len(before) == 2
        async with tables.play():
            await tables.until(20)
            os.kill(before[0], signal.SIGKILL)
            await tables.until(20)
            await asyncio.to_thread(wait_until, lambda: len(process.children(WORKER)) == 2)
        tables.create(3)  # the first may be over by now: a worker takes its time to start
        async with tables.play():
            await tables.until(20)
        tables.check()
        assert set(process.children(WORKER)) != set(before)
        wait_until(lambda: f'worker="{before[0]}"' not in _metrics(process))
        _count_together(process, 6)
        assert process.stop() == 0
    _gone(before)
    assert "a worker died" in process.log()
    assert "Traceback" not in process.log()


def _metrics(process: Process) -> str:
    return ask(f"{process.url}/metrics").text


def _count_together(process: Process, created: int) -> None:
    """Every worker that is asked tells of all matches that were created."""
    route = 'method="POST",route="/v1/matches",status="201"'
    for _ in range(8):
        text = _metrics(process)
        assert f"referee_http_requests_total{{{route}}} {created}.0" in text
        assert text.count("\nprocess_resident_memory_bytes{worker=") == 2


def test_several_workers_without_a_folder_say_what_they_need(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A container whose root is read-only has none unless it is given one."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with pytest.raises(OSError, match=r"^REFEREE_WORKERS: .* mount a /tmp that can be written to"):
        shared_folder()


# ── Starting ──────────────────────────────────────────────────────────────────────────────────────


class Twice(NamedTuple):
    """A process that ran twice on the same data, stopped by one signal and by another."""

    first: Process
    second: Process
    statuses: tuple[int, int]
    stores: list[int]
    known: int
    """The status of a request to the second one with the token of the first."""
    meanwhile: Process
    """One that was started on the same data while the first one ran."""


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Twice:
    """With somebody connected, and a match that was played on, when the signal comes."""
    data = tmp_path_factory.mktemp("twice") / "data"
    with running(data) as first, httpx.Client(base_url=first.url) as idle:
        Tables(first).create(1)
        assert idle.get("/health/ready").status_code == 200
        meanwhile = Process(data)
        assert meanwhile.wait() == 1
        stores = first.children(SERVER)
        stopped = first.stop(signal.SIGTERM)
    with running(data, REFEREE_PRINT_TOKEN="0") as second:
        known = ask(f"{second.url}/v1/matches", headers=bearer(first.organizer)).status_code
        stores += second.children(SERVER)
        interrupted = second.stop(signal.SIGINT)
    return Twice(first, second, (stopped, interrupted), stores, known, meanwhile)


def test_ends_well_when_it_is_told_to(twice: Twice) -> None:
    """SIGTERM and SIGINT both: exit status 0, nobody in the way, and the store goes with it."""
    assert twice.statuses == (0, 0)
    assert len(set(twice.stores)) == 2
    _gone(twice.stores)
    assert "Traceback" not in twice.first.log()


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
def test_ends_well_when_somebody_is_impatient(tmp_path: Path, first: signal.Signals) -> None:
    """A second SIGINT waits for nobody: what is open is closed all the same, and well."""
    with running(tmp_path / "data") as process, socket.socket() as slow:
        slow.connect(("127.0.0.1", int(process.url.rpartition(":")[2])))
        slow.sendall(b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        process.popen.send_signal(first)
        assert process.stop(signal.SIGINT) == 0
    assert "Traceback" not in process.log()


def test_makes_a_secret_and_keeps_it_to_itself(twice: Twice) -> None:
    """The same one next time: tokens outlive the process."""
    secret = twice.first.folder / "secret"
    assert secret.stat().st_mode & 0o777 == 0o600
    assert twice.first.folder.stat().st_mode & 0o077 == 0
    assert twice.known == 200
    assert secret.read_text() not in twice.second.log()
    assert twice.first.organizer not in twice.second.log()


def test_does_not_start_on_data_that_are_in_use(twice: Twice) -> None:
    """Two services never write to one folder."""
    assert "in use by another process" in twice.meanwhile.log()


def test_prints_a_token_unless_told_not_to(twice: Twice) -> None:
    """And a link that signs an organizer in; what a container prints is kept by others."""
    token = f"organizer token: {twice.first.organizer}"
    desk = f"the desk: {twice.first.url}/desk/#token={twice.first.organizer}"
    assert twice.first.said[-3:] == [token, desk, f"listening on {twice.first.url}"]
    assert twice.second.said == [f"listening on {twice.second.url}"]


def test_serves_though_nobody_hears_its_complaints(tmp_path: Path) -> None:
    """With standard error closed it serves; with standard output closed it says so, and ends."""
    environ = {**os.environ, "REFEREE_DATA_DIR": str(tmp_path / "data"), "REFEREE_PORT": "0"}
    serve = [sys.executable, "-m", "referee", "serve"]
    unheard = ["bash", "-c", 'exec "$@" 2>&-', "bash", *serve]
    with subprocess.Popen(unheard, env=environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = next(line for line in process.stdout if line.startswith("listening on "))
        assert ask(f"{said.split()[-1]}/health/ready").status_code == 200
        process.terminate()
    assert process.returncode == 0
    unseen = ["bash", "-c", 'exec "$@" >&-', "bash", *serve]
    ran = subprocess.run(unseen, env=environ, stderr=subprocess.PIPE, text=True, check=False)
    assert (ran.returncode, "standard output is closed" in ran.stderr) == (2, True)


def test_a_secret_in_a_file_is_not_told_and_is_changed_without_a_restart(tmp_path: Path) -> None:
    """Whoever has it can make tokens. Those of a secret that is no longer there are void."""
    file, later = tmp_path / "secret", "another secret that is long enough"
    file.write_text(SECRET)
    new = Tokens([later.encode()]).issue(Bearer("organizer"))
    with running(tmp_path / "data", REFEREE_SECRET_FILE=str(file)) as process:

        def answers(old_one: int, new_one: int) -> bool:
            url, pairs = f"{process.url}/v1/matches", ((ORGANIZER, old_one), (new, new_one))
            return all(ask(url, headers=bearer(t)).status_code == s for t, s in pairs)

        assert [line for line in process.said if "token" in line] == []
        assert answers(200, 401)
        file.write_text("too short")
        wait_until(lambda: "the secrets stay as they were" in process.log())
        assert answers(200, 401)
        file.write_text(f"{later},{SECRET}")
        wait_until(lambda: answers(200, 200))
        file.write_text(later)
        wait_until(lambda: answers(401, 200))
    assert not (tmp_path / "data" / "secret").exists()


def test_the_stores_password_is_changed_without_a_restart(tmp_path: Path) -> None:
    """In the file that its URL stands in: the next connection is made with it."""
    file, store = tmp_path / "url", machines.Server(tmp_path)
    address = f"127.0.0.1:{store.port}"
    with machines.servers(store):
        store.client.config_set("requirepass", "old")
        file.write_text(f"redis://:old@{address}")
        settings = {"REFEREE_REDIS_URL_FILE": str(file), "REFEREE_SECRET": SECRET}
        with running(tmp_path / "data", **settings) as process:

            def lists() -> bool:
                url = f"{process.url}/v1/matches"
                return ask(url, headers=bearer(ORGANIZER)).status_code == 200

            wait_until(lists)
            store.client.config_set("requirepass", "new")
            store.client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            assert not lists()
            file.write_text(f"redis://:new@{address}")
            wait_until(lists)
            file.write_text("redis://:new@127.0.0.1:1")
            wait_until(lambda: "leads to another store" in process.log())
            assert lists()


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
