"""What every store promises: the log, its lists and its deadlines."""

import asyncio
import os

import pytest
import redis

from referee.store import (
    Conflict,
    CorruptLog,
    Cursor,
    Due,
    Entry,
    InLists,
    Listed,
    MatchStore,
    StoreError,
    open_store,
)
from referee.store.scripts import (
    TAGS,
    claim_key,
    deadlines_key,
    list_key,
    log_key,
    summary_key,
)


async def fill(store: MatchStore, match: str, count: int, after: int = 0) -> None:
    """Append commits `after + 1` to `after + count`, each its number as bytes."""
    for version in range(after + 1, after + count + 1):
        await store.append(match, version, b"%d" % version)


async def earliest(store: MatchStore) -> int | None:
    """The earliest deadline of all matches."""
    return next((due.deadline for due in await store.due(10**15, 1)), None)


def entries(first: int, last: int) -> list[Entry]:
    """What `fill` leaves from one version to another."""
    return [Entry(version, b"%d" % version) for version in range(first, last + 1)]


async def test_gives_back_what_was_appended_in_order(store: MatchStore) -> None:
    """Reading returns every commit, in order, under its version."""
    await fill(store, "m", 5)
    assert await store.read("m") == entries(1, 5)
    assert await store.last("m") == 5


async def test_reads_after_a_version_and_up_to_a_limit(store: MatchStore) -> None:
    """`after` is exclusive and `limit` is how many at most."""
    await fill(store, "m", 5)
    assert await store.read("m", after=3) == entries(4, 5)
    assert await store.read("m", after=1, limit=2) == entries(2, 3)
    assert await store.read("m", after=5) == []
    assert await store.read("m", limit=0) == []


async def test_reads_a_log_of_many_pages_whole(store: MatchStore) -> None:
    """A long log is read in pages, and none of it is lost at their edges."""
    await fill(store, "m", 512)
    assert await store.read("m") == entries(1, 512)
    await fill(store, "m", 1, after=512)
    assert await store.read("m") == entries(1, 513)


@pytest.mark.parametrize("limit", [None, 512])
async def test_asks_for_no_more_than_a_page_at_once(
    store: MatchStore, redis_url: str, limit: int | None
) -> None:
    """However many commits are wanted: a long reply would keep all others waiting."""
    await fill(store, "m", 512)
    with redis.Redis.from_url(redis_url) as client:
        before = client.info("commandstats")["cmdstat_xrange"]["calls"]
        assert await store.read("m", limit=limit) == entries(1, 512)
        assert client.info("commandstats")["cmdstat_xrange"]["calls"] - before >= 2


async def test_has_nothing_of_a_match_that_is_not_there(store: MatchStore) -> None:
    """No match: version 0 and no entries, not an error."""
    assert await store.last("none") == 0
    assert await store.read("none") == []


async def test_keeps_any_bytes_exactly(store: MatchStore) -> None:
    """Commits are opaque: zeros, line ends and things that look like the protocol survive."""
    nasty = [b"", bytes(range(256)), b"\r\n$3\r\nfoo\r\n*1\r\n", b"\xff\x00\xfe"]
    for version, data in enumerate(nasty, 1):
        await store.append("m", version, data)
    assert [entry.data for entry in await store.read("m")] == nasty


async def test_keeps_large_commits(store: MatchStore) -> None:
    """Many megabytes at once pass through the one connection and come back the same."""
    large = {f"m{number}": os.urandom(1_000_000) for number in range(8)}
    await asyncio.gather(*(store.append(match, 1, data) for match, data in large.items()))
    for match, data in large.items():
        assert await store.read(match) == [Entry(1, data)]


@pytest.mark.parametrize("version", [1, 2, 3])
async def test_refuses_a_version_that_is_taken(store: MatchStore, version: int) -> None:
    """An append below the log's end is a conflict that says where the log ends."""
    await fill(store, "m", 3)
    with pytest.raises(Conflict) as refused:
        await store.append("m", version, b"other")
    assert refused.value.last == 3
    assert await store.read("m") == entries(1, 3)


