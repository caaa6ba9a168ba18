"""Outages: what nobody could help is charged to nobody."""

from __future__ import annotations

import math
import os
import signal
import time
from functools import partial

import pytest

from referee.catalogue import catalogue
from referee.core.commit import read_match_file
from referee.core.verify import verify
from referee.store.embedded.server import EmbeddedRedis
from tests.clients import ORGANIZER, ask, bearer
from tests.live.servers import Server, Table, serving, wait_until

pytestmark = pytest.mark.crashes

AWAY_S = 3.0
SLACK_MS = 2500
"""What may be lost or won at the edges of an outage: heartbeats come twice a second.

All times here are those of a quiet machine; a server says how much slower the present one is.
"""


def away(store: EmbeddedRedis, seconds: float) -> None:
    """Kill the store and start it again later."""
    assert store.pid is not None
    os.kill(store.pid, signal.SIGKILL)
    store.stop()
    time.sleep(seconds)
    store.start()


def proven(table: Table) -> None:
    """The log verifies."""
    data = table.client.get(table.url("/log"), headers=bearer(ORGANIZER)).content
    file = read_match_file(data)
    verdict = verify(catalogue().rules(file.header.ruleset), table.match, file.commits)
    assert verdict.dispute is None


def told(table: Table, kind: str) -> bool:
    """Whether an event of that type is in the log."""
    return kind in table.types()


def back(server: Server) -> bool:
    """Whether a server reaches its store."""
    return ask(f"{server.url}/health/ready").status_code == 200


def test_an_outage_of_the_store_costs_nobody_time(embedded: EmbeddedRedis) -> None:
    """Clocks that would have run out in it go on with what they had; a window stays open."""
    with serving(embedded.url, 2, REFEREE_LOG_LEVEL="critical") as servers:
        slow = servers[0].slowness
        gone, slack = 1000 * AWAY_S * slow, SLACK_MS * slow
        idle = Table(servers[0], "giro-galoppo", 3, clock={"base_s": 600})
        window = Table(servers[1], "dancing-villager", 3, options={"window_ms": round(3500 * slow)})
        for seat in range(3):
            window.play(seat, {"type": "ready"})
        before = window.view()["deadline"]
        clock = Table(servers[0], "giro-galoppo", 3, clock={"base_s": math.ceil(4 * slow)})
        time.sleep(1.5)
        away(embedded, gone / 1000)
        for server in servers:
            wait_until(partial(back, server))
        # No command: the service finds that their time has come, and excuses the outage first.
        for table in (window, clock):
            wait_until(partial(told, table, "outage_excused"))
            assert table.view()["status"] == "active"
        assert window.play(0, {"type": "grab", "what": "dog"})["version"] == 6
        assert abs(window.view()["deadline"] - before - gone) < slack
        excused = next(one for one in clock.events() if one["type"] == "outage_excused")
        assert abs(excused["until"] - excused["from"] - gone) < slack
        assert 1000 < clock.view()["clock"]["left_ms"][0] < math.ceil(4 * slow) * 1000
        # One whose time is not yet up is excused before its next command is judged, once.
        assert "outage_excused" not in idle.types()
        idle.move(servers[1])
        idle.move(servers[0])
        assert idle.types().count("outage_excused") == 1
        assert idle.view()["clock"]["left_ms"][0] > 600_000 - slack
        # And time goes on.
        wait_until(lambda: "window_closed" in window.types())
        wait_until(lambda: "flagged" in clock.types())
        for table in (clock, window, idle):
            proven(table)


def test_time_in_which_no_server_ran_is_charged_to_nobody(embedded: EmbeddedRedis) -> None:
    """The store was there, but nobody to take a command to it."""
    with serving(embedded.url, 2, REFEREE_LOG_LEVEL="critical") as servers:
        base_s = math.ceil(5 * servers[0].slowness)
        table = Table(servers[0], "giro-galoppo", 3, clock={"base_s": base_s})
        time.sleep(1.2)
        for server in servers:
            server.kill()
    time.sleep(AWAY_S)
    with serving(embedded.url, 1, REFEREE_LOG_LEVEL="critical") as (server,):
        table.server, table.client = server, server.client
        assert table.move()["version"] == 3
        assert table.types()[-2:] == ["outage_excused", "obstacle_placed"]
        assert table.view()["clock"]["left_ms"][0] > 1000
        proven(table)


def test_a_server_that_others_stand_in_for_is_no_outage(redis_url: str) -> None:
    """Its players could have moved at another one: their time is charged."""
    with serving(redis_url, 2, REFEREE_LOG_LEVEL="critical") as servers:
        table = Table(servers[1], "giro-galoppo", 3, clock={"base_s": 60})
        servers[0].pause()
        time.sleep(AWAY_S)
        servers[0].resume()
        table.move(servers[0])
        assert "outage_excused" not in table.types()
        assert table.view()["clock"]["left_ms"][0] < 60_000 - 1000 * AWAY_S + 500


@pytest.mark.long
def test_each_of_many_outages_is_excused(embedded: EmbeddedRedis) -> None:
    """Between two moves of one match: all of them, in one commit."""
    with serving(embedded.url, 1, REFEREE_LOG_LEVEL="critical") as (server,):
        table = Table(server, "giro-galoppo", 3, clock={"base_s": 600})
        for _ in range(4):
            time.sleep(1.5)
            away(embedded, 3)
            wait_until(lambda: back(server))
            time.sleep(1.0)
        table.move()
        assert table.types()[-5:] == ["outage_excused"] * 4 + ["obstacle_placed"]
        assert table.view()["version"] == 3
        proven(table)
