"""Time-outs: flags and windows, done once and in time, however many servers there are."""

from __future__ import annotations

import asyncio
import math
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx
import msgspec
import redis

from referee.core.judging import tag
from referee.core.match import ClockSetting
from referee.core.table.commands import ClaimTimeout
from referee.core.table.events import MatchEnded
from referee.core.verify import verify
from referee.service import Bearer
from referee.store.embedded.server import EmbeddedRedis
from referee.store.scripts import TAGS, deadlines_key, log_key
from tests.clients import ORGANIZER, PATIENCE_S, TOKENS, bearer
from tests.live.servers import Server, Table, eventually, serving, wait_until
from tests.service.desk import PLACE, RULES, first_commit
from tests.store.machines import opened

GAME = "giro-galoppo"
LATE_MS = 5000
"""A flag later than this is late on the slowest machine; on a quiet one it takes a few ms."""


def clocked(server: Server, base_s: int = 1, **clock: Any) -> Table:
    """A match of three in which seat 0 has a second for its first move."""
    return Table(server, GAME, 3, clock={"base_s": base_s, **clock})


def events_of(table: Table, kind: str) -> list[dict[str, Any]]:
    """The events of a type so far."""
    return [event for event in table.events() if event["type"] == kind]


def test_a_flag_falls_once_and_in_time(servers: list[Server]) -> None:
    """Thirty clocks run out at three servers: one flag each, soon after its time, and no word."""
    said = sum(len(server.log) for server in servers)
    tables = [clocked(servers[number % 3], on_flag="note") for number in range(30)]
    for table in tables:
        wait_until(partial(events_of, table, "flagged"))
    time.sleep(0.5)
    for table in tables:
        created, *flags = (e for e in table.events() if e["type"] in ("match_created", "flagged"))
        assert [flag["seat"] for flag in flags] == [0]
        assert 0 <= flags[0]["at"] - created["at"] - 1000 < LATE_MS
        assert table.view()["clock"]["flagged"] == [True, False, False]
    assert sum(len(server.log) for server in servers) == said


def test_a_flag_may_cost_the_match(servers: list[Server]) -> None:
    """Seat after seat runs out of time and is out; the last one left wins."""
    table = clocked(servers[0])
    wait_until(lambda: table.view()["status"] == "finished")
    withdrawn = events_of(table, "withdrawn")
    assert [(one["seat"], one["why"]) for one in withdrawn] == [(0, "flagged"), (1, "flagged")]
    result = table.view()["result"]
    assert (result["reason"], result["winners"]) == ("flag", [2])


def test_windows_are_closed_when_they_end(servers: list[Server]) -> None:
    """Many at once, each by one commit of the service, at its time."""
    tables = [
        Table(servers[number % 3], "dancing-villager", 3, options={"window_ms": 1000})
        for number in range(12)
    ]
    ends = []
    for table in tables:
        for seat in range(3):
            table.play(seat, {"type": "ready"}, servers[seat])
        ends.append(table.view()["deadline"])
    for table, end in zip(tables, ends, strict=True):
        wait_until(partial(events_of, table, "window_closed"))
        closed = events_of(table, "window_closed")
        assert len(closed) == 1
        assert 0 <= closed[0]["at"] - end < LATE_MS


def test_a_pause_stops_clocks_and_windows(servers: list[Server]) -> None:
    """Neither a flag nor a close comes in it; what was left is left afterwards."""
    clock = clocked(servers[0], base_s=2)
    clock.rule({"type": "pause"}, servers[1])
    window = Table(servers[0], "dancing-villager", 3, options={"window_ms": 1500})
    for seat in range(3):
        window.play(seat, {"type": "ready"})
    before = window.view()["deadline"]
    window.rule({"type": "pause"}, servers[1])
    for table in (clock, window):
        assert table.view()["deadline"] is None
    time.sleep(2.2)
    assert not events_of(clock, "flagged")
    assert not events_of(window, "window_closed")
    window.rule({"type": "resume"}, servers[2])
    paused = events_of(window, "resumed")[0]["paused_ms"]
    assert window.view()["deadline"] == before + paused
    clock.rule({"type": "resume"}, servers[2])
    wait_until(lambda: events_of(clock, "flagged") and events_of(window, "window_closed"))


