"""An append in trouble: applied once or not at all, and whoever asked is never told a guess."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import redis

from referee.addresses import BadAddress, parse_address
from referee.store import Conflict, Entry, InLists, MatchStore, StoreAway, open_store, streams
from referee.store.connection import pipeline
from referee.store.connection.logins import Logins
from referee.store.embedded.server import EmbeddedRedis
from referee.store.scripts import log_key
from tests.store.machines import (
    CUT_AFTER,
    CUT_BEFORE,
    FORWARD,
    HOLD,
    Proxy,
    Server,
    Verdict,
    eventually,
    once,
    opened,
    proxy,
    servers,
)


@pytest.fixture
async def wire(tmp_path: Path, redis_url: str) -> AsyncIterator[Proxy]:
    """A wire to the server that can be made to break."""
    async with proxy(tmp_path, redis_url) as made:
        yield made


@pytest.fixture
async def far(wire: Proxy) -> AsyncIterator[MatchStore]:
    """A store at the other end of that wire."""
    opened = open_store(wire.url)
    yield opened
    await opened.aclose()


async def test_an_append_whose_answer_was_lost_is_applied_once_and_acknowledged(
    far: MatchStore, wire: Proxy, store: MatchStore
) -> None:
    """The connection ends between the write and its answer: the append finds itself in the log."""
    await far.append("m", 1, b"one")
    wire.judge = once(CUT_AFTER, b"commit two")
    await far.append("m", 2, b"commit two")
    assert CUT_AFTER in wire.seen
    assert await store.read("m") == [Entry(1, b"one"), Entry(2, b"commit two")]


async def test_an_append_that_never_arrived_is_sent_again(
    far: MatchStore, wire: Proxy, store: MatchStore
) -> None:
    """The connection ends before the write: nothing was applied, so it is applied now."""
    await far.append("m", 1, b"one")
    wire.judge = once(CUT_BEFORE, b"commit two")
    await far.append("m", 2, b"commit two")
    assert CUT_BEFORE in wire.seen
    assert await store.read("m") == [Entry(1, b"one"), Entry(2, b"commit two")]


@pytest.mark.parametrize("verdict", [CUT_AFTER, CUT_BEFORE])
async def test_every_append_of_a_broken_batch_is_settled_by_itself(
    far: MatchStore, wire: Proxy, store: MatchStore, verdict: Verdict
) -> None:
    """Appends that travelled together each find out: applied, or beaten by somebody else."""
    await store.append("taken", 1, b"theirs")
    wire.judge = once(verdict, b"EVALSHA")
    matches = [f"m{number}" for number in range(20)]
    outcomes = await asyncio.gather(
        *(far.append(match, 1, match.encode()) for match in matches),
        far.append("taken", 1, b"ours"),
        return_exceptions=True,
    )
    assert verdict in wire.seen
    assert outcomes[:-1] == [None] * 20
    assert isinstance(outcomes[-1], Conflict)
    for match in matches:
        assert await store.read(match) == [Entry(1, match.encode())]


async def test_an_append_in_doubt_yields_to_another_commit_at_its_place(
    far: MatchStore, wire: Proxy, store: MatchStore, redis_url: str
) -> None:
    """Lost before it arrived, and somebody else was faster: a conflict, not a success."""

    def judge(data: bytes) -> Verdict:
        if b"ours" in data and CUT_BEFORE not in wire.seen:
            with redis.Redis.from_url(redis_url) as client:
                client.xadd(log_key("m"), {"c": b"theirs"}, id="1-0")
            return CUT_BEFORE
        return FORWARD

    wire.judge = judge
    with pytest.raises(Conflict) as refused:
        await far.append("m", 1, b"ours")
    assert refused.value.last == 1
    assert await store.read("m") == [Entry(1, b"theirs")]


async def test_an_append_in_doubt_recognises_itself_below_later_commits(
    far: MatchStore, wire: Proxy, store: MatchStore
) -> None:
    """Applied, its answer lost, and the log went on meanwhile: still a success."""
    lost = asyncio.Event()

    def judge(data: bytes) -> Verdict:
        if b"ours" not in data:
            return FORWARD
        if not lost.is_set():
            lost.set()
            return CUT_AFTER
        return FORWARD if went_on.is_set() else CUT_BEFORE

    went_on = asyncio.Event()
    await store.append("other", 1, b"x")  # the server knows the script: it is applied at once
    wire.judge = judge
    appending = asyncio.ensure_future(far.append("m", 1, b"ours"))
    await lost.wait()
    while await store.last("m") < 1:  # noqa: ASYNC110 - only the log knows
        await asyncio.sleep(0.01)
    await store.append("m", 2, b"theirs")
    went_on.set()
    await appending
    assert await store.read("m") == [Entry(1, b"ours"), Entry(2, b"theirs")]


async def test_an_append_without_any_answer_is_given_up_as_unknown(
    far: MatchStore, wire: Proxy, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that takes everything and says nothing: unknown, when the time allowed is over."""
    await far.append("m", 1, b"one")
    wire.judge = lambda data: HOLD if b"EVAL" in data else FORWARD
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "ANSWER_S", 0.2)
        patch.setattr(streams, "SETTLE_S", 0.7)
        async with opened(wire.url) as hasty, asyncio.timeout(20):
            with pytest.raises(StoreAway) as away:
                await hasty.append("m", 2, b"two")
    assert away.value.outcome_unknown
    assert await store.last("m") == 1
    wire.judge = lambda _: FORWARD
    await far.append("m", 2, b"two")


