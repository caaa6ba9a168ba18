"""`replay report`: a match as one page, for people; it opens with no network."""

import sys
from pathlib import Path

import click

from referee.core.audit import audit
from referee.core.slices import at_once
from referee.core.told.safe import clean
from referee.core.told.words import count_of
from referee.report.entries import Look
from replay.exits import DISPUTED, FINE
from replay.options import as_json, as_viewer, one_source, output_file, trusted_keys
from replay.reading import reading
from replay.sources import load, single
from replay.sources.keys import trusted
from replay.telling.history import history_of
from replay.telling.output import answer, write_derived, written_to
from replay.telling.people import people
from replay.telling.times import in_zone, when


@click.command()
@one_source
@output_file("The page to write.")
@as_viewer
@trusted_keys
@in_zone
@as_json
def report(
    source: str, *, output: Path, viewer: str, keys: tuple[str, ...] | None, as_json: bool
) -> None:
    """Write one page with the board at every step, the events, and the verdict of verify.

    The page holds what the viewer could see: the organizer's holds everything, and can be looked
    at as anybody. What was refused is in it where pull has saved it. A log that is in dispute is
    drawn as far as it can be followed, opens at the fault, and ends with 1.
    """
    from referee.report.page import page  # noqa: PLC0415 - heavy, and not for `--help`

    named = single(source)
    history = history_of(load(named))
    looking = history.viewer(viewer)
    audited = audit(history.rules, history.log.file, trusted(named, keys))
    refusals = named.refusals() or ()
    look = Look(looking, history.names, people().renamed, when, refusals)
    with reading(history.log.source, 1):
        made = at_once(page(history.rules, history.log.file, audited, look))
    data = made.html.encode()
    write_derived(output, data)
    value = {
        "file": str(output),
        "steps": made.steps,
        "verdict": audited.word,
        "bytes": len(data),
    }
    match, doubt = clean(history.log.file.header.match), ", in dispute" if audited.disputes else ""
    line = f"{match}{doubt}: {count_of(made.steps, 'step')} in {written_to(output)}"
    answer(value, [line], as_json=as_json, beside=output)
    sys.exit(DISPUTED if audited.disputes else FINE)
