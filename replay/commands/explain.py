"""`replay explain`: why a commit was legal, or what another command would have been."""

import sys
from collections.abc import Iterator
from textwrap import wrap
from typing import Any, Final

import click
import msgspec
from msgspec import Struct

from referee.core.commit import SALT_BYTES
from referee.core.game import Asker, BadOptions, Command
from referee.core.judging import Legal, Malformed, NotAllowed
from referee.core.match import Match
from referee.core.rules import read_asker
from referee.core.ruling import Ruling
from referee.core.table.commands import CreateMatch
from referee.core.told.safe import clean
from referee.core.verify import reason
from referee.core.visibility import ORGANIZER, events_seen
from referee.report.json_values import plain, to_json
from referee.report.words import cited, tell, who
from replay.exits import DISPUTED, FINE, Unusable, reading
from replay.options import as_json, at_version, one_source
from replay.telling.history import History, end_on, open_history
from replay.telling.output import answer
from replay.telling.people import people

LINE: Final = 100


class Weighed(Struct, frozen=True):
    """A ruling and what it said of the command: what is wrong, or None that it is satisfied."""

    ruling: Ruling
    broken: str | None


class Explained(Struct, frozen=True):
    """Why a command is legal, or not.

    `version` is the commit that it is, or would be; `judged` the rulings in the order in which
    they judge, up to the first that is broken; `problem` what is wrong besides rulings; `follows`
    the events it brings, in words; `explains` the ruleset's rulings that refuse nothing and only
    say what follows by itself; `also_legal` what else of the game the same seat could have sent.
    """

    version: int
    by: str
    name: str
    command: Any
    legal: bool
    judged: tuple[Weighed, ...]
    problem: str | None
    follows: tuple[str, ...]
    explains: tuple[Ruling, ...]
    also_legal: Legal


class _Question(Struct, frozen=True):
    """A command of somebody at a point of the match; `match` is None before the first commit."""

    match: Match | None
    by: Asker
    command: Command


@click.command()
@one_source
@at_version("The commit.", required=True)
@click.option(
    "--command", metavar="JSON", help="Ask of this command instead, in place of commit N."
)
@click.option("--seat", metavar="S", help="The seat that sends it, by number or name.")
@as_json
def explain(source: str, *, at: int, command: str | None, seat: str | None, as_json: bool) -> None:
    """Say why commit N was legal: every ruling that judged it, and what else was legal then.

    With --command, say the same of another command in its place; N may then be one more than
    there are commits. Ends with 1 where commit N itself breaks a ruling.
    """
    history = open_history(source)
    if command is None:
        if seat is not None:
            raise click.UsageError("--seat goes with --command")
        question = _of_commit(history, history.version(at))
    else:
        question = _of_another(history, at, command, seat)
    explained = _explained(history, at, question)
    answer(explained, _lines(explained, asked=command is not None), as_json=as_json)
    end_on(history.log)
    sys.exit(FINE if explained.legal or command is not None else DISPUTED)


def _of_commit(history: History, version: int) -> _Question:
    commit = history.commit(version)
    with reading(history.log.source, version):
        by = read_asker(commit.by, commit.at)
    before = None if version == 1 else history.match(version - 1)
    return _Question(before, by, commit.cmd)


def _of_another(history: History, at: int, text: str, seat: str | None) -> _Question:
    if not 2 <= at <= history.last + 1:  # noqa: PLR2004 - the first commit creates the match
        message = f"commands are sent from commit 2 to {history.last + 1} of this log"
        raise Unusable(message, history.log.source)
    match = history.match(at - 1)
    by = Asker("organizer", None, match.at)
    if at <= history.last:
        with reading(history.log.source, at):
            by = read_asker(history.commit(at).by, history.commit(at).at)
    if seat is not None:
        by = Asker("seat", history.seat(seat), by.at)
    try:
        return _Question(match, by, history.rules.read_command(text.encode()))
    except (ValueError, RecursionError) as error:
        raise Unusable(f"--command is no command of this game: {reason(error)}") from error


