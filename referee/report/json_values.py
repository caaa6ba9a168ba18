"""Values out of logs made ready for JSON, and what differs between two of them."""

import json
import math
from collections.abc import Iterator
from datetime import datetime
from itertools import zip_longest
from typing import Any

import msgspec


def plain(value: Any) -> Any:
    """A value as JSON can hold it: bytes as lower-case hex, keys as text, no number that is none.

    Takes whatever MessagePack can hold, and msgspec structs.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {_key(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return _scalar(value)


def _key(key: Any) -> str:
    return key if isinstance(key, str) else to_json(key)


def _scalar(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, msgspec.msgpack.Ext):
        return {"ext": value.code, "data": bytes(value.data).hex()}
    if isinstance(value, msgspec.Struct):
        return plain(msgspec.to_builtins(value))
    return str(value)


def to_json(value: Any) -> str:
    """Any value as JSON on one line, in ASCII alone: what a terminal would obey is an escape."""
    return json.dumps(plain(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))


class Difference(msgspec.Struct, frozen=True):
    """One place where two values differ; `None` also stands for what is not there."""

    path: str
    a: Any
    b: Any


def differences(a: Any, b: Any, path: str = "") -> Iterator[Difference]:
    """Where two JSON values differ, in order: `hands[1][0]`, `phase`.

    >>> list(differences({"x": [1, 2], "y": 1}, {"x": [1, 3], "y": 1}))
    [Difference(path='x[1]', a=2, b=3)]
    """
    if isinstance(a, dict) and isinstance(b, dict):
        for key in {**a, **b}:
            yield from differences(a.get(key), b.get(key), f"{path}.{key}" if path else key)
    elif isinstance(a, list) and isinstance(b, list):
        for index, (ours, theirs) in enumerate(zip_longest(a, b)):
            yield from differences(ours, theirs, f"{path}[{index}]")
    elif a != b or type(a) is not type(b):
        yield Difference(path, a, b)
