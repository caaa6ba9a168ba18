"""WebSockets: the messages of a stream, and commands that are answered in their order."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from referee.service import Bearer
from tests.clients import ORGANIZER, TOKENS, accepted, bearer
from tests.live.readers import listening, received
from tests.live.servers import Server, Table

GAME = "giro-galoppo"
LARGEST = 64 * 1024


def a_table(servers: list[Server], moves: int = 0, **order: object) -> Table:
    """A match of three with so many moves made."""
    table = Table(servers[0], GAME, 3, **order)
    for _ in range(moves):
        table.move()
    return table


def socket(
    table: Table,
    token: str | None,
    query: str = "",
    server: Server | None = None,
    last: str | None = None,
) -> connect:
    """A socket of the match; `last` is the message after which it begins."""
    headers = {} if token is None else bearer(token)
    if last is not None:
        headers["Last-Event-ID"] = last
    url = table.url(f"/live{query}", server).replace("http", "ws", 1)
    return connect(url, additional_headers=headers, compression=None)


async def answer(ws: ClientConnection, frame: Any) -> Any:
    """Send a frame; the answer to it. Messages that come before are passed over."""
    await ws.send(frame if isinstance(frame, str | bytes) else json.dumps(frame))
    while True:
        found = await received(ws)
        if "id" in found:
            return found


async def closed(ws: ClientConnection) -> tuple[list[Any], int | None]:
    """The messages up to the end, and the code with which the server ends it."""
    messages = []
    try:
        while True:
            messages.append(await received(ws))
    except ConnectionClosed as end:
        return messages, end.rcvd.code if end.rcvd else None


# ── Messages ──────────────────────────────────────────────────────────────────────────────────────


async def test_its_messages_are_those_of_the_event_stream(servers: list[Server]) -> None:
    """For every viewer, as JSON text frames."""
    table = a_table(servers, 5)
    for token in (ORGANIZER, *table.tokens, table.spectator):
        async with listening(table.url("/events"), token) as stream:
            expected = [message.data for _ in range(6) if (message := await stream.next())]
        async with socket(table, token, "?after=0", servers[1]) as ws:
            assert [await received(ws) for _ in range(6)] == expected


async def test_it_begins_now_unless_it_is_told_where(servers: list[Server]) -> None:
    """A client that wants what was before says after which version, or which message."""
    table = a_table(servers, 3)
    head = table.view()["head"]
    async with (
        socket(table, ORGANIZER) as now,
        socket(table, ORGANIZER, "?after=3") as late,
        socket(table, ORGANIZER, last=f"4.{head[:16]}") as back,
        socket(table, ORGANIZER, last="4.0000000000000000") as lost,
    ):
        assert (await received(late))["version"] == 4
        assert await received(lost) == {"rewritten": {"version": 4}}
        table.move(servers[1])
        for ws in (now, late, back, lost):
            assert (await received(ws))["version"] == 5


async def test_it_begins_with_the_time(servers: list[Server]) -> None:
    """Before all else, whatever comes then: a client has to know it to draw a clock."""
    table = a_table(servers, 3)
    for last in (None, "4.0000000000000000"):
        async with socket(table, ORGANIZER, last=last) as ws:
            first = json.loads(await ws.recv())
            assert [*first] == ["time"]
            assert abs(first["time"]["now"] - table.events()[-1]["at"]) < 60_000


# ── Commands ──────────────────────────────────────────────────────────────────────────────────────


async def test_a_command_is_answered_by_its_id(servers: list[Server]) -> None:
    """With what `POST …/commands` answers, good or bad."""
    table = a_table(servers)
    async with socket(table, table.tokens[0], server=servers[1]) as ws:
        found = await answer(ws, {"id": "c1", "command": {"type": "choose_card", "card": 1}})
        refused = table.send(table.tokens[0], {"type": "choose_card", "card": 1}).json()
        assert found["id"] == "c1"
        assert found["refused"] == {**refused, "instance": f"{table.path}/live"}
        found = await answer(ws, {"id": 2, "command": table.legal(0)[0]})
        assert found["id"] == 2
        assert found["ok"]["version"] == 2
        assert found["ok"]["head"] == table.view()["head"]
        assert found["ok"]["events"] == table.events(table.tokens[0])[-1:]


async def test_commands_are_judged_in_the_order_in_which_they_came(servers: list[Server]) -> None:
    """Sent without waiting for answers: each is answered, one after the other."""
    table = a_table(servers)
    kinds = ["pause", "resume"] * 50
    async with socket(table, ORGANIZER) as ws:
        for number, kind in enumerate(kinds):
            await ws.send(json.dumps({"id": number, "command": {"type": kind}}))
        found = [await received(ws) for _ in range(200)]
    answers = [one for one in found if "id" in one]
    assert [one["id"] for one in answers] == list(range(100))
    assert [one["ok"]["version"] for one in answers] == list(range(2, 102))
    assert [one["version"] for one in found if "id" not in one] == list(range(2, 102))


async def test_conditions_and_keys_are_kept(servers: list[Server]) -> None:
    """`if_version` as `If-Match`, `key` as `Idempotency-Key`, also across the two ways."""
    table = a_table(servers)
    command = table.legal(0)[0]
    async with socket(table, table.tokens[0]) as ws:
        stale = await answer(ws, {"id": "a", "command": command, "if_version": 7})
        assert (stale["refused"]["status"], stale["refused"]["version"]) == (412, 1)
        other = f"1.{'0' * 16}"
        rewritten = await answer(ws, {"id": "a", "command": command, "if_version": other})
        assert rewritten["refused"]["status"] == 412
        tag = f"1.{table.made['head'][:16]}"
        first = await answer(ws, {"id": "b", "command": command, "if_version": tag, "key": "k"})
        again = await answer(ws, {"id": "c", "command": command, "if_version": 1, "key": "k"})
        assert again["ok"] == first["ok"]
        other = await answer(ws, {"id": "d", "command": {"type": "resign"}, "key": "k"})
        assert other["refused"]["status"] == 409
    posted = table.send(table.tokens[0], command, servers[1], **{"Idempotency-Key": "k"})
    assert posted.json() == first["ok"]
    assert table.view()["version"] == 2


async def test_a_command_sent_twice_over_two_sockets_is_taken_once(servers: list[Server]) -> None:
    """Both are judged; the second finds that the seat has moved."""
    table = a_table(servers)
    frame = json.dumps({"id": "x", "command": table.legal(0)[0]})
    async with (
        socket(table, table.tokens[0]) as one,
        socket(table, table.tokens[0], server=servers[1]) as two,
    ):
        answers = await asyncio.gather(answer(one, frame), answer(two, frame))
        assert sorted("ok" in found for found in answers) == [False, True]
        refused = next(found["refused"] for found in answers if "refused" in found)
        assert refused["ruling"] == "out-of-turn"
    assert table.view()["version"] == 2


async def test_an_organizer_may_act_for_a_seat(servers: list[Server]) -> None:
    """The seat stands in the socket's address, as in that of a command."""
    table = a_table(servers)
    command = table.legal(0)[0]
    async with socket(table, ORGANIZER, "?seat=0") as ws:
        assert (await answer(ws, {"id": "c", "command": command}))["ok"]["version"] == 2
    async with socket(table, table.tokens[1], "?seat=0") as ws:
        found = await answer(ws, {"id": "c", "command": command})
        assert found["refused"]["status"] == 403


