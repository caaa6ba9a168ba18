"""`referee restore`: matches come back from the archive into the store."""

import click

from referee.commands._archive import Means, with_means
from referee.service.archiving import Unmoved, restore
from referee.store import CorruptLog


@click.command("restore")
@click.argument("matches", metavar="MATCH...", nargs=-1, required=True)
def command(*, matches: tuple[str, ...]) -> None:
    """Bring matches back from REFEREE_ARCHIVE into the store, where they take commands again.

    Each is judged before, and comes back whole or not at all; what the archive has of it stays
    there, until it is archived anew. The store is that of REFEREE_REDIS_URL, here with a user who
    may delete.

    Exit status 1 where a match could not be brought back.
    """
    with_means(lambda means: _restored(means, matches))


async def _restored(means: Means, matches: tuple[str, ...]) -> bool:
    """Restore these; whether all of them are in the store now."""
    well = True
    for name in matches:
        try:
            put = await restore(means.store, means.archive, means.games, name)
        except (Unmoved, CorruptLog) as why:
            click.echo(f"{name}: not restored: {why}", err=True)
            well = False
        else:
            click.echo(f"{name}: {'restored' if put else 'is in the store already'}")
    return well
