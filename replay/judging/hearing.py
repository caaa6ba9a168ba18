"""Chance that is heard while a log is judged: which numbers were drawn, and how shuffles fell."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import exp, lgamma, log, log1p
from typing import Final, Literal, TypeVar

from msgspec import Struct, field

from referee.core.game import Game
from referee.core.match import Match
from referee.core.randomness import Chance
from referee.core.rules import Rules

T = TypeVar("T")
Kind = Literal["number", "shuffle"]
Heard = Counter[tuple[Kind, int, int]]
"""How often of so many outcomes that one came: of a shuffle, which of the things came first."""

CONFIDENCE: Final = 0.99
_STEPS: Final = 40
_NEGLIGIBLE: Final = 1e-12


class _Telling(Chance):
    """Chance that notes what it draws."""

    heard: Heard = field(default_factory=Counter)

    def below(self, n: int) -> int:
        drawn = Chance.below(self, n)
        self.heard["number", n, drawn] += 1
        return drawn

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        order = Chance.shuffle(self, range(len(items)))
        if order:
            self.heard["shuffle", len(order), order[0]] += 1
        return tuple(items[place] for place in order)


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
