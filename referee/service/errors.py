"""How the service says no. Each error holds what a caller needs to say it in its own words."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from referee.core.rules import Rules
from referee.core.ruling import Refusal

Fault = tuple[str, str]
"""What is wrong with a field: (path, message)."""


class ServiceError(Exception):
    """Anything that the service answers instead of doing what was asked."""


class Unauthorized(ServiceError):
    """Nobody, or somebody with a dead token, asks for what takes a token."""


class Forbidden(ServiceError):
    """The bearer may not do this."""


class MatchError(ServiceError):
    """Something about a `match`, and perhaps a `version` of it."""

    text = ""

    def __init__(self, match: str, version: int = 0) -> None:
        super().__init__(self.text.format(match=match, version=version))
        self.match: Final = match
        self.version: Final = version


class UnknownMatch(MatchError):
    """There is no such match, or none that the bearer may know of."""

    text = "There is no match {match!r} that you may know of."


class UnknownVersion(MatchError):
    """The match, at `version`, has no commit of the number that was asked for."""

    def __init__(self, match: str, asked: int, version: int) -> None:
        self.text = f"The match has no version {asked}: it has 1 to {version}."
        super().__init__(match, version)


class UnknownThing(ServiceError):
    """There is no such game, ruling or seat."""


class StaleVersion(MatchError):
    """The match is at another version than the caller expects; `version` is the current one."""

    text = "The match is at version {version}."


class KeyReused(MatchError):
    """The idempotency key was used before, with another command, which became `version`."""

    text = "This key was used for another command, which became commit {version}."


class OrderKeyReused(KeyReused):
    """The same of a key with which a match was ordered."""

    text = "This key was used for another order, by which match {match!r} was made."


class MatchTaken(MatchError):
    """A match of that id exists already."""

    text = "There is a match {match!r} already."


class Archived(MatchError):
    """The match is in the archive, where nothing is added to it."""

    text = "The match is in the archive: an operator can restore it, and then it takes commands."


class Crowded(MatchError):
    """Too many are at a match at once: again and again somebody else was quicker."""

    text = "Too many are at this match at once."


class TooFast(MatchError):
    """A seat sends more commands than it may; `retry_after` seconds from now one will be taken."""

    text = "This seat sends more commands than are taken here: wait, then send this one again."

    def __init__(self, match: str, retry_after: float) -> None:
        super().__init__(match)
        self.retry_after: Final = retry_after


class Busy(MatchError):
    """Another match is being judged or drawn, and one at a time is; wait `retry_after` seconds."""

    text = "Another match is being judged or drawn here: ask again in a moment."
    retry_after: Final = 1.0


class SeedNotAllowed(ServiceError):
    """A match cannot be created here with a seed or an id of the caller's choice."""


class BadRequest(ServiceError):
    """The request cannot be understood: `errors` names the fields, if it is about any."""

    def __init__(self, detail: str, errors: Sequence[Fault] = ()) -> None:
        super().__init__(detail)
        self.errors: Final = tuple(errors)


class Part(Struct, frozen=True):
    """A value that should have been of `type`; its paths begin with `path`."""

    value: Any
    type: Any
    path: str = ""


class Misshapen(ServiceError):
    """A body of the wrong shape.

    `parts` are the values in which the faults can be found, `errors` those known already.
    """

    def __init__(self, detail: str, parts: Sequence[Part], errors: Sequence[Fault] = ()) -> None:
        super().__init__(detail)
        self.parts: Final = tuple(parts)
        self.errors: Final = tuple(errors)


class Refused(ServiceError):
    """A command breaks a ruling of `rules` in `match` at `version`."""

    def __init__(self, match: str, version: int, rules: Rules, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.match: Final = match
        self.version: Final = version
        self.rules: Final = rules
        self.ruling: Final = refusal.ruling


class Leaving(ServiceError):
    """This process is about to stop; another may serve."""

    retry_after: Final = 1.0

    def __init__(self) -> None:
        super().__init__("This server is about to stop.")


class Unserved(ServiceError):
    """This process cannot serve the match: its rules are unknown, its log cannot be read.

    `retry_after` in seconds.
    """

    def __init__(self, match: str, detail: str, *, retry_after: float = 30.0) -> None:
        super().__init__(detail)
        self.match: Final = match
        self.retry_after: Final = retry_after
