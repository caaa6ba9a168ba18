"""What a request for a live stream says of itself: where it begins, and who reads."""

from referee.http.logs import current
from referee.http.negotiation import Headers, read_place
from referee.http.tokens import Tokens
from referee.service import Bearer
from referee.service.asking.requests import Place
from referee.service.errors import BadRequest


def place_in(last_event_id: str | None, after: str | None) -> Place | None:
    """The place that a request names: `Last-Event-ID` before `?after=`; None for none.

    Raises:
        BadRequest: it is malformed.
    """
    name, text = "Last-Event-ID", (last_event_id or "").strip()
    if not text:
        if after is None:
            return None
        name, text = "after", after
    place = read_place(text)
    if place is None:
        fault = (name, "must be the id of a message, or a version")
        raise BadRequest("The place to begin at is malformed.", [fault])
    return place


def holder_of(
    tokens: Tokens, headers: Headers, access_token: str | None
) -> tuple[Bearer | None, int | None]:
    """Who reads a stream, None for nobody, and the Unix seconds until which the token is good.

    A browser's EventSource and WebSocket can send no headers: `?access_token=` will do here.

    Raises:
        Unauthorized: the token is not good.
    """
    header = headers.get(b"authorization")
    if header is None and access_token is not None:
        header = b"Bearer " + access_token.encode("utf-8", "replace")
    if header is None:
        return None, None
    known = tokens.known(header)
    current().seat = known.bearer.seat
    return known.bearer, known.expires
