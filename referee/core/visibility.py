"""Who is looking, and what they may see: views fail closed.

A field of a struct is hidden from everybody but the organizer unless its annotation says who
may see it:

    class State(Struct, frozen=True):
        phase: Public[str]                              # everybody
        hands: OwnEntry[tuple[tuple[int, ...], ...]]    # by seat: entry i is seat i's, others null
        piles: SecretEntries[tuple[...]]                # organizer only, null entry by entry
        deck: Secret[tuple[int, ...]]                   # organizer only, null for the others
        options: Internal[Options]                      # bookkeeping: in no view at all

    class CardChosen(Event, frozen=True):
        seat: Public[int]
        card: ToSeat[int]                               # the seat named in the field `seat`

Snapshots, events, exports and live streams all go through `redact`.
"""

import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")


class Viewer(Struct, frozen=True, gc=False):
    """An audience: the organizer, one seat (0-based), or the spectators."""

    role: Literal["organizer", "seat", "spectator"]
    seat: int | None = None

    def __str__(self) -> str:
        return self.role if self.seat is None else f"seat {self.seat}"


ORGANIZER: Final = Viewer("organizer")
SPECTATOR: Final = Viewer("spectator")


def seat_viewer(seat: int) -> Viewer:
    """The viewer of one seat, 0-based."""
    return Viewer("seat", seat)


class Scope(Struct, frozen=True, gc=False):
    """What a visibility rule may look at besides the struct that holds the field.

    `state` is the game's whole state, None while events are redacted: an event is seen the same
    way for ever. `finished` says that the match is over, however it ended.
    """

    viewer: Viewer
    state: Any = None
    finished: bool = False


@dataclass(frozen=True, slots=True)
class Visibility:
    """Who may see a field: `shows(holder, scope)`, or by entry `shows(holder, scope, index)`.

    Kinds: `whole` hides the value as null; `entries` judges each entry of a list by its index and
    hides it as null; `masked` hides every entry of the list, keeping its length; `listed` leaves
    hidden entries out, so that their number is hidden too; `internal` leaves the field out of
    every view.
    """

    kind: Literal["whole", "entries", "masked", "listed", "internal"]
    shows: Callable[..., bool]


def seen_if(shows: Callable[[Any, Scope], bool]) -> Visibility:
    """The whole value where `shows(holder, scope)`, else null. The organizer sees all."""
    return Visibility("whole", shows)


def entries_seen_if(shows: Callable[[Any, Scope, int], bool]) -> Visibility:
    """Each entry i of a list where `shows(holder, scope, i)`, else null in its place."""
    return Visibility("entries", shows)


def listed_if(shows: Callable[[Any, Scope, int], bool]) -> Visibility:
    """The entries i of a list where `shows(holder, scope, i)`; the others are not counted."""
    return Visibility("listed", shows)


def masked_unless(shows: Callable[[Any, Scope], bool]) -> Visibility:
    """The list where `shows(holder, scope)`, else as many nulls: the count is public."""
    return Visibility("masked", shows)


def _nobody(_holder: object, _scope: Scope, _index: int = 0) -> bool:
    return False


def is_own(holder: Any, scope: Scope) -> bool:
    """The viewer is the seat named in the holder's field `seat`."""
    return scope.viewer.seat is not None and bool(scope.viewer.seat == holder.seat)


PUBLIC: Final = seen_if(lambda _holder, _scope: True)
SECRET: Final = seen_if(_nobody)

Public = Annotated[T, PUBLIC]
Secret = Annotated[T, SECRET]
SecretEntries = Annotated[T, entries_seen_if(_nobody)]
OwnEntry = Annotated[T, entries_seen_if(lambda _holder, scope, seat: scope.viewer.seat == seat)]
ToSeat = Annotated[T, seen_if(is_own)]
ToSeatMasked = Annotated[T, masked_unless(is_own)]
Internal = Annotated[T, Visibility("internal", _nobody)]


def meaning(text: str, *examples: Any) -> msgspec.Meta:
    """What a field that is shown means, with examples of it: for schemas."""
    return msgspec.Meta(description=text, examples=list(examples) or None)


def redact(value: Any, scope: Scope) -> Any:
    """A struct as `scope.viewer` may see it: plain values, ready to encode.

    What a field of type `Any` holds is shown as it is.

    Returns:
        The struct itself where nothing of its type is ever hidden, else a dict with the wire's
        field names (its tag first), hidden values null.
    """
    struct: type[Struct] = type(value)
    return _redactor(struct)(value, scope)


def events_seen(
    version: int, at: int, events: Iterable[Struct], viewer: Viewer
) -> list[dict[str, Any]]:
    """A commit's events as one viewer may see them, each with its place in the log."""
    scope = Scope(viewer)
    return [
        {"version": version, "index": index, "at": at, **_as_map(redact(event, scope))}
        for index, event in enumerate(events)
    ]


def _as_map(event: Struct | dict[str, Any]) -> dict[str, Any]:
    if isinstance(event, dict):
        return event
    as_map: dict[str, Any] = msgspec.to_builtins(event)
    return as_map


def hides_something(struct: type[Struct]) -> bool:
    """Whether there is anything in values of this type that not everybody may see."""
    return _redactor(struct) is not _unchanged


