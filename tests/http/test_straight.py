"""Commands that go straight to the service, and those that do not: all are answered alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import msgspec
import pytest

from referee.http import fast_routes
from referee.serving.connections import HttpProtocol
from referee.serving.straight import LARGEST, Reader
from tests.http.site import Table
from tests.http.straight import END, connected

PLACE: Final = msgspec.json.encode({"type": "place_obstacle", "space": 20})


def request(table: Table, line: str = "POST {}/commands HTTP/1.1", **headers: str) -> bytes:
    """A command of seat 0 as it is sent, always by the same key; an empty header is none."""
    sent = {
        "host": "there.test",
        "authorization": f"Bearer {table.tokens[0]}",
        "content_type": "application/json",
        "content_length": str(len(PLACE)),
        "idempotency_key": "one",
    } | headers
    head = [f"{name.replace('_', '-')}: {value}" for name, value in sent.items() if value]
    return "\r\n".join([line.format(table.path), *head]).encode() + END + PLACE


def in_a_chunk(whole: bytes) -> bytes:
    """The same without a length, in one chunk."""
    head, _, body = whole.partition(END)
    head = head.replace(b"content-length: %d" % len(body), b"transfer-encoding: chunked")
    return head + END + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


@pytest.fixture
def ordinary(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the POSTs that have gone the ordinary way."""
    seen: list[str] = []
    route_of = fast_routes.route_of

    def noting(path: str, trace: Any) -> Any:
        seen.append(path)
        return route_of(path, trace)

    monkeypatch.setattr(fast_routes, "route_of", noting)
    return seen


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"idempotency_key": ""},
        {"connection": "Keep-Alive"},
        {"if_match": '"1"'},
        {"origin": "https://there.test", "accept": "*/*", "accept_encoding": "gzip, br"},
        {"x_request_id": "mine", "traceparent": "00-" + 32 * "1" + "-" + 16 * "2" + "-01"},
        {"content_type": "application/json; charset=utf-8"},
    ],
)
async def test_a_usual_command_goes_straight(
    table: Table, ordinary: list[str], headers: dict[str, str]
) -> None:
    """Nothing sees it that stands before the service for others, and it is taken."""
    async with connected(table.api.front) as line:
        await line.send(request(table, **headers))
        answer = await line.answer()

    assert (answer.status_code, ordinary) == (200, [])
    assert answer.json()["version"] == 2
    assert answer.headers["x-request-id"].startswith(headers.get("x_request_id", ""))
    assert ("access-control-allow-origin" in answer.headers) == ("origin" in headers)


UNUSUAL: Final[dict[str, Callable[[Table], list[bytes]]]] = {
    "head and body apart": lambda t: [*request(t).partition(END)],
    "cut in its line": lambda t: [request(t)[:9], request(t)[9:]],
    "cut in a header": lambda t: [request(t)[:120], request(t)[120:]],
    "cut in its body": lambda t: [request(t)[:-1], request(t)[-1:]],
    "a byte at a time": lambda t: [request(t)[at : at + 1] for at in range(len(request(t)))],
    "in a chunk": lambda t: [in_a_chunk(request(t))],
    "a header twice": lambda t: [request(t, accept="*/*\r\nAccept: application/json")],
    "a query": lambda t: [request(t, "POST {}/commands?seat=0 HTTP/1.1")],
    "a slash behind": lambda t: [request(t, "POST {}/commands/ HTTP/1.1")],
    "another spelling": lambda t: [request(t, "POST {}/%63ommands HTTP/1.1")],
    "the whole URL": lambda t: [request(t, "POST http://there.test{}/commands HTTP/1.1")],
    "an older HTTP": lambda t: [request(t, "POST {}/commands HTTP/1.0", connection="keep-alive")],
    "to be closed": lambda t: [request(t, connection="close")],
    "to be closed among others": lambda t: [request(t, connection="Keep-Alive, Close")],
    "to be closed, by an old name": lambda t: [request(t, proxy_connection="close")],
    "a length in other digits": lambda t: [request(t, content_length=f"0{len(PLACE)}")],
}


@pytest.mark.parametrize("name", UNUSUAL)
async def test_any_other_goes_the_ordinary_way(
    table: Table, ordinary: list[str], name: str
) -> None:
    """From its first byte, and is answered alike; what comes next may go straight again."""
    async with connected(table.api.front) as line:
        await line.send(request(table))
        straight = await line.answer()
        assert not ordinary

        await line.send(*UNUSUAL[name](table))
        answer = await line.answer()
        assert len(ordinary) == 1
    async with connected(table.api.front) as line:
        await line.send(request(table))
        again = await line.answer()

    assert answer.status_code == straight.status_code == again.status_code == 200
    assert answer.content == straight.content == again.content
    assert len(ordinary) == 1


async def test_waits_to_be_told_to_go_on(table: Table, ordinary: list[str]) -> None:
    """Where the client asks for that, though it sends all at once."""
    async with connected(table.api.front) as line:
        await line.send(request(table, expect="100-continue"))
        answers = [await line.answer(), await line.answer()]
    assert ([answer.status_code for answer in answers], len(ordinary)) == ([100, 200], 1)


