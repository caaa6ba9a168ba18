"""The log of matches: what a store promises, and how it fails. Knows no Redis.

A match is a list of commits, numbered 1, 2, 3, … without gaps. A commit is opaque bytes here.
Whoever appends says which number the commit must get; the store takes it only where exactly the
one before is the last. That one comparison is all that keeps processes apart.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from msgspec import Struct

from referee.core.table.commands import Outage


class Entry(NamedTuple):
    """One commit in the log: its number, 1 or more, and its exact bytes."""

    version: int
    data: bytes


class Finding(Struct, frozen=True):
    """Something that is wrong, and what to do about it.

    `forgets`: because of it the store may lose what it acknowledged.
    """

    problem: str
    remedy: str
    forgets: bool = False


class Primary(Struct, frozen=True):
    """A server that takes writes, as it says that it is; None: it does not say.

    `server` is Redis or Valkey; `ahead_s`: how far its clock is ahead of this process's, to half a
    round trip.
    """

    name: str
    server: str | None = None
    version: str | None = None
    append_only: bool | None = None
    fsync: str | None = None
    eviction: str | None = None
    replicas: int | None = None
    ahead_s: float | None = None
    findings: tuple[Finding, ...] = ()
    reached: bool = True

    @property
    def durable(self) -> bool:
        """Whether nothing is known by which it may lose what it acknowledged."""
        return not any(finding.forgets for finding in self.findings)


class Listed(NamedTuple):
    """One row of a list of matches.

    `version` is the log's last version (1 or more), `beginning` the first bytes of its commit, as
    many as hold its time; `summary` the bytes last given to `append` (empty: none yet),
    `created_ms` Unix time in milliseconds as given with `InLists`; `refusals` how many there were.
    """

    match: str
    version: int
    summary: bytes
    created_ms: int
    beginning: bytes
    refusals: int


class InLists(NamedTuple):
    """In which lists a match stands, and where: by its creation, Unix ms."""

    created_ms: int
    game: str
    tournament: str | None


class Cursor(NamedTuple):
    """Where a page of a list ended: the next page holds what is older."""

    created_ms: int
    match: str


class Listing(NamedTuple):
    """A page of a list, and where the next one starts (None: there is no more).

    `whole`: every primary told of its matches; those of one that is away are left out.
    """

    rows: list[Listed]
    before: Cursor | None
    whole: bool


class Due(NamedTuple):
    """A match whose deadline has come: `deadline` is Unix time in milliseconds."""

    match: str
    deadline: int


class Rewritten(NamedTuple):
    """Instead of an entry on a live feed: what was delivered is no longer what the log holds.

    `last` is the log's last version now; the feed goes on after it.
    """

    last: int


class StoreError(Exception):
    """Anything a store can refuse or suffer."""


class StoreAway(StoreError):
    """The store cannot be used now: not reached, read-only, loading, out of memory.

    `outcome_unknown` says that an append may have been applied all the same (its answer was
    lost, or too few replicas have it): neither "done" nor "not done" may be told to anybody.
    `retry_after` is in seconds.
    """

    retry_after: Final = 1.0

    def __init__(self, text: str, *, outcome_unknown: bool = False) -> None:
        super().__init__(text)
        self.outcome_unknown = outcome_unknown


class Conflict(StoreError):
    """Somebody else's commit stands where ours was to go, or the log is shorter than we think.

    `last` is the log's last version. Where it is lower than the version that the append built on,
    a failover lost commits; where it is just that version, the commit that stands there is another
    one than was built on. (So a caller never has two appends to one match under way at once: the
    second would look like that.)
    """

    def __init__(self, match: str, version: int, last: int) -> None:
        super().__init__(f"match {match}: version {version} does not follow {last}")
        self.match = match
        self.version = version
        self.last = last


class WrongTime(StoreError):
    """A commit is stamped more than a second from the time of its primary: nothing was appended.

    What was known of that time was wrong; it is asked for again before the next stamp.
    """

    def __init__(self, match: str, version: int, at: int | None, now: int) -> None:
        super().__init__(f"match {match}: version {version} is stamped {at}, and it is {now}")


class CorruptLog(StoreError):
    """A log that nobody but a store's appends should have written, and somebody has.

    `place` is what stands there: an entry's id, or a key.
    """

    def __init__(self, match: str, place: str, fault: str) -> None:
        super().__init__(f"match {match}: the log is corrupt at {place}: {fault}")
        self.match = match
        self.place = place


class TooSlow(StoreError):
    """A subscriber that took its entries too slowly and was cut; it may resume where it stood."""


class Subscription(Protocol):
    """A live feed of one match: every commit after a version, in order, without gaps.

    Iterate it. It ends when it or the store is closed; it raises `TooSlow` when its reader let
    too many entries wait, `StoreAway` or `CorruptLog` where the log cannot be read. Where the
    log no longer holds what was delivered it yields a `Rewritten` and goes on from there.
    """

    def __aiter__(self) -> "Subscription":
        """Itself."""
        ...

    async def __anext__(self) -> Entry | Rewritten:
        """The next commit, or the news that the log was rewritten."""
        ...

    def at_hand(self) -> Entry | None:
        """The next commit where it is there already: what comes together may be told together."""
        ...

    def hand_to(self, take: Callable[[Entry], bool]) -> None:
        """From now on offer each commit to `take` while the iterating reader waits for one.

        Where it returns False the commit comes by iteration, as all others do.
        """
        ...

    async def aclose(self) -> None:
        """Stop, and end the iteration; any number of times."""
        ...


class MatchStore(Protocol):
    """The log of every match, with what is needed beside it to find matches and deadlines.

    Every method that waits raises `StoreAway` where the store cannot be used, within a few
    seconds. Match ids are 1–64 of `[A-Za-z0-9_-]`; times and deadlines are Unix time in
    milliseconds, by the clock of the match's own primary and no other. A match's deadline is when
    somebody is to look at it: at what is due then, or because nothing has happened for long.
    """

    async def append(  # noqa: PLR0913 - each by name, all but the first with a default
        self,
        match: str,
        version: int,
        data: bytes,
        *,
        at: int | None = None,
        onto: bytes | None = None,
        summary: bytes | None = None,
        deadline: int | None = None,
        listed: InLists | None = None,
    ) -> None:
        """Append a commit if, and only if, the log's last version is `version - 1`.

        And, where `onto` is given, if these are the exact bytes of that last commit: after a
        failover that lost commits another one may stand there under the same number. And only if
        `at`, its stamp, is at most a second from the time of the match's primary (None: it is that
        of the commit before, and nothing is asked).

        Returns when it is stored (and, with `min_replicas`, when that many replicas have it).
        An append goes on to its end even when its caller is cancelled. With it, and only with
        it, the match's `summary` is replaced and its `deadline` set (0: it has none any more;
        None: as it was). Where it says how it is `listed`, the match is entered with it, on a
        cluster before it.

        Raises:
            Conflict: the last version, or commit, is another one; nothing was appended.
            WrongTime: the stamp is; nothing was appended.
            StoreAway: nothing was appended, or, where it says `outcome_unknown`, perhaps.
            CorruptLog: the stream holds something that no append wrote.
        """
        ...

    async def read(self, match: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        """The commits after version `after`, at most `limit`; empty where there are none.

        To learn whether the log was rewritten below a version that was seen, read from one
        before and compare that entry.

        Raises:
            CorruptLog: the entries are not exactly `after + 1`, `after + 2`, …
        """
        ...

    async def read_in_turn(self, match: str, after: int, limit: int) -> list[Entry]:
        """A page for one of a crowd, as `read` gives it: one is read, and then the next.

        Matches that a cluster keeps elsewhere do not wait: a primary that hangs stops its own.

        Raises:
            CorruptLog: as `read` does.
            StoreAway: the primary went away while this waited.
        """
        ...

    async def last(self, match: str) -> int:
        """The log's last version, 0 where there is no such match."""
        ...

    async def register(self, match: str, listed: InLists) -> None:
        """Enter a match in the lists, without any append. Again does no harm."""
        ...

    async def claim(self, key: str, value: bytes) -> bytes | None:
        """Take the key of a creation for 24 hours.

        Returns:
            None where it was free, and stands for `value` now; else what it stands for.
        """
        ...

    async def matches(
        self,
        *,
        game: str | None = None,
        tournament: str | None = None,
        before: Cursor | None = None,
        limit: int = 50,
    ) -> Listing:
        """A page of at most `limit` (1 or more) matches, newest first, and where the next starts.

        Matches of one time stand in a fixed order, so that no page repeats or skips one. A
        registered match whose log was never begun is left out, and dropped after a day.

        Raises:
            StoreAway: no primary answers; where only some do not, their matches are left out.
        """
        ...

    async def confirm(self, match: str, entry: Entry) -> bool:
        """Whether the log holds this commit; with `min_replicas`, once so many have it.

        Where none are asked for, what was read is taken for being there.

        Raises:
            StoreAway: too few have it (`outcome_unknown`).
        """
        ...

    async def note_refusal(self, match: str, whose: str, record: bytes) -> None:
        """Add to the match's side record of refused commands, which keeps the last 50 of each.

        Does nothing where there is no log of that match (any more).
        """
        ...

    async def refusals(self, match: str) -> list[bytes]:
        """The match's refused commands, newest last."""
        ...

    async def due(self, now_ms: int, limit: int, *, after: int | None = None) -> list[Due]:
        """Matches whose deadline is `now_ms` or before, earliest first, at most `limit`.

        With `after` only those whose deadline is later than that.

        Those of a primary that is away are left out, where others answer. A deadline found here
        may be earlier than the true one, never later: whoever finds that it is not yet time puts
        it right with `set_deadline`.
        """
        ...

    async def set_deadline(self, match: str, deadline: int | None, *, version: int) -> None:
        """Put a match's deadline right: what it is (None: none) as of `version`.

        Does nothing where the log's last version is another one by now.
        """
        ...

    def now(self, match: str | None = None) -> int | None:
        """What time it is at a match's primary (None: at the one whose clock is furthest on).

        It is followed from the last heartbeat on; None where there was none yet.
        """
        ...

    async def time(self, match: str) -> int:
        """The same, to stamp by: as of a heartbeat of the last second, made now where need be.

        With it `outages` are known up to that heartbeat.
        """
        ...

    def begins(self, match: str) -> bool:
        """Whether this process is to begin with what is due in a match.

        Of those that keep the time it is one for each match, so that they are not in each other's
        way; where it does not, any may.
        """
        ...

    def away(self, match: str) -> bool:
        """Whether the match's primary did not take the last heartbeat: asks nobody."""
        ...

    def outages(self, match: str) -> tuple[Outage, ...]:
        """When no process could write to the match's primary for more than 2 s, by its own time.

        Because it was away, or no process ran, or its clock was set forward; a process that ran
        but stood still makes none. The oldest first (the last 1000), none overlapping.
        """
        ...

    async def keep_time(self) -> None:
        """Say to each primary, twice a second for as long as this runs, that it can be written to.

        Whichever process comes first after an outage enters it, once.
        """
        ...

    async def ping(self) -> None:
        """Return if some primary could be written to in the last second, or can be now."""
        ...

    async def examine(self) -> list[Primary]:
        """Look at what every primary is like, and what is wrong with it; raises nothing."""
        ...

    def subscribe(
        self, match: str, after: int, *, seen: bytes | None = None, end: int | None = None
    ) -> Subscription:
        """A live feed of the commits after version `after`.

        `seen`: the commit `after` as the reader has it, if it has it: where the log holds
        another one by now, the feed begins with `Rewritten`. `end`: where the log was seen to
        end, if it was: who is near it reads together with others.
        """
        ...

    def renew(self, url: str) -> None:
        """Take user and password from another URL of this store, for new connections.

        Raises:
            BadAddress: it is none, or leads elsewhere.
        """
        ...

    async def aclose(self) -> None:
        """Finish the appends under way, end all live feeds and let go of the server."""
        ...
