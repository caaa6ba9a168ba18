"""Forms of commands, filled in as a client does that knows the language of `templates` alone."""

from __future__ import annotations

from typing import Any

from referee.core.randomness import Chance


def filled(template: Any, pick: Chance) -> dict[str, Any]:
    """A command that a template describes, as far as it says."""
    command: dict[str, Any] = {"type": template["type"]}
    for name, slot in template["fields"].items():
        if not (slot.get("optional") and pick.below(2)):
            command[name] = value_of(slot, pick)
    return command


def value_of(slot: Any, pick: Chance) -> Any:
    """A value for a field: one of some, a number, or a list."""
    if "one_of" in slot:
        return pick.one_of(slot["one_of"])
    if "between" in slot:
        return pick.between(*slot["between"])
    count, spend = pick.between(*slot["length"]), slot.get("spend", {})
    if "one_of" in slot["list_of"]:
        return list(pick.shuffle(spend)[:count]) if spend else [value_of(slot, pick)] * count
    columns = {
        name: _column(name, member, count, slot, pick) for name, member in slot["list_of"].items()
    }
    return [{name: column[n] for name, column in columns.items()} for n in range(count)]


def _column(name: str, member: Any, count: int, slot: Any, pick: Chance) -> list[Any]:
    if name in slot.get("spend", {}):
        return list(pick.shuffle(slot["spend"][name])[:count])
    if name in slot.get("distinct", ()):
        return list(pick.shuffle(member["one_of"])[:count])
    return [value_of(member, pick) for _ in range(count)]