async def test_an_append_that_was_given_up_is_not_sent_any_more(
    far: MatchStore, wire: Proxy, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for a slow connection when it is called unknown: it does not go out afterwards."""
    await far.append("m", 1, b"one")

    def judge(data: bytes) -> Verdict:
        if b"SETNAME" in data:  # a new connection says hello, and has to wait
            return HOLD
        return CUT_BEFORE if b"EVALSHA" in data else FORWARD

    wire.judge = judge
    with monkeypatch.context() as patch:
        patch.setattr(streams, "SETTLE_S", 0.5)
        with pytest.raises(StoreAway) as away:
            await far.append("m", 2, b"two")
    assert away.value.outcome_unknown
    wire.judge = lambda _: FORWARD
    wire.released.set()
    await far.append("m", 2, b"other")
    assert await store.read("m") == [Entry(1, b"one"), Entry(2, b"other")]


async def test_an_append_that_was_never_sent_is_known_not_to_be_applied(tmp_path: Path) -> None:
    """Where nobody listens the answer is at once, and it is no doubt."""
    nowhere = open_store(f"unix://{tmp_path}/nobody.sock")
    with pytest.raises(StoreAway) as away:
        await nowhere.append("m", 1, b"1")
    assert not away.value.outcome_unknown
    assert away.value.retry_after > 0
    await nowhere.aclose()


async def test_every_question_says_that_the_store_is_away(tmp_path: Path) -> None:
    """No method hangs or shows an error of the client library."""
    nowhere = open_store(f"unix://{tmp_path}/nobody.sock", min_replicas=1)
    questions = [
        nowhere.read("m"),
        nowhere.last("m"),
        nowhere.register("m", InLists(1, "g", None)),
        nowhere.matches(),
        nowhere.confirm("m", Entry(1, b"1")),
        nowhere.note_refusal("m", "0", b"r"),
        nowhere.refusals("m"),
        nowhere.due(1, 1),
        nowhere.set_deadline("m", 1, version=1),
        nowhere.ping(),
    ]
    async with asyncio.timeout(30):
        answers = await asyncio.gather(*questions, return_exceptions=True)
    assert [type(answer) for answer in answers] == [StoreAway] * len(questions)
    await nowhere.aclose()


async def test_a_server_that_hangs_is_away_soon_and_back_when_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It accepts connections and says nothing: nobody waits for it longer than allowed."""
    server = Server(tmp_path)
    with servers(server):
        with monkeypatch.context() as patch:
            patch.setattr(pipeline, "ANSWER_S", 0.2)
            store = open_store(server.url)
            await store.append("m", 1, b"1")
            server.pause()
            patch.setattr(pipeline, "CONNECT_S", 0.2)
            for question in (store.read("m"), store.ping(), store.last("m")):
                async with asyncio.timeout(10):
                    with pytest.raises(StoreAway):
                        await question
        server.resume()
        assert await store.read("m") == [Entry(1, b"1")]
        await store.aclose()


async def test_a_question_whose_answer_was_lost_is_asked_again(
    far: MatchStore, wire: Proxy
) -> None:
    """Reading twice does no harm, so a reader does not notice one broken connection."""
    await far.append("m", 1, b"one")
    wire.judge = once(CUT_AFTER, b"XRANGE")
    assert await far.read("m") == [Entry(1, b"one")]
    assert CUT_AFTER in wire.seen


@pytest.mark.parametrize("pause", [0.0, 0.0005, 0.005])
async def test_a_cancelled_append_goes_on_to_its_end(
    far: MatchStore, wire: Proxy, store: MatchStore, pause: float
) -> None:
    """Whoever gives up waiting, at whatever moment, leaves a whole commit behind."""
    await far.ping()
    appends = [asyncio.ensure_future(far.append(f"m{n}", 1, b"%d" % n)) for n in range(30)]
    await asyncio.sleep(pause)
    for task in appends:
        task.cancel()
    await asyncio.gather(*appends, return_exceptions=True)
    await far.aclose()  # waits for what is under way
    for n in range(30):
        assert await store.read(f"m{n}") == [Entry(1, b"%d" % n)]


async def test_a_cancelled_append_is_settled_when_its_answer_is_lost_too(
    far: MatchStore, wire: Proxy, store: MatchStore
) -> None:
    """Cancelled and cut off before it arrived: it is still brought to an end."""
    await far.ping()
    wire.judge = once(CUT_BEFORE, b"ours")
    appending = asyncio.ensure_future(far.append("m", 1, b"ours"))
    await asyncio.sleep(0)
    appending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await appending
    await far.aclose()
    assert CUT_BEFORE in wire.seen
    assert await store.read("m") == [Entry(1, b"ours")]


# ── A server that dies ────────────────────────────────────────────────────────────────────────────


async def test_a_killed_server_keeps_every_acknowledged_commit_once_and_in_order(
    embedded: EmbeddedRedis,
) -> None:
    """Killed in the middle of 200 writers and started again: no commit lost, doubled or moved."""
    store = open_store(embedded.url)
    acknowledged: dict[str, list[Entry]] = {f"m{n}": [] for n in range(200)}
    enough = asyncio.Event()

    async def write(match: str) -> None:
        while not enough.is_set():
            version, data = len(acknowledged[match]) + 1, os.urandom(16)
            try:
                await store.append(match, version, data)
            except StoreAway:
                return
            acknowledged[match].append(Entry(version, data))

    writers = [asyncio.ensure_future(write(match)) for match in acknowledged]
    await eventually(lambda: sum(map(len, acknowledged.values())) > 2000)
    assert embedded.pid is not None
    os.kill(embedded.pid, signal.SIGKILL)
    await asyncio.sleep(0.3)
    await asyncio.to_thread(embedded.stop)
    await asyncio.to_thread(embedded.start)
    enough.set()
    await asyncio.gather(*writers)  # each was settled, or given up
    for match, entries in acknowledged.items():
        kept = await store.read(match)
        assert kept[: len(entries)] == entries
        assert len(kept) <= len(entries) + 1  # one may be there that nobody was told of
    await store.aclose()


async def test_a_restart_in_between_goes_unnoticed(embedded: EmbeddedRedis) -> None:
    """An idle store finds the server again by itself."""
    store = open_store(embedded.url)
    await store.append("m", 1, b"1")
    await asyncio.to_thread(embedded.stop)
    with pytest.raises(StoreAway):
        await store.read("m")
    await asyncio.to_thread(embedded.start)
    await store.append("m", 2, b"2")
    assert await store.read("m") == [Entry(1, b"1"), Entry(2, b"2")]
    await store.aclose()


async def test_a_log_that_went_back_is_not_built_on(embedded: EmbeddedRedis) -> None:
    """After a loss the conflict says how much of the log is left."""
    store = open_store(embedded.url)
    for version in (1, 2, 3):
        await store.append("m", version, b"x")
    with redis.Redis.from_url(embedded.url) as client:
        client.delete(log_key("m"))
        client.xadd(log_key("m"), {"c": b"x"}, id="1-0")
    with pytest.raises(Conflict) as refused:
        await store.append("m", 4, b"x")
    assert refused.value.last == 1
    await store.aclose()


# ── A server that does not want to ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("maxmemory", "1", "out of memory"),
        ("min-replicas-to-write", "1", "too few replicas"),
        ("replicaof", "127.0.0.1 1", "replica"),
    ],
)
async def test_a_server_that_refuses_writes_is_away_and_nothing_is_in_doubt(
    embedded: EmbeddedRedis, setting: str, value: str, said: str
) -> None:
    """Its reason is in the text, readiness says so too, and afterwards all is as before."""
    store = open_store(embedded.url)
    await store.append("m", 1, b"1")
    with redis.Redis.from_url(embedded.url) as client:

        def apply(value: str) -> None:
            if setting == "replicaof":
                client.execute_command("REPLICAOF", *value.split())
            else:
                client.config_set(setting, value)

        apply(value)
        for refused in (store.append("m", 2, b"2"), store.ping()):
            with pytest.raises(StoreAway, match=said) as away:
                await refused
            assert not away.value.outcome_unknown
        apply("no one" if setting == "replicaof" else "0")
    await store.append("m", 2, b"2")
    await store.aclose()


