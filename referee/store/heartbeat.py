"""Heartbeats: what time it is at each primary, and when nobody could write to it.

A heartbeat is one script at a primary, which answers with its `TIME` and the outages that are
known there. From one to the next a process follows that time with its monotonic clock; no wall
clock but the primaries' counts. Heartbeats are kept in keys under hash tags that are spread evenly
over the slots of a cluster, so that they move with what they tell of.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from secrets import token_hex
from typing import Any, Final
from zlib import crc32

import structlog

from referee.core.table.commands import Outage
from referee.store.log import StoreAway, StoreError
from referee.store.scripts import alive_key, keepers_key, outages_key

log = structlog.get_logger(__name__)

BEAT_S: Final = 0.5
"""Seconds between two heartbeats."""
FRESH_S: Final = 1.0
"""How long a heartbeat says that there was no outage since: well below the longest silence."""
ASKED_S: Final = 1.0
"""Seconds for a heartbeat on which somebody waits who only asks whether one succeeds."""
LONGEST_MS: Final = 2000
"""The longest silence of all processes together that is no outage."""
OUTAGES_KEPT: Final = 1000
TICK_S: Final = 0.25
LATE_S: Final = 0.1
"""A sleep of `TICK_S` that takes so much longer: the process stood still meanwhile."""
DRIFT: Final = 0.001
"""How far two clocks part at most, in seconds a second."""


def monotonic() -> float:
    """The clock that a process follows time with, in seconds: it is read here alone."""
    return time.monotonic()


class Stalls:
    """How long this process has stood still, all in all."""

    def __init__(self) -> None:
        self._before = 0.0
        self._woke = monotonic()

    @property
    def seconds(self) -> float:
        """Seconds that it stood still, up to now."""
        late = monotonic() - self._woke - TICK_S
        return self._before + (late if late > LATE_S else 0.0)

    async def measure(self) -> None:
        """Measure for ever; where nobody does, the process counts as standing still."""
        while True:
            self._before, self._woke = self.seconds, monotonic()
            await asyncio.sleep(TICK_S)


class Heartbeat:
    """One primary as a process knows it by the heartbeats under one hash tag."""

    def __init__(self, tag: str, replicas: int = 0) -> None:
        self.keys: Final = (alive_key(tag), outages_key(tag), keepers_key(tag))
        self.outages: tuple[Outage, ...] = ()
        self.keepers: list[bytes] = []  # the processes that mind deadlines there, in one order
        self.under_way: asyncio.Future[None] | None = None
        self._replicas = b"1" if replicas else b""
        self._latest = b""  # the last of the outages as the primary has it
        # Between these lies the primary's time less ours, in seconds.
        self._low, self._high = float("-inf"), float("inf")
        self._sent = float("-inf")  # when, by our clock, the last one left that was stored,
        self._stored = 0  # by the primary's, when it was, in Unix ms,
        self._stood = 0.0  # and for how long we had stood still by then;
        self._missed: float | None = None  # the same when the first one after it had failed

    @property
    def fresh(self) -> bool:
        """Whether the last one was stored, and is not too old to rely on."""
        return monotonic() < self._sent + FRESH_S

    @property
    def away(self) -> bool:
        """Whether the last one failed."""
        return self._missed is not None

    def now(self) -> int | None:
        """What time it is at the primary, Unix ms; None where it has not said so yet."""
        if not self._stored:
            return None
        return int(1000 * (monotonic() + (self._low + self._high) / 2))

    def arguments(self, stood: float, name: bytes = b"") -> tuple[int | bytes, ...]:
        """What the script is told, by a process that has stood still for so many seconds so far.

        `name`: the process's where it minds deadlines.

        First a time at which this process could write: when it last did, and on for as long as it
        then stood still, until it found the primary away.
        """
        stood = stood if self._missed is None else self._missed
        could = self._stored and self._stored + round(1000 * (stood - self._stood))
        return could, LONGEST_MS, self._latest, OUTAGES_KEPT, self._replicas, name

    def heard(self, reply: Any, sent: float, stood: float) -> None:
        """Learn from the script's reply: the time, outages where they are new, and the keepers."""
        ms, outages, keepers = reply
        self.keepers = sorted(keepers)
        self._follow(ms / 1000, sent, monotonic())
        self._sent, self._stored, self._stood, self._missed = sent, ms, stood, None
        if outages is not None:
            self.outages = tuple(map(_outage, outages))
            self._latest = outages[-1] if outages else b""

    def _follow(self, said: float, sent: float, received: float) -> None:
        """The reply was made between `sent` and `received`; what was known before narrows that.

        Unless it does not fit: then the primary is another one, or its clock was set.
        """
        drift = DRIFT * (received - self._sent)
        low, high = said - received, said + 0.001 - sent
        self._low, self._high = max(low, self._low - drift), min(high, self._high + drift)
        if self._low > self._high:
            self._low, self._high = low, high

    def missed(self, stood: float) -> None:
        """One was not stored, by a process that has stood still for so many seconds by now."""
        self._missed = stood if self._missed is None else self._missed
        self.doubt()

    def doubt(self) -> None:
        """What was known is wrong: it is to be learned anew before anything is stamped by it."""
        self._sent = float("-inf")


