"""``replay pull``: fetch a log into a match file."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import click

from referee.core.told.safe import clean
from replay.faults import Disputed, Unusable
from replay.options import as_json, one_source
from replay.sources.files import FileSource, Log, Source, load, parse, single
from replay.telling.output import say, say_json, write_file
from replay.telling.words import several


@click.command()
@one_source
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="The match file to write.",
)
@click.option("--force", is_flag=True, help="Write FILE whatever stands there now.")
@as_json
def pull(source: str, output: Path, *, force: bool, as_json: bool) -> None:
    """Write the log of SOURCE to a match file.

    Where FILE is there already, it is replaced only if SOURCE goes on from it: the same match,
    with every commit of FILE unchanged. Nothing is judged: that is for verify.
    """
    where = single(source)
    data = where.read()
    log = parse(where.name, data)
    target = output.resolve()
    if target.exists():
        _check_no_source(where, target)
    if not force:
        _check_count(log)
        if target.exists():
            _check_goes_on(log, FileSource(target))
    write_file(target, data)
    _say(log, output, as_json=as_json)


def _check_no_source(source: Source, target: Path) -> None:
    if isinstance(source, FileSource) and target.samefile(source.path):
        raise Unusable("is the source itself, and sources are not written to", str(target))


def _check_count(log: Log) -> None:
    count, held = log.file.header.count, len(log.file.commits)
    if count != held:
        message = (
            f"the header counts {several(count, 'commit')}, and {held} follow; nothing is written"
        )
        raise Disputed(message, log.source)


def _check_goes_on(log: Log, target: FileSource) -> None:
    try:
        old = load(target).file
    except Unusable as unusable:
        _refuse(target, unusable.message)
    new = log.file
    if (old.header.match, old.header.ruleset) != (new.header.match, new.header.ruleset):
        _refuse(target, f"it holds match {clean(old.header.match)}")
    for version, (before, now) in enumerate(zip(old.commits, new.commits, strict=False), 1):
        if before != now:
            _dispute(log, target, f"parts from it at commit {version}")
    if len(old.commits) > len(new.commits):
        _dispute(log, target, f"holds {len(new.commits)} of its {len(old.commits)} commits")


def _refuse(target: FileSource, why: str) -> NoReturn:
    message = f"is there already and no earlier pull of this match ({why}); --force replaces it"
    raise Unusable(message, target.name)


def _dispute(log: Log, target: FileSource, how: str) -> NoReturn:
    message = f"is no longer the log that {target.name} has: it {how}; nothing is written"
    raise Disputed(message, log.source)


def _say(log: Log, output: Path, *, as_json: bool) -> None:
    header = log.file.header
    if as_json:
        say_json({"file": str(output), "source": log.source, "header": header})
    else:
        say(
            f"{clean(header.match)}: {several(len(log.file.commits), 'commit')} written to {output}"
        )
