"""Reading bodies strictly: what is doubled, nested too deeply or not a number is refused."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any, Final, NoReturn, TypeVar

import msgspec
from msgspec import Struct

from referee.core.game import Command
from referee.core.rules import Rules
from referee.service.asking.packed import doubled_key
from referee.service.errors import BadRequest, Misshapen, Part

T = TypeVar("T")

MOST: Final = 100
"""Faults of a body that are named in one answer."""

_UNREADABLE = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


class Body(Struct, frozen=True, gc=False):
    """What a caller sent: JSON, or MessagePack of the same shape."""

    data: bytes
    msgpack: bool = False


class _NoNumber(ValueError):
    """What Python would take for a number, and JSON does not."""


def read_command(rules: Rules, body: Body) -> Command:
    """The command in a body.

    Raises:
        BadRequest: it is not JSON (or MessagePack), or a key stands twice in an object.
        Misshapen: it is not one of the commands.
    """
    try:
        command = rules.read_command(body.data, msgpack=body.msgpack)
    except _UNREADABLE as fault:
        raise misshapen(body, rules.sent, fault) from None
    if body.msgpack:
        _check_packed_keys(body.data)
        _check_numbers(msgspec.to_builtins(command))
    elif not _plainly_once(body.data, command):
        _check_keys(body.data)
    return command


def read_struct(body: Body, wanted: type[T]) -> T:
    """A body as a struct; raises what `read_command` raises."""
    module: Any = msgspec.msgpack if body.msgpack else msgspec.json
    try:
        value: T = module.decode(body.data, type=wanted)
    except _UNREADABLE as fault:
        raise misshapen(body, wanted, fault) from None
    if body.msgpack:
        _check_packed_keys(body.data)
        _check_numbers(msgspec.to_builtins(value))
    else:
        _check_keys(body.data)
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
    try:
        if body.msgpack:
            value = msgspec.msgpack.decode(body.data)
            _check_packed_keys(body.data)
            return value
        _check_keys(body.data)
        return msgspec.json.decode(body.data)
    except RecursionError:
        raise BadRequest("The body is nested too deeply.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        kind = "MessagePack" if body.msgpack else "JSON"
        raise BadRequest(f"The body is not {kind}: {fault}") from None


def _plainly_once(data: bytes, command: Command) -> bool:
    r"""Whether it is plain that no key stands twice: the usual case, without reading again.

    A flat object without escapes whose fields all have to be there has exactly as many
    quotation marks as what it was read to: a doubled key would bring more.
    """
    return (
        not command.__struct_defaults__
        and data.count(b"{") == 1
        and b"\\" not in data
        and data.count(b'"') == msgspec.json.encode(command).count(b'"')
    )


def _check_keys(data: bytes) -> None:
    """Refuse what the fast decoder lets pass: doubled keys, of which it takes the last."""
    try:
        json.loads(data.decode(), object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError:
        raise BadRequest("The body is nested too deeply.") from None
    except (json.JSONDecodeError, UnicodeDecodeError, _NoNumber) as fault:
        raise BadRequest(f"The body is not JSON: {fault}") from None
    except ValueError:  # Python's own limit on digits
        raise BadRequest("A number has too many digits.") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        count = Counter(name for name, _ in pairs)
        twice = sorted(name for name, times in count.items() if times > 1)
        raise BadRequest("A key stands twice.", [(name, "stands twice") for name in twice[:MOST]])
    return found


def _check_packed_keys(data: bytes) -> None:
    """The same for MessagePack that a decoder has read."""
    name = doubled_key(data)
    if name is not None:
        raise BadRequest("A key stands twice.", [(name, "stands twice")])


def _no_constant(name: str) -> NoReturn:
    raise _NoNumber(f"{name} is no number")


def _check_numbers(value: Any) -> None:
    """Refuse MessagePack's infinities and what is not a number: JSON has neither."""
    if isinstance(value, float) and not math.isfinite(value):
        raise BadRequest("A number is not finite.")
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for entry in value:
            _check_numbers(entry)