async def test_who_only_watches_may_send_nothing(servers: list[Server]) -> None:
    """A spectator, or nobody at a public match: the socket stays open all the same."""
    table = a_table(servers, public=True)
    for token, status in ((table.spectator, 403), (None, 401)):
        async with socket(table, token) as ws:
            found = await answer(ws, {"id": "c", "command": {"type": "resign"}})
            assert found["refused"]["status"] == status
            version = table.move()["version"]
            assert (await received(ws))["version"] == version


@pytest.mark.parametrize(
    ("frame", "name", "paths"),
    [
        ("nonsense", None, None),
        ("", None, None),
        (b'{"id": "c", "command": {"type": "resign"}}', None, None),
        ("[]", None, [""]),
        ("null", None, [""]),
        ('{"id": "c"}', "c", ["command"]),
        ('{"command": {"type": "resign"}}', None, ["id"]),
        ('{"id": null, "command": {"type": "resign"}}', None, ["id"]),
        ('{"id": 1.5, "command": {"type": "resign"}}', None, ["id"]),
        ('{"id": "c", "command": "resign"}', "c", ["command"]),
        ('{"id": "c", "command": {}}', "c", ["type"]),
        ('{"id": "c", "command": {"type": "fly"}}', "c", ["type"]),
        ('{"id": "c", "command": {"type": "resign", "x": 1}}', "c", ["x"]),
        ('{"id": "c", "command": {"type": "resign"}, "x": 1}', "c", ["x"]),
        ('{"id": "c", "command": {"type": "resign"}, "if_version": "1"}', "c", ["if_version"]),
        ('{"id": "c", "command": {"type": "resign"}, "if_version": 0}', "c", ["if_version"]),
        ('{"id": "c", "command": {"type": "resign"}, "key": ""}', "c", ["key"]),
        ('{"id": "c", "command": {"type": "resign"}, "key": "a b"}', "c", ["key"]),
        ('{"id": "c", "command": {"type": "resign"}, "key": "a\\n"}', "c", ["key"]),
        ('{"id": "c", "id": "d", "command": {"type": "resign"}}', "d", ["id"]),
        ('{"id": "c", "command": {"type": "resign", "type": "resign"}}', "c", ["type"]),
        ('{"id": "c", "command": ' + "[" * 30_000 + "]" * 30_000 + "}", None, None),
        ('{"id": "c", "command": {"type": "resign"}', None, None),
        ('{"id": "\\ud800", "command": {"type": "resign"}}', None, None),
        ('{"id": "c", "command": {"type": "choose_card", "card": NaN}}', None, None),
    ],
)
async def test_a_frame_that_is_none_is_answered(
    servers: list[Server], frame: str | bytes, name: str | None, paths: list[str] | None
) -> None:
    """As a bad request, with the id where it has one; the socket stays open."""
    table = a_table(servers)
    async with socket(table, table.tokens[0]) as ws:
        found = await answer(ws, frame)
        assert found["id"] == name
        assert found["refused"]["status"] == 400
        errors = [error["path"] for error in found["refused"].get("errors", [])]
        assert paths is None or errors == paths
        assert "ok" in await answer(ws, {"id": "good", "command": table.legal(0)[0]})


