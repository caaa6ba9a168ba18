"""What handlers have at hand: the service and what goes with it, who asks, and what was sent."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency, Provide
from litestar.handlers import BaseRouteHandler

from referee.http.logs import current
from referee.http.metrics import Metrics
from referee.http.negotiation import headers_of, read_body
from referee.http.parameters import judge_query
from referee.http.tokens import Tokens
from referee.service import Bearer, Body, Following, Service

AnyConnection = ASGIConnection[Any, Any, Any, Any]
AnyRequest = Request[Any, Any, Any]


@dataclass(slots=True)
class Site:
    """The service and what goes with it over HTTP.

    `draining` is set when the process is told to stop: whoever serves an endless stream ends
    it then. `following` are those who follow matches on open streams; `judging` is held while a
    match is judged or drawn, one at a time.
    """

    service: Service
    tokens: Tokens
    metrics: Metrics
    draining: asyncio.Event = field(default_factory=asyncio.Event)
    following: Following = field(init=False)
    judging: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        """Let matches of this site's service be followed."""
        self.following = Following(self.service, self.metrics, self.draining)


class Holds:
    """Marks a body as holding a value of a type: what it is described as."""

    def __init__(self, kind: str) -> None:
        self.kind: Final = kind


# ── Dependencies, each of which needs the one before ──────────────────────────────────────────────
# A query is judged once it is known who asks: a bad token is told before a bad parameter.


async def judge_where_nobody_is_asked(connection: AnyConnection, handler: BaseRouteHandler) -> None:
    """The guard of all routes: judge the query where no token is looked at."""
    current().match = connection.path_params.get("match")
    if not {"visitor", "bearer"} & handler.parsed_fn_signature.parameters.keys():
        judge_query(connection)


async def _site(request: AnyRequest) -> Site:
    site: Site = request.app.state.site
    return site


async def _visitor(request: AnyRequest, site: NamedDependency[Site]) -> Bearer | None:
    """Whom the request's token names; None for no token."""
    bearer = site.tokens.read(headers_of(request.scope["headers"]).get(b"authorization"))
    if bearer is not None:
        current().seat = bearer.seat
    judge_query(request)
    return bearer


async def _bearer(request: AnyRequest, site: NamedDependency[Site]) -> Bearer:
    """Whom the request's token names, where there must be one."""
    bearer = site.tokens.must(headers_of(request.scope["headers"]).get(b"authorization"))
    current().seat = bearer.seat
    judge_query(request)
    return bearer


async def _sent(request: AnyRequest, bearer: NamedDependency[Bearer]) -> Body:  # noqa: ARG001
    """The request's body; nobody's is read who may not send one."""
    return await read_body(headers_of(request.scope["headers"]), request.receive)


DEPENDENCIES: Final[Mapping[str, Provide]] = {
    "site": Provide(_site),
    "visitor": Provide(_visitor),
    "bearer": Provide(_bearer),
    "sent": Provide(_sent),
}
