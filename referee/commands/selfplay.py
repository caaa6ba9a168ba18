"""`referee selfplay`: random lawful matches to match files, no service needed."""

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from msgspec import Struct

from referee.catalogue import UnknownGame, catalogue
from referee.core.game import BadOptions, complete_options, in_words
from referee.core.rules import Rules
from referee.selfplay import Setup, Stuck, chance_of, random_file, seed_of

_CHUNK: Final = 8
"""So many matches are handed to a process at a time."""


class Plan(Struct, frozen=True):
    """What to play: everything that a match depends on but its number.

    `seats` None: any number that the game allows; `options` None: varied at random.
    """

    game: str
    seed: str
    seats: int | None
    options: Mapping[str, Any] | None
    trouble: int

    def name(self, number: int) -> str:
        """The id of match `number`, and the name of its file."""
        return f"{self.game}-{number:05}"


class Played(Struct, frozen=True):
    """What became of one match."""

    commits: int
    size: int


@click.command("selfplay")
@click.argument("game")
@click.option("-n", "--number", type=click.IntRange(1, 99_999), default=1, help="How many matches.")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for the match files.",
)
@click.option("--seats", type=int, help="Seats of each match; left out: any number, at random.")
@click.option("--seed", default="0", help="The same seed plays the same matches. [default: 0]")
@click.option("--options", "options_json", help="The game's options, as JSON.")
@click.option(
    "--vary",
    is_flag=True,
    help="Random options for each match, and now and then entropy of the seats.",
)
@click.option(
    "--trouble",
    type=click.IntRange(0),
    default=0,
    help="Of so many commits one is of the table: draws, take-backs, pauses … [default: 0, none]",
)
@click.option("--jobs", type=click.IntRange(1), default=1, help="Processes. [default: 1]")
def command(  # noqa: PLR0913 -- a parameter an option
    game: str,
    *,
    number: int,
    output: Path,
    seats: int | None,
    seed: str,
    options_json: str | None,
    vary: bool,
    trouble: int,
    jobs: int,
) -> None:
    """Play random lawful matches of GAME and write each to a .match file."""
    if vary and options_json is not None:
        raise click.UsageError("--vary and --options exclude each other")
    options = None if vary else _read_options(options_json)
    plan = Plan(game, seed, seats, options, trouble)
    _check(plan)
    output.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    played = list(_play_all(plan, number, output, jobs))
    _report(plan, played, output, time.perf_counter() - began)


def _read_options(text: str | None) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(text or "{}", type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise click.BadParameter(str(error), param_hint="--options") from error


def _check(plan: Plan) -> None:
    """Say what is wrong with the plan before anything is written."""
    try:
        rules = catalogue().current(plan.game)
    except UnknownGame as error:
        known = ", ".join(rules.game.id for rules in catalogue())
        raise click.BadParameter(f"{error}; there are {known}", param_hint="GAME") from error
    players = rules.game.players
    if plan.seats is not None and plan.seats not in players:
        message = f"{plan.game} is for {in_words(players)}"
        raise click.BadParameter(message, param_hint="--seats")
    for seats in players if plan.seats is None else (plan.seats,):
        _check_options(rules, plan, seats)


def _check_options(rules: Rules, plan: Plan, seats: int) -> None:
    try:
        options = msgspec.convert(plan.options or {}, rules.game.options)
        complete_options(rules.game, options, seats)
    except (BadOptions, msgspec.ValidationError) as error:
        raise click.BadParameter(f"{error} ({seats} seats)", param_hint="--options") from error


def _play_all(plan: Plan, number: int, output: Path, jobs: int) -> Iterator[Played]:
    numbers = range(1, number + 1)
    if jobs == 1:
        for one in numbers:
            yield _play(plan, one, output)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(_play, [plan] * number, numbers, [output] * number, chunksize=_CHUNK)


def _play(plan: Plan, number: int, output: Path) -> Played:
    """Play match `number` of the plan and write its file."""
    rules = catalogue().current(plan.game)
    source = ("selfplay", plan.seed, rules.game.ruleset, number)
    pick = chance_of("pick", *source)
    seats = pick.one_of(tuple(rules.game.players)) if plan.seats is None else plan.seats
    options = rules.game.vary(pick, seats) if plan.options is None else plan.options
    name = plan.name(number)
    setup = Setup(
        match=name,
        seats=seats,
        options=options,
        seed=seed_of(*source),
        entropy="seats" if plan.options is None and pick.below(4) == 0 else None,
        trouble=plan.trouble,
    )
    try:
        data, match = random_file(rules, setup, pick)
    except Stuck as error:
        raise click.ClickException(f"match {number} of --seed {plan.seed}: {error}") from error
    (output / f"{name}.match").write_bytes(data)
    return Played(match.version, len(data))


def _report(plan: Plan, played: list[Played], output: Path, seconds: float) -> None:
    commits, size = sum(one.commits for one in played), sum(one.size for one in played)
    click.echo(
        f"{len(played)} matches of {plan.game}, {commits:,} commits, {size / 1e6:.1f} MB in"
        f" {output}: {seconds:.1f} s, {len(played) / seconds:,.0f} matches/s"
    )
