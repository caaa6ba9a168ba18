"""The first fault of a log, looked for no further than somebody asks."""

from typing import Final

from referee.core.verify import Dispute, verify
from referee.report.disputes import in_words, whereabouts
from replay.telling.history import History

_AT_FIRST: Final = 256
"""Commits that are judged at once, where no more are asked for."""


class Faults:
    """What is at fault in a log: judged once, as far as is asked, and then twice as far."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._judged = 0
        self._first: Dispute | None = None

    def until(self, version: int) -> Dispute | None:
        """The first fault, if one stands in the commits up to this one."""
        if self._first is None and version > self._judged:
            self._judge(max(_AT_FIRST, 2 * version))
        first = self._first
        return first if first is not None and (first.version or 0) <= version else None

    def _judge(self, until: int) -> None:
        history = self._history
        match, commits = history.log.file.header.match, history.commits[:until]
        self._first, self._judged = verify(history.rules, match, commits).dispute, until


def fault_in_words(history: History, fault: Dispute) -> str:
    """A fault of a commit as a sentence, as `verify` says it."""
    where = None if fault.version is None else whereabouts(history.log.file, fault.version)
    return in_words(history.rules, fault, where, history.names)


def noted(fault: Dispute) -> str:
    """What to know of a state that rests on a fault, in a few words."""
    return f"{fault.place} in dispute: what rests on it is not judged as true, see verify"
