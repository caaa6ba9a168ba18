"""`replay pull`: fetch logs into match files."""

import sys
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any, NoReturn

import click
from msgspec import Struct

from referee.core.audit import broken
from referee.core.commit import Header, first_prev, head_after
from referee.core.patterns import MATCH_ID
from referee.core.told.safe import clean
from referee.core.told.words import count_of
from referee.report.disputes import plainly
from referee.report.json_values import to_json
from replay.exits import DISPUTED, FINE, Disputed, Stopped, Unusable
from replay.options import as_json, one_source
from replay.sources import Log, expand, load, names_many, parse, single
from replay.sources.files import SUFFIX, file_source, refusals_beside
from replay.sources.http import Unreached
from replay.sources.source import NOT_ASKED, Source
from replay.telling.output import answer, replaced_by, say_json, write_file, written_to


class Pulled(Struct, frozen=True):
    """A log that is in its file now; `written`: not before. `refusals`: how many are beside it.

    `dispute` is how it contradicts itself, if its chain or its header does.
    """

    file: str
    source: str
    header: Header
    commits: int
    written: bool
    refusals: int | None
    dispute: str | None


@click.command()
@one_source
@click.option(
    "-o",
    "--output",
    type=click.Path(readable=False, allow_dash=True, path_type=Path),
    required=True,
    metavar="FILE|FOLDER",
    help="The match file to write, or the folder for one ID.match a match.",
)
@click.option("--force", is_flag=True, help="Write whatever stands there now.")
@as_json
def pull(source: str, output: Path, *, force: bool, as_json: bool) -> None:
    """Write the log of SOURCE to a match file, and what was refused to x.refusals.jsonl beside it.

    Where FILE is there already, it is replaced only if SOURCE goes on from it: the same match,
    with every commit of FILE unchanged. Many matches go into a folder; pulling them again goes
    on where it was. The rules are asked by verify alone; a log whose chain or header is broken is
    written all the same, and ends with 1.
    """
    if names_many(source) and not output.name.endswith(SUFFIX):
        sys.exit(_pull_all(expand([source]), output, force=force, as_json=as_json))
    pulled = _pull(single(source), output, force=force)
    answer(pulled, [_line(pulled)], as_json=as_json, beside=output)
    sys.exit(_status(pulled))


def _pull_all(sources: Sequence[Source], folder: Path, *, force: bool, as_json: bool) -> int:
    """Pull each into the folder, whatever becomes of the others; returns the exit status."""
    if replaced_by(folder) is None and not folder.is_dir():
        raise Unusable("many matches are written into a folder", str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    logs: list[Any] = []
    statuses = {FINE}
    for number, source in enumerate(sources, 1):
        try:
            logs.append(_pull(source, folder, force=force))
        except Stopped as stopped:
            stopped.show()
            statuses.add(stopped.exit_code)
            logs.append({"source": source.name, "error": stopped.message})
            if isinstance(stopped, Unreached):
                logs += _left(sources[number:])
                break
        else:
            click.echo(_line(logs[-1]), err=as_json)
            statuses.add(_status(logs[-1]))
    if as_json:
        say_json({"logs": logs})
    return DISPUTED if DISPUTED in statuses else max(statuses)


def _left(sources: Sequence[Source]) -> list[dict[str, str]]:
    """Say of matches that nobody is asked for them, as the service is away."""
    if sources:
        left = count_of(len(sources), "match", "matches")
        click.echo(f"replay: {left} {NOT_ASKED}; pull again goes on from here", err=True)
    return [{"source": source.name, "error": NOT_ASKED} for source in sources]


def _pull(source: Source, output: Path, *, force: bool) -> Pulled:
    there = None if force else _unchanged(source, output)
    path, log, written = (*there, False) if there else _fetched(source, output, force=force)
    try:
        refusals = _pull_refusals(source, path)
    except Unusable as unusable:
        held = _held(len(log.file.commits), str(path), written=written)
        message = f"{held}, yet not what was refused: {unusable.message}"
        kind = Unreached if isinstance(unusable, Unreached) else Unusable
        raise kind(message, unusable.source) from unusable
    file, dispute = log.file, broken(log.file)
    return Pulled(
        str(path),
        source.name,
        file.header,
        len(file.commits),
        written,
        refusals,
        None if dispute is None else plainly(dispute, file),
    )


def _status(pulled: Pulled) -> int:
    """What a log that is in its file ends with; why that is no good end is said."""
    if pulled.dispute is None:
        return FINE
    message = f"in dispute: {pulled.dispute} (the file holds the log as it is)"
    Disputed(message, pulled.source).show()
    return DISPUTED


def _unchanged(source: Source, output: Path) -> tuple[Path, Log] | None:
    """The file of an earlier pull at whose end the source still is, where that can be asked."""
    if source.match is None or source.ends_at is None:
        return None
    path = _file_in(output, source.match)
    target = replaced_by(path)
    if target is None or not target.exists():
        return None
    try:
        log = load(file_source(target))
    except Unusable:
        return None
    head = reduce(head_after, log.file.commits, first_prev(*log.identity))
    same = log.identity[0] == source.match and log.file.header.head == head.hex()
    return (path, log) if same and source.ends_at(len(log.file.commits), head.hex()) else None


def _fetched(source: Source, output: Path, *, force: bool) -> tuple[Path, Log, bool]:
    """The file, its log, and whether it was not there already, byte for byte."""
    data = source.read()
    log = parse(source.name, data)
    path = _file_in(output, log.file.header.match)
    _check_no_source(source, path)
    if not force:
        _check_count(log)
    target = replaced_by(path)
    if target is not None and target.exists():
        if _holds(target, data[:]):
            return path, log, False
        if not force:
            _check_goes_on(log, file_source(target))
    write_file(path, data[:])
    return path, log, True


def _holds(target: Path, data: bytes) -> bool:
    """Whether a file is these bytes already."""
    try:
        return file_source(target).read()[:] == data
    except Unusable:
        return False


def _file_in(output: Path, match: str) -> Path:
    """The file for a match: `output`, or in it where it is a folder."""
    if not output.is_dir():
        return output
    if not MATCH_ID.fullmatch(match):
        raise Unusable(f"{clean(match)!r} is no match's id, and names no file", str(output))
    return output / f"{match}{SUFFIX}"


def _pull_refusals(source: Source, path: Path) -> int | None:
    """Write what was refused beside the match file, with what an earlier pull has; how many."""
    target = replaced_by(path)
    refusals = None if target is None else source.refusals()
    if target is None or refusals is None:
        return None
    earlier = file_source(target).refusals() or ()
    lines = dict.fromkeys(to_json(refusal) for refusal in (*earlier, *refusals))
    write_file(refusals_beside(target), "".join(f"{line}\n" for line in lines).encode("ascii"))
    return len(lines)


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


def _line(pulled: Pulled) -> str:
    held = _held(pulled.commits, pulled.file, written=pulled.written)
    refused = f", and {count_of(pulled.refusals, 'refusal')} beside it" if pulled.refusals else ""
    return f"{clean(pulled.header.match)}: {held}{refused}"


def _held(commits: int, file: str, *, written: bool) -> str:
    how = "written to" if written else "as before in"
    return f"{count_of(commits, 'commit')} {how} {written_to(file)}"