async def test_a_server_that_wants_a_password_is_away(embedded: EmbeddedRedis) -> None:
    """No password, or a wrong one, is said in words, and the right one in the URL works."""
    with redis.Redis.from_url(embedded.url) as client:
        client.config_set("requirepass", "pw")
    path = embedded.url.removeprefix("unix://")
    for url in (embedded.url, f"unix://:wrong@{path}"):
        store = open_store(url)
        with pytest.raises(StoreAway, match=r"(?i)password|auth") as away:
            await store.append("m", 1, b"1")
        assert not away.value.outcome_unknown
        assert "wrong@" not in str(away.value)
        await store.aclose()
    store = open_store(f"unix://:pw@{path}")
    await store.append("m", 1, b"1")
    await store.aclose()


async def test_another_password_takes_no_new_store(embedded: EmbeddedRedis) -> None:
    """From a URL of the same store, for each connection that is made from then on."""
    path = embedded.url.removeprefix("unix://")
    with redis.Redis.from_url(embedded.url) as client:
        client.config_set("requirepass", "old")
        async with opened(f"unix://:old@{path}") as store:
            await store.append("m", 1, b"1")
            client.execute_command("AUTH", "old")
            client.config_set("requirepass", "new")
            client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            with pytest.raises(StoreAway, match=r"(?i)password"):
                await store.read("m")
            with pytest.raises(BadAddress, match="leads to another store"):
                store.renew(f"unix://:new@{path}x")
            store.renew(f"unix://:new@{path}")
            await store.append("m", 2, b"2")


