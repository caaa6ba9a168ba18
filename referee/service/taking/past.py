"""The states that a match has passed through: kept so that any of them is a short fold away."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import islice
from operator import itemgetter
from typing import Final

from referee.core.match import Match
from referee.core.rules import Rules
from referee.core.slices import Slices
from referee.core.verify import Seen, all_take_backs, folded
from referee.service.logs import PAGE, Logs
from referee.slicing import in_slices

KEPT: Final = 512
"""States kept of a match at most, at even distances: 256 commits at first, then twice as many."""
ASKED: Final = 8
"""States kept beside them, the last that were asked for: people step through a match."""
FOUND: Final = 8192
"""States kept while a log is loaded, the last to which it went back: it may go there again."""


class Past:
    """The past of one match, as its log tells it."""

    __slots__ = ("_asked", "_backs", "_id", "_kept", "_logs", "every")

    def __init__(self, match_id: str, logs: Logs) -> None:
        self._id: Final = match_id
        self._logs: Final = logs
        self.clear()

    def clear(self) -> None:
        """Forget it all."""
        self.every = PAGE
        """Commits from one kept state to the next."""
        self._kept: dict[int, Match] = {}
        self._asked: dict[int, Match] = {}
        self._backs: list[tuple[int, int]] = []
        """Every commit that goes back, and to which version, in order."""

    @property
    def kept(self) -> int:
        """How many states are kept for good."""
        return len(self._kept)

    def went_on(self, match: Match, back: Iterable[int]) -> None:
        """The match has come to a state by one more commit, which goes back to these versions.

        Of a commit that goes nowhere, whose version is no multiple of `PAGE`, nothing is to be
        kept.
        """
        self._backs += [(match.version, to) for to in back]
        self._keep(match)

    def _keep(self, match: Match) -> None:
        if match.version % self.every:
            return
        self._kept[match.version] = match
        if len(self._kept) > KEPT:
            self.every *= 2
            self._kept = {n: kept for n, kept in self._kept.items() if n % self.every == 0}

    async def fold(
        self,
        rules: Rules,
        onto: Match | None,
        commits: list[bytes],
        found: dict[int, Match],
        seen: Seen,
    ) -> Match:
        """The match after the log's next commits, one to `PAGE` of them; `seen` is told of each.

        `found` holds states gone by, and is given more of them, from one page to the next.

        Raises whatever the log's reading and folding raise.
        """
        stands = 0 if onto is None else onto.version
        backs = await in_slices(all_take_backs(commits))
        self._backs += backs
        before = [to for v, to in self._backs_in(stands, None) if to < stands]
        await self._find(rules, before, found)
        match = await in_slices(folded(rules, commits, onto, found, seen=seen))
        self._keep(match)
        for old in [*islice(found, max(0, len(found) - FOUND))]:
            del found[old]
        return match

    async def at(self, rules: Rules, version: int) -> Match:
        """The match as it stood after commit `version`, which has been seen to be there.

        Raises whatever the log's reading and folding raise.
        """
        asked = self._asked  # of this log: where it is rewritten meanwhile, others are begun
        found: dict[int, Match] = {}
        await self._find(rules, [version], found)
        match = found[version]
        asked.pop(version, None)
        asked[version] = match
        if len(asked) > ASKED:
            del asked[next(iter(asked))]
        return match

    async def _find(self, rules: Rules, versions: list[int], found: dict[int, Match]) -> None:
        """Find the states after those commits, and after all to which the log goes back on the way.

        What is read of the log is read once, a page at a time.
        """
        for begins, wanted in await in_slices(self._stretches(versions, found)):
            match, ends = begins, max(wanted)
            while match is None or match.version < ends:
                stands = 0 if match is None else match.version
                commits = await self._logs.span(self._id, stands, min(ends, stands + PAGE))
                match = await in_slices(folded(rules, commits, match, found, wanted=wanted))

    def _stretches(
        self, versions: list[int], found: dict[int, Match]
    ) -> Slices[list[tuple[Match | None, set[int]]]]:
        """What to fold for it: from which state, None for the beginning, and to which versions."""
        needed = yield from self._needed(versions, found)
        stretches: list[tuple[Match | None, set[int]]] = []
        stands = -1
        for version in sorted(needed):
            nearest = needed[version]
            begins = 0 if nearest is None else nearest.version
            if begins > stands:
                stretches.append((nearest, set()))
            if begins == version and nearest is not None:
                found[version] = nearest
            stretches[-1][1].add(version)
            stands = version
            yield
        return stretches

    def _needed(
        self, versions: list[int], found: dict[int, Match]
    ) -> Slices[dict[int, Match | None]]:
        """All these states, by version, each with the last state at hand that is not behind it."""
        at_hand = sorted({**self._kept, **self._asked, **found}.items(), key=itemgetter(0))
        needed, more, seen = dict[int, Match | None](), versions, dict[int, int]()
        while more:
            version = more.pop()
            place = bisect_right(at_hand, version, key=itemgetter(0))
            begins, nearest = at_hand[place - 1] if place else (0, None)
            needed[version] = nearest
            stands = seen.get(begins, begins)
            if version > stands:
                seen[begins] = version
                more += [to for _, to in self._backs_in(stands, version)]
            yield
        return needed

    def _backs_in(self, after: int, last: int | None) -> list[tuple[int, int]]:
        """The take-backs of the commits `after` + 1 to `last` (None: to the end)."""
        begin = bisect_right(self._backs, after, key=itemgetter(0))
        end = None if last is None else bisect_right(self._backs, last, key=itemgetter(0))
        return self._backs[begin:end]