def _explained(history: History, version: int, question: _Question) -> Explained:
    judged, problem = _judged(history, question)
    legal = problem is None and all(weighed.broken is None for weighed in judged)
    by, game = question.by, history.rules.game
    of_game = type(question.command) in {rules.command for rules in game.commands}
    return Explained(
        version,
        str(by),
        who(str(by), history.names),
        people().renamed(plain(question.command)),
        legal,
        judged,
        problem,
        _follows(history, version, question) if legal else (),
        _explaining(history) if legal and of_game else (),
        _also_legal(history, question),
    )


def _judged(history: History, question: _Question) -> tuple[tuple[Weighed, ...], str | None]:
    """The rulings as they judge, and what is wrong besides them."""
    match, by, command = question.match, question.by, question.command
    rules = history.rules
    if match is None or isinstance(command, CreateMatch):
        return (), _creation_problem(history, question)
    try:
        judged = rules.judged(match, by, command)
    except (NotAllowed, Malformed) as error:
        return (), str(error)
    return tuple(Weighed(rules.rulings[clause], broken) for clause, broken in judged), None


def _creation_problem(history: History, question: _Question) -> str | None:
    if question.match is not None or not isinstance(question.command, CreateMatch):
        return "A match is created by its first commit, and once."
    try:
        history.rules.create(question.command, question.by.at, salt=bytes(SALT_BYTES))
    except (BadOptions, ValueError) as error:
        return reason(error)
    return None


def _follows(history: History, version: int, question: _Question) -> tuple[str, ...]:
    """What a legal command brings, in words."""
    match, by, command = question.match, question.by, question.command
    rules, salt = history.rules, bytes(SALT_BYTES)
    with reading(history.log.source, version):
        if isinstance(command, CreateMatch):
            events = rules.create(command, by.at, salt=salt).events
        elif match is not None:
            events = rules.decide(match, by, command, salt=salt, past=history.match).events
        else:
            raise AssertionError("nothing but a creation is legal before the first commit")
        seen = people().renamed(plain(events_seen(1, by.at, events, ORGANIZER)))
        return tuple(tell(rules.game, event, history.names) for event in seen)


def _explaining(history: History) -> tuple[Ruling, ...]:
    game = history.rules.game
    refusing = {clause.id for rules in game.commands for clause in rules.rulings}
    refusing |= set(game.admission)
    return tuple(ruling for ruling in game.rulings if ruling.id not in refusing)


def _also_legal(history: History, question: _Question) -> Legal:
    seat = question.by.seat
    if question.match is None or seat is None or seat >= len(history.names):
        return Legal((), complete=True, templates=())
    with reading(history.log.source, question.match.version):
        legal = history.rules.legal(question.match, question.by)
    others = tuple(other for other in legal.commands if other != question.command)
    return msgspec.structs.replace(legal, commands=others)


def _lines(explained: Explained, *, asked: bool) -> Iterator[str]:
    would = ("would be legal", "would not be legal") if asked else ("was legal", "was not legal")
    command, legal = to_json(explained.command), would[not explained.legal]
    yield f"commit {explained.version} by {explained.name}, {command}, {legal}"
    if explained.problem:
        yield f"  {clean(explained.problem)}"
    for weighed in explained.judged:
        yield from _ruling_lines(weighed)
    if explained.follows:
        yield "what follows" if asked else "what followed"
        yield from (f"  {sentence}" for sentence in explained.follows)
    if explained.explains:
        yield "rulings of this game on what follows by itself"
        yield from (f"  {cited(ruling)}" for ruling in explained.explains)
    yield from _legal_lines(explained)


def _ruling_lines(weighed: Weighed) -> Iterator[str]:
    mark = "kept  " if weighed.broken is None else "BROKEN"
    yield f"  {mark}  {cited(weighed.ruling)}"
    if weighed.broken is not None:
        yield f"          {clean(weighed.broken)}"


def _legal_lines(explained: Explained) -> Iterator[str]:
    """The other legal commands, those of one type on one line."""
    legal = explained.also_legal
    if legal.commands or legal.templates:
        yield f"what else was legal for {explained.name}"
    forms: dict[str, list[str]] = {}
    for command in map(plain, legal.commands):
        forms.setdefault(command.pop("type"), []).append(to_json(command))
    for kind, fields in forms.items():
        text, indent = f"  {kind} {' '.join(fields)}", " " * (len(kind) + 3)
        yield from wrap(
            text, LINE, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
    for template in legal.templates:
        yield f"  {template.type}, any of {to_json(template.fields)}"
