"""Event streams: what is in the log, as the reader may see it, from where it stood, to the end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from itertools import pairwise
from math import ceil
from urllib.parse import quote

import httpx
import pytest
from websockets.asyncio.client import connect

from referee.service import Bearer
from tests.clients import ORGANIZER, PATIENCE_S, TOKENS, accepted, ask, bearer
from tests.live.readers import listening
from tests.live.servers import Server, Table, serving, wait_until

GAME = "giro-galoppo"
MINUTE = 60_000


def a_table(servers: list[Server], moves: int = 0, **order: object) -> Table:
    """A match of three with so many moves made, by turns on either server."""
    table = Table(servers[0], GAME, 3, **order)
    for number in range(moves):
        table.move(servers[number % 2])
    return table


# ── What comes ────────────────────────────────────────────────────────────────────────────────────


async def test_every_commit_comes_with_its_version_and_head(servers: list[Server]) -> None:
    """One message a commit, on whichever server it was made; the id names version and head."""
    table = a_table(servers, 3)
    async with listening(table.url("/events", servers[1]), table.spectator) as stream:
        assert await stream.versions(4) == [1, 2, 3, 4]
        made = [table.move(servers[number % 2]) for number in range(2)]
        for answer in made:
            message = await stream.next()
            assert message is not None
            assert message.event == "commit"
            assert message.id == f"{answer['version']}.{answer['head'][:16]}"
            assert message.data["head"] == answer["head"]
            assert set(message.data) == {"version", "at", "events", "head"}


async def test_each_viewer_gets_what_its_events_show(servers: list[Server]) -> None:
    """The stream hides what the list of events hides, for each viewer, and nothing more."""
    table = a_table(servers, 5)
    viewers = [ORGANIZER, *table.tokens, table.spectator]
    for seat in (0, 1):
        table.play(seat, table.legal(seat)[0])
    for token in viewers:
        shown = table.events(token)
        async with listening(table.url("/events"), token) as stream:
            messages = [await stream.next() for _ in range(table.view()["version"])]
        streamed = [event for one in messages if one for event in one.data["events"]]
        assert streamed == shown
    seen = [
        [event["card"] for event in table.events(token) if event["type"] == "card_chosen"]
        for token in viewers
    ]
    assert [[card is not None for card in cards] for cards in seen] == [
        [True, True], [True, False], [False, True], [False, False], [False, False]
    ]  # fmt: skip


async def test_it_is_a_stream_that_nobody_keeps_or_packs(servers: list[Server]) -> None:
    """Its headers keep caches, proxies and compression away; it says at once that it is there."""
    table = a_table(servers)
    parts = {**bearer(table.spectator), "Accept-Encoding": "gzip, br"}
    async with (
        httpx.AsyncClient() as client,
        client.stream(
            "GET", table.url("/events"), headers={**parts, "Accept": "text/event-stream"}
        ) as answer,
    ):
        headers = answer.headers
        first = await anext(answer.aiter_raw())
    assert headers["content-type"] == "text/event-stream"
    assert headers["cache-control"] == "no-store"
    assert headers["x-accel-buffering"] == "no"
    assert "content-encoding" not in headers
    assert first.startswith(b"event: time\n")


async def test_without_the_media_type_it_is_the_list_of_events(servers: list[Server]) -> None:
    """The same address answers JSON to whoever does not ask for a stream."""
    table = a_table(servers, 1)
    answer = table.client.get(table.url("/events"), headers=bearer(table.spectator))
    assert answer.json()["last"] == 2


def test_a_head_request_ends_at_once(servers: list[Server]) -> None:
    """It has the headers of the stream, and no stream."""
    table = a_table(servers)
    headers = {**bearer(ORGANIZER), "Accept": "text/event-stream"}
    answer = httpx.head(table.url("/events"), headers=headers, timeout=5)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/event-stream"


# ── From where ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("query", "last"), [("?after=2", None), ("", "2"), ("?after=1", "2")])
async def test_it_begins_after_a_version(
    servers: list[Server], query: str, last: str | None
) -> None:
    """After `?after=`, or `Last-Event-ID`, which has the last word: browsers send both."""
    table = a_table(servers, 3)
    async with listening(table.url(f"/events{query}"), ORGANIZER, last=last) as stream:
        assert await stream.versions(2) == [3, 4]


async def test_it_goes_on_from_the_id_of_a_message(servers: list[Server]) -> None:
    """On the other server too."""
    table = a_table(servers, 3)
    async with listening(table.url("/events?after=1"), ORGANIZER) as stream:
        message = await stream.next()
    assert message is not None
    for query, last in (("", message.id), (f"?after={message.id}", None)):
        url = table.url(f"/events{query}", servers[1])
        async with listening(url, ORGANIZER, last=last) as stream:
            assert await stream.versions(2) == [3, 4]


@pytest.mark.parametrize("last", ["2.0123456789abcdef", "9", "9.0123456789abcdef"])
async def test_who_saw_what_the_log_no_longer_holds_is_told(
    servers: list[Server], last: str
) -> None:
    """First the news, with the present version; then it goes on after that."""
    table = a_table(servers, 3)
    head = table.view()["head"]
    async with listening(table.url("/events", servers[1]), ORGANIZER, last=last) as stream:
        message = await stream.next()
        assert message is not None
        assert message.event == "rewritten"
        assert message.data == {"version": 4}
        assert message.id == f"4.{head[:16]}"
        table.move()
        assert await stream.versions(1) == [5]


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "2.xyz", "1e3", "007", "²"])
async def test_an_id_that_is_none_is_refused(servers: list[Server], last: str) -> None:
    """What no message ever had for its id is a mistake of the client's."""
    table = a_table(servers)
    after = quote(last)
    for query, header, name in (("", last, "Last-Event-ID"), (f"?after={after}", None, "after")):
        async with listening(table.url(f"/events{query}"), ORGANIZER, last=header) as stream:
            assert stream.status == 400
            problem = await stream.problem()
        assert problem["errors"][0]["path"] == name


