"""Replicas and Sentinels, for real: several servers on this machine."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.store import (
    Conflict,
    Due,
    Entry,
    InLists,
    MatchStore,
    Rewritten,
    StoreAway,
    feed,
    heartbeat,
)
from referee.store.connection import pipeline
from referee.store.scripts import log_key
from tests.store.machines import (
    CUT_AFTER,
    FORWARD,
    Server,
    Verdict,
    linked,
    minded,
    once,
    opened,
    primary_and_replica,
    proxy,
    servers,
    wait_until,
)

# ── Replicas ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Server, Server]]:
    """A primary and a replica that follows it."""
    with primary_and_replica(tmp_path) as both:
        yield both


async def test_a_replica_has_what_was_acknowledged(pair: tuple[Server, Server]) -> None:
    """With `min_replicas`, whatever returned is on the replica at that moment."""
    primary, replica = pair
    async with opened(primary.url, 1) as store:
        for version in range(1, 21):
            await store.append("m", version, b"%d" % version)
            assert replica.client.xlen(log_key("m")) == version
        await asyncio.gather(*(store.append(f"n{n}", 1, b"1") for n in range(50)))
        assert all(replica.client.exists(log_key(f"n{n}")) for n in range(50))
        assert await store.confirm("m", Entry(20, b"20"))
        assert not await store.confirm("m", Entry(20, b"another"))
        assert not await store.confirm("m", Entry(21, b"21"))


@pytest.mark.parametrize(
    ("primary_syncs", "replica_keeps", "asked"),
    [
        ("always", "yes", [True, True]),
        ("always", "no", [True, False]),
        ("everysec", "yes", [False] * 2),
    ],
)
async def test_replicas_are_to_have_synced_where_that_can_be_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    primary_syncs: str,
    replica_keeps: str,
    asked: list[bool],
) -> None:
    """By a primary that syncs at once; of replicas that do not, that they received it has to do."""
    primary = Server(tmp_path, "appendonly yes", f"appendfsync {primary_syncs}")
    keeps = (f"appendonly {replica_keeps}", "appendfsync always")
    replica = Server(tmp_path, f"replicaof 127.0.0.1 {primary.port}", *keeps)
    if replica_keeps == "no":
        monkeypatch.setattr(pipeline, "WAIT_MS", 2000)
    with servers(primary, replica):
        wait_until(lambda: linked(primary))
        async with proxy(tmp_path, primary.url) as wire, opened(wire.url, 1) as store:
            sent: list[bool] = []

            def judge(data: bytes) -> Verdict:
                sent.append(b"EVAL" in data and b"WAITAOF" in data)
                return FORWARD

            wire.judge = judge
            for version in (1, 2):
                sent.clear()
                await store.append("m", version, b"%d" % version)
                assert any(sent) is asked[version - 1]
                assert replica.client.xlen(log_key("m")) == version


async def test_without_its_replica_an_append_is_unknown_and_not_shown(
    pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Applied but not safe: neither acknowledged nor shown live, until it is confirmed."""
    monkeypatch.setattr(feed, "SWEEP_S", 0.2)
    primary, replica = pair
    async with opened(primary.url, 1) as store:
        watching = store.subscribe("m", 0)
        await store.append("m", 1, b"1")
        assert await asyncio.wait_for(anext(watching), 30) == Entry(1, b"1")
        replica.pause()
        monkeypatch.setattr(pipeline, "WAIT_MS", 300)
        with pytest.raises(StoreAway) as away:
            await store.append("m", 2, b"2")
        assert away.value.outcome_unknown
        with pytest.raises(Conflict) as refused:
            await store.append("m", 2, b"other")
        assert refused.value.last == 2
        with pytest.raises(StoreAway, match="0 of 1 replicas"):
            await store.confirm("m", Entry(2, b"2"))
        assert await store.read("m") == [Entry(1, b"1"), Entry(2, b"2")]
        following = asyncio.ensure_future(anext(watching))
        await asyncio.sleep(1)
        assert not following.done()
        monkeypatch.setattr(pipeline, "WAIT_MS", 10_000)
        replica.resume()
        assert await asyncio.wait_for(following, 30) == Entry(2, b"2")
        assert await store.confirm("m", Entry(2, b"2"))


