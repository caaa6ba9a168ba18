"""`replay join`: the reports of shards as one."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from replay.commands.verify import Findings
from replay.exits import FINE, UNUSABLE, Unusable
from replay.judging.examine import Examined
from replay.options import as_json
from replay.sources.files import read_whole
from replay.telling.output import say_json
from replay.telling.times import in_zone


class _Report(Struct):
    """What `verify --json` printed; `sought` and `receipts` are asked of one log."""

    logs: list[dict[str, Any]]
    shard: str | None = None
    by_key: bool = False
    sought: Any = None
    receipts: Any = None


@click.command()
@click.argument(
    "reports",
    metavar="REPORT...",
    nargs=-1,
    required=True,
    type=click.Path(allow_dash=True, path_type=Path),
)
@click.option("--all", "with_all", is_flag=True, help="Name the logs that hold too.")
@in_zone
@as_json
def join(reports: tuple[Path, ...], *, with_all: bool, as_json: bool) -> None:
    """Make one report of those that verify --json --shard printed, to files or a pipe (-).

    A file may hold several, a line each. Says what verify says of all these logs, a log once, and
    ends as it would; with 2 where a shard's report is missing.
    """
    read = [report for path in reports for report in _read(path)]
    logs = _once(read)
    by_key = any(report.by_key for report in read)
    findings = Findings(brought=by_key, by_key=by_key, with_all=with_all or len(logs) == 1)
    for log in logs:
        examined = _examined(log)
        findings.take(examined, log)
        if not as_json:
            findings.say(examined)
    if as_json:
        say_json(findings.json())
    else:
        findings.say_end()
    missing = _missing(read)
    for shard in missing:
        click.echo(f"replay: shard {shard} is missing", err=True)
    sys.exit(UNUSABLE if missing and findings.status == FINE else findings.status)


def _read(path: Path) -> list[_Report]:
    """The reports in a file, or in what comes through a pipe."""
    try:
        reports = _reports(read_whole(path))
    except (ValueError, RecursionError) as error:
        raise Unusable("is no report of verify --json, or not all of one", str(path)) from error
    if any(report.sought or report.receipts for report in reports):
        message = "answers --head or --receipt, which are asked of one log: no share of many"
        raise Unusable(message, str(path))
    return reports


def _reports(data: bytes) -> list[_Report]:
    """One report in however many lines, or several in a line each."""
    try:
        return [msgspec.json.decode(data, type=_Report)]
    except msgspec.DecodeError:
        return msgspec.json.Decoder(_Report).decode_lines(data)


def _once(reports: list[_Report]) -> list[dict[str, Any]]:
    """The logs of all reports; a source that several have once, as the first says."""
    logs = [log for report in reports for log in report.logs]
    once = {str(log.get("source")): log for log in reversed(logs)}
    return list(once.values())[::-1]


def _examined(log: dict[str, Any]) -> Examined:
    fields = {**log, "another": log.get("as")}
    try:
        return msgspec.convert(fields, Examined, str_keys=True)
    except (ValueError, RecursionError) as error:
        raise Unusable("a report holds what is no log's verdict") from error


def _missing(reports: list[_Report]) -> list[str]:
    """The shards, of those that there were to be, of which no report is here."""
    here = {report.shard for report in reports if report.shard is not None}
    counts = {int(shard.rpartition("/")[2]) for shard in here}
    wanted = [f"{share}/{count}" for count in sorted(counts) for share in range(1, count + 1)]
    return [shard for shard in wanted if shard not in here]
