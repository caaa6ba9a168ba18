"""Bounds of options: said once beside a field, for the schema that tells of them and for judging.

    class Options(Struct, frozen=True):
        length: Annotated[int, within(20, 80)] = 40
        deck: Annotated[tuple[Annotated[int, within(1, 9)], ...], so_many(6)] = (1, 1, 2, 2, 3, 3)
        starter: Annotated[int, seat_number(5)] = 0
        order: Annotated[tuple[int, ...], every_seat_once()] | None = None

A value beyond them is told with all other faults of the options, not by the decoder, which would
name the first alone.
"""

from collections.abc import Callable, Iterator, Sequence
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
    return list(_beyond(_described(type(options)), options, seats, path))


@cache
def _described(struct: type[Struct]) -> Type:
    return type_info(struct)


def _beyond(kind: Type, value: Any, seats: int, path: str) -> Iterator[Fault]:
    if isinstance(kind, Metadata) and kind.extra and _KEY in kind.extra:
        wrong = kind.extra[_KEY](value, seats)
        if wrong is not None:
            yield path, wrong
    for inner, part, where in _parts(kind, value, path):
        yield from _beyond(inner, part, seats, where)


def _parts(kind: Type, value: Any, path: str) -> Iterator[tuple[Type, Any, str]]:
    """What a value of that type is made of: (its type, the part, its path)."""
    if isinstance(kind, Metadata):
        yield kind.type, value, path
    elif isinstance(kind, UnionType):
        yield from ((member, value, path) for member in kind.types if _is_of(member, value))
    elif isinstance(kind, StructType):
        for field in kind.fields:
            part = getattr(value, field.name)
            if part is not UNSET:
                yield field.type, part, f"{path}.{field.encode_name}"
    elif isinstance(kind, CollectionType):
        yield from ((kind.item_type, part, f"{path}[{n}]") for n, part in enumerate(value))


def _is_of(kind: Type, value: Any) -> bool:
    """Whether a value is of this member of a union, so far as members can have bounds."""
    if isinstance(kind, Metadata):
        return _is_of(kind.type, value)
    if isinstance(kind, StructType):
        return isinstance(value, kind.cls)
    if isinstance(kind, CollectionType):
        return isinstance(value, tuple | list)
    return isinstance(kind, IntType) and type(value) is int
