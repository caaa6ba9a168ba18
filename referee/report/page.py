"""The page of `report`: a match for people, whole in one file, which fetches nothing."""

import base64
import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any, Final
from urllib.parse import quote

import msgspec
from msgspec import Struct

from referee.core.audit import PROVES, Audited
from referee.core.commit import MatchFile
from referee.core.game import BadOptions, complete_options
from referee.core.match import Match
from referee.core.rules import BadLog, Rules, past_among
from referee.core.slices import Slices
from referee.core.told import drawn as told
from referee.core.told.safe import clean, clean_lines
from referee.core.told.words import count_of
from referee.core.verify import Dispute, reason, take_backs
from referee.core.views import view_of
from referee.core.visibility import Viewer, events_seen
from referee.report.boards import BETWEEN_COLUMNS, BETWEEN_ELEMENTS, Drawings
from referee.report.disputes import as_seen, in_words, whereabouts
from referee.report.json_values import plain
from referee.report.moments import CALLS, RULINGS
from referee.report.spoken import said
from referee.report.words import cited, moment, places, tell, who

_ASSETS: Final = files("referee.report").joinpath("assets")


class Look(Struct, frozen=True):
    """For whose eyes a page is, and what seats are called in it.

    `names` as sentences have them; `renamed` changes names in a JSON value.
    """

    viewer: Viewer
    names: tuple[str, ...]
    renamed: Callable[[Any], Any] = lambda value: value


class Page(Struct, frozen=True):
    """A page, and how many steps it draws."""

    html: str
    steps: int


class _Entry(Struct, frozen=True):
    """A commit in the page's log; `ruled` what an arbiter or a call to one has to do with it."""

    when: str
    by: str
    text: str
    ruled: str = ""


def page(rules: Rules, file: MatchFile, audited: Audited, look: Look) -> Slices[Page]:
    """A match as a page, for as long as its log can be followed, a step at a time.

    Raises:
        BadLog: not even its first commit can be drawn.
    """
    drawn = _Drawn(rules, file, look)
    for _ in drawn.steps():
        yield
    if drawn.view is None:
        raise BadLog("the first commit cannot be drawn")
    filled = yield from _filled(drawn, audited)
    return Page(Template(_asset("report.html")).substitute(filled), len(drawn.boards))


def policy() -> str:
    """What the page may do, wherever it stands: run its own script, and reach nobody."""
    style, script = _hash(_asset("report.css")), _hash(_asset("report.js"))
    return (
        f"default-src 'none'; img-src data:; style-src '{style}'; script-src '{script}'; "
        "base-uri 'none'; form-action 'none'"
    )


# ── What is drawn ─────────────────────────────────────────────────────────────────────────────────


class _Drawn:
    """A match as far as it has been drawn: boards, their words, the log, the last view."""

    def __init__(self, rules: Rules, file: MatchFile, look: Look) -> None:
        self.rules, self.file, self.look = rules, file, look
        self.boards, self.words = Drawings(BETWEEN_ELEMENTS), Drawings(BETWEEN_COLUMNS)
        self.log: list[_Entry] = []
        self.view: dict[str, Any] | None = None
        self.taken_back: set[int] = set()

    def steps(self) -> Iterator[None]:
        """Draw one step after another, for as long as the log can be followed."""
        gone_back_to = {to for _, to in take_backs(self.file.commits)}
        kept: dict[int, Match] = {}
        match: Match | None = None
        for version, data in enumerate(self.file.commits, 1):
            try:
                match = self.rules.fold(match, data, past=past_among(kept))
                yield from self._draw(match)
            except Exception:  # noqa: BLE001 - a forged log holds what no rule expects
                return
            if version in gone_back_to:
                kept[version] = match
            self.log.append(self._told(version, data))
            yield

    def _draw(self, match: Match) -> Iterator[None]:
        seen = msgspec.json.encode(view_of(self.rules, match, self.look.viewer))
        view: dict[str, Any] = self.look.renamed(msgspec.json.decode(seen))
        svg = told.svg(self.rules.game, view)
        yield
        text = clean_lines(told.text(self.rules.game, view))
        yield
        # Quotes of one kind are as good as those of the other, and JSON escapes but one.
        self.boards.add(svg if "'" in svg else svg.replace('"', "'"))
        yield
        self.words.add(text)
        self.view = view

    def _told(self, version: int, data: bytes) -> _Entry:
        try:
            commit = self.rules.read_commit(data)
            events = [
                plain(seen) for seen in events_seen(version, commit.at, commit.ev, self.look.viewer)
            ]
            told = [tell(self.rules.game, event, self.look.names) for event in events]
        except Exception as error:  # noqa: BLE001 - likewise
            return _Entry("", "", f"This commit cannot be told: {reason(error)}")
        self._note_take_backs(version, events)
        ruled = (CALLS | RULINGS) if commit.by.startswith("organizer") else CALLS
        said = [text for event, text in zip(events, told, strict=True) if event["type"] in ruled]
        by = who(commit.by, self.look.names)
        return _Entry(moment(commit.at), by, " ".join(told), " ".join(said))

    def _note_take_backs(self, version: int, events: Sequence[dict[str, Any]]) -> None:
        for event in events:
            if event["type"] == "taken_back":
                self.taken_back.update(range(event["to"] + 1, version))


# ── What the page is filled with ──────────────────────────────────────────────────────────────────