@pytest.mark.parametrize("version", [5, 6, 100])
async def test_refuses_a_gap(store: MatchStore, version: int) -> None:
    """An append beyond the log's end is a conflict that says that the log is shorter."""
    await fill(store, "m", 3)
    with pytest.raises(Conflict) as refused:
        await store.append("m", version, b"other")
    assert refused.value.last == 3
    assert await store.last("m") == 3


async def test_refuses_to_build_on_another_commit_than_stands_there(store: MatchStore) -> None:
    """The same number is not the same commit: a failover may have put another one there."""
    await store.append("m", 1, b"one")

    with pytest.raises(Conflict) as conflict:
        await store.append("m", 2, b"two", onto=b"lost")

    assert conflict.value.last == 1
    assert await store.read("m") == [Entry(1, b"one")]
    await store.append("m", 2, b"two", onto=b"one")
    assert await store.last("m") == 2


async def test_refuses_to_begin_in_the_middle(store: MatchStore) -> None:
    """A match that is not there takes version 1 and nothing else."""
    with pytest.raises(Conflict) as refused:
        await store.append("m", 2, b"2")
    assert refused.value.last == 0
    assert await store.last("m") == 0


async def test_refuses_the_same_bytes_again(store: MatchStore) -> None:
    """Only an append in doubt may recognise itself: the same bytes from somebody else lose."""
    await store.append("m", 1, b"1")
    with pytest.raises(Conflict):
        await store.append("m", 1, b"1")


async def test_appends_of_many_tasks_to_many_matches_all_arrive(store: MatchStore) -> None:
    """Sharing one connection loses, mixes and reorders nothing."""
    await asyncio.gather(*(fill(store, f"m{number}", 40) for number in range(32)))
    for number in range(32):
        assert await store.read(f"m{number}") == entries(1, 40)


async def test_exactly_one_of_two_processes_gets_each_version(
    store: MatchStore, redis_url: str
) -> None:
    """However two stores race for a log, each version goes to one of them, and both know whose."""
    other = open_store(redis_url)
    won: dict[int, bytes] = {}

    async def play(own: MatchStore, name: bytes) -> None:
        version = 1
        while version <= 60:
            try:
                await own.append("m", version, name)
            except Conflict as conflict:
                version = conflict.last + 1
            else:
                assert version not in won
                won[version] = name
                version += 1

    players = [(one, b"%d" % n) for n, one in enumerate([store, other] * 4)]
    await asyncio.gather(*(play(one, name) for one, name in players))
    assert await store.read("m") == [Entry(version, won[version]) for version in range(1, 61)]
    await other.aclose()


async def test_goes_on_after_the_server_forgot_the_scripts(
    store: MatchStore, redis_url: str
) -> None:
    """A server that does not know a script is given it; nobody notices."""
    await fill(store, "m", 2)
    client = redis.Redis.from_url(redis_url)
    client.script_flush()
    await asyncio.gather(fill(store, "m", 3, after=2), *(fill(store, f"n{i}", 3) for i in range(5)))
    client.script_flush()
    await store.register("m", InLists(1, "g", None))
    assert [row.match for row in (await store.matches())[0]] == ["m"]
    client.script_flush()
    await store.set_deadline("m", 9, version=5)
    assert await earliest(store) == 9
    assert await store.read("m") == entries(1, 5)
    client.close()


# ── What somebody else wrote ──────────────────────────────────────────────────────────────────────


async def test_says_where_a_log_has_a_gap(store: MatchStore, redis_url: str) -> None:
    """A missing entry is reported with the match and the place, never skipped."""
    await fill(store, "m", 2)
    with redis.Redis.from_url(redis_url) as client:
        client.xadd(log_key("m"), {"c": b"4"}, id="4-0")
    with pytest.raises(CorruptLog) as corrupt:
        await store.read("m")
    assert (corrupt.value.match, corrupt.value.place) == ("m", "4-0")
    assert await store.read("m", limit=2) == entries(1, 2)