def test_granted_time_moves_the_flag(servers: list[Server]) -> None:
    """The deadline that was is none any more."""
    table = clocked(servers[0], base_s=1)
    table.rule({"type": "grant_time", "seat": 0, "seconds": 3600}, servers[1])
    time.sleep(1.5)
    assert not events_of(table, "flagged")
    assert 3540 < table.view()["deadline"] / 1000 - time.time() < 3601


def test_a_take_back_gives_the_clock_back(servers: list[Server]) -> None:
    """Its flag falls by the clock as it stood then."""
    table = clocked(servers[0], base_s=3600)
    time.sleep(0.3)
    table.move(servers[1])
    assert table.view()["clock"]["left_ms"][0] < 3_599_800
    table.rule({"type": "take_back", "to": 1, "reason": "a slip"}, servers[2])
    view = table.view()
    assert view["clock"]["left_ms"] == [3_600_000] * 3
    assert view["deadline"] == view["clock"]["read_at"] + 3_600_000


def test_anybody_at_the_table_may_claim_a_flag(servers: list[Server]) -> None:
    """Where it has fallen: before, it is refused with what is left."""
    table = clocked(servers[0], base_s=3600)
    answer = table.send(table.tokens[1], {"type": "claim_timeout", "seat": 0})
    assert answer.json()["ruling"] == "clock-runs"
    assert " s left" in answer.json()["detail"]


def test_a_deadline_that_is_wrong_is_put_right(
    servers: list[Server], lasting_redis_url: str
) -> None:
    """Too early, of a match that is over, of one that never was: none does any harm."""
    table, over = clocked(servers[0], base_s=3600), clocked(servers[0], base_s=3600)
    over.rule({"type": "void", "reason": "x"})
    client: Any = redis.Redis.from_url(lasting_redis_url)
    now = int(time.time() * 1000)
    client.zadd(deadlines_key(TAGS[0]), {table.match: now, over.match: now, "never-was": now})
    wait_until(
        lambda: client.zscore(deadlines_key(TAGS[0]), table.match) == table.view()["deadline"]
    )
    wait_until(lambda: client.zscore(deadlines_key(TAGS[0]), over.match) is None)
    wait_until(lambda: client.zscore(deadlines_key(TAGS[0]), "never-was") is None)
    client.close()
    assert table.view()["version"] == 1


def test_a_match_that_cannot_be_served_stops_no_other(embedded: EmbeddedRedis) -> None:
    """A hundred of them, all overdue: the flags of a good one fall all the same."""
    client: Any = redis.Redis.from_url(embedded.url)
    for number in range(100):
        client.xadd(log_key(f"bad{number}"), {"c": b"nonsense"}, id="1-0")
        client.zadd(deadlines_key(TAGS[0]), {f"bad{number}": number})
    foreign: dict[str, Any] = {
        "v": 1,
        "at": 1,
        "by": "organizer",
        "key": None,
        "ev": [],
        "prev": b"",
    }
    foreign["cmd"] = {"type": "create_match", "ruleset": "chess/9"}
    client.xadd(log_key("foreign"), {"c": msgspec.msgpack.encode(foreign)}, id="1-0")
    client.zadd(deadlines_key(TAGS[0]), {"foreign": 0})
    with serving(embedded.url, REFEREE_LOG_LEVEL="critical") as (server,):
        table = clocked(server, on_flag="note")
        wait_until(lambda: events_of(table, "flagged"))
        flag, created = events_of(table, "flagged")[0], events_of(table, "match_created")[0]
        assert flag["at"] - created["at"] - 1000 < LATE_MS
        missed = server.metric("referee_deadlines_missed_total")
        assert missed >= 100
        time.sleep(1)
        assert server.metric("referee_deadlines_missed_total") < missed + 300
    assert client.zcard(deadlines_key(TAGS[0])) >= 101  # for a process that can serve them
    client.close()