# ── Who may ───────────────────────────────────────────────────────────────────────────────────────


async def test_who_may_look_may_watch(servers: list[Server]) -> None:
    """As for the view: nobody without a token, but where the match is public."""
    private, public = a_table(servers), a_table(servers, public=True)
    for table, token, status in (
        (private, None, 401),
        (private, "nonsense", 401),
        (private, public.tokens[0], 404),
        (private, TOKENS.issue(Bearer("organizer"), -1), 401),
        (public, None, 200),
        (public, private.tokens[0], 200),
        (public, "nonsense", 401),
    ):
        async with listening(table.url("/events"), token) as stream:
            assert stream.status == status


async def test_a_token_may_stand_in_the_address_of_a_stream_alone(
    servers: list[Server],
) -> None:
    """A browser's EventSource can send no header; everything else can."""
    table = a_table(servers)
    secret = f"access_token={table.tokens[0]}"
    async with listening(table.url(f"/events?{secret}"), None) as stream:
        assert await stream.versions(1) == [1]
    for path, status in (("", 400), ("/events", 401), ("/legal", 401)):
        assert table.client.get(table.url(f"{path}?{secret}")).status_code == status


def test_no_token_is_logged(lasting_redis_url: str) -> None:
    """Not even where it stands in the address."""
    with serving(lasting_redis_url, REFEREE_LOG_LEVEL="debug") as (server,):
        table = Table(server, GAME, 3)
        secret = table.tokens[0]
        headers = {"Accept": "text/event-stream"}
        table.rule({"type": "void", "reason": "over"})
        address = table.url(f"/events?access_token={secret}")
        assert ask(address, headers=headers).status_code == 200
        ask(f"{address}&after=x", headers=headers)
        wait_until(lambda: sum("/events" in line for line in server.log) >= 2)
        assert not [line for line in server.log if secret in line]


# ── How it ends ───────────────────────────────────────────────────────────────────────────────────


async def test_it_ends_with_the_match(servers: list[Server]) -> None:
    """After the last commit has been delivered, on both servers."""
    table = a_table(servers, 1)
    urls = [table.url("/events?after=2", server) for server in servers]
    async with listening(urls[0], ORGANIZER) as here, listening(urls[1], table.tokens[1]) as there:
        for seat in (0, 1):
            table.play(seat, {"type": "resign"})
        for stream in (here, there):
            rest = await stream.rest()
            assert [one.version for one in rest] == [3, 4]
            assert rest[-1].data["events"][-1]["type"] == "seed_revealed"
            assert stream.comments[-1] == "ended: finished"


