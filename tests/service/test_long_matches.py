"""Matches of thousands of commits: little is read of them, and nobody waits while it is folded."""

from __future__ import annotations

import asyncio
import functools
import tracemalloc
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import pytest
import redis
from msgspec.structs import replace

from referee import slicing
from referee.catalogue import catalogue
from referee.core.commit import read_match_file
from referee.core.game import Asker
from referee.core.match import Match
from referee.core.rules import Rules, past_among
from referee.core.table.commands import Pause, Resume, TakeBack
from referee.core.verify import fold_log
from referee.service import Service
from referee.service.errors import Unserved
from referee.service.logs import PAGE, PIECE, Logs
from referee.service.taking import past as pasts
from referee.service.taking.keys import Keys
from referee.service.taking.past import KEPT, Past
from referee.store import Entry, MatchStore
from referee.store.scripts import log_key
from tests.service.desk import ORGANIZER, RULES, body, first_commit, service_on
from tests.steps import steps_of

LENGTH: Final = 3000
BACK: Final = {40: 7, 300: 290, 514: 512, 900: 3, 1500: 850, 2000: 1998}
"""Versions at which an organizer takes back, and to which: 512 is where a page ends."""
ARBITER: Final = Asker("organizer", None, 1_000_000)


Played = tuple[list[bytes], dict[int, Match]]
"""A log, and all states that it tells."""


@functools.cache
def played() -> Played:
    """A match that was paused and resumed for a very long time, and went back seldom."""
    return going_back(LENGTH, BACK)


def going_back(length: int, back: dict[int, int]) -> Played:
    """A match that was paused and resumed, and at these versions taken back to those."""
    commits = [first_commit(RULES)]
    match = fold_log(RULES, commits)
    states = {1: match}
    while match.version < length:
        to = back.get(match.version + 1)
        goes_on = Resume() if match.status == "paused" else Pause()
        command = goes_on if to is None else TakeBack(to, "a mistake")
        key = f"key {match.version + 1}"
        decided = RULES.decide(
            match, ARBITER, command, key=key, salt=bytes(12), past=past_among(states)
        )
        commits.append(decided.data)
        match = states[decided.match.version] = decided.match
    return commits, states


def lay(redis_url: str, after: int, last: int = LENGTH, log: Callable[[], Played] = played) -> None:
    """Put the commits `after` + 1 to `last` of it into the store."""
    commits, _ = log()
    with redis.Redis.from_url(redis_url) as client, client.pipeline(transaction=False) as sent:
        for version in range(after + 1, last + 1):
            sent.xadd(log_key("m"), {"c": commits[version - 1]}, id=f"{version}-0")
        sent.execute()


@pytest.fixture
def states(redis_url: str) -> dict[int, Match]:
    """The states of the match `m`, by version; the store has all of it."""
    lay(redis_url, 0)
    return played()[1]


@pytest.fixture
async def service(states: dict[int, Match], store: MatchStore) -> Service:
    """A service that has seen the whole match once."""
    made = service_on(store)
    assert (await made.view("m", ORGANIZER)).version == max(states)
    return made


