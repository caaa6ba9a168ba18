"""Parameters: those that several routes have, and the judge of queries.

A query is judged by the signature of the handler that it goes to: what that does not name is
refused, and so is what stands twice, or is not what the signature says. The framework by itself
takes the last of two, ignores what it does not know, and reads `1e3` as a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, get_args, get_origin
from urllib.parse import parse_qs

from litestar.handlers import BaseRouteHandler
from litestar.params import HeaderParameter, PathParameter, QueryParameter

from referee.core.patterns import MATCH_ID
from referee.service.asking.bodies import MOST
from referee.service.errors import BadRequest

if TYPE_CHECKING:
    from litestar.connection import ASGIConnection
    from litestar.typing import FieldDefinition

Wrong = tuple[str, str]
"""What is wrong with a parameter: in a sentence by itself, and behind the parameter's name."""
FAR: Final = 10**18
"""Beyond every version, and any other number that counts something."""
Judge = Callable[[str], Wrong | None]
"""Says what is wrong with a parameter's text, None where nothing is."""

MatchId = Annotated[
    str,
    PathParameter(description="The match's id.", schema_extra={"pattern": f"^{MATCH_ID.pattern}$"}),
]
_TAG: Final = r'"[1-9][0-9]{0,17}(\.[0-9a-f]{16,64})?"'
IfMatch = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match",
        description='Only where the match is at this place: a tag, `"12.1f3a9c20d4e5f607"`, '
        'a bare version, `"12"`, several of them, or `*`.',
        schema_extra={"pattern": rf"^(\*|{_TAG}(, ?{_TAG})*)$"},
    ),
]
_WHOLE: Final = re.compile(r"0|-?[1-9][0-9]{0,29}")
_TWICE: Final = ("A parameter stands twice.", "stands more than once")
_UNKNOWN: Final = ("A parameter is not known here.", "is not known")
_NO_NUMBER: Final = ("A parameter is not a number.", "must be a whole number")


def any_text(_text: str) -> None:
    """Nothing is wrong with any text."""


def whole(text: str, least: float | None = None, most: float | None = None) -> Wrong | None:
    """What is wrong with a whole number, which is within bounds where there are any."""
    if not _WHOLE.fullmatch(text):
        return _NO_NUMBER
    within = (least is None or least <= int(text)) and (most is None or int(text) <= most)
    return None if within else ("A parameter is out of range.", f"must be {least} to {most}")


def _choice(text: str, words: tuple[str, ...]) -> Wrong | None:
    if text in words:
        return None
    return "A parameter is not what it may be.", f"must be one of {', '.join(words)}"


def read_query(raw: bytes, known: Mapping[str, Judge]) -> dict[str, str]:
    """A query's parameters by name.

    Raises:
        BadRequest: names each that is not known, stands twice, or is not what it must be.
    """
    if not raw:
        return {}
    values = parse_qs(raw.decode("latin-1"), keep_blank_values=True, errors="replace")
    wrong = {name: _wrong(found, known.get(name)) for name, found in values.items()}
    faults = [(name, found) for name, found in wrong.items() if found is not None]
    if faults:
        named = [(name, message) for name, (_, message) in faults[:MOST]]
        raise BadRequest(faults[0][1][0], named)
    return {name: found[0] for name, found in values.items()}


def _wrong(values: list[str], judge: Judge | None) -> Wrong | None:
    if judge is None:
        return _UNKNOWN
    return _TWICE if len(values) > 1 else judge(values[0])


def whole_number(query: Mapping[str, str], name: str) -> int | None:
    """A parameter that was judged to be a whole number; None where it is not there."""
    found = query.get(name)
    return None if found is None else int(found)


# ── Handlers ──────────────────────────────────────────────────────────────────────────────────────


def judge_query(connection: ASGIConnection[Any, Any, Any, Any]) -> None:
    """Refuse a query that its handler does not know.

    Raises:
        BadRequest: as `read_query` does.
    """
    read_query(connection.scope["query_string"], _judges(connection.route_handler))


@cache
def _judges(handler: BaseRouteHandler) -> Mapping[str, Judge]:
    """What each query parameter of a handler must be."""
    fields = handler.parsed_fn_signature.parameters
    return {
        name: _judge(field)
        for name, field in fields.items()
        if isinstance(field.kwarg_definition, QueryParameter)
    }


def _judge(field: FieldDefinition) -> Judge:
    kind: Any = next(iter(get_args(field.annotation)), None)
    if field.annotation is int or kind is int:
        bounds: Any = field.kwarg_definition
        return partial(whole, least=bounds.ge, most=bounds.le)
    return partial(_choice, words=get_args(kind)) if get_origin(kind) is Literal else any_text
