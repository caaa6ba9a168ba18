"""How many commands a seat may send."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from referee.service import Bearer, CommandRates
from referee.service.errors import TooFast
from tests.clients import ORGANIZER
from tests.http.site import Api, Table, application, problem

PLACE = {"type": "place_obstacle", "space": 20}
SECOND = 1_000_000_000


class Clock:
    """Stands still until it is told; nanoseconds."""

    def __init__(self) -> None:
        self.now = 5 * SECOND

    def __call__(self) -> int:
        """The time."""
        return self.now


def seat(number: int, match: str = "m", generation: int = 0) -> Bearer:
    """The bearer of a seat's token."""
    return Bearer("seat", match, number, generation)


def taken(rates: CommandRates, bearer: Bearer, most: int = 1000) -> int:
    """How many commands are taken at once, until one is not."""
    for count in range(most):
        try:
            rates.take("m", bearer)
        except TooFast:
            return count
    return most


def test_takes_a_burst_and_then_so_many_a_second() -> None:
    """Three times the rate at once; then one for each that has flowed in."""
    rates = CommandRates(20, clock := Clock())
    assert taken(rates, seat(0)) == 60
    for seconds, count in ((0.05, 1), (0.049, 0), (0.5, 10), (3600, 60)):
        clock.now += int(seconds * SECOND)
        assert taken(rates, seat(0)) == count


def test_each_seat_and_each_generation_of_its_token_is_counted_by_itself() -> None:
    """Who has an old token cannot use up what its seat may send."""
    rates = CommandRates(1, Clock())
    assert [taken(rates, seat(0)), taken(rates, seat(0))] == [3, 0]
    assert [taken(rates, one) for one in (seat(1), seat(0, "n"), seat(0, "m", 1))] == [3, 3, 3]


def test_nobody_else_is_counted_and_nobody_at_all_where_there_is_no_limit() -> None:
    """Organizers, with a name or without; and 0 is no limit."""
    rates = CommandRates(1, Clock())
    assert taken(rates, Bearer("organizer")) == taken(rates, Bearer("organizer", name="k")) == 1000
    assert taken(CommandRates(0, Clock()), seat(0)) == 1000


def test_forgets_who_has_been_idle() -> None:
    """A full bucket is none: what is kept is what was used within the last seconds."""
    rates = CommandRates(20, clock := Clock())
    for number in range(1000):
        rates.take("m", seat(0, f"m{number}"))
        clock.now += SECOND // 100
    assert rates.kept <= 6
    taken(rates, seat(0))
    clock.now += 3 * SECOND
    rates.take("m", seat(1))
    assert rates.kept == 1


# ── Over HTTP ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def clock() -> Clock:
    """The clock by which the buckets fill."""
    return Clock()


@pytest.fixture
async def table(redis_url: str, clock: Clock) -> AsyncIterator[Table]:
    """A match of two on a server that takes one command a second, and three at once."""
    async with application(redis_url, rates=CommandRates(1, clock)) as front:
        yield await Api(front).create()


async def test_refused_ones_repeats_and_checks_count(table: Table, clock: Clock) -> None:
    """Beyond them 429 on either route, which says when to come again, and nothing is recorded."""
    token = table.tokens[0]
    await table.play(0, PLACE, idempotency_key="a")
    await table.play(0, PLACE, idempotency_key="a")
    assert (await table.send(PLACE, token, "/check")).status_code == 422

    for rest in ("/commands", "/check"):
        answer = await table.send({"type": "resign"}, token, rest, idempotency_key="b")
        body = problem(answer, 429, "too-many-requests")
        assert (answer.headers["retry-after"], body["match"]) == ("1", table.match)
    assert (await table.view())["version"] == 2

    clock.now += SECOND
    assert (await table.play(0, {"type": "offer_draw"}, idempotency_key="b"))["version"] == 3


async def test_an_organizer_is_not_limited_for_a_seat_either(table: Table) -> None:
    """Nor does what it sends count against the seat."""
    for _ in range(5):
        answer = await table.send({"type": "offer_draw"}, ORGANIZER, "/check?seat=0")
        assert answer.status_code == 200
    await table.play(0, PLACE)


async def test_a_socket_refuses_what_is_too_many(table: Table) -> None:
    """In its place among the answers, whichever way the others came."""
    await table.play(0, PLACE)
    frames = [{"id": number, "command": PLACE} for number in range(4)]

    found = await answers(table, table.tokens[0], frames)

    assert [one["refused"]["status"] for one in found] == [422, 422, 429, 429]


async def answers(table: Table, token: str, frames: list[Any]) -> list[Any]:
    """What a socket answers to these frames."""
    to_app: asyncio.Queue[Any] = asyncio.Queue()
    from_app: asyncio.Queue[Any] = asyncio.Queue()
    header = (b"authorization", f"Bearer {token}".encode())
    scope: Any = {"type": "websocket", "path": f"{table.path}/live", "query_string": b"",
                  "headers": [header]}  # fmt: skip
    serving = asyncio.create_task(table.api.front(scope, to_app.get, from_app.put))
    to_app.put_nowait({"type": "websocket.connect"})
    for frame in frames:
        to_app.put_nowait({"type": "websocket.receive", "text": json.dumps(frame)})
    found: list[Any] = []
    while len(found) < len(frames):
        message = await from_app.get()
        text = json.loads(message.get("text", "{}"))
        found += [text] if "id" in text else []
    to_app.put_nowait({"type": "websocket.disconnect", "code": 1000})
    await serving
    return found


async def test_a_seats_new_token_begins_anew(table: Table) -> None:
    """And whoever still sends with the old one is told that it is dead, however often."""
    answer = await table.api.post(f"{table.path}/seats/0/token", b"", ORGANIZER)
    for rest in ("/commands", "/check"):
        statuses = [(await table.send(PLACE, table.tokens[0], rest)).status_code for _ in range(4)]
        assert statuses == [401] * 4
    assert (await table.send(PLACE, answer.json()["token"])).status_code == 200


async def test_who_may_not_send_is_told_that_and_not_that_it_is_fast(table: Table) -> None:
    """A token of another match, and of a seat that would command for another one."""
    other = await table.api.create()
    for token, rest, status in (
        (other.tokens[0], "/commands", 404),
        (table.tokens[0], "/commands?seat=1", 403),
    ):
        statuses = [(await table.send(PLACE, token, rest)).status_code for _ in range(5)]
        assert statuses == [status] * 5
