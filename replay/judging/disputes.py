"""What is in dispute in words: in the process that knows what people are to be called."""

from referee.core.told.safe import clean
from referee.core.told.words import Names
from referee.core.verify import Dispute
from referee.report.disputes import in_words
from referee.report.words import all_called
from replay.exits import Unusable
from replay.judging.examine import Examined
from replay.telling.history import rules_named
from replay.telling.people import people

_SEATS = [""] * 20
"""Seats of a log that does not tell their names."""


def dispute_in_words(log: Examined, dispute: Dispute) -> str:
    """A dispute as a sentence, by the rules that judged the log."""
    judges = log.another.ruleset if log.another else log.ruleset
    try:
        rules = rules_named(str(judges))
    except Unusable:
        return clean(dispute.message)
    where = log.where.get(dispute.version) if dispute.version else None
    return in_words(rules, dispute, where, called(log))


def called(log: Examined) -> Names:
    """What the seats of a log are called."""
    return all_called(people().seats(log.seats or _SEATS))
