"""Headers and bodies by hand: what a client sends, and in which form it would have the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from referee.core.patterns import KEY
from referee.http.problems import BadMediaType, TooLarge
from referee.service import Body, Service
from referee.service.asking.requests import Place
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
    pairs = list(raw)
    headers = dict(pairs)
    if len(headers) == len(pairs):
        return headers
    several: dict[bytes, list[bytes]] = {}
    for name, value in pairs:
        several.setdefault(name, []).append(value)
    return {name: b", ".join(values) for name, values in several.items()}


# ── Bodies ────────────────────────────────────────────────────────────────────────────────────────


async def read_body(headers: Headers, receive: Receive) -> Body:
    """A request's body, which has to be there, and of a type that is taken.

    Raises:
        BadMediaType: it is of another type, or says none.
        TooLarge: it is larger than `LARGEST_BODY`, whatever it says of itself.
        BadRequest: the client went away before its end.
    """
    msgpack = is_msgpack(headers)
    said = headers.get(b"content-length", b"")
    if len(said) > 4 and (not said.isdigit() or int(said[:10]) > LARGEST_BODY):  # noqa: PLR2004
        number = said.decode("latin-1")
        raise TooLarge(f"The body has {number} bytes, more than {LARGEST_BODY}.")
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


def is_msgpack(headers: Headers) -> bool:
    """Whether a body is MessagePack, and not JSON; raises `BadMediaType` where it is neither."""
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


# ── Answers ───────────────────────────────────────────────────────────────────────────────────────


def encode(value: Any, *, msgpack: bool) -> bytes:
    """An answer's bytes."""
    return _MSGPACK.encode(value) if msgpack else _JSON.encode(value)


def time_header(service: Service, match: str | None) -> list[tuple[bytes, bytes]]:
    """What time it is for a match, or for none in particular, where that is known."""
    now = service.now(match)
    return [] if now is None else [(b"referee-time", b"%d" % now)]


def wants_msgpack(headers: Headers) -> bool:
    """Whether the client would rather have MessagePack than JSON."""
    accept = headers.get(b"accept")
    if accept is None or b"msgpack" not in accept.lower():
        return False
    weights = _weights(accept)
    best = max((weights.get(name, 0.0) for name in MSGPACK_NAMES), default=0.0)
    other = weights.get(JSON, weights.get("application/*", weights.get("*/*", 0.0)))
    return best > 0 and (best > other or JSON not in weights)


def wants(headers: Headers, name: str) -> bool:
    """Whether `Accept` names this very media type, and nothing else that it would rather have."""
    accept = headers.get(b"accept")
    if accept is None or name.encode() not in accept.lower():
        return False
    weights = _weights(accept)
    return 0 < weights.get(name, 0.0) >= max(weights.values())


def _weights(accept: bytes) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in accept.decode("latin-1").lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        weights[name] = next((_weight(p[2:]) for p in parameters if p.startswith("q=")), 1.0)
    return weights


def _weight(text: str) -> float:
    return float(text) if re.fullmatch(r"[01](\.[0-9]{0,3})?", text) else 0.0


# ── Conditions ────────────────────────────────────────────────────────────────────────────────────

_TAGS: Final = re.compile(r'(?:\s*(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"\s*(?:,|$)|\s*,)*')
_TAG: Final = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
PLACE: Final = re.compile(r"^(0|[1-9][0-9]{0,17})(?:\.([0-9a-f]{16,64}))?$")
"""A version, alone or as tags and messages' ids say it, with how the head after it begins."""


def text_of(headers: Headers, name: bytes) -> str | None:
    """A header's value, None where it is not there."""
    value = headers.get(name)
    return None if value is None else value.decode("latin-1")


def read_place(text: str) -> Place | None:
    """The place that a text names; None where it names none."""
    found = PLACE.fullmatch(text)
    return None if found is None else Place(int(found[1]), found[2] or "")


def tag_of(version: int, head: str) -> str:
    """The tag of a match that has this head after this version."""
    return f'"{Place(version, head)}"'


def if_match(value: str | None) -> frozenset[Place] | None:
    """The places in `If-Match`, at which alone the client wants something done; None: any.

    Raises:
        BadRequest: it is malformed.
    """
    if value is None or value.strip() == "*":
        return None
    tags = _tags(value)
    if not tags:
        fault = ("If-Match", 'must be like "12.1f3a9c20d4e5f607", "12", or *')
        raise BadRequest("The header If-Match is malformed.", [fault])
    # A weak tag never matches here, nor does what is no place.
    found = (read_place(tag) for weak, tag in tags if not weak)
    return frozenset(place for place in found if place is not None)


def none_match(value: str | None, version: int, head: str) -> bool:
    """Whether the client has this version by its `If-None-Match`; a malformed one has nothing."""
    if value is None:
        return False
    places = (read_place(tag) for _, tag in _tags(value))
    return value.strip() == "*" or any(place and place.is_at(version, head) for place in places)


def has_tag(value: str | None, tag: str) -> bool:
    """Whether the client has what bears this tag, quotes and all, by its `If-None-Match`."""
    if value is None:
        return False
    return value.strip() == "*" or tag in (f'"{held}"' for _, held in _tags(value))


def _tags(value: str) -> list[tuple[str, str]]:
    """The tags in a header, each with `W/` where it is weak; a place alone needs no quotes.

    None of them where it is malformed.
    """
    if PLACE.fullmatch(value):
        return [("", value)]
    return _TAG.findall(value) if _TAGS.fullmatch(value) else []


def idempotency_key(value: str | None) -> str | None:
    """The idempotency key, if there is one.

    Raises:
        BadRequest: it is not 1 to 64 visible ASCII characters.
    """
    if value is not None and not KEY.fullmatch(value):
        fault = ("Idempotency-Key", "must be 1 to 64 visible ASCII characters")
        raise BadRequest("The header Idempotency-Key is malformed.", [fault])
    return value
