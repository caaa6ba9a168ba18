"""Words that every game puts together: things in a row, numbers of them, events by their type."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from referee.core.told.safe import called

Seen = Mapping[str, Any]
"""An event as its viewer sees it: a JSON object, hidden fields null."""
Names = Sequence[str]
"""The players' names by seat, safe to show."""
Teller = Callable[[Seen, Names], str]
"""What tells an event in a sentence."""
Moment = Literal["score", "capture"]
"""What readers of a match look for: points that are made, and what is taken or thrown back."""


def listed(things: Sequence[str], none: str = "nobody") -> str:
    """Things in a row; `none` where there are none.

    >>> listed(["Ann"]), listed(["Ann", "Bo", "Cy"]), listed([])
    ('Ann', 'Ann, Bo and Cy', 'nobody')
    """
    if not things:
        return none
    return " and ".join([", ".join(things[:-1]), things[-1]] if len(things) > 1 else things)


def count_of(number: int, thing: str, things: str | None = None) -> str:
    """A number of things, whose plural is `things` where an s will not do.

    >>> count_of(1, "token"), count_of(0, "token"), count_of(2, "box", "boxes")
    ('1 token', '0 tokens', '2 boxes')
    """
    return f"{number} {thing if number == 1 else things or f'{thing}s'}"


class _Number(int):
    """A number in a sentence; behind a colon stands of what it is one."""

    def __format__(self, thing: str) -> str:
        return count_of(int(self), thing) if thing else str(int(self))


def _as_said(value: Any) -> Any:
    if type(value) is int:
        return _Number(value)
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else value


def told(sentence: Teller | str, event: Seen, names: Names) -> str:
    """An event in a sentence: what a function says, or a text with its fields in braces.

    >>> told("{name} takes {number:card} at {at}.", {"seat": 1, "number": 3, "at": [4, 0]}, "AB")
    'B takes 3 cards at 4,0.'
    """
    if not isinstance(sentence, str):
        return sentence(event, names)
    said = {name: _as_said(value) for name, value in event.items()}
    return sentence.format_map(said | ({"name": names[event["seat"]]} if "seat" in event else {}))


def by_type(sentences: Mapping[str, Teller | str]) -> Teller:
    """What tells an event in a game's words: the sentence of its type, with safe names.

    It raises `KeyError` for an event that has none.
    """

    def tell(event: Seen, names: Names) -> str:
        safe = [called(name, seat) for seat, name in enumerate(names)]
        return told(sentences[event["type"]], event, safe)

    return tell
