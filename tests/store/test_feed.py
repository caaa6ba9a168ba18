"""The live feed: what is in the log, in order, without gaps, and nothing else."""

import asyncio
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import redis

from referee.store import (
    CorruptLog,
    Entry,
    MatchStore,
    Rewritten,
    StoreAway,
    Subscription,
    TooSlow,
    feed,
    open_store,
)
from referee.store.embedded.server import EmbeddedRedis
from referee.store.scripts import live_channel, log_key
from tests.store.machines import FORWARD, HOLD, eventually, once, proxy


async def take(watching: Subscription, count: int) -> Sequence[Entry | Rewritten]:
    """The next items of a feed, each within a time that would be far too long."""
    return [await asyncio.wait_for(anext(watching), 30) for _ in range(count)]


def numbered(first: int, last: int) -> list[Entry]:
    """Commits that hold their number."""
    return [Entry(version, b"%d" % version) for version in range(first, last + 1)]


async def write(store: MatchStore, match: str, first: int, last: int) -> None:
    """Append `numbered` commits."""
    for version in range(first, last + 1):
        await store.append(match, version, b"%d" % version)


async def quiet(watching: Any) -> bool:
    """Whether nothing comes once it has read to the end; cancelling a wait loses nothing."""
    coming: asyncio.Future[Any] = asyncio.ensure_future(anext(watching))
    await eventually(lambda: coming.done() or watching.live)
    await asyncio.wait([coming], timeout=0.05)
    return coming.cancel()


@pytest.mark.parametrize("end", [None, 290, 300])
@pytest.mark.parametrize("after", [0, 1, 172, 173, 299, 300])
async def test_shows_the_past_then_the_present_without_a_seam(
    store: MatchStore, after: int, end: int | None
) -> None:
    """From wherever it starts: every later commit once, whether it was there or comes."""
    await write(store, "m", 1, 300)
    watching = store.subscribe("m", after, end=end)
    writing = asyncio.ensure_future(write(store, "m", 301, 400))
    assert await take(watching, 400 - after) == numbered(after + 1, 400)
    await writing
    assert await quiet(watching)
    await watching.aclose()