async def test_commands_sent_ahead_are_answered_in_their_order(table: Table) -> None:
    """With one behind it, or the beginning of one, none of them goes straight."""
    refused = request(table, idempotency_key="two")
    async with connected(table.api.front) as line:
        for parts in (
            [request(table) + refused],
            [request(table) + refused[:50], refused[50:]],
            [request(table) + b"\r\n", refused],
        ):
            await line.send(*parts)
            statuses = [(await line.answer()).status_code for _ in range(2)]
            assert statuses == [200, 422]


async def test_a_command_that_is_sent_while_one_is_under_way_waits(table: Table) -> None:
    """It is read when the first one is answered."""
    async with connected(table.api.front) as line:
        await line.send(request(table), request(table, idempotency_key="two"))
        statuses = [(await line.answer()).status_code for _ in range(2)]
    assert statuses == [200, 422]


async def test_goes_elsewhere_while_the_process_leaves(table: Table, ordinary: list[str]) -> None:
    """Each answer ends its connection then."""
    async with connected(table.api.front) as line:
        table.api.front.leave(1)
        await line.send(request(table))
        answer = await line.answer()
        assert await line.reader.read() == b""
    table.api.front._leaving = False
    assert (answer.status_code, answer.headers["connection"]) == (200, "close")
    assert len(ordinary) == 1


async def test_what_is_under_way_is_answered_when_the_server_stops(table: Table) -> None:
    """And the connection ends with it."""
    async with connected(table.api.front, HttpProtocol.shutdown) as line:
        await line.send(request(table))
        answer = await line.answer()
        assert await line.reader.read() == b""
    assert (answer.status_code, answer.headers["connection"]) == (200, "close")


async def test_who_goes_away_has_sent_its_command(table: Table) -> None:
    """It stands in the log, and nothing is written to nobody."""

    def gone(protocol: HttpProtocol) -> None:
        protocol.transport.abort()

    async with connected(table.api.front, gone) as line:
        await line.send(request(table))
        assert await line.reader.read() == b""
        await taken(table)


async def test_an_answer_waits_until_the_client_has_read_those_before_it(table: Table) -> None:
    """Nothing gathers in memory for who does not read."""
    ends: list[HttpProtocol] = []

    def full(protocol: HttpProtocol) -> None:
        ends.append(protocol)
        protocol.pause_writing()

    async with connected(table.api.front, full) as line:
        await line.send(request(table))
        await taken(table)
        assert not ends[0].cycle.response_started
        ends[0].resume_writing()
        assert (await line.answer()).status_code == 200


async def taken(table: Table) -> None:
    """Wait until a command stands in the log."""
    async with asyncio.timeout(30):
        while (await table.view())["version"] < 2:  # noqa: ASYNC110 -- no event says so
            await asyncio.sleep(0.01)


COMMANDS: Final = b"POST /v1/matches/m/commands HTTP/1.1\r\n"
LONG: Final = b" " * (LARGEST - 50)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET /v1/games HTTP/1.1\r\n\r\n",
        COMMANDS,
        COMMANDS + b"content-length: 51\r\nx: y\r\n",  # no end
        COMMANDS + b"content-length: 2\r\n\r\n{",
        COMMANDS + b"content-length: 2\r\n\r\n{}{}",
        COMMANDS + b"content-length: 2\r\ncontent-length: 2\r\n\r\n{}",
        COMMANDS + b"content-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        COMMANDS + b"content-length: +2\r\n\r\n{}",
        COMMANDS + b"content-length : 2\r\n\r\n{}",
        COMMANDS + b"x y: 1\r\ncontent-length: 2\r\n\r\n{}",
        COMMANDS + b"x: 1\r\n 2\r\ncontent-length: 2\r\n\r\n{",
        COMMANDS + b"x: \x00\r\ncontent-length: 2\r\n\r\n{}",
        b"POST /v1/matches/m/commands HTTP/1.1\ncontent-length: 2\n\n{}",
        b"POST /v1/matches/m/../n/commands HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}",
        b"POST /v1/matches/m/commands#x HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}",
        COMMANDS
        + b"upgrade: h2c\r\nconnection: keep-alive, upgrade\r\ncontent-length: 2\r\n\r\n{}",
        COMMANDS + b"transfer-encoding: chunked\r\ncontent-length: 12\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        COMMANDS + b"content-length: %d\r\n\r\n" % len(LONG) + LONG,
    ],
)
def test_reads_what_is_beyond_doubt_alone(data: bytes) -> None:
    """And whatever it was given, it reads the next one as if it were the first."""
    reader, usual = Reader(), COMMANDS + b"Content-Length: 2\r\n\r\n{}"
    assert reader.read(data) is None
    whole = reader.read(usual)
    assert whole == ("/v1/matches/m/commands", "m", {b"content-length": b"2"}, b"{}")
