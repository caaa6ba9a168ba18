"""Requests that nobody should send: lawful ones with something spoilt in them, as bytes.

A lawful request is drawn first, of every route that there is; then none, one or several of the
ways to spoil it that stand below. What is drawn follows from a seed, so that whatever does harm can
be sent again.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct

from tests.clients import ORGANIZER, Made

END: Final = b"GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
"""Ends a conversation of good requests: the service answers it and closes the connection."""

Plain = dict[str, Any]

ODD: Final = (
    b"", b"\0", b"\xff", b"\xc3\x28", b"\r\n", b"%00", b"%", b"%zz", b"..", b"/../..", b"\\",
    b"?", b"#",
    b"{}", b"[]", b"null", b"-1", b"0", b"1e999", b"9" * 400, b"NaN", b"\xed\xa0\x80",
    "\u202e🐴".encode(),
    b"' OR 1=1", b"<script>", b"${jndi:x}", b"a" * 5000, b"*", b"true", b"Bearer ", b"\t", b"\x7f",
)  # fmt: skip
VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1, 2**53, 2**63, -(2**63), 1.5, -0.0, 1e308, "", "0", "a" * 3000,
    "\0",
    "\ud7ff\ue000", "🐴", [], {}, [[]], [None], {"type": "resign"}, [{}] * 50, {"": ""},
)  # fmt: skip


class Request(Struct):
    """A request, in parts that can be spoilt one by one."""

    method: bytes
    target: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes = b""
    version: bytes = b"HTTP/1.1"

    def wire(self) -> bytes:
        """The bytes to be sent."""
        lines = [b" ".join([self.method, self.target, self.version])]
        lines += [name + b": " + value for name, value in self.headers]
        return b"\r\n".join([*lines, b"", b""]) + self.body


class Targets(Struct, frozen=True):
    """What there is to attack: a match in play and one that is over, both public."""

    active: Made
    over: Made


def conversation(pick: random.Random, targets: Targets) -> list[bytes]:
    """The requests of one connection, in order; of a live socket its handshake and frames."""
    if pick.random() < 0.05:
        return [_handshake(pick, targets) + b"".join(_frames(pick))]
    return [_request(pick, targets) for _ in range(pick.randint(1, 8))]


def _request(pick: random.Random, targets: Targets) -> bytes:
    request = _lawful(pick, targets)
    for _ in range(pick.choice((0, 1, 1, 1, 2, 3))):
        pick.choice(SPOILS)(pick, request)
    data = _with_length(pick, request).wire()
    return _torn(pick, data) if pick.random() < 0.02 else data


def _with_length(pick: random.Random, request: Request) -> Request:
    """Say how long the body is, mostly truly."""
    length = str(len(request.body)).encode()
    odd = pick.random()
    if odd < 0.01:
        length = pick.choice((b"-1", b"1", b"99999999999", b"0x10", b"1, 1", b"+5", b" ", b"1e3"))
    if request.body or odd < 0.01:
        request.headers.append((b"Content-Length", length))
    if odd > 0.99:
        request.headers.append((b"Transfer-Encoding", pick.choice((b"chunked", b"gzip", b"x"))))
    return request


def _torn(pick: random.Random, data: bytes) -> bytes:
    """Cut off, or with some bytes that are others."""
    spoilt = bytearray(data[: pick.randrange(len(data))] if pick.random() < 0.5 else data)
    for _ in range(pick.randint(0, 3)):
        if spoilt:
            spoilt[pick.randrange(len(spoilt))] = pick.randrange(256)
    return bytes(spoilt)


# ── What is lawful ────────────────────────────────────────────────────────────────────────────────

COMMANDS: Final[tuple[Plain, ...]] = (
    {"type": "choose_card", "card": 3}, {"type": "place_obstacle", "space": 20}, {"type": "resign"},
    {"type": "offer_draw"}, {"type": "request_takeback", "to": 1}, {"type": "claim_timeout",
    "seat": 0},
    {"type": "call_arbiter", "text": "look"}, {"type": "add_entropy", "hex": "00" * 16},
    {"type": "adjudicate", "ranking": [{"seat": 0, "place": 1}], "reason": "r"},
)  # fmt: skip
ORDER: Final[Plain] = {
    "game": "giants-dance", "seats": [{"name": "a"}, {"name": "b"}], "options": {}, "public": True,
}  # fmt: skip
READS: Final = (
    "", "?at=1", "/board.svg", "/board.svg?at=2", "/report", "/verdict", "/legal",
    "/legal?seat=0", "/log",
    "/events", "/events?after=1&limit=2", "/refusals", "/live",
)  # fmt: skip
# Not whether it is ready: where a machine is too slow for heartbeats, 503 is the right answer.
OTHERS: Final = (
    "/v1/games", "/v1/games/giganten", "/v1/games/giganten/rulings/out-of-turn", "/v1/keys",
    "/metrics",
    "/v1/matches", "/v1/matches?game=giganten&status=active&limit=5", "/health/live", "/",
    "/schema",
    "/desk/", "/nothing", "/schema/openapi.json",
)  # fmt: skip


def _lawful(pick: random.Random, targets: Targets) -> Request:
    """A request of any route; commands by seats alone, so that few of them are lawful."""
    made = pick.choice((targets.active, targets.over))
    token = pick.choice((*made.tokens, made.spectator, *targets.active.tokens))
    roll = pick.random()
    if roll < 0.4:
        return _posted(pick, f"{made.path}/{pick.choice(('commands', 'check'))}", token)
    if roll < 0.5:
        return _created(pick)
    path = pick.choice(OTHERS) if roll < 0.6 else made.path + pick.choice(READS)
    if roll > 0.95:
        path = f"{made.path}/seats/0/token"
    method = pick.choices(
        (b"GET", b"HEAD", b"POST", b"OPTIONS", b"DELETE", b"PUT"), (9, 1, 1, 1, 1, 1)
    )[0]
    headers = [*_common(token), (b"If-None-Match", b'"3"'), (b"Accept", b"application/json")]
    return Request(method, path.encode(), headers)


def _common(token: str) -> list[tuple[bytes, bytes]]:
    return [(b"Host", b"localhost"), (b"Authorization", f"Bearer {token}".encode())]


def _posted(pick: random.Random, path: str, token: str) -> Request:
    headers = [*_common(token), (b"Idempotency-Key", f"k{pick.randrange(1000)}".encode())]
    return _with_body(pick, Request(b"POST", path.encode(), headers), pick.choice(COMMANDS))


def _created(pick: random.Random) -> Request:
    """An order, spoilt, so that it makes no match, or one that nobody may order."""
    order = dict(ORDER)
    name = pick.choice([*order, "tournament", "seed", "clock", "entropy", "table", "match"])
    order[name] = pick.choice(VALUES)
    token = pick.choice((ORGANIZER, "x"))
    return _with_body(pick, Request(b"POST", b"/v1/matches", _common(token)), order)


def _with_body(pick: random.Random, request: Request, value: Plain) -> Request:
    if pick.random() < 0.3:
        value = _spoilt_value(pick, value)
    packed = pick.random() < 0.2
    kind = b"application/msgpack" if packed else b"application/json"
    encode: Callable[[Any], bytes] = msgspec.msgpack.encode if packed else msgspec.json.encode
    request.headers += [(b"Content-Type", kind)]
    request.body = encode(value)
    return request


def _spoilt_value(pick: random.Random, value: Plain) -> Plain:
    spoilt = dict(value)
    name = pick.choice([*spoilt, "more"])
    if pick.random() < 0.3:
        spoilt.pop(name, None)
    else:
        spoilt[name] = pick.choice(VALUES)
    return spoilt


# ── Ways to spoil ─────────────────────────────────────────────────────────────────────────────────


def _method(pick: random.Random, request: Request) -> None:
    request.method = pick.choice(
        (b"BREW", b"get", b"", b"G\0T", b"PATCH", b"TRACE", b"X" * 900, b"CONNECT")
    )


def _target(pick: random.Random, request: Request) -> None:
    at = pick.randrange(len(request.target) + 1)
    odd = pick.choice(ODD).translate(None, b" \r\n") if pick.random() < 0.9 else b" "
    request.target = request.target[:at] + odd + request.target[at:]


def _query(pick: random.Random, request: Request) -> None:
    name = pick.choice(
        (b"at", b"after", b"limit", b"seat", b"cursor", b"access_token", b"status", b"x", b"")
    )
    odd = pick.choice(ODD).translate(None, b" \r\n")
    request.target += (b"&" if b"?" in request.target else b"?") + name + b"=" + odd


def _header(pick: random.Random, request: Request) -> None:
    names = (
        b"Accept", b"Authorization", b"If-Match", b"If-None-Match", b"Idempotency-Key",
        b"Last-Event-ID",
        b"Content-Type", b"Origin", b"Access-Control-Request-Method", b"Accept-Encoding",
        b"Range", b"Host",
        b"X-Request-Id", b"traceparent", b"Expect", b"Connection", b"Content-Encoding",
        b"Cookie", b"Upgrade",
    )  # fmt: skip
    odd = pick.choice(
        (*ODD, b"text/event-stream", b"application/msgpack;q=x", b"*/*;q=9", b"100-continue")
    )
    odd = odd.translate(None, b"\r\n") if pick.random() < 0.95 else odd
    request.headers.append((pick.choice(names), odd))


def _header_name(pick: random.Random, request: Request) -> None:
    request.headers.append((pick.choice(ODD)[:900].translate(None, b"\r\n"), b"x"))


def _header_lost(pick: random.Random, request: Request) -> None:
    del request.headers[pick.randrange(len(request.headers))]
    request.headers = request.headers or [(b"X", b"")]


def _many_headers(pick: random.Random, request: Request) -> None:
    request.headers += [(b"X-%d" % n, b"y") for n in range(pick.choice((10, 100, 300)))]


def _version(pick: random.Random, request: Request) -> None:
    request.version = pick.choice(
        (b"HTTP/1.0", b"HTTP/2.0", b"HTTP/9", b"", b"HTTP/1.1 x", b"http/1.1")
    )


def _body(pick: random.Random, request: Request) -> None:
    deep = pick.choice((100, 2000, 20000))
    request.body = pick.choice((
        request.body[:-1], request.body + b"}", b"\xef\xbb\xbf" + request.body, b"[" * deep,
        b"\x91" * deep,
        b'{"a":' * deep, b"\xc1", b"\xd4\x01\x00", b"\xc7\xff\x00", b'"\\ud800"',
        pick.choice(ODD), b"",
        b'{"type":"resign","type":"offer_draw"}', pick.randbytes(pick.randint(1, 60)), b" " * 70000,
        b'{"type":"choose_card","card":' + b"9" * 5000 + b"}", request.body.replace(b'"', b"'"),
        b'{"\\u0000":1}', b"\x81\xc0\xc0", b"\x82\xa4type\xa6resign\xa4type\xa6resign",
        b"\xdf\xff\xff\xff\xff",
    ))  # fmt: skip


def _kind(pick: random.Random, request: Request) -> None:
    kinds = (b"application/json", b"application/msgpack", b"text/plain",
    b"application/json; charset=utf-16",
             b"multipart/form-data; boundary=x", b"application/x-www-form-urlencoded", b"/",
             b"")  # fmt: skip
    others = [one for one in request.headers if one[0] != b"Content-Type"]
    request.headers = [*others, (b"Content-Type", pick.choice(kinds))]


def _token(pick: random.Random, request: Request) -> None:
    def part(value: Any) -> bytes:
        return base64.urlsafe_b64encode(msgspec.json.encode(value)).rstrip(b"=")

    claims = {
        "role": pick.choice(VALUES),
        "match": pick.choice(VALUES),
        "seat": pick.choice(VALUES),
    }
    claims |= {"exp": pick.choice(VALUES), "gen": pick.choice(VALUES)}
    forged = (
        part({"alg": pick.choice(("none", "HS256", "x"))}) + b"." + part(claims) + b"." + b"AAAA"
    )
    others = [one for one in request.headers if one[0] != b"Authorization"]
    request.headers = [
        *others,
        (b"Authorization", b"Bearer " + pick.choice((forged, *ODD[:-1])).translate(None, b"\r\n")),
    ]


SPOILS: Final = (
    _method, _target, _query, _query, _header, _header, _header_name, _header_lost,
    _many_headers, _version,
    _body, _body, _kind, _token,
)  # fmt: skip


# ── The live socket ───────────────────────────────────────────────────────────────────────────────


def _handshake(pick: random.Random, targets: Targets) -> bytes:
    made = pick.choice((targets.active, targets.over))
    target = f"{made.path}/live?access_token={made.tokens[0]}".encode()
    headers = [
        (b"Host", b"x"), (b"Upgrade", b"websocket"), (b"Connection", b"Upgrade"),
        (b"Sec-WebSocket-Version", b"13"), (b"Sec-WebSocket-Key",
        base64.b64encode(pick.randbytes(16))),
    ]  # fmt: skip
    request = Request(b"GET", target, headers)
    if pick.random() < 0.3:
        pick.choice((_target, _query, _header, _header_lost, _version))(pick, request)
    return request.wire()


def _frames(pick: random.Random) -> list[bytes]:
    return [_frame(pick) for _ in range(pick.randint(1, 6))]


def _frame(pick: random.Random) -> bytes:
    command = _spoilt_value(
        pick, {"id": "c", "command": pick.choice(COMMANDS), "if_version": 1, "key": "k"}
    )
    text = pick.choice((msgspec.json.encode(command), pick.choice(ODD), pick.randbytes(20)))[:120]
    opcode = pick.choices((1, 2, 8, 9, 10, 0, 3, 15), (8, 1, 1, 1, 1, 1, 1, 1))[0]
    final = 0x80 if pick.random() < 0.95 else pick.choice((0, 0x40, 0xF0))
    mask = pick.randbytes(4)
    if pick.random() < 0.03:
        return bytes([final | opcode, len(text)]) + text  # not masked: no client may
    if pick.random() < 0.02:
        return bytes([final | opcode, 0xFF]) + b"\x7f" + b"\xff" * 7 + mask
    masked = bytes(byte ^ mask[n % 4] for n, byte in enumerate(text))
    return bytes([final | opcode, 0x80 | len(text)]) + mask + masked