async def test_a_frame_too_large_closes_the_socket(servers: list[Server]) -> None:
    """64 KiB are enough for any command."""
    table = a_table(servers)
    async with socket(table, table.tokens[0]) as ws:
        almost = json.dumps({"id": "x" * (LARGEST - 100)})
        assert (await answer(ws, almost))["refused"]["status"] == 400
        await ws.send("x" * (LARGEST + 1))
        assert (await closed(ws))[1] == 1009


async def test_a_flood_of_nonsense_closes_the_socket(servers: list[Server]) -> None:
    """Who never says anything sensible is not listened to for ever."""
    table = a_table(servers)
    async with socket(table, table.tokens[0]) as ws:
        for _ in range(150):
            await ws.send("nonsense")
        messages, code = await closed(ws)
    assert code == 1008
    assert len(messages) == 101


# ── Who may, and how it ends ──────────────────────────────────────────────────────────────────────


async def test_a_handshake_is_refused_with_a_problem(servers: list[Server]) -> None:
    """With the status and body of any other request."""
    table, public = a_table(servers), a_table(servers, public=True)
    for token, query, status in (
        (None, "", 401),
        ("nonsense", "", 401),
        (None, "?access_token=nonsense", 401),
        (public.tokens[0], "", 404),
        (ORGANIZER, "?after=x", 400),
        (ORGANIZER, "?seat=x", 400),
    ):
        with pytest.raises(InvalidStatus) as denied:
            async with socket(table, token, query):
                pass
        response = denied.value.response
        assert response.status_code == status
        assert response.headers["content-type"] == "application/problem+json"
        assert json.loads(response.body or b"")["status"] == status
    async with socket(table, None, f"?access_token={table.tokens[0]}&after=0") as ws:
        assert (await received(ws))["version"] == 1


def test_the_address_of_a_socket_is_no_page(servers: list[Server]) -> None:
    """Without the wish to upgrade there is nothing to get."""
    table = a_table(servers)
    assert httpx.get(table.url("/live"), headers=bearer(ORGANIZER)).status_code == 404


async def test_it_ends_with_the_match_after_the_last_answer(servers: list[Server]) -> None:
    """Whoever ended it learns that the command was taken; what there is to tell is told."""
    table = a_table(servers, 1)
    table.play(0, {"type": "resign"})
    async with (
        socket(table, table.tokens[1]) as own,
        socket(table, table.spectator, server=servers[1]) as other,
    ):
        await own.send(json.dumps({"id": "end", "command": {"type": "resign"}}))
        messages, code = await closed(own)
        assert code == 1000
        assert [one["ok"]["version"] for one in messages if "id" in one] == [4]
        assert [one["version"] for one in messages if "id" not in one] == [4]
        messages, code = await closed(other)
        assert ([one["version"] for one in messages], code) == ([4], 1000)
    async with socket(table, table.spectator, "?after=1") as late:
        messages, code = await closed(late)
        assert ([one["version"] for one in messages], code) == ([2, 3, 4], 1000)


async def test_an_expired_token_closes_the_socket(servers: list[Server]) -> None:
    """With a code of its own, so that a client knows why."""
    table = a_table(servers)
    token = TOKENS.issue(Bearer("seat", table.match, 0), ttl=2)
    async with socket(table, token) as ws:
        assert await closed(ws) == ([], 4401)


async def test_a_new_token_closes_the_sockets_of_the_old_one(servers: list[Server]) -> None:
    """On both servers, at once; commands on them are dead even before."""
    table = a_table(servers)
    async with (
        socket(table, table.tokens[0]) as here,
        socket(table, table.tokens[0], server=servers[1]) as there,
        socket(table, table.tokens[1], server=servers[1]) as other,
    ):
        answered = table.client.post(table.url("/seats/0/token"), headers=bearer(ORGANIZER))
        accepted(answered)
        for ws in (here, there):
            assert await closed(ws) == ([], 4401)
        assert (await received(other))["version"] == 2
