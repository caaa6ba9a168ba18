"""How the service says no. Each error holds what a caller needs to say it in its own words."""

from __future__ import annotations

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


class UnknownMatch(ServiceError):
    """There is no such match, or none that the bearer may know of."""

    def __init__(self, match: str) -> None:
        super().__init__(f"There is no match {match!r} that you may know of.")
        self.match: Final = match


class UnknownVersion(ServiceError):
    """The match has no commit of that number."""

    def __init__(self, match: str, asked: int, version: int) -> None:
        super().__init__(f"The match has no version {asked}: it has 1 to {version}.")
        self.match: Final = match
        self.version: Final = version


class UnknownThing(ServiceError):
    """There is no such game, ruling or seat."""


class StaleVersion(ServiceError):
    """The match is at another version than the caller expects; `version` is the current one."""

    def __init__(self, match: str, version: int) -> None:
        super().__init__(f"The match is at version {version}.")
        self.match: Final = match
        self.version: Final = version


class KeyReused(ServiceError):
    """The idempotency key was used before, with another command."""

    def __init__(self, match: str, version: int) -> None:
        super().__init__(f"This key was used for another command, which became commit {version}.")
        self.match: Final = match


class MatchTaken(ServiceError):
    """A match of that id exists already."""

    def __init__(self, match: str) -> None:
        super().__init__(f"There is a match {match!r} already.")
        self.match: Final = match


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


class Crowded(ServiceError):
    """Too many are at a match at once: again and again somebody else was quicker."""

    def __init__(self, match: str) -> None:
        super().__init__("Too many are at this match at once.")
        self.match: Final = match


class Unserved(ServiceError):
    """This process cannot serve the match: its rules are unknown, its log cannot be read.

    `retry_after` in seconds.
    """

    def __init__(self, match: str, detail: str, *, retry_after: float = 30.0) -> None:
        super().__init__(detail)
        self.match: Final = match
        self.retry_after: Final = retry_after
