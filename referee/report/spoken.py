"""Commands in words, as `explain` lists them and takes them."""

import json
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any, Final

from referee.core.game import Between, ListOf, OneOf, Template
from referee.core.told.words import listed
from referee.report.json_values import to_json

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_JSON: Final = json.JSONDecoder()
_MEANS_ANOTHER: Final = frozenset({"true", "false", "null"})
_NUMBERS: Final = re.compile(r"-?[0-9]+(?:,-?[0-9]+)+")
"""Whole numbers as a cell is written, and as sentences write one: `0,5`."""
_NOT: Final = "not "
_FLAG: Final = re.compile(r"(?P<no>not )?(?P<name>(?(no)[a-z_ ]+|[a-z_]+))(?=[;)])")
"""A member that is yes or no, in parentheses."""


def spoken(command: Mapping[str, Any]) -> str:
    """A command in words: its type, and each field with its value, or of yes and no its name.

    >>> spoken({"type": "lay_card", "kind": "sun", "at": [1, 2], "turned": False, "go": True})
    'lay card, kind sun, at 1,2, not turned, go'
    """
    kind = str(command["type"]).replace("_", " ")
    fields = (f", {_field(name, value)}" for name, value in command.items() if name != "type")
    return kind + "".join(fields)


def _field(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"{'' if value else _NOT}{name.replace('_', ' ')}"
    return f"{name} {said(value)}"


def said(value: Any) -> str:
    """A value as people write it: a word, a cell, members in parentheses, the rest as JSON.

    >>> said([{"tile": "a", "turn": 90}, {"tile": "c", "turn": 0}]), said([4, 5]), said([4])
    ('[(tile a; turn 90) (tile c; turn 0)]', '4,5', '[4]')
    """
    if isinstance(value, Mapping):
        return f"({'; '.join(_field(name, member) for name, member in value.items())})"
    if isinstance(value, list) and _NUMBERS.fullmatch(numbers := to_json(value)[1:-1]):
        return numbers
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
    return ", ".join([kind, *(_choice(name, slot) for name, slot in template.fields.items())])


def _choice(name: str, slot: Any) -> str:
    """What a field may hold, with its name; one of yes and no is there or not."""
    if isinstance(slot, OneOf) and all(isinstance(value, bool) for value in slot.one_of):
        said_of = _field(name, slot.one_of[0] if len(slot.one_of) == 1 else True)
        return f"{said_of} or not" if len(slot.one_of) > 1 else said_of
    return f"{name} {_slot(slot)}"


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
    return f"({'; '.join(_choice(name, slot) for name, slot in entry.items())})"


def understood(text: str, flags: Collection[str] = ()) -> dict[str, Any]:
    """The command that words stand for, as far as words can say; its fields are not judged.

    `flags` are names of several words that stand alone where their field is true.

    >>> understood("Lay, kind sun, at 1,2, not turned, go, keep piles", {"keep_piles"})
    {'type': 'lay', 'kind': 'sun', 'at': [1, 2], 'turned': False, 'go': True, 'keep_piles': True}
    """
    kind, *fields = text.strip().split(", ")
    command: dict[str, Any] = {"type": kind.strip().lower().replace(" ", "_")}
    for field in fields:
        name, space, value = field.strip().partition(" ")
        flag = field.strip().removeprefix(_NOT).replace(" ", "_")
        if not space or name == _NOT.strip() or flag in flags:
            command[flag] = name != _NOT.strip()
        else:
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
    numbers = _NUMBERS.match(text, at)
    if numbers is not None:
        return [int(number) for number in numbers[0].split(",")], numbers.end()
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
        flag = _FLAG.match(text, at)
        if flag is not None:
            members[flag["name"].replace(" ", "_")], at = flag["no"] is None, flag.end()
        else:
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