async def test_says_where_a_foreign_id_stands(store: MatchStore, redis_url: str) -> None:
    """An id that no append gives is corruption for reading, appending and listing alike."""
    await store.register("m", InLists(1, "g", None))
    await fill(store, "m", 1)
    with redis.Redis.from_url(redis_url) as client:
        client.xadd(log_key("m"), {"c": b"2"}, id="2-1")
    with pytest.raises(CorruptLog, match="2-1"):
        await store.read("m")
    with pytest.raises(CorruptLog, match="2-1"):
        await store.last("m")
    with pytest.raises(CorruptLog, match="2-1"):
        await store.append("m", 3, b"3")


@pytest.mark.parametrize("fields", [{"d": b"1"}, {"c": b"1", "d": b"2"}])
async def test_says_where_an_entry_has_other_fields(
    store: MatchStore, redis_url: str, fields: dict[str | bytes, bytes | str]
) -> None:
    """An entry is one field `c`; one without it, or with more, is corruption."""
    with redis.Redis.from_url(redis_url) as client:
        client.xadd(log_key("m"), {**fields}, id="1-0")
    with pytest.raises(CorruptLog, match="1-0"):
        await store.read("m")


async def test_does_not_append_where_the_end_was_cut_off(store: MatchStore, redis_url: str) -> None:
    """The server remembers ids that were deleted: an append over them says so."""
    await fill(store, "m", 3)
    with redis.Redis.from_url(redis_url) as client:
        client.xdel(log_key("m"), "3-0")
    with pytest.raises(CorruptLog, match="taken off"):
        await store.append("m", 3, b"again")


async def test_does_not_mistake_another_kind_of_value_for_a_log(
    store: MatchStore, redis_url: str
) -> None:
    """A key that is no stream is corruption, not a match without commits."""
    with redis.Redis.from_url(redis_url) as client:
        client.set(log_key("m"), "text")
    with pytest.raises(CorruptLog):
        await store.append("m", 1, b"1")
    with pytest.raises(CorruptLog):
        await store.read("m")


async def test_what_cannot_be_listed_leaves_nothing_behind(
    store: MatchStore, redis_url: str
) -> None:
    """Where something else stands under a list's key, no match is begun, and none half."""
    listed = InLists(1, "g", "t")
    with redis.Redis.from_url(redis_url) as client:
        client.set(list_key(TAGS[0], None, None), "text")
        with pytest.raises(StoreError):
            await store.append("m", 1, b"1", summary=b"s", deadline=5, listed=listed)
        assert not client.exists(log_key("m"), summary_key("m"))
        assert await store.due(9, 9) == []
        client.delete(list_key(TAGS[0], None, None))
    await store.append("m", 1, b"1", summary=b"s", deadline=5, listed=listed)
    assert [row.match for row in (await store.matches()).rows] == ["m"]


# ── Lists ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("broken", ["log", "id", "summary"])
async def test_lists_the_others_where_one_log_is_none(
    store: MatchStore, redis_url: str, broken: str
) -> None:
    """What somebody has spoilt of one match hides that one, and no other."""
    await listed(store, ("a", 10, "g", None), ("b", 20, "g", None), ("c", 30, "g", None))
    with redis.Redis.from_url(redis_url) as client:
        if broken == "id":
            client.xadd(log_key("b"), {"c": b"x"}, id="1-7")
        else:
            key = log_key("b") if broken == "log" else summary_key("b")
            client.delete(key)
            client.hset(key, "no", "log")
    rows, more, _ = await store.matches()
    assert [row.match for row in rows] == ["c", "a"]
    assert more is None