def test_a_deadline_outlives_the_server_that_made_it(redis_url: str) -> None:
    """Killed right after the commit that starts a clock: another server lets the flag fall."""
    with serving(redis_url, 1) as (server,):
        tables = [clocked(server, on_flag="note") for _ in range(5)]
        server.kill()
    client: Any = redis.Redis.from_url(redis_url)
    waiting = {match.decode() for match in client.zrange(deadlines_key(TAGS[0]), 0, -1)}
    client.close()
    assert waiting <= {table.match for table in tables}  # a slow machine has let some fall already
    with serving(redis_url, 1) as (server,):
        for table in tables:
            table.server, table.client = server, server.client
            wait_until(partial(events_of, table, "flagged"))
            assert len(events_of(table, "flagged")) == 1


def test_the_metrics_say_how_late_it_was(servers: list[Server]) -> None:
    """All that was due was done, and little of it late."""
    table = clocked(servers[0], on_flag="note")
    wait_until(lambda: events_of(table, "flagged"))
    name = "referee_deadline_late_seconds"
    wait_until(lambda: sum(server.metric(f"{name}_count") for server in servers) >= 1)
    answer = table.client.get(f"{servers[0].url}/metrics", headers=bearer(ORGANIZER))
    assert f'{name}_bucket{{le="0.1"}}' in answer.text


def test_a_command_that_comes_when_its_time_is_gone_is_taken_by_nobody(redis_url: str) -> None:
    """The only server stands still across a deadline: it wakes to the move before it has let the
    flag fall. It stood still for longer than an outage takes, and made none.
    """  # noqa: D205 - one claim
    with serving(redis_url) as (server,):
        tables = [
            clocked(server, math.ceil(2 * server.slowness), increment_s=3, on_flag=what)
            for what in ("forfeit", "note")
        ]
        server.pause()
        with ThreadPoolExecutor() as pool:
            moves = [pool.submit(table.send, table.tokens[0], PLACE) for table in tables]
            time.sleep(2 * server.slowness + 1.5)
            server.resume()
        assert [move.result().status_code for move in moves] == [422, 200]
    for table, then in zip(tables, ("withdrawn", "obstacle_placed"), strict=True):
        log = log_in(redis_url, table.match)
        kinds = [tag(event) for commit in log for event in commit.ev]
        assert kinds[:3] == ["match_created", "flagged", then]
        assert "outage_excused" not in kinds


async def test_two_hundred_flags_fall_together(
    servers: list[Server], lasting_redis_url: str
) -> None:
    """Three servers let them fall while moves come: each once, in time, and no move behind one."""
    async with opened(lasting_redis_url) as store, httpx.AsyncClient(timeout=PATIENCE_S) as client:
        at = await store.time("")
        matches = [f"together{number}" for number in range(200)]
        for match in matches:
            begun = first_commit(RULES, match, at, clock=ClockSetting(base_s=2))
            await store.append(match, 1, begun, deadline=at + 2000)

        async def move(match: str, number: int) -> int:
            await asyncio.sleep((at + 1950 + number - await store.time(match)) / 1000)
            token = TOKENS.issue(Bearer("seat", match, 0))
            url = f"{servers[number % 3].url}/v1/matches/{match}/commands"
            return (await client.post(url, json=PLACE, headers=bearer(token))).status_code

        sent = [move(match, number) for number, match in enumerate(matches[:100])]
        assert set(await asyncio.gather(*sent)) <= {200, 422}
        for match in matches:
            await eventually(partial(is_over, lasting_redis_url, match))
            log = await store.read(match)
            assert verify(RULES, match, [entry.data for entry in log]).dispute is None
            created, *others = log_in(lasting_redis_url, match)
            flags = [commit for commit in others if isinstance(commit.cmd, ClaimTimeout)]
            assert len(flags) == 1
            began = created.at if flags[0].cmd.seat == 0 else others[0].at
            assert 0 <= flags[0].at - began - 2000 < LATE_MS


def log_in(redis_url: str, match: str) -> list[Any]:
    """A match's commits, read."""
    with redis.Redis.from_url(redis_url) as client:
        return [RULES.read_commit(entry[b"c"]) for _, entry in client.xrange(log_key(match))]


def is_over(redis_url: str, match: str) -> bool:
    """Whether the match has ended, in its log."""
    return any(isinstance(event, MatchEnded) for event in log_in(redis_url, match)[-1].ev)
