"""`replay pull`: fetch a log into a match file."""

from pathlib import Path
from typing import NoReturn

import click

from referee.core.told.safe import clean
from referee.core.told.words import count_of
from replay.exits import Disputed, Unusable
from replay.options import as_json, one_source, output_file
from replay.sources import Log, load, parse, single
from replay.sources.files import file_source
from replay.sources.source import Source
from replay.telling.output import answer, replaced_by, write_file


@click.command()
@one_source
@output_file("The match file to write.")
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
    _check_no_source(where, output)
    if not force:
        _check_count(log)
        target = replaced_by(output)
        if target is not None and target.exists():
            _check_goes_on(log, file_source(target))
    write_file(output, data)
    _say(log, output, as_json=as_json)


def _check_no_source(source: Source, target: Path) -> None:
    if source.path is not None and target.exists() and target.samefile(source.path):
        raise Unusable("is the source itself, and sources are not written to", str(target))


def _check_count(log: Log) -> None:
    count, held = log.file.header.count, len(log.file.commits)
    if count != held:
        counted = count_of(count, "commit")
        message = f"the header counts {counted}, and {held} follow; nothing is written"
        raise Disputed(message, log.source)


def _check_goes_on(log: Log, target: Source) -> None:
    try:
        old = load(target)
    except Unusable as unusable:
        _refuse(target, unusable.message)
    if old.identity != log.identity:
        _refuse(target, f"it holds match {clean(old.file.header.match)}")
    pulled, now = old.file.commits, log.file.commits
    for version, (before, after) in enumerate(zip(pulled, now, strict=False), 1):
        if before != after:
            _dispute(log, target, f"parts from it at commit {version}")
    if len(pulled) > len(now):
        _dispute(log, target, f"holds {len(now)} of its {len(pulled)} commits")


def _refuse(target: Source, why: str) -> NoReturn:
    message = f"is there already and no earlier pull of this match ({why}); --force replaces it"
    raise Unusable(message, target.name)


def _dispute(log: Log, target: Source, how: str) -> NoReturn:
    message = f"is no longer the log that {target.name} has: it {how}; nothing is written"
    raise Disputed(message, log.source)


def _say(log: Log, output: Path, *, as_json: bool) -> None:
    header = log.file.header
    commits = count_of(len(log.file.commits), "commit")
    line = f"{clean(header.match)}: {commits} written to {output}"
    value = {"file": str(output), "source": log.source, "header": header}
    answer(value, [line], as_json=as_json, beside=output)
