"""A command weighed at a point of a match: the rulings, what follows, what else was legal."""

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import fields, replace

from referee.core.commit import SALT_BYTES, open_envelope
from referee.core.game import Asker, BadOptions, Command, Event
from referee.core.judging import Legal, Malformed, NotAllowed
from referee.core.match import Match
from referee.core.rules import read_asker
from referee.core.ruling import Ruling
from referee.core.table.commands import CreateMatch
from referee.core.told.safe import clean
from referee.core.told.words import count_of
from referee.core.told.words import listed as words_listed
from referee.core.verify import Dispute, reason
from referee.core.visibility import ORGANIZER, events_seen
from referee.report.explained import Weighed, explaining, in_short, weighed
from referee.report.json_values import plain, to_json
from referee.report.spoken import any_of, spoken, understood
from referee.report.words import cited, length, tell, who
from replay.exits import Unusable
from replay.judging.faults import Faults, fault_in_words
from replay.reading import reading
from replay.sources.source import RefusedCommand
from replay.telling.history import History
from replay.telling.people import people
from replay.telling.times import when


class Explained(Struct, frozen=True):
    """Why a command is legal, or not.

    `version` is the commit that it is, or would be; `judged` the rulings in the order in which
    they judge, up to the first that is broken; `problem` what is wrong besides rulings; `follows`
    the events it brings, in words; `explains` the rulings that these rest on, which refuse nothing
    and only say what follows by itself; `also_legal` what else of the game the same seat could
    have sent; `refused` what was answered at the time to a command that was refused, and
    `misfit` where the log stood at that time, if it is not where that record says; `dispute` the
    log's first fault, if it is in this commit or before it, and `disputed` what to know of it.
    `legal` is None where that fault leaves nothing to judge by.
    """

    version: int
    by: str
    name: str
    command: Any
    legal: bool | None
    judged: tuple[Weighed, ...]
    problem: str | None
    follows: tuple[str, ...]
    explains: tuple[Ruling, ...]
    also_legal: Legal
    refused: RefusedCommand | None
    misfit: str | None
    dispute: Dispute | None
    disputed: str | None


class Question(Struct, frozen=True):
    """A command of somebody at a point of the match; `match` is None before the first commit.

    `fault` is the log's first, in the commits before it or in the commit that it is; `taken` says
    that it is one, and not asked about in the place of one.
    """

    version: int
    match: Match | None
    by: Asker
    command: Command
    refused: RefusedCommand | None = None
    fault: Dispute | None = None
    taken: bool = False

    @property
    def is_judged(self) -> bool:
        """Whether the rules can say what it is worth; of what stands behind a fault they cannot."""
        if self.fault is None or not self.taken:
            return True
        return self.fault.version == self.version and self.fault.kind in _OF_WHAT_IT_HOLDS


_OF_WHAT_IT_HOLDS: Final = frozenset({"illegal", "event", "ranking"})
"""Kinds of faults in what a commit does, where it stands in its place."""


# ── What is asked ─────────────────────────────────────────────────────────────────────────────────


def of_commit(history: History, version: int) -> Question:
    """Why that commit was legal."""
    commit, fault = history.commit(version), Faults(history).until(version)
    with reading(history.log.source, version):
        by = read_asker(commit.by, commit.at)
    question = Question(version, None, by, commit.cmd, fault=fault, taken=True)
    if version == 1 or not question.is_judged:
        return question
    return replace(question, match=history.match(version - 1))


def of_another(history: History, at: int, text: str, seat: str | None) -> Question:
    """Whether another command would have been legal in place of commit `at`.

    Args:
        history: the log.
        at: the commit, or one more than there are.
        text: the command in words, as JSON, or as `#N` by its line among those that are legal.
        seat: who sends it, where it is not the sender of that commit.

    Raises:
        Unusable: there is no such commit, seat or command.
    """
    match, by = before(history, at), asker(history, at, seat)
    fault = Faults(history).until(at - 1)
    return Question(at, match, by, _other_command(history, match, by, text), fault=fault)


