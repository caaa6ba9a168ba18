"""How a command of ``replay`` ends when it cannot do what it was asked to."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import IO, Any, Final

import click

from referee.core.told.safe import clean

FINE: Final[int] = 0
DISPUTED: Final[int] = 1
UNUSABLE: Final[int] = 2


class Stopped(click.ClickException):
    """A command stops here: said on standard error, and ends with ``exit_code``.

    ``source``: the name of the source whose fault it is, if it is one's.
    """

    def __init__(self, message: str, source: str | None = None) -> None:
        super().__init__(clean(message))
        self.source: Final = None if source is None else clean(source)

    def show(self, file: IO[Any] | None = None) -> None:
        """Say it; click calls this."""
        place = "" if self.source is None else f"{self.source}: "
        click.echo(f"replay: {place}{self.message}", file=file, err=file is None)


class Unusable(Stopped):
    """Input that cannot be used: not there, not reached, no match file, rules not known here."""

    exit_code = UNUSABLE


class Disputed(Stopped):
    """A log that contradicts itself or the rules, met by a command that needs it whole."""

    exit_code = DISPUTED


@contextmanager
def reading(source: str, version: int | None = None) -> Generator[None]:
    """What the rules trip over while they read a log is the log's fault.

    A log is whatever somebody wrote: events that no rules yield, seats that are not there. The
    rules fold and tell recorded events without judging them, so that anything may come of it.
    Raises :class:`Disputed` in place of what was raised.
    """
    try:
        yield
    except Stopped:
        raise
    except Exception as error:
        at = "the log" if version is None else f"commit {version}"
        message = f"{at} does not hold under its rules: {reason(error)}"
        raise Disputed(message, source) from error


def reason(error: Exception) -> str:
    """An exception in one line, with its type where its text alone says nothing."""
    text = str(error)
    if isinstance(error, ValueError) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
