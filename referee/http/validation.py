"""Finding every fault of a body, not only the first: for the answer to a request that failed.

A decoder stops at the first field that is wrong. Where it has, the body's plain values are
walked here beside the type that they should have had, and each fault is named by its path:
`options.movement_deck[9]`, `card`, `ranking[0].seat`.
"""

import re
import types
import typing
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, Final

import msgspec
from msgspec import Struct, UnsetType

from referee.service.asking.bodies import MOST
from referee.service.errors import Fault, Part

_AT: Final = re.compile(r"^(.*) - at `([^`]*)`$", re.DOTALL)


def faults(parts: tuple[Part, ...], detail: str) -> list[Fault]:
    """Everything that is wrong with these values; where the walk finds nothing, the decoder's.

    `detail` is the decoder's message.
    """
    every = (fault for part in parts for fault in _walk(part.value, part.type, part.path))
    return list(islice(every, MOST)) or [_from_message(detail)]


def _from_message(detail: str) -> Fault:
    found = _AT.match(detail)
    if found is None:
        return "", _lower(detail)
    return found[2].removeprefix("$").removeprefix("."), _lower(found[1])


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _walk(value: Any, wanted: Any, path: str) -> Iterator[Fault]:
    bare = _bare(wanted)
    members = _members(bare)
    entries = _entry_types(bare, value)
    if members:
        yield from _walk_union(value, wanted, members, path)
    elif _is_struct(bare) and isinstance(value, dict):
        yield from _walk_struct(value, bare, path)
    elif typing.get_origin(bare) is dict and isinstance(value, dict):
        for name, entry in value.items():
            yield from _walk(entry, typing.get_args(bare)[1], _join(path, name))
    elif entries is not None:
        for index, (entry, entry_type) in enumerate(zip(value, entries, strict=True)):
            yield from _walk(entry, entry_type, f"{path}[{index}]")
    else:
        yield from _own_fault(value, wanted, path)


def _bare(wanted: Any) -> Any:
    while typing.get_origin(wanted) is Annotated:
        wanted = typing.get_args(wanted)[0]
    return wanted


def _members(wanted: Any) -> tuple[Any, ...]:
    """The types of a union, but for the one that no value has; none where it is no union."""
    if typing.get_origin(wanted) not in (typing.Union, types.UnionType):
        return ()
    return tuple(member for member in typing.get_args(wanted) if member is not UnsetType)


def _is_struct(wanted: Any) -> bool:
    return isinstance(wanted, type) and issubclass(wanted, Struct)


def _entry_types(wanted: Any, value: Any) -> list[Any] | None:
    """The type of each entry of a list; None for what is no list, or has another length."""
    if typing.get_origin(wanted) not in (list, tuple) or not isinstance(value, list):
        return None
    args = typing.get_args(wanted)
    if typing.get_origin(wanted) is list or args[1:] == (Ellipsis,):
        return [args[0]] * len(value)
    return list(args) if len(args) == len(value) else None


def _walk_struct(value: dict[Any, Any], wanted: type[Struct], path: str) -> Iterator[Fault]:
    config = wanted.__struct_config__
    fields = {field.encode_name: field for field in msgspec.structs.fields(wanted)}
    for name, field in fields.items():
        if name in value:
            yield from _walk(value[name], field.type, _join(path, name))
        elif field.required:
            yield _join(path, name), "is missing"
    if config.forbid_unknown_fields:
        for name in value:
            if name not in fields and name != config.tag_field:
                yield _join(path, name), "is not known"


def _walk_union(value: Any, wanted: Any, members: tuple[Any, ...], path: str) -> Iterator[Fault]:
    """Of several types the one that the value says it is, or else that it comes nearest to."""
    structs = [member for member in map(_bare, members) if _is_struct(member)]
    if isinstance(value, dict) and structs:
        yield from _walk_tagged(value, structs, path)
        return
    attempts = [list(_walk(value, member, path)) for member in members]
    if not all(attempts):
        return
    inside = [found for found in attempts if any(at != path for at, _ in found)]
    yield from inside[0] if inside else _own_fault(value, wanted, path)


def _walk_tagged(value: dict[Any, Any], structs: list[type[Struct]], path: str) -> Iterator[Fault]:
    tag_field = structs[0].__struct_config__.tag_field
    if tag_field is None:
        yield from _walk_struct(value, structs[0], path)
        return
    tags = {struct.__struct_config__.tag: struct for struct in structs}
    tag = value.get(tag_field)
    if isinstance(tag, str) and tag in tags:
        yield from _walk_struct(value, tags[tag], path)
    elif tag_field not in value:
        yield _join(path, tag_field), "is missing"
    else:
        yield _join(path, tag_field), f"must be one of {', '.join(map(str, tags))}"


def _own_fault(value: Any, wanted: Any, path: str) -> Iterator[Fault]:
    """What is wrong with a value taken by itself, in the decoder's words."""
    try:
        msgspec.convert(value, wanted, strict=True)
    except msgspec.ValidationError as fault:
        inner, message = _from_message(str(fault))
        yield _join(path, inner) if inner[:1] != "[" else path + inner, message


def _join(path: str, name: object) -> str:
    return f"{path}.{name}" if path and name else f"{path}{name}"