def asker(history: History, at: int, name: str | None) -> Asker:
    """Who sends a command in place of commit `at`: its sender, or a seat or organizer by name."""
    by = Asker("organizer", None, before(history, at).at)
    if at <= history.last:
        with reading(history.log.source, at):
            by = read_asker(history.commit(at).by, history.commit(at).at)
    if name is None:
        return by
    viewer = history.viewer(name)
    if viewer.role == "spectator":
        raise Unusable("spectators send no commands", history.log.source)
    return Asker(viewer.role, viewer.seat, by.at)


def before(history: History, at: int) -> Match:
    """The match that a command in place of commit `at` meets."""
    if not 2 <= at <= history.last + 1:  # noqa: PLR2004 - the first commit creates the match
        message = f"commands are sent from commit 2 to {history.last + 1} of this log"
        raise Unusable(message, history.log.source)
    return history.match(at - 1)


def _other_command(history: History, match: Match, by: Asker, text: str) -> Command:
    """The command that a text means: JSON, a line of the list, or words."""
    text, listed = text.strip(), legal_for(history, match, by).commands
    if text.isdecimal():
        raise Unusable(
            f"the command: {text} alone is none; #{text} is line {text} of the list, and words say "
            "what the number is of"
        )
    if text.startswith("#") and text[1:].isdecimal():
        return _on_line(listed, int(text[1:10]))
    is_json = text.startswith(("{", "["))
    meant = text if is_json else to_json(understood(text, _flags(history)))
    try:
        return read_command(history, meant, "the command")
    except Unusable as unusable:
        message = _amended(history, meant, text, listed) or unusable.message
        raise Unusable(message, history.log.source) from unusable


def _kinds(history: History) -> dict[str, type[Command]]:
    """The kinds of commands that there are, by type."""
    return {str(kind.__struct_config__.tag): kind for kind in history.rules.commands}


def _flags(history: History) -> set[str]:
    """The fields of commands that are yes or no."""
    every = (field for kind in history.rules.commands for field in fields(kind))
    return {field.encode_name for field in every if field.type is bool}


def _on_line(listed: Sequence[Command], number: int) -> Command:
    if not 1 <= number <= len(listed):
        raise Unusable(f"the command: the list of legal commands has #1 to #{len(listed)}")
    return listed[number - 1]


def _amended(history: History, meant: str, text: str, listed: Sequence[Command]) -> str | None:
    """What a command lacks to be one; else which it may have been to be."""
    try:
        command = json.loads(meant)
        kind = _kinds(history).get(command["type"])
    except (ValueError, RecursionError, LookupError, TypeError):
        command, kind = None, None
    if kind is not None and (lacking := _lacking(kind, command, listed)):
        return lacking
    said = text if command is None or text != meant else spoken(command)
    near = _nearest(history, said, listed)
    return f"the command is none of this game; did you mean “{near}”?" if near else None


def _lacking(
    kind: type[Command], command: Mapping[str, Any], listed: Sequence[Command]
) -> str | None:
    """Which fields a command needs besides those it has, with one of its kind that has them."""
    names = {field.encode_name for field in fields(kind)}
    lacking = [field.encode_name for field in fields(kind) if field.required]
    lacking = [f"“{name.replace('_', ' ')}”" for name in lacking if name not in command]
    if not lacking or not command.keys() <= names | {"type"}:
        return None
    whole = next((spoken(plain(one)) for one in listed if isinstance(one, kind)), None)
    such = f", as in “{clean(whole)}”" if whole else ""
    return f"{command['type'].replace('_', ' ')} also needs {words_listed(lacking)}{such}"


def _nearest(history: History, text: str, listed: Sequence[Command]) -> str | None:
    """What a text may have been to say: a legal command, or a kind of command at all."""
    kinds = [kind.replace("_", " ") for kind in _kinds(history)]
    words = map(spoken, map(plain, listed))
    near = get_close_matches(text.lower(), [*words, *kinds], n=1)
    return clean(near[0]) if near and near[0] != text.lower() else None


