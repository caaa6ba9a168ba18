"""Bounds of options: said once beside a field, for the schema that tells of them and for judging.

    class Options(Struct, frozen=True):
        length: Annotated[int, within(20, 80)] = 40
        deck: Annotated[tuple[Annotated[int, within(1, 9)], ...], so_many(6)] = (1, 1, 2, 2, 3, 3)
        starter: Annotated[int, seat_number(5)] = 0
        order: Annotated[tuple[int, ...], every_seat_once()] | None = None

A value beyond them is told with all other faults of the options, not by the decoder, which would
name the first alone.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from msgspec import UNSET, Meta, Struct
from msgspec.inspect import (
    CollectionType,
    IntType,
    Metadata,
    StructType,
    Type,
    UnionType,
    type_info,
)

Fault = tuple[str, str]
"""Where something is wrong (`options.deck[2]`), and what."""
Bound = Callable[[Any, int], str | None]
"""Of a value and the number of seats: what is wrong, None where nothing is."""

_KEY: Final = "bound"


def bounded(bound: Bound, **schema: Any) -> Meta:
    """The annotation of a field that `bound` judges, and that `schema` describes."""
    return Meta(extra={_KEY: bound}, extra_json_schema=schema)


def within(least: int, most: int) -> Meta:
    """A whole number from `least` to `most`."""

    def bound(value: int, _seats: int) -> str | None:
        return None if least <= value <= most else f"must be {least} to {most}, not {value}"

    return bounded(bound, minimum=least, maximum=most)


def at_least(least: int) -> Meta:
    """A whole number from `least` on."""

    def bound(value: int, _seats: int) -> str | None:
        return None if value >= least else f"must be {least} or more, not {value}"

    return bounded(bound, minimum=least)


def so_many(count: int) -> Meta:
    """A list of exactly `count` values."""

    def bound(values: Sequence[Any], _seats: int) -> str | None:
        return None if len(values) == count else f"must be {count} values, not {len(values)}"

    return bounded(bound, minItems=count, maxItems=count)


def seat_number(most_seats: int) -> Meta:
    """The number of one of the match's seats, in a game that takes up to `most_seats`."""

    def bound(value: int, seats: int) -> str | None:
        return None if 0 <= value < seats else f"must be a seat, 0 to {seats - 1}, not {value}"

    return bounded(bound, minimum=0, maximum=most_seats - 1)


def every_seat_once() -> Meta:
    """An order of the match's seats: each of them once."""

    def bound(order: Sequence[int], seats: int) -> str | None:
        right = sorted(order) == list(range(seats))
        return None if right else f"must name each seat from 0 to {seats - 1} once"

    return bounded(bound)


def out_of_bounds(options: Struct, seats: int, path: str = "options") -> list[Fault]:
    """Every value of `options` that is beyond its bounds, with its path, in the fields' order."""
    return _judge_of_struct(type(options))(options, seats, path)


# What judges values of a type is made once: most parts of options have no bounds at all.

_Judge = Callable[[Any, int, str], list[Fault]]


def _anything(_value: Any, _seats: int, _path: str) -> list[Fault]:
    return []


@cache
def _judge_of_struct(struct: type[Struct]) -> _Judge:
    return _judge_of(type_info(struct))


def _judge_of(kind: Type) -> _Judge:
    """What tells the faults of values of this type: `_anything` where none can have one."""
    if isinstance(kind, Metadata):
        return _judge_of_bounded((kind.extra or {}).get(_KEY), _judge_of(kind.type))
    if isinstance(kind, UnionType):
        return _judge_of_union([(member, _judge_of(member)) for member in kind.types])
    if isinstance(kind, StructType):
        parts = [(of.name, of.encode_name, _judge_of(of.type)) for of in kind.fields]
        return _judge_of_fields([part for part in parts if part[2] is not _anything])
    if isinstance(kind, CollectionType):
        return _judge_of_entries(_judge_of(kind.item_type))
    return _anything


def _judge_of_bounded(bound: Bound | None, inner: _Judge) -> _Judge:
    if bound is None:
        return inner

    def judge(value: Any, seats: int, path: str) -> list[Fault]:
        wrong = bound(value, seats)
        return [*([] if wrong is None else [(path, wrong)]), *inner(value, seats, path)]

    return judge


def _judge_of_union(members: Sequence[tuple[Type, _Judge]]) -> _Judge:
    bounded = [(kind, judge) for kind, judge in members if judge is not _anything]

    def judge(value: Any, seats: int, path: str) -> list[Fault]:
        return [
            fault for kind, of in bounded if _is_of(kind, value) for fault in of(value, seats, path)
        ]

    return judge if bounded else _anything


def _judge_of_fields(fields: Sequence[tuple[str, str, _Judge]]) -> _Judge:
    def judge(value: Any, seats: int, path: str) -> list[Fault]:
        faults = []
        for name, wire, of in fields:
            part = getattr(value, name)
            if part is not UNSET:
                faults += of(part, seats, f"{path}.{wire}")
        return faults

    return judge if fields else _anything


def _judge_of_entries(entry: _Judge) -> _Judge:
    def judge(value: Any, seats: int, path: str) -> list[Fault]:
        return [
            fault for n, part in enumerate(value) for fault in entry(part, seats, f"{path}[{n}]")
        ]

    return _anything if entry is _anything else judge


def _is_of(kind: Type, value: Any) -> bool:
    """Whether a value is of this member of a union, so far as members can have bounds."""
    if isinstance(kind, Metadata):
        return _is_of(kind.type, value)
    if isinstance(kind, StructType):
        return isinstance(value, kind.cls)
    if isinstance(kind, CollectionType):
        return isinstance(value, tuple | list)
    return isinstance(kind, IntType) and type(value) is int
