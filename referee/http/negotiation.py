"""The wire: headers, queries and bodies read by hand, answers encoded once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

import msgspec

from referee.http.problems import BadMediaType, TooLarge
from referee.service import Body
from referee.service.errors import BadRequest

if TYPE_CHECKING:
    from litestar.types import Receive

JSON: Final = "application/json"
MSGPACK: Final = "application/msgpack"
MSGPACK_NAMES: Final = frozenset({MSGPACK, "application/x-msgpack", "application/vnd.msgpack"})
LARGEST_BODY: Final = 64 * 1024

_JSON: Final = msgspec.json.Encoder()
_MSGPACK: Final = msgspec.msgpack.Encoder()

Headers = dict[bytes, bytes]
"""Headers by lower-case name; of one that stands several times, all values, with commas."""


def headers_of(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """A request's headers by name."""
    headers: Headers = {}
    for name, value in raw:
        before = headers.get(name)
        headers[name] = value if before is None else before + b", " + value
    return headers


# ── Bodies ──────────────────────────────────────────────────────────────────────────────────


async def read_body(headers: Headers, receive: Receive) -> Body:
    """A request's body, which has to be there, and of a type that is taken.

    Raises:
        BadMediaType: it is of another type, or says none.
        TooLarge: it is larger than ``LARGEST_BODY``, whatever it says of itself.
        BadRequest: the client went away before its end.
    """
    msgpack = _is_msgpack(headers)
    said = headers.get(b"content-length", b"")
    if len(said) > 4 and (not said.isdigit() or int(said[:10]) > LARGEST_BODY):  # noqa: PLR2004
        raise TooLarge(f"The body has {said.decode('latin-1')} bytes.")
    message: Any = await receive()
    data = message.get("body", b"")
    if message.get("more_body"):
        data = await _rest(bytearray(data), receive)
    if len(data) > LARGEST_BODY:
        raise TooLarge(f"The body has more than {LARGEST_BODY} bytes.")
    if message["type"] == "http.disconnect":
        raise BadRequest("The body has no end.")
    return Body(data, msgpack)


async def _rest(data: bytearray, receive: Receive) -> bytes:
    """A body that comes in pieces: all of it, or as much as is too much."""
    more = True
    while more and len(data) <= LARGEST_BODY:
        message: Any = await receive()
        if message["type"] == "http.disconnect":
            raise BadRequest("The body has no end.")
        data += message.get("body", b"")
        more = message.get("more_body", False)
    return bytes(data)


def _is_msgpack(headers: Headers) -> bool:
    kind = headers.get(b"content-type")
    if kind == b"application/json" and b"content-encoding" not in headers:
        return False
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise BadMediaType("A body must not be compressed.")
    if kind is None:
        raise BadMediaType("The body says no Content-Type.")
    name, *parameters = kind.decode("latin-1").lower().split(";")
    charset = next((p for p in map(str.strip, parameters) if p.startswith("charset=")), "")
    if charset.removeprefix("charset=").strip('"') not in ("", "utf-8", "utf8", "us-ascii"):
        raise BadMediaType("A body must be in UTF-8.")
    if name.strip() in MSGPACK_NAMES:
        return True
    if name.strip() != JSON:
        raise BadMediaType(f"The body is {name.strip()!r}, not {JSON} or {MSGPACK}.")
    return False


def encode(value: Any, *, msgpack: bool) -> bytes:
    """An answer's bytes."""
    return _MSGPACK.encode(value) if msgpack else _JSON.encode(value)


def wants_msgpack(headers: Headers) -> bool:
    """Whether the client would rather have MessagePack than JSON."""
    accept = headers.get(b"accept")
    if accept is None or b"msgpack" not in accept.lower():
        return False
    weights = _weights(accept.decode("latin-1").lower())
    best = max((weights.get(name, 0.0) for name in MSGPACK_NAMES), default=0.0)
    other = weights.get(JSON, weights.get("application/*", weights.get("*/*", 0.0)))
    return best > 0 and (best > other or JSON not in weights)