def _filled(drawn: _Drawn, audited: Audited) -> Slices[dict[str, Any]]:
    header, rules, look = drawn.file.header, drawn.rules, drawn.look
    disputes = [as_seen(rules, one, drawn.file.commits, look.viewer) for one in audited.disputes]
    steps = len(drawn.boards)
    fault = next((one.version for one in disputes if one.version is not None), None)
    log = list[str]()
    for entry in _entries(drawn, fault):
        log.append(entry)
        yield
    last_board = quote(drawn.boards.last)
    yield
    return {
        "title": _safe(f"{rules.game.title} · {header.match}"),
        "facts": "".join(_facts(drawn, audited)),
        "verdict": audited.word.replace(" ", "-"),
        "verdict_line": _safe(_verdict_line(drawn, audited)),
        "proves": _safe(PROVES[audited.word].capitalize()),
        "disputes": "".join(_disputes(drawn, disputes)),
        "rulings": _rulings(drawn.log),
        "last_board": "data:image/svg+xml;charset=utf-8," + last_board,
        "last_words": escape(drawn.words.last),
        "steps": steps,
        "opens": min(fault or steps, steps),
        "log": "".join(log),
        "signatures": "".join(f"<p>{_safe(name)}</p>" for name in (*look.names, "Arbiter")),
        "boards": drawn.boards.in_script(),
        "words": drawn.words.in_script(),
        "policy": policy(),
        "style": _asset("report.css"),
        "script": _asset("report.js"),
    }


def _facts(drawn: _Drawn, audited: Audited) -> Iterator[str]:
    """What the match is, line by line."""
    for name, value in _known(drawn, audited):
        if value:
            yield f"<dt>{name}<dd>{_safe(value)}\n"


def _known(drawn: _Drawn, audited: Audited) -> Iterator[tuple[str, str | None]]:
    view, header = drawn.view or {}, drawn.file.header
    created = drawn.rules.read_commit(drawn.file.commits[0]).ev[0]
    for field in ("tournament", "round", "table"):
        value = getattr(created, field)
        yield field.capitalize(), None if value is None else str(value)
    yield "Played", f"{drawn.log[0].when} to {drawn.log[-1].when}"
    yield "Players", ", ".join(drawn.look.names)
    yield "Rules", header.ruleset
    yield "Options", _options(drawn.rules, created.options, len(drawn.look.names))
    yield "Result", _result(view, drawn.look.names)
    yield "Seen by", str(drawn.look.viewer)
    yield "Head", header.head
    yield "Signature", _signature(audited)
    yield "Chance", _chance(view)


def _options(rules: Rules, options: Any, seats: int) -> str:
    """The options that are not as they come."""
    given = plain(options)
    try:
        usual = plain(complete_options(rules.game, rules.game.options(), seats))
    except (BadOptions, TypeError):  # one that has no default
        usual = {}
    unusual = {name: value for name, value in given.items() if usual.get(name) != value}
    return ", ".join(f"{name} {said(value)}" for name, value in unusual.items()) or "as usual"


def _result(view: dict[str, Any], names: Sequence[str]) -> str:
    result = view["result"]
    if result is None:
        return f"none yet: {view['status']}" if view["status"] != "void" else "void"
    certified = "certified" if result["certified"] else "provisional, not certified"
    return f"{places(result['ranking'], names)} ({result['reason']}; {certified})"


def _signature(audited: Audited) -> str:
    if audited.signed_by is None:
        return "none that holds"
    if audited.trusted:
        return f"by the trusted key {audited.signed_by}"
    return f"by {audited.signed_by}, the key that its own header names"


def _chance(view: dict[str, Any]) -> str:
    if view["seed"] is None:
        return f"from a seed that is not shown yet; {view['seed_commitment']} was shown beforehand"
    shown = "sha256:" + hashlib.sha256(bytes.fromhex(view["seed"])).hexdigest()
    fits = "which fits" if shown == view["seed_commitment"] else "which does NOT fit"
    return f"from the seed {view['seed']}, {fits} {view['seed_commitment']}, shown beforehand"


def _verdict_line(drawn: _Drawn, audited: Audited) -> str:
    commits = count_of(len(drawn.file.commits), "commit")
    proven = commits if not audited.disputes else f"{audited.verdict.proven} of {commits} proven"
    return f"{audited.word.capitalize()}: {proven}"


def _rulings(log: Sequence[_Entry]) -> str:
    """What arbiters did and were asked, each with the commit that it is in."""
    rows = [(version, entry.ruled) for version, entry in enumerate(log, 1) if entry.ruled]
    items = "".join(
        f'<li><a href="#{version}">{version}</a> {_safe(said)}\n' for version, said in rows
    )
    return f"<h2>Calls and rulings</h2>\n<ul>\n{items}</ul>\n" if items else ""


def _entries(drawn: _Drawn, fault: int | None) -> Iterator[str]:
    for version, entry in enumerate(drawn.log, 1):
        kinds = []
        if fault is not None and version >= fault:
            kinds.append("fault" if version == fault else "after")
        if version in drawn.taken_back:
            kinds.append("gone")
        marked = f' class="{" ".join(kinds)}"' if kinds else ""
        yield (
            f'<li id="{version}"{marked}><a href="#{version}">{version}</a>'
            f"<p>{_safe(entry.text)}<small>{_safe(f'{entry.when} · {entry.by}')}</small>\n"
        )


def _disputes(drawn: _Drawn, disputes: Sequence[Dispute]) -> Iterator[str]:
    for dispute in disputes:
        where = whereabouts(drawn.file, dispute.version) if dispute.version else None
        said = in_words(drawn.rules, dispute, where, drawn.look.names)
        yield f"<p>{_safe(said)}</p>\n"
        if dispute.ruling is not None:
            yield f"<p>{_safe(cited(dispute.ruling))}</p>\n"


# ── What the page is made from ────────────────────────────────────────────────────────────────────


@cache
def _asset(name: str) -> str:
    return _ASSETS.joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    """What names a text of the page to its own policy: nothing else in it is obeyed."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _safe(text: str) -> str:
    return escape(clean(text))
