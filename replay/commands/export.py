"""`replay export`: a log as JSON, for other programs."""

from pathlib import Path
from typing import Any

import click
import msgspec

from referee.core.commit import head_after, open_envelope
from referee.report.json_values import plain, to_json
from replay.options import one_source, output_file
from replay.sources import load, single
from replay.telling.history import end_on
from replay.telling.output import write_derived
from replay.telling.people import people


@click.command()
@one_source
@click.option("--jsonl", is_flag=True, help="JSON Lines (the default).")
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead.")
@click.option("--raw", is_flag=True, help="Add each commit's exact bytes, in hex.")
@output_file("Write to FILE instead of standard output.", required=False)
def export(source: str, *, jsonl: bool, as_json: bool, raw: bool, output: Path | None) -> None:
    """Print a log as JSON: its header, then a commit a line, with the head after it.

    Nothing is judged: a commit that cannot be read stands there as its bytes alone.
    """
    if jsonl and as_json:
        raise click.UsageError("--jsonl and --json are two forms of the same")
    log = load(single(source))
    file = log.file
    commits = [_commit(data, raw=raw) for data in file.commits]
    if as_json:
        text = [to_json({"header": file.header, "commits": commits})]
    else:
        text = [*map(to_json, (file.header, *commits))]
    if output is None:
        for line in text:
            click.echo(line)
    else:
        write_derived(output, "".join(f"{line}\n" for line in text).encode("ascii"))
    end_on(log)


def _commit(data: bytes, *, raw: bool) -> dict[str, Any]:
    """One commit, its byte strings in hex, with the head after it."""
    exact = {"bytes": data.hex()}
    try:
        prev = open_envelope(data).prev
        commit: dict[str, Any] = people().renamed(plain(msgspec.msgpack.decode(data)))
    except (ValueError, RecursionError):
        return exact
    return commit | {"head": head_after(prev, data).hex()} | (exact if raw else {})