async def test_finds_what_stands_beside_names_that_are_none(
    store: MatchStore, redis_url: str
) -> None:
    """Foreign members of the lists and the deadlines keep nobody from the others."""
    await listed(store, ("a", 10, "g", None))
    await store.append("a", 2, b"2", deadline=20)
    foreign = {b"\xff": 15.0, b"far": float("inf"), b"past": float("-inf")}
    with redis.Redis.from_url(redis_url) as client:
        client.zadd(deadlines_key(TAGS[0]), foreign)
        client.zadd(list_key(TAGS[0], None, None), foreign)
    rows, _, _ = await store.matches()
    assert [row.match for row in rows] == ["a"]
    assert Due("a", 20) in await store.due(25, 10)


async def listed(store: MatchStore, *matches: tuple[str, int, str, str | None]) -> None:
    """Begin matches: id, time, game, tournament."""
    for match, created, game, tournament in matches:
        lists = InLists(created, game, tournament)
        await store.append(match, 1, b"1", summary=match.encode(), listed=lists)


async def test_a_key_stands_for_what_came_first(store: MatchStore, redis_url: str) -> None:
    """For a day; whoever comes later is told what it stands for."""
    assert await store.claim("k{a}", b"first") is None
    assert [await store.claim("k{a}", value) for value in (b"second", b"first")] == [b"first"] * 2
    assert await store.claim("other", b"second") is None
    with redis.Redis.from_url(redis_url) as client:
        assert 86_000 < client.ttl(claim_key("k{a}")) <= 86_400


async def test_lists_matches_newest_first_with_version_and_summary(store: MatchStore) -> None:
    """A row holds what the log and the last summary say now, and how many commands were refused."""
    await listed(store, ("a", 10, "g", None), ("c", 30, "g", None), ("b", 20, "g", None))
    await store.append("b", 2, b"2", summary=b"later")
    await store.append("c", 2, b"2" * 40)
    await store.note_refusal("a", "0", b"r")
    rows, more, _ = await store.matches()
    assert rows == [
        Listed("c", 2, b"c", 30, b"2" * 32, 0),
        Listed("b", 2, b"later", 20, b"2", 0),
        Listed("a", 1, b"a", 10, b"1", 1),
    ]
    assert more is None


async def test_lists_by_game_and_tournament(store: MatchStore) -> None:
    """Each filter alone, both together, and names that hold anything."""
    await listed(
        store,
        ("a", 1, "g", "cup"),
        ("b", 2, "h", "cup"),
        ("c", 3, "g", "a:t:b {x} ü"),
        ("d", 4, "g", None),
    )

    async def ids(game: str | None, tournament: str | None) -> str:
        rows, _, _ = await store.matches(game=game, tournament=tournament)
        return "".join(row.match for row in rows)

    assert await ids(None, None) == "dcba"
    assert await ids("g", None) == "dca"
    assert await ids(None, "cup") == "ba"
    assert await ids("g", "cup") == "a"
    assert await ids("g", "a:t:b {x} ü") == "c"
    assert await ids("nothing", None) == ""


async def test_pages_repeat_and_skip_nothing_under_equal_times(store: MatchStore) -> None:
    """Pages of every size put together are the whole list, also where times are equal."""
    matches = [(f"m{number:02}", 5 if number % 3 else 7, "g", None) for number in range(20)]
    await listed(store, *matches)
    whole = [row.match for row in (await store.matches(limit=100))[0]]
    assert len(set(whole)) == 20
    for limit in (1, 3, 7, 19, 20):
        pages: list[str] = []
        before: Cursor | None = None
        while True:
            rows, before, _ = await store.matches(limit=limit, before=before)
            assert len(rows) <= limit
            pages += [row.match for row in rows]
            if before is None:
                break
        assert pages == whole


async def test_a_new_match_does_not_disturb_the_next_page(store: MatchStore) -> None:
    """A cursor is a place in time, not a count."""
    await listed(store, *((f"m{number}", number, "g", None) for number in range(6)))
    _, before, _ = await store.matches(limit=3)
    await listed(store, ("new", 99, "g", None))
    rows, _, _ = await store.matches(limit=3, before=before)
    assert [row.match for row in rows] == ["m2", "m1", "m0"]


