"""How a command of `replay` ends: its status, and what stops it."""

import sys
from typing import IO, Any, Final

import click

from referee.core.told.safe import clean

FINE: Final[int] = 0
DISPUTED: Final[int] = 1
UNUSABLE: Final[int] = 2
INTERRUPTED: Final[int] = 130
PIPE_CLOSED: Final[int] = 141
JUDGED: Final = "replay.judged"
"""Where a command's context notes of how many logs there is an answer by now, in words."""


class Stopped(click.ClickException):
    """A command stops here: said on standard error, and ends with `exit_code`.

    `source` is the name of the source at fault, if it is one's fault.
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


class Interrupted(Stopped):
    """Whoever runs the command has had enough of it: Ctrl-C."""

    exit_code = INTERRUPTED

    def show(self, file: IO[Any] | None = None) -> None:
        """Say it, on a terminal below the sign that it writes for Ctrl-C; click calls this."""
        if file is None and sys.stderr.isatty():
            click.echo(err=True)
        super().show(file)