def _outage(text: bytes) -> Outage:
    start, _, until = text.partition(b":")
    return Outage(int(start), int(until))


class Heartbeats:
    """The heartbeats of a process, at all primaries.

    `tag_of` gives a match's; `run` runs the script on keys, whose answer is worth something once
    `replicas` have what it wrote.
    """

    def __init__(
        self,
        tags: Iterable[str],
        tag_of: Callable[[str], str],
        run: Callable[..., Awaitable[Any]],
        replicas: int,
    ) -> None:
        self._at: Final = {tag: Heartbeat(tag, replicas) for tag in tags}
        self._tag_of = tag_of
        self._one = next(iter(self._at.values())) if len(self._at) == 1 else None
        self._run = run
        self._stalls: Final = Stalls()
        self._name = b""
        self._away: set[Heartbeat] = set()

    def __getitem__(self, tag: str) -> Heartbeat:
        """What is known by the heartbeats under a tag."""
        return self._at[tag]

    def of(self, match: str) -> Heartbeat:
        """What is known of the primary that holds a match."""
        return self._one or self._at[self._tag_of(match)]

    def now(self) -> int | None:
        """The time of the primary whose clock is furthest on; None where none has told it yet."""
        known = [now for heartbeat in self._at.values() if (now := heartbeat.now()) is not None]
        return max(known, default=None)

    async def time(self, match: str) -> int:
        """The time by which a match may be stamped now: with what is fresh, or else asked for.

        Raises:
            StoreAway: the primary does not tell.
        """
        heartbeat = self.of(match)
        if not heartbeat.fresh:
            await self._beat(heartbeat)
        now = heartbeat.now()
        if now is None:
            raise StoreAway("the store has not told its time")
        return now

    async def one(self) -> None:
        """Return if the last heartbeat at some primary is fresh, or one succeeds now.

        Raises:
            StoreAway: none does.
        """
        if any(heartbeat.fresh for heartbeat in self._at.values()):
            return
        beats = map(self._beat, self._at.values())
        try:
            async with asyncio.timeout(ASKED_S):
                outcomes = await asyncio.gather(*beats, return_exceptions=True)
        except TimeoutError:
            raise StoreAway("no heartbeat was stored in the last second") from None
        faults = [outcome for outcome in outcomes if outcome is not None]
        if len(faults) == len(outcomes):
            raise faults[0]

    def first(self, match: str) -> bool:
        """Whether, of the processes that mind a match's deadlines, this one begins with it.

        Each match has one that does; as long as they are not agreed who there is, some have two.
        """
        keepers = self.of(match).keepers
        return not keepers or keepers[crc32(match.encode()) % len(keepers)] == self._name

    async def keep(self) -> None:
        """Beat for ever, at each primary by itself: one that is away delays no other."""
        self._name = token_hex(8).encode()
        beating = (self._beat_on(heartbeat) for heartbeat in self._at.values())
        await asyncio.gather(self._stalls.measure(), *beating)

    async def _beat_on(self, heartbeat: Heartbeat) -> None:
        while True:
            try:
                await self._beat(heartbeat)
            except StoreError as fault:
                self._note_away(heartbeat, fault)
            except Exception:  # whatever it is, the next beat must come
                log.exception("a heartbeat failed")
            else:
                self._note_back(heartbeat)
            await asyncio.sleep(BEAT_S)

    def _note_away(self, heartbeat: Heartbeat, fault: StoreError) -> None:
        """One line in our own log when the first primary goes, and one when all are back."""
        if not self._away:
            log.warning("the store is away", fault=str(fault))
        self._away.add(heartbeat)

    def _note_back(self, heartbeat: Heartbeat) -> None:
        if heartbeat in self._away:
            self._away.remove(heartbeat)
            if not self._away:
                log.info("the store is back")

    async def _beat(self, heartbeat: Heartbeat) -> None:
        """Beat at one primary; all who wait for that share one heartbeat."""
        if heartbeat.under_way is None or heartbeat.under_way.done():
            heartbeat.under_way = asyncio.ensure_future(self._send(heartbeat))
            heartbeat.under_way.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(heartbeat.under_way)

    async def _send(self, heartbeat: Heartbeat) -> None:
        sent, stood = monotonic(), self._stalls.seconds
        try:
            reply = await self._run(heartbeat.keys, *heartbeat.arguments(stood, self._name))
        except StoreAway:
            heartbeat.missed(self._stalls.seconds)
            raise
        heartbeat.heard(reply, sent, stood)
