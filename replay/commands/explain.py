"""`replay explain`: why a commit was legal, or what another command would have been."""

import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from referee.core.commit import SALT_BYTES
from referee.core.game import Asker, BadOptions, Command, Event, rests_on
from referee.core.judging import Legal, Malformed, NotAllowed
from referee.core.match import Match
from referee.core.rules import BadLog, read_asker
from referee.core.ruling import Ruling
from referee.core.table.commands import CreateMatch
from referee.core.told.safe import clean
from referee.core.told.words import count_of
from referee.core.verify import reason
from referee.core.visibility import ORGANIZER, events_seen
from referee.report.json_values import plain, to_json
from referee.report.spoken import spoken, understood
from referee.report.words import cited, tell, who
from replay.exits import DISPUTED, FINE, Unusable, reading
from replay.options import as_json, at_version, one_source
from replay.sources import single
from replay.sources.source import Refusal
from replay.telling.history import History, end_on, open_history
from replay.telling.output import answer
from replay.telling.people import people


class Weighed(Struct, frozen=True):
    """A ruling and what it said of the command: what is wrong, or None that it is satisfied."""

    ruling: Ruling
    broken: str | None


class Explained(Struct, frozen=True):
    """Why a command is legal, or not.

    `version` is the commit that it is, or would be; `judged` the rulings in the order in which
    they judge, up to the first that is broken; `problem` what is wrong besides rulings; `follows`
    the events it brings, in words; `explains` the rulings that these rest on, which refuse nothing
    and only say what follows by itself; `also_legal` what else of the game the same seat could
    have sent; `refused` what was answered at the time to a command that was refused.
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
    refused: Refusal | None


class _Question(Struct, frozen=True):
    """A command of somebody at a point of the match; `match` is None before the first commit."""

    version: int
    match: Match | None
    by: Asker
    command: Command
    refused: Refusal | None = None


@click.command()
@one_source
@at_version("The commit.")
@click.option(
    "--command",
    metavar="WORDS|N|JSON",
    help="Ask of this command instead, in place of commit N: as the list has it, its number "
    "there, or JSON.",
)
@click.option("--seat", metavar="S", help="The seat that sends it, by number or name.")
@click.option(
    "--refusal",
    type=click.IntRange(min=1),
    metavar="N",
    help="Ask of a command that was refused: line N of x.refusals.jsonl.",
)
@click.option("--all", "with_all", is_flag=True, help="Name the ruleset's other rulings too.")
@as_json
def explain(  # noqa: PLR0913 - each an option by its name
    source: str,
    *,
    at: int | None,
    command: str | None,
    seat: str | None,
    refusal: int | None,
    with_all: bool,
    as_json: bool,
) -> None:
    """Say why commit N was legal: the rulings that judged it, what it led to, what else was legal.

    With --command, say the same of another command in its place; N may then be one more than
    there are commits. With --refusal, of a command that was refused, where it was. Ends with 1
    where commit N itself breaks a ruling, and where a command that was refused breaks none.
    """
    if at is None and refusal is None:
        raise click.UsageError("--at or --refusal says what is asked about")
    if seat is not None and command is None:
        raise click.UsageError("--seat goes with --command")
    if refusal is not None and command is not None:
        raise click.UsageError("--refusal has a command of its own")
    history = open_history(source)
    if refusal is not None:
        question = _of_refusal(history, source, refusal, at)
    elif command is not None:
        question = _of_another(history, int(at or 0), command, seat)
    else:
        question = _of_commit(history, history.version(at))
    listed = _legal(history, question.match, question.by)
    explained = _explained(history, question, listed, with_all=with_all)
    asked = command is not None or refusal is not None
    lines = chain(
        _lines(explained, asked=asked, with_all=with_all), _legal_lines(explained, listed)
    )
    answer(explained, lines, as_json=as_json)
    end_on(history.log)
    expected = command is not None or explained.legal == (refusal is None)
    sys.exit(FINE if expected else DISPUTED)


def _of_commit(history: History, version: int) -> _Question:
    commit = history.commit(version)
    with reading(history.log.source, version):
        by = read_asker(commit.by, commit.at)
    before = None if version == 1 else history.match(version - 1)
    return _Question(version, before, by, commit.cmd)


def _of_refusal(history: History, source: str, number: int, at: int | None) -> _Question:
    """A refused command at the version at which it was sent, or in place of commit `at`."""
    refusals = single(source).refusals() or ()
    if number > len(refusals):
        there = count_of(len(refusals), "refused command")
        raise Unusable(f"there is no refusal {number}: {there} is known", history.log.source)
    refused = refusals[number - 1]
    version = refused.version + 1 if at is None else at
    match = _before(history, version)
    try:
        by = read_asker(refused.by, max(refused.at, match.at))
    except BadLog as error:
        raise Unusable(f"refusal {number}: {error}", history.log.source) from error
    if refused.seat is not None and by.seat is None:
        by = Asker("seat", refused.seat, by.at, organizer=refused.by)
    command = _read(history, to_json(refused.command), f"refusal {number}")
    return _Question(version, match, by, command, refused)


def _of_another(history: History, at: int, text: str, seat: str | None) -> _Question:
    match = _before(history, at)
    by = Asker("organizer", None, match.at)
    if at <= history.last:
        with reading(history.log.source, at):
            by = read_asker(history.commit(at).by, history.commit(at).at)
    if seat is not None:
        by = Asker("seat", history.seat(seat), by.at)
    return _Question(at, match, by, _other_command(history, match, by, text))


def _before(history: History, at: int) -> Match:
    """The match that a command in place of commit `at` meets."""
    if not 2 <= at <= history.last + 1:  # noqa: PLR2004 - the first commit creates the match
        message = f"commands are sent from commit 2 to {history.last + 1} of this log"
        raise Unusable(message, history.log.source)
    return history.match(at - 1)


def _other_command(history: History, match: Match, by: Asker, text: str) -> Command:
    """The command that a text means: JSON, a number of the list, or words."""
    if text.lstrip().startswith(("{", "[")):
        return _read(history, text, "--command")
    if not text.strip().isdecimal():
        return _read(history, to_json(understood(text)), "--command")
    listed = _legal(history, match, by).commands
    number = int(text.strip()[:9])
    if not 1 <= number <= len(listed):
        raise Unusable(f"--command: the list of legal commands has 1 to {len(listed)}")
    return listed[number - 1]


def _read(history: History, text: str, what: str) -> Command:
    try:
        return history.rules.read_command(text.encode())
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{what} is no command of this game: {reason(error)}") from error


def _explained(
    history: History, question: _Question, listed: Legal, *, with_all: bool
) -> Explained:
    judged, problem = _judged(history, question)
    legal = problem is None and all(weighed.broken is None for weighed in judged)
    events = _follows(history, question) if legal else ()
    by, others = question.by, [one for one in listed.commands if one != question.command]
    return Explained(
        question.version,
        str(by),
        who(str(by), history.names),
        people().renamed(plain(question.command)),
        legal,
        judged,
        problem,
        _told(history, question, events),
        _explaining(history, None if with_all else events),
        replace(listed, commands=tuple(others)),
        question.refused,
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


def _follows(history: History, question: _Question) -> Sequence[Event]:
    """What a legal command brings."""
    match, by, command = question.match, question.by, question.command
    rules, salt = history.rules, bytes(SALT_BYTES)
    with reading(history.log.source, question.version):
        if isinstance(command, CreateMatch):
            return rules.create(command, by.at, salt=salt).events
        if match is not None:
            return rules.decide(match, by, command, salt=salt, past=history.match).events
    raise AssertionError("nothing but a creation is legal before the first commit")


def _told(history: History, question: _Question, events: Sequence[Event]) -> tuple[str, ...]:
    with reading(history.log.source, question.version):
        seen = people().renamed(plain(events_seen(1, question.by.at, events, ORGANIZER)))
        return tuple(tell(history.rules.game, event, history.names) for event in seen)


def _explaining(history: History, events: Sequence[Event] | None) -> tuple[Ruling, ...]:
    """The rulings that refuse nothing and that these events rest on; for None all of them."""
    game = history.rules.game
    if events is None:
        refusing = {clause.id for rules in game.commands for clause in rules.rulings}
        refusing |= set(game.admission)
        return tuple(ruling for ruling in game.rulings if ruling.id not in refusing)
    ids = {ruling for event in events for ruling in rests_on(game.rests, event)}
    return tuple(ruling for ruling in game.rulings if ruling.id in ids)


def _legal(history: History, match: Match | None, by: Asker) -> Legal:
    """What of the game a seat could send."""
    if match is None or by.seat is None or by.seat >= len(history.names):
        return Legal((), complete=True, templates=())
    with reading(history.log.source, match.version):
        return history.rules.legal(match, by)


def _lines(explained: Explained, *, asked: bool, with_all: bool) -> Iterator[str]:
    would = ("would be legal", "would not be legal") if asked else ("was legal", "was not legal")
    command, legal = clean(spoken(explained.command)), would[not explained.legal]
    yield f"commit {explained.version} by {explained.name}, {command}: {legal}"
    if explained.refused is not None:
        yield f"  refused at the time by {clean(explained.refused.ruling)}"
        yield f"  {clean(explained.refused.detail)}"
    if explained.problem:
        yield f"  {clean(explained.problem)}"
    yield from _judged_lines(explained.judged, with_all=with_all)
    if explained.follows:
        yield "what follows" if asked else "what followed"
        yield from (f"  {sentence}" for sentence in explained.follows)
    if explained.explains:
        yield "all rulings on what follows by itself" if with_all else "this rests on"
        yield from (f"  {cited(ruling)}" for ruling in explained.explains)


def _judged_lines(judged: Sequence[Weighed], *, with_all: bool) -> Iterator[str]:
    """The rulings of the game that judged, and any that is broken; of the table's how many."""
    of_table = [weighed for weighed in judged if weighed.ruling.origin == "table"]
    few = not with_all and len(of_table) < len(judged)
    for weighed in judged:
        if weighed.broken is None and few and weighed in of_table:
            continue
        mark = "kept  " if weighed.broken is None else "BROKEN"
        yield f"  {mark}  {cited(weighed.ruling)}"
        if weighed.broken is not None:
            yield f"          {clean(weighed.broken)}"
    if few and of_table:
        yield f"  kept    {count_of(len(of_table), 'ruling')} of the table (--all names them)"


def _legal_lines(explained: Explained, legal: Legal) -> Iterator[str]:
    """The other legal commands, each with its number among all that are."""
    if legal.commands or legal.templates:
        yield f"what else was legal for {explained.name} (--command takes its words or number)"
    for number, command in enumerate(map(plain, legal.commands), 1):
        if command != explained.command:
            yield f"  {number:>4}  {clean(spoken(command))}"
    for template in legal.templates:
        yield f"        {template.type.replace('_', ' ')}, any of {to_json(template.fields)}"
