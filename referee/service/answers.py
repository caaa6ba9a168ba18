"""What the service answers: plain structs, ready to be encoded."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from referee.core.game import Command, Template
from referee.core.match import Match, Result, Seat, Status
from referee.core.rules import Rules
from referee.core.views import ClockView, SeatView


class Created(Struct, frozen=True):
    """A match as it stood after its first commit, and its seats as they are now, in order."""

    first: Match
    seats: tuple[Seat, ...]

    @property
    def match(self) -> str:
        """The match's id."""
        return self.first.setting.match


class Accepted(Struct, frozen=True, omit_defaults=True):
    """The answer to a command: its events as the sender may see them."""

    match: str
    version: int
    events: list[dict[str, Any]]
    head: str
    receipt: str | UnsetType = UNSET


class Judged(Struct, frozen=True):
    """The answer to a command that was only to be checked, and is legal."""

    legal: bool = True


class LegalCommands(Struct, frozen=True, omit_defaults=True):
    """What a seat (or, with `seat` None, the organizer) may do now, in a fixed order."""

    version: int
    seat: int | None
    commands: tuple[Command, ...]
    complete: bool
    templates: tuple[Template, ...] | UnsetType = UNSET


class SeenEvents(Struct, frozen=True):
    """Events as their viewer may see them; `last`: the version that they lead to."""

    events: list[dict[str, Any]]
    last: int


LARGEST_RECORD: Final = 2048
"""Bytes of a refused command in the side record."""
_LONGEST: Final = 1000
"""Bytes of a command's beginning, where it is cut; of what was wrong with it half as many."""


class CutCommand(Struct, frozen=True):
    """A refused command that is too long to be kept: how it began, as JSON."""

    type: str
    cut: str


class RefusedCommand(Struct, frozen=True):
    """A command that was refused. `at` Unix ms; `by` who sent it, as in a commit; `seat` for whom.

    Where they are beyond 64 bits, `seat` is null and a number in `command` is text. A long command
    is cut.
    """

    at: int
    by: str
    seat: int | None
    version: int
    command: Any
    ruling: str
    detail: str

    def packed(self) -> bytes:
        """Itself in MessagePack, in 2 KiB at most."""
        data = _packed(self)
        return data if len(data) <= LARGEST_RECORD else _packed(self._cut())

    def _cut(self) -> RefusedCommand:
        kind, text = self.command.__struct_config__.tag, msgspec.json.encode(self.command)
        detail = self.detail.encode()[: _LONGEST // 2].decode(errors="ignore")
        cut = CutCommand(kind, text[:_LONGEST].decode(errors="ignore"))
        return replace(self, command=cut, detail=detail)


def _packed(refused: RefusedCommand) -> bytes:
    """A record in MessagePack, which has 64 bits for a number."""
    encode = msgspec.msgpack.encode
    try:
        return encode(refused)
    except OverflowError:
        plain = _storable(msgspec.to_builtins(refused))
        return encode(plain | {"seat": None if isinstance(plain["seat"], str) else refused.seat})


def _storable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _storable(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(entry) for entry in value]
    beyond = isinstance(value, int) and not -(2**63) <= value < 2**64
    return str(value) if beyond else value


class Reissued(Struct, frozen=True):
    """A seat whose earlier tokens are dead: the generation of the new ones."""

    match: str
    seat: int
    generation: int
    version: int


class MatchRow(Struct, frozen=True):
    """A match in a list; `created` and `updated`, when its last commit was made, Unix ms.

    The last five, as in the match's view and how many commands were refused, where a tournament's
    matches are asked for.
    """

    match: str
    game: str
    ruleset: str
    version: int
    status: Status
    seats: tuple[SeatView, ...]
    tournament: str | None
    round: int | None
    table: str | None
    public: bool
    created: int
    updated: int
    result: Result | None
    to_act: tuple[int, ...] | UnsetType = UNSET
    deadline: int | UnsetType | None = UNSET
    clock: ClockView | UnsetType = UNSET
    called: int | UnsetType | None = UNSET
    refusals: int | UnsetType = UNSET


class Page(Struct, frozen=True):
    """Matches, newest first; `cursor` leads to the next page, None where there is none.

    `incomplete`, true, where a part of the store is away: its matches are left out.
    """

    matches: list[MatchRow]
    cursor: str | None
    incomplete: bool | UnsetType = UNSET


class Ruled(Struct, frozen=True):
    """A ruling of a game's current ruleset."""

    id: str
    text: str
    origin: str
    game: str
    ruleset: str


def ruled(rules: Rules, ruling: str) -> Ruled:
    """The ruling of that id; raises `KeyError`."""
    clause, game = rules.rulings[ruling], rules.game
    return Ruled(clause.id, clause.text, clause.origin, game.id, game.ruleset)
