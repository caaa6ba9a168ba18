"""The heartbeat: what time is it at the primary, and when could no process write to it?"""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from referee.store import Entry, MatchStore, Outage, WrongTime, heartbeat, open_store
from referee.store.scripts import BEAT, TAGS, alive_key, keepers_key, outages_key
from tests.store.machines import eventually, minded

HOUR = 3_600_000
SLACK_MS = 1000
"""Half a round trip bounds how wrong a process is: that of the slowest machine is shorter."""
ALIVE, OUTAGES = alive_key(TAGS[0]), outages_key(TAGS[0])
KEYS = (ALIVE, OUTAGES, keepers_key(TAGS[0]))


class Clock:
    """The clock that processes follow time with, and how far a test has moved it on, in seconds."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        """The time, in seconds."""
        return time.monotonic() + self.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """One that is read instead of the machine's."""
    moved = Clock()
    monkeypatch.setattr(heartbeat, "monotonic", moved)
    return moved


@pytest.fixture
def server(redis_url: str) -> Iterator[Any]:
    """The server, asked past the store."""
    with redis.Redis.from_url(redis_url, decode_responses=True) as client:
        yield client


def time_of(server: Any) -> int:
    """The server's `TIME`, Unix ms."""
    seconds, micros = server.time()
    return int(seconds * 1000 + micros // 1000)


# ── Time ──────────────────────────────────────────────────────────────────────────────────────────


async def test_follows_the_primarys_time(store: MatchStore, server: Any) -> None:
    """Known from the first heartbeat on, and not before; it goes on without another."""
    assert store.now("m") is None
    asked = await store.time("m")
    assert abs(asked - time_of(server)) < SLACK_MS
    await asyncio.sleep(0.05)
    followed = store.now("m")
    assert followed is not None
    assert followed >= asked + 49
    assert store.now() is not None


@pytest.mark.parametrize("ahead", [3600, 30, 2.5, -2.5, -30, -3600])
async def test_takes_no_stamp_that_is_far_from_its_time(
    store: MatchStore, clock: Clock, server: Any, ahead: float
) -> None:
    """A clock that goes wrong is found out by the append, and put right by a heartbeat."""
    await store.time("m")
    clock.ahead = ahead
    wrong = store.now("m")
    assert wrong is not None
    assert abs(wrong - time_of(server) - 1000 * ahead) < SLACK_MS
    with pytest.raises(WrongTime):
        await store.append("m", 1, b"1", at=wrong)
    assert await store.read("m") == []
    await store.append("m", 1, b"1", at=await store.time("m"))
    assert abs((store.now("m") or 0) - time_of(server)) < SLACK_MS
    assert await store.read("m") == [Entry(1, b"1")]
    assert store.outages("m") == ()


@pytest.mark.parametrize("off", [-200, 0, 900])
async def test_takes_a_stamp_that_is_a_little_off(store: MatchStore, off: int) -> None:
    """Less than a second: what a process knows of the time is never exact."""
    await store.append("m", 1, b"1", at=await store.time("m") + off)
    await store.append("m", 2, b"2")  # stamped as the one before: nothing is asked


@pytest.mark.parametrize(("said", "known"), [(999.6, 1000.005), (1007.0, 1007.4)])
def test_what_was_known_narrows_what_an_answer_says(
    monkeypatch: pytest.MonkeyPatch, said: float, known: float
) -> None:
    """A slow answer says little of the time: what a quick one said stays, unless it cannot be."""
    monkeypatch.setattr(heartbeat, "monotonic", lambda: 50.0)
    primary = heartbeat.Heartbeat("t")
    for second, took in ((1000.0, 0.01), (said, 0.8)):
        primary.heard((round(1000 * second), None, []), 50.0 - took, 0.0)
    assert primary.now() == pytest.approx(1000 * known, abs=1)


# ── Outages ───────────────────────────────────────────────────────────────────────────────────────


async def test_the_first_after_an_outage_enters_it_once(
    store: MatchStore, redis_url: str, server: Any
) -> None:
    """All processes learn of the same outage, whoever comes first, also one that is new."""
    began = time_of(server) - 60_000
    server.set(ALIVE, began)
    others = [open_store(redis_url) for _ in range(3)]
    await asyncio.gather(*(one.time("m") for one in (store, *others)))
    (outage,) = store.outages("m")
    assert outage.from_ == began
    assert 60_000 <= outage.until - began <= time_of(server) - began
    assert [one.outages("any") for one in others] == [(outage,)] * 3
    for one in others:
        await one.aclose()


async def test_a_short_silence_is_none(store: MatchStore, server: Any) -> None:
    """Up to two seconds are charged."""
    server.set(ALIVE, time_of(server) - 1000)
    await store.time("m")
    assert store.outages("m") == ()


async def test_outages_are_told_in_order_and_only_so_many(
    store: MatchStore, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last ones, none overlapping."""
    monkeypatch.setattr(heartbeat, "OUTAGES_KEPT", 2)
    now = time_of(server)
    server.rpush(OUTAGES, "1000:2000", f"3000:{now - 9000}", f"{now - 8000}:{now - 5000}")
    server.set(ALIVE, now - 4000)
    await store.time("m")
    before, latest = store.outages("m")
    assert before == Outage(now - 8000, now - 5000)
    assert (latest.from_, now <= latest.until <= time_of(server)) == (now - 4000, True)


async def test_a_time_that_is_yet_to_come_is_no_outage(store: MatchStore, server: Any) -> None:
    """Behind a primary whose clock was ahead: what it noted for later is taken back."""
    now = time_of(server)
    for start, until in ((now - 9000, now - 6000), (now - 5000, now + HOUR), (now + HOUR, 10**15)):
        server.rpush(OUTAGES, f"{start}:{until}")
    server.set(ALIVE, now + 2 * HOUR)
    await store.time("m")
    before, until_now = store.outages("m")
    assert before == Outage(now - 9000, now - 6000)
    assert (until_now.from_, now <= until_now.until <= time_of(server)) == (now - 5000, True)
    assert int(server.get(ALIVE)) <= time_of(server)


async def test_a_process_that_stands_still_makes_no_outage(
    store: MatchStore, redis_url: str
) -> None:
    """Its loop was held up for longer than the longest silence, with nobody to stand in."""
    async with minded(store):
        await store.time("m")
        time.sleep(2.6)  # noqa: ASYNC251 - that is the point
        await store.time("m")
        assert store.outages("m") == ()
        other = open_store(redis_url)
        await other.time("m")
        assert other.outages("m") == ()
        await other.aclose()


def test_an_outage_begins_when_the_last_process_could_no_longer_write(server: Any) -> None:
    """Where replicas must have what is written, who comes first after one may not have been the
    last before: the next one knows better, and no time stands in the list twice.
    """  # noqa: D205 - one claim
    now = time_of(server)
    server.set(ALIVE, now - 60_000)
    for could in (now - 50_000, now - 40_000, now - 45_000):
        server.eval(BEAT.source, 3, *KEYS, could, heartbeat.LONGEST_MS, "", 9, "1", "")
    (outage,) = server.lrange(OUTAGES, 0, -1)
    assert outage.startswith(f"{now - 40_000}:")


# ── Who begins ────────────────────────────────────────────────────────────────────────────────────


async def test_of_two_that_keep_the_time_one_begins_with_each_match(
    store: MatchStore, redis_url: str
) -> None:
    """They agree who; one that has ended is waited for no longer than an outage takes."""
    matches = [f"m{n}" for n in range(64)]
    other = open_store(redis_url)
    assert all(map(store.begins, matches))  # nobody keeps the time
    async with minded(store):
        async with minded(other):
            await eventually(
                lambda: all(store.begins(match) is not other.begins(match) for match in matches)
            )
            assert {store.begins(match) for match in matches} == {True, False}
        await eventually(lambda: all(map(store.begins, matches)))
    await other.aclose()
