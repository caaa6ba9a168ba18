"""What is archived is read as it was before."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from msgspec import UNSET

from referee.archive import STRANGER as STRANGERS
from referee.archive import Archive, ArchiveAway, ArchivedStore
from referee.archive import store as falling_through
from referee.archive.archive import match_key, refusals_key
from referee.archive.memory import Memory
from referee.core.commit import FORMAT, Header, read_match_file, write_match_file
from referee.http.middleware import Middleware
from referee.service import Bearer
from referee.service.errors import UnknownMatch, Unserved
from referee.service.lists import Wanted
from referee.service.logs import PIECE
from referee.store import Entry, Rewritten, StoreAway
from referee.store import feed as feed_of_store
from tests.archive.hall import VOID, Hall
from tests.clients import ORGANIZER as TOKEN
from tests.clients import PATIENCE_S, TOKENS
from tests.http.site import Api, Table, application, problem
from tests.live.servers import eventually
from tests.service.desk import ORGANIZER, create, log_of, version

SCHEMA: Final = (Path(__file__).parents[2] / "schemas/openapi.json").read_bytes()
RANKING: Final = [{"seat": 0, "place": 2}, {"seat": 1, "place": 1}]


class Counting(Archive):
    """An archive that counts what it is asked for."""

    def __init__(self, archive: Archive) -> None:
        super().__init__(archive.place)
        self.asked: list[str] = []
        self.gate = threading.Event()
        self.gate.set()
        self.away = False

    def match(self, match: str) -> Any:
        """Count, wait at the gate, and look."""
        self.asked.append(match)
        self.gate.wait()
        if self.away:
            raise ArchiveAway("no way")
        return super().match(match)


@pytest.fixture
def archive(archive: Archive) -> Counting:
    """An archive that counts."""
    return Counting(archive)


# ── Over HTTP ─────────────────────────────────────────────────────────────────────────────────────


READS = [
    "",
    "?at=2",
    "/board.svg",
    "/board.svg?at=2",
    "/legal",
    "/verdict",
    "/log",
    "/events",
    "/events?after=1&limit=1",
    "/refusals",
    "/report",
]


STRANGER: Final = TOKENS.issue(Bearer("spectator", "other"))


async def seen(table: Table) -> dict[tuple[str, str | None], tuple[int, bytes, str | None]]:
    """What everybody is answered to every question, and the stream to its end."""
    found = {}
    for token in (TOKEN, table.tokens[0], table.spectator, STRANGER, None):
        for rest in READS if token else READS[:-1]:
            answer = await table.get(rest, token)
            found[rest, token] = (answer.status_code, answer.content, answer.headers.get("etag"))
        stream = await table.get("/events", token, accept="text/event-stream", last_event_id="1")
        told = b"".join(p for p in stream.content.split(b"\n\n") if b"event: time" not in p)
        found["stream", token] = (stream.status_code, told, None)
    return found


async def settled(front: Middleware) -> None:
    """Return when what was refused is noted."""
    assert front.site is not None
    await front.site.service.settle()


@pytest.mark.parametrize("public", [False, True])
async def test_everybody_reads_of_an_archived_match_what_they_read_before(
    hall: Hall, redis_url: str, *, public: bool
) -> None:
    """Every read of everybody, byte by byte; and nobody reads more."""
    async with application(redis_url, archive=hall.archive) as front:
        api = Api(front)
        table = await api.create(public=public)
        await table.play(0, {"type": "place_obstacle", "space": 20})
        await table.send({"type": "place_obstacle", "space": 20}, table.tokens[0])
        await table.finish()
        await table.rule({"type": "certify"})
        await settled(front)
        before = await seen(table)
        assert await hall.archived() == [table.match]
        assert await seen(table) == before
    async with application(redis_url, archive=hall.archive) as front:
        table.api = Api(front)
        assert await seen(table) == before


async def test_a_command_to_an_archived_match_is_a_conflict(hall: Hall, api: Api) -> None:
    """On every route that would append, or says so; who may not ask learns nothing."""
    table = await api.create()
    await table.rule(VOID)
    await hall.archived()
    body = problem(await table.send({"type": "resign"}, table.tokens[0]), 409, "archived")
    assert body["match"] == table.match
    problem(await table.send(VOID, TOKEN), 409, "archived")
    problem(await table.send(VOID, TOKEN, "/check"), 409, "archived")
    problem(await api.post(f"{table.path}/seats/0/token", {}, TOKEN), 409, "archived")
    problem(await table.send(VOID, STRANGER), 404, "not-found")
    problem(await table.send(b"[", TOKEN), 400, "bad-request")
    problem(
        await table.send(VOID, TOKEN, "/commands?seat=7"),
        422,
        "/v1/games/giro-galoppo/rulings/not-seated",
    )


async def test_the_apis_document_has_the_problem(api: Api) -> None:
    """Under 409, where commands are sent; the problem's own page says what to do."""
    document = msgspec.json.decode(SCHEMA)
    for rest in ("commands", "check", "seats/{seat}/token"):
        path = f"/v1/matches/{{match}}/{rest}"
        assert "409" in document["paths"][path]["post"]["responses"]
    answer = await api.get("/problems/archived")
    assert answer.status_code == 200
    assert "referee restore" in answer.text