async def test_time_without_its_replica_is_an_outage(
    pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A beat that only the primary has is none: no append was acknowledged either."""
    primary, replica = pair
    monkeypatch.setattr(heartbeat, "FRESH_S", 0.0)
    async with opened(primary.url, 1) as store, minded(store):
        began = await store.time("m")
        replica.pause()
        monkeypatch.setattr(pipeline, "WAIT_MS", 300)
        until = began + heartbeat.LONGEST_MS + 500
        while (store.now("m") or 0) < until:
            with pytest.raises(StoreAway, match="0 of 1 replicas"):
                await store.time("m")
        with pytest.raises(StoreAway, match="0 of 1 replicas"):
            await store.ping()
        monkeypatch.setattr(pipeline, "WAIT_MS", 10_000)
        replica.resume()
        await store.ping()
        now = await store.time("m")
        (outage,) = store.outages("m")
        assert began - 1000 < outage.from_ <= began + 1000
        assert until - 1 <= outage.until <= now + 1


async def test_a_settled_append_waits_for_the_replicas_as_well(
    pair: tuple[Server, Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finding itself in the log is not enough where replicas must have it too."""
    primary, replica = pair
    async with proxy(tmp_path, primary.url) as wire, opened(wire.url, 1) as store:
        wire.judge = once(CUT_AFTER, b"one")
        await store.append("m", 1, b"one")
        assert CUT_AFTER in wire.seen
        assert replica.client.xlen(log_key("m")) == 1
        replica.pause()
        monkeypatch.setattr(pipeline, "WAIT_MS", 300)
        wire.judge = once(CUT_AFTER, b"two")
        with pytest.raises(StoreAway, match="0 of 1 replicas") as away:
            await store.append("m", 2, b"two")
        assert away.value.outcome_unknown
        monkeypatch.setattr(pipeline, "WAIT_MS", 10_000)
        replica.resume()
        assert await store.confirm("m", Entry(2, b"two"))
        assert replica.client.xlen(log_key("m")) == 2


async def test_a_failover_that_lost_commits_is_seen(
    pair: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new primary never had the last commit: appends and watchers are told."""
    monkeypatch.setattr(feed, "SWEEP_S", 0.1)
    primary, replica = pair
    async with opened(primary.url) as before, opened(replica.url) as after:
        watching = after.subscribe("m", 0)
        for version in (1, 2):
            await before.append("m", version, b"%d" % version)
        assert await asyncio.wait_for(anext(watching), 30) == Entry(1, b"1")
        assert await asyncio.wait_for(anext(watching), 30) == Entry(2, b"2")
        with pytest.raises(StoreAway, match="replica"):
            await after.append("m", 3, b"3")
        replica.client.replicaof("NO", "ONE")
        await before.append("m", 3, b"3")  # too late: nobody follows any more
        with pytest.raises(Conflict) as refused:
            await after.append("m", 4, b"4")
        assert refused.value.last < 3
        replica.client.delete(log_key("m"))
        replica.client.xadd(log_key("m"), {"c": b"1"}, id="1-0")
        assert await asyncio.wait_for(anext(watching), 30) == Rewritten(1)


# ── Sentinels ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.cluster
async def test_follows_the_primary_that_the_sentinels_name(program: Path, tmp_path: Path) -> None:
    """The primary dies, a replica is promoted: appends go on there, by themselves."""
    primary = Server(tmp_path, program=program)
    replica = Server(tmp_path, f"replicaof 127.0.0.1 {primary.port}", program=program)
    watch = (
        f"sentinel monitor main 127.0.0.1 {primary.port} 1",
        "sentinel down-after-milliseconds main 2000",
        "sentinel failover-timeout main 2000",
    )
    sentinel = Server(tmp_path, "--sentinel", *watch, program=program)
    with servers(primary, replica, sentinel):
        wait_until(lambda: linked(primary))
        wait_until(lambda: sentinel.client.sentinel_master("main")["num-slaves"] == 1)
        url = f"redis+sentinel://127.0.0.1:1,127.0.0.1:{sentinel.port}/main"
        async with opened(url, 1) as store, opened(url) as lax:
            watching = lax.subscribe("m", 0)
            await store.register("m", InLists(5, "g", "t"))
            await store.append("m", 1, b"1", deadline=7)
            assert await asyncio.wait_for(anext(watching), 30) == Entry(1, b"1")
            primary.stop()
            version = await _append_when_possible(lax, "m", 2)
            assert version == 2
            assert await lax.read("m") == [Entry(1, b"1"), Entry(2, b"2")]
            assert replica.client.xlen(log_key("m")) == 2
            assert await asyncio.wait_for(anext(watching), 30) == Entry(2, b"2")
            rows, more, whole = await lax.matches(tournament="t")
            assert ([row.match for row in rows], more, whole) == (["m"], None, True)
            assert await lax.due(9, 9) == [Due("m", 7)]


@pytest.mark.cluster
async def test_leaves_an_old_primary_that_goes_on_as_one(program: Path, tmp_path: Path) -> None:
    """Once the Sentinels name another: nothing more is read there, though it answers."""
    old, new = Server(tmp_path, program=program), Server(tmp_path, program=program)
    watch = f"sentinel monitor main 127.0.0.1 {old.port} 1"
    sentinel = Server(tmp_path, "--sentinel", watch, program=program)
    with servers(old, new, sentinel):
        async with opened(f"redis+sentinel://127.0.0.1:{sentinel.port}/main") as store:
            await store.append("m", 1, b"1")
            assert await store.read("m") == [Entry(1, b"1")]
            sentinel.client.sentinel_remove("main")
            sentinel.client.sentinel_monitor("main", "127.0.0.1", new.port, 1)
            assert await store.read("m") == [Entry(1, b"1")]
            await store.examine()
            assert await store.read("m") == []
            await store.append("m", 1, b"other")
        assert new.client.xlen(log_key("m")) == 1


async def _append_when_possible(store: MatchStore, match: str, version: int) -> int:
    """Append as a client would, again and again while the store is away."""
    until = time.monotonic() + 60
    while True:
        try:
            await store.append(match, version, b"%d" % version)
        except StoreAway:
            assert time.monotonic() < until
            await asyncio.sleep(0.2)
        except Conflict as conflict:
            return conflict.last  # an attempt that was in doubt was applied after all
        else:
            return version


async def test_says_that_no_sentinel_answers(tmp_path: Path) -> None:
    """All Sentinels away is the store away, soon."""
    async with opened("redis+sentinel://127.0.0.1:1,127.0.0.1:2/main") as store:
        async with asyncio.timeout(20):
            with pytest.raises(StoreAway, match="no sentinel that answers knows the primary main"):
                await store.append("m", 1, b"1")