def accepts(headers: Headers, name: bytes) -> bool:
    """Whether ``Accept`` names this very media type."""
    accept = headers.get(b"accept")
    if accept is None or name not in accept.lower():
        return False
    return _weights(accept.decode("latin-1").lower()).get(name.decode(), 0.0) > 0


def _weights(accept: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in accept.split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        weights[name] = next((_weight(p[2:]) for p in parameters if p.startswith("q=")), 1.0)
    return weights


def _weight(text: str) -> float:
    return float(text) if re.fullmatch(r"[01](\.[0-9]{0,3})?", text) else 0.0


# ── Conditions ──────────────────────────────────────────────────────────────────────────────

_TAGS: Final = re.compile(rb'(?:\s*(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,|$)|\s*,)*')
_TAG: Final = re.compile(rb'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
_VERSION: Final = re.compile(rb"[1-9][0-9]{0,17}")
_KEY: Final = re.compile(rb"[\x21-\x7e]{1,64}")


def _tags(name: str, value: bytes) -> list[tuple[bool, bytes]]:
    """The entity tags in a header, each with whether it is weak."""
    found = [(bool(weak), tag) for weak, tag in _TAG.findall(value)]
    if not found or not _TAGS.fullmatch(value):
        raise BadRequest(f"The header {name} is malformed.", [(name, 'must be like "12", or *')])
    return found


def if_match(headers: Headers) -> frozenset[int] | None:
    """The versions at which alone the client wants a command taken; None for any.

    Raises:
        BadRequest: ``If-Match`` is malformed.
    """
    value = headers.get(b"if-match")
    if value is None or value.strip() == b"*":
        return None
    tags = _tags("If-Match", value)
    # A weak tag never matches here, nor does what is no version.
    return frozenset(int(tag) for weak, tag in tags if not weak and _VERSION.fullmatch(tag))


def none_match(headers: Headers, version: int) -> bool:
    """Whether the client has this version already; a malformed ``If-None-Match`` has nothing."""
    value = headers.get(b"if-none-match")
    if value is None:
        return False
    if value.strip() == b"*":
        return True
    return any(tag == b"%d" % version for _, tag in _TAG.findall(value))


def idempotency_key(headers: Headers) -> str | None:
    """The idempotency key, if there is one.

    Raises:
        BadRequest: it is not 1 to 64 visible ASCII characters.
    """
    value = headers.get(b"idempotency-key")
    if value is None:
        return None
    if not _KEY.fullmatch(value):
        fault = ("Idempotency-Key", "must be 1 to 64 visible ASCII characters")
        raise BadRequest("The header Idempotency-Key is malformed.", [fault])
    return value.decode()


# ── Queries ─────────────────────────────────────────────────────────────────────────────────


class Query:
    """A request's query; parameters that nobody asks for are ignored."""

    __slots__ = ("_values",)

    def __init__(self, raw: bytes) -> None:
        text = raw.decode("latin-1")
        self._values = parse_qs(text, keep_blank_values=True, errors="replace") if raw else {}

    def text(self, name: str) -> str | None:
        """A parameter's value, None where it is not there.

        Raises:
            BadRequest: it is there more than once.
        """
        values = self._values.get(name)
        if values is None:
            return None
        if len(values) > 1:
            raise BadRequest("A parameter stands twice.", [(name, "stands more than once")])
        return values[0]

    def integer(self, name: str) -> int | None:
        """A parameter that is a whole number; raises `BadRequest` for any other."""
        text = self.text(name)
        if text is None:
            return None
        if not re.fullmatch(r"-?[0-9]{1,30}", text):
            raise BadRequest("A parameter is not a number.", [(name, "must be a whole number")])
        return int(text)

    def within(self, name: str, least: int, most: int, default: int) -> int:
        """A whole number from ``least`` to ``most``; raises `BadRequest` for any other."""
        number = self.integer(name)
        if number is None:
            return default
        if not least <= number <= most:
            fault = (name, f"must be {least} to {most}")
            raise BadRequest("A parameter is out of range.", [fault])
        return number
