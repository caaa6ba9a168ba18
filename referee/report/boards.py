"""Drawings of a match, step by step, kept as what changes from one to the next."""

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from operator import sub
from typing import Any, Final

from referee.core.slices import Slices

Splice = list[int]
"""How many pieces stay, how many go then, and which come: the first by its number, each other by
how much higher its number is than the one's before. So viewers' splices are much alike."""

_RUN: Final = 64
Cut = Callable[[str], list[str]]
_BETWEEN_COLUMNS: Final = re.compile(r"(?<=  )(?=\S)")


def by_group(picture: str) -> list[str]:
    """A picture cut between its groups; no sign of XML is the mark."""
    return picture.replace("</g><g", "</g>\0<g").split("\0")


def by_element(group: str) -> list[str]:
    """A part of a picture cut between its elements' tags."""
    return group.replace("><", ">\0<").split("\0")


def by_line(drawing: str) -> list[str]:
    """A drawing of lines cut into these."""
    return drawing.splitlines(keepends=True)


def by_column(line: str) -> list[str]:
    """A line cut between what stands apart in it."""
    return _BETWEEN_COLUMNS.split(line)


class Drawings:
    """Drawings of each step, as several viewers see it, cut into parts, and these into pieces.

    Each piece is kept once, and of a step what changed for each viewer. A part that stood in the
    step before is known, and is not cut again.
    """

    def __init__(self, parted: Cut, cut: Cut) -> None:
        self._parted, self._cut = parted, cut
        self._parts: dict[str, list[int]] = {}
        self._pieces: dict[str, int] = {}
        self._steps: list[str] = []
        self._last: list[list[int]] = []

    def __len__(self) -> int:
        """How many steps there are."""
        return len(self._steps)

    def add(self, drawings: Sequence[str]) -> Slices[None]:
        """The drawings of the next step, one a viewer, each a slice."""
        step, parts = list[list[Splice]](), dict[str, list[int]]()
        before, self._last = self._last or [[]] * len(drawings), []
        for drawing, last in zip(drawings, before, strict=True):
            pieces = self._cut_up(drawing, parts)
            step.append(list(splices(last, pieces)))
            self._last.append(pieces)
            yield
        self._parts = parts
        self._steps.append(compact(step))

    def instead(self, drawing: str) -> list[Splice]:
        """What makes another drawing of the last one of the first viewer."""
        return list(splices(self._last[0], self._cut_up(drawing, {})))

    def _cut_up(self, drawing: str, parts: dict[str, list[int]]) -> list[int]:
        """The numbers of a drawing's pieces; its parts are noted among those of this step."""
        pieces, numbers = self._pieces, list[int]()
        for part in self._parted(drawing):
            known = parts.get(part) or self._parts.get(part)
            if known is None:
                known = [pieces.setdefault(piece, len(pieces)) for piece in self._cut(part)]
            parts[part] = known
            numbers += known
        return numbers

    def written(self) -> Iterator[str]:
        """All of it as JSON, part by part: `{"steps": [[splices by viewer]], "pieces": […]}`."""
        yield from listed('{"steps":[', self._steps)
        yield from listed('],"pieces":[', map(compact, self._pieces))
        yield "]}"


def listed(opening: str, entries: Iterable[str]) -> Iterator[str]:
    """A list's opening and its entries, with commas between them; nothing closes it."""
    yield opening
    for number, entry in enumerate(entries):
        yield f",{entry}" if number else entry


def packed(parts: Iterable[str]) -> Slices[str]:
    """Text deflated, in base64: what a page unpacks by itself, and nothing in it is markup."""
    deflate, data = zlib.compressobj(9), list[bytes]()
    for part in parts:
        data.append(deflate.compress(part.encode()))
        yield
    return base64.b64encode(b"".join([*data, deflate.flush()])).decode()


def splices(before: Sequence[int], after: Sequence[int]) -> Iterator[Splice]:
    """What makes one drawing of another, in order.

    >>> list(splices([1, 2, 3, 4], [1, 9, 3, 5, 6]))
    [[1, 1, 9], [1, 1, 5, 1]]
    """
    here = 0
    for start, stop, begin, until in _gaps(before, after):
        come = after[begin:until]
        yield [start - here, stop - start, *map(sub, come, (0, *come[:-1]))]
        here = stop


def _gaps(before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """Where two drawings differ, in order; where they meet again it is at the nearest piece."""
    here = there = _shared(before, after, 0, 0)
    places = {piece: place for place, piece in enumerate(before[here:], here)}
    while here < len(before) or there < len(after):
        start, begin = here, there
        here, there = _meeting(places, (here, len(before)), after, there)
        yield start, here, begin, there
        same = _shared(before, after, here, there)
        here, there = here + same, there + same


def _meeting(
    places: Mapping[int, int], before: tuple[int, int], after: Sequence[int], there: int
) -> tuple[int, int]:
    """Where two drawings go on alike with the fewest pieces between; their ends if nowhere."""
    (here, end), meeting = before, (before[1], len(after))
    fewest = end - here + len(after) - there
    for ahead, piece in enumerate(islice(after, there, None)):
        if ahead >= fewest:
            break
        gone = places.get(piece, -1) - here
        if 0 <= gone < fewest - ahead:
            fewest, meeting = gone + ahead, (here + gone, there + ahead)
    return meeting


def _shared(a: Sequence[int], b: Sequence[int], here: int, there: int) -> int:
    """How many pieces two drawings have alike from these places on."""
    shared = 0
    while a[here + shared : here + shared + _RUN] == b[there + shared : there + shared + _RUN]:
        if here + shared >= len(a):
            return len(a) - here
        shared += _RUN
    here, there = here + shared, there + shared
    pairs = zip(a[here : here + _RUN], b[there : there + _RUN], strict=False)
    rest = list(takewhile(lambda pair: pair[0] == pair[1], pairs))
    return shared + len(rest)


def compact(value: Any) -> str:
    """A value as JSON on one line, without blanks."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
