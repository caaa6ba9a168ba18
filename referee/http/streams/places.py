"""What a request for a live stream says of itself: where it begins, and who reads."""

from __future__ import annotations

import re
from typing import Final

from referee.http.negotiation import Headers, Query
from referee.http.tokens import Known, Tokens
from referee.service.errors import BadRequest
from referee.service.following import Place

_PLACE: Final = re.compile(r"(0|[1-9][0-9]{0,17})(?:\.([0-9a-f]{16,64}))?")


def place_in(headers: Headers, query: Query) -> Place | None:
    """The place that a request names: `Last-Event-ID` before `?after=`; None for none.

    Raises:
        BadRequest: it is malformed.
    """
    name, text = "Last-Event-ID", headers.get(b"last-event-id", b"").decode("latin-1").strip()
    if not text:
        name, after = "after", query.text("after")
        if after is None:
            return None
        text = after
    found = _PLACE.fullmatch(text)
    if found is None:
        fault = (name, "must be the id of a message, or a version")
        raise BadRequest("The place to begin at is malformed.", [fault])
    return Place(int(found[1]), found[2] or "")


def holder_of(tokens: Tokens, headers: Headers, query: Query) -> Known | None:
    """Whose token a request for a stream carries; None for no token.

    A browser's EventSource and WebSocket can send no headers: `?access_token=` will do here.

    Raises:
        Unauthorized: the token is not good.
    """
    header = headers.get(b"authorization")
    if header is None:
        token = query.text("access_token")
        header = None if token is None else b"Bearer " + token.encode("utf-8", "replace")
    return None if header is None else tokens.known(header)
