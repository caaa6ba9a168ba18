"""Commands in words, as `explain` lists them and takes them."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from referee.report.json_values import to_json

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_MEANS_ANOTHER: Final = frozenset({"true", "false", "null"})


def spoken(command: Mapping[str, Any]) -> str:
    """A command in words: its type, and each field with its value.

    >>> spoken({"type": "lay_card", "kind": "sun", "at": [1, 2]})
    'lay card, kind sun, at [1,2]'
    """
    kind = str(command["type"]).replace("_", " ")
    fields = (f", {name} {said(value)}" for name, value in command.items() if name != "type")
    return kind + "".join(fields)


def said(value: Any) -> str:
    """A value as people write it: a word as it is, anything else as JSON."""
    plain = isinstance(value, str) and _WORD.fullmatch(value) and value not in _MEANS_ANOTHER
    return value if plain else to_json(value)


def understood(text: str) -> dict[str, Any]:
    """The command that words stand for, as far as words can say; its fields are not judged.

    >>> understood("Lay, kind sun, at [1,2]")
    {'type': 'lay', 'kind': 'sun', 'at': [1, 2]}
    """
    kind, *fields = text.strip().split(", ")
    command: dict[str, Any] = {"type": kind.strip().lower().replace(" ", "_")}
    for field in fields:
        name, _, value = field.strip().partition(" ")
        command[name] = _meant(value.strip())
    return command


def _meant(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
