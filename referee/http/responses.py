"""Answers: values in the form that the client would rather have, encoded once."""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from litestar import Litestar, Request, Response
from litestar.response.base import ASGIResponse

from referee.http.logs import current
from referee.http.negotiation import JSON, MSGPACK, encode, headers_of, wants_msgpack

T = TypeVar("T")

NO_STORE: Final[Mapping[str, str]] = {"Cache-Control": "no-store"}
# What has a tag may be kept by who asked, to be asked for again.
PRIVATE: Final[Mapping[str, str]] = {
    "Cache-Control": "private, no-cache",
    "Vary": "Authorization, Accept",
}

MATCHES: Final = "/v1/matches"
"""How the paths of matches begin, whose answers tell the time."""


class Answer(Response[T]):
    """A value as JSON, or as MessagePack of the same shape; None for no content."""

    def to_asgi_response(
        self,
        app: Litestar | None,  # noqa: ARG002 - the framework's
        request: Request[Any, Any, Any],
        *,
        headers: dict[str, str] | None = None,
        status_code: int | None = None,
        **_: Any,
    ) -> ASGIResponse:
        """What the framework sends."""
        content: Any = self.content
        trace = current()
        trace.match = getattr(content, "match", trace.match)
        trace.version = getattr(content, "version", None)
        msgpack = wants_msgpack(headers_of(request.scope["headers"]))
        return ASGIResponse(
            body=b"" if content is None else encode(content, msgpack=msgpack),
            headers={"Vary": "Accept", **(headers or {}), **self.headers},
            media_type=MSGPACK if msgpack else JSON,
            status_code=self.status_code or status_code,
        )
