"""Commands to try: those that are lawful sometimes, and those with something changed in them."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from referee.core.game import Command
from referee.core.randomness import Chance
from referee.core.rules import Rules
from tests.conformance.matches import quiet

S = TypeVar("S", bound=Struct)
T = TypeVar("T")

NUMBERS: Final = (-1, 0, 1, 2, 7, 10**6, 2**63 - 1, -(2**63), 10**25)
MOST_OF_A_KIND: Final = 60


@cache
def pool(rules: Rules) -> tuple[Command, ...]:
    """Commands of each of the game's types: a good many that were lawful once, and mutants."""
    lawful = list(_lawful_once(rules))
    mutants = [mutant for command in lawful for mutant in mutated(command)]
    wired = [one for one in dict.fromkeys(lawful + mutants) if can_be_sent(rules, one)]
    return tuple(wired)


def sample(rules: Rules, pick: Chance, size: int) -> tuple[Command, ...]:
    """Some of the pool, drawn one by one: each at most once."""
    return some(pick, pool(rules), size)


def some(pick: Chance, items: Sequence[T], size: int) -> tuple[T, ...]:
    """Some of the items, drawn one by one: each at most once; all of them where they are few."""
    if len(items) <= size:
        return tuple(items)
    drawn = dict.fromkeys(pick.below(len(items)) for _ in range(size))
    return tuple(items[index] for index in drawn)


def can_be_sent(rules: Rules, command: Command) -> bool:
    """Whether the wire takes it: what a schema refuses never reaches a ruling."""
    try:
        return rules.read_command(msgspec.json.encode(command)) == command
    except (msgspec.DecodeError, OverflowError):
        return False


def _lawful_once(rules: Rules) -> Iterator[Command]:
    kept: dict[type, int] = {}
    game_types = {of.command for of in rules.game.commands}
    for one in quiet(rules):
        for step in one.steps:
            kind = type(step.command)
            if kind in game_types and kept.setdefault(kind, 0) < MOST_OF_A_KIND:
                kept[kind] += 1
                yield step.command
    for kind in game_types - kept.keys():
        yield from _made_up(kind)


def _made_up(kind: type[Command]) -> Iterable[Command]:
    """Commands of a type that no trial sent: every field filled with something of its type."""
    yield _filled(kind)


def _filled(kind: type[S]) -> S:
    hints = _hints(kind)
    return kind(**{name: _something(hints[name]) for name in kind.__struct_fields__})


@cache
def _hints(kind: type[Struct]) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _something(hint: Any) -> Any:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return args[0]
    if origin in (typing.Union, types.UnionType):
        return UNSET if UnsetType in args else None
    if origin in (tuple, list):
        return ()
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _filled(hint)
    return {int: 0, str: "", bool: False}[hint]


def mutated(command: Command) -> Iterator[Command]:
    """The command with one field changed, in several ways each."""
    hints = _hints(type(command))
    for name in command.__struct_fields__:
        for other in _others(getattr(command, name), hints[name]):
            yield msgspec.structs.replace(command, **{name: other})


def _others(value: Any, hint: Any) -> Iterator[Any]:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        yield from (word for word in args if word != value)
    elif origin in (typing.Union, types.UnionType):
        yield from _others_of_union(value, args)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value - 1, value + 1, *NUMBERS)
    elif isinstance(value, str):
        yield from ("", value + value, value[1:], value.swapcase(), "?")
    elif isinstance(value, tuple):
        yield from _other_lists(value, args)
    elif isinstance(value, Struct):
        yield from _other_structs(value)


def _others_of_union(value: Any, args: tuple[Any, ...]) -> Iterator[Any]:
    if UnsetType in args:
        yield UNSET
    if type(None) in args:
        yield None
    for arg in args:
        if arg not in (UnsetType, type(None)):
            start = _something(arg) if value in (None, UNSET) else value
            yield start
            yield from _others(start, arg)


def _other_lists(value: tuple[Any, ...], args: tuple[Any, ...]) -> Iterator[Any]:
    yield from ((), value[:-1], value[1:], value[::-1], (*value, *value[:1]), (*value, *value))
    yield (*value, _something(args[0]))
    for index, entry in enumerate(value[:6]):
        for other in _others(entry, args[0]):
            yield (*value[:index], other, *value[index + 1 :])


def _other_structs(value: Struct) -> Iterator[Any]:
    hints = _hints(type(value))
    for name in value.__struct_fields__:
        for other in _others(getattr(value, name), hints[name]):
            yield msgspec.structs.replace(value, **{name: other})
