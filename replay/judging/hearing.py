"""Chance that is heard while a log is judged: which numbers were drawn, and how shuffles fell."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from math import exp, lgamma, log, log1p
from typing import Final, Literal, NamedTuple, Self, TypeVar

from msgspec import Struct, field

from referee.core.game import Game
from referee.core.match import Match
from referee.core.randomness import Chance
from referee.core.rules import Rules

T = TypeVar("T")
Kind = Literal["number", "weighted", "shuffle"]


class Draw(NamedTuple):
    """What was drawn, in the game's words, of so many outcomes.

    `weights`: of outcomes that are not alike, how likely each of them is, by name.
    """

    of: str
    kind: Kind
    size: int
    weights: tuple[tuple[str, int], ...] = ()

    @property
    def certain(self) -> bool:
        """Whether one outcome alone was possible, which is no chance."""
        possible = sum(weight > 0 for _, weight in self.weights) if self.weights else self.size
        return possible == 1


Heard = Counter[tuple[Draw, int | None, int]]
"""How often a draw, for a seat or for none, had that outcome: of a shuffle, what came first."""

CONFIDENCE: Final = 0.99
_STEPS: Final = 40
_NEGLIGIBLE: Final = 1e-12


class _Telling(Chance):
    """Chance that notes what it draws."""

    heard: Heard = field(default_factory=Counter)
    of: str = ""
    seat: int | None = None

    def about(self, what: str, seat: int | None = None) -> Self:
        self.of, self.seat = what, seat
        return self

    def below(self, n: int) -> int:
        drawn = Chance.below(self, n)
        self._note("number", n, drawn)
        return drawn

    def weighted(self, weights: Mapping[T, int]) -> T:
        drawn = Chance.weighted(self, weights)
        named = tuple((str(name), weight) for name, weight in weights.items())
        self._note("weighted", len(named), list(weights).index(drawn), named)
        return drawn

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        order = Chance.shuffle(self, range(len(items)))
        if order:
            self._note("shuffle", len(order), order[0])
        return tuple(items[place] for place in order)

    def _note(
        self, kind: Kind, size: int, outcome: int, weights: tuple[tuple[str, int], ...] = ()
    ) -> None:
        self.heard[Draw(self.of, kind, size, weights), self.seat, outcome] += 1
        self.of, self.seat = "", None


class HearingRules(Rules):
    """Rules that note every draw of what they decide, in `heard`."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.heard = Heard()

    def chance_at(self, match: Match) -> Chance:
        """Chance that tells what is drawn from it."""
        setting = match.setting
        entropy, heard = match.entropy, self.heard
        return _Telling(setting.seed, setting.match, entropy, match.draws, heard=heard)


@cache
def _hearing(rules: Rules) -> HearingRules:
    return HearingRules(rules.game)


def hearing(rules: Rules) -> HearingRules:
    """The same rules, which have heard nothing yet."""
    ours = _hearing(rules)
    ours.heard = Heard()
    return ours


class Interval(Struct, frozen=True):
    """Between which shares the true one lies, surely enough."""

    least: float
    most: float

    def holds(self, share: float) -> bool:
        """Whether a share lies in it."""
        return self.least <= share <= self.most


def interval(found: int, total: int) -> Interval:
    """The exact interval (Clopper-Pearson) for a share of which `found` of `total` were seen.

    >>> interval(0, 10), interval(5, 10)
    (Interval(least=0.0, most=0.4113), Interval(least=0.1283, most=0.8717))
    """
    least, most = _least(found, total), 1 - _least(total - found, total)
    return Interval(round(least, 4), round(most, 4))


def _least(found: int, total: int) -> float:
    """The share under which so many or more are found as seldom as half of what is left out."""
    low, high = 0.0, found / total
    for _ in range(_STEPS if found else 0):
        share = (low + high) / 2
        too_seldom = _at_least(found, total, share) < (1 - CONFIDENCE) / 2
        low, high = (share, high) if too_seldom else (low, share)
    return low


def _at_least(found: int, total: int, share: float) -> float:
    """How likely so many or more of `total` are, each of this share (below found / total)."""
    ways = lgamma(total + 1) - lgamma(found + 1) - lgamma(total - found + 1)
    term = exp(ways + found * log(share) + (total - found) * log1p(-share))
    likely, odds = 0.0, share / (1 - share)
    while term > likely * _NEGLIGIBLE:
        likely += term
        term *= odds * (total - found) / (found + 1)
        found += 1
    return likely
