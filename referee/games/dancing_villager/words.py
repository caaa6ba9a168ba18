"""Events of dancing-villager in the game's words, one line each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from referee.core.told.safe import called

Names = Sequence[str]
Seen = Mapping[str, Any]

POSE_WORDS: Final = {
    "flat": "flat",
    "up": "hands up",
    "down": "hands down",
    "leaning": "leaning",
    "standing": "standing",
}
CALL_WORDS: Final = {
    "tame": "the meat runs out, the dogs can be tamed",
    "assault": "the charcoal runs out, the dogs attack",
    None: "nothing runs out",
}


def tell(event: Seen, names: Names) -> str:
    """One event (a JSON object, with its ``type``) as a sentence; ``names`` by seat.

    Raises ``KeyError`` for an event that is none of this game.
    """
    return _TELLERS[event["type"]](event, names)


def sum_up(count: Seen) -> str:
    """A count in words.

    >>> sum_up({"up": 5, "down": 2, "doubled": True, "removes": "meat", "sticks": 6})
    '5 up, 2 down, doubled: 6 meat'
    """
    doubled = ", doubled" if count["doubled"] else ""
    taken = f"{count['sticks']} {count['removes']}" if count["removes"] else "no stick"
    return f"{count['up']} up, {count['down']} down{doubled}: {taken}"


def describe(villagers: Sequence[Seen]) -> str:
    """The villagers of one seat in words, equal ones together.

    >>> describe([{"pose": "flat", "on_top": False}, {"pose": "up", "on_top": True}] * 2)
    '2 flat, 2 hands up on top'
    """
    words = [POSE_WORDS[one["pose"]] + (" on top" if one["on_top"] else "") for one in villagers]
    return ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))


def many(number: int, thing: str) -> str:
    """A number of things.

    >>> many(1, "dog"), many(2, "dog"), many(0, "dog")
    ('1 dog', '2 dogs', 'no dogs')
    """
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


def _called(event: Seen, names: Names) -> str:
    return f"{_name(event, names)} is ready to roll"


def _rolled(event: Seen, names: Names) -> str:
    hands = [
        f"{called(name, seat)} {describe(own)}"
        for seat, (name, own) in enumerate(zip(names, event["villagers"], strict=True))
        if own
    ]
    return "The villagers are rolled: " + "; ".join(hands)


def _dog_tamed(event: Seen, names: Names) -> str:
    if event["from"] == "pack":
        return f"A villager stands: {_name(event, names)} tames a dog from the pack"
    return f"{_name(event, names)} tames a dog from the village"


def _dog_joined(event: Seen, _names: Names) -> str:
    return f"All villagers lie flat: another dog joins, {event['village']} in the village now"


def _grabbed(event: Seen, names: Names) -> str:
    thing = "a dog" if event["what"] == "dog" else "the bonfire"
    return f"{_name(event, names)} grabs {thing}"


def _window_closed(event: Seen, _names: Names) -> str:
    return f"The window closes. {sum_up(event['count'])}; {CALL_WORDS[event['call']]}"


def _villager_lost(event: Seen, names: Names) -> str:
    why = "for a wrong grab" if event["why"] == "mistake" else "to the dogs"
    return f"{_name(event, names)} loses a villager {why}"


def _dogs_escaped(event: Seen, names: Names) -> str:
    dogs = many(event["dogs"], "dog")
    return f"{_name(event, names)} has no villager left: {dogs} to the pack, all villagers back"


def _sticks_removed(event: Seen, _names: Names) -> str:
    return f"{many(event['number'], event['kind'] + ' stick')} removed"


def _round_ended(event: Seen, _names: Names) -> str:
    how = {"tame": "a tame", "assault": "an assault"}[event["how"]]
    return f"The round ends with {how}: all sticks are back"


def _dog_added(event: Seen, names: Names) -> str:
    return f"A dog comes from the pack and stands before {_name(event, names, 'opposite')}"


def _game_won(event: Seen, names: Names) -> str:
    return f"{_name(event, names)} wins"


def _name(event: Seen, names: Names, field: str = "seat") -> str:
    seat: int = event[field]
    return called(names[seat], seat)


_TELLERS: Final[Mapping[str, Callable[[Seen, Names], str]]] = {
    "called": _called,
    "rolled": _rolled,
    "dog_tamed": _dog_tamed,
    "dog_joined": _dog_joined,
    "grabbed": _grabbed,
    "window_closed": _window_closed,
    "villager_lost": _villager_lost,
    "dogs_escaped": _dogs_escaped,
    "sticks_removed": _sticks_removed,
    "round_ended": _round_ended,
    "dog_added": _dog_added,
    "game_won": _game_won,
}