async def test_who_comes_to_a_match_makes_no_work_of_those_who_are_there(
    store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many come one after another: each is read for once, or hardly more."""
    await write(store, "m", 1, 3)
    looked, waiting, take_of = list[object](), [], feed.Watcher.take

    def counted(watcher: feed.Watcher, start: int, page: list[Entry]) -> bool:
        looked.append(watcher)
        return take_of(watcher, start, page)

    monkeypatch.setattr(feed.Watcher, "take", counted)
    for _ in range(200):
        watching: Any = store.subscribe("m", 1, seen=b"1", end=3)
        assert await take(watching, 2) == numbered(2, 3)
        waiting.append(asyncio.ensure_future(anext(watching)))
    assert len(looked) < 250
    await write(store, "m", 4, 4)
    assert await asyncio.gather(*waiting) == numbered(4, 4) * 200


@pytest.mark.parametrize("end", [None, 3])
async def test_a_reader_who_saw_another_commit_is_told(store: MatchStore, end: int | None) -> None:
    """Whoever comes back with a commit that the log no longer holds starts anew from its end."""
    await write(store, "m", 1, 3)
    for after, seen, first in (
        (2, b"2", Entry(3, b"3")),
        (2, b"two", Rewritten(3)),
        (4, b"4", Rewritten(3)),
    ):
        watching = store.subscribe("m", after, seen=seen, end=end)
        assert await take(watching, 1) == [first]
        await watching.aclose()


async def test_waits_for_a_match_that_has_not_begun(store: MatchStore) -> None:
    """A feed may be older than its match."""
    watching = store.subscribe("m", 0)
    assert await quiet(watching)
    await write(store, "m", 1, 2)
    assert await take(watching, 2) == numbered(1, 2)
    await watching.aclose()


async def test_shows_at_once_what_another_process_appends(
    store: MatchStore, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processes share only the server; a commit is announced, and nobody need look for it."""
    monkeypatch.setattr(feed, "SWEEP_S", 3600.0)
    other = open_store(redis_url)
    here, there = store.subscribe("m", 0), other.subscribe("m", 0)
    following = asyncio.ensure_future(take(here, 20)), asyncio.ensure_future(take(there, 20))
    await asyncio.sleep(0.05)
    for version in range(1, 21):
        await (store, other)[version % 2].append("m", version, b"%d" % version)
    for seen in await asyncio.gather(*following):
        assert seen == numbered(1, 20)
    await other.aclose()


async def test_hands_on_what_this_process_appends_without_reading_it(
    store: MatchStore, redis_url: str
) -> None:
    """What was appended onto the very commit that a watcher had last is not asked for again."""
    await write(store, "m", 1, 1)
    watching: Any = store.subscribe("m", 0)
    assert await take(watching, 1) == numbered(1, 1)
    assert await quiet(watching)
    with redis.Redis.from_url(redis_url) as server:
        before = _reads(server)
        for version in range(2, 102):
            await store.append("m", version, b"%d" % version, onto=b"%d" % (version - 1))
        assert await take(watching, 100) == numbered(2, 101)
        assert _reads(server) - before < 20  # it looks by itself now and then
    await watching.aclose()


def _reads(server: Any) -> int:
    stats = server.info("commandstats")
    return int(stats.get("cmdstat_xrange", {}).get("calls", 0))


async def test_reads_what_another_process_puts_where_this_one_has_just_appended(
    store: MatchStore, redis_url: str
) -> None:
    """The announcement of its own commit is no news; the next of the same place is another's."""
    await write(store, "m", 1, 1)
    watching: Any = store.subscribe("m", 0)
    assert await take(watching, 1) == numbered(1, 1)
    assert await quiet(watching)
    await store.append("m", 2, b"2", onto=b"1")
    assert await take(watching, 1) == numbered(2, 2)
    assert await quiet(watching)
    with redis.Redis.from_url(redis_url) as server:
        server.delete(log_key("m"))
        server.xadd(log_key("m"), {"c": b"1"}, id="1-0")
        server.xadd(log_key("m"), {"c": b"two"}, id="2-0")
        server.publish(live_channel("m"), "2-0")
    assert await take(watching, 1) == [Rewritten(2)]
    await watching.aclose()


async def test_shows_each_commit_once_where_two_processes_append(
    store: MatchStore, redis_url: str
) -> None:
    """What is handed on overtakes what is being read, at both of them, and nothing is lost."""
    stores = store, open_store(redis_url)
    await write(store, "m", 1, 1)
    feeds = [one.subscribe("m", 0) for one in stores]
    taking = asyncio.gather(*(take(each, 600) for each in feeds))
    for version in range(2, 601):
        one = stores[version * version // 3 % 2]
        await one.append("m", version, b"%d" % version, onto=b"%d" % (version - 1))
    assert await taking == [numbered(1, 600)] * 2
    for each in feeds:
        await each.aclose()
    await stores[1].aclose()


async def test_many_watchers_of_many_matches_each_see_their_own(store: MatchStore) -> None:
    """300 watchers of 30 matches: each gets its match's commits in order, from its own start."""
    watchers = [(n % 30, store.subscribe(f"m{n % 30}", n % 3)) for n in range(300)]
    await asyncio.gather(*(write(store, f"m{n}", 1, 2) for n in range(30)))
    following = [
        asyncio.ensure_future(take(one, 20 - n % 3)) for n, (_, one) in enumerate(watchers)
    ]
    await asyncio.gather(*(write(store, f"m{n}", 3, 20) for n in range(30)))
    for n, seen in enumerate(await asyncio.gather(*following)):
        assert seen == numbered(n % 3 + 1, 20)


@pytest.mark.parametrize("onto", [None, b"1"], ids=["of another process", "of this process"])
async def test_tells_a_crowd_in_turns(
    store: MatchStore, monkeypatch: pytest.MonkeyPatch, onto: bytes | None
) -> None:
    """So that whoever else is served by this process waits for a few of them, and not for all."""
    monkeypatch.setattr(feed, "CROWD", 4)
    await write(store, "m", 1, 1)
    told: list[int] = []
    turn = 0

    async def turning() -> None:
        nonlocal turn
        while len(told) < len(watchers):
            turn += 1
            await asyncio.sleep(0)

    def tell(_: Entry) -> bool:
        told.append(turn)
        return True

    watchers: list[Any] = [store.subscribe("m", 1) for _ in range(30)]
    waiting = [asyncio.ensure_future(anext(watcher)) for watcher in watchers]
    await eventually(lambda: all(watcher.live for watcher in watchers))
    for watcher in watchers:
        watcher.hand_to(tell)

    await asyncio.gather(turning(), store.append("m", 2, b"2", onto=onto))

    assert len(told) == len(watchers)
    assert max(Counter(told).values()) <= 4
    for each in waiting:
        each.cancel()


async def test_who_has_much_to_read_reads_in_turn(
    store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page each, one after another: nobody else waits for the pages of a whole crowd."""
    await write(store, "m", 1, 300)
    feeds: Any = store
    read, under_way, most, order = feeds._read_shown, 0, 0, list[int]()

    async def counted(match: str, after: int, limit: int) -> list[Entry]:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        order.append(after)
        try:
            found: list[Entry] = await read(match, after, limit)
            return found
        finally:
            under_way -= 1

    monkeypatch.setattr(feeds, "_read_shown", counted)
    watchers = [store.subscribe("m", 0) for _ in range(20)]
    told = await asyncio.gather(*(take(watcher, 200) for watcher in watchers))
    assert told == [numbered(1, 200)] * 20
    assert (most, order) == (1, sorted(order))


async def test_who_waits_for_a_turn_hears_that_the_store_is_away(
    store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once when it has come to that: not each in his turn finds out by himself."""
    await write(store, "m", 1, 1)
    monkeypatch.setattr(store, "away", lambda _: True)
    with pytest.raises(StoreAway):
        await take(store.subscribe("m", 0), 1)


async def test_cuts_a_watcher_that_is_too_slow_and_no_other(
    store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full queue ends that subscription with `TooSlow`; it may come back where it stood."""
    monkeypatch.setattr(feed, "QUEUE", 20)
    monkeypatch.setattr(feed, "PAGE", 10)
    slow, fast = store.subscribe("m", 0), store.subscribe("m", 0)
    await write(store, "m", 1, 1)
    assert await take(slow, 1) == numbered(1, 1)
    assert await quiet(slow)
    following = asyncio.ensure_future(take(fast, 60))
    await write(store, "m", 2, 60)
    assert await following == numbered(1, 60)
    with pytest.raises(TooSlow):
        await take(slow, 1)
    back = store.subscribe("m", 1)
    assert await take(back, 59) == numbered(2, 60)


async def test_ends_where_it_is_closed(store: MatchStore) -> None:
    """Closing ends the iteration, also of somebody who waits, and twice does no harm."""
    await write(store, "m", 1, 1)
    watching, waiting = store.subscribe("m", 0), store.subscribe("m", 1)
    ending = asyncio.ensure_future(take(waiting, 1))
    await asyncio.sleep(0.02)
    await waiting.aclose()
    with pytest.raises(StopAsyncIteration):
        await anext(waiting)
    with pytest.raises(StopAsyncIteration):
        await ending
    await watching.aclose()
    await watching.aclose()
    assert [item async for item in watching] == []


async def test_ends_with_its_store(redis_url: str) -> None:
    """A store that closes ends every feed, and gives no new ones."""
    own = open_store(redis_url)
    watching = own.subscribe("m", 0)

    async def read() -> list[Entry | Rewritten]:
        return [item async for item in watching]

    reading = asyncio.ensure_future(read())
    await asyncio.sleep(0.02)
    await own.aclose()
    assert await asyncio.wait_for(reading, 30) == []
    assert [item async for item in own.subscribe("m", 0)] == []


async def test_ends_with_its_store_also_while_it_is_being_read(
    tmp_path: Path, redis_url: str
) -> None:
    """The end of a store that is waited for is an end, and no fault of the store."""
    async with proxy(tmp_path, redis_url) as wire:
        far = open_store(wire.url)
        wire.judge = lambda data: HOLD if b"XRANGE" in data else FORWARD
        watching = far.subscribe("m", 0)
        reading = asyncio.ensure_future(anext(watching, None))
        await eventually(lambda: HOLD in wire.seen)
        await far.aclose()
        assert await reading is None


async def test_stops_listening_for_a_match_that_nobody_watches(
    store: MatchStore, redis_url: str
) -> None:
    """One subscription on the server a match, however many watch, and none once all have gone."""
    with redis.Redis.from_url(redis_url) as client:

        def listeners() -> int:
            return int(client.pubsub_numsub(live_channel("alone"))[0][1])

        first, second = store.subscribe("alone", 0), store.subscribe("alone", 0)
        await eventually(lambda: listeners() == 1)
        await first.aclose()
        await asyncio.sleep(0.02)
        assert listeners() == 1
        await second.aclose()
        await eventually(lambda: listeners() == 0)


async def test_shows_only_what_is_in_the_log(store: MatchStore, redis_url: str) -> None:
    """An announcement of something that is not there shows nothing."""
    watching = store.subscribe("m", 0)
    await write(store, "m", 1, 1)
    assert await take(watching, 1) == numbered(1, 1)
    with redis.Redis.from_url(redis_url) as client:
        client.publish(live_channel("m"), "2-0")
    assert await quiet(watching)


async def test_finds_what_was_never_announced(
    store: MatchStore, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lost announcement costs a few seconds, not the commit."""
    monkeypatch.setattr(feed, "SWEEP_S", 0.1)
    watching = store.subscribe("m", 0)
    await write(store, "m", 1, 1)
    assert await take(watching, 1) == numbered(1, 1)
    assert await quiet(watching)
    with redis.Redis.from_url(redis_url) as client:
        client.xadd(log_key("m"), {"c": b"2"}, id="2-0")
    assert await take(watching, 1) == numbered(2, 2)


async def test_catches_up_after_the_server_was_away(embedded: EmbeddedRedis) -> None:
    """What was appended around a restart is shown once, in order."""
    store, other = open_store(embedded.url), open_store(embedded.url)
    watching = store.subscribe("m", 0)
    await write(other, "m", 1, 3)
    assert await take(watching, 3) == numbered(1, 3)
    assert await quiet(watching)
    await asyncio.to_thread(embedded.stop)
    following = asyncio.ensure_future(take(watching, 3))
    await asyncio.to_thread(embedded.start)
    await write(other, "m", 4, 6)
    assert await following == numbered(4, 6)
    await store.aclose()
    await other.aclose()


async def test_notices_a_connection_that_says_nothing_any_more(
    tmp_path: Path, store: MatchStore, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A listening connection that hangs is replaced, and announcements arrive again."""
    monkeypatch.setattr(feed, "SWEEP_S", 0.1)
    async with proxy(tmp_path, redis_url) as wire:
        far = open_store(wire.url)
        wire.judge = once(HOLD, b"PING")
        watching = far.subscribe("m", 0)
        following = asyncio.ensure_future(take(watching, 1))
        await eventually(lambda: HOLD in wire.seen)
        with redis.Redis.from_url(redis_url) as client:
            await eventually(lambda: client.pubsub_numsub(live_channel("m"))[0][1] > 0)
        await write(store, "m", 1, 1)
        assert await following == numbered(1, 1)
        await far.aclose()


async def test_says_when_the_log_became_shorter(embedded: EmbeddedRedis) -> None:
    """Commits that were shown and are gone: a watcher hears of it, and goes on from there."""
    store = open_store(embedded.url)
    await write(store, "m", 1, 3)
    watching, late = store.subscribe("m", 0), store.subscribe("m", 3)
    assert await take(watching, 3) == numbered(1, 3)
    assert await quiet(watching)
    assert await quiet(late)
    with redis.Redis.from_url(embedded.url) as client:
        client.delete(log_key("m"))
        client.xadd(log_key("m"), {"c": b"1"}, id="1-0")
        client.publish(live_channel("m"), "1-0")
    assert await take(watching, 1) == [Rewritten(1)]
    assert await take(late, 1) == [Rewritten(1)]
    await store.append("m", 2, b"other")
    assert await take(watching, 1) == [Entry(2, b"other")]
    assert await take(late, 1) == [Entry(2, b"other")]
    await store.aclose()


async def test_says_when_another_commit_stands_in_the_place_of_one_that_was_shown(
    embedded: EmbeddedRedis,
) -> None:
    """As long as before, or longer, and yet rewritten: compared by what was delivered."""
    store = open_store(embedded.url)
    await write(store, "m", 1, 2)
    watching = store.subscribe("m", 0)
    assert await take(watching, 2) == numbered(1, 2)
    assert await quiet(watching)
    with redis.Redis.from_url(embedded.url) as client:
        client.delete(log_key("m"))
        client.xadd(log_key("m"), {"c": b"1"}, id="1-0")
        client.xadd(log_key("m"), {"c": b"other"}, id="2-0")
        client.xadd(log_key("m"), {"c": b"3"}, id="3-0")
        client.publish(live_channel("m"), "3-0")
    assert await take(watching, 1) == [Rewritten(3)]
    await store.append("m", 4, b"4")
    assert await take(watching, 1) == [Entry(4, b"4")]
    await store.aclose()


async def test_says_at_once_when_it_starts_beyond_the_log(store: MatchStore) -> None:
    """Somebody resumes after a version that the log no longer has."""
    await write(store, "m", 1, 2)
    watching = store.subscribe("m", 5)
    assert await take(watching, 1) == [Rewritten(2)]
    await write(store, "m", 3, 3)
    assert await take(watching, 1) == numbered(3, 3)


async def test_ends_where_the_log_is_corrupt(store: MatchStore, redis_url: str) -> None:
    """A gap is not stepped over: the feed ends with what is wrong and where."""
    watching = store.subscribe("m", 0)
    await write(store, "m", 1, 1)
    assert await take(watching, 1) == numbered(1, 1)
    assert await quiet(watching)
    with redis.Redis.from_url(redis_url) as client:
        client.xadd(log_key("m"), {"c": b"3"}, id="3-0")
        client.publish(live_channel("m"), "3-0")
    with pytest.raises(CorruptLog, match="3-0"):
        await take(watching, 1)


async def test_says_that_the_store_is_away_when_it_cannot_begin(tmp_path: Path) -> None:
    """A feed that has nothing to stand on yet says so instead of waiting in silence."""
    nowhere = open_store(f"unix://{tmp_path}/nobody.sock")
    with pytest.raises(StoreAway):
        await anext(nowhere.subscribe("m", 0))
    await nowhere.aclose()


async def test_idle_watchers_cost_little_memory(store: MatchStore) -> None:
    """1,000 watchers of 100 matches that wait take less than 4 KiB each."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    watchers: list[Any] = [store.subscribe(f"m{n % 100}", 0) for n in range(1000)]
    waiting = [asyncio.ensure_future(anext(watcher)) for watcher in watchers]
    await eventually(lambda: all(watcher.live for watcher in watchers))
    await asyncio.sleep(0.1)
    each = (tracemalloc.get_traced_memory()[0] - before) / len(watchers)
    tracemalloc.stop()
    for watcher in watchers:
        await watcher.aclose()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert each < 4096
