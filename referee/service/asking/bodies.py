"""Reading bodies strictly: what is doubled, nested too deeply or not a number is refused."""

import json
import math
from collections import Counter
from typing import Any, Final, NoReturn, TypeVar

import msgpack  # type: ignore[import-untyped]
import msgspec
from msgspec import Struct

from referee.service.errors import BadRequest, Misshapen, Part

T = TypeVar("T")

MOST: Final = 100
"""Faults of a body that are named in one answer."""

DEEPEST: Final = 50
"""Levels that a body may nest: far more than any does, far fewer than end in a full stack."""

UNREADABLE = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


class Body(Struct, frozen=True, gc=False):
    """What a caller sent: JSON, or MessagePack of the same shape."""

    data: bytes
    msgpack: bool = False


class _NoNumber(ValueError):
    """What Python would take for a number, and JSON does not."""


def read_struct(body: Body, wanted: type[T]) -> T:
    """A body as a struct.

    Raises:
        BadRequest: it is not JSON (or MessagePack), or a key stands twice in an object.
        Misshapen: it is no such struct.
    """
    module: Any = msgspec.msgpack if body.msgpack else msgspec.json
    try:
        value: T = module.decode(body.data, type=wanted)
    except UNREADABLE as fault:
        raise misshapen(body, wanted, fault) from None
    check(body)
    return value


def misshapen(body: Body, wanted: Any, fault: Exception) -> Misshapen:
    """The error for a body that is not of the wanted type, with what it holds instead.

    Raises:
        BadRequest: it is not even JSON (or MessagePack).
    """
    return Misshapen(str(fault), [Part(loosely(body), wanted)])


def loosely(body: Body) -> Any:
    """Whatever a body holds, as plain values.

    Raises:
        BadRequest: it is not JSON (or MessagePack), nested too deeply, or not UTF-8.
    """
    module: Any = msgspec.msgpack if body.msgpack else msgspec.json
    _checked(body)
    try:
        return module.decode(body.data)
    except RecursionError:
        raise BadRequest("The body is nested too deeply.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        kind = "MessagePack" if body.msgpack else "JSON"
        raise BadRequest(f"The body is not {kind}: {fault}") from None


def check(body: Body) -> None:
    """Refuse what a decoder has read and should not have.

    Raises:
        BadRequest: a key stands twice in an object, or a value is none that JSON has.
    """
    _check_plain(_checked(body))


def _checked(body: Body) -> Any:
    """What a body holds, without what the fast decoders let pass.

    Doubled keys, of which they take the last; Python's names for what is no number; and nesting
    without end.
    """
    try:
        value = _unpacked(body.data) if body.msgpack else _parsed(body.data)
    except (RecursionError, msgpack.StackError):
        raise BadRequest("The body is nested too deeply.") from None
    _check_depth(value, DEEPEST)
    return value


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data.decode(), object_pairs_hook=_once, parse_constant=_no_constant)
    except (json.JSONDecodeError, UnicodeDecodeError, _NoNumber) as fault:
        raise BadRequest(f"The body is not JSON: {fault}") from None
    except ValueError:  # Python's own limit on digits
        raise BadRequest("A number has too many digits.") from None


def _unpacked(data: bytes) -> Any:
    try:
        return msgpack.unpackb(data, object_pairs_hook=_once, strict_map_key=False)
    except msgpack.StackError:
        raise
    except (ValueError, TypeError) as fault:  # TypeError: a map or a list is a key
        told = str(fault) or "a byte begins no value"
        raise BadRequest(f"The body is not MessagePack: {told}") from None


def _once(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        count = Counter(str(name) for name, _ in pairs)
        twice = sorted(name for name, times in count.items() if times > 1)
        raise BadRequest("A key stands twice.", [(name, "stands twice") for name in twice[:MOST]])
    return found


def _no_constant(name: str) -> NoReturn:
    raise _NoNumber(f"{name} is no number")


def _check_depth(value: Any, left: int) -> None:
    if not left:
        raise BadRequest("The body is nested too deeply.")
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            _check_depth(entry, left - 1)


def _check_plain(value: Any, path: str = "") -> None:
    """Refuse what MessagePack holds and JSON has not: bytes, extensions, infinities."""
    if isinstance(value, dict):
        for name, entry in value.items():
            _check_plain(entry, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for place, entry in enumerate(value):
            _check_plain(entry, f"{path}[{place}]")
    elif isinstance(value, float) and not math.isfinite(value):
        raise BadRequest("A number is not finite.", [(path, "is not finite")])
    elif isinstance(value, bytes | msgpack.ExtType | msgpack.Timestamp):
        raise BadRequest("JSON has no such value.", [(path, "is bytes or an extension type")])