async def test_leaves_out_a_match_whose_log_was_never_begun(store: MatchStore) -> None:
    """Registered comes before appended; in between, and for ever if it stops there, no row."""
    await listed(store, ("a", 1, "g", None), ("b", 3, "g", None))
    for number in range(8):
        await store.register(f"x{number}", InLists(2, "g", None))
    rows, before, _ = await store.matches(limit=2)
    assert [row.match for row in rows] == ["b", "a"]
    assert before is None


async def test_drops_after_a_day_what_was_never_begun(store: MatchStore, redis_url: str) -> None:
    """Whoever created it died; but what was entered again since then stays."""
    now = await store.time("m")
    day = 24 * 3600 * 1000
    for match, created in (("dead", now - day - 1), ("new", now - day + 60_000)):
        await store.register(match, InLists(created, "g", "t"))
    for tournament in (None, "t"):
        assert (await store.matches(game="g", tournament=tournament)).rows == []
    with redis.Redis.from_url(redis_url) as client:
        left = [client.zrange(list_key(TAGS[0], *of), 0, -1) for of in (("g", None), ("g", "t"))]
    assert left == [[b"new"], [b"new"]]


# ── Refusals ──────────────────────────────────────────────────────────────────────────────────────


async def test_keeps_the_last_refusals_in_order(store: MatchStore) -> None:
    """The side record holds the last 50 of each, newest last, and is a match's own."""
    await store.append("m", 1, b"1")
    records = [b"%d:" % number for number in range(120)]
    for number, record in enumerate(records):
        await store.note_refusal("m", "0" if number < 10 else "organizers", record)
    assert await store.refusals("m") == records[:10] + records[-50:]
    assert await store.refusals("n") == []


# ── Deadlines ─────────────────────────────────────────────────────────────────────────────────────


async def test_finds_deadlines_that_have_come(store: MatchStore) -> None:
    """Earliest first, at most as many as asked for, the moment itself included."""
    for match, deadline in (("a", 300), ("b", 100), ("c", 200)):
        await store.append(match, 1, b"1", deadline=deadline)
    assert await earliest(store) == 100
    assert await store.due(200, 10) == [Due("b", 100), Due("c", 200)]
    assert await store.due(200, 1) == [Due("b", 100)]
    assert await store.due(99, 10) == []


async def test_an_append_sets_leaves_or_clears_the_deadline(store: MatchStore) -> None:
    """A time replaces it, later ones too; none given leaves it; zero takes it away."""
    await store.append("m", 1, b"1", deadline=100)
    await store.append("m", 2, b"2")
    assert await earliest(store) == 100
    await store.append("m", 3, b"3", deadline=200)
    assert await earliest(store) == 200
    await store.append("m", 4, b"4", deadline=0)
    assert await earliest(store) is None


async def test_an_append_that_loses_touches_nothing(store: MatchStore) -> None:
    """Deadline and summary belong to the append that won."""
    await store.register("m", InLists(1, "g", None))
    await store.append("m", 1, b"1", summary=b"one", deadline=100)
    with pytest.raises(Conflict):
        await store.append("m", 1, b"x", summary=b"lost", deadline=5)
    assert await earliest(store) == 100
    assert (await store.matches())[0] == [Listed("m", 1, b"one", 1, b"1", 0)]


async def test_puts_a_deadline_right_only_as_of_the_last_version(store: MatchStore) -> None:
    """A correction that was worked out on an older version does not overwrite a newer deadline."""
    await store.append("m", 1, b"1", deadline=100)
    await store.set_deadline("m", 150, version=1)
    assert await earliest(store) == 150
    await store.append("m", 2, b"2", deadline=50)
    await store.set_deadline("m", 999, version=1)
    await store.set_deadline("m", None, version=1)
    assert await earliest(store) == 50
    await store.set_deadline("m", None, version=2)
    assert await earliest(store) is None


async def test_says_that_it_is_ready(store: MatchStore) -> None:
    """A server that takes writes is ready, and asking leaves no trace in any list."""
    await store.ping()
    assert await store.matches() == ([], None, True)
    assert await store.last("m") == 0
