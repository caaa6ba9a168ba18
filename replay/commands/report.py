"""`replay report`: a match as one page, for people; it opens with no network."""

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Final
from urllib.parse import quote

import click
from msgspec import Struct

from referee.core.audit import PROVES, Audited, audit
from referee.core.match import Match
from referee.core.told import drawn
from referee.core.told.safe import clean
from referee.core.told.words import count_of
from referee.core.verify import Dispute
from referee.core.visibility import Viewer
from referee.report.disputes import as_seen
from referee.report.json_values import to_json
from referee.report.words import cited
from replay.commands.log import rows
from replay.exits import DISPUTED, FINE, Disputed, reading
from replay.options import as_json, as_viewer, one_source, output_file, trusted_keys
from replay.sources import load, single
from replay.sources.keys import trusted
from replay.telling.history import History, history_of
from replay.telling.output import answer, write_derived

_BETWEEN_ELEMENTS: Final = re.compile(r"(?<=>)(?=<)")
_PAGE: Final = files("replay").joinpath("page")


class Boards(Struct, frozen=True):
    """The board at every step, in pieces: one step's picture differs little from the last one's.

    `pieces`: each piece of a picture once; `steps`: for each step the pieces of its picture.
    """

    pieces: tuple[str, ...]
    steps: tuple[tuple[int, ...], ...]

    def picture(self, step: int) -> str:
        """The picture of a step, from 0 (or from the end)."""
        return "".join(self.pieces[piece] for piece in self.steps[step])


@click.command()
@one_source
@output_file("The page to write.")
@as_viewer
@trusted_keys
@as_json
def report(
    source: str, *, output: Path, viewer: str, keys: tuple[str, ...] | None, as_json: bool
) -> None:
    """Write one page with the board at every step, the events, and the verdict of verify.

    The page holds what the viewer could see: the organizer's holds everything. A log that is in
    dispute is drawn as far as it can be followed, and ends with 1.
    """
    named = single(source)
    history = history_of(load(named))
    looking = history.viewer(viewer)
    audited = audit(history.rules, history.log.file, trusted(named, keys))
    boards = _boards(history, looking)
    page = _page(history, looking, audited, boards)
    write_derived(output, page.encode())
    steps, doubt = len(boards.steps), ", in dispute" if audited.disputes else ""
    value = {"file": str(output), "steps": steps, "verdict": audited.word, "bytes": len(page)}
    match = clean(history.log.file.header.match)
    line = f"{match}{doubt}: {count_of(steps, 'step')} in {output}"
    answer(value, [line], as_json=as_json, beside=output)
    sys.exit(DISPUTED if audited.disputes else FINE)


def _boards(history: History, viewer: Viewer) -> Boards:
    """The boards for as long as the log can be followed; at least one, or `Disputed`."""
    pieces: dict[str, int] = {}
    steps = [
        tuple(pieces.setdefault(piece, len(pieces)) for piece in _BETWEEN_ELEMENTS.split(svg))
        for svg in _drawn(history, viewer)
    ]
    return Boards(tuple(pieces), tuple(steps))


def _drawn(history: History, viewer: Viewer) -> Iterator[str]:
    matches = history.matches()
    yield _svg(history, next(matches), viewer)
    with suppress(Disputed):
        yield from (_svg(history, match, viewer) for match in matches)


def _svg(history: History, match: Match, viewer: Viewer) -> str:
    view = history.view(match, viewer)
    with reading(history.log.source, match.version):
        return drawn.svg(history.rules.game, view)


def _page(history: History, viewer: Viewer, audited: Audited, boards: Boards) -> str:
    header = history.log.file.header
    style, script = _text("report.css"), _text("report.js")
    last_board = "data:image/svg+xml;charset=utf-8," + quote(boards.picture(-1))
    return Template(_text("report.html")).substitute(
        title=_safe(f"{history.rules.game.title} · {header.match}"),
        facts=_safe(_facts(history, viewer)),
        verdict=audited.word.replace(" ", "-"),
        verdict_line=_safe(_verdict_line(history, audited)),
        proves=_safe(PROVES[audited.word].capitalize()),
        disputes="".join(_disputes(history, audited, viewer)),
        last_board=last_board,
        steps=len(boards.steps),
        log="".join(map(_entry, _rows(history, viewer, len(boards.steps)))),
        head=_safe(header.head),
        signed=_signed(audited),
        boards=_in_script({"pieces": boards.pieces, "steps": boards.steps}),
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


def _text(name: str) -> str:
    return _PAGE.joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    """What names a text of the page to its own policy: nothing else in it is obeyed."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _in_script(value: Any) -> str:
    """JSON that stays JSON within a script element, whatever it holds."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _safe(text: str) -> str:
    return escape(clean(text))


def _facts(history: History, viewer: Viewer) -> str:
    header = history.log.file.header
    return f"{header.ruleset} · {', '.join(history.names)} · seen by {viewer}"


def _verdict_line(history: History, audited: Audited) -> str:
    commits = count_of(history.last, "commit")
    proven = commits if not audited.disputes else f"{audited.verdict.proven} of {commits} proven"
    return f"{audited.word.capitalize()}: {proven}"


def _disputes(history: History, audited: Audited, viewer: Viewer) -> Iterator[str]:
    for dispute in audited.disputes:
        yield _dispute(as_seen(history.rules, dispute, history.commits, viewer))


def _dispute(dispute: Dispute) -> str:
    lines = [f"<p>{dispute.place.capitalize()} ({dispute.kind}): {_safe(dispute.message)}</p>"]
    values = {"expected": dispute.expected, "found": dispute.found}
    shown = [f"{name}: {to_json(value)}" for name, value in values.items() if value is not None]
    if shown:
        lines.append(f"<pre>{escape(chr(10).join(shown))}</pre>")
    if dispute.ruling is not None:
        lines.append(f"<p>{_safe(cited(dispute.ruling))}</p>")
    return "".join(f"{line}\n" for line in lines)


def _rows(history: History, viewer: Viewer, steps: int) -> Sequence[dict[str, Any]]:
    """The commits that are drawn, in words; one that cannot be told says so."""
    told: list[dict[str, Any]] = []
    try:
        for row in rows(history, viewer):
            if len(told) == steps:
                break
            told.append(row)
    except Disputed as disputed:
        text = f"This commit cannot be told: {disputed.message}"
        blank = {"time": "", "name": "", "text": text}
        told += [{"version": version, **blank} for version in range(len(told) + 1, steps + 1)]
    return told


def _entry(row: dict[str, Any]) -> str:
    when = _safe(f"{row['time']} · {row['name']}")
    return (
        f'<li><span class="number">{row["version"]}</span>'
        f"<div><p>{_safe(row['text'])}</p><small>{when}</small></div></li>\n"
    )


def _signed(audited: Audited) -> str:
    if audited.signed_by is None:
        return ""
    said = "signed by" if audited.trusted else "signed by the key that its own header names,"
    return f", {said} <code>{_safe(audited.signed_by)}</code>"
