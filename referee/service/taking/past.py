"""The states that a match has passed through: kept so that any of them is a short fold away."""

from bisect import bisect_right
from collections.abc import Iterable
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
        self, rules: Rules, onto: Match | None, commits: list[bytes], seen: Seen
    ) -> Match:
        """The match after the log's next commits, one to `PAGE` of them; `seen` is told of each.

        Raises whatever the log's reading and folding raise.
        """
        stands = 0 if onto is None else onto.version
        backs = await in_slices(all_take_backs(commits))
        self._backs += backs
        before = await self._all(
            rules, [to for v, to in self._backs_in(stands, None) if to < stands]
        )
        match = await in_slices(folded(rules, commits, onto, before, seen))
        self._keep(match)
        return match

    async def at(self, rules: Rules, version: int) -> Match:
        """The match as it stood after commit `version`, which has been seen to be there.

        Raises whatever the log's reading and folding raise.
        """
        asked = self._asked  # of this log: where it is rewritten meanwhile, others are begun
        match = (await self._all(rules, [version]))[version]
        asked.pop(version, None)
        asked[version] = match
        if len(asked) > ASKED:
            del asked[next(iter(asked))]
        return match

    async def _all(self, rules: Rules, versions: Iterable[int]) -> dict[int, Match]:
        """The states after those commits, and after all to which the log goes back on the way."""
        found: dict[int, Match] = {}
        last = None
        needed = await in_slices(self._needed(versions))
        for version, nearest in sorted(needed.items(), key=itemgetter(0)):
            match = nearest
            if last is not None and (match is None or match.version < last.version):
                match = last
            while match is None or match.version < version:
                stands = 0 if match is None else match.version
                commits = await self._logs.span(self._id, stands, min(version, stands + PAGE))
                match = await in_slices(folded(rules, commits, match, found))
            last = found[version] = match
        return found

    def _needed(self, versions: Iterable[int]) -> Slices[dict[int, Match | None]]:
        """What `_all` finds, by version, each with the last state at hand that is not behind it."""
        needed, more, seen = dict[int, Match | None](), list(versions), dict[int, int]()
        while more:
            version = more.pop()
            needed[version] = nearest = self._nearest(version)
            begins = 0 if nearest is None else nearest.version
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

    def _nearest(self, version: int) -> Match | None:
        """The last state at hand that is not behind `version`."""
        kept = version - version % self.every
        while kept and kept not in self._kept:
            kept -= self.every
        asked = (state for state in self._asked.items() if kept < state[0] <= version)
        return max(asked, default=(kept, self._kept.get(kept)), key=itemgetter(0))[1]
