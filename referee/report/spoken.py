"""Commands in words, as `explain` lists them and takes them."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from referee.core.game import Between, ListOf, OneOf, Template
from referee.core.told.words import listed
from referee.report.json_values import to_json

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_JSON: Final = json.JSONDecoder()
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
    """A value as people write it: a word as it is, members in parentheses, the rest as JSON.

    >>> said([{"tile": "a", "turn": 90}, {"tile": "c", "turn": 0}])
    '[(tile a; turn 90) (tile c; turn 0)]'
    """
    if isinstance(value, Mapping):
        return f"({'; '.join(f'{name} {said(member)}' for name, member in value.items())})"
    if isinstance(value, list) and any(isinstance(entry, (Mapping, list)) for entry in value):
        return f"[{' '.join(map(said, value))}]"
    plain = isinstance(value, str) and _WORD.fullmatch(value) and value not in _MEANS_ANOTHER
    return value if plain else to_json(value)


def shown(value: Any) -> str:
    """A value for people who read no JSON; nothing reads it back.

    >>> shown([4, 5]), shown({"tile": "a", "turn": 90}), shown(True), shown(None)
    ('4 and 5', 'tile a, turn 90', 'yes', 'nothing')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {shown(member)}" for name, member in value.items())
    if isinstance(value, list):
        return listed(list(map(shown, value)), "nothing")
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "yes", False: "no"}[value]
    return str(value)


def place(path: str) -> str:
    """A place in a value, by the path to it, for people.

    >>> place("moves[0].cards[2]"), place("is_out")
    ('entry 3 of cards of entry 1 of moves', 'is out')
    """
    steps = re.findall(r"[^.[\]]+", path)
    words = (f"entry {int(step) + 1}" if step.isdecimal() else step for step in reversed(steps))
    return " of ".join(words).replace("_", " ")


def any_of(template: Template) -> str:
    """A command with too many forms to list in words: its type, and what each field may hold.

    >>> any_of(Template("lay", {"at": Between((1, 3)), "cards": ListOf(OneOf((4, 5)), (2, 2))}))
    'lay, at 1 to 3, cards a list of 2, each 4 or 5'
    """
    kind = template.type.replace("_", " ")
    return ", ".join([kind, *(f"{name} {_slot(slot)}" for name, slot in template.fields.items())])


def _slot(slot: Any) -> str:
    match slot:
        case OneOf():
            said_of = [said(value) for value in slot.one_of]
            text = " or ".join([*filter(None, [", ".join(said_of[:-1])]), *said_of[-1:]])
        case Between():
            text = "{} to {}".format(*slot.between)
        case ListOf():
            least, most = slot.length
            size = str(least) if least == most else f"{least} to {most}"
            text = f"a list of {size}, each {_entry(slot.list_of)}"
        case _:
            text = _entry(slot)
    return f"{text} (or left out)" if getattr(slot, "optional", False) else text


def _entry(entry: Any) -> str:
    """What an entry of a list may hold: a value, or several by their names."""
    if not isinstance(entry, Mapping):
        return _slot(entry)
    return f"({'; '.join(f'{name} {_slot(slot)}' for name, slot in entry.items())})"


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
    """What a value stands for; what is nothing else is a word."""
    try:
        meant, end = _value(value, 0)
    except (ValueError, RecursionError, IndexError):
        return value
    return meant if end == len(value) else value


def _value(text: str, at: int) -> tuple[Any, int]:
    """The value that begins there, and where it ends."""
    with suppress(ValueError):
        return _JSON.raw_decode(text, at)
    if text[at] == "(":
        return _members(text, at + 1)
    if text[at] == "[":
        return _entries(text, at + 1)
    word = _WORD.match(text, at)
    if word is None:
        raise ValueError("no value begins here")
    return word[0], word.end()


def _members(text: str, at: int) -> tuple[dict[str, Any], int]:
    members: dict[str, Any] = {}
    while True:
        name, _, _ = text[at:].partition(" ")
        members[name], at = _value(text, at + len(name) + 1)
        if text[at] == ")":
            return members, at + 1
        at += len("; ")


def _entries(text: str, at: int) -> tuple[list[Any], int]:
    entries = []
    while text[at] != "]":
        entry, at = _value(text, at + (text[at] == " "))
        entries.append(entry)
    return entries, at + 1
