"""Events of dancing-villager in the game's words, one line each."""

from collections.abc import Sequence
from typing import Final

from referee.core.game import Moments
from referee.core.told.words import Names, Seen, by_type

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
    words = [POSE_WORDS[v["pose"]] + (" on top" if v["on_top"] else "") for v in villagers]
    return ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))


def _rolled(event: Seen, names: Names) -> str:
    hands = [
        f"{name} {describe(own)}"
        for name, own in zip(names, event["villagers"], strict=True)
        if own
    ]
    return "The villagers are rolled: " + "; ".join(hands)


def _dog_tamed(event: Seen, names: Names) -> str:
    if event["from"] == "pack":
        return f"A villager stands: {names[event['seat']]} tames a dog from the pack"
    return f"{names[event['seat']]} tames a dog from the village"


def _grabbed(event: Seen, names: Names) -> str:
    thing = "a dog" if event["what"] == "dog" else "the bonfire"
    return f"{names[event['seat']]} grabs {thing}"


def _window_closed(event: Seen, _names: Names) -> str:
    return f"The window closes. {sum_up(event['count'])}; {CALL_WORDS[event['call']]}"


def _villager_lost(event: Seen, names: Names) -> str:
    why = "for a wrong grab" if event["why"] == "mistake" else "to the dogs"
    return f"{names[event['seat']]} loses a villager {why}"


def _round_ended(event: Seen, _names: Names) -> str:
    how = {"tame": "a tame", "assault": "an assault"}[event["how"]]
    return f"The round ends with {how}: all sticks are back"


def _dog_added(event: Seen, names: Names) -> str:
    return f"A dog comes from the pack and stands before {names[event['opposite']]}"


tell = by_type(
    {
        "called": "{name} is ready to roll",
        "rolled": _rolled,
        "dog_tamed": _dog_tamed,
        "dog_joined": "All villagers lie flat: another dog joins, {village} in the village now",
        "grabbed": _grabbed,
        "window_closed": _window_closed,
        "villager_lost": _villager_lost,
        "dogs_escaped": "{name} has no villager left: {dogs:dog} to the pack, all villagers back",
        "sticks_removed": "{number:{kind} stick} removed",
        "round_ended": _round_ended,
        "dog_added": _dog_added,
        "game_won": "{name} wins",
    }
)
"""One event of dancing-villager, as its viewer sees it, as a sentence."""
MOMENTS: Final[Moments] = {
    "dog_tamed": "score",
    "game_won": "score",
    "villager_lost": "capture",
    "dogs_escaped": "capture",
}
"""Its moments: see `Game`."""
