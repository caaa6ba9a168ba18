"""What a command is sent as: JSON or MessagePack, and which of it is taken."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from referee.service.asking.bodies import MOST
from tests.clients import ORGANIZER, accepted
from tests.http.site import Table, paths, problem, version_of

pytestmark = pytest.mark.both_ways
PLACE = {"type": "place_obstacle", "space": 20}
CARD = {"type": "choose_card", "card": 3}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"type":"resign"} {"type":"resign"}',
        b"\xef\xbb\xbf" + b'{"type":"resign"}',
        b'{"type":"resign","type":"resign"}',
        b'{"type":"place_obstacle","space":20,"space":21}',
        b'{"type":"place_obstacle","space":20,"sp\\u0061ce":21}',
        b'{"type":"void","reason":"\\u0022\\u0022","reason":"\\u0022\\u0022"}',
        b'{"type":"adjudicate","reason":"x","ranking":[{"seat":0,"seat":0,"place":1}]}',
        b'{"type":"void","reason":"\xff\xfe"}',
        b'{"type":"void","reason":"\\ud800"}',
        b'{"type":"place_obstacle","space":NaN}',
        b'{"type":"place_obstacle","space":1e999}',
        b'{"type":"adjudicate","reason":"x","ranking":[{"seat":0,"place":1,"score":1e999}]}',
        b"[" * 60_000,
        b'{"type":' + b"[" * 60_000,
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b'{"type":"place_obstacle","space":' + b"9" * 60_000 + b"}",
    ],
    ids=lambda body: repr(body[:60]),
)
@pytest.mark.parametrize("rest", ["/commands", "/check"])
async def test_answers_any_garbage_with_a_bad_request(table: Table, rest: str, body: bytes) -> None:
    """Malformed, doubled, nested without end, not UTF-8, not a number: never more than a 400."""
    answer = await table.send(body, ORGANIZER, rest)

    assert answer.status_code == 400, answer.text
    assert answer.json()["type"] in ("/problems/bad-request", "/problems/invalid-fields")
    assert await version_of(table) == 1


async def test_names_only_so_many_doubled_keys(table: Table) -> None:
    """Thousands in one body are found in one pass, and the answer stays small."""
    pairs = ",".join(f'"{number:x}":0' for number in range(3000))

    answer = await table.send(f"{{{pairs},{pairs}}}".encode(), ORGANIZER)

    assert len(paths(problem(answer, 400, "invalid-fields"))) == MOST


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ({"type": "choose_card", "card": "3"}, ["card"]),
        ({"type": "choose_card", "card": 3.0}, ["card"]),
        ({"type": "choose_card", "card": True}, ["card"]),
        ({"type": "choose_card"}, ["card"]),
        ({"type": "choose_card", "card": 3, "seat": 1}, ["seat"]),
        ({"type": "create_match"}, ["type"]),
        ({"type": "reissue_token", "seat": 0}, ["type"]),
        ({"type": "excuse_outage", "outages": []}, ["type"]),
        ({"card": 3}, ["type"]),
        ([], [""]),
        ("resign", [""]),
        (None, [""]),
        (
            {"type": "adjudicate", "ranking": [{"place": 0, "score": "x"}, 5], "more": 1},
            [
                "ranking[0].seat",
                "ranking[0].place",
                "ranking[0].score",
                "ranking[1]",
                "reason",
                "more",
            ],
        ),
    ],
    ids=str,
)
async def test_names_each_field_of_a_misshapen_command(
    table: Table, command: Any, expected: list[str]
) -> None:
    """Commands that stand in the log by other ways are none here."""
    answer = await table.send(command, ORGANIZER)

    assert sorted(paths(problem(answer, 400, "invalid-fields"))) == sorted(expected)


async def test_takes_a_key_that_is_written_with_escapes(table: Table) -> None:
    """Unusual JSON is JSON."""
    body = b' {"sp\\u0061ce" : 20 , "type"\n: "place\\u005fobstacle"} '

    assert accepted(await table.send(body, table.tokens[0]))["version"] == 2


async def test_takes_messagepack(table: Table) -> None:
    """The same shapes, both ways."""
    answer = await table.send(
        msgspec.msgpack.encode(PLACE),
        table.tokens[0],
        content_type="application/msgpack",
        accept="application/msgpack",
    )

    assert answer.headers["content-type"] == "application/msgpack"
    assert msgspec.msgpack.decode(answer.content)["events"][0]["space"] == 20


@pytest.mark.parametrize(
    "command",
    [
        {"type": "adjudicate", "reason": "x", "ranking": [
            {"seat": 0, "place": 1, "score": float("nan")}, {"seat": 1, "place": 2}]},
        {"type": "adjudicate", "reason": "x", "ranking": [
            {"seat": 0, "place": 1, "score": float("inf")}, {"seat": 1, "place": 2}]},
        {"type": "choose_card", "card": b"3"},
    ],
    ids=str,
)  # fmt: skip
async def test_takes_no_more_in_messagepack_than_in_json(table: Table, command: Any) -> None:
    """What JSON cannot say is refused in MessagePack too."""
    data = msgspec.msgpack.encode(command)

    answer = await table.send(data, ORGANIZER, content_type="application/msgpack")

    assert answer.status_code == 400
    assert await version_of(table) == 1


@pytest.mark.parametrize("rest", ["/commands", "/check"])
async def test_takes_no_doubled_key_in_messagepack(table: Table, rest: str) -> None:
    """Of two cards none is taken, as in JSON."""
    pack = msgspec.msgpack.encode
    pairs = (("type", "place_obstacle"), ("space", 20), ("space", 21))
    data = b"\x83" + b"".join(pack(name) + pack(value) for name, value in pairs)

    answer = await table.send(data, table.tokens[0], rest, content_type="application/msgpack")

    assert paths(problem(answer, 400, "invalid-fields")) == ["space"]
    assert await version_of(table) == 1


@pytest.mark.parametrize(
    "data", [b"", b"\xc1", b"\x91" * 60_000, b"\x81\xa4type", b"\xdf\xff\xff\xff\xff"]
)
async def test_answers_garbled_messagepack_with_a_bad_request(table: Table, data: bytes) -> None:
    """Cut off, without end, or no MessagePack at all."""
    answer = await table.send(data, ORGANIZER, content_type="application/msgpack")

    assert answer.status_code == 400


async def test_takes_no_score_that_the_log_cannot_hold(table: Table) -> None:
    """What its encoding has no room for is refused before it gets there."""
    ranking = [{"seat": 0, "place": 1, "score": 10**30}, {"seat": 1, "place": 2}]

    answer = await table.send({"type": "adjudicate", "reason": "x", "ranking": ranking}, ORGANIZER)

    assert paths(problem(answer, 400, "invalid-fields")) == ["ranking[0].score"]
    assert await version_of(table) == 1


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", "json",
     "application/jsonx", ""],
)  # fmt: skip
@pytest.mark.parametrize("rest", ["/commands", "/check"])
async def test_takes_no_other_media_type(table: Table, rest: str, kind: str) -> None:
    """JSON in a text/plain body is not JSON: a form on another site could send that."""
    answer = await table.send(PLACE, table.tokens[0], rest, content_type=kind)

    problem(answer, 415, "unsupported-media-type")


async def test_takes_no_body_without_a_media_type(table: Table) -> None:
    """Nor one that is compressed."""
    path, headers = f"{table.path}/commands", {"authorization": f"Bearer {table.tokens[0]}"}
    data = msgspec.json.encode(PLACE)

    answer = await table.api.http.post(path, content=data, headers=headers)
    problem(answer, 415, "unsupported-media-type")
    packed = {"content-type": "application/json", "content-encoding": "gzip", **headers}
    answer = await table.api.http.post(path, content=data, headers=packed)
    problem(answer, 415, "unsupported-media-type")


@pytest.mark.parametrize(
    "kind",
    ["application/json; charset=utf-8", "Application/JSON", 'application/json;charset="UTF-8"'],
)
async def test_takes_json_however_it_is_named(table: Table, kind: str) -> None:
    """Case and a charset of UTF-8 make no difference."""
    accepted(await table.send(PLACE, table.tokens[0], content_type=kind))


@pytest.mark.parametrize("path", ["/v1/matches", "{}/commands", "{}/check"])
async def test_takes_no_body_beyond_64_kib(table: Table, path: str) -> None:
    """Whether it says how long it is or comes in pieces."""
    path = path.format(table.path)
    fits = b" " * (64 * 1024 - 2) + b"{}"

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(70):
            yield b" " * 1024

    headers = {"authorization": f"Bearer {ORGANIZER}", "content-type": "application/json"}
    assert (await table.api.post(path, fits, ORGANIZER)).status_code == 400
    said = problem(await table.api.post(path, b" " + fits, ORGANIZER), 413, "too-large")
    assert said["detail"] == "The body has 65537 bytes, more than 65536."
    problem(await table.api.http.post(path, content=pieces(), headers=headers), 413, "too-large")
