"""Handing answers to the framework: encoded once, as the client wants them."""

from __future__ import annotations

from typing import Any

from litestar import Response

from referee.http.context import AnyRequest, site_of
from referee.http.negotiation import JSON, MSGPACK, encode, headers_of, wants_msgpack
from referee.http.problems import PROBLEM_JSON, answer_to
from referee.http.trace import current
from referee.service import Bearer

Answer = Response[bytes]


def answer(
    request: AnyRequest,
    value: Any,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Answer:
    """A value as the request's answer, in JSON or MessagePack."""
    msgpack = wants_msgpack(headers_of(request.scope["headers"]))
    return Response(
        encode(value, msgpack=msgpack),
        status_code=status,
        media_type=MSGPACK if msgpack else JSON,
        headers={"Vary": "Accept", **(headers or {})},
    )


def file_answer(data: bytes, media_type: str, headers: dict[str, str] | None = None) -> Answer:
    """Bytes as they are."""
    return Response(data, media_type=media_type, headers=headers)


def bearer_of(request: AnyRequest) -> Bearer | None:
    """Whom the request's token names, None for no token; raises `Unauthorized`."""
    bearer = site_of(request).tokens.read(_authorization(request))
    if bearer is not None:
        current().seat = bearer.seat
    return bearer


def known_bearer(request: AnyRequest) -> Bearer:
    """Whom the request's token names, where there must be one; raises `Unauthorized`."""
    bearer = site_of(request).tokens.must(_authorization(request))
    current().seat = bearer.seat
    return bearer


def _authorization(request: AnyRequest) -> bytes | None:
    return headers_of(request.scope["headers"]).get(b"authorization")


def on_error(request: AnyRequest, fault: Exception) -> Response[Any]:
    """The framework's handler of every exception: a problem."""
    reply = answer_to(fault, request.scope["path"])
    return Response(
        reply.body(),
        status_code=reply.problem.status,
        media_type=PROBLEM_JSON,
        headers=reply.headers,
    )
