"""Reading what a log holds: whatever its rules trip over is the log's fault."""

from collections.abc import Generator
from contextlib import contextmanager

from referee.core.rules import BadLog
from replay.exits import Disputed, Stopped


@contextmanager
def reading(source: str, version: int | None = None) -> Generator[None]:
    """Blame the log for whatever the rules trip over in this block.

    A log holds whatever somebody wrote, and the rules fold and tell events without judging them:
    they may speak of a seat that is not there.

    Raises:
        Disputed: in place of what was raised.
    """
    try:
        yield
    except Stopped:
        raise
    except Exception as error:
        at = "the log" if version is None else f"commit {version}"
        message = f"{at} does not hold under its rules: {_in_words(error)}"
        raise Disputed(message, source) from error


def _in_words(error: Exception) -> str:
    """Why, where that is said in our own words: a library's are for nobody who reads a log."""
    said = isinstance(error, BadLog) and error.__cause__ is None
    return str(error) if said else "verify says why"