@pytest.fixture
def read(store: MatchStore, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many commits were read from the store each time."""
    counts: list[int] = []
    plain = store.read

    async def counted(match: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        entries = await plain(match, after, limit)
        counts.append(len(entries))
        return entries

    monkeypatch.setattr(store, "read", counted)
    return counts


@pytest.mark.parametrize("version", [1, 39, 41, 255, 257, 301, 899, 905, 1600, 2001, 2999])
async def test_the_past_is_a_short_fold_away(
    service: Service, states: dict[int, Match], read: list[int], version: int
) -> None:
    """Behind take-backs, too; a second look, and the next state, read next to nothing."""
    seen = await service.view("m", ORGANIZER, at=version)

    assert (seen.status, seen.head) == (states[version].status, states[version].head.hex())
    assert sum(read) <= PAGE * (1 + len(BACK))
    read.clear()
    assert (await service.view("m", ORGANIZER, at=version)).head == seen.head
    assert (await service.view("m", ORGANIZER, at=version + 1)).version == version + 1
    assert sum(read) <= 16


async def test_a_take_back_reads_little(service: Service, read: list[int]) -> None:
    """However long ago it goes back to."""
    sent = body({"type": "take_back", "to": 5, "reason": "x"})
    assert (await service.command("m", ORGANIZER, sent)).version == LENGTH + 1
    assert sum(read) <= PAGE


async def test_its_file_is_read_as_it_is_taken(service: Service, read: list[int]) -> None:
    """Nobody has to hold it whole: a page waits for the one before to be taken."""
    pieces = await service.log("m", ORGANIZER)
    assert sum(read) <= PIECE + 1

    data = [piece async for piece in pieces]

    assert [*read_match_file(b"".join(data)).commits] == played()[0]
    assert max(read) <= PIECE
    assert len(data) == -(-LENGTH // PIECE)


async def test_a_file_whose_log_is_rewritten_meanwhile_has_no_end(
    service: Service, redis_url: str
) -> None:
    """What was signed in its header would not be what follows."""
    pieces = await service.log("m", ORGANIZER)
    with redis.Redis.from_url(redis_url) as client:
        client.xdel(log_key("m"), f"{LENGTH}-0")
        client.xadd(log_key("m"), {"c": b"another"}, id=f"{LENGTH + 1}-0")

    with pytest.raises(Unserved):
        _ = [piece async for piece in pieces]


class Work:
    """What is done with commits, by name, as often as between two turns of another task."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.all: Counter[str] = Counter()

    async def watched(self) -> None:
        """Another task, which takes every turn that it is given."""
        while True:
            self.most |= self.done
            self.all += self.done
            self.done.clear()
            await asyncio.sleep(0)


@pytest.fixture
async def work(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Work]:
    """What is done with commits meanwhile, in the smallest slices that there are."""
    found = Work()

    def count(place: Any, name: str) -> None:
        plain = getattr(place, name)

        def counted(*args: Any, **options: Any) -> Any:
            found.done[name] += 1
            return plain(*args, **options)

        monkeypatch.setattr(place, name, counted)

    count(Rules, "fold_commit")
    count(Keys, "add")
    monkeypatch.setattr(slicing, "SLICE_S", 0.0)
    watching = asyncio.create_task(found.watched())
    yield found
    watching.cancel()


async def test_others_have_their_turn_while_a_match_is_loaded(
    states: dict[int, Match], store: MatchStore, read: list[int], work: Work
) -> None:
    """After every commit that is folded, every key, and every page that is read."""
    await service_on(store).view("m", ORGANIZER)
    await asyncio.sleep(0)
    assert max(read) <= PAGE
    assert work.most == {"fold_commit": 1, "add": 1}
    assert work.all["fold_commit"] > work.all["add"] == len(states) - 1  # the first has no key


async def test_others_have_their_turn_while_the_past_is_folded(
    store: MatchStore,
    states: dict[int, Match],
    read: list[int],
    work: Work,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After every commit, where a match is so long that its kept states are far apart.

    Whether somebody asks for it or a take-back goes there.
    """
    monkeypatch.setattr(pasts, "KEPT", 2)
    service = service_on(store)
    await service.view("m", ORGANIZER)
    read.clear()
    work.all.clear()
    seen = await service.view("m", ORGANIZER, at=LENGTH - 1)
    assert seen.head == states[LENGTH - 1].head.hex()
    assert max(read) <= PAGE
    assert work.most["fold_commit"] == 1
    assert work.all["fold_commit"] > PAGE

    read.clear()
    work.all.clear()
    sent = body({"type": "take_back", "to": LENGTH - 2, "reason": "x"})
    assert (await service.command("m", ORGANIZER, sent)).version == LENGTH + 1
    await asyncio.sleep(0)
    assert max(read) <= PAGE
    assert work.most["fold_commit"] == 1
    assert work.all["fold_commit"] > PAGE


# ── Deciding ──────────────────────────────────────────────────────────────────────────────────────

SHORT: Final = 10


def deciding(match: Match) -> Callable[[], object]:
    """The next command of an organizer to it, decided."""
    command = Resume() if match.status == "paused" else Pause()
    return lambda: RULES.decide(match, ARBITER, command, key="a key", salt=bytes(12))


def most_bytes(work: Callable[[], object]) -> int:
    """How much memory it has at once; the least of some times, as other threads may need some."""
    found: list[int] = []
    for _ in range(5):
        tracemalloc.start()
        work()
        found.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return min(found)


def test_deciding_costs_the_same_however_long_a_match_is() -> None:
    """Steps of the program, and memory: nothing that grows is gone through or copied."""
    states = played()[1]
    short, long = (deciding(states[version]) for version in (SHORT, LENGTH))
    assert states[SHORT].status == states[LENGTH].status
    short(), long()  # what is kept of types is there for both
    assert steps_of(short) == steps_of(long)
    assert abs(most_bytes(long) - most_bytes(short)) < LENGTH


# ── What is missed ────────────────────────────────────────────────────────────────────────────────


async def test_a_process_that_comes_back_reads_what_it_missed(
    store: MatchStore, redis_url: str, read: list[int]
) -> None:
    """Thousands of commits later it goes on where it stood, and knows the keys used meanwhile."""
    lay(redis_url, 0, 700)
    service = service_on(store)
    await service.view("m", ORGANIZER)
    lay(redis_url, 700)
    read.clear()

    assert (await service.view("m", ORGANIZER)).head == played()[1][LENGTH].head.hex()

    assert LENGTH - 700 <= sum(read) <= LENGTH - 700 + 1 + PAGE * len(BACK)
    again = body({"type": "pause" if played()[1][2500].status == "paused" else "resume"})
    assert (await service.command("m", ORGANIZER, again, key="key 2500")).version == 2500


async def test_what_is_given_up_while_it_is_read_is_not_half_known(
    store: MatchStore, redis_url: str, work: Work
) -> None:
    """Whoever comes next reads the log anew, and finds every key in it."""
    lay(redis_url, 0, 700)
    service = service_on(store)
    await service.view("m", ORGANIZER)
    lay(redis_url, 700)
    again = body({"type": "pause" if played()[1][2500].status == "paused" else "resume"})
    asking = asyncio.ensure_future(service.command("m", ORGANIZER, again, key="key 2500"))
    while work.all["fold_commit"] < 1700:  # noqa: ASYNC110 - there is no event to wait for
        await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait([asking])
    work.all.clear()

    assert (await service.command("m", ORGANIZER, again, key="key 2500")).version == 2500

    assert asking.cancelled()
    assert work.all["fold_commit"] >= LENGTH
    assert (await service.view("m", ORGANIZER)).head == played()[1][LENGTH].head.hex()


class Looking(Past):
    """A past that counts the take-backs that it has looked at."""

    __slots__ = ("looked_at",)

    def _backs_in(self, after: int, last: int | None) -> list[tuple[int, int]]:
        found = super()._backs_in(after, last)
        self.looked_at = getattr(self, "looked_at", 0) + len(found)
        return found


async def test_a_log_that_goes_back_again_and_again_is_looked_through_once(
    service: Service, redis_url: str, store: MatchStore
) -> None:
    """Each take-back leads to another state to be known: each of them counts once."""
    head = ""
    for _ in range(100):
        version = (await service.view("m", ORGANIZER)).version
        sent = body({"type": "take_back", "to": version - 1, "reason": "x"})
        head = (await service.command("m", ORGANIZER, sent)).head
    commits = [entry.data for entry in await store.read("m")]
    past = Looking("m", Logs(store, catalogue()))
    match = None
    for first in range(0, len(commits), PAGE):
        match = await past.fold(RULES, match, commits[first : first + PAGE], {}, id)
    past.looked_at = 0

    assert (await past.at(RULES, LENGTH + 100)).head.hex() == head
    assert past.looked_at <= 100 + len(BACK)


async def test_a_log_that_goes_back_everywhere_is_read_a_page_at_a_time(
    store: MatchStore, read: list[int], redis_url: str
) -> None:
    """What one page goes back to is at hand for the next, and not worked out from the start."""
    length = 1200
    back = {version: 2 + version * 7919 % (version - 4) for version in range(300, length, 2)}
    commits, states = going_back(length, back)
    lay(redis_url, 0, length, lambda: (commits, states))
    service = service_on(store)

    assert (await service.view("m", ORGANIZER)).head == states[length].head.hex()
    assert len(read) < length / 4
    assert sum(read) < 3 * length
    for version in (back[1100], 1101, length - 100):
        read.clear()
        seen = await service.view("m", ORGANIZER, at=version)
        assert seen.head == states[version].head.hex()
        assert len(read) < length / PAGE + 10


def test_a_match_keeps_only_so_many_states() -> None:
    """At even distances, which double when there are too many: memory stays bounded."""
    match, past = played()[1][LENGTH], Past("m", None)  # type: ignore[arg-type]
    for version in range(1, PAGE * KEPT * 3):
        past.went_on(replace(match, version=version), ())
    assert past.every == 4 * PAGE
    assert KEPT // 2 <= past.kept <= KEPT