# ── Looking up ────────────────────────────────────────────────────────────────────────────────────


async def test_the_store_is_asked_first_and_the_archive_once(hall: Hall, archive: Counting) -> None:
    """What the store holds is looked up nowhere; a match that was found is not looked up again."""
    await hall.over()
    archive.asked.clear()  # whether the id was taken
    await version(hall.another())
    assert archive.asked == []
    await hall.archived()
    for service in (hall.service, hall.another(), hall.another()):
        assert await version(service) == 4
        assert (await service.events("m", ORGANIZER, 0, 10)).last == 4
    assert archive.asked == ["m"]


async def test_a_log_that_has_gone_to_the_archive_was_not_rewritten(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has it at hand goes on with what is at hand."""
    await hall.over()
    await hall.archived()
    counted: list[str] = []
    monkeypatch.setattr(hall.service._observer, "counted", counted.append)
    assert await version(hall.service) == 4
    assert (await hall.service.view("m", ORGANIZER, at=2)).version == 2
    assert counted == []


async def test_a_miss_is_remembered_for_a_minute(
    hall: Hall, archive: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not looked up again before."""
    now = 1000.0
    monkeypatch.setattr("referee.archive.memory.time.monotonic", lambda: now)
    for _ in range(3):
        with pytest.raises(UnknownMatch):
            await version(hall.service)
    assert archive.asked == ["m"]
    now += 59
    with pytest.raises(UnknownMatch):
        await version(hall.service)
    assert archive.asked == ["m"]
    now += 2
    with pytest.raises(UnknownMatch):
        await version(hall.service)
    assert archive.asked == ["m", "m"]


async def test_a_miss_is_forgotten_when_the_match_is_there(hall: Hall) -> None:
    """Looked for, made, played and archived within a minute."""
    with pytest.raises(UnknownMatch):
        await version(hall.service)
    await hall.over()
    await hall.archived()
    assert await version(hall.service) == 4


async def test_many_who_look_for_one_match_look_once(hall: Hall, archive: Counting) -> None:
    """They wait for the same answer, whoever goes away."""
    await hall.over()
    await hall.archived()
    archive.asked.clear()
    archive.gate.clear()
    asked = [asyncio.ensure_future(version(hall.another())) for _ in range(50)]
    await eventually(lambda: archive.asked)
    asked[0].cancel()
    archive.gate.set()
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert answers[1:] == [4] * 49
    assert archive.asked == ["m"]


@pytest.mark.parametrize(("stranger", "most", "ended"), [(False, 20, 1002.0), (True, 10, 1005.0)])
async def test_at_most_twenty_are_looked_up_in_a_second(
    archive: Counting, monkeypatch: pytest.MonkeyPatch, *, stranger: bool, most: int, ended: float
) -> None:
    """Half of them for strangers.

    The next wait for their turn; more than can wait are told to come back, and know no match.
    """
    now, rest = 1000.0, asyncio.sleep

    async def sleep(seconds: float) -> None:
        nonlocal now
        await rest(0)
        now += seconds

    monkeypatch.setattr("referee.archive.turns.time.monotonic", lambda: now)
    monkeypatch.setattr("referee.archive.turns.asyncio.sleep", sleep)
    STRANGERS.set(stranger)
    lookups = falling_through.Lookups(archive)
    begun = []
    for number in range(60):
        assert await lookups.commits(f"x{number}") is None
        begun.append(now)
    assert all(late - early >= 1 for early, late in zip(begun, begun[most:], strict=False))
    assert now == ended
    asked = [lookups.commits(f"y{number}") for number in range(60)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    busy = [answer for answer in answers if isinstance(answer, ArchiveAway)]
    assert answers.count(None) + len(busy) == 60
    assert 0 < len(busy) <= 40


async def test_whoever_makes_up_ids_keeps_nobody_from_a_match_of_his(
    hall: Hall, redis_url: str
) -> None:
    """However many ids: no token, or one of another match, shows no right to any of them.

    Those who show one are served meanwhile, also where a stranger asks for their match before them.
    """
    async with application(redis_url, archive=hall.archive) as front:
        api = Api(front)
        tables = [await api.create(public=public) for public in (False, True)]
        for table in tables:
            await table.rule(VOID)
        assert sorted(await hall.archived()) == sorted(table.match for table in tables)
    async with application(redis_url, archive=hall.archive) as front:
        api = Api(front)
        made_up = [f"/v1/matches/x{number}" for number in range(200)]
        flood = [
            asyncio.ensure_future(api.get(path, STRANGER if number % 2 else None))
            for number, path in enumerate(made_up)
        ]
        for table in tables:
            table.api = api
            flood.append(asyncio.ensure_future(table.get("", STRANGER)))
            for token in (TOKEN, table.tokens[0], table.spectator):
                assert (await table.get("", token)).status_code == 200
        assert (await tables[1].get("", None)).status_code == 200  # nobody is a stranger to it now
        answers = await asyncio.gather(*flood)
        assert {answer.status_code for answer in answers} == {200, 401, 404, 503}


async def test_where_the_archive_is_away_nothing_counts_as_unknown(
    hall: Hall, archive: Counting
) -> None:
    """Neither a match nor a free id; what the store holds is served."""
    await hall.over()
    await hall.archived()
    await create(hall.service, "there")
    archive.away = True
    assert await version(hall.service, "there") == 1
    for service in (hall.service, hall.another()):
        with pytest.raises(StoreAway):
            await version(service)
    with pytest.raises(StoreAway):
        await create(hall.service, "m")
    archive.away = False
    assert await version(hall.service) == 4


async def test_an_archive_that_never_answers_is_away(
    hall: Hall, archive: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asked is told so in time, and no thread that others need is left waiting there."""
    monkeypatch.setattr("referee.archive.archive.PATIENCE_S", 0.05)
    archive.gate.clear()
    asked = (version(hall.service, f"x{number}") for number in range(16))
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert {type(answer) for answer in answers} == {ArchiveAway}
    assert await asyncio.to_thread(lambda: "done") == "done"
    archive.gate.set()


async def test_nobodys_turn_waits_for_the_archive(hall: Hall, archive: Counting) -> None:
    """Of a crowd that reads logs each has a page; an archive that hangs stops its own alone."""
    await create(hall.service, "there")
    await create(hall.service)
    for number in range(PIECE):
        await hall.rule("m", {"type": ("pause", "resume")[number % 2]})
    await hall.rule("m", VOID)
    assert await version(hall.service) == PIECE + 2
    assert await hall.archived() == ["m"]
    log = await hall.service.log("m", ORGANIZER)
    await anext(log)  # the first page
    store: Any = hall.store
    store._lookups.seen("m")  # as if it had been read long ago
    archive.asked.clear()
    archive.gate.clear()
    rest = asyncio.ensure_future(anext(log))
    try:
        await eventually(lambda: archive.asked)
        async with asyncio.timeout(PATIENCE_S):
            await hall.service.log("there", ORGANIZER)
        assert not rest.done()
    finally:
        archive.gate.set()
    assert await rest


async def test_a_list_without_the_archive_says_that_it_is_incomplete(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the store lists is listed; where the archive alone is asked for, it is away."""
    await hall.over()
    await hall.archived()
    await create(hall.service, "there")

    def away(*_: object) -> None:
        raise ArchiveAway("no way")

    monkeypatch.setattr(hall.archive, "rows", away)
    page = await hall.service.matches(ORGANIZER, Wanted())
    assert ([row.match for row in page.matches], page.incomplete) == (["there"], True)
    assert (await hall.service.matches(ORGANIZER, Wanted(archived=False))).incomplete is UNSET
    with pytest.raises(StoreAway):
        await hall.service.matches(ORGANIZER, Wanted(archived=True))


async def test_what_is_beside_a_log_keeps_nobody_from_the_log(hall: Hall, api: Api) -> None:
    """Where the refused commands cannot be read, only they and the page with them are not told."""
    table = await api.create()
    await table.rule(VOID)
    log = (await table.get("/log", TOKEN)).content
    await hall.archived()
    key, place = refusals_key(table.match), hall.archive.place
    place.put(key, b"nonsense", place.get(key))
    assert (await table.get("/log", TOKEN)).content == log
    assert (await table.get("/verdict", TOKEN)).json()["verdict"] == "not signed"
    for rest in ("/refusals", "/report"):
        problem(await table.get(rest, TOKEN), 503, "not-served")


async def test_a_file_that_is_none_is_not_served(hall: Hall, archive: Counting) -> None:
    """Nonsense, another match's file, a log whose chain is broken."""
    await hall.over()
    await hall.over("other")
    await hall.archived()
    kept, other = archive.match("m"), archive.match("other")
    assert kept is not None
    assert other is not None
    file = read_match_file(kept.data)
    cut = write_match_file(file.header, (file.commits[0], *file.commits[2:]))
    for wrong in (b"", b"nonsense", other.data, cut):
        archive.place.put(match_key("m"), wrong, Archive.match(archive, "m"))
        async with Hall(hall.url, archive) as fresh:
            with pytest.raises(Unserved):
                await version(fresh.service)


async def test_a_match_that_went_on_after_it_was_archived_is_seen_so(hall: Hall) -> None:
    """What is remembered of the archive's file ends with a look at the store's log."""
    await hall.over()
    await hall.archived()
    assert await version(hall.service) == 4
    await hall.restore()
    assert await version(hall.service) == 4
    await hall.rule("m", {"type": "adjudicate", "reason": "seen", "ranking": RANKING})
    await hall.archived(uncertified=True)
    assert await version(hall.service) == 5
    assert await version(hall.another()) == 5


# ── Streams ───────────────────────────────────────────────────────────────────────────────────────


async def followed(store: ArchivedStore, after: int, seen_: bytes | None = None) -> list[Any]:
    """What a feed of `m` brings, to its end."""
    feed = store.subscribe("m", after, seen=seen_)
    async with asyncio.timeout(60):
        found = [item.version if isinstance(item, Entry) else item async for item in feed]
    await feed.aclose()
    return found


async def test_a_feed_goes_on_in_the_archive(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who watched while it was archived, who comes later, and who has seen another log."""
    monkeypatch.setattr(feed_of_store, "SWEEP_S", 0.05)
    assert isinstance(hall.store, ArchivedStore)
    await hall.over()
    commits = await log_of(hall.moving)
    feed = hall.store.subscribe("m", 0)
    first = [await anext(feed) for _ in range(2)]
    await hall.archived()
    async with asyncio.timeout(60):
        rest = [item async for item in feed]
    await feed.aclose()
    assert [*first, *rest] == [Entry(number, data) for number, data in enumerate(commits, 1)]
    assert await followed(hall.store, 0) == [1, 2, 3, 4]
    assert await followed(hall.store, 2, commits[1]) == [3, 4]
    assert await followed(hall.store, 4) == []
    assert await followed(hall.store, 2, b"another") == [Rewritten(4)]
    assert await followed(hall.store, 9) == [Rewritten(4)]


async def test_those_who_follow_a_long_archived_log_have_turns(hall: Hall) -> None:
    """Nothing is waited for on the way through it, and others are to have their turn as well."""
    commits = [b"commit %d" % number for number in range(1, 201)]
    header = Header(FORMAT, "m", "giro-galoppo", "giro-galoppo/1", "00" * 32, len(commits))
    hall.archive.place.put(match_key("m"), write_match_file(header, commits), None)
    assert isinstance(hall.store, ArchivedStore)
    assert await followed(hall.store, 0) == [*range(1, 201)]
    order: list[str] = []

    async def follow(name: str) -> list[int]:
        feed, found = hall.store.subscribe("m", 0), list[int]()
        async for item in feed:
            assert isinstance(item, Entry)
            found.append(item.version)
            while len(found) % 50 and (entry := feed.at_hand()):
                found.append(entry.version)
            order.append(name)
        return found

    assert await asyncio.gather(*map(follow, "abc")) == [[*range(1, 201)]] * 3
    assert order == ["a", "b", "c"] * 4


# ── What is remembered ────────────────────────────────────────────────────────────────────────────


def test_remembers_as_much_as_it_may_weigh() -> None:
    """The oldest make room, and the last is there however heavy it is."""
    memory: Memory[str] = Memory(3600, 10)
    for name, weight in (("a", 4), ("b", 4), ("b", 5), ("c", 1), ("d", 1)):
        memory.put(name, name, weight)
    assert [memory.get(name) for name in "abcd"] == [None, "b", "c", "d"]

    memory.forget("d")
    memory.put("e", "e", 4)
    assert [memory.get(name) for name in "bcde"] == ["b", "c", None, "e"]

    memory.put("f", "f", 99)
    assert [memory.get(name) for name in "bcef"] == [None, None, None, "f"]


async def test_a_page_of_an_archived_log_is_that_page(hall: Hall) -> None:
    """Wherever it begins and ends, however long the log."""
    commits = [b"commit %d" % number for number in range(1, 601)]
    header = Header(FORMAT, "m", "giro-galoppo", "giro-galoppo/1", "00" * 32, len(commits))
    hall.archive.place.put(match_key("m"), write_match_file(header, commits), None)
    for after, limit in ((0, 1), (0, 600), (255, 2), (599, 5), (600, 5), (300, None)):
        found = await hall.store.read("m", after, limit)
        last = None if limit is None else after + limit
        assert [entry.data for entry in found] == commits[after:last]
        assert [entry.version for entry in found] == [*range(1, 601)][after:last]
