"""The page of `report`: a match for people, whole in one file, which fetches nothing."""

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.resources import files
from itertools import chain
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup
from msgspec import Struct

from referee.core.audit import PROVES, Audited
from referee.core.commit import MatchFile
from referee.core.rules import BadLog, Rules
from referee.core.slices import Slices
from referee.core.told.safe import clean
from referee.core.told.words import count_of
from referee.core.verify import Dispute
from referee.report.boards import compact, listed, packed
from referee.report.course import Course
from referee.report.disputes import as_seen, in_words, whereabouts
from referee.report.entries import Look
from referee.report.head import facts, result, signers, warning
from referee.report.words import cited, lawful

__all__ = ["Look", "Page", "page", "policy"]

_ASSETS: Final = files("referee.report").joinpath("assets")


class Page(Struct, frozen=True):
    """A page, and how many steps it draws."""

    html: str
    steps: int


def page(rules: Rules, file: MatchFile, audited: Audited, look: Look) -> Slices[Page]:
    """A match as a page, for as long as its log can be followed, a step at a time.

    Raises:
        BadLog: not even its first commit can be drawn.
    """
    disputes = [as_seen(rules, one, file.commits, look.viewer) for one in audited.disputes]
    fault = next((one for one in audited.disputes if one.version is not None), None)
    course = Course(rules, file, look, fault)
    yield from course.follow()
    if course.view is None or not course.steps:
        raise BadLog("the first commit cannot be drawn")
    if course.cut and audited.verdict.match is not None:
        course.see_the_end(audited.verdict.match)
    data = yield from packed(_data(course))
    parts = list[str]()
    for part in _TEMPLATE.generate(**_filled(course, audited, disputes), course=data):
        parts.append(part)
        yield
    return Page("".join(parts), len(course.steps))


def policy() -> str:
    """What the page may do, wherever it stands: run its own script, and reach nobody."""
    style, script = _hash(_asset("report.css")), _hash(_asset("report.js"))
    return (
        f"default-src 'none'; img-src data:; style-src '{style}'; script-src '{script}'; "
        "base-uri 'none'; form-action 'none'"
    )


# ── What the script shows ─────────────────────────────────────────────────────────────────────────


def _data(course: Course) -> Iterator[str]:
    """All steps as JSON, part by part."""
    rulings = [course.rules.rulings[name] for name in course.rulings]
    told = {
        "viewers": [str(viewer) for viewer in course.look.viewers],
        "names": [clean(name) for name in course.look.names],
        "rulings": [[one.id, one.text, one.origin] for one in rulings],
        "due": course.due,
    }
    yield compact(told)[:-1]
    yield from listed(',"steps":[', course.steps)
    yield from chain(['],"boards":'], course.boards.written())
    yield from chain([',"words":'], course.words.written(), ["}"])


# ── What it is filled with ────────────────────────────────────────────────────────────────────────


def _filled(course: Course, audited: Audited, disputes: list[Dispute]) -> dict[str, Any]:
    look, header, steps = course.look, course.file.header, len(course.steps)
    fault = next((one.version for one in disputes if one.version is not None), None)
    board, words = course.opening
    return {
        "title": f"{course.rules.game.title} · {header.match}",
        "word": audited.word,
        "verdict": _verdict_line(course, audited),
        "proves": PROVES[audited.word].capitalize(),
        "disputes": [_told(course, one) for one in disputes],
        "facts": list(facts(course, audited)),
        "result": result(course.view or {}, look.names, proven=not disputes),
        "warning": warning(course),
        "signers": signers(course, audited),
        "refused": [one for one in course.log if one.refused],
        "refusals": count_of(sum(len(one.refused) for one in course.log), "refusal"),
        "ruled": [one for one in course.log if one.ruled],
        "parts": course.parts,
        "taken_back": course.taken_back,
        "fault": fault,
        "steps": steps,
        "left": len(course.file.commits) - steps,
        "cut": course.cut,
        "opens": min(fault or steps, steps),
        "viewers": _viewers(look),
        "board": Markup("data:image/svg+xml;charset=utf-8," + quote(board)),  # noqa: S704 - quoted
        "words": Markup(escape(words)),  # noqa: S704 - escaped, its lines as they are
        "policy": policy(),
        "style": Markup(_asset("report.css")),  # noqa: S704 - ours
        "script": Markup(_asset("report.js")),  # noqa: S704 - ours
    }


def _verdict_line(course: Course, audited: Audited) -> str:
    commits = len(course.file.commits)
    return f"{audited.word.capitalize()}: {lawful(audited.verdict.proven, commits)}"


def _viewers(look: Look) -> list[str]:
    """What each viewer is called, where one can look on as another."""
    return ["organizer", *look.names, "spectator"] if len(look.viewers) > 1 else []


def _told(course: Course, dispute: Dispute) -> tuple[str, str]:
    """A dispute in words, and the ruling that is broken."""
    where = whereabouts(course.file, dispute.version) if dispute.version else None
    ruling = "" if dispute.ruling is None else cited(dispute.ruling)
    return in_words(course.rules, dispute, where, course.look.names), ruling


# ── What it is made from ──────────────────────────────────────────────────────────────────────────


@cache
def _asset(name: str) -> str:
    return _ASSETS.joinpath(name).read_text("utf-8")


_TEMPLATE: Final = Environment(
    autoescape=True,
    finalize=lambda value: clean(value) if type(value) is str else value,
    loader=FunctionLoader(_asset),
    lstrip_blocks=True,
    trim_blocks=True,
    undefined=StrictUndefined,
).get_template("report.html")
"""The page's template: whatever it is filled with is cleaned and escaped, but for `Markup`.

It is compiled when this is imported: that takes longer than a request may.
"""


def _hash(text: str) -> str:
    """What names a text of the page to its own policy: nothing else in it is obeyed."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
