"""A tournament's ranking: points, and the tie-breaks that order those who are level on them.

A match gives each of its seats a share of its opponents: a whole one for each left behind, half
of one on the same place. Two-player tie-breaks are so meant for any number at the table.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import groupby
from typing import Final

from referee.core.game import Standing
from referee.core.match import Result

Points = Callable[[Sequence[Standing]], dict[int, Fraction]]
"""The points of every seat from a match's ranking."""
Done = tuple[Sequence[str], Result]
"""A match that counts: its players by seat, and its result."""
Key = Callable[["Tally"], Fraction]


def shared_points(ranking: Sequence[Standing]) -> dict[int, Fraction]:
    """A point for the first and none for the last, whatever the number of seats.

    The share of opponents that a seat has left behind, those on its own place by half; a seat
    without a place has left nobody behind, and everybody with a place is ahead of it.
    """
    return {row.seat: _of_opponents(row, ranking) for row in ranking}


def _of_opponents(row: Standing, ranking: Sequence[Standing]) -> Fraction:
    others = [share_of(row, other) for other in ranking if other.seat != row.seat]
    if row.place is None or not others:
        return Fraction(int(row.place is not None))
    return sum(others, Fraction(0)) / len(others)


def share_of(row: Standing, other: Standing) -> Fraction:
    """What one seat has of another: 1 where it has left it behind, half where they are level."""
    if row.place is None:
        return Fraction(0)
    if row.place == other.place:
        return Fraction(1, 2)
    return Fraction(int(other.place is None or other.place > row.place))


def place_of(row: Standing, ranking: Sequence[Standing]) -> int:
    """The place of a seat; one without a place counts as the last."""
    return len(ranking) if row.place is None else row.place


def listed_points(points: Sequence[Fraction], ranking: Sequence[Standing]) -> dict[int, Fraction]:
    """So many points for the first place, the second, …; those who share places share points."""
    return {row.seat: _of_place(points, row, ranking) for row in ranking}


def _of_place(points: Sequence[Fraction], row: Standing, ranking: Sequence[Standing]) -> Fraction:
    if row.place is None:
        return Fraction(0)
    sharing = sum(other.place == row.place for other in ranking)
    taken = points[row.place - 1 : row.place - 1 + sharing]
    return sum(taken, Fraction(0)) / sharing


@dataclass
class Tally:
    """A player's results as they add up.

    `against`: the shares of each opponent, one a match; `place_sum`: places added up, a seat
    without one counting as behind all others; `breaks`: the tie-breaks that were asked, by name.
    """

    player: str
    points: Fraction = Fraction(0)
    played: int = 0
    won: int = 0
    provisional: int = 0
    place_sum: int = 0
    places: Counter[int] = field(default_factory=Counter)
    against: defaultdict[str, list[Fraction]] = field(default_factory=lambda: defaultdict(list))
    breaks: dict[str, Fraction] = field(default_factory=dict)
    rank: int = 1

    def add(self, row: Standing, points: Fraction, players: Sequence[str], result: Result) -> None:
        """Add a match in which this player had the seat of `row`."""
        self.points += points
        self.played += 1
        self.won += row.seat in result.winners
        self.provisional += not result.certified
        self.place_sum += place_of(row, result.ranking)
        if row.place is not None:
            self.places[row.place] += 1
        for other in result.ranking:
            if other.seat != row.seat:
                self.against[players[other.seat]].append(share_of(row, other))


Tallies = Mapping[str, Tally]


def _wins(_all: Tallies, _level: Sequence[Tally], tally: Tally) -> Fraction:
    return Fraction(tally.won)


def _direct(_all: Tallies, level: Sequence[Tally], tally: Tally) -> Fraction:
    """The shares of those opponents that are level so far."""
    shares = (share for other in level for share in tally.against.get(other.player, ()))
    return sum(shares, Fraction(0))


def _buchholz(all_: Tallies, _level: Sequence[Tally], tally: Tally) -> Fraction:
    """The points of all opponents, each as often as met."""
    met = tally.against.items()
    return sum((all_[other].points * len(shares) for other, shares in met), Fraction(0))


def _sonneborn_berger(all_: Tallies, _level: Sequence[Tally], tally: Tally) -> Fraction:
    """The points of the opponents left behind, and half of those who were level."""
    met = tally.against.items()
    return sum((all_[other].points * sum(shares) for other, shares in met), Fraction(0))


def _places(_all: Tallies, _level: Sequence[Tally], tally: Tally) -> Fraction:
    """The sum of places; the lower, the better."""
    return Fraction(-tally.place_sum)


TIE_BREAKS: Final[Mapping[str, Callable[[Tallies, Sequence[Tally], Tally], Fraction]]] = {
    "wins": _wins,
    "direct": _direct,
    "buchholz": _buchholz,
    "sonneborn-berger": _sonneborn_berger,
    "places": _places,
}
"""Each tie-break: a player's figure among all and those who are level so far; more is better."""


def ranked(done: Iterable[Done], points: Points, tie_breaks: Sequence[str]) -> list[Tally]:
    """All players, the best first; those whom no tie-break parts share the rank, by name."""
    tallies = dict[str, Tally]()
    for players, result in done:
        earned = points(result.ranking)
        for row in result.ranking:
            player = players[row.seat]
            tally = tallies.setdefault(player, Tally(player))
            tally.add(row, earned[row.seat], players, result)
    groups = _split(sorted(tallies.values(), key=lambda tally: tally.player), _by_points)
    for name in tie_breaks:
        groups = [part for level in groups for part in _parted(tallies, level, name)]
    ordered = [tally for level in groups for tally in level]
    for level in groups:
        for tally in level:
            tally.rank = 1 + ordered.index(level[0])
    return ordered


def _by_points(tally: Tally) -> Fraction:
    return tally.points


def _parted(all_: Tallies, level: Sequence[Tally], name: str) -> list[list[Tally]]:
    """Those who are level, parted by a tie-break."""
    figure = partial(TIE_BREAKS[name], all_, level)
    if name != "direct" or len(level) > 1:  # alone nobody is encountered
        for tally in level:
            tally.breaks[name] = abs(figure(tally))
    return _split(level, figure)


def _split(level: Sequence[Tally], key: Key) -> list[list[Tally]]:
    ordered = sorted(level, key=key, reverse=True)  # stable: by name within
    return [list(group) for _, group in groupby(ordered, key)]
