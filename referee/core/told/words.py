"""Words that every game puts together: things in a row, numbers of them, events by their type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from referee.core.told.safe import called

Teller = Callable[[Mapping[str, Any], Sequence[str]], str]
"""An event as its viewer sees it (a JSON object), and the players' names by seat: a sentence."""


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


def by_type(sentences: Mapping[str, Teller]) -> Teller:
    """What tells an event in a game's words: the sentence of its type, with safe names.

    It raises `KeyError` for an event that has none.
    """

    def tell(event: Mapping[str, Any], names: Sequence[str]) -> str:
        return sentences[event["type"]](
            event, [called(name, seat) for seat, name in enumerate(names)]
        )

    return tell