def read_command(history: History, text: str, what: str) -> Command:
    """A command out of JSON; `what` it is called where it is none.

    Raises:
        Unusable: it is none of this game.
    """
    try:
        return history.rules.read_command(text.encode())
    except (ValueError, RecursionError) as error:
        raise Unusable(
            f"{what} is no command of this game: {_no_command(history, text)}"
        ) from error


def _no_command(history: History, text: str) -> str:
    """What would be one: the commands that there are, or what the one that is meant takes."""
    kinds = _kinds(history)
    try:
        meant = json.loads(text)["type"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return "it is neither words nor JSON with a type"
    if meant in list(kinds):
        takes = ", ".join(kinds[meant].__struct_fields__) or "nothing more"
        return f"{meant.replace('_', ' ')} takes {takes}, each in its own form"
    return f"there are {', '.join(kinds).replace('_', ' ')}"


# ── What is to be said of it ──────────────────────────────────────────────────────────────────────


def weigh(
    history: History, question: Question, listed: Legal, *, with_all: bool = False
) -> Explained:
    """Judge what is asked about; `listed` is what that seat could send, `with_all` every ruling."""
    judged, problem = _judged(history, question) if question.is_judged else ((), None)
    lawful = problem is None and all(one.broken is None for one in judged)
    legal = lawful if question.is_judged else None
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
        _explaining(history, None if with_all and question.is_judged else events),
        replace(listed, commands=tuple(others)),
        question.refused,
        None if question.refused is None else _misfit(history, question.refused),
        question.fault,
        _disputed(history, question),
    )


def _disputed(history: History, question: Question) -> str | None:
    """What to know of the fault that a command has, or stands behind."""
    fault = question.fault
    if fault is None:
        return None
    if question.taken:
        return fault_in_words(history, fault)
    return f"what it is judged on stands behind the fault at {fault.place}"


def _misfit(history: History, refused: RefusedCommand) -> str | None:
    """Where the log stood at the time of a refusal, if the record of it says otherwise."""
    times = [open_envelope(data).at for data in history.log.file.commits]
    at, version = refused.at, refused.version
    least, most = sum(time < at for time in times), sum(time <= at for time in times)
    if least <= version <= most or version >= len(times) == most:
        return None
    stood, other = (least, version + 1) if version < least else (most, version)
    if not 1 <= other <= len(times):
        return f"by its time the log stood at version {stood}, by its own word at {version}"
    way = "before it" if times[other - 1] < at else "after it"
    apart = length(abs(times[other - 1] - at))
    return (
        f"by its time the log stood at version {stood}, by its own word at {version}: commit "
        f"{other} came {apart} {way}"
    )


def _judged(history: History, question: Question) -> tuple[tuple[Weighed, ...], str | None]:
    """The rulings as they judge, and what is wrong besides them."""
    match, by, command = question.match, question.by, question.command
    if match is None or isinstance(command, CreateMatch):
        return (), _creation_problem(history, question)
    try:
        return weighed(history.rules, match, by, command), None
    except (NotAllowed, Malformed) as error:
        return (), str(error)


def _creation_problem(history: History, question: Question) -> str | None:
    if question.match is not None or not isinstance(question.command, CreateMatch):
        return "A match is created by its first commit, and once."
    try:
        history.rules.create(question.command, question.by.at, salt=bytes(SALT_BYTES))
    except msgspec.DecodeError:
        return "No creation of this game has such fields."
    except (BadOptions, ValueError) as error:
        return reason(error)
    return None


def _follows(history: History, question: Question) -> Sequence[Event]:
    """What a legal command brings."""
    match, by, command = question.match, question.by, question.command
    rules, salt = history.rules, bytes(SALT_BYTES)
    with reading(history.log.source, question.version):
        if isinstance(command, CreateMatch):
            return rules.create(command, by.at, salt=salt).events
        if match is not None:
            return rules.decide(match, by, command, salt=salt, past=history.match).events
    raise AssertionError("nothing but a creation is legal before the first commit")


def _told(history: History, question: Question, events: Sequence[Event]) -> tuple[str, ...]:
    with reading(history.log.source, question.version):
        seen = people().renamed(plain(events_seen(1, question.by.at, events, ORGANIZER)))
        return tuple(tell(history.rules.game, event, history.names) for event in seen)


