"""A state in which everything that one viewer may not know is something else.

Works on any state, through the annotations that say who may see what. Public counts, the
viewer's own cards and bookkeeping stay as they are.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from msgspec import Struct

from referee.core.randomness import Chance
from referee.core.visibility import Scope, Viewer, Visibility, visibility_of
from tests.conformance.matches import hints_of

Place = tuple[str, str, Any]
"""Where a value stands: the struct, the field, and the value's type."""

Leaf = Callable[[Place, Any], Any]


def scrambled(state: Any, viewer: Viewer, pick: Chance, *, finished: bool = False) -> Any:
    """`state` with what is hidden from `viewer` shuffled among the places of its field.

    Such a state may hold together no longer (a chosen card that is in no hand): it is for
    looking at, not for playing on. Where a list leaves hidden entries out there are more or
    fewer of them.
    """
    state = _recounted(state, Scope(viewer, state, finished), pick)
    scope = Scope(viewer, state, finished)
    hidden = _hidden(state, scope, lambda place: place)
    shuffled = {place: iter(pick.shuffle(values)) for place, values in hidden.items()}
    return _struct(state, scope, lambda place, _value: next(shuffled[place]), hidden=False)


def renamed(state: Any, viewer: Viewer, pick: Chance, *, finished: bool = False) -> Any:
    """`state` with hidden values of one type exchanged: every hidden 3 a 5, every 5 a 3.

    What belongs together stays together, so that play can go on from it. What a list leaves out
    stays as it is: whether it is left out may depend on its values.
    """
    whole, state = state, _without_left_out(state, Scope(viewer, state, finished))
    scope = Scope(viewer, state, finished)
    hidden = _hidden(state, scope, lambda place: place[2])
    names = {
        of: dict(zip(values, pick.shuffle(values), strict=True))
        for of, values in ((of, tuple(dict.fromkeys(all_))) for of, all_ in hidden.items())
    }
    changed = _struct(state, scope, lambda place, value: names[place[2]][value], hidden=False)
    return _with_left_out(changed, whole, Scope(viewer, whole, finished))


def _listed(state: Any) -> dict[str, Visibility]:
    """The fields of a state that leave hidden entries out."""
    seen = {name: visibility_of(type(state), name) for name in state.__struct_fields__}
    return {name: how for name, how in seen.items() if how.kind == "listed"}


def _without_left_out(state: Any, scope: Scope) -> Any:
    changes = {
        name: tuple(
            entry
            for index, entry in enumerate(getattr(state, name))
            if shows(seen, state, scope, index)
        )
        for name, seen in _listed(state).items()
    }
    return msgspec.structs.replace(state, **changes) if changes else state


def _with_left_out(state: Any, whole: Any, scope: Scope) -> Any:
    changes = {}
    for name, seen in _listed(whole).items():
        shown = iter(getattr(state, name))
        changes[name] = tuple(
            next(shown) if shows(seen, whole, scope, index) else entry
            for index, entry in enumerate(getattr(whole, name))
        )
    return msgspec.structs.replace(state, **changes) if changes else state


def _recounted(state: Any, scope: Scope, pick: Chance) -> Any:
    """`state`, each entry that a list of it leaves out there once, twice or not at all."""
    changes = {
        name: tuple(
            entry
            for index, entry in enumerate(getattr(state, name))
            for _ in range(1 if shows(seen, state, scope, index) else pick.below(3))
        )
        for name, seen in _listed(state).items()
    }
    return msgspec.structs.replace(state, **changes) if changes else state


def _hidden(state: Any, scope: Scope, group: Callable[[Place], Any]) -> dict[Any, list[Any]]:
    """Every hidden value, by group, in the order of the state."""
    hidden: dict[Any, list[Any]] = {}

    def collect(place: Place, value: Any) -> Any:
        hidden.setdefault(group(place), []).append(value)
        return value

    _struct(state, scope, collect, hidden=False)
    return hidden


def _struct(value: Struct, scope: Scope, leaf: Leaf, *, hidden: bool) -> Struct:
    kind = type(value)
    hints = hints_of(kind)
    changes = {
        name: _field(value, name, hints[name], scope, leaf, hidden=hidden)
        for name in kind.__struct_fields__
    }
    return msgspec.structs.replace(value, **changes)


def _field(holder: Struct, name: str, hint: Any, scope: Scope, leaf: Leaf, *, hidden: bool) -> Any:
    value, seen = getattr(holder, name), visibility_of(type(holder), name)
    if seen.kind == "internal" or value is None:
        return value
    field = (type(holder).__name__, name)
    inner = typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint
    if seen.kind in ("entries", "listed"):
        of = _entry_hints(inner, len(value))
        return tuple(
            _value(
                entry, of[i], field, scope, leaf, hidden=hidden or not shows(seen, holder, scope, i)
            )
            for i, entry in enumerate(value)
        )
    unseen = hidden or not shows(seen, holder, scope)
    return _value(value, inner, field, scope, leaf, hidden=unseen)


def shows(seen: Any, holder: Struct, scope: Scope, *place: int) -> bool:
    """Whether the scope's viewer sees the field, as `redact` judges it."""
    return scope.viewer.role == "organizer" or bool(seen.shows(holder, scope, *place))


def _value(
    value: Any, hint: Any, field: tuple[str, str], scope: Scope, leaf: Leaf, *, hidden: bool
) -> Any:
    if value is None:
        return None
    if isinstance(value, Struct):
        return _struct(value, scope, leaf, hidden=hidden)
    if isinstance(value, (tuple, list)):
        of = _entry_hints(hint, len(value))
        return tuple(
            _value(entry, of[i], field, scope, leaf, hidden=hidden) for i, entry in enumerate(value)
        )
    return leaf((*field, _of(hint)), value) if hidden else value


def _of(hint: Any) -> Any:
    """The type of a value that is there: without None, without remarks."""
    if typing.get_origin(hint) is Annotated:
        return _of(typing.get_args(hint)[0])
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        some = [arg for arg in typing.get_args(hint) if arg is not type(None)]
        return _of(some[0]) if len(some) == 1 else frozenset(map(_of, some))
    return hint


def _entry_hints(hint: Any, size: int) -> list[Any]:
    """The type of each entry of a list of that type and size."""
    if typing.get_origin(hint) is Annotated:
        return _entry_hints(typing.get_args(hint)[0], size)
    args = typing.get_args(hint)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        lists = [arg for arg in args if typing.get_origin(arg) in (tuple, list)]
        return _entry_hints(lists[0], size) if lists else [Any] * size
    if typing.get_origin(hint) in (tuple, list) and (len(args) == 1 or args[1] is Ellipsis):
        return [args[0]] * size
    return list(args) if len(args) == size else [Any] * size
