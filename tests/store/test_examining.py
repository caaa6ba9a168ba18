"""What is found out about a store's servers: whether they keep what they are told."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import redis

from referee.store import Primary, StoreAway, examined, open_store
from referee.store.examining import USED
from tests.store.machines import Server, eventually, servers

GOOD = {"appendonly": "yes", "maxmemory-policy": "noeviction", "maxmemory": "0"}


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose settings each test makes its own."""
    server = Server(tmp_path_factory.mktemp("one"))
    with servers(server):
        yield server


@pytest.fixture
def server(one: Server) -> Server:
    """It, set as it should be, with nothing in it."""
    one.client.flushall()
    for name, value in GOOD.items():
        one.client.config_set(name, value)
    return one


def with_user(server: Server, rights: str) -> str:
    """The server's URL for a user who may do this alone."""
    keys = ("~match:*", "~referee:*", "resetchannels", "&match:*")
    server.client.execute_command(
        "ACL", "SETUSER", "r", "reset", "on", ">pw", *keys, *rights.split()
    )
    return f"redis://r:pw@127.0.0.1:{server.port}"


async def look(url: str, replicas: int = 0, *, rights: bool = False) -> Primary:
    """What the one primary is like."""
    (found,) = await examined(url, replicas, rights=rights)
    assert found.reached
    return found


def problems(primary: Primary) -> str:
    """All that is wrong with it, as one text."""
    return "; ".join(finding.problem for finding in primary.findings)


async def test_a_server_that_keeps_what_it_is_told_is_durable(server: Server) -> None:
    """Nothing is wrong with it, and what it says of itself is told."""
    found = await look(server.url, rights=True)
    assert found.findings == ()
    assert (found.durable, found.append_only, found.eviction) == (True, True, "noeviction")
    assert found.replicas == 0
    assert abs(found.ahead_s or 1) < 1
    assert server.client.dbsize() == 0


@pytest.mark.parametrize("rights", ["+@all", "+info", "+config|get"])
async def test_a_server_that_may_forget_is_not(server: Server, rights: str) -> None:
    """With no file, or with keys that are dropped when memory is full; whichever way it tells."""
    url = with_user(server, rights)
    assert (await look(url)).durable
    server.client.config_set("appendonly", "no")
    server.client.config_set("maxmemory-policy", "allkeys-lru")
    found = await look(url)
    assert [finding.forgets for finding in found.findings] == [True, True]
    assert "no append-only file" in problems(found)
    assert "allkeys-lru" in problems(found)


async def test_a_server_that_says_nothing_may_forget(server: Server) -> None:
    """Nobody knows better."""
    found = await look(with_user(server, "+ping"))
    assert not found.durable
    assert "+info" in found.findings[0].remedy


async def test_a_server_that_is_nearly_full_is_told_of(server: Server) -> None:
    """It still keeps what it has."""
    server.client.config_set("maxmemory", "100kb")
    found = await look(server.url)
    assert found.durable
    assert "of its memory" in problems(found)


async def test_replicas_are_counted_against_those_that_are_needed(server: Server) -> None:
    """No command is taken while there are fewer."""
    assert "it has 0 replicas, of which 1" in problems(await look(server.url, replicas=1))


async def test_a_replica_is_no_primary(server: Server) -> None:
    """Whoever names one in the URL is told."""
    server.client.replicaof("127.0.0.1", 1)
    try:
        assert "it is a replica" in problems(await look(server.url))
    finally:
        server.client.replicaof("no", "one")


async def test_what_a_user_may_not_do_is_named_one_by_one(server: Server) -> None:
    """It is tried without an effect: nothing is written."""
    rights = {f"+{command[0].lower()}" for command in USED} - {"+xadd", "+time"}
    found = await look(with_user(server, " ".join(["+info +multi +discard", *rights])), rights=True)
    assert [finding.remedy.split(",")[0] for finding in found.findings] == [
        "grant +xadd",
        "grant +time",
    ]
    assert server.client.dbsize() == 0


async def test_a_right_that_a_script_lacks_is_told_as_one(server: Server) -> None:
    """By the code by which 503s are counted, whatever the server's version says."""
    rights = {f"+{command[0].lower()}" for command in USED} - {"+xadd"}
    store = open_store(with_user(server, " ".join(rights)))
    with pytest.raises(StoreAway) as refused:
        await store.append("m", 1, b"1")
    await store.aclose()
    assert refused.value.code == "NOPERM"  # type: ignore[attr-defined]


async def test_a_server_that_takes_no_writes_is_told_of(server: Server) -> None:
    """Whatever it is that it waits for, where it is tried what may be done."""
    server.client.config_set("min-replicas-to-write", "1")
    try:
        assert (await look(server.url)).findings == ()
        assert "it has too few replicas" in problems(await look(server.url, rights=True))
    finally:
        server.client.config_set("min-replicas-to-write", "0")


async def test_a_server_that_is_busy_is_told_of(server: Server) -> None:
    """And not that it forgets, or that our user lacks a right."""
    server.client.config_set("lua-time-limit", "10")
    endless = asyncio.create_task(asyncio.to_thread(_endless, server.url))
    try:
        await eventually(lambda: "BUSY" in _said(server))
        (found,) = await examined(server.url, 0, rights=True)
    finally:
        server.client.script_kill()
        await endless
    assert (found.reached, found.durable) == (False, True)
    assert "it is busy running somebody's script" in problems(found)


def _endless(url: str) -> None:
    with redis.Redis.from_url(url) as client, suppress(redis.RedisError):
        client.eval("while true do end", 0)


def _said(server: Server) -> str:
    try:
        return str(server.client.ping())
    except redis.RedisError as fault:
        return str(fault)


async def test_a_server_that_does_not_answer_is_said_not_to(tmp_path: Path) -> None:
    """And not that it forgets."""
    (found,) = await examined(f"unix://{tmp_path}/nobody.sock", 0)
    assert (found.reached, found.durable) == (False, True)
    assert "cannot be reached" in problems(found)


async def test_a_look_that_is_given_up_ends_whenever_that_is(server: Server) -> None:
    """Or a process that looks again and again would not end when it is told to."""
    store = open_store(server.url)

    async def look_on() -> None:
        while True:
            await store.examine()

    await store.examine()
    for number in range(500):
        looking = asyncio.ensure_future(look_on())
        await asyncio.sleep(number / 100_000)
        looking.cancel()
        async with asyncio.timeout(60):
            await asyncio.wait([looking])
    await store.aclose()


async def test_a_name_that_may_not_be_set_keeps_nobody_out(server: Server) -> None:
    """A connection's name only helps to tell connections apart."""
    url = with_user(server, "+@all -client")
    store = open_store(url)
    await store.append("m", 1, b"1")
    await store.aclose()
    named = open_store(with_user(server, "+@all"))
    await named.read("m")
    assert "referee" in [client["name"] for client in server.client.client_list()]
    await named.aclose()
    with pytest.raises(StoreAway):
        await open_store(f"redis://r:wrong@127.0.0.1:{server.port}").read("m")