async def test_of_a_finished_match_it_tells_what_is_missing(servers: list[Server]) -> None:
    """Also what was ruled after its end; then it ends."""
    table = a_table(servers, 1)
    table.rule({"type": "void", "reason": "spilt coffee"})
    ranking = [{"seat": seat, "place": seat + 1} for seat in range(3)]
    table.rule({"type": "adjudicate", "ranking": ranking, "reason": "it was readable"})
    table.rule({"type": "certify"})
    for after in range(5):
        async with listening(table.url(f"/events?after={after}", servers[1]), ORGANIZER) as stream:
            assert stream.status == 200
            assert [one.version for one in await stream.rest()] == list(range(after + 1, 6))


async def test_who_has_all_of_a_finished_match_is_told_to_stay_away(
    servers: list[Server],
) -> None:
    """A browser comes back to a stream that ended, until it is answered 204."""
    table = a_table(servers)
    table.rule({"type": "void", "reason": "x"})
    async with listening(table.url("/events"), ORGANIZER) as stream:
        last = (await stream.rest())[-1].id
    async with listening(table.url("/events"), ORGANIZER, last=last) as stream:
        assert stream.status == 204


async def test_it_ends_when_its_token_expires(servers: list[Server]) -> None:
    """In the middle, without waiting for the next commit."""
    table = a_table(servers, 1)
    token = TOKENS.issue(Bearer("seat", table.match, 0), ttl=2)
    started = time.monotonic()
    async with listening(table.url("/events"), token) as stream:
        assert [one.version for one in await stream.rest()] == [1, 2]
        assert stream.comments[-1] == "ended: expired"
    assert time.monotonic() - started > 0.9
    async with listening(table.url("/events"), token) as stream:
        assert stream.status == 401


async def test_a_new_token_ends_the_streams_of_the_old_one(servers: list[Server]) -> None:
    """On every server, before they show anything more; nobody else's ends."""
    table = a_table(servers, 1)
    old = table.tokens[1]
    urls = [table.url("/events?after=2", server) for server in servers]
    async with (
        listening(urls[0], old) as here,
        listening(urls[1], old) as there,
        listening(urls[1], table.tokens[0]) as other,
    ):
        answer = table.client.post(table.url("/seats/1/token"), headers=bearer(ORGANIZER))
        new = accepted(answer)["token"]
        for stream in (here, there):
            assert await stream.rest() == []
            assert stream.comments[-1] == "ended: reissued"
        assert await other.versions(1) == [3]
    for server in servers:
        async with listening(table.url("/events", server), old) as stream:
            assert stream.status == 401
        async with listening(table.url("/events", server), new) as stream:
            assert await stream.versions(3) == [1, 2, 3]
        assert table.send(old, {"type": "resign"}, server).status_code == 401


async def test_streams_and_sockets_end_before_a_server_that_is_told_to_stop(
    lasting_redis_url: str,
) -> None:
    """It does not wait for them, and stops as it should; sockets are told that it is a restart."""
    with serving(lasting_redis_url) as (server,):
        table = Table(server, GAME, 3)
        live = table.url("/live").replace("http", "ws", 1)
        async with (
            listening(table.url("/events"), ORGANIZER) as stream,
            connect(live, additional_headers=bearer(ORGANIZER)) as ws,
        ):
            assert await stream.versions(1) == [1]
            stopping = asyncio.create_task(asyncio.to_thread(server.stop))
            assert await stream.rest() == []
            assert stream.comments[-1] == "ended: drained"
            await asyncio.wait_for(ws.wait_closed(), PATIENCE_S)
            assert ws.close_code == 1012
            assert await asyncio.wait_for(stopping, PATIENCE_S) == 0


