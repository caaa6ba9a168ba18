"""What every request handler has at hand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any, Protocol

from litestar import Request, Response

from referee.http.metrics import Metrics
from referee.http.tokens import Tokens
from referee.service import Service

AnyRequest = Request[Any, Any, Any]


class EventStream(Protocol):
    """Answers ``GET …/events`` where the client wants a live stream."""

    def __call__(self, site: Site, request: AnyRequest, match: str) -> Awaitable[Response[Any]]:
        """The stream of ``match`` as the request's bearer may see it, from where it says."""
        ...


@dataclass(slots=True)
class Site:
    """The service and what goes with it over HTTP.

    ``draining`` is set when the process is told to stop: whoever serves an endless stream ends
    it then. ``stream`` serves live streams, where there is something that does.
    """

    service: Service
    tokens: Tokens
    metrics: Metrics
    stream: EventStream | None = None
    draining: asyncio.Event = field(default_factory=asyncio.Event)


def site_of(request: AnyRequest) -> Site:
    """The site that a request came to."""
    site: Site = request.app.state.site
    return site
