"""The heartbeat: when could no process write to the store?"""

from referee.store import MatchStore, Outage, open_store

LONGEST = 2000


async def test_no_outage_while_somebody_writes(store: MatchStore, redis_url: str) -> None:
    """One process beats on while the other is silent for long: nobody was kept from playing."""
    other = open_store(redis_url)
    for now in range(10_000, 40_000, 1000):
        assert await store.beat(now, longest_ms=LONGEST) == ()
        if now % 10_000 == 0:
            assert await other.beat(now, longest_ms=LONGEST) == ()
    await other.aclose()


async def test_the_first_after_an_outage_enters_it_once(store: MatchStore, redis_url: str) -> None:
    """All processes learn of the same outage, whoever comes first, also one that is new."""
    other = open_store(redis_url)
    for now in (10_000, 10_500, 11_000):
        await store.beat(now, longest_ms=LONGEST)
        await other.beat(now, longest_ms=LONGEST)
    outage = Outage(11_000, 71_000)
    assert await other.beat(71_000, longest_ms=LONGEST) == (outage,)
    assert await store.beat(71_001, longest_ms=LONGEST) == (outage,)
    new = open_store(redis_url)  # and whoever starts later
    assert await new.beat(71_200, longest_ms=LONGEST) == (outage,)
    for opened in (other, new):
        await opened.aclose()


async def test_outages_are_told_in_order(store: MatchStore) -> None:
    """One after another, none overlapping."""
    times = (1000, 1500, 60_000, 60_500, 61_000, 200_000)
    told = [await store.beat(now, longest_ms=LONGEST) for now in times]
    assert told[2] == (Outage(1500, 60_000),)
    assert told[-1] == (Outage(1500, 60_000), Outage(61_000, 200_000))


async def test_a_beat_of_a_slow_clock_makes_no_outage(store: MatchStore, redis_url: str) -> None:
    """Processes' clocks differ: one that is behind takes nothing back and enters nothing."""
    behind = open_store(redis_url)
    for now in (50_000, 50_500, 51_000):
        assert await store.beat(now, longest_ms=LONGEST) == ()
        assert await behind.beat(now - 20_000, longest_ms=LONGEST) == ()
    await behind.aclose()


async def test_times_keep_their_last_digit(store: MatchStore) -> None:
    """Unix milliseconds are larger than what Lua writes without an exponent."""
    first, last = 1_764_288_000_123, 1_764_288_600_457
    await store.beat(first, longest_ms=LONGEST)
    assert await store.beat(last, longest_ms=LONGEST) == (Outage(first, last),)
