"""`replay chance`: what chance brought over many matches, beside what it should."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import click
from msgspec import Struct

from referee.core.told.safe import clean
from referee.core.told.words import count_of
from replay.judging.examine import Played
from replay.judging.hearing import CONFIDENCE, Draw, Heard, Interval, Kind, interval
from replay.judging.matches_that_count import count
from replay.options import as_json, in_jobs, many_sources, trusted_keys
from replay.telling.output import say_json
from replay.telling.sheets import Sheet, say_sheets


class Outcome(Struct, frozen=True):
    """How often one outcome came, its share, and between which shares the true one lies.

    `name` as the game calls it, where it does; `expected` is the share that it is due.
    """

    outcome: int
    name: str | None
    found: int
    share: float
    expected: float
    interval: Interval

    @property
    def holds(self) -> bool:
        """Whether the interval holds what is expected."""
        return self.interval.holds(self.expected)


class OfSeat(Struct, frozen=True):
    """What was drawn for one seat."""

    seat: int
    drawn: int
    outcomes: tuple[Outcome, ...]


class Drawn(Struct, frozen=True):
    """Draws of one kind in a game, `of` in its words: `drawn` in all, of `size` outcomes.

    `expected` is the share that each of them is due, None where they are not alike; `held`: of how
    many outcomes the interval holds what is expected; `by_seat`: those that were drawn for a seat.
    """

    game: str
    of: str
    kind: Kind
    size: int
    drawn: int
    expected: float | None
    held: int
    outcomes: tuple[Outcome, ...]
    by_seat: tuple[OfSeat, ...]


@click.command()
@many_sources
@click.option("--all", "with_all", is_flag=True, help="Print every outcome.")
@trusted_keys
@in_jobs
@as_json
def chance(
    sources: tuple[str, ...],
    *,
    with_all: bool,
    keys: tuple[str, ...] | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Say whether chance is fair: every draw, roll and shuffle of many matches, found and expected.

    The intervals are exact, and wide where matches are few. Every log is judged first, which
    recomputes its draws from the seed that its first commit commits to; one in dispute is left
    out, said so on standard error, and the status is then that of verify.
    """
    counted = count(sources, jobs, keys, hears=True)
    drawn = list(_drawn(counted.matches))
    if as_json:
        total = sum(one.drawn for one in drawn)
        figures = {"matches": len(counted.matches), "drawn": total, "recomputed": total}
        say_json({**figures, "draws": drawn, "left_out": counted.left_out})
    else:
        _say(drawn, len(counted.matches), with_all=with_all)
    sys.exit(counted.finish())


def _drawn(matches: Iterable[Played]) -> Iterator[Drawn]:
    heard = defaultdict[str, Heard](Heard)
    for match in matches:
        heard[match.ruleset.partition("/")[0]].update(match.heard)
    for game in sorted(heard):
        for draw in sorted({draw for draw, _, _ in heard[game]}):
            if not draw.certain:
                yield _drawn_of(game, draw, heard[game])


def _drawn_of(game: str, draw: Draw, heard: Heard) -> Drawn:
    found = {
        seat: [heard[draw, seat, outcome] for outcome in range(draw.size)]
        for one, seat, _ in heard
        if one == draw
    }
    seats = sorted(seat for seat in found if seat is not None)
    outcomes = _outcomes_of(draw, list(map(sum, zip(*found.values(), strict=True))))
    return Drawn(
        game=game,
        of=draw.of,
        kind=draw.kind,
        size=draw.size,
        drawn=sum(one.found for one in outcomes),
        expected=None if draw.weights else round(1 / draw.size, 4),
        held=sum(one.holds for one in outcomes),
        outcomes=outcomes,
        by_seat=tuple(
            OfSeat(seat, sum(found[seat]), _outcomes_of(draw, found[seat])) for seat in seats
        ),
    )


def _outcomes_of(draw: Draw, found: Sequence[int]) -> tuple[Outcome, ...]:
    drawn, whole = sum(found), sum(weight for _, weight in draw.weights)
    due: list[tuple[str | None, float]] = [(None, 1 / draw.size)] * draw.size
    if draw.weights:
        due = [(name, weight / whole) for name, weight in draw.weights]
    return tuple(
        Outcome(
            outcome,
            name,
            number,
            round(number / drawn, 4),
            round(share, 4),
            interval(number, drawn),
        )
        for outcome, (number, (name, share)) in enumerate(zip(found, due, strict=True))
    )


# ── For people ────────────────────────────────────────────────────────────────────────────────────


def _say(drawn: Sequence[Drawn], matches: int, *, with_all: bool) -> None:
    if not matches:
        click.echo("no match counts")
        return
    if not drawn:
        click.echo(f"Nothing was drawn in {count_of(matches, 'match', 'matches')}.")
        return
    alike = [one for one in drawn if one.expected is not None]
    if alike and not with_all:
        say_sheets([_overview(alike)])
    say_sheets(_outcomes(one) for one in drawn if with_all or one.expected is None)
    total, held = sum(one.drawn for one in drawn), sum(one.held for one in drawn)
    intervals = sum(one.size for one in drawn)
    outside = 1 - CONFIDENCE
    click.echo(
        f"{held} of {count_of(intervals, 'interval')} of {CONFIDENCE:.0%} hold what is expected; "
        f"where chance is fair at most about {outside:.0%} do not."
    )
    click.echo(
        f"{total} of {count_of(total, 'draw')} in {count_of(matches, 'match', 'matches')} were "
        "recomputed from the seed to which the match's first commit commits: no outcome could be "
        "chosen once it was made."
    )


def _overview(drawn: Sequence[Drawn]) -> Sheet:
    columns = ("game", "draw", "drawn", "expected each", "found", "holding what is expected")
    return Sheet("What chance brought", columns, [_line(one) for one in drawn])


def _line(one: Drawn) -> list[str]:
    shares = [outcome.share for outcome in one.outcomes]
    held = f"{one.held} of {one.size} intervals"
    found = f"{_percent(min(shares))} to {_percent(max(shares))}"
    return [clean(one.game), _named(one), str(one.drawn), _percent(1 / one.size), found, held]


def _named(one: Drawn) -> str:
    of = f"{one.of}, " if one.of else ""
    if one.kind == "shuffle":
        return f"{of}a shuffle of {one.size}: which comes first"
    return one.of if one.expected is None else f"{of}a number below {one.size}"


def _outcomes(one: Drawn) -> Sheet:
    columns = ("outcome", "for", "found", "share", "expected", "the true share lies")
    heading = f"{clean(one.game)}, {_named(one)}: drawn {count_of(one.drawn, 'time')}"
    rows = []
    for place, outcome in enumerate(one.outcomes):
        rows.append(_outcome(outcome, "all"))
        rows += [_outcome(own.outcomes[place], f"seat {own.seat}") for own in one.by_seat]
    return Sheet(heading, columns, rows)


def _outcome(outcome: Outcome, whom: str) -> list[str]:
    held, name = outcome.interval, outcome.name or str(outcome.outcome)
    between = f"between {_percent(held.least)} and {_percent(held.most)}"
    mark = "" if outcome.holds else ", so not where it is expected"
    shares = (_percent(outcome.share), _percent(outcome.expected))
    return [name, whom, str(outcome.found), *shares, between + mark]


def _percent(share: float) -> str:
    return f"{share:.2%}"
