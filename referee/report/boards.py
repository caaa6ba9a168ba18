"""Drawings of a match, step by step, kept as what changes from one to the next."""

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

Splice = list[int]
"""From where in the drawing before, how many pieces go, and which come instead."""

BETWEEN_ELEMENTS: Final = re.compile(r"(?<=>)(?=<)")
BETWEEN_COLUMNS: Final = re.compile(r"(?<=  )(?=\S)|(?<=\n)")


class Drawings:
    """A drawing a step, cut into pieces: each piece is kept once, and of a step what changed.

    `cut` matches between pieces.
    """

    def __init__(self, cut: re.Pattern[str]) -> None:
        self._cut = cut
        self._pieces: dict[str, int] = {}
        self._written: list[str] = []
        self._steps: list[str] = []
        self._last: list[int] = []

    def __len__(self) -> int:
        """How many steps there are."""
        return len(self._steps)

    def add(self, drawing: str) -> None:
        """The drawing of the next step."""
        drawn = [self._number(piece) for piece in self._cut.split(drawing)]
        self._steps.append(_compact(list(splices(self._last, drawn))))
        self._last = drawn

    def _number(self, piece: str) -> int:
        number = self._pieces.setdefault(piece, len(self._pieces))
        if number == len(self._written):
            self._written.append(_compact(piece).replace("</", "<\\/").replace("<!", "<\\u0021"))
        return number

    @property
    def last(self) -> str:
        """The last step's drawing."""
        pieces = list(self._pieces)
        return "".join(pieces[piece] for piece in self._last)

    def in_script(self) -> str:
        """All of it as JSON that stays JSON within a script element, whatever it holds."""
        return f'{{"pieces":[{",".join(self._written)}],"steps":[{",".join(self._steps)}]}}'


def splices(before: Sequence[int], after: Sequence[int]) -> Iterator[Splice]:
    """What makes one drawing of another; the last place first, so that each leaves the others be.

    >>> list(splices([1, 2, 3, 4], [1, 9, 3, 5, 6]))
    [[3, 1, 5, 6], [1, 1, 9]]
    """
    gaps = _gaps(before, after)
    for start, stop, begin, until in reversed([*gaps]):
        yield [start, stop - start, *after[begin:until]]


def _gaps(before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """Where two drawings differ, in order: between pieces that each of them has once, in a row.

    Pieces that stand in both in the same order hold the rest in place (a "patience diff"): it
    costs time in proportion to the pieces, and nothing worse.
    """
    here, there = 0, 0
    for start, begin in [*_anchors(before, after), (len(before), len(after))]:
        same = _shared(before[here:start], after[there:begin])
        here, there = here + same, there + same
        end = _shared(before[here:start][::-1], after[there:begin][::-1])
        if here < start - end or there < begin - end:
            yield here, start - end, there, begin - end
        here, there = start, begin


def _anchors(before: Sequence[int], after: Sequence[int]) -> list[tuple[int, int]]:
    """Places of pieces that both have once: the longest row of them that ascends in both."""
    once, places = Counter(after), Counter(before)
    there = {piece: place for place, piece in enumerate(after) if once[piece] == 1}
    shared = [
        (place, there[piece])
        for place, piece in enumerate(before)
        if places[piece] == 1 and piece in there
    ]
    return _ascending(shared)


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest row of pairs whose second numbers ascend.

    >>> _ascending([(0, 5), (1, 1), (2, 7), (3, 2), (4, 3)])
    [(1, 1), (3, 2), (4, 3)]
    """
    least: list[int] = []
    ends: list[int] = []
    behind: list[int] = []
    for number, (_, second) in enumerate(pairs):
        length = bisect_left(least, second)
        behind.append(ends[length - 1] if length else -1)
        least[length : length + 1] = [second]
        ends[length : length + 1] = [number]
    row, number = [], ends[-1] if ends else -1
    while number >= 0:
        row.append(pairs[number])
        number = behind[number]
    return row[::-1]


def _shared(a: Sequence[int], b: Sequence[int]) -> int:
    """How many pieces two drawings begin with alike."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((place for place, (x, y) in pairs if x != y), min(len(a), len(b)))


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
