"""`replay bundle`: one file to show that the referee is wrong."""

import platform
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from importlib.metadata import version
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click
from msgspec import UNSET
from msgspec.structs import replace

from referee.core.commit import first_prev, head_after, write_match_file
from referee.core.told.safe import clean
from referee.core.visibility import ORGANIZER, Viewer
from referee.report.json_values import to_json
from replay.commands.log import rows
from replay.exits import Disputed
from replay.options import as_json, as_viewer, at_version, one_source, output_file
from replay.sources import load, single
from replay.sources.http import service_version
from replay.sources.source import Source
from replay.telling.history import History, end_on, history_of
from replay.telling.output import answer, write_derived, written_to
from replay.telling.scenes import picture

FORMAT: Final = "referee-bundle/1"
_SAME_WHENEVER: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every file in a bundle, so that the same bundle is the same bytes."""


@click.command()
@one_source
@at_version("The commit at which the referee is wrong.", required=True)
@output_file("The ZIP file to write.")
@as_viewer
@as_json
def bundle(source: str, *, at: int, output: Path, viewer: str, as_json: bool) -> None:
    """Write one file to show that the referee is wrong: what there was up to commit N.

    The organizer's holds the log to there and what was refused. A seat's, and a spectator's, holds
    what that viewer could see, and of what was refused the seat's own.
    """
    where = single(source)
    history = history_of(load(where))
    looking, last = history.viewer(viewer), history.version(at)
    parts = _evidence(history, where, looking, last) | _board(history, looking, last)
    parts["about.json"] = to_json(_about(history, where, looking, last, [*parts])).encode()
    write_derived(output, _zipped(parts))
    match = clean(history.log.file.header.match)
    value = {"file": str(output), "match": match, "at": last, "viewer": str(looking)}
    line = f"{match} to commit {last}, as {looking} may know it, in {written_to(output)}"
    answer({**value, "parts": [*parts]}, [line], as_json=as_json, beside=output)
    end_on(history.log)


def _evidence(history: History, source: Source, viewer: Viewer, last: int) -> dict[str, bytes]:
    """What was sent and what came of it; the log itself holds what others may not know."""
    parts = {"events.jsonl": _lines(list(_events(history, viewer, last)))}
    if viewer == ORGANIZER:
        parts["log.match"] = _log(history, last)
    refusals = [
        refused
        for refused in source.refusals() or ()
        if refused.version <= last and (viewer == ORGANIZER or _is_own(refused.seat, viewer))
    ]
    return {**parts, "log.refusals.jsonl": _lines(refusals)}


def _is_own(seat: int | None, viewer: Viewer) -> bool:
    return seat is not None and seat == viewer.seat


def _lines(values: list[Any]) -> bytes:
    return "".join(f"{to_json(value)}\n" for value in values).encode("ascii")


def _events(history: History, viewer: Viewer, last: int) -> Iterator[dict[str, Any]]:
    """The commits as the viewer saw them, for as long as they can be read."""
    with suppress(Disputed):
        yield from islice(rows(history, viewer), last)


def _log(history: History, last: int) -> bytes:
    """The match file to there; its header is unsigned unless that is the whole log."""
    header, commits = history.log.file.header, history.commits[:last]
    if last < history.last:
        head = _head(history, last)
        unsigned = {"public_key": UNSET, "signature": UNSET}
        header = replace(header, head=head, count=last, **unsigned)
    return write_match_file(header, commits)


def _head(history: History, last: int) -> str:
    return reduce(head_after, history.commits[:last], first_prev(*history.log.identity)).hex()


def _board(history: History, viewer: Viewer, last: int) -> dict[str, bytes]:
    """The match as the viewer saw it, for people and for programs, where it can be followed."""
    with suppress(Disputed):
        match = history.match(last)
        view = history.view(match, viewer)
        board = "".join(f"{line}\n" for line in picture(history, view, match.at))
        return {"board.txt": board.encode(), "view.json": to_json(view).encode()}
    return {}


def _about(
    history: History, source: Source, viewer: Viewer, last: int, parts: list[str]
) -> dict[str, Any]:
    header = history.log.file.header
    versions = {
        "ruleset": header.ruleset,
        "service": source.service and service_version(source.service),
        "replay": version("referee"),
        "python": platform.python_version(),
    }
    return {
        "format": FORMAT,
        "match": header.match,
        "at": last,
        "head": _head(history, last),
        "viewer": str(viewer),
        "versions": versions,
        "header": header,
        "parts": parts,
    }


def _zipped(parts: dict[str, bytes]) -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _SAME_WHENEVER), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()
