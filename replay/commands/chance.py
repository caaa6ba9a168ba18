"""`replay chance`: what chance brought over many matches, beside what it should."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import click
from msgspec import Struct

from referee.core.told.safe import clean
from referee.core.told.words import count_of
from replay.judging.examine import Played
from replay.judging.hearing import CONFIDENCE, Heard, Interval, Kind, interval
from replay.judging.matches_that_count import count
from replay.options import as_json, in_jobs, many_sources, trusted_keys
from replay.telling.output import say_json
from replay.telling.sheets import Sheet, say_sheets


class Outcome(Struct, frozen=True):
    """How often one outcome came, its share, and between which shares the true one lies."""

    outcome: int
    found: int
    share: float
    interval: Interval


class Drawn(Struct, frozen=True):
    """Draws of one kind in a game: `drawn` in all, each outcome of `size` due a share `expected`.

    `held`: of how many outcomes the interval holds what is expected.
    """

    game: str
    kind: Kind
    size: int
    drawn: int
    expected: float
    held: int
    outcomes: tuple[Outcome, ...]


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
        for kind, size in sorted({(kind, size) for kind, size, _ in heard[game]}):
            if size > 1:  # one outcome is no chance
                found = [heard[game][kind, size, outcome] for outcome in range(size)]
                yield _kind_of_draw(game, kind, size, found)


def _kind_of_draw(game: str, kind: Kind, size: int, found: Sequence[int]) -> Drawn:
    drawn = sum(found)
    outcomes = tuple(
        Outcome(outcome, number, round(number / drawn, 4), interval(number, drawn))
        for outcome, number in enumerate(found)
    )
    held = sum(one.interval.holds(1 / size) for one in outcomes)
    return Drawn(game, kind, size, drawn, round(1 / size, 4), held, outcomes)


# ── For people ────────────────────────────────────────────────────────────────────────────────────


def _say(drawn: Sequence[Drawn], matches: int, *, with_all: bool) -> None:
    if not matches:
        click.echo("no match counts")
        return
    if not drawn:
        click.echo(f"Nothing was drawn in {count_of(matches, 'match', 'matches')}.")
        return
    say_sheets(map(_outcomes, drawn) if with_all else [_overview(drawn)])
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
    if one.kind == "number":
        return f"a number below {one.size}"
    return f"a shuffle of {one.size}: which comes first"


def _outcomes(one: Drawn) -> Sheet:
    columns = ("outcome", "found", "share", "expected", "the true share lies")
    heading = f"{clean(one.game)}, {_named(one)}: drawn {count_of(one.drawn, 'time')}"
    return Sheet(heading, columns, [_outcome(outcome, one) for outcome in one.outcomes])


def _outcome(outcome: Outcome, one: Drawn) -> list[str]:
    held = outcome.interval
    between = f"between {_percent(held.least)} and {_percent(held.most)}"
    mark = "" if held.holds(1 / one.size) else ", so not where it is expected"
    figures = (outcome.outcome, outcome.found, _percent(outcome.share), _percent(1 / one.size))
    return [*map(str, figures), between + mark]


def _percent(share: float) -> str:
    return f"{share:.2%}"