def test_sentinels_have_a_login_of_their_own() -> None:
    """Renewed with that of the servers; without either nothing is sent."""
    begin = "redis+sentinel://{}h/main?{}".format
    logins = Logins(parse_address(begin("u:p@", "sentinel_password=w")))
    assert logins.servers.get_credentials() == ("u", "p")
    assert logins.sentinels.get_credentials() == ("w",)
    logins.renew(begin("", "sentinel_username=v"))
    assert logins.servers.get_credentials() == ()
    assert logins.sentinels.get_credentials() == ("v", "")


async def test_a_login_is_nothing_to_warn_of(
    embedded: EmbeddedRedis, caplog: pytest.LogCaptureFixture
) -> None:
    """A connection is made without a word of the library's."""
    async with opened(embedded.url) as store:
        await store.ping()
    assert caplog.messages == []


async def test_a_user_with_few_rights_suffices(embedded: EmbeddedRedis) -> None:
    """The service's user needs nothing that could delete, trim or expire a log."""
    rights = (
        "+eval +evalsha +xadd +xrange +xrevrange +get +set +append +zadd +zrem +zrange "
        "+zrangebyscore +zrevrangebyscore +hset +hget +hincrby +hvals +publish +subscribe "
        "+unsubscribe +wait +hello +auth +select +client|setname "
        "+time +lindex +lrange +rpush +rpop +ltrim"
    )
    with redis.Redis.from_url(embedded.url) as client:
        client.execute_command(
            *("ACL", "SETUSER", "ref", "on", ">pw", "resetkeys", "~match:*", "~referee:*"),
            *("resetchannels", "&match:*", "-@all", *rights.split()),
        )
    store = open_store(f"unix://ref:pw@{embedded.url.removeprefix('unix://')}")
    await store.register("m", InLists(1, "g", "t"))
    await store.append("m", 1, b"1", at=await store.time("m"), summary=b"s", deadline=5)
    await store.set_deadline("m", 6, version=1)
    await store.note_refusal("m", "0", b"r")
    await store.ping()
    assert len((await store.matches())[0]) == 1
    assert await store.refusals("m") == [b"r"]
    assert len(await store.due(9, 9)) == 1
    assert [due.deadline for due in await store.due(10, 1)] == [6]
    watching = store.subscribe("m", 0)
    assert await anext(watching) == Entry(1, b"1")
    following = asyncio.ensure_future(anext(watching))
    await asyncio.sleep(0.05)
    await store.append("m", 2, b"2")
    assert await asyncio.wait_for(following, 30) == Entry(2, b"2")
    await store.aclose()