async def test_a_server_with_time_to_leave_serves_on_and_ends_streams_one_by_one(
    lasting_redis_url: str, servers: list[Server]
) -> None:
    """Not ready, so that it gets no more, while what still comes is served, and sent elsewhere.

    Streams do not end, and come back, all at once.
    """
    leave_s = ceil(4 * servers[0].slowness)
    with serving(lasting_redis_url, REFEREE_DRAIN_S=str(leave_s)) as (server,):
        table = Table(server, GAME, 3)
        async with contextlib.AsyncExitStack() as stack:
            streams = [
                await stack.enter_async_context(listening(table.url("/events?after=1"), ORGANIZER))
                for _ in range(8)
            ]
            rests = [asyncio.create_task(stream.rest()) for stream in streams]
            server.process.terminate()
            await asyncio.to_thread(wait_until, lambda: _ready(server) == 503)
            await asyncio.wait(rests, return_when=asyncio.FIRST_COMPLETED)
            assert [rest for rest in rests if not rest.done()]
            for get in (server.client.get, httpx.get):
                answer = get(f"{server.url}/v1/games")
                assert (answer.status_code, answer.headers["connection"]) == (200, "close")
            assert table.send(ORGANIZER, {"type": "pause"}).headers["connection"] == "close"
            late = await stack.enter_async_context(listening(table.url("/events"), ORGANIZER))
            assert await late.versions(1) == [1]
            assert await asyncio.to_thread(server.stop) == 0
            await asyncio.gather(*rests)
        assert {stream.comments[-1] for stream in streams} == {"ended: drained"}
        assert len({stream.retry for stream in streams}) > 1


def _ready(server: Server) -> int:
    return ask(f"{server.url}/health/ready").status_code


async def test_open_streams_are_counted(servers: list[Server]) -> None:
    """By kind, and as streams: they are in no histogram of answers' times."""
    server, table = servers[0], a_table(servers)
    name = 'referee_live_streams{kind="sse"}'
    wait_until(lambda: server.metric(name) == 0)
    async with listening(table.url("/events"), ORGANIZER):
        await asyncio.to_thread(wait_until, lambda: server.metric(name) == 1)
    await asyncio.to_thread(wait_until, lambda: server.metric(name) == 0)
    text = server.client.get(f"{server.url}/metrics").text
    assert re.search(r'referee_live_streams_ended_total\{kind="sse",reason="left"\} [1-9]', text)


async def test_a_stream_begins_with_the_time(servers: list[Server]) -> None:
    """Before what has been and what was rewritten, without an id; a client draws clocks by it."""
    table = a_table(servers)
    at = table.events()[0]["at"]
    for last in (None, "1.0000000000000000"):
        async with listening(table.url("/events"), ORGANIZER, last=last) as stream:
            first, then = await stream.any(), await stream.any()
            assert first is not None
            assert then is not None
            assert (first.id, first.event, [*first.data]) == ("", "time", ["now"])
            assert abs(first.data["now"] - at) < MINUTE
            assert abs(int(stream.headers["referee-time"]) - at) < MINUTE
            assert then.event == ("commit" if last is None else "rewritten")


@pytest.mark.long
async def test_a_stream_and_a_socket_tell_the_time_again(servers: list[Server]) -> None:
    """At least every fifteen seconds, also while there is much else to tell."""
    table = a_table(servers)
    url = table.url("/live").replace("http", "ws", 1)
    until = time.monotonic() + 45
    async with (
        listening(table.url("/events?after=1"), ORGANIZER) as stream,
        connect(url, additional_headers=bearer(ORGANIZER)) as ws,
    ):
        times: dict[str, list[float]] = {"stream": [], "socket": []}

        async def of_stream() -> None:
            while (message := await stream.any()) is not None and time.monotonic() < until:
                times["stream"] += [time.monotonic()] if message.event == "time" else []

        async def of_socket() -> None:
            while time.monotonic() < until:
                frame = json.loads(await ws.recv())
                times["socket"] += [time.monotonic()] if "time" in frame else []

        async def play() -> None:
            for number in range(96):
                kind = ("pause", "resume")[number % 2]
                await asyncio.to_thread(table.rule, {"type": kind})
                await asyncio.sleep(0.5)

        await asyncio.gather(of_stream(), of_socket(), play())
    for told in times.values():
        assert len(told) >= 4
        assert max(later - earlier for earlier, later in pairwise(told)) < 15
