"""The standard streams of a command, whatever it was started with."""

import os
import sys
from io import TextIOWrapper
from typing import Final

import click

CLOSED: Final = 2
"""The exit status where there is nowhere to print to: wrong usage."""


def fit_streams() -> None:
    """Make the standard streams take whatever is said on them, and end where output is closed.

    Signs that an encoding lacks are replaced. On a standard input that is closed there is nothing
    to read, and on a standard error everything is said to nobody; both are opened, so that no file
    or socket gets their numbers.
    """
    if sys.stdin is None:  # what Python makes of a closed one
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    if sys.stderr is None:
        os.dup2(os.open(os.devnull, os.O_RDWR), 2)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    if sys.stdout is None:
        click.echo("standard output is closed; >/dev/null prints to nobody", err=True)
        sys.exit(CLOSED)