def _explaining(history: History, events: Sequence[Event] | None) -> tuple[Ruling, ...]:
    """The rulings that refuse nothing and that these events rest on; for None all of them."""
    if events is not None:
        return explaining(history.rules, events)
    game = history.rules.game
    refusing = {clause.id for rules in game.commands for clause in rules.rulings}
    refusing |= set(game.admission)
    return tuple(ruling for ruling in game.rulings if ruling.id not in refusing)


def legal_for(history: History, match: Match | None, by: Asker) -> Legal:
    """What of the game a seat could send."""
    if match is None or by.seat is None or by.seat >= len(history.names):
        return Legal((), complete=True, templates=())
    with reading(history.log.source, match.version):
        return history.rules.legal(match, by)


# ── In words ──────────────────────────────────────────────────────────────────────────────────────


def lines(explained: Explained, *, asked: bool, with_all: bool = False) -> Iterator[str]:
    """What is said of a command, which `asked` says was never taken."""
    would = ("would be legal", "would not be legal") if asked else ("was legal", "was not legal")
    command, false = clean(spoken(explained.command)), _is_false(explained, asked=asked)
    ruled = _ruled(explained) if false or explained.legal is None else would[not explained.legal]
    yield f"commit {explained.version} by {explained.name}, {command}: {ruled}"
    if explained.disputed and (asked or explained.legal is not False):
        yield f"  {explained.disputed}"
    if explained.refused is not None:
        yield from _refused_lines(explained.refused, explained.misfit)
    if explained.problem:
        yield f"  {clean(explained.problem)}"
    yield from _judged_lines(explained.judged, with_all=with_all)
    if explained.follows:
        yield "what follows by the rules" if false else "what follows" if asked else "what followed"
        yield from (f"  {sentence}" for sentence in explained.follows)
    if explained.explains:
        yield "all rulings on what follows by itself" if with_all else "this rests on"
        yield from (f"  {cited(ruling)}" for ruling in explained.explains)


def _is_false(explained: Explained, *, asked: bool) -> bool:
    """Whether a commit is a legal command, and does not hold what follows from it."""
    return explained.dispute is not None and explained.legal is True and not asked


def _ruled(explained: Explained) -> str:
    """What the rules say of a commit that is at fault, or behind one that is."""
    fault = explained.dispute
    if explained.legal:
        return "the command was legal; what the log says came of it is not"
    if fault is not None and fault.version != explained.version:
        return f"stands behind the fault at {fault.place}, and is not judged"
    return "is in dispute, and not judged"


def _refused_lines(refused: RefusedCommand, misfit: str | None) -> Iterator[str]:
    """What was answered at the time, and what the record of it is worth."""
    ruling, version = clean(refused.ruling), refused.version
    yield f"  refused at the time by {ruling}, {when(refused.at)}, sent at version {version}"
    yield f"  {clean(refused.detail)}"
    yield "  nobody signs this record: it is the word of whoever keeps it beside the log"
    if misfit:
        yield f"  the record contradicts the log: {misfit}"


def _judged_lines(judged: Sequence[Weighed], *, with_all: bool) -> Iterator[str]:
    """The rulings of the game that judged, and any that is broken; of the table's how many."""
    shown, of_table = (judged, 0) if with_all else in_short(judged)
    for one in shown:
        mark = "kept  " if one.broken is None else "BROKEN"
        yield f"  {mark}  {cited(one.ruling)}"
        if one.broken is not None:
            yield f"          {clean(one.broken)}"
    if of_table:
        yield f"  kept    {count_of(of_table, 'ruling')} of the table (--all names them)"


def choices(listed: Legal, but: Any = None) -> Iterator[str]:
    """The legal commands in words, all but one, each with its line among all that are."""
    for number, command in enumerate(map(plain, listed.commands), 1):
        if command != but:
            yield f"  {f'#{number}':>4}  {clean(spoken(command))}"
    yield from (f"        {clean(any_of(template))}" for template in listed.templates)
