"""The head of a match's page: what was played, how it ended, and what vouches for it."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from referee.core.audit import Audited
from referee.core.game import BadOptions, complete_options
from referee.core.rules import Rules
from referee.core.visibility import ORGANIZER, SPECTATOR
from referee.report.course import Course
from referee.report.json_values import plain
from referee.report.moments import over
from referee.report.spoken import place, shown
from referee.report.words import Json, places


def facts(course: Course, audited: Audited) -> Iterator[tuple[str, str]]:
    """What the match is, line by line: what it is called, and what there is to say."""
    look, header, log = course.look, course.file.header, course.log
    view = course.view or {}
    created = course.rules.read_commit(course.file.commits[0]).ev[0]
    for field in ("tournament", "round", "table"):
        value = getattr(created, field)
        if value is not None:
            yield field.capitalize(), str(value)
    yield "Played", f"{log[0].when} to {course.ended}"
    yield "Players", ", ".join(look.names)
    yield "Rules", header.ruleset
    yield "Options", _options(course.rules, created.options, len(look.names))
    yield "Seen by", str(look.viewer)
    yield "Signature", _signature(audited)
    yield "Head", header.head
    yield "Chance", _chance(view)


def warning(course: Course) -> str:
    """For whose eyes a page alone is that holds what a match in play keeps hidden."""
    viewer = course.look.viewer
    if viewer == SPECTATOR or over(course.view or {}):
        return ""
    whom = "Not for players" if viewer == ORGANIZER else f"For the eyes of {viewer} alone"
    return (
        f"{whom}: holds what is hidden; `replay report --viewer spectator` makes one that may be "
        "shown."
    )


def signers(course: Course, audited: Audited) -> list[str]:
    """Who has a line to sign on: nobody where the match is not over, or the log in dispute."""
    settled = over(course.view or {}) and not audited.disputes
    return [*course.look.names, "Arbiter"] if settled else []


def result(view: Json, names: Sequence[str], *, proven: bool = True) -> str:
    """How a match ended, and whether that is certified; of one that has not how it stands."""
    ended = view["result"]
    if ended is None:
        return f"none yet: {view['status']}" if view["status"] != "void" else "void"
    by = "" if proven else "by this file; not proven: "
    certified = "certified" if ended["certified"] else "provisional, not certified"
    return f"{by}{places(ended['ranking'], names)} ({ended['reason']}; {certified})"


def _options(rules: Rules, options: Any, seats: int) -> str:
    """The options that are not as they come."""
    given = plain(options)
    try:
        usual = plain(complete_options(rules.game, rules.game.options(), seats))
    except (BadOptions, TypeError):  # one that has no default
        usual = {}
    unusual = {name: value for name, value in given.items() if usual.get(name) != value}
    return (
        ", ".join(f"{place(name)} {shown(value)}" for name, value in unusual.items()) or "as usual"
    )


def _signature(audited: Audited) -> str:
    if any(dispute.kind == "signature" for dispute in audited.disputes):
        return "one that does not hold"
    if audited.signed_by is None:
        return "none"
    if audited.trusted:
        return f"by the trusted key {audited.signed_by}"
    return f"by {audited.signed_by}, the key that its own header names"


def _chance(view: Json) -> str:
    promised = view["seed_commitment"]
    if view["seed"] is None:
        return f"from a seed that is kept until the match is over; {promised} was shown beforehand"
    shown = "sha256:" + hashlib.sha256(bytes.fromhex(view["seed"])).hexdigest()
    fits = "which fits" if shown == promised else "which does NOT fit"
    return f"from the seed {view['seed']}, {fits} {promised}, shown beforehand"