def visibility_of(struct: type[Struct], field: str) -> Visibility:
    """Who may see a field, by its Python name: nobody, where its annotation does not say."""
    return _visibilities(struct)[field][0]


_Redactor = typing.Callable[[Any, Scope], Any]


def _unchanged(value: Any, _scope: Scope) -> Any:
    return value


@cache
def _redactor(struct: type[Struct]) -> _Redactor:
    visibilities = _visibilities(struct)
    fields: list[tuple[str, str, Visibility, _Redactor]] = []
    for field in msgspec.structs.fields(struct):
        seen, hint = visibilities[field.name]
        inner = _unchanged if seen.kind == "internal" else _inner(hint)
        fields.append((field.name, field.encode_name, seen, inner))
    if all(seen is PUBLIC and inner is _unchanged for _, _, seen, inner in fields):
        return _unchanged
    config = struct.__struct_config__
    tag = {config.tag_field: config.tag} if config.tag_field is not None else {}
    shown = [
        (name, wire, None if seen is PUBLIC and inner is _unchanged else (seen, inner))
        for name, wire, seen, inner in fields
        if seen.kind != "internal"
    ]

    def redacted(value: Any, scope: Scope) -> dict[str, Any]:
        view: dict[str, Any] = dict(tag)
        for name, wire, how in shown:
            held = getattr(value, name)
            view[wire] = held if how is None else _shown(value, held, scope, *how)
        return view

    return redacted


def _shown(holder: Any, value: Any, scope: Scope, seen: Visibility, inner: _Redactor) -> Any:
    if value is None:
        return None
    if seen is PUBLIC or scope.viewer.role == "organizer":
        return inner(value, scope)
    if seen.kind in ("entries", "listed"):
        # What is hidden is not looked into: how long that takes may hang on what it is.
        places = [place for place in range(len(value)) if seen.shows(holder, scope, place)]
        shown = inner([value[place] for place in places], scope)
        if seen.kind == "listed":
            return shown
        found = dict(zip(places, shown, strict=True))
        return [found.get(place) for place in range(len(value))]
    if seen.shows(holder, scope):
        return inner(value, scope)
    return [None] * len(value) if seen.kind == "masked" else None


@cache
def _visibilities(struct: type[Struct]) -> dict[str, tuple[Visibility, Any]]:
    hints = typing.get_type_hints(struct, include_extras=True)
    return {name: _parted(hints[name]) for name in struct.__struct_fields__}


def _parted(hint: Any) -> tuple[Visibility, Any]:
    if typing.get_origin(hint) is not Annotated:
        return SECRET, hint
    inner, *marks = typing.get_args(hint)
    said = [mark for mark in marks if isinstance(mark, Visibility)]
    if said and said[-1].kind in ("entries", "masked", "listed") and not _is_list(inner):
        raise TypeError(f"{inner} is no list, so that its entries cannot be hidden one by one")
    return (said[-1] if said else SECRET), inner


def _is_list(hint: Any) -> bool:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return all(_is_list(arg) for arg in typing.get_args(hint) if arg is not type(None))
    return typing.get_origin(hint) in (tuple, list)


def _inner(hint: Any) -> _Redactor:
    """How to redact a value of this type: structs inside lists, maps and unions included.

    Raises:
        TypeError: it is a container of structs that is not known here, and would leak.
    """
    if typing.get_origin(hint) is Annotated:
        return _inner(typing.get_args(hint)[0])
    if _is_struct(hint):
        return _redactor(hint)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _inner_of_union([arg for arg in args if arg is not type(None)])
    if origin in (tuple, list):
        return _inner_of_list(args)
    if origin is dict:
        return _inner_of_map(args[1])
    if any(_inner(arg) is not _unchanged for arg in args if _is_type(arg)):
        raise _unknown(hint)
    return _unchanged


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Struct)


def _is_type(hint: Any) -> bool:
    return isinstance(hint, type) or typing.get_origin(hint) is not None


def _unknown(hint: Any) -> TypeError:
    return TypeError(f"{hint} holds structs, and nothing here says how to redact them")


def _inner_of_union(members: list[Any]) -> _Redactor:
    inners = [_inner(member) for member in members]
    if all(inner is _unchanged for inner in inners):
        return _unchanged
    if len(inners) == 1:
        optional = inners[0]
        return lambda value, scope: None if value is None else optional(value, scope)
    if any(
        inner is not _unchanged and not _is_struct(of)
        for inner, of in zip(inners, members, strict=True)
    ):
        raise _unknown(members)
    return lambda value, scope: redact(value, scope) if isinstance(value, Struct) else value


def _inner_of_list(args: tuple[Any, ...]) -> _Redactor:
    inners = [_inner(arg) for arg in args if arg is not Ellipsis]
    if all(inner is _unchanged for inner in inners):
        return _unchanged
    if len(inners) == 1:
        each = inners[0]
        return lambda value, scope: [each(entry, scope) for entry in value]
    return lambda value, scope: [
        inner(entry, scope) for inner, entry in zip(inners, value, strict=True)
    ]


def _inner_of_map(value_hint: Any) -> _Redactor:
    inner = _inner(value_hint)
    if inner is _unchanged:
        return _unchanged
    return lambda value, scope: {key: inner(entry, scope) for key, entry in value.items()}
