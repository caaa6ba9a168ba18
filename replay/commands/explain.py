"""`replay explain`: why a commit was legal, or what another command would have been."""

import sys
from collections.abc import Iterator
from itertools import chain

import click

from referee.core.game import Asker
from referee.core.judging import Legal
from referee.core.rules import BadLog, read_asker
from referee.core.told.words import count_of
from referee.report.json_values import to_json
from replay.exits import DISPUTED, FINE, Unusable
from replay.judging.faults import Faults
from replay.judging.weighing import (
    Explained,
    Question,
    before,
    choices,
    legal_for,
    lines,
    of_another,
    of_commit,
    read_command,
    weigh,
)
from replay.options import Whole, as_json, at_version, one_source
from replay.sources import single
from replay.telling.history import History, end_on, open_history
from replay.telling.output import answer
from replay.telling.times import in_zone


@click.command()
@one_source
@at_version("The commit.")
@click.option(
    "--command",
    metavar="WORDS|#LINE|JSON",
    help="Ask of this command instead, in place of commit N: in words as the list has it, its line "
    "there (#5), or JSON.",
)
@click.option("--seat", metavar="S", help="Who sends it: a seat, by number or name, or organizer.")
@click.option(
    "--refusal",
    type=Whole("a refusal", 1),
    metavar="N",
    help="Ask of a command that was refused: line N of x.refusals.jsonl.",
)
@click.option("--all", "with_all", is_flag=True, help="Name the ruleset's other rulings too.")
@in_zone
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
    where commit N itself breaks a ruling, is false or stands behind one that is, and where a
    command that was refused breaks none.
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
        question = of_another(history, int(at or 0), command, seat)
    else:
        question = of_commit(history, history.version(at))
    listed = legal_for(history, question.match, question.by)
    explained = weigh(history, question, listed, with_all=with_all)
    asked = command is not None or refusal is not None
    said = lines(explained, asked=asked, with_all=with_all)
    answer(explained, chain(said, _others(explained, listed)), as_json=as_json)
    end_on(history.log)
    lawful = explained.legal == (refusal is None) and explained.dispute is None
    expected = command is not None or lawful
    sys.exit(FINE if expected else DISPUTED)


def _of_refusal(history: History, source: str, number: int, at: int | None) -> Question:
    """A refused command at the version at which it was sent, or in place of commit `at`."""
    refusals = single(source).refusals() or ()
    if number > len(refusals):
        there = count_of(len(refusals), "refused command")
        message = f"there is no refusal {number}, of {there} known (pull saves them beside the log)"
        raise Unusable(message, history.log.source)
    refused = refusals[number - 1]
    version = refused.version + 1 if at is None else at
    match = before(history, version)
    try:
        by = read_asker(refused.by, max(refused.at, match.at))
    except BadLog as error:
        raise Unusable(f"refusal {number}: {error}", history.log.source) from error
    if refused.seat is not None and by.seat is None:
        by = Asker("seat", refused.seat, by.at, organizer=refused.by)
    command = read_command(history, to_json(refused.command), f"refusal {number}")
    return Question(version, match, by, command, refused, Faults(history).until(version - 1))


def _others(explained: Explained, listed: Legal) -> Iterator[str]:
    """What else was legal."""
    rows = list(choices(listed, explained.command))
    if rows:
        yield f"what else was legal for {explained.name} (--command takes its words or #line)"
    yield from rows
