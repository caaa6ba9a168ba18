"""What a viewer may not know of a match, and whether a tab was told any of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import httpx

from tests.clients import ORGANIZER, bearer
from tests.live.servers import Table

HIDDEN: Final[dict[str, set[str]]] = {
    "giro-galoppo": {"chosen", "card"},
    "dragon-dance": {"hands", "pile", "card"},
    "giants-dance": {"hands", "piles", "tokens", "kind"},
    "dancing-villager": {"seed"},
    "giganten": {"kind", "tiles", "laid"},
}
"""What a match of each game keeps back from somebody in its states and events: see its page.

In Dancing Villager nothing but the seed is hidden from first to last: dice and hands lie open, and
only what the roll adds up to, `count` and `call`, is kept back until the window closes.
"""
SAMPLED: Final = 6
"""At so many steps of a match the search is made: as many boards and views are asked for."""

Fact = tuple[str, str]


class Heard(NamedTuple):
    """An answer that a tab has read: of a stream, as much as has come."""

    url: str
    tag: str
    text: str


class Truth(NamedTuple):
    """A match at a step, for the organizer and for a viewer."""

    full: list[Any]
    seen: list[Any]
    pictures: tuple[str, str]

    @property
    def secrets(self) -> set[Fact]:
        """What stands in the organizer's documents and not in the viewer's."""
        return set(facts(self.full)) - set(facts(self.seen))

    @property
    def texts(self) -> set[str]:
        """The same, by whatever name: a hand is one, wherever it is told."""
        known = {text for _, text in facts(self.seen)}
        return {text for _, text in self.secrets if re.search(r"\w", text)} - known

    @property
    def unseen(self) -> set[str]:
        """What is drawn in the organizer's picture and not in the viewer's."""
        full, seen = map(drawn, self.pictures)
        return full - seen


def truths(table: Table, token: str) -> dict[int, Truth]:
    """What a viewer may and may not know, at some steps of a match."""
    last = table.view()["version"]
    told = [commits(table.events(each)) for each in (ORGANIZER, token)]
    steps = sorted({1, last, *range(1, last, max(1, last // SAMPLED))})
    return {step: _truth(table, token, step, *told) for step in steps}


def _truth(
    table: Table, token: str, step: int, full: dict[int, Any], seen: dict[int, Any]
) -> Truth:
    views = [_asked(table, f"?at={step}", each).json() for each in (ORGANIZER, token)]
    boards = [_asked(table, f"/board.svg?at={step}", each).text for each in (ORGANIZER, token)]
    return Truth([full[step], views[0]], [seen[step], views[1]], (boards[0], boards[1]))


def _asked(table: Table, rest: str, token: str) -> httpx.Response:
    answer = table.client.get(table.url(rest), headers=bearer(token))
    assert answer.status_code == 200
    return answer


def commits(events: Iterable[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """Events by their commits."""
    found: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        found.setdefault(event["version"], []).append(event)
    return found


# ── What documents say ────────────────────────────────────────────────────────────────────────────


def facts(told: Any, key: str = "") -> Iterator[Fact]:
    """What a document says: each list and entry by its name, each plain value beside its fellows.

    >>> sorted(facts({"piece": 3, "kind": "tri"}))
    [('', '{"kind": "tri", "piece": 3}')]
    """
    if isinstance(told, dict):
        plain = {name: value for name, value in told.items() if _is_plain(value)}
        yield "", _text(plain)
        for name, value in told.items():
            yield from facts(value, name)
    elif isinstance(told, list):
        yield key, _text(told)
        for place, value in enumerate(told):
            yield from facts(value, f"{key} {place}")


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return not isinstance(value, dict)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def kept_back(full: Any, seen: Any, key: str = "") -> Iterator[str]:
    """The names under which somebody sees null where there is something."""
    if seen is None and full is not None:
        yield key
    elif isinstance(full, dict) and isinstance(seen, dict):
        for name in full:
            yield from kept_back(full[name], seen.get(name), name)
    elif isinstance(full, list) and isinstance(seen, list):
        for one, other in zip(full, seen, strict=False):
            yield from kept_back(one, other, key)


def drawn(picture: str) -> set[str]:
    """The parts of a picture, each where it is."""
    return set(picture.split("<g transform="))


# ── What a tab was told ───────────────────────────────────────────────────────────────────────────


def told_in(log: Iterable[Heard]) -> Iterator[tuple[int, Fact]]:
    """What all documents say that came to a tab, each with its step."""
    for heard in log:
        for document in _documents(heard):
            if "state" in document or "events" in document:
                yield from ((document["version"], fact) for fact in facts(document))


def offered_in(log: Iterable[Heard]) -> Iterator[tuple[int, str]]:
    """What the lists of legal commands say that came to a tab, each with its step."""
    for heard in log:
        for document in _documents(heard):
            if "commands" in document:
                yield from ((document["version"], text) for _, text in facts(document))


def _documents(heard: Heard) -> Iterator[dict[str, Any]]:
    """Views, commits, and legal commands; of a stream, those that have come as a whole."""
    if heard.text.startswith("{"):
        texts = [heard.text]
    else:
        texts = re.findall(r"^data: (\{.*\})\n\n", heard.text, re.MULTILINE)
    yield from map(json.loads, texts)


def drawn_in(log: Iterable[Heard]) -> Iterator[tuple[int, str]]:
    """The parts of all pictures that came to a tab, each with its step."""
    for heard in log:
        if heard.text.startswith("<svg"):
            step = int(heard.tag.strip('"').partition(".")[0])
            for part in drawn(heard.text):
                yield step, part
