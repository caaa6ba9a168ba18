"""`referee archive`: matches that are over go from the store to the archive."""

import asyncio
import time
from collections import Counter

import click

from referee.commands._archive import Means, with_means
from referee.service.archiving import AT_ONCE, Archiver, Candidate, Overtaken, Unmoved, Wanted
from referee.store import CorruptLog

_DAY_MS = 24 * 3600 * 1000


@click.command("archive")
@click.option(
    "--after",
    "days",
    type=click.FloatRange(min=0, max=36_500),
    default=0,
    metavar="DAYS",
    help="Only those whose last commit was made so many days ago.  [default: 0, all]",
)
@click.option("--uncertified", is_flag=True, help="Those too whose result is not certified.")
@click.option("--dry-run", is_flag=True, help="Say which would go, and change nothing.")
def command(*, days: float, uncertified: bool, dry_run: bool) -> None:
    """Move matches that are finished and certified, or void, to REFEREE_ARCHIVE.

    Each is written there, read back and judged, and only then dropped from the store. It can be
    looked at as before, and takes no commands until `referee restore` brings it back.

    The store is that of REFEREE_REDIS_URL, here with a user who may delete; the service's may not.
    Whatever stops this, nothing is lost: run it again. Several may run at once.

    Exit status 1 where a match stays that should have gone.
    """
    until = round(time.time() * 1000 - days * _DAY_MS) if days else None
    with_means(lambda means: _archived(means, Wanted(until, uncertified), dry_run=dry_run))


async def _archived(means: Means, wanted: Wanted, *, dry_run: bool) -> bool:
    """Archive what is wanted; whether all of it went that should."""
    archiver, counted = Archiver(*means), Counter[str]()
    slots = asyncio.Semaphore(AT_ONCE)

    async def move(candidate: Candidate) -> None:
        async with slots:
            counted[await _moved(archiver, candidate, dry_run=dry_run)] += 1

    # Also where nothing goes: it is better known now than in a month that it leads nowhere.
    await asyncio.to_thread(means.archive.check)
    try:
        async for page in archiver.candidates(wanted):
            async with asyncio.TaskGroup() as group:
                for candidate in page:
                    group.create_task(move(candidate))
    except ExceptionGroup as faults:
        raise faults.exceptions[0] from None
    finally:
        said = ", ".join(f"{count} {what}" for what, count in sorted(counted.items()))
        click.echo(f"{said or 'none'} of those that are over")
    return not counted["failed"]


async def _moved(archiver: Archiver, candidate: Candidate, *, dry_run: bool) -> str:
    """Move a match and say so; what became of it, in a word or two."""
    name = candidate.listed.match
    if dry_run:
        click.echo(f"{name}: would go")
        return "would go"
    try:
        await archiver.move(candidate)
    except Overtaken as why:
        click.echo(f"{name}: left alone: {why}")
        return "left alone"
    except (Unmoved, CorruptLog) as why:
        click.echo(f"{name}: stays: {why}", err=True)
        return "failed"
    click.echo(f"{name}: archived")
    return "archived"
